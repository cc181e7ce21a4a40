/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed or unmapped between capture and instantiation, or before an
 * update: the driver refuses a memset node there, and a fill is refused the same way,
 * by every form of instantiation, in child graphs too, also where one takes over
 * another.
 */
#include <string.h>

#include "drv.h"

/* Of its own in the driver's books: smaller ones share pages that stay mapped. */
#define SIZE ((size_t)64 << 20)

enum memory { PLAIN, POOL, MAPPED, MEMORIES };
enum form { OLDEST, SECOND, FLAGS, PARAMS, PARAMS_PTSZ, FORMS };
enum place { CAPTURED, EXPLICIT, CHILD, PLACES };

static CUcontext ctx;
static CUstream stream;
static CUdeviceptr good; /* stays */

struct block {
	enum memory kind;
	CUdeviceptr at;
	size_t size;
	CUmemGenericAllocationHandle handle;
};

static struct block allocate(enum memory kind)
{
	CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	                            .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
	CUmemAccessDesc access = {.location = prop.location,
	                          .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	struct block b = {.kind = kind, .size = SIZE};

	switch (kind) {
	case PLAIN:
		b.at = drv_alloc(SIZE);
		break;
	case POOL:
		must(cuMemAllocAsync(&b.at, SIZE, stream));
		must(cuStreamSynchronize(stream));
		break;
	default:
		must(cuMemAddressReserve(&b.at, SIZE, 0, 0, 0));
		must(cuMemCreate(&b.handle, SIZE, &prop, 0));
		must(cuMemMap(b.at, SIZE, 0, b.handle, 0));
		must(cuMemSetAccess(b.at, SIZE, &access, 1));
	}
	return b;
}

static void give_up(struct block *b)
{
	switch (b->kind) {
	case PLAIN:
		must(cuMemFree(b->at));
		break;
	case POOL:
		must(cuMemFreeAsync(b->at, stream));
		must(cuStreamSynchronize(stream));
		break;
	default:
		must(cuMemUnmap(b->at, b->size));
		must(cuMemRelease(b->handle));
		must(cuMemAddressFree(b->at, b->size));
	}
}

/* Two memsets: of memory that stays, and of `at`; *second is the latter's node. */
static CUgraph graph_of(CUdeviceptr at, enum place place, CUgraphNode *second)
{
	CUDA_MEMSET_NODE_PARAMS set = {
	    .dst = good, .value = 1, .elementSize = 1, .width = 64, .height = 1};
	CUgraphNode nodes[2];
	CUgraph graph, child;
	size_t n = 2;

	if (place == CHILD) {
		child = graph_of(at, EXPLICIT, second);
		must(cuGraphCreate(&graph, 0));
		must(cuGraphAddChildGraphNode(&nodes[0], graph, NULL, 0, child));
		must(cuGraphDestroy(child));
		*second = NULL;
		return graph;
	}
	if (place == EXPLICIT) {
		must(cuGraphCreate(&graph, 0));
		must(cuGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &set, ctx));
		set.dst = at;
		must(cuGraphAddMemsetNode(&nodes[1], graph, nodes, 1, &set, ctx));
	} else {
		must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
		must(cuMemsetD8Async(good, 1, 64, stream));
		must(cuMemsetD8Async(at, 2, 64, stream));
		must(cuStreamEndCapture(stream, &graph));
		must(cuGraphGetNodes(graph, nodes, &n));
	}
	*second = nodes[1];
	return graph;
}

struct answer {
	CUresult result;
	int at_node;    /* the error node is the one whose memory is bad */
	int exec_stays; /* the program's variable is as before */
	int says_error; /* of cuGraphInstantiateWithParams */
};

static struct answer instantiate(CUgraph graph, CUgraphNode bad, enum form form)
{
	static const char *const names[] = {
	    "cuGraphInstantiate", "cuGraphInstantiate_v2",
	    "cuGraphInstantiateWithFlags", "cuGraphInstantiateWithParams",
	    "cuGraphInstantiateWithParams_ptsz"};
	CUresult (*oldest)(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
	CUresult (*flags)(CUgraphExec *, CUgraph, unsigned long long);
	CUresult (*params)(CUgraphExec *, CUgraph, CUDA_GRAPH_INSTANTIATE_PARAMS *);
	CUDA_GRAPH_INSTANTIATE_PARAMS p = {.flags = 0};
	CUgraphExec exec = (CUgraphExec)(void *)&p;
	struct answer a = {.result = CUDA_ERROR_NOT_FOUND};
	CUgraphNode told = NULL;
	char log[64];

	*(void **)&oldest = *(void **)&flags = *(void **)&params =
	    drv_entry(names[form]);
	if (!oldest)
		return a;
	if (form <= SECOND)
		a.result = oldest(&exec, graph, &told, log, sizeof log);
	else if (form == FLAGS)
		a.result = flags(&exec, graph, 0);
	else
		a.result = params(&exec, graph, &p);
	if (form >= PARAMS)
		told = p.hErrNode_out;
	a.says_error = form >= PARAMS && p.result_out != CUDA_GRAPH_INSTANTIATE_SUCCESS;
	a.at_node = bad && told == bad;
	a.exec_stays = exec == (CUgraphExec)(void *)&p;
	if (a.result == CUDA_SUCCESS)
		must(cuGraphExecDestroy(exec));
	return a;
}

static const char *const memories[] = {"plain", "pool", "mapped"};
static const char *const places[] = {"captured", "explicit", "in a child"};

static void freed_before_instantiation(enum memory kind, enum place place)
{
	struct answer answers[2][FORMS];
	size_t kernels = 0;
	int on, form;

	for (on = 0; on < 2; on++) {
		struct block b = allocate(kind);
		CUgraphNode bad;
		CUgraph graph;

		drv_shim(on);
		graph = graph_of(b.at, place, &bad);
		drv_shim(1);
		kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
		for (form = 0; form < FORMS; form++) {
			struct answer a = instantiate(graph, bad, (enum form)form);

			if (a.result != CUDA_SUCCESS &&
			    a.result != CUDA_ERROR_NOT_FOUND)
				ok(0, "fine memory: form %d says %d", form, a.result);
		}
		give_up(&b);
		for (form = 0; form < FORMS; form++)
			answers[on][form] = instantiate(graph, bad, (enum form)form);
		must(cuGraphDestroy(graph));
	}
	is(kernels, place == CHILD ? 0 : 2, "%s, %s: fills", memories[kind],
	   places[place]);
	for (form = 0; form < FORMS; form++) {
		const struct answer *n = &answers[0][form], *o = &answers[1][form];

		if (!ok(!memcmp(n, o, sizeof *n), "%s, %s, form %d: %d, as natively",
		        memories[kind], places[place], form, (int)n->result))
			printf("# natively %d node %d stays %d says %d; shimmed %d "
			       "node %d stays %d says %d\n",
			       (int)n->result, n->at_node, n->exec_stays, n->says_error,
			       (int)o->result, o->at_node, o->exec_stays,
			       o->says_error);
	}
}

/* An update by a graph whose memory is gone: refused, and the old one runs on. */
static void freed_before_update(enum memory kind)
{
	CUresult result[2], old[2] = {CUDA_SUCCESS}, launched[2];
	CUgraphExecUpdateResult why[2], old_why[2] = {CU_GRAPH_EXEC_UPDATE_SUCCESS};
	CUresult (*first)(CUgraphExec, CUgraph, CUgraphNode *,
	                  CUgraphExecUpdateResult *);
	int on, at_node[2];

	*(void **)&first = drv_entry("cuGraphExecUpdate");
	for (on = 0; on < 2; on++) {
		CUgraphExecUpdateResultInfo info = {.result =
		                                        CU_GRAPH_EXEC_UPDATE_SUCCESS};
		struct block b = allocate(kind);
		CUgraphNode bad, ignored;
		CUgraph graph, next;
		CUgraphExec exec;

		drv_shim(on);
		graph = graph_of(good + 64, CAPTURED, &ignored);
		next = graph_of(b.at, CAPTURED, &bad);
		drv_shim(1);
		must(cuGraphInstantiateWithFlags(&exec, graph, 0));
		give_up(&b);
		result[on] = cuGraphExecUpdate(exec, next, &info);
		why[on] = info.result;
		at_node[on] = info.errorNode == bad;
		if (first)
			old[on] = first(exec, next, &ignored, &old_why[on]);
		launched[on] = cuGraphLaunch(exec, stream);
		must(cuStreamSynchronize(stream));
		must(cuGraphExecDestroy(exec));
		must(cuGraphDestroy(graph));
		must(cuGraphDestroy(next));
	}
	is(result[1], result[0], "%s, update: %d, as natively", memories[kind],
	   (int)result[0]);
	is(why[1], why[0], "%s, update: for the same reason, %d", memories[kind],
	   (int)why[0]);
	is(at_node[1], at_node[0], "%s, update: at the same node", memories[kind]);
	is(old[1], old[0], "%s, update of old: %d", memories[kind], (int)old[0]);
	is(old_why[1], old_why[0], "%s, update of old: reason %d", memories[kind],
	   (int)old_why[0]);
	is(launched[1], launched[0], "%s, update: the old graph runs on: %d",
	   memories[kind], (int)launched[0]);
}

/* A child graph whose memory is gone, into an executable graph, by both calls. */
static void freed_before_child(enum memory kind, int generic)
{
	CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_GRAPH};
	CUresult (*change)(CUgraphExec, CUgraphNode, CUgraphNodeParams *);
	CUresult result[2], launched[2];
	int on;

	*(void **)&change = drv_entry("cuGraphExecNodeSetParams");
	for (on = 0; on < 2; on++) {
		struct block b = allocate(kind);
		CUgraphNode held, ignored;
		CUgraph graph, child, next;
		CUgraphExec exec;

		drv_shim(on);
		child = graph_of(good + 64, CAPTURED, &ignored);
		next = graph_of(b.at, CAPTURED, &ignored);
		drv_shim(1);
		must(cuGraphCreate(&graph, 0));
		must(cuGraphAddChildGraphNode(&held, graph, NULL, 0, child));
		must(cuGraphInstantiateWithFlags(&exec, graph, 0));
		give_up(&b);
		params.graph.graph = next;
		result[on] = generic && change
		                 ? change(exec, held, &params)
		                 : cuGraphExecChildGraphNodeSetParams(exec, held, next);
		launched[on] = cuGraphLaunch(exec, stream);
		must(cuStreamSynchronize(stream));
		must(cuGraphExecDestroy(exec));
		must(cuGraphDestroy(graph));
		must(cuGraphDestroy(child));
		must(cuGraphDestroy(next));
	}
	is(result[1], result[0], "%s, child taken over%s: %d, as natively",
	   memories[kind], generic ? " as any node" : "", (int)result[0]);
	is(launched[1], launched[0], "%s, child: the old one runs on: %d",
	   memories[kind], (int)launched[0]);
}

int main(void)
{
	int kind, place;

	ctx = drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	good = drv_alloc(4096);
	for (kind = 0; kind < MEMORIES; kind++)
		for (place = 0; place < PLACES; place++)
			freed_before_instantiation((enum memory)kind,
			                           (enum place)place);
	for (kind = 0; kind < MEMORIES; kind++)
		freed_before_update((enum memory)kind);
	for (kind = 0; kind < MEMORIES; kind++) {
		freed_before_child((enum memory)kind, 0);
		freed_before_child((enum memory)kind, 1);
	}
	return done();
}
