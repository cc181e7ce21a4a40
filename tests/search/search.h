/* SPDX-License-Identifier: MIT */
/*
 * search.h - random programs, run twice from the same memory: with the driver's memsets
 * and with the shim's.
 *
 * A program is a list of operations made from a seed (generate.c) in which whatever
 * touches the same bytes is ordered (order.c).  One executor (execute.c, record.c)
 * makes the driver calls of either run and, along the way, does to a picture of the
 * memory what the calls that succeeded are to do (model.c).  Both runs have to give the
 * same results and the same memory, and that memory is the picture's (arms.c).  A
 * program that does not is cut down while it still fails (shrink.c).
 */
#ifndef SEARCH_H
#define SEARCH_H

#include <stdint.h>

#include "../drv.h"

#define STREAMS 3
#define CAPTURES 3
#define VARIANTS 3 /* as first captured; other values, places; other sizes, too */
#define MAX_OPS 40 /* less than the bits of a mask */

enum space {
	SPACE_DEVICE,
	SPACE_POOL,
	SPACE_PINNED, /* whose memsets stay the driver's */
	SPACE_DRAIN,  /* what a graph's own memory held at the end */
	SPACE_GRAPH,  /* allocated in the capture; elsewhere in each */
	SPACES
};

extern const size_t space_size[SPACES];
extern const char *const space_name[SPACES];

/* Offsets of the spaces in a picture of all of memory. */
size_t space_at(enum space space);
#define PICTURE (12288 + 8192 + 2048 + 2048 + 2048)

enum kind {
	OP_SET,         /* an asynchronous memset of any kind */
	OP_ADD,         /* a kernel that adds to bytes */
	OP_COPY_KERNEL, /* a kernel that copies */
	OP_COPY,        /* cuMemcpyDtoDAsync */
	OP_EDGE,        /* `stream` records an event that `other` waits for */
	OP_ALLOC,       /* memory of the graph's own, set at once */
	OP_FREE,        /* copied to the drain first */
	OP_CHILD,       /* an earlier capture's executable graph, launched here */
	OP_NODE,        /* an explicit memset node, behind all there are */
	/* Between captures, with a capture as `target`: */
	OP_LAUNCH,
	OP_UPDATE,      /* captured again, as another variant */
	OP_INSTANTIATE, /* anew */
	OP_CLONE,       /* cloned, instantiated, launched */
	OP_NEST,        /* twice in a graph of its own, launched */
	OP_NODE_PARAMS, /* of the explicit node `node` */
	OP_EXEC_PARAMS  /* the same in the executable graph */
};

struct place {
	enum space space;
	struct drv_set set; /* dst is an offset; kernels and copies: bytes */
	enum space from;    /* of a copy */
	size_t source;      /* its offset there */
};

struct op {
	enum kind kind;
	int capture; /* -1: between captures */
	int stream, other;
	int target, node;
	int times, variant;
	int early;        /* OP_NODE: there before the capture begins */
	int programmatic; /* a launch: with programmatic stream serialization */
	int odd;     /* a memset that the driver refuses, sooner or later, or skips */
	int dropped; /* by the shrinker, or the command line */
	struct place at[VARIANTS];
};

struct program {
	uint64_t seed;
	int count;
	int to_graph[CAPTURES]; /* captured into a graph that is there */
	CUstreamCaptureMode mode[CAPTURES];
	int corrupted; /* an operation that goes wrong in the shimmed run; -1 none */
	struct op op[MAX_OPS];
};

/* What the driver at hand cannot do, nobody asks of it. */
enum feature {
	FEATURE_TWINS = 1,
	FEATURE_TO_GRAPH = 2,
	FEATURE_PROGRAMMATIC = 4,
	FEATURE_POOL = 8,
	FEATURE_GRAPH_MEMORY = 16,
	FEATURE_UPDATE = 32,
	FEATURE_CLONE = 64,
	FEATURE_NEST = 128,
	FEATURE_NODES = 256,
	FEATURE_EXEC_PARAMS = 512,
	FEATURE_EXEC_WIDTH = 1024
};

/* How the self-check breaks an operation in the shimmed run only. */
enum corruption {
	CORRUPT_NOTHING,
	CORRUPT_VALUE,
	CORRUPT_WIDTH,
	CORRUPT_PLACE,
	CORRUPT_SKIP,
	CORRUPTIONS
};
extern const char *const corruption_name[CORRUPTIONS];

/* What all programs of a process share. */
struct world {
	CUcontext ctx;
	CUstream stream[STREAMS];
	CUevent event[STREAMS];
	CUfunction add, copy;
	CUdeviceptr base[SPACES];
	unsigned int features;
	unsigned char *dirt; /* bytes to begin with, for any seed */
	CUresult (*begin_to_graph)(CUstream, CUgraph, const CUgraphNode *,
	                           const CUgraphEdgeData *, size_t,
	                           CUstreamCaptureMode);
	/* The driver's own: what it says of a node, whatever the shim says. */
	CUresult (*kernel_params)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
};
extern struct world world;

/* world.c: ends the process where there is no GPU. */
void world_open(void);
/* Prints what is left out, as TAP comments. */
void world_say(void);
void world_write(const unsigned char *picture);
void world_read(unsigned char *picture);

/* probe.c */
unsigned int probe_features(void);
const char *feature_name(enum feature feature);

/* generate.c, place.c */
void generate(struct program *p, uint64_t seed, unsigned int features,
              enum corruption corruption);
uint64_t random_next(uint64_t *state);
unsigned int pick(uint64_t *state, unsigned int n); /* below n */
struct place pick_place(uint64_t *r, unsigned int features, int graph_memory);
/* One that the driver refuses, or does nothing for; 0 when this one has none. */
int make_odd(uint64_t *r, struct place *at, int captured);
/* at[1] and at[2] from at[0]; sizes: 1 of single rows, 2 of all memsets. */
void vary(uint64_t *r, struct place at[VARIANTS], int sizes);
struct place vary_node(uint64_t *r, const struct place *at, int sizes);
int pick_source(uint64_t *r, unsigned int features, struct place *at, int graph_memory);

/* order.c: 1 when nothing that touches the same bytes may run side by side. */
int orderly(const struct program *p);
int op_touches_memory(const struct op *op);

/* model.c */
#define MAX_EFFECTS 96

struct effect {
	enum kind kind;
	int op;
	struct place at;
};

struct effects {
	size_t count;
	struct effect at[MAX_EFFECTS];
};

void effects_add(struct effects *list, enum kind kind, int op, const struct place *at);
void effects_join(struct effects *list, const struct effects *more);
void effects_change(struct effects *list, int op, const struct place *at);
int effects_own_memory(const struct effects *list); /* the graph's own is in use */
void effects_run(const struct effects *list, unsigned char *picture);

/* arms.c */
#define MAX_CALLS 2048

struct trace {
	int count;
	CUresult result[MAX_CALLS];
	unsigned char looser[MAX_CALLS]; /* the shim may succeed where memsets fail */
	char (*text)[160];               /* NULL unless the program is to be shown */
};

enum verdict { SAME, DIFFERENT_RESULTS, DIFFERENT_MEMORY, NOT_THE_MODEL };

struct counters {
	unsigned long long programs, calls, graphs, loose;
	unsigned long long kernels[2]; /* nodes, natively and shimmed */
	unsigned long long odd, failed_calls;
};

enum verdict compare_arms(const struct program *p, enum corruption how,
                          struct counters *counters);
/* Runs it once more and prints the calls, with the results of both runs. */
void show_program(const struct program *p, enum corruption how);
/* One run, as the environment has it: a hash of its memory and results. */
uint64_t hash_program(const struct program *p);

struct capture {
	CUgraph graph;
	CUgraphExec exec;
	CUgraphNode node[MAX_OPS]; /* the explicit ones */
	struct effects in_graph, in_exec;
	int foreign; /* the executable graph may no longer be `graph`'s */
	int changed; /* a node has other parameters than it was captured with */
};

struct run {
	const struct program *p;
	enum corruption how; /* in this run */
	int count_kernels;
	unsigned long long kernels, graphs;
	struct trace trace;
	struct capture capture[CAPTURES];
	unsigned char picture[PICTURE]; /* what memory has to be */
	unsigned char memory[PICTURE];  /* what it is */
};

/* execute.c */
void execute(struct run *r);

/* calls.c: keeps a call's result and how to say it. */
__attribute__((format(printf, 3, 4))) CUresult note(struct run *r, CUresult result,
                                                    const char *fmt, ...);
/* Operation `op` at a place, whose space begins at `base`, or of which graph memory. */
CUresult call_set(struct run *r, int op, const struct place *at, CUdeviceptr base);
CUresult call_memory(struct run *r, int op, const struct place *at, CUdeviceptr own);
CUDA_MEMSET_NODE_PARAMS node_params(const struct place *at);

/* record.c: captures the operations of capture c; NULL when that did not end well. */
CUgraph record(struct run *r, int c, int variant, struct effects *effects,
               CUgraphNode *nodes);
/* Nodes that the driver has as kernels. */
size_t kernels_in(CUgraph graph);

/* shrink.c */
struct cut {
	uint64_t kept;                 /* operations */
	unsigned char halved[MAX_OPS]; /* how often its size */
};

void cut_all(struct cut *cut);
void cut_apply(struct program *p, const struct cut *cut);
/* 0, or -1 where the words are none: a hexadecimal mask, "3=1,7=2". */
int cut_parse(struct cut *cut, const char *ops, const char *halved);
void cut_print(uint64_t seed, enum corruption how, const struct cut *cut);
/*
 * The smallest that still fails; how many operations it has.  It runs in children: the
 * caller has no CUDA.
 */
int shrink(uint64_t seed, enum corruption how, struct cut *cut);

/* hunt.c */
#define MAX_FAILURES 3

struct hunt {
	uint64_t first, programs;
	int jobs;
	enum corruption how;
	int wanted; /* failures after which it is over */
	/* What came of it: */
	struct counters counters;
	int failures;
	uint64_t failed[MAX_FAILURES];
	int status[MAX_FAILURES]; /* of the process: 1, or how it died */
};

/* In children, `jobs` at a time. */
void hunt(struct hunt *h);

#endif
