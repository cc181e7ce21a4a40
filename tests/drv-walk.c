/* SPDX-License-Identifier: MIT */
/*
 * A program that walks its captured graph by the types it is told, to edit kernels and
 * memsets, to refuse other nodes or to loosen edges between kernels, finds and does
 * what it does natively: a fill is no kernel to it.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drv_kernels.h"

#define PART ((size_t)256) /* bytes that one operation writes, or less */
#define PARTS 8
#define SIZE (PART * PARTS * 2) /* the second half is where edits move things to */
#define SHIFT (PARTS * PART)
#define MAX_NODES 16
#define MAX_EDGES 32

static CUstream stream;
static CUdeviceptr memory;
static CUfunction add_bytes;

static CUresult (*get_edges)(CUgraph, CUgraphNode *, CUgraphNode *, CUgraphEdgeData *,
                             size_t *);
static CUresult (*add_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                             const CUgraphEdgeData *, size_t);
static CUresult (*remove_edges)(CUgraph, const CUgraphNode *, const CUgraphNode *,
                                const CUgraphEdgeData *, size_t);

static CUdeviceptr part(unsigned int i)
{
	return memory + (CUdeviceptr)i * PART;
}

static void add(unsigned int to, unsigned int addend)
{
	struct drv_add a = {part(to), PART, addend, {0}};

	must(cuLaunchKernel(add_bytes, 1, 1, 1, 64, 1, 1, 0, stream, drv_add_args(&a),
	                    NULL));
}

/* Whatever is joined by an edge between two kernels needs no order. */
static CUgraph captured(int shimmed)
{
	CUgraph graph;

	drv_shim(shimmed);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	add(0, 1);
	add(1, 2);
	must(cuMemsetD8Async(part(2), 0x21, PART, stream));
	must(cuMemsetD2D16Async(part(3), 64, 0x4321, 8, 4, stream));
	must(drv_launch_copy(part(4), part(2), PART, stream, 0));
	add(5, 3);
	must(cuMemsetD32Async(part(6), 0x87654321, PART / 4, stream));
	must(cuStreamEndCapture(stream, &graph));
	drv_shim(1);
	return graph;
}

/* What captured() does to a picture of its half of the memory. */
static void picture(unsigned char *p)
{
	static const unsigned char word[] = {0x21, 0x43, 0x65, 0x87};
	unsigned int i;

	for (i = 0; i < PART; i++) {
		p[0 * PART + i] = (unsigned char)(p[0 * PART + i] + 1);
		p[1 * PART + i] = (unsigned char)(p[1 * PART + i] + 2);
		p[2 * PART + i] = p[4 * PART + i] = 0x21;
		if (i % 64 < 16)
			p[3 * PART + i] = word[i % 2];
		p[5 * PART + i] = (unsigned char)(p[5 * PART + i] + 3);
		p[6 * PART + i] = word[i % 4];
	}
}

/* Three replays over dirty memory; `half` is 0 or SHIFT. */
static int bytes_right(CUgraph graph, size_t half)
{
	unsigned char got[SIZE], want[SIZE];
	CUgraphExec exec;
	int times, good = 1;

	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (times = 0; times < 3; times++) {
		drv_dirty(want, SIZE, 7 + (unsigned int)times);
		drv_write(memory, want, SIZE);
		picture(want + half);
		must(cuGraphLaunch(exec, stream));
		must(cuStreamSynchronize(stream));
		drv_read(got, memory, SIZE);
		good &= !memcmp(got, want, SIZE);
	}
	must(cuGraphExecDestroy(exec));
	return good;
}

static size_t nodes_of(CUgraph graph, CUgraphNode *nodes)
{
	size_t n = MAX_NODES;

	memset(nodes, 0, MAX_NODES * sizeof *nodes);
	must(cuGraphGetNodes(graph, nodes, &n));
	return n < MAX_NODES ? n : MAX_NODES;
}

static CUgraphNodeType type_of(CUgraphNode node)
{
	CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;

	must(cuGraphNodeGetType(node, &type));
	return type;
}

/* --- the parameters of every node, by its type -------------------------------------
 */

struct seen {
	CUgraphNodeType type;
	CUresult get, set;
	CUDA_MEMSET_NODE_PARAMS memset;
	unsigned int block;
};

/* The address that a kernel gets first is moved; the others stay where they are. */
static void edit_kernel(CUgraphNode node, struct seen *s)
{
	CUDA_KERNEL_NODE_PARAMS p;
	CUdeviceptr moved[2];
	void *args[3];

	memset(&p, 0, sizeof p);
	s->get = cuGraphKernelNodeGetParams(node, &p);
	if (s->get != CUDA_SUCCESS || !p.kernelParams)
		return;
	s->block = p.blockDimX;
	memcpy(args, p.kernelParams, sizeof args);
	memcpy(&moved[0], args[0], sizeof moved[0]);
	moved[0] += SHIFT;
	args[0] = &moved[0];
	if (p.blockDimX == 256) { /* the copy's source moves along */
		memcpy(&moved[1], args[1], sizeof moved[1]);
		moved[1] += SHIFT;
		args[1] = &moved[1];
	}
	p.kernelParams = args;
	s->set = cuGraphKernelNodeSetParams(node, &p);
}

static void edit_memset(CUgraphNode node, struct seen *s)
{
	s->get = cuGraphMemsetNodeGetParams(node, &s->memset);
	s->memset.dst += SHIFT;
	s->set = cuGraphMemsetNodeSetParams(node, &s->memset);
}

static size_t edit(CUgraph graph, struct seen *seen)
{
	CUgraphNode nodes[MAX_NODES];
	size_t n = nodes_of(graph, nodes), i;

	memset(seen, 0, MAX_NODES * sizeof *seen);
	for (i = 0; i < n; i++) {
		seen[i].type = type_of(nodes[i]);
		if (seen[i].type == CU_GRAPH_NODE_TYPE_KERNEL)
			edit_kernel(nodes[i], &seen[i]);
		else if (seen[i].type == CU_GRAPH_NODE_TYPE_MEMSET)
			edit_memset(nodes[i], &seen[i]);
	}
	return n;
}

static int same_memset(const CUDA_MEMSET_NODE_PARAMS *a,
                       const CUDA_MEMSET_NODE_PARAMS *b)
{
	return a->dst == b->dst && a->value == b->value && a->pitch == b->pitch &&
	       a->elementSize == b->elementSize && a->width == b->width &&
	       a->height == b->height;
}

static void edits(void)
{
	struct seen native[MAX_NODES], ours[MAX_NODES];
	CUgraph plain = captured(0), graph = captured(1);
	size_t n, i;

	is(drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET), 0, "the memsets are fills");
	ok(bytes_right(plain, 0) && bytes_right(graph, 0), "right bytes as captured");
	n = edit(plain, native);
	is(edit(graph, ours), n, "as many nodes as natively");
	for (i = 0; i < n; i++) {
		is(ours[i].type, native[i].type, "node %zu: type %d, as natively", i,
		   (int)native[i].type);
		ok(ours[i].get == native[i].get && ours[i].set == native[i].set,
		   "node %zu: read %d and edited %d, as natively", i, (int)ours[i].get,
		   (int)ours[i].set);
		ok(ours[i].block == native[i].block &&
		       same_memset(&ours[i].memset, &native[i].memset),
		   "node %zu: the same parameters", i);
	}
	ok(bytes_right(plain, SHIFT), "what was edited moves, natively");
	ok(bytes_right(graph, SHIFT), "and with fills");
	must(cuGraphDestroy(plain));
	must(cuGraphDestroy(graph));
}

/* --- nothing but kernels and memsets ------------------------------------------------
 */

/* How many of each, and how many that such a program does not take. */
struct census {
	size_t kernels, memsets, others;
};

static struct census census(CUgraph graph)
{
	CUgraphNode nodes[MAX_NODES];
	struct census c = {0};
	size_t n = nodes_of(graph, nodes), i;

	for (i = 0; i < n; i++) {
		CUgraphNodeType type = type_of(nodes[i]);

		c.kernels += type == CU_GRAPH_NODE_TYPE_KERNEL;
		c.memsets += type == CU_GRAPH_NODE_TYPE_MEMSET;
		c.others += type != CU_GRAPH_NODE_TYPE_KERNEL &&
		            type != CU_GRAPH_NODE_TYPE_MEMSET;
	}
	return c;
}

static void refusals(void)
{
	CUgraph plain = captured(0), graph = captured(1);
	struct census native = census(plain), ours = census(graph);

	is(ours.others, 0, "nothing but kernels and memsets");
	is(ours.kernels, native.kernels, "%zu kernels, as natively", native.kernels);
	is(ours.memsets, native.memsets, "%zu memsets, as natively", native.memsets);
	must(cuGraphDestroy(plain));
	must(cuGraphDestroy(graph));
}

/* --- edges between kernels made programmatic ----------------------------------------
 */

struct edges {
	size_t all, rewritten, loose_memsets;
};

/* The edges by the types that the program is told. */
static struct edges rewrite(CUgraph graph)
{
	static const CUgraphEdgeData full,
	    loose = {.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
	             .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC};
	CUgraphNode from[MAX_EDGES], to[MAX_EDGES];
	CUgraphEdgeData data[MAX_EDGES];
	struct edges e = {0};
	size_t i, n = MAX_EDGES;

	must(get_edges(graph, from, to, data, &n));
	for (i = 0; i < n; i++)
		if (type_of(from[i]) == CU_GRAPH_NODE_TYPE_KERNEL &&
		    type_of(to[i]) == CU_GRAPH_NODE_TYPE_KERNEL) {
			must(remove_edges(graph, &from[i], &to[i], &full, 1));
			must(add_edges(graph, &from[i], &to[i], &loose, 1));
			e.rewritten++;
		}
	e.all = MAX_EDGES;
	must(get_edges(graph, from, to, data, &e.all));
	for (i = 0; i < e.all; i++)
		e.loose_memsets += (type_of(from[i]) == CU_GRAPH_NODE_TYPE_MEMSET ||
		                    type_of(to[i]) == CU_GRAPH_NODE_TYPE_MEMSET) &&
		                   (data[i].type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT ||
		                    data[i].from_port || data[i].to_port);
	return e;
}

static void edges(void)
{
	CUgraph plain, graph;
	struct edges native, ours;

	*(void **)&get_edges = drv_entry("cuGraphGetEdges_v2");
	*(void **)&add_edges = drv_entry("cuGraphAddDependencies_v2");
	*(void **)&remove_edges = drv_entry("cuGraphRemoveDependencies_v2");
	if (!get_edges || !add_edges || !remove_edges) {
		skip("this driver has no data on edges");
		return;
	}
	plain = captured(0);
	graph = captured(1);
	native = rewrite(plain);
	ours = rewrite(graph);
	is(ours.all, native.all, "%zu edges, as natively", native.all);
	is(native.rewritten, 2, "two are between kernels and become programmatic");
	is(ours.rewritten, native.rewritten, "and with fills the same two");
	is(ours.loose_memsets, 0, "a fill's edges stay full");
	ok(bytes_right(plain, 0), "right bytes natively");
	ok(bytes_right(graph, 0), "right bytes with fills");
	must(cuGraphDestroy(plain));
	must(cuGraphDestroy(graph));
}

/* --- pictures ------------------------------------------------------------------------
 */

static void pictures(void)
{
	static const unsigned int flags[] = {
	    0, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE,
	    CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS |
	        CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS,
	    CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES};
	CUgraph plain = captured(0), graph = captured(1);
	int fd = memfd_create("picture", 0);
	char path[32];
	size_t i;

	if (fd < 0)
		bail("no file in memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (i = 0; i < sizeof flags / sizeof *flags; i++) {
		CUresult native = cuGraphDebugDotPrint(plain, path, flags[i]);

		if (ftruncate(fd, 0))
			bail("no empty file");
		is(cuGraphDebugDotPrint(graph, path, flags[i]), native,
		   "a picture with flags %#x: %d, as natively", flags[i], native);
		ok(lseek(fd, 0, SEEK_END) > 0, "is drawn");
	}
	close(fd);
	must(cuGraphDestroy(plain));
	must(cuGraphDestroy(graph));
}

/* --- flags: a device may launch what consists of kernels and memsets
 * ------------------ */

static void instantiations(void)
{
	static const unsigned long long flags[] = {
	    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH,
	    CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
	    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH};
	CUgraph plain = captured(0), graph = captured(1);
	size_t i;

	for (i = 0; i < sizeof flags / sizeof *flags; i++) {
		CUgraphExec exec[2] = {NULL, NULL};
		CUresult native =
		    cuGraphInstantiateWithFlags(&exec[0], plain, flags[i]);

		is(cuGraphInstantiateWithFlags(&exec[1], graph, flags[i]), native,
		   "instantiated with flags %llu: %d, as natively", flags[i],
		   (int)native);
		if (!exec[0] || !exec[1])
			continue;
		native = cuGraphLaunch(exec[0], stream);
		is(cuGraphLaunch(exec[1], stream), native,
		   "and launched: %d, as natively", (int)native);
		must(cuStreamSynchronize(stream));
		must(cuGraphExecDestroy(exec[0]));
		must(cuGraphExecDestroy(exec[1]));
	}
	must(cuGraphDestroy(plain));
	must(cuGraphDestroy(graph));
}

int main(void)
{
	drv_start();
	ok(drv_shim(1) >= 0, "the shim is loaded");
	stream = drv_stream();
	memory = drv_alloc(SIZE);
	add_bytes = drv_kernel("sim_add_bytes");
	drv_kernel("sim_copy_bytes");
	edits();
	refusals();
	edges();
	pictures();
	instantiations();
	return done();
}
