/* SPDX-License-Identifier: MIT */
#include "graphs.h"
#include "store.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* CUDA_KERNEL_NODE_PARAMS_v2 */
struct kernel_params {
	void *function;
	unsigned sizes[7];
	void **params, **extra;
	void *kernel, *context;
};

/* As cuda.h declares them, with pointers for handles. */
static struct {
	int (*get_nodes)(void *graph, void **nodes, size_t *n);
	int (*get_type)(void *node, int *type);
	int (*get_child)(void *node, void **graph);
	/* Not in every driver: then fills are known by their records only. */
	int (*get_kernel)(void *node, struct kernel_params *params);
	int (*function_name)(const char **name, void *function);
	int (*kernel_name)(const char **name, void *kernel);
} driver;

static void find_driver(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (!lib)
		return;
	*(void **)&driver.get_nodes = dlsym(lib, "cuGraphGetNodes");
	*(void **)&driver.get_type = dlsym(lib, "cuGraphNodeGetType");
	*(void **)&driver.get_child = dlsym(lib, "cuGraphChildGraphNodeGetGraph");
	*(void **)&driver.get_kernel = dlsym(lib, "cuGraphKernelNodeGetParams_v2");
	*(void **)&driver.function_name = dlsym(lib, "cuFuncGetName");
	*(void **)&driver.kernel_name = dlsym(lib, "cuKernelGetName");
}

enum gap_kind graphs_kind(int node_type)
{
	switch (node_type) {
	case ABI_NODE_KERNEL:
		return GAP_KERNEL;
	case ABI_NODE_MEMCPY:
		return GAP_MEMCPY;
	case ABI_NODE_MEMSET:
		return GAP_MEMSET;
	default:
		return GAP_OTHER;
	}
}

static int is_fill(void *node)
{
	struct kernel_params params = {0};
	const char *name = NULL;

	if (!driver.get_kernel || driver.get_kernel(node, &params) != 0)
		return 0;
	if (params.kernel && driver.kernel_name)
		(void)driver.kernel_name(&name, params.kernel);
	if (!name && params.function && driver.function_name)
		(void)driver.function_name(&name, params.function);
	return store_is_fill(name);
}

static void learn(const struct cupti *cupti, void *graph, int depth);

static void learn_node(const struct cupti *cupti, void *node, int depth)
{
	void *child = NULL;
	uint64_t id;
	int type;

	if (driver.get_type(node, &type) != 0 ||
	    cupti->cuptiGetGraphNodeId(node, &id) != ABI_SUCCESS)
		return;
	/* A fill says that it is a memset; asked as a kernel, it has a name. */
	if (type == ABI_NODE_KERNEL || type == ABI_NODE_MEMSET)
		store_node(id, is_fill(node) ? GAP_FILL : graphs_kind(type));
	else
		store_node(id, graphs_kind(type));
	if (type == ABI_NODE_GRAPH && driver.get_child(node, &child) == 0)
		learn(cupti, child, depth + 1);
}

static void learn(const struct cupti *cupti, void *graph, int depth)
{
	void **nodes;
	size_t n = 0, i;

	if (depth > 8 || driver.get_nodes(graph, NULL, &n) != 0 || n == 0)
		return;
	nodes = calloc(n, sizeof *nodes);
	if (nodes && driver.get_nodes(graph, nodes, &n) == 0)
		for (i = 0; i < n; i++)
			learn_node(cupti, nodes[i], depth);
	free(nodes);
}

void graphs_learn(const struct cupti *cupti, void *graph)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_driver);
	if (graph && driver.get_nodes && driver.get_type && driver.get_child)
		learn(cupti, graph, 0);
}
