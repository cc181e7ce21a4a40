/* SPDX-License-Identifier: MIT */
/*
 * A report's tables, CSV, trace and page: every name comes out as text whatever bytes
 * it holds, and before and after are drawn to one scale.
 *
 *     unit-gap-write FOLDER      writes before.json, after.json, rows.csv, trace.json,
 *                                page.html and pages.html there, for tests/pages.sh
 */
#include "gap.h"
#include "gap_write.h"

#include <stdlib.h>
#include <string.h>

#include "gap_sample.h"
#include "tap.h"

static struct gap_report before, after;

static void write_page(FILE *out, const struct gap_report *report)
{
	gap_write_html(out, report, NULL, NULL);
}

static void write_pages(FILE *out, const struct gap_report *report)
{
	gap_write_html(out, report, &after, "FASTER: replays take 0.8 <of> the time");
}

static void write_table(FILE *out, const struct gap_report *report)
{
	gap_write_table(out, report, 1);
}

typedef void writer(FILE *out, const struct gap_report *report);

static char *written(writer *write, const struct gap_report *report)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	write(out, report);
	fclose(out);
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what))) {
		n++;
		text++;
	}
	return n;
}

static void test_csv(void)
{
	char *text = written(gap_write_csv, &before);
	unsigned rows = before.graphs[0].n_rows + before.graphs[1].n_rows;

	is(count(text, "\r\n"), rows + 1 /* the heading */, "CSV: a line for each row");
	ok(strstr(text, "bubble_median_ns"), "with its unit in the heading");
	ok(strstr(text, "\"ln_fwd_kernel<float, \"\"4\"\" & more>\""),
	   "a name with commas and quotes is quoted");
	free(text);
}

static void test_table(void)
{
	char *text = written(write_table, &before);

	ok(strstr(text, "! CUPTI dropped 3 records"),
	   "table: what is doubtful is said");
	ok(strstr(text, "! CUPTI") < strstr(text, "graph 7"), "before the figures");
	ok(strstr(text, "vectorized_elementwise_kernel -> memset -> nvjet"),
	   "names are short");
	ok(strstr(text, "... and 1 rows more"), "rows that are left out are counted");
	is(count(text, "recoverable  "), 4, "both graphs say what is recoverable");
	free(text);
}

static void test_page(void)
{
	char *text = written(write_page, &before);

	ok(strstr(text, "ln_fwd_kernel&lt;float, &quot;4&quot; &amp; more&gt;"),
	   "page: names are escaped");
	ok(!strstr(text, "<a>") && strstr(text, "&lt;a&gt; &amp; b"),
	   "the command line, too");
	ok(!strstr(text, "\xff"), "and what is no UTF-8");
	ok(!strstr(text, "http") && !strstr(text, "<script") && !strstr(text, "src="),
	   "it needs nothing else");
	ok(strstr(text, "CUPTI dropped 3 records"), "it warns");
	ok(strstr(text, long_name), "the whole name is there for the mouse");
	is(count(text, "<svg"), 4, "two pictures for each graph");
	free(text);
	text = written(write_pages, &before);
	ok(strstr(text, "0.8 &lt;of&gt; the time"), "the verdict is text");
	is(count(text, "<rect class=\"memset\""), 4, "every memset is drawn");
	is(count(text, "<rect class=\"fill\""), 4, "and every fill in its place");
	ok(count(text, "<rect class=\"idle\"") >= 10, "and the gaps around them");
	free(text);
}

/* Each row of the one beside its row of the other. */
static void test_compare(void)
{
	char *text = written(write_pages, &before);

	ok(strstr(text, "3.70&nbsp;&rarr;&nbsp;0.90</td>"),
	   "a bubble before and after");
	is(count(text, "memset / fill"), 3, "every row has its partner");
	ok(strstr(text, "<td>2.73</td><td>2.80</td>"),
	   "recoverable beside what was recovered");
	ok(strstr(text, "<td>-5.40 (-20.5&nbsp;%)</td>"), "the change of a replay");
	ok(strstr(text, "without: CUPTI dropped 3 records"), "a warning has its run");
	free(text);
}

/* A number that follows `key`, in or after the first `element`; -1: there is none. */
static double number_of(const char *text, const char *element, const char *key)
{
	const char *at = text ? strstr(text, element) : NULL;

	at = at ? strstr(at, key) : NULL;
	return at ? strtod(at + strlen(key), NULL) : -1;
}

static double width_of(const char *text, const char *rectangle)
{
	return number_of(text, rectangle, " width=\"");
}

/* A rectangle's width stands for the same time in both lanes. */
static void test_scale(void)
{
	char *text = written(write_pages, &before);
	double a = width_of(text, "<rect class=\"memset\"");
	double b = width_of(text, "<rect class=\"fill\"");

	ok(a > 0 && b / a > 0.85 && b / a < 0.9, "0.8 us and 0.7 us: %.1f and %.1f", a,
	   b);
	free(text);
}

/* Bubbles are drawn to one scale, and their lengths are written over them. */
static void test_bubble(void)
{
	const char *bracket = "<path class=\"bracket\"", *second;
	char *text = written(write_pages, &before);
	double a = number_of(text, bracket, " d=\"M"), b;

	second = strstr(text, bracket);
	second = second ? second + 1 : NULL;
	b = number_of(second, bracket, " d=\"M");
	a = number_of(text, bracket, "H") - a;
	b = number_of(second, bracket, "H") - b;
	ok(b > 0 && a / b > 4.0 && a / b < 4.2, "3.7 us and 0.9 us: %.1f and %.1f", a,
	   b);
	ok(strstr(text, ">bubble 3.70 &micro;s<") &&
	       strstr(text, ">bubble 0.90 &micro;s<"),
	   "a bubble has its length written");
	ok(strstr(text, ">bubbles 5.00 &micro;s<"), "that of two memsets is of both");
	free(text);
}

/*
 * A bubble is to be seen beside a kernel a hundred times as long, and begins at the
 * same place where the kernel before it took longer.
 */
static void test_long_neighbours(void)
{
	struct gap_report longer, shorter;
	const char *bracket = "<path class=\"bracket\"", *second;
	FILE *out;
	char *text = NULL;
	size_t length;
	double a, b;

	put(1, LN, 0, 300000);
	put(1, M, 301000, 1000);
	put(1, GEMM, 303000, 300000);
	analyze(&longer, 0);
	put(1, LN, 0, 2500);
	put(1, F, 2600, 900);
	put(1, GEMM, 3600, 300000);
	analyze(&shorter, 1);
	out = open_memstream(&text, &length);
	gap_write_html(out, &longer, &shorter, NULL);
	fclose(out);
	a = width_of(text, "<rect class=\"memset\"");
	ok(a > 20, "long neighbours: the memset is %.1f wide", a);
	is(count(text, "class=\"torn\""), 3, "and they are torn off");
	a = number_of(text, bracket, " d=\"M");
	second = strstr(text, bracket);
	b = number_of(second ? second + 1 : NULL, bracket, " d=\"M");
	ok(a > 0 && a == b, "the bubbles are aligned: %.1f and %.1f", a, b);
	gap_report_free(&longer);
	gap_report_free(&shorter);
	free(text);
}

/* A node of another branch that began long ago is drawn, and nothing there is idle. */
static void test_long_branch(void)
{
	struct gap_report report;
	char *text;
	uint64_t i;

	put(1, GEMM, 0, 20000);
	for (i = 0; i < 9; i++)
		put(1, LN, 100 + 1100 * i, 1000);
	put(1, M, 12000, 1000);
	for (i = 0; i < 6; i++)
		put(1, LN, 13500 + 1100 * i, 1000);
	analyze(&report, 0);
	text = written(write_page, &report);
	ok(strstr(text, "Around a hidden memset"), "another branch: it is hidden");
	is(count(text, "class=\"bracket\""), 0, "no bubble is marked");
	is(count(text, "<rect class=\"idle\""), 0, "nothing is idle");
	ok(strstr(text, "There are none."), "there are no gaps to count");
	gap_report_free(&report);
	free(text);
}

static void test_left_out(void)
{
	struct gap_report report;
	const char *warning, *facts;
	char *text;

	put(1, LN, 0, 1000);
	put(1, LN, 1100, 1000);
	analyze(&report, 0);
	report.graphs[0].replays = 3;
	report.graphs[0].incomplete = 2;
	text = written(write_page, &report);
	warning = strstr(text, "2 of 3 replays left out");
	facts = strstr(text, "2 nodes (2 kernels), 3 replays, 1 used");
	ok(warning && facts && warning < facts, "what is left out comes first");
	ok(strstr(text, "The first nodes of the median replay"), "without a memset");
	gap_report_free(&report);
	free(text);
}

static void test_trace(void)
{
	char *text = written(gap_write_trace, &before);

	is(count(text, "\"process_name\""), 4, "trace: two replays of each graph");
	is(count(text, "\"cat\": \"memset\""), 8, "with every memset");
	is(count(text, "\"cat\": \"bubble\""), 6, "two bubbles in one, one of two");
	ok(strstr(text, "\"ts\": 3.700, \"dur\": 3.700, \"cat\": \"bubble\""),
	   "from the kernel's end to the next one's start, in us");
	ok(strstr(text, "\"ts\": 2.000, \"dur\": 5.000, \"cat\": \"bubble\""),
	   "that of two memsets once");
	ok(!strstr(text, "\xff"), "what is no UTF-8 is no JSON");
	ok(strstr(text, "ln_fwd_kernel<float, \\\"4\\\" & more>"),
	   "quotes are escaped");
	free(text);
}

static void test_empty(void)
{
	struct gap_report empty = {0};
	char *text = written(write_page, &empty);

	ok(strstr(text, "No graph was replayed."), "no graph: a sentence");
	ok(!strstr(text, "class=\"warn\""), "and no warning");
	free(text);
	text = written(write_table, &empty);
	ok(strstr(text, "no graph was replayed\n"), "in the table as well");
	free(text);
	text = written(gap_write_trace, &empty);
	ok(strstr(text, "\"traceEvents\": [\n]"), "and an empty trace");
	free(text);
}

static void write_file(const char *folder, const char *name, writer *write,
                       const struct gap_report *report)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	out = fopen(path, "w");
	if (out) {
		write(out, report);
		fclose(out);
	}
	ok(out, "%s is written", name);
}

int main(int argc, char **argv)
{
	make_before(&before);
	make_after(&after);
	if (argc > 1) {
		write_file(argv[1], "before.json", gap_write_json, &before);
		write_file(argv[1], "after.json", gap_write_json, &after);
		write_file(argv[1], "rows.csv", gap_write_csv, &before);
		write_file(argv[1], "trace.json", gap_write_trace, &before);
		write_file(argv[1], "page.html", write_page, &before);
		write_file(argv[1], "pages.html", write_pages, &before);
		return done();
	}
	test_csv();
	test_table();
	test_trace();
	test_page();
	test_compare();
	test_scale();
	test_bubble();
	test_long_neighbours();
	test_long_branch();
	test_left_out();
	test_empty();
	gap_report_free(&before);
	gap_report_free(&after);
	return done();
}
