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

#include "tap.h"

static const char long_name[] = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
                                "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_";

static const char *const names[] = {"[memset]",
                                    "memsetshim_fill_words",
                                    "ln_fwd_kernel<float, \"4\" & more>",
                                    long_name,
                                    "nvjet_hsh_128x64_64x8_1x2_h_bz_TNN",
                                    "bad \xff\xc0 bytes\n"};
enum { M, F, LN, ELEMENTWISE, GEMM, BAD };

static struct gap_record records[64];
static size_t n_records;

static void put(unsigned graph, int name, uint64_t start, uint64_t length)
{
	static const uint8_t kinds[] = {GAP_MEMSET, GAP_FILL,   GAP_KERNEL,
	                                GAP_KERNEL, GAP_KERNEL, GAP_MEMCPY};

	records[n_records] = (struct gap_record){.graph = graph,
	                                         .replay = 1,
	                                         .node = n_records + 1,
	                                         .name = (uint32_t)name,
	                                         .start = 1000000 + start,
	                                         .end = 1000000 + start + length,
	                                         .kind = kinds[name],
	                                         .bytes = name <= F ? 4 : 0,
	                                         .engine = GAP_ENGINE_COMPUTE};
	n_records++;
}

static void analyze(struct gap_report *report, int shim)
{
	struct gap_input input = {
	    .records = records, .n_records = n_records, .names = names, .fill_ns = 770};

	memset(report, 0, sizeof *report);
	ok(gap_analyze(&input, report) == 0, "a report");
	n_records = 0;
	report->version = strdup("0.1.0");
	report->program = strdup("python infer.py --name \"<a> & b\"");
	report->host = strdup("host");
	report->gpu = strdup("NVIDIA H200");
	report->cupti = strdup("13.0.1");
	report->driver = 13000;
	report->pid = 4711;
	report->shim = shim;
}

/* A chain, and two branches; the same with fills. */
static void make_before(struct gap_report *report)
{
	put(7, LN, 0, 2100);
	put(7, ELEMENTWISE, 2200, 1500);
	put(7, M, 5100, 800);
	put(7, GEMM, 7400, 6200);
	put(7, BAD, 13700, 900);
	put(7, LN, 14700, 2100);
	put(7, M, 18000, 800);
	put(7, GEMM, 20300, 6100);
	put(9, LN, 0, 2000);
	put(9, M, 4000, 900);
	put(9, M, 4100, 1000);
	put(9, GEMM, 7000, 3000);
	put(9, ELEMENTWISE, 7100, 5000);
	analyze(report, 0);
	report->dropped = 3;
}

static void make_after(struct gap_report *report)
{
	put(7, LN, 0, 2100);
	put(7, ELEMENTWISE, 2200, 1500);
	put(7, F, 3800, 700);
	put(7, GEMM, 4600, 6200);
	put(7, BAD, 10900, 900);
	put(7, LN, 11900, 2100);
	put(7, F, 14100, 700);
	put(7, GEMM, 14900, 6100);
	put(9, LN, 0, 2000);
	put(9, F, 2100, 700);
	put(9, F, 2200, 700);
	put(9, GEMM, 3000, 3000);
	put(9, ELEMENTWISE, 3100, 5000);
	analyze(report, 1);
}

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

/* The width of the first rectangle of a class, or 0. */
static double width_of(const char *text, const char *rectangle)
{
	const char *at = strstr(text, rectangle);

	at = at ? strstr(at, "width=\"") : NULL;
	return at ? strtod(at + 7, NULL) : 0;
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

static void test_empty(void)
{
	struct gap_report empty = {0};
	char *text = written(write_page, &empty);

	ok(strstr(text, "No graph was replayed."), "no graph: a sentence");
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
	test_page();
	test_scale();
	test_empty();
	gap_report_free(&before);
	gap_report_free(&after);
	return done();
}
