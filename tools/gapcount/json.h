/* SPDX-License-Identifier: MIT */
/*
 * json.h - as much JSON as a report takes: RFC 8259 read into a tree, strings written.
 *
 * No JSON library is linked: the launcher and the counter have to build and run
 * wherever a CUDA program does, with nothing but libc.
 */
#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdio.h>

enum json_type {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_type type;
	char *key;    /* in an object, else NULL */
	char *string; /* of a JSON_STRING; UTF-8, cut at an escaped NUL */
	double number;
	size_t n;           /* of an array or object: members */
	struct json *first; /* and the first of them */
	struct json *next;  /* the next member of the same parent */
};

/*
 * The value that the text is, or NULL with a reason in `error`: where it stops being
 * JSON.  The text need not end in NUL.  Free it with json_free().
 */
struct json *json_parse(const char *text, size_t length, char *error, size_t size);
void json_free(struct json *json);

/* A member of an object, or NULL: also where json is NULL or no object. */
const struct json *json_get(const struct json *json, const char *key);

/* U+FFFD, in UTF-8: what stands for a byte that is none. */
#define JSON_REPLACEMENT "\xef\xbf\xbd"

/* The length of the UTF-8 sequence at s, which is no NUL; 0 where there is none. */
size_t json_utf8_length(const unsigned char *s);

/* In quotes.  What is no UTF-8 becomes U+FFFD; NULL becomes null. */
void json_write_string(FILE *out, const char *string);

#endif
