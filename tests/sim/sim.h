/* SPDX-License-Identifier: MIT */
/*
 * sim.h - inside the simulated driver: its objects, its one lock, its entry macros.
 *
 * Each exported function starts with SIM_CALL(name), which counts the call, lets a test
 * fail it or run a callback in it, and then holds the lock to the end of the function.
 * No exported function calls another: under the shim's preload that call would leave
 * this library.  What the real driver does is in docs/semantics.md; where the two
 * differ, this is wrong.
 *
 * Objects that a program destroys stay as graves, marked dead: a stale handle then is
 * an error, not a crash, and a test process is short.
 */
#ifndef SIM_H
#define SIM_H

/* Makes cuda.h declare every exported name as it is, _v2 and old ones included. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "../fill_host.h"
#include "sim_control.h"

/* Protected: &cuMemsetD8Async in here is ours, also under a preloaded hook. */
#define SIM_EXPORT __attribute__((visibility("protected")))

#define SIM_MAX_DEVICES 8
#define SIM_MAX_PARAMS 16
#define SIM_DEVICE_MEMORY ((size_t)64 << 30) /* no page is there before its use */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* CUDA 13.2's, which older headers do not declare. */
CUresult cuGraphNodeGetParams(CUgraphNode node, CUgraphNodeParams *params);

/* cuda.h declares few of the twins; the rest are typed after what they are twins of. */
#define PLAIN(base, since, name)
#define PTSZ(base, since, name) SIM_EXPORT extern __typeof__(name) name##_ptsz;
#define PTDS(base, since, name) SIM_EXPORT extern __typeof__(name) name##_ptds;
#include "functions.def"
#undef PLAIN
#undef PTSZ
#undef PTDS

struct CUctx_st {
	CUdevice device;
	int primary;
	int dead;
	int references; /* of a primary context */
	unsigned long long id;
	CUresult fault; /* sticky, as after an illegal address */
	CUcontext next;
};

struct dep {
	CUgraphNode node;
	CUgraphEdgeData edge;
};

struct deps {
	struct dep *at;
	size_t count, room;
};

struct capture {
	cuuint64_t id;
	CUstreamCaptureMode mode;
	pthread_t thread;
	int invalidated;
	int ended;
	int into_existing; /* the graph is the program's own */
	CUgraph graph;
	CUstream origin;
	struct capture *next;
};

enum stream_kind { STREAM_NORMAL, STREAM_LEGACY, STREAM_PER_THREAD };

struct CUstream_st {
	CUcontext ctx; /* NULL: dead */
	enum stream_kind kind;
	pthread_t thread; /* of a per-thread stream */
	unsigned int flags;
	int priority;
	unsigned long long id;
	struct capture *capture;
	struct deps deps;
	CUgraphNode *shown; /* what cuStreamGetCaptureInfo handed out */
	CUgraphEdgeData *shown_edges;
	CUstream next;
};

struct CUevent_st {
	CUcontext ctx; /* NULL: dead */
	unsigned int flags;
	int recorded;
	double at; /* ms */
	struct capture *capture;
	struct deps deps;
	CUevent next;
};

struct kernel_type {
	const char *name;
	int params;
	size_t sizes[SIM_MAX_PARAMS];
	int is_fill;
	void (*run)(void *const *params);
};

/* A launch with its own copy of the parameters. */
struct launch {
	CUkernel kernel;
	CUfunction function; /* NULL when launched by CUkernel */
	unsigned int grid[3], block[3];
	unsigned int shared;
	void *params[SIM_MAX_PARAMS];
	unsigned char *bytes;
};

struct CUgraphNode_st {
	CUgraphNodeType type;
	CUgraph graph;
	CUgraphNode original; /* what this is a copy of */
	struct deps deps;
	size_t index; /* scratch of walks: place in the graph's list */
	size_t mark;  /* scratch of walks */
	CUcontext ctx;
	int priority;
	CUkernelNodeAttrValue *attributes; /* by their id; NULL: none was set */
	CUDA_MEMSET_NODE_PARAMS set;
	CUDA_MEMCPY3D copy;
	struct launch launch;
	CUDA_HOST_NODE_PARAMS host;
	CUevent event;
	CUgraph child;
	CUDA_CONDITIONAL_NODE_PARAMS conditional;
	CUgraph *bodies; /* NULL but of a conditional node */
	CUdeviceptr memory;
	CUDA_MEM_ALLOC_NODE_PARAMS alloc;
	int disabled;
};

struct CUgraph_st {
	CUgraphNode owner; /* the node that this is the child of */
	CUgraphExec exec;  /* the first one made of it that is still there */
	CUgraphNode *nodes;
	size_t count, room;
	struct kept *kept; /* user objects */
};

struct CUgraphExec_st {
	CUgraph graph;  /* a copy of its own */
	CUgraph source; /* whose `exec` this is; NULL: none, or it is gone */
	size_t *order;  /* indices of nodes, dependencies first */
	unsigned long long flags;
};

struct CUlib_st {
	unsigned int magic;
	CUkernel kernels;
	CUcontext ctx; /* of a module; NULL of a library */
	CUlibrary next;
};

struct CUkern_st {
	unsigned int magic; /* tells a CUkernel from a CUfunction */
	CUlibrary library;
	const struct kernel_type *type;
	CUfunction functions;
	CUkernel next;
};

struct CUfunc_st {
	unsigned int magic;
	CUkernel kernel;
	CUcontext ctx;
	CUfunction next;
};

enum region_kind {
	REGION_DEVICE,
	REGION_POOL,
	REGION_MANAGED,
	REGION_PINNED,
	REGION_REGISTERED, /* pinned, but the program's own pages */
	REGION_RESERVED,   /* an address range; its mappings are regions of their own */
	REGION_MAPPING,
	REGION_GRAPH, /* allocated by a memory node of a graph */
	REGION_IPC    /* another region's bytes, by its handle */
};

struct region {
	enum region_kind kind;
	CUdeviceptr base;
	size_t size;
	char *host;
	CUcontext ctx; /* NULL: of the device */
	CUdevice device;
	unsigned int access[SIM_MAX_DEVICES]; /* CU_POINTER_ATTRIBUTE_ACCESS_FLAG_* */
	CUmemGenericAllocationHandle handle;
	unsigned long long id; /* of what is exported; 0: never was */
	int opened;            /* times more than once */
	struct region *next;
};

/* control.c */
CUresult sim_enter(const char *function);
int sim_lock(void);
void sim_unlock(int *held);
/* calloc that cannot fail: a test's driver has no better way to go on. */
void *sim_new(size_t count, size_t size);

#define SIM_CALL(name)                                                          \
	CUresult sim_entered = sim_enter(#name);                                \
	__attribute__((cleanup(sim_unlock), unused)) int sim_held = sim_lock(); \
                                                                                \
	if (sim_entered != CUDA_SUCCESS)                                        \
	return sim_entered

/* A function and its twin for another default stream; the stream parameter is `s`. */
#define SIM_STREAM_ONE(name, per_thread, params, ...)     \
	SIM_EXPORT CUresult name params                   \
	{                                                 \
		SIM_CALL(name);                           \
		sim_entered = sim_stream(&s, per_thread); \
		if (sim_entered != CUDA_SUCCESS)          \
			return sim_entered;               \
		return __VA_ARGS__;                       \
	}
#define SIM_STREAM(name, params, ...)                \
	SIM_STREAM_ONE(name, 0, params, __VA_ARGS__) \
	SIM_STREAM_ONE(name##_ptsz, 1, params, __VA_ARGS__)

/* device.c */
int sim_initialized(void);
void sim_forked(void);
int sim_version(void);
int sim_devices(void);

/* inject.c */
void sim_inject(void);
void sim_inject_forked(void);

/* context.c */
CUcontext sim_current(void);
/* SUCCESS when initialized, with a living current context that has no fault. */
CUresult sim_ready(void);
int sim_context_lives(CUcontext ctx);
CUcontext sim_context_new(CUdevice device);
void sim_context_end(CUcontext ctx);
CUcontext sim_primary(CUdevice device);
CUcontext sim_primary_retain(CUdevice device);
void sim_primary_release(CUdevice device);
CUresult sim_fault(CUcontext ctx, CUresult fault); /* poisons; returns the fault */
unsigned long long sim_next_id(void);

/* memory.c */
struct region *sim_regions(void);
struct region *sim_region(CUdeviceptr at); /* a mapping rather than its reservation */
struct region *sim_region_of(enum region_kind kind, CUdeviceptr at);
struct region *sim_region_add(enum region_kind kind, char *host, size_t size,
                              CUdevice device);
void sim_region_remove(struct region *r);
/* Address space with a forbidden page on either side, aligned to `align`. */
char *sim_map(size_t bytes, size_t align, int protection);
void sim_unmap(char *at, size_t bytes);
CUresult sim_allocate(CUdeviceptr *at, size_t bytes, enum region_kind kind,
                      CUcontext ctx);
/* The host's view of [at, at + bytes), if `device` may access all of it so; else NULL.
 */
char *sim_access(CUdeviceptr at, size_t bytes, CUdevice device, unsigned int access);
/* 0 when a write went past the end of the allocation at `at`, which is counted. */
int sim_slack_intact(CUdeviceptr at);
void sim_memory_forget(CUcontext ctx);

#define SIM_READ CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
#define SIM_WRITE CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE

/* peer.c */
void sim_peer_access(struct region *r); /* what the links say of it */
void sim_peers_forget(CUcontext ctx);

/* pool.c */
CUmemoryPool sim_pool(CUdevice device);

/* memcpy.c */
CUresult sim_copy_run(const CUDA_MEMCPY3D *copy, CUdevice device);

/* memset.c */
CUresult sim_memset_check(const CUDA_MEMSET_NODE_PARAMS *set); /* alignment, shape */
CUresult sim_memset_memory(const CUDA_MEMSET_NODE_PARAMS *set, CUdevice device);
CUresult sim_memset_run(const CUDA_MEMSET_NODE_PARAMS *set, CUdevice device);

/* stream.c */
CUresult sim_stream(CUstream *stream, int per_thread);
CUstream sim_stream_new(CUcontext ctx, unsigned int flags, int priority);
CUstream sim_streams(void);
void sim_streams_forget(CUcontext ctx);
CUevent sim_events(void);
CUresult sim_event_check(CUevent event);
void sim_event_mark(CUevent event); /* recorded just now */
/* Recorded by a kernel's launch: a place in a capture, or outside one just now. */
void sim_event_place(CUevent event, struct capture *capture, CUgraphNode node,
                     CUgraphEdgeData edge);

/* capture.c */
/* SUCCESS: not forbidden now.  Else every capture that forbids it is invalidated. */
CUresult sim_unsafe(void);
/* The same for waiting for all of a context. */
CUresult sim_capture_unwaitable(CUcontext ctx);
/* For work on a stream: whether it has to be captured, or an error. */
CUresult sim_capturing(CUstream stream, int *active);
/* A blocking stream's capture that work on the context's legacy stream would join. */
struct capture *sim_implicit(CUcontext ctx);
/* Appends a node to what the stream captures. */
CUgraphNode sim_capture_node(CUstream stream, CUgraphNodeType type);
void sim_capture_abandon(CUstream stream);
/* Takes a destroyed node out of what streams and events depend on. */
void sim_capture_forget_node(CUgraphNode node);

/* kernel.c */
const struct kernel_type *sim_kernel_type(const char *name);
CUresult sim_launch_run(const struct launch *launch, CUcontext ctx);

/* library.c */
#define SIM_LIBRARY_MAGIC 0x6c696272u
#define SIM_KERNEL_MAGIC 0x6b65726eu
#define SIM_FUNCTION_MAGIC 0x66756e63u
CUfunction sim_function(CUkernel kernel, CUcontext ctx); /* loads it if need be */
CUkernel sim_kernel_of(CUfunction function); /* or of a CUkernel by cast; NULL: none */
void sim_functions_forget(CUcontext ctx);
int sim_libraries(void); /* how many are loaded */

/* launch.c */
CUresult sim_launch_set(struct launch *l, CUfunction function, const unsigned int *dims,
                        unsigned int shared, void **params, void **extra);
void sim_launch_copy(struct launch *to, const struct launch *from);
void sim_launch_clear(struct launch *l);

/* What a launch asks for besides. */
struct launch_options {
	int programmatic;     /* it need not wait for the kernels before it */
	CUevent event;        /* recorded with it, or NULL */
	CUgraphEdgeData edge; /* what waiting for the event means */
	const CUlaunchAttribute *attributes;
	unsigned int count;
};

CUresult sim_launch(CUstream s, CUfunction function, const unsigned int *dims,
                    unsigned int shared, void **params, void **extra,
                    const struct launch_options *options);

/* launch_ex.c */
CUresult sim_launch_options(const struct launch_options *o, CUstream s, int active);
void sim_launch_attributes(CUgraphNode node, const struct launch_options *o);

/* attributes.c */
int sim_is_node_attribute(CUkernelNodeAttrID id);
int sim_is_updatable(CUgraphNode node); /* by the device */
int sim_graph_updatable(CUgraph graph); /* some node is */
void sim_attribute_set(CUgraphNode node, CUkernelNodeAttrID id,
                       const CUkernelNodeAttrValue *value);
void sim_attributes_copy(CUgraphNode to, CUgraphNode from);

#include "sim_graph.h"

#endif
