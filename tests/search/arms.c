/* SPDX-License-Identifier: MIT */
/*
 * arms.c - a program's two runs, and what is different between them.
 */
#include <string.h>

#include "search.h"

static struct run arms[2]; /* native, shimmed */

/* A graph's own memory is gone when there is something to compare. */
static size_t comparable(void)
{
	return space_at(SPACE_GRAPH);
}

static int call_same(int i)
{
	const CUresult native = arms[0].trace.result[i];
	const CUresult shimmed = arms[1].trace.result[i];

	return native == shimmed ||
	       (arms[0].trace.looser[i] && shimmed == CUDA_SUCCESS);
}

static int first_call(void)
{
	int i, count = arms[0].trace.count;

	if (arms[1].trace.count < count)
		count = arms[1].trace.count;
	for (i = 0; i < count && call_same(i); i++)
		;
	return i;
}

static void count(struct counters *c, const struct program *p)
{
	int i;

	c->programs++;
	c->calls += (unsigned int)arms[0].trace.count;
	c->graphs += arms[0].graphs;
	for (i = 0; i < 2; i++)
		c->kernels[i] += arms[i].kernels;
	for (i = 0; i < p->count; i++)
		c->odd += (unsigned int)p->op[i].odd;
	for (i = 0; i < arms[0].trace.count && i < arms[1].trace.count; i++) {
		c->failed_calls += arms[0].trace.result[i] != CUDA_SUCCESS;
		c->loose += arms[0].trace.result[i] != arms[1].trace.result[i];
	}
}

static enum verdict judge(void)
{
	const size_t bytes = comparable();

	if (arms[0].trace.count != arms[1].trace.count ||
	    first_call() < arms[0].trace.count)
		return DIFFERENT_RESULTS;
	if (memcmp(arms[0].memory, arms[1].memory, bytes))
		return DIFFERENT_MEMORY;
	return memcmp(arms[0].memory, arms[0].picture, bytes) ? NOT_THE_MODEL : SAME;
}

enum verdict compare_arms(const struct program *p, enum corruption how,
                          struct counters *counters)
{
	int on;

	for (on = 0; on < 2; on++) {
		arms[on].p = p;
		arms[on].how = on ? how : CORRUPT_NOTHING;
		/* A statistic: a sample will do. */
		arms[on].count_kernels = p->seed % 8 == 0;
		if (drv_shim(on) < 0)
			bail("the shim is not loaded: start it by tests/run");
		execute(&arms[on]);
	}
	drv_shim(1);
	if (counters)
		count(counters, p);
	return judge();
}

static const char *result_name(CUresult result)
{
	const char *name = NULL;

	cuGetErrorName(result, &name);
	return name ? name : "?";
}

static void show_call(int i)
{
	const struct trace *native = &arms[0].trace, *shimmed = &arms[1].trace;
	const char *text = i < native->count ? native->text[i] : shimmed->text[i];

	printf("#   %s", text);
	if (i >= native->count || i >= shimmed->count)
		printf("   <- in one run only");
	else if (native->result[i] != shimmed->result[i])
		printf("   <- native %s, shimmed %s", result_name(native->result[i]),
		       result_name(shimmed->result[i]));
	else if (native->result[i] != CUDA_SUCCESS)
		printf("   = %s", result_name(native->result[i]));
	puts("");
}

static void show_memory(void)
{
	size_t i, shown = 0, different = 0;
	unsigned int s;

	for (i = 0; i < comparable(); i++) {
		const unsigned char native = arms[0].memory[i],
		                    shimmed = arms[1].memory[i],
		                    model = arms[0].picture[i];

		if (native == shimmed && native == model)
			continue;
		different++;
		if (shown++ >= 8)
			continue;
		for (s = 0; s + 1 < SPACE_GRAPH && i >= space_at((enum space)(s + 1));
		     s++)
			;
		printf("#   %s+%#zx: native %02x, shimmed %02x, by the model %02x\n",
		       space_name[s], i - space_at((enum space)s), native, shimmed,
		       model);
	}
	if (different)
		printf("#   %zu bytes differ\n", different);
}

void show_program(const struct program *p, enum corruption how)
{
	static const char *const words[] = {"both runs agree", "results differ",
	                                    "memory differs",
	                                    "both runs agree, but not with the model"};
	static char text[2][MAX_CALLS][160];
	enum verdict verdict;
	int i;

	arms[0].trace.text = text[0];
	arms[1].trace.text = text[1];
	verdict = compare_arms(p, how, NULL);
	printf("# %s\n", words[verdict]);
	for (i = 0; i < arms[0].trace.count || i < arms[1].trace.count; i++)
		show_call(i);
	if (verdict != SAME)
		show_memory();
	arms[0].trace.text = arms[1].trace.text = NULL;
}

static void hash_bytes(uint64_t *hash, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		*hash = (*hash ^ b[i]) * 0x100000001b3u; /* FNV-1a */
}

uint64_t hash_program(const struct program *p)
{
	uint64_t hash = 0xcbf29ce484222325u;
	struct run *r = &arms[0];
	int i;

	r->p = p;
	r->how = CORRUPT_NOTHING;
	r->count_kernels = 0;
	execute(r);
	for (i = 0; i < r->trace.count; i++)
		if (!r->trace.looser[i])
			hash_bytes(&hash, &r->trace.result[i], sizeof(CUresult));
	hash_bytes(&hash, r->memory, comparable());
	return hash;
}
