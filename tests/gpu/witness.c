/* SPDX-License-Identifier: MIT */
/*
 * witness.c - counts the nodes of every graph that a program instantiates.
 *
 * An outside witness for programs that do not count their own nodes.  The driver loads
 * it (CUDA_INJECTION64_PATH); CUPTI tells it of each successful cuGraphInstantiate*,
 * whoever called it and however it was found; the graph that was given is then walked
 * with the driver's own functions.  It shares nothing with the shim but the names of
 * the fill kernels.  At exit one line is appended to the file that WITNESS names:
 *
 *     witness: memset M kernel K fill F other O graphs G process NAME
 *
 * K includes F, the kernels called memsetshim_fill_*.  Child graphs are entered; the
 * bodies of conditional nodes are not, since the driver does not list them.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<cupti.h>)
#include <cupti.h>
#define HAVE_CUPTI_H 1
#endif
#endif

#ifndef HAVE_CUPTI_H
/* The part of cupti.h that is used here; it has not changed since CUDA 5. */
enum { CUPTI_API_ENTER, CUPTI_API_EXIT };
enum { CUPTI_CB_DOMAIN_DRIVER_API = 1 };
enum {
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate = 513,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2 = 578,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags = 643,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams = 656,
	CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz = 657,
};
typedef int CUptiResult;
typedef int CUpti_CallbackDomain;
typedef uint32_t CUpti_CallbackId;
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;
typedef void (*CUpti_CallbackFunc)(void *user, CUpti_CallbackDomain domain,
                                   CUpti_CallbackId id, const void *data);
typedef struct {
	int callbackSite;
	const char *functionName;
	const void *functionParams;
	void *functionReturnValue;
} CUpti_CallbackData; /* more follows */
#endif

#ifndef CUPTI_PATH
#define CUPTI_PATH "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"
#endif

/* What all cuGraphInstantiate* have in common: the first two parameters. */
struct instantiate {
	CUgraphExec *exec;
	CUgraph graph;
};

static struct {
	CUresult (*get_nodes)(CUgraph, CUgraphNode *, size_t *);
	CUresult (*get_type)(CUgraphNode, CUgraphNodeType *);
	CUresult (*get_child)(CUgraphNode, CUgraph *);
	CUresult (*get_kernel)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS *);
	CUresult (*func_name)(const char **, CUfunction);
	CUresult (*kernel_name)(const char **, CUkernel);
} driver;

static atomic_ulong memsets, kernels, fills, others, graphs;
static const char *failure;

static int is_fill(CUgraphNode node)
{
	CUDA_KERNEL_NODE_PARAMS params = {.func = NULL};
	const char *name = NULL;

	if (driver.get_kernel(node, &params) != CUDA_SUCCESS)
		return 0;
	if (params.func && driver.func_name)
		(void)driver.func_name(&name, params.func);
	if (!name && params.kern && driver.kernel_name)
		(void)driver.kernel_name(&name, params.kern);
	return name && !strncmp(name, "memsetshim_fill", strlen("memsetshim_fill"));
}

static void count_graph(CUgraph graph);

static void count_node(CUgraphNode node)
{
	CUgraphNodeType type;
	CUgraph child;

	if (driver.get_type(node, &type) != CUDA_SUCCESS) {
		failure = "cuGraphNodeGetType failed";
		return;
	}
	switch (type) {
	case CU_GRAPH_NODE_TYPE_MEMSET:
	case CU_GRAPH_NODE_TYPE_KERNEL:
		/* A fill says that it is a memset; asked as a kernel it has a name. */
		if (is_fill(node)) {
			kernels++;
			fills++;
		} else if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
			kernels++;
		} else {
			memsets++;
		}
		break;
	case CU_GRAPH_NODE_TYPE_GRAPH:
		if (driver.get_child(node, &child) == CUDA_SUCCESS)
			count_graph(child);
		break;
	default:
		others++;
	}
}

static void count_graph(CUgraph graph)
{
	CUgraphNode *nodes;
	size_t n = 0, i;

	if (driver.get_nodes(graph, NULL, &n) != CUDA_SUCCESS) {
		failure = "cuGraphGetNodes failed";
		return;
	}
	nodes = calloc(n + 1, sizeof *nodes);
	if (!nodes || driver.get_nodes(graph, nodes, &n) != CUDA_SUCCESS) {
		failure = "cannot list a graph's nodes";
		n = 0;
	}
	for (i = 0; i < n; i++)
		count_node(nodes[i]);
	free(nodes);
}

static void on_call(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                    const void *data)
{
	const CUpti_CallbackData *call = data;
	const struct instantiate *args = call->functionParams;

	(void)user, (void)domain, (void)id;
	if (call->callbackSite != CUPTI_API_EXIT ||
	    *(const CUresult *)call->functionReturnValue != CUDA_SUCCESS)
		return;
	graphs++;
	count_graph(args->graph);
}

static void report(void)
{
	const char *path = getenv("WITNESS");
	FILE *out = path ? fopen(path, "a") : NULL;

	if (!out)
		return;
	if (failure)
		fprintf(out, "witness: unavailable: %s\n", failure);
	else
		fprintf(out,
		        "witness: memset %lu kernel %lu fill %lu other %lu graphs %lu "
		        "process %s\n",
		        (unsigned long)memsets, (unsigned long)kernels,
		        (unsigned long)fills, (unsigned long)others,
		        (unsigned long)graphs, program_invocation_short_name);
	fclose(out);
}

/* The CUPTI that the program already has, if any: a second one sees nothing. */
static void *open_cupti(void)
{
	static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
	const char *given = getenv("WITNESS_CUPTI");
	void *lib = NULL;
	size_t i;

	for (i = 0; !lib && i < sizeof names / sizeof *names; i++)
		lib = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
	if (!lib && given && *given)
		lib = dlopen(given, RTLD_NOW);
	for (i = 0; !lib && i < sizeof names / sizeof *names; i++)
		lib = dlopen(names[i], RTLD_NOW);
	return lib ? lib : dlopen(CUPTI_PATH, RTLD_NOW);
}

static int find_driver(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (!lib)
		return -1;
	*(void **)&driver.get_nodes = dlsym(lib, "cuGraphGetNodes");
	*(void **)&driver.get_type = dlsym(lib, "cuGraphNodeGetType");
	*(void **)&driver.get_child = dlsym(lib, "cuGraphChildGraphNodeGetGraph");
	*(void **)&driver.get_kernel = dlsym(lib, "cuGraphKernelNodeGetParams_v2");
	*(void **)&driver.func_name = dlsym(lib, "cuFuncGetName");
	*(void **)&driver.kernel_name = dlsym(lib, "cuKernelGetName");
	if (!driver.get_nodes || !driver.get_type || !driver.get_child ||
	    !driver.get_kernel)
		return -1;
	return 0;
}

static const char *subscribe(void *cupti)
{
	static const CUpti_CallbackId calls[] = {
	    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate,
	    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiate_v2,
	    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags,
	    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams,
	    CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz,
	};
	CUptiResult (*subscribe_to)(CUpti_SubscriberHandle *, CUpti_CallbackFunc,
	                            void *);
	CUptiResult (*enable)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
	                      CUpti_CallbackId);
	CUpti_SubscriberHandle handle;
	size_t i;

	*(void **)&subscribe_to = dlsym(cupti, "cuptiSubscribe");
	*(void **)&enable = dlsym(cupti, "cuptiEnableCallback");
	if (!subscribe_to || !enable)
		return "libcupti lacks cuptiSubscribe";
	if (subscribe_to(&handle, on_call, NULL) != 0)
		return "cuptiSubscribe failed (another tool has it?)";
	for (i = 0; i < sizeof calls / sizeof *calls; i++)
		if (enable(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, calls[i]) != 0)
			return "cuptiEnableCallback failed";
	return NULL;
}

/* Called by the driver while it initializes; 1 is success. */
__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
	static atomic_int started;
	void *cupti;

	if (atomic_exchange(&started, 1))
		return 1;
	cupti = open_cupti();
	if (!cupti)
		failure = "no libcupti";
	else if (find_driver() != 0)
		failure = "the driver lacks graph functions";
	else
		failure = subscribe(cupti);
	atexit(report);
	return 1;
}
