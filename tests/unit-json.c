/* SPDX-License-Identifier: MIT */
/*
 * JSON as reports need it: what RFC 8259 allows is read, what it does not is refused
 * with a reason, and a report that is written and read is the same report.
 */
#include "gap.h"
#include "gap_write.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct json *parse(const char *text)
{
	char error[128] = "";

	return json_parse(text, strlen(text), error, sizeof error);
}

static void test_good(void)
{
	static const char *const good[] = {"null",
	                                   "true",
	                                   " false ",
	                                   "0",
	                                   "-0",
	                                   "1.5e+3",
	                                   "-12.25E-2",
	                                   "\"\"",
	                                   "[]",
	                                   "{}",
	                                   "[1, [2, {\"a\": []}], \"x\"]",
	                                   "{\"a\":1,\"a\":2}",
	                                   "\t\r\n1\n",
	                                   "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"",
	                                   "\"\xc3\xa9\""};
	struct json *json;
	size_t i;

	for (i = 0; i < sizeof good / sizeof *good; i++) {
		json = parse(good[i]);
		ok(json, "read: %s", i == 12 ? "(blanks)" : good[i]);
		json_free(json);
	}
}

static void test_bad(void)
{
	static const char *const bad[] = {
	    "",         " ",          "nul",
	    "tru",      "01",         "-",
	    "1.",       ".5",         "1e",
	    "+1",       "0x10",       "NaN",
	    "Infinity", "\"",         "\"\\",
	    "\"\\x\"",  "\"\\u12\"",  "\"\\ud800\\u0041\"",
	    "\"a\nb\"", "[",          "[1",
	    "[1,",      "[1,]",       "[1 2]",
	    "{",        "{\"a\"",     "{\"a\":",
	    "{\"a\":1", "{\"a\":1,}", "{a:1}",
	    "{1:2}",    "[1]x",       "1 2",
	    "'a'"};
	char error[128];
	struct json *json;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		error[0] = '\0';
		json = json_parse(bad[i], strlen(bad[i]), error, sizeof error);
		ok(!json && *error, "refused: %s (%s)",
		   i == 18 ? "a line break" : bad[i], error);
		json_free(json);
	}
}

static void test_values(void)
{
	struct json *json = parse("{\"n\": -12.5, \"s\": \"\\u00e9\\ud83d\\ude00\", "
	                          "\"l\": [1, 2, 3], \"t\": true}");

	ok(json_get(json, "n")->number == -12.5, "a number");
	ok(!strcmp(json_get(json, "s")->string, "\xc3\xa9\xf0\x9f\x98\x80"),
	   "escapes become UTF-8, surrogates one character");
	is(json_get(json, "l")->n, 3, "an array's members");
	ok(json_get(json, "l")->first->next->number == 2, "in order");
	ok(!json_get(json, "x"), "what is not there");
	ok(!json_get(json_get(json, "n"), "x"), "a number has no members");
	ok(!json_get(NULL, "x"), "nor has nothing");
	json_free(json);
}

/* Deeper than any report, and than the stack would like. */
static void test_deep(void)
{
	char text[20001];
	struct json *json;

	memset(text, '[', 10000);
	memset(text + 10000, ']', 10000);
	text[20000] = '\0';
	json = parse(text);
	ok(!json, "ten thousand brackets are refused");
	json_free(json);
	json =
	    parse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	ok(json, "32 are not");
	json_free(json);
}

static void test_string(void)
{
	const char *odd =
	    "a\"b\\c\n\x01\x7f\xff\xc0\xaf\xed\xa0\x80\xc3\xa9\xf0\x9f\x98\x80";
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	struct json *json;

	json_write_string(out, odd);
	fclose(out);
	json = parse(text);
	ok(json && json->type == JSON_STRING, "any bytes are written as valid JSON");
	ok(json && strstr(json->string, "a\"b\\c\n\x01\x7f\xef\xbf\xbd"),
	   "what is no UTF-8 is replaced");
	ok(json && strstr(json->string, "\xc3\xa9\xf0\x9f\x98\x80"), "what is, stays");
	json_free(json);
	free(text);
}

/* --- reports -----------------------------------------------------------------------
 */

static char *written(const struct gap_report *report)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	gap_write_json(out, report);
	fclose(out);
	return text;
}

static void make_report(struct gap_report *report)
{
	static const char *const names[] = {"[memset]", "k<\"1\">", "second"};
	static struct gap_record records[60];
	struct gap_input input = {
	    .records = records, .n_records = 60, .names = names, .fill_ns = 770};
	unsigned i;

	for (i = 0; i < 60; i++)
		records[i] = (struct gap_record){
		    .start = UINT64_C(1796133271664389243) + UINT64_C(1000) * i,
		    .end = UINT64_C(1796133271664389743) + UINT64_C(1001) * i,
		    .node = UINT64_C(0x200000000) + i % 6,
		    .graph = 1 + i / 30,
		    .replay = i / 6,
		    .name = i % 3,
		    .kind = i % 3 == 0 ? GAP_MEMSET : GAP_KERNEL,
		    .bytes = i % 3 == 0 ? 4 : 0,
		    .engine = GAP_ENGINE_COMPUTE};
	memset(report, 0, sizeof *report);
	ok(gap_analyze(&input, report) == 0, "a report");
	report->program = strdup("python \"infer\".py");
	report->version = strdup("0.1.0");
	report->pid = 4711;
	report->dropped = 3;
	report->not_kept = UINT64_C(123456789012);
	report->inflation = 1.25;
}

static void test_round_trip(void)
{
	struct gap_report report, again;
	char error[128] = "";
	char *first, *second;

	make_report(&report);
	first = written(&report);
	if (!ok(gap_read_json(first, strlen(first), &again, error, sizeof error) == 0,
	        "is read back: %s", error))
		return;
	second = written(&again);
	ok(!strcmp(first, second), "and is the same");
	is(again.n_graphs, 2, "with its graphs");
	is(again.graphs[0].n_rows, report.graphs[0].n_rows, "and rows");
	is(again.not_kept, report.not_kept, "and large numbers");
	gap_report_free(&again);
	gap_report_free(&report);
	free(first);
	free(second);
}

/* Cut off anywhere, or with any byte changed: refused with a reason, or read; no crash.
 */
static void test_broken(void)
{
	struct gap_report report, again;
	size_t length, i, refused = 0, silent = 0, changed = 0;
	char error[128];
	char *text;

	make_report(&report);
	text = written(&report);
	length = strlen(text);
	for (i = 0; i + 1 < length; i++) {
		error[0] = '\0';
		if (gap_read_json(text, i, &again, error, sizeof error) == 0)
			gap_report_free(&again);
		else
			refused++;
		silent += *error == '\0';
	}
	is(refused, length - 1, "cut off at any byte: refused");
	is(silent, 0, "always with a reason");
	for (i = 0; i < 2000; i++) {
		size_t at = tap_random() % length;
		char before = text[at];

		text[at] = (char)(tap_random() % 256);
		if (gap_read_json(text, length, &again, error, sizeof error) == 0) {
			free(written(&again));
			gap_report_free(&again);
			changed++;
		}
		text[at] = before;
	}
	ok(changed < 2000, "2000 changed bytes: no crash, %zu were still reports",
	   changed);
	gap_report_free(&report);
	free(text);
}

static void test_foreign(void)
{
	static const char *const foreign[] = {
	    "{}",
	    "[]",
	    "1",
	    "{\"format\": 1}",
	    "{\"format\": \"other\", \"schema\": 1}",
	    "{\"format\": \"memsetshim gaps\", \"schema\": 99}",
	    "{\"format\": \"memsetshim gaps\", \"schema\": 1}",
	    "{\"cases\": []}"};
	struct gap_report report;
	char error[128];
	size_t i;

	for (i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		error[0] = '\0';
		ok(gap_read_json(foreign[i], strlen(foreign[i]), &report, error,
		                 sizeof error) != 0 &&
		       *error,
		   "foreign: %s (%s)", foreign[i], error);
	}
}

int main(void)
{
	test_good();
	test_bad();
	test_values();
	test_deep();
	test_string();
	test_round_trip();
	test_broken();
	test_foreign();
	return done();
}
