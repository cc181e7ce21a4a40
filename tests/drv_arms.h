/* SPDX-License-Identifier: MIT */
/*
 * drv_arms.h - one scenario with the driver's memsets and with the shim's: what every
 * call says, what the graphs look like and what is in memory has to be the same.
 */
#ifndef DRV_ARMS_H
#define DRV_ARMS_H

#include "drv.h"

#define ARM_ROOM 8192u
#define ARM_REPLAYS 3
#define ARM_NODES 64
#define ARM_EDGES 96
#define ARM_NOTES 1024
#define ARM_RUNS 256

struct arm_note {
	const char *what;
	int line;
	unsigned long long value;
};

struct arm_edge {
	size_t from, to;
	CUgraphEdgeData data;
};

/* Memory after a launch, and how many of its bytes are not as before. */
struct arm_run {
	unsigned long long hash;
	size_t changed;
};

struct arm {
	int on; /* with the shim */
	CUcontext ctx;
	CUstream stream;
	CUdeviceptr memory; /* ARM_ROOM bytes, all compared */

	size_t notes, runs, nodes, edges;
	size_t memsets, kernels; /* memsets as the program sees them; those replaced */
	struct arm_note note[ARM_NOTES];
	struct arm_run run[ARM_RUNS];
	int type[ARM_NODES]; /* as the program is told */
	struct arm_edge edge[ARM_EDGES];
};

/* Anything that has to be the same natively; its value. */
#define arm_note(a, value) arm_noted((a), #value, __LINE__, (value))
unsigned long long arm_noted(struct arm *a, const char *what, int line,
                             unsigned long long value);

/* A memset node's parameters, and what the call says. */
void arm_note_set(struct arm *a, CUgraphNode node);

/* The nodes of a graph and of its child graphs, and their edges. */
void arm_shape(struct arm *a, CUgraph graph);

/* Launches onto memory that is dirty, otherwise each time, and looks at all of it. */
void arm_launch(struct arm *a, CUgraphExec exec);

/* arm_shape(), and ARM_REPLAYS launches of it, where it can be instantiated. */
void arm_graph(struct arm *a, CUgraph graph);

/* What the next memset is to write: bytes `at` behind the memory's start. */
void arm_set(struct arm *a, size_t at, unsigned int value, size_t bytes);

/* The same as an explicit node, in the arm's context. */
CUgraphNode arm_add(struct arm *a, CUgraph graph, const CUgraphNode *behind,
                    size_t count, size_t at, unsigned int value, size_t bytes);

/* Device 0's primary context, a stream and memory for arms(). */
void arms_start(void);
extern CUcontext arms_ctx;
extern CUstream arms_stream;
extern CUdeviceptr arms_memory;

void arm_begin(struct arm *a, CUstreamCaptureMode mode);
CUgraph arm_end(struct arm *a);

/* What came of the two arms, and whether it was the same. */
struct arms {
	int results, shapes, kinds, bytes;
	size_t notes, nodes, edges, memsets, kernels, runs;
};

/*
 * Runs the scenario in both arms and compares; `left` memsets of the shapes stay the
 * driver's.  The graph that it gives, if any, goes through arm_graph() and is
 * destroyed.
 */
struct arms arms_run(CUgraph (*scenario)(struct arm *a), size_t left, CUcontext ctx,
                     CUstream stream, CUdeviceptr memory);

/* Checked here, because each file counts its own checks. */
__attribute__((unused)) static void arms_in(const char *what,
                                            CUgraph (*scenario)(struct arm *a),
                                            size_t left, CUcontext ctx, CUstream stream,
                                            CUdeviceptr memory)
{
	struct arms r = arms_run(scenario, left, ctx, stream, memory);

	ok(r.results, "%s: all %zu results as natively", what, r.notes);
	ok(r.shapes, "%s: the same %zu nodes and %zu edges", what, r.nodes, r.edges);
	ok(r.kinds, "%s: %zu of %zu memsets are fills", what, r.kernels, r.memsets);
	ok(r.bytes, "%s: the same bytes after each of %zu launches", what, r.runs);
}

/* The same in device 0's primary context, after arms_start(). */
__attribute__((unused)) static void
arms(const char *what, CUgraph (*scenario)(struct arm *a), size_t left)
{
	arms_in(what, scenario, left, arms_ctx, arms_stream, arms_memory);
}

#endif
