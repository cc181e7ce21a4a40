/* SPDX-License-Identifier: MIT */
/*
 * Functions: what the driver tells of one, by whichever handle, and which attributes of
 * a kernel node it gives back as they were set and copied.
 */
#include <string.h>

#include "drv_kernels.h"

static CUdeviceptr memory;

static void by_library(void)
{
	CUlibrary library = NULL, told = NULL;
	CUkernel kernel = NULL;
	CUfunction function = NULL;
	const char *name = NULL;
	int threads = 0;

	must(cuLibraryLoadData(&library, test_image, NULL, NULL, 0, NULL, NULL, 0));
	must(cuLibraryGetKernel(&kernel, library, "sim_copy_bytes"));
	must(cuKernelGetName(&name, kernel));
	ok(!strcmp(name, "sim_copy_bytes"), "a kernel's name");
	must(cuKernelGetFunction(&function, kernel));
	must(cuFuncGetName(&name, function));
	ok(!strcmp(name, "sim_copy_bytes"), "its function's is the same");
	must(cuKernelGetLibrary(&told, kernel));
	ok(told == library, "a kernel's library");
	must(cuKernelGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
	                          kernel, 0));
	ok(threads > 0 && threads <= 1024, "a kernel's attribute");
	is(cuKernelGetName(NULL, kernel), CUDA_ERROR_INVALID_VALUE,
	   "no place: invalid");
	must(cuLibraryUnload(library));
}

static void by_module(void)
{
	CUmodule loaded = NULL, module = NULL;
	CUfunction function = NULL, again = NULL;
	const char *name = NULL;
	int threads = 0;

	must(cuModuleLoadData(&loaded, test_image));
	must(cuModuleGetFunction(&function, loaded, "sim_add_bytes"));
	must(cuFuncGetName(&name, function));
	ok(!strcmp(name, "sim_add_bytes"), "a function's name");
	must(cuFuncGetModule(&module, function));
	must(cuModuleGetFunction(&again, module, "sim_add_bytes"));
	ok(again == function, "and its module, which has it");
	must(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
	                        function));
	ok(threads > 0 && threads <= 1024, "a function's attribute");
	is(cuFuncGetName(&name, NULL), CUDA_ERROR_INVALID_VALUE,
	   "no function: invalid");
	is(cuFuncGetName(NULL, function), CUDA_ERROR_INVALID_VALUE,
	   "no place: invalid");
}

static CUgraphNode node_in(CUgraph graph)
{
	struct drv_add a = {memory, 16, 1, {0}};
	CUDA_KERNEL_NODE_PARAMS p;
	CUgraphNode node = NULL;

	memset(&p, 0, sizeof p);
	p.func = drv_kernel("sim_add_bytes");
	p.gridDimX = p.gridDimY = p.gridDimZ = 1;
	p.blockDimX = p.blockDimY = p.blockDimZ = 1;
	p.kernelParams = drv_add_args(&a);
	must(cuGraphAddKernelNode(&node, graph, NULL, 0, &p));
	return node;
}

static void attributes(void)
{
	CUlaunchAttributeValue set, got;
	CUgraphNode node, other;
	int least, greatest;
	CUgraph graph;

	must(cuCtxGetStreamPriorityRange(&least, &greatest));
	must(cuGraphCreate(&graph, 0));
	node = node_in(graph);
	other = node_in(graph);
	memset(&set, 0, sizeof set);
	set.priority = greatest;
	must(cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &set));
	memset(&set, 0, sizeof set);
	set.cooperative = 1;
	must(
	    cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &set));
	must(cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
	is(got.priority, greatest, "a priority comes back");
	must(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
	                                   &got));
	is(got.cooperative, 0, "another node has not changed");
	is(cuGraphKernelNodeCopyAttributes(other, node), CUDA_SUCCESS, "copied");
	must(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_PRIORITY, &got));
	is(got.priority, greatest, "the priority with them");
	must(cuGraphKernelNodeGetAttribute(other, CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
	                                   &got));
	is(got.cooperative, 1, "and the rest");
	must(cuGraphDestroy(graph));
}

int main(void)
{
	drv_start();
	if (!drv_entry("cuFuncGetName") || !drv_entry("cuKernelGetLibrary"))
		skip_all("this driver tells no names");
	memory = drv_alloc(64);
	by_library();
	by_module();
	attributes();
	return done();
}
