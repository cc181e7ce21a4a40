/* SPDX-License-Identifier: MIT */
/*
 * shrink.c - a program that fails becomes the smallest that does.
 *
 * Operations are left out, many at a time, then one by one; then sizes are halved. What
 * no longer is ordered is no program.  The tries run in a child; one that it dies of
 * fails, too, and a new child goes on from there.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "search.h"

struct shrinking {
	uint64_t seed;
	enum corruption how;
	struct cut best, trying;
	int done;
};

void cut_all(struct cut *cut)
{
	*cut = (struct cut){.kept = ~(uint64_t)0};
}

void cut_apply(struct program *p, const struct cut *cut)
{
	int i, v;

	for (i = 0; i < p->count; i++) {
		p->op[i].dropped = !(cut->kept >> i & 1);
		for (v = 0; v < VARIANTS; v++) {
			struct drv_set *set = &p->op[i].at[v].set;

			if (set->width)
				set->width = set->width >> cut->halved[i]
				                 ? set->width >> cut->halved[i]
				                 : 1;
			if (set->height)
				set->height = set->height >> cut->halved[i]
				                  ? set->height >> cut->halved[i]
				                  : 1;
		}
	}
}

int cut_parse(struct cut *cut, const char *ops, const char *halved)
{
	char *end;

	cut_all(cut);
	errno = 0;
	if (ops) {
		cut->kept = strtoull(ops, &end, 16);
		if (*end || errno)
			return -1;
	}
	while (halved && *halved) {
		unsigned long op = strtoul(halved, &end, 10), times;

		if (*end != '=' || op >= MAX_OPS)
			return -1;
		times = strtoul(end + 1, &end, 10);
		if ((*end && *end != ',') || times > 16)
			return -1;
		cut->halved[op] = (unsigned char)times;
		halved = *end ? end + 1 : end;
	}
	return 0;
}

void cut_print(uint64_t seed, enum corruption how, const struct cut *cut)
{
	const char *separator = " --halve ";
	int i;

	printf("# again: tests/run build/tests/drv-search --seed %llu --ops %llx",
	       (unsigned long long)seed, (unsigned long long)cut->kept);
	for (i = 0; i < MAX_OPS; i++)
		if (cut->halved[i]) {
			printf("%s%d=%d", separator, i, cut->halved[i]);
			separator = ",";
		}
	if (how != CORRUPT_NOTHING)
		printf(" --corrupt %s", corruption_name[how]);
	puts("");
}

/* 1 when what follows can be run in this process still. */
static int unharmed(void)
{
	CUstreamCaptureStatus status;
	int i;

	for (i = 0; i < STREAMS; i++)
		if (cuStreamIsCapturing(world.stream[i], &status) != CUDA_SUCCESS ||
		    status != CU_STREAM_CAPTURE_STATUS_NONE)
			return 0;
	return cuCtxSynchronize() == CUDA_SUCCESS;
}

/* 1: that fails, so it is the best now; -1: so does the process. */
static int try(struct shrinking *s, const struct cut *cut)
{
	static struct program p;

	generate(&p, s->seed, world.features, s->how);
	cut_apply(&p, cut);
	if (!orderly(&p))
		return 0;
	s->trying = *cut;
	alarm(60);
	if (compare_arms(&p, s->how, NULL) == SAME)
		return 0;
	s->best = *cut;
	return unharmed() ? 1 : -1;
}

/* 1 when one more was left out; 0 none; -1 begin anew. */
static int leave_out(struct shrinking *s, int count)
{
	int size, i, found = 0;

	for (size = count / 2; size > 0; size /= 2)
		for (i = 0; i < count; i += size) {
			uint64_t out = (((uint64_t)1 << size) - 1) << i;
			struct cut cut = s->best;
			int result;

			cut.kept &= ~out;
			if (cut.kept == s->best.kept)
				continue;
			result = try(s, &cut);
			if (result < 0)
				return -1;
			found |= result;
		}
	return found;
}

/* 1 when one halving more makes a difference. */
static int halves(const struct op *op, int times)
{
	int v;

	for (v = 0; v < VARIANTS; v++)
		if (op->at[v].set.width >> times > 1 ||
		    op->at[v].set.height >> times > 1)
			return 1;
	return 0;
}

static int make_smaller(struct shrinking *s, const struct program *p)
{
	int i, result = 1, found = 0;

	for (i = 0; i < p->count; i++)
		for (result = 1; result > 0;) {
			struct cut cut = s->best;

			if (!(cut.kept >> i & 1) || !halves(&p->op[i], cut.halved[i]))
				break;
			cut.halved[i]++;
			result = try(s, &cut);
			if (result < 0)
				return -1;
			found |= result;
		}
	return found;
}

static int work(void *arg)
{
	static struct program p;
	struct shrinking *s = arg;
	int more;

	world_open();
	generate(&p, s->seed, world.features, s->how);
	s->best.kept &= ((uint64_t)1 << p.count) - 1;
	do
		more = leave_out(s, p.count);
	while (more > 0);
	if (more == 0)
		more = make_smaller(s, &p);
	s->done = more >= 0;
	return 0;
}

int shrink(uint64_t seed, enum corruption how, struct cut *cut)
{
	struct shrinking *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE,
	                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int children;

	if (s == MAP_FAILED)
		bail("no memory to share");
	*s = (struct shrinking){.seed = seed, .how = how};
	cut_all(&s->best);
	for (children = 0; !s->done && children < 100; children++) {
		s->trying = s->best;
		if (drv_child(work, s))
			s->best = s->trying;
	}
	*cut = s->best;
	munmap(s, sizeof *s);
	return __builtin_popcountll(cut->kept);
}
