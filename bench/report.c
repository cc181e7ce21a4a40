/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <time.h>

#include "bench.h"

void report_header(FILE *out, const struct header *h)
{
	const struct clocks *c = &h->before;

	fprintf(out, "memsetbench %s: %s, %d SMs, driver %s (CUDA %d.%d), ", GIT_ID,
	        gpu.name, gpu.sms, c->driver[0] ? c->driver : "?", gpu.driver / 1000,
	        gpu.driver % 1000 / 10);
	if (c->known)
		fprintf(out, "SM %u MHz, memory %u MHz", c->sm, c->memory);
	else
		fprintf(out, "clocks not known");
	if (c->throttle_known)
		fprintf(out, ", throttle 0x%llx", c->throttle);
	fprintf(out, "\n");
	if (!h->shim)
		fprintf(out,
		        "no shim is preloaded: LD_PRELOAD=libmemsetshim.so adds the "
		        "shim's arm\n");
	fprintf(out, "\n");
}

void report_columns(FILE *out)
{
	fprintf(out, "%-8s %2s %8s %-7s %10s %10s %10s %9s %8s %9s %9s %6s\n",
	        "pattern", "br", "bytes", "arm", "min us", "median us", "p99 us",
	        "added us", "x none", "x kernel", "mset/kern", "#wrong");
}

void report_case(FILE *out, const struct shot shots[ARM_COUNT])
{
	struct summary none =
	    summarize(shots[ARM_NONE].samples, shots[ARM_NONE].sample_count);
	double kernel = added(&shots[ARM_KERNEL], &shots[ARM_NONE]);
	int a;

	for (a = 0; a < ARM_COUNT; a++) {
		const struct shot *s = &shots[a];
		struct summary sum;
		char nodes[32];

		if (!s->sample_count)
			continue;
		sum = summarize(s->samples, s->sample_count);
		snprintf(nodes, sizeof nodes, "%zu/%zu", s->memset_nodes,
		         s->kernel_nodes);
		fprintf(out, "%-8s %2d %8zu %-7s %10.2f %10.2f %10.2f ",
		        pattern_names[s->pattern], s->branches, s->size, arm_names[a],
		        sum.min, sum.median, sum.p99);
		if (a == ARM_NONE)
			fprintf(out, "%9s %8.3f", "-", 1.0);
		else
			fprintf(out, "%9.3f %8.3f", added(s, &shots[ARM_NONE]),
			        sum.median / none.median);
		if (a == ARM_NONE || kernel <= 0) /* lost in noise: no ratio */
			fprintf(out, " %9s", "-");
		else
			fprintf(out, " %9.3f", added(s, &shots[ARM_NONE]) / kernel);
		fprintf(out, " %9s %6zu\n", nodes, s->wrong);
	}
}

void report_legend(FILE *out)
{
	fprintf(out,
	        "\nus: one replay of the whole graph, timed with events, arms in turn "
	        "(ABBA).\n"
	        "added us: (median - median of none) / memsets in the graph.\n"
	        "x none: median over that of the same graph without memsets.\n"
	        "x kernel: added over that of a hand-written one-thread 4-byte store, "
	        "the floor for any size.\n"
	        "mset/kern: memset and kernel nodes in the graph, from "
	        "cuGraphGetNodes.\n");
}

static void json_clocks(FILE *out, const char *name, const struct clocks *c)
{
	fprintf(out, "  \"%s\": {", name);
	if (c->known)
		fprintf(out, "\"sm_mhz\": %u, \"memory_mhz\": %u, ", c->sm, c->memory);
	else
		fprintf(out, "\"sm_mhz\": null, \"memory_mhz\": null, ");
	if (c->throttle_known)
		fprintf(out, "\"throttle\": %llu},\n", c->throttle);
	else
		fprintf(out, "\"throttle\": null},\n");
}

/* Our own strings only: a command line may hold quotes and backslashes. */
static void json_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		if ((unsigned char)*s >= ' ')
			fputc(*s, out);
	}
	fputc('"', out);
}

void json_begin(FILE *out, const struct header *h, const struct options *o)
{
	fprintf(out, "{\n  \"build\": \"%s\",\n  \"command\": ", GIT_ID);
	json_string(out, h->command);
	fprintf(out, ",\n  \"time\": %lld,\n  \"gpu\": ", (long long)time(NULL));
	json_string(out, gpu.name);
	fprintf(out,
	        ",\n  \"sms\": %d,\n  \"driver\": \"%s\",\n  \"cuda\": %d,\n"
	        "  \"shim\": %s,\n  \"value\": %u,\n  \"unit\": \"us per replay\",\n",
	        gpu.sms, h->before.driver, gpu.driver, h->shim ? "true" : "false",
	        o->value);
	json_clocks(out, "clocks_before", &h->before);
	fprintf(out, "  \"cases\": [");
}

void json_case(FILE *out, const struct shot shots[ARM_COUNT], int first)
{
	int a, i, arms = 0;

	fprintf(out,
	        "%s\n    {\"pattern\": \"%s\", \"branches\": %d, \"bytes\": %zu, "
	        "\"memsets\": %d, \"arms\": {",
	        first ? "" : ",", pattern_names[shots[0].pattern], shots[0].branches,
	        shots[0].size, shots[0].count);
	for (a = 0; a < ARM_COUNT; a++) {
		const struct shot *s = &shots[a];

		if (!s->sample_count)
			continue;
		fprintf(
		    out,
		    "%s\n      \"%s\": {\"memset_nodes\": %zu, \"kernel_nodes\": %zu, "
		    "\"wrong\": %zu, \"samples\": [",
		    arms++ ? "," : "", arm_names[a], s->memset_nodes, s->kernel_nodes,
		    s->wrong);
		for (i = 0; i < s->sample_count; i++)
			fprintf(out, "%s%.3f", i ? ", " : "", s->samples[i]);
		fprintf(out, "]}");
	}
	fprintf(out, "}}");
}

void json_end(FILE *out, const struct header *h)
{
	fprintf(out, "\n  ],\n");
	json_clocks(out, "clocks_after", &h->after);
	fprintf(out, "  \"end\": %lld\n}\n", (long long)time(NULL));
}
