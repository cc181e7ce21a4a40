/* SPDX-License-Identifier: MIT */
/*
 * Search: random programs of captures give the same results and the same memory with
 * the shim as without it, and the memory that their operations are to leave.
 *
 *     drv-search                      some thousand programs, then the self-check
 *     drv-search --programs N [--seed FIRST] [--jobs J]
 *     drv-search --seed N [--ops MASK] [--halve I=TIMES,...]      one of them, shown
 *     drv-search --hash --programs N [--seed FIRST]   of what is in memory at the end
 *
 * It is meant to catch a plan that is one off, a pattern that begins at the wrong byte,
 * a row too many, a pitch that is taken for a width, a dependency that is lost or made
 * too weak, a node that goes to another stream's chain, parameters that are kept from
 * an earlier capture, an update that is refused, a failure that comes early, late or
 * not at all, memory judged by an earlier allocation.  --corrupt value, width, place or
 * skip does the like to one memset of the shimmed run, which the self-check has to
 * find, and to cut down to three operations.
 */
#include <getopt.h>
#include <string.h>

#include "search.h"

#define SELF_CHECK_PROGRAMS 400u

struct options {
	uint64_t seed, programs;
	int jobs, hash, given_seed;
	const char *ops, *halved;
	enum corruption how;
};

static const char usage[] =
    "drv-search [--programs N] [--seed N] [--jobs N] [--ops MASK] "
    "[--halve I=TIMES,...]\n           [--corrupt value|width|place|skip] [--hash]\n";

static int number(const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && *value >= least &&
	       *value <= most;
}

static int corruption(const char *name, enum corruption *how)
{
	unsigned int i;

	for (i = 0; i < CORRUPTIONS; i++)
		if (!strcmp(name, corruption_name[i])) {
			*how = (enum corruption)i;
			return 1;
		}
	return 0;
}

static int parse(int argc, char **argv, struct options *o)
{
	static const struct option names[] = {
	    {"programs", required_argument, NULL, 'p'},
	    {"seed", required_argument, NULL, 's'},
	    {"jobs", required_argument, NULL, 'j'},
	    {"ops", required_argument, NULL, 'o'},
	    {"halve", required_argument, NULL, 'l'},
	    {"corrupt", required_argument, NULL, 'c'},
	    {"hash", no_argument, NULL, 'h'},
	    {NULL, 0, NULL, 0}};
	uint64_t jobs = 0;
	int good = 1, c;

	while (good && (c = getopt_long(argc, argv, "", names, NULL)) >= 0) {
		if (c == 'p')
			good = number(optarg, 1, UINT32_MAX, &o->programs);
		else if (c == 's')
			good = o->given_seed =
			    number(optarg, 0, UINT64_MAX / 2, &o->seed);
		else if (c == 'j')
			good = number(optarg, 1, 64, &jobs);
		else if (c == 'o')
			o->ops = optarg;
		else if (c == 'l')
			o->halved = optarg;
		else if (c == 'c')
			good = corruption(optarg, &o->how);
		else if (c == 'h')
			o->hash = 1;
		else
			good = 0;
	}
	o->jobs = jobs ? (int)jobs : drv_is_sim() ? 2 : 1;
	return good && optind == argc ? 0 : -1;
}

struct shown {
	uint64_t seed;
	enum corruption how;
	struct cut cut;
};

static int show(void *arg)
{
	static struct program p;
	const struct shown *s = arg;

	world_open();
	generate(&p, s->seed, world.features, s->how);
	cut_apply(&p, &s->cut);
	show_program(&p, s->how);
	return 0;
}

/* What failed, as small as it gets; how many operations that are. */
static int explain(uint64_t seed, int status, enum corruption how)
{
	struct shown s = {.seed = seed, .how = how};
	int operations = shrink(seed, how, &s.cut);

	printf("# seed %llu%s, cut down to %d operations:\n", (unsigned long long)seed,
	       status == 1 ? "" : " (its process died)", operations);
	drv_child(show, &s);
	cut_print(seed, how, &s.cut);
	return operations;
}

static void search(const struct options *o)
{
	struct hunt h = {.first = o->seed,
	                 .programs = o->programs,
	                 .jobs = o->jobs,
	                 .how = o->how,
	                 .wanted = MAX_FAILURES};
	const struct counters *c = &h.counters;
	int i;

	hunt(&h);
	printf("# %llu programs: %llu captures, %llu calls; %llu odd memsets, %llu "
	       "calls that fail\n",
	       c->programs, c->graphs, c->calls, c->odd, c->failed_calls);
	printf("# %llu changes that only fill kernels took; kernel nodes in a sample: "
	       "%llu natively, %llu shimmed\n",
	       c->loose, c->kernels[0], c->kernels[1]);
	for (i = 0; i < h.failures; i++)
		explain(h.failed[i], h.status[i], o->how);
	is(h.failures, 0, "programs from seed %llu that differ with the shim",
	   (unsigned long long)o->seed);
	is(c->programs, o->programs, "programs that ran");
	ok(c->kernels[1] > c->kernels[0], "captured memsets were kernels");
}

/* What is broken on purpose is found, and small. */
static void self_check(void)
{
	unsigned int how;

	for (how = CORRUPT_NOTHING + 1; how < CORRUPTIONS; how++) {
		struct hunt h = {.first = 1,
		                 .programs = SELF_CHECK_PROGRAMS,
		                 .jobs = 1,
		                 .how = (enum corruption)how,
		                 .wanted = 1};
		int operations = 0;

		hunt(&h);
		if (h.failures)
			operations = explain(h.failed[0], h.status[0], h.how);
		ok(operations > 0 && operations <= 3,
		   "--corrupt %s: found, and cut down to %d operations",
		   corruption_name[how], operations);
	}
}

static int print_hash(const struct options *o)
{
	static struct program p;
	uint64_t seed, hash = 0;

	world_open();
	for (seed = o->seed; seed < o->seed + o->programs; seed++) {
		generate(&p, seed, world.features, CORRUPT_NOTHING);
		hash = hash * 31 + hash_program(&p);
	}
	printf("%016llx\n", (unsigned long long)hash);
	return 0;
}

int main(int argc, char **argv)
{
	struct options o = {.seed = 1, .how = CORRUPT_NOTHING};
	const int plain = argc == 1;

	if (parse(argc, argv, &o)) {
		fputs(usage, stderr);
		return 2;
	}
	drv_need_gpu();
	if (o.hash && o.programs)
		return print_hash(&o);
	if (o.given_seed && !o.programs) {
		struct shown s = {.seed = o.seed, .how = o.how};

		if (cut_parse(&s.cut, o.ops, o.halved)) {
			fputs(usage, stderr);
			return 2;
		}
		return drv_child(show, &s);
	}
	if (!o.programs)
		o.programs = drv_is_sim() ? 3000 : 5000;
	search(&o);
	if (plain)
		self_check();
	return done();
}
