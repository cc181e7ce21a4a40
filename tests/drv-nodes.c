/* SPDX-License-Identifier: MIT */
/*
 * An explicit memset node is a fill to the driver and a memset node to the program: its
 * type, its parameters, what can be made of them, and all errors are as natively, for
 * the node, its clones and its executable graphs.  So are captured memsets' nodes.
 */
#include <string.h>

#include "drv.h"

#define ROOM ((size_t)1 << 20)
#define MEMORIES 4

typedef CUDA_MEMSET_NODE_PARAMS set_t;

static CUstream stream;
static CUcontext ctx, other_ctx;
static CUdeviceptr memory, pool, managed, other_memory;
static unsigned char got[ROOM], want[ROOM];

struct variant {
	const char *what;
	set_t set;
	CUcontext *ctx;
	CUdeviceptr *base; /* set.dst is an offset into it; NULL: an address */
};

#define V(what, ctx, base, ...)                       \
	{                                             \
		what, {__VA_ARGS__}, &(ctx), &(base), \
	}
#define LINE(w, e, v) .width = (w), .height = 1, .elementSize = (e), .value = (v)
#define SHAPE(w, h, p, e, v) \
	.width = (w), .height = (h), .pitch = (p), .elementSize = (e), .value = (v)

static CUdeviceptr nowhere; /* stays 0 */
static CUcontext no_ctx;    /* stays NULL */

static const struct variant variants[] = {
    V("itself", ctx, memory, LINE(64, 1, 5)),
    V("another value", ctx, memory, LINE(64, 1, 6)),
    V("a value of two bytes", ctx, memory, LINE(64, 1, 0x106)),
    V("another address", ctx, memory, LINE(64, 1, 5), .dst = 4),
    V("an odd address", ctx, memory, LINE(64, 1, 5), .dst = 7),
    V("pool memory", ctx, pool, LINE(64, 1, 5)),
    V("pool memory, words", ctx, pool, LINE(280, 4, 0x01020304)),
    V("4 bytes", ctx, memory, LINE(4, 1, 5)),
    V("65 bytes", ctx, memory, LINE(65, 1, 5)),
    V("4096 bytes", ctx, memory, LINE(4096, 1, 5)),
    V("4097 bytes", ctx, memory, LINE(4097, 1, 5)),
    V("half a MiB", ctx, memory, LINE(ROOM / 2, 1, 5)),
    V("halfwords", ctx, memory, LINE(64, 2, 0x0506)),
    V("words", ctx, memory, LINE(16, 4, 0x05060708)),
    V("no width", ctx, memory, LINE(0, 1, 5)),
    V("no height", ctx, memory, .width = 64, .elementSize = 1),
    V("three-byte elements", ctx, memory, LINE(64, 3, 5)),
    V("no elements", ctx, memory, LINE(64, 0, 5)),
    V("a pitch for one row", ctx, memory, SHAPE(64, 1, 256, 1, 5)),
    V("a narrow pitch for one row", ctx, memory, SHAPE(64, 1, 17, 1, 5)),
    V("an odd pitch for one row of words", ctx, memory, SHAPE(16, 1, 257, 4, 5)),
    V("rows", ctx, memory, SHAPE(64, 4, 256, 1, 5)),
    V("rows, another value", ctx, memory, SHAPE(64, 4, 256, 1, 9)),
    V("rows, another address", ctx, memory, SHAPE(64, 4, 256, 1, 5), .dst = 64),
    V("rows, another pitch", ctx, memory, SHAPE(64, 4, 512, 1, 5)),
    V("rows without gaps", ctx, memory, SHAPE(64, 4, 64, 1, 5)),
    V("narrower rows", ctx, memory, SHAPE(32, 4, 256, 1, 5)),
    V("more rows", ctx, memory, SHAPE(64, 8, 256, 1, 5)),
    V("rows of words", ctx, memory, SHAPE(16, 4, 256, 4, 0x05060708)),
    V("a pitch below the width", ctx, memory, SHAPE(64, 4, 32, 1, 5)),
    V("a pitch of no whole words", ctx, memory, SHAPE(16, 4, 257, 4, 5)),
    V("rows past the end", ctx, memory, SHAPE(64, 20, 65536, 1, 5)),
    V("a null pointer", ctx, nowhere, LINE(64, 1, 5)),
    V("a bogus pointer", ctx, nowhere, LINE(64, 1, 5), .dst = 0x1234),
    V("past the end", ctx, memory, LINE(64, 1, 5), .dst = ROOM - 8),
    V("misaligned words", ctx, memory, LINE(16, 4, 5), .dst = 1),
    V("misaligned halfwords", ctx, memory, LINE(16, 2, 5), .dst = 1),
    V("managed memory", ctx, managed, LINE(64, 1, 5)),
    V("no context", no_ctx, memory, LINE(64, 1, 5)),
    V("another context", other_ctx, memory, LINE(64, 1, 5)),
    V("another context and its memory", other_ctx, other_memory, LINE(64, 1, 5)),
    V("memory of another context", ctx, other_memory, LINE(64, 1, 5)),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct variant *const bases[] = {&variants[0], &variants[13],
                                              &variants[21], &variants[25]};

static set_t params_of(const struct variant *v)
{
	set_t set = v->set;

	set.dst += *v->base;
	return set;
}

static CUgraphNodeParams generic(const struct variant *v)
{
	set_t set = params_of(v);
	CUgraphNodeParams p;

	memset(&p, 0, sizeof p);
	p.type = CU_GRAPH_NODE_TYPE_MEMSET;
	p.memset.dst = set.dst;
	p.memset.pitch = set.pitch;
	p.memset.value = set.value;
	p.memset.elementSize = set.elementSize;
	p.memset.width = set.width;
	p.memset.height = set.height;
	p.memset.ctx = *v->ctx;
	return p;
}

/* Everything that can be asked of one way from a base to a variant. */
struct answers {
	CUresult add, add_get, instantiate;
	set_t added;
	CUgraphNodeType type;
	CUresult set, set_get, exec, bytes;
	set_t changed;
	CUresult update;
	int update_result;
	size_t wrong;
};

/* 0 when the memory is as *set leaves it; else how many bytes are not. */
static size_t wrong_bytes(const set_t *set, CUdeviceptr base, CUgraphExec exec,
                          CUresult *result)
{
	struct drv_set m = {.elem = set->elementSize,
	                    .rows = set->height > 1,
	                    .dst = set->dst,
	                    .value = set->value,
	                    .width = set->width,
	                    .height = set->height,
	                    .pitch = set->pitch};
	size_t i, wrong = 0;

	drv_dirty(want, ROOM, 1);
	drv_write(base, want, ROOM);
	drv_apply(&m, want, base);
	*result = cuGraphLaunch(exec, stream);
	if (*result == CUDA_SUCCESS)
		*result = cuStreamSynchronize(stream);
	drv_read(got, base, ROOM);
	for (i = 0; i < ROOM; i++)
		wrong += got[i] != want[i];
	return wrong;
}

static int has_room(const struct variant *v)
{
	return v->base == &memory || v->base == &pool;
}

/* The way an executable graph becomes another: by node, or whole. */
static void change_exec(const struct variant *to, CUgraph graph, CUgraphNode node,
                        struct answers *a)
{
	CUgraphExecUpdateResultInfo info = {.result = CU_GRAPH_EXEC_UPDATE_ERROR};
	set_t set = params_of(to);
	CUgraphExec exec;
	CUgraph next;
	CUgraphNode made;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	a->exec = cuGraphExecMemsetNodeSetParams(exec, node, &set, *to->ctx);
	if (a->exec == CUDA_SUCCESS && has_room(to))
		a->wrong += wrong_bytes(&set, *to->base, exec, &a->bytes);
	must(cuGraphExecDestroy(exec));
	must(cuGraphCreate(&next, 0));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	if (cuGraphAddMemsetNode(&made, next, NULL, 0, &set, *to->ctx) ==
	    CUDA_SUCCESS) {
		a->update = cuGraphExecUpdate(exec, next, &info);
		a->update_result = (int)info.result;
		if (a->update == CUDA_SUCCESS && has_room(to))
			a->wrong += wrong_bytes(&set, *to->base, exec, &a->bytes);
	}
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(next));
}

static struct answers answers(const struct variant *from, const struct variant *to,
                              int on)
{
	set_t set = params_of(from);
	CUgraphNode node;
	struct answers a;
	CUgraph graph;

	memset(&a, 0, sizeof a);
	drv_shim(on);
	must(cuGraphCreate(&graph, 0));
	must(cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, *from->ctx));
	is(drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL), on, "%s: %s", from->what,
	   on ? "a fill" : "a memset node");
	must(cuGraphNodeGetType(node, &a.type));
	change_exec(to, graph, node, &a);
	set = params_of(to);
	a.set = cuGraphMemsetNodeSetParams(node, &set);
	a.set_get = cuGraphMemsetNodeGetParams(node, &a.changed);
	must(cuGraphDestroy(graph));
	drv_shim(1);
	return a;
}

static int same_set(const char *what, const set_t *a, const set_t *b)
{
	if (a->dst == b->dst && a->pitch == b->pitch && a->value == b->value &&
	    a->elementSize == b->elementSize && a->width == b->width &&
	    a->height == b->height)
		return 1;
	printf("# %s: natively dst %#llx pitch %zu value %#x element %u %zu x %zu; "
	       "shimmed dst %#llx pitch %zu value %#x element %u %zu x %zu\n",
	       what, a->dst, a->pitch, a->value, a->elementSize, a->width, a->height,
	       b->dst, b->pitch, b->value, b->elementSize, b->width, b->height);
	return 0;
}

/*
 * 1 when the shim's answer will do: the driver's own, or success where the driver may
 * refuse because the work would not fit what it has set aside.
 */
static int will_do(CUresult native, CUresult ours)
{
	return ours == native || (native != CUDA_SUCCESS && ours == CUDA_SUCCESS);
}

static void from_to(const struct variant *from, const struct variant *to)
{
	struct answers n = answers(from, to, 0), o = answers(from, to, 1);
	int more = n.exec != o.exec || n.update != o.update;

	is(o.type, CU_GRAPH_NODE_TYPE_MEMSET, "%s: says that it is a memset",
	   from->what);
	is(o.set, n.set, "%s <- %s: %d, as natively", from->what, to->what, n.set);
	ok(o.set_get == n.set_get && same_set(to->what, &n.changed, &o.changed),
	   "%s <- %s: the same parameters afterwards", from->what, to->what);
	ok(will_do(n.exec, o.exec) && will_do(n.update, o.update),
	   "%s <- %s, executable: %d and %d (natively %d and %d)%s", from->what,
	   to->what, o.exec, o.update, n.exec, n.update, more ? " MORE" : "");
	ok(!n.wrong && !o.wrong && !n.bytes && !o.bytes,
	   "%s <- %s: right bytes where it succeeds", from->what, to->what);
}

/* Adding it, by each of the functions that do. */
static void add(const struct variant *v, int how, int on, struct answers *a)
{
	CUresult (*v1)(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
	               CUgraphNodeParams *);
	CUresult (*v2)(CUgraphNode *, CUgraph, const CUgraphNode *,
	               const CUgraphEdgeData *, size_t, CUgraphNodeParams *);
	CUgraphNodeParams p = generic(v);
	set_t set = params_of(v);
	CUgraphExec exec;
	CUgraphNode node = NULL;
	CUgraph graph;

	*(void **)&v1 = drv_entry("cuGraphAddNode");
	*(void **)&v2 = drv_entry("cuGraphAddNode_v2");
	drv_shim(on);
	must(cuGraphCreate(&graph, 0));
	if (how == 0)
		a->add = cuGraphAddMemsetNode(&node, graph, NULL, 0, &set, *v->ctx);
	else if (how == 1)
		a->add = v1 ? v1(&node, graph, NULL, 0, &p) : CUDA_ERROR_NOT_FOUND;
	else
		a->add =
		    v2 ? v2(&node, graph, NULL, NULL, 0, &p) : CUDA_ERROR_NOT_FOUND;
	if (a->add == CUDA_SUCCESS) {
		a->add_get = cuGraphMemsetNodeGetParams(node, &a->added);
		must(cuGraphNodeGetType(node, &a->type));
		a->instantiate = cuGraphInstantiateWithFlags(&exec, graph, 0);
		if (a->instantiate == CUDA_SUCCESS && has_room(v))
			a->wrong += wrong_bytes(&set, *v->base, exec, &a->bytes);
		if (a->instantiate == CUDA_SUCCESS)
			must(cuGraphExecDestroy(exec));
	}
	must(cuGraphDestroy(graph));
	drv_shim(1);
}

static void added(const struct variant *v)
{
	static const char *const names[] = {"cuGraphAddMemsetNode", "cuGraphAddNode",
	                                    "cuGraphAddNode_v2"};
	struct answers n, o;
	int how;

	for (how = 0; how < 3; how++) {
		memset(&n, 0, sizeof n);
		memset(&o, 0, sizeof o);
		add(v, how, 0, &n);
		add(v, how, 1, &o);
		ok(n.add == o.add && n.add_get == o.add_get &&
		       n.instantiate == o.instantiate && n.type == o.type,
		   "%s, %s: added %d (natively %d), instantiated %d (%d)", v->what,
		   names[how], o.add, n.add, o.instantiate, n.instantiate);
		ok(same_set(v->what, &n.added, &o.added),
		   "%s: the same parameters as natively", v->what);
		ok(!n.wrong && !o.wrong && !n.bytes && !o.bytes, "%s: right bytes",
		   v->what);
	}
}

int main(void)
{
	size_t i, k;

	ctx = drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	memory = drv_alloc(ROOM);
	must(cuMemAllocAsync(&pool, ROOM, stream));
	must(cuStreamSynchronize(stream));
	must(cuMemAllocManaged(&managed, ROOM, CU_MEM_ATTACH_GLOBAL));
	other_ctx = drv_context();
	other_memory = drv_alloc(ROOM);
	must(cuCtxSetCurrent(ctx));
	for (i = 0; i < COUNT(variants); i++)
		added(&variants[i]);
	for (i = 0; i < COUNT(bases); i++)
		for (k = 0; k < COUNT(variants); k++)
			from_to(bases[i], &variants[k]);
	return done();
}
