/* SPDX-License-Identifier: MIT */
/*
 * The benchmark's numbers are what their names say: medians, nearest-rank p99, added
 * time per memset; its options are refused where they make no sense; its table shows
 * what was measured and nothing else; its JSON parses.
 */
#include <string.h>

#include "../bench/bench.h"
#include "tap.h"

struct gpu gpu; /* the report prints what is in here */

static int close_to(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static void numbers(void)
{
	const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
	double hundred[200];
	struct summary s;
	int i;

	s = summarize(odd, 3);
	ok(close_to(s.min, 1) && close_to(s.median, 3) && close_to(s.p99, 5),
	   "three values");
	ok(close_to(odd[0], 5), "the samples keep their order");
	s = summarize(even, 4);
	ok(close_to(s.median, 2.5), "an even count: the mean of the middle two");
	for (i = 0; i < 200; i++)
		hundred[i] = 200 - i;
	s = summarize(hundred, 200);
	ok(close_to(s.p99, 198), "p99 of 1..200 is the 198th");
	s = summarize(hundred, 1);
	ok(close_to(s.min, 200) && close_to(s.p99, 200), "a single value");
}

static void added_time(void)
{
	double with_samples[] = {30, 32, 31}, without_samples[] = {10, 11, 12};
	struct shot with = {.samples = with_samples, .sample_count = 3, .count = 10};
	struct shot without = {
	    .samples = without_samples, .sample_count = 3, .count = 10};

	ok(close_to(added(&with, &without), 2), "(31 - 11) / 10 memsets");
}

static int parse(struct options *o, int argc, const char *a, const char *b)
{
	char *argv[] = {(char *)(uintptr_t) "memsetbench", (char *)(uintptr_t)a,
	                (char *)(uintptr_t)b, NULL};
	FILE *null = fopen("/dev/null", "w");
	int status;

	if (!null)
		bail("no /dev/null");
	status = options_parse(o, argc, argv, null, null);
	fclose(null);
	return status;
}

static void options(void)
{
	static const char *const bad[][2] = {
	    {"--sizes", "0"},     {"--sizes", "4,"},      {"--sizes", "-4"},
	    {"--sizes", "9G"},    {"--sizes", "4Q"},      {"--sizes", ""},
	    {"--pattern", "row"}, {"--pattern", "fork,"}, {"--count", "7"},
	    {"--count", "1x"},    {"--branches", "9"},    {"--branches", "0"},
	    {"--value", "256"},   {"--json", ""},         {"--nonsense", "1"},
	    {"--sizes", " 4"},    {"--sizes", "+4"},      {"--sizes", "17179869185G"},
	};
	struct options o;
	size_t i;

	ok(parse(&o, 1, NULL, NULL) == 0 && o.size_count == 6 &&
	       o.sizes[5] == 1 << 20 && o.patterns[PATTERN_CHAIN] &&
	       o.patterns[PATTERN_FORK],
	   "no options: the defaults");
	ok(parse(&o, 3, "--sizes", "1,2K,3M") == 0 && o.size_count == 3 &&
	       o.sizes[1] == 2048 && o.sizes[2] == 3u << 20,
	   "sizes with K and M");
	ok(parse(&o, 3, "--pattern", "fork") == 0 && !o.patterns[PATTERN_CHAIN] &&
	       o.patterns[PATTERN_FORK],
	   "one pattern");
	ok(parse(&o, 3, "--sizes", "8G") == 0 && o.sizes[0] == 8ull << 30,
	   "the largest size");
	ok(parse(&o, 3, "--quick", "--quick") == 0 && o.size_count == 1 &&
	       o.samples < 50 && !o.patterns[PATTERN_CHAIN],
	   "--quick");
	ok(parse(&o, 2, "--help", NULL) == 1, "--help ends with status 0");
	ok(parse(&o, 2, "--list", NULL) == 1, "--list too");
	ok(parse(&o, 2, "--version", NULL) == 1, "--version too");
	ok(parse(&o, 2, "--sizes", NULL) == 3, "an option without its value: status 2");
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ok(parse(&o, 3, bad[i][0], bad[i][1]) == 3, "%s %s: status 2",
		   bad[i][0], bad[i][1]);
}

/* What the report writes of this header and these shots. */
static const char *printed(const struct header *h, const struct shot *shots)
{
	static char text[4096];
	FILE *out = fmemopen(text, sizeof text, "w");

	if (!out)
		bail("no memory to print to");
	if (h)
		report_header(out, h);
	if (shots)
		report_case(out, shots);
	fclose(out);
	return text;
}

static void table(void)
{
	double none[] = {100}, kernel[] = {160}, memset_[] = {280}, quick[] = {99};
	struct shot shots[ARM_COUNT] = {
	    [ARM_NONE] = {.samples = none, .sample_count = 1, .count = 100},
	    [ARM_KERNEL] = {.samples = kernel, .sample_count = 1, .count = 100},
	    [ARM_MEMSET] = {.arm = ARM_MEMSET,
	                    .samples = memset_,
	                    .sample_count = 1,
	                    .count = 100,
	                    .size = 4096,
	                    .memset_nodes = 100,
	                    .kernel_nodes = 7,
	                    .wrong = 3}};
	struct header h = {.shim = 1};
	const char *text = printed(NULL, shots), *row = strstr(text, "memset ");
	static const char want[] =
	    "memset      280.00     280.00     280.00     1.800    2.800     3.000"
	    "     100/7      3\n";

	ok(row && !strncmp(row, want, sizeof want - 1),
	   "a row: 1.8 us a memset, thrice the kernel's 0.6, nodes, wrong bytes");
	ok(!strstr(text, "shim"), "no row for an arm that was not measured");
	shots[ARM_KERNEL].samples = quick;
	text = printed(NULL, shots);
	row = strstr(text, "memset ");
	ok(row && strstr(row, "2.800         -     100/7"),
	   "no ratio to a kernel whose time is lost in noise");
	ok(!strstr(printed(&h, NULL), "no shim"), "the header with a shim");
	ok(strstr(printed(&h, NULL), "clocks not known"), "clocks that NVML hides");
	h = (struct header){.before = {.known = 1, .sm = 1980, .memory = 3201}};
	ok(strstr(printed(&h, NULL), "SM 1980 MHz, memory 3201 MHz") &&
	       !strstr(printed(&h, NULL), "throttle"),
	   "clocks that it tells");
	ok(strstr(printed(&h, NULL), "no shim is preloaded"), "and without a shim");
}

static void json(void)
{
	double samples[] = {1.5, 2.5};
	struct shot shots[ARM_COUNT] = {
	    [ARM_NONE] = {.samples = samples,
	                  .sample_count = 2,
	                  .count = 4,
	                  .size = 16},
	    [ARM_MEMSET] = {.samples = samples, .sample_count = 2, .memset_nodes = 4}};
	struct header h = {.command = "x --json \"a\\b\""};
	struct options o = {.value = 90};
	char text[4096] = "", path[] = "/tmp/unit-bench-XXXXXX", command[256];
	int fd = mkstemp(path);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w+");

	if (!out)
		bail("no temporary file");
	json_begin(out, &h, &o);
	json_case(out, shots, 1);
	json_case(out, shots, 0);
	json_end(out, &h);
	rewind(out);
	ok(fread(text, 1, sizeof text - 1, out) > 0 &&
	       strstr(text, "\"samples\": [1.500, 2.500]") &&
	       strstr(text, "\"memset_nodes\": 4") && !strstr(text, "\"shim\": {"),
	   "raw samples, node counts, and no arm that was not measured");
	ok(strstr(text, "\"sm_mhz\": null"), "a clock that is not known is no 0");
	fclose(out);
	snprintf(command, sizeof command, "python3 -m json.tool %s >/dev/null 2>&1",
	         path);
	/* NOLINTNEXTLINE(cert-env33-c): a fixed command in a test */
	if (system("python3 -c 'import json' 2>/dev/null") != 0)
		skip("no python3 to parse JSON with");
	else /* NOLINTNEXTLINE(cert-env33-c) */
		ok(system(command) == 0, "it is JSON");
	remove(path);
}

int main(void)
{
	numbers();
	added_time();
	options();
	table();
	json();
	return done();
}
