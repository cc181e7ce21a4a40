/* SPDX-License-Identifier: MIT */
/*
 * memsetbench - what captured memsets cost, natively and as fill kernels, in one run.
 *
 * Every case builds the graphs of all arms first and then replays them in turn, forth
 * and back (ABBA), so that drift of clocks and temperature meets all arms alike.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define WARM_UPS 5

struct run {
	const struct options *o;
	FILE *json;
	int cases;
	size_t wrong;
};

static void measure(struct run *r, struct shot shots[ARM_COUNT])
{
	int round, i, a;

	for (i = 0; i < WARM_UPS; i++)
		for (a = 0; a < ARM_COUNT; a++)
			if (shots[a].samples)
				(void)graph_replay(&shots[a]);
	for (round = 0; round < r->o->samples; round++)
		for (i = 0; i < ARM_COUNT; i++) {
			struct shot *s = &shots[round % 2 ? ARM_COUNT - 1 - i : i];

			if (s->samples)
				s->samples[s->sample_count++] = graph_replay(s);
		}
}

static void one_case(struct run *r, enum pattern pattern, size_t size, int branches)
{
	struct shot shots[ARM_COUNT];
	int a;

	for (a = 0; a < ARM_COUNT; a++) {
		shots[a] = (struct shot){.pattern = pattern,
		                         .arm = (enum arm)a,
		                         .branches = branches,
		                         .size = size,
		                         .count = r->o->count / branches * branches};
		if (a == ARM_SHIM && !graphs_shim())
			continue;
		shots[a].samples = need(calloc((size_t)r->o->samples, sizeof(double)));
		graph_build(&shots[a], r->o);
		r->wrong += shots[a].wrong;
	}
	measure(r, shots);
	report_case(stdout, shots);
	fflush(stdout);
	if (r->json)
		json_case(r->json, shots, !r->cases);
	r->cases++;
	for (a = 0; a < ARM_COUNT; a++)
		if (shots[a].samples)
			graph_drop(&shots[a]);
}

static void all_cases(struct run *r)
{
	int p, s, b;

	for (p = 0; p < PATTERN_COUNT; p++) {
		if (!r->o->patterns[p])
			continue;
		for (s = 0; s < r->o->size_count; s++)
			for (b = 1; b <= (p == PATTERN_FORK ? r->o->branches : 1); b++)
				one_case(r, (enum pattern)p, r->o->sizes[s], b);
	}
}

/* What to type to measure this again, without the folders of this machine. */
static char *command_line(int argc, char **argv, const struct options *o)
{
	static char line[1024];
	size_t used = 0;
	int i;

	used += (size_t)snprintf(line, sizeof line, "%s",
	                         graphs_shim() ? "LD_PRELOAD=libmemsetshim.so "
	                                         "memsetbench"
	                                       : "memsetbench");
	for (i = 1; i < argc && used < sizeof line; i++)
		used += (size_t)snprintf(
		    line + used, sizeof line - used, " %s",
		    o->json && argv[i] == o->json ? basename(o->json) : argv[i]);
	return line;
}

/* What is being written, beside the file whose name it gets in the end; "" for none. */
static char temporary[PATH_MAX];

static void json_abandon(void)
{
	if (temporary[0])
		unlink(temporary);
}

/* NULL, and says why, when there is no writing this file.  Taking the name of a device
 * would replace it, of a directory fail after all the measuring. */
static FILE *json_open(const char *path)
{
	struct stat there;
	const char *problem = NULL;
	FILE *out = NULL;

	if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
		problem = "it is no regular file";
	else if (strlen(path) + sizeof ".tmp" > sizeof temporary)
		problem = strerror(ENAMETOOLONG);
	if (!problem) {
		snprintf(temporary, sizeof temporary, "%s.tmp", path);
		out = fopen(temporary, "w");
		if (!out) {
			problem = strerror(errno);
			temporary[0] = '\0';
		}
	}
	if (problem)
		fprintf(stderr, "memsetbench: cannot write %s: %s\n", path, problem);
	else if (atexit(json_abandon))
		abort();
	return out;
}

static int json_keep(FILE *out, const char *path)
{
	int lost = ferror(out);

	if (fclose(out) || lost || rename(temporary, path)) {
		fprintf(stderr, "memsetbench: cannot write %s: %s\n", path,
		        strerror(errno));
		return 1;
	}
	temporary[0] = '\0';
	return 0;
}

int main(int argc, char **argv)
{
	struct options o;
	struct header h = {0};
	struct run r = {.o = &o};
	const char *problem;
	int status = options_parse(&o, argc, argv, stdout, stderr);

	if (status)
		return status - 1;
	if (o.json) {
		r.json = json_open(o.json);
		if (!r.json)
			return 2;
	}
	problem = gpu_open();
	if (problem) {
		fprintf(stderr, "memsetbench: %s; nothing measured\n", problem);
		if (r.json)
			fclose(r.json);
		return 77;
	}
	graphs_open(&o);
	h.shim = graphs_shim();
	h.command = command_line(argc, argv, &o);
	gpu_clocks(&h.before);
	report_header(stdout, &h);
	report_columns(stdout);
	if (r.json)
		json_begin(r.json, &h, &o);
	all_cases(&r);
	report_legend(stdout);
	gpu_clocks(&h.after);
	if (r.wrong)
		fprintf(stderr, "memsetbench: %zu wrong bytes\n", r.wrong);
	if (r.json) {
		json_end(r.json, &h);
		status = json_keep(r.json, o.json);
	}
	return status || r.wrong;
}
