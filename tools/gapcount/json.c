/* SPDX-License-Identifier: MIT */
/* json.c - JSON read into a tree, by recursive descent; see json.h. */
#include "json.h"

#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

struct parser {
	const char *text;
	size_t at, length;
	const char *reason;
	int depth;
};

static struct json *parse_value(struct parser *p);

static struct json *refuse(struct parser *p, const char *reason)
{
	if (!p->reason)
		p->reason = reason;
	return NULL;
}

static int peek(const struct parser *p)
{
	return p->at < p->length ? (unsigned char)p->text[p->at] : -1;
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->length && strchr(" \t\r\n", p->text[p->at]) && p->text[p->at])
		p->at++;
}

static int take(struct parser *p, const char *word)
{
	size_t length = strlen(word);

	if (p->length - p->at < length || memcmp(p->text + p->at, word, length) != 0)
		return 0;
	p->at += length;
	return 1;
}

static struct json *make(struct parser *p, enum json_type type)
{
	struct json *json = calloc(1, sizeof *json);

	if (!json)
		return refuse(p, "out of memory");
	json->type = type;
	return json;
}

static size_t put_utf8(char *out, unsigned long code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* Four hexadecimal digits, or -1. */
static long take_hex(struct parser *p)
{
	long code = 0;
	int i, c;

	for (i = 0; i < 4; i++) {
		c = peek(p);
		if (c >= '0' && c <= '9')
			code = code * 16 + c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			code = code * 16 + (c | 32) - 'a' + 10;
		else
			return -1;
		p->at++;
	}
	return code;
}

/* After \u: one code point, of two surrogates where they are a pair. */
static long take_code(struct parser *p)
{
	long code = take_hex(p), low;

	if (code >= 0xd800 && code < 0xdc00 && take(p, "\\u")) {
		low = take_hex(p);
		if (low < 0xdc00 || low >= 0xe000)
			return -1;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	return code;
}

static size_t take_escape(struct parser *p, char *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;
	int c = peek(p);
	long code;

	if (c < 0)
		return 0;
	p->at++;
	if (c == 'u') {
		code = take_code(p);
		return code < 0 ? 0 : put_utf8(out, (unsigned long)code);
	}
	which = c ? strchr(from, c) : NULL;
	if (!which)
		return 0;
	*out = to[which - from];
	return 1;
}

/* At the opening quote.  No escape is shorter than what it stands for. */
static char *parse_text(struct parser *p)
{
	char *text, *out;
	size_t end, n;

	if (!take(p, "\"")) {
		refuse(p, peek(p) < 0 ? "the text is cut off" : "a string is missing");
		return NULL;
	}
	for (end = p->at; end < p->length && p->text[end] != '"'; end++)
		end += p->text[end] == '\\';
	text = out = malloc((end < p->length ? end : p->length) - p->at + 1);
	if (!text)
		return refuse(p, "out of memory"), NULL;
	while (peek(p) >= 0x20 && peek(p) != '"') {
		if (!take(p, "\\")) {
			*out++ = p->text[p->at++];
			continue;
		}
		n = take_escape(p, out);
		if (n == 0) {
			refuse(p,
			       peek(p) < 0 ? "the text is cut off" : "no such escape");
			break;
		}
		out += n;
	}
	*out = '\0';
	if (!p->reason && take(p, "\""))
		return text;
	refuse(p, peek(p) < 0 ? "the text is cut off" : "not a string");
	free(text);
	return NULL;
}

static int is_number(const char *s)
{
	s += *s == '-';
	if (*s == '0')
		s++;
	else if (*s >= '1' && *s <= '9')
		s += strspn(s, "0123456789");
	else
		return 0;
	if (*s == '.') {
		if (!strspn(s + 1, "0123456789"))
			return 0;
		s += 1 + strspn(s + 1, "0123456789");
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '+' || *s == '-';
		if (!strspn(s, "0123456789"))
			return 0;
		s += strspn(s, "0123456789");
	}
	return *s == '\0';
}

/* The program that we are in may have set a locale whose decimal point is a comma. */
static double to_number(const char *text)
{
	static locale_t c_locale;

	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	return c_locale ? strtod_l(text, NULL, c_locale) : strtod(text, NULL);
}

static struct json *parse_number(struct parser *p)
{
	struct json *json;
	char text[64];
	size_t n = 0;

	while (n < sizeof text - 1 && peek(p) > 0 && strchr("+-.0123456789eE", peek(p)))
		text[n++] = p->text[p->at++];
	text[n] = '\0';
	if (!is_number(text))
		return refuse(p, peek(p) < 0 ? "the text is cut off" : "not a value");
	json = make(p, JSON_NUMBER);
	if (json)
		json->number = to_number(text);
	return json;
}

static struct json *parse_member(struct parser *p, int in_object)
{
	struct json *json;
	char *key = NULL;

	skip_blanks(p);
	if (in_object) {
		key = parse_text(p);
		skip_blanks(p);
		if (key && !take(p, ":"))
			refuse(p, peek(p) < 0 ? "the text is cut off" : "no colon");
	}
	json = p->reason ? NULL : parse_value(p);
	if (json)
		json->key = key;
	else
		free(key);
	return json;
}

static struct json *parse_members(struct parser *p, enum json_type type,
                                  const char *close)
{
	struct json *json = make(p, type), **link;

	if (!json)
		return NULL;
	link = &json->first;
	skip_blanks(p);
	if (take(p, close))
		return json;
	do {
		*link = parse_member(p, type == JSON_OBJECT);
		if (!*link)
			break;
		link = &(*link)->next;
		json->n++;
		skip_blanks(p);
	} while (take(p, ","));
	if (!p->reason && take(p, close))
		return json;
	refuse(p, peek(p) < 0 ? "the text is cut off" : "a comma is missing");
	json_free(json);
	return NULL;
}

static struct json *parse_container(struct parser *p)
{
	struct json *json;

	if (p->depth == MAX_DEPTH)
		return refuse(p, "too deep");
	p->depth++;
	json = take(p, "{") ? parse_members(p, JSON_OBJECT, "}")
	                    : (p->at++, parse_members(p, JSON_ARRAY, "]"));
	p->depth--;
	return json;
}

static struct json *parse_value(struct parser *p)
{
	struct json *json;

	skip_blanks(p);
	if (peek(p) == '{' || peek(p) == '[')
		return parse_container(p);
	if (peek(p) == '"') {
		json = make(p, JSON_STRING);
		if (json && !(json->string = parse_text(p))) {
			free(json);
			json = NULL;
		}
		return json;
	}
	if (take(p, "null"))
		return make(p, JSON_NULL);
	if (take(p, "true"))
		return make(p, JSON_TRUE);
	if (take(p, "false"))
		return make(p, JSON_FALSE);
	return parse_number(p);
}

struct json *json_parse(const char *text, size_t length, char *error, size_t size)
{
	struct parser p = {.text = text, .length = length};
	struct json *json = parse_value(&p);

	skip_blanks(&p);
	if (json && p.at < p.length) {
		json_free(json);
		json = refuse(&p, "something follows the value");
	}
	if (!json)
		snprintf(error, size, "byte %zu: %s", p.at, p.reason);
	return json;
}

void json_free(struct json *json)
{
	struct json *next;

	for (; json; json = next) {
		next = json->next;
		json_free(json->first);
		free(json->key);
		free(json->string);
		free(json);
	}
}

const struct json *json_get(const struct json *json, const char *key)
{
	const struct json *member;

	if (!json || json->type != JSON_OBJECT)
		return NULL;
	for (member = json->first; member; member = member->next)
		if (!strcmp(member->key, key))
			return member;
	return NULL;
}

size_t json_utf8_length(const unsigned char *s)
{
	size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	size_t i;

	if (*s > 0xf4 || (*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void json_write_string(FILE *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	size_t n;

	if (!s) {
		fputs("null", out);
		return;
	}
	putc('"', out);
	while (*s) {
		n = json_utf8_length(s);
		if (n == 0)
			fputs(JSON_REPLACEMENT, out);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(out, "\\u%04x", *s);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	putc('"', out);
}
