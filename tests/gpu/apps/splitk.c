/* SPDX-License-Identifier: MIT */
/*
 * splitk.c - float64 products for which cuBLAS splits K, each shape in one graph.
 *
 *     splitk [REPLAYS] [LIBCUBLAS]
 *
 * The memsets are cuBLAS's own; on an H200 with cuBLAS 13 it captures one for each
 * product of these shapes.  cuBLAS is opened by path or by name, so nothing of it is
 * needed to build this.  Exits 77 where there is no GPU or no cuBLAS.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS = 20, MAX_MN = 256, ELEMENTS = 64 * 65536, WORKSPACE = 32 << 20 };

/* The part of cublas_v2.h that is used here. */
static struct {
	int (*create)(void **handle);
	int (*set_stream)(void *handle, CUstream stream);
	int (*set_workspace)(void *handle, void *memory, size_t bytes);
	int (*dgemm)(void *handle, int ta, int tb, int m, int n, int k,
	             const double *alpha, const double *a, int lda, const double *b,
	             int ldb, const double *beta, double *c, int ldc);
} blas;

static void *handle;
static CUstream stream;
static CUdeviceptr a, b, c;
static double product[MAX_MN * MAX_MN];

static const struct shape {
	int mn, k;
} shapes[] = {{256, 4096}, {128, 16384}, {64, 65536}};

static void must_be(int good, int status, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "splitk: %s failed\n", what);
	exit(status);
}

#define must(call) must_be((call) == 0, 1, #call)

static void load_cublas(const char *path)
{
	void *lib = dlopen(path ? path : "libcublas.so.13", RTLD_NOW);

	if (!lib && !path)
		lib = dlopen("libcublas.so.12", RTLD_NOW);
	must_be(lib != NULL, 77, "opening cuBLAS");
	*(void **)&blas.create = dlsym(lib, "cublasCreate_v2");
	*(void **)&blas.set_stream = dlsym(lib, "cublasSetStream_v2");
	*(void **)&blas.set_workspace = dlsym(lib, "cublasSetWorkspace_v2");
	*(void **)&blas.dgemm = dlsym(lib, "cublasDgemm_v2");
	must_be(blas.create && blas.set_stream && blas.set_workspace && blas.dgemm, 77,
	        "finding cublasDgemm");
}

static CUdeviceptr upload_random(uint64_t seed)
{
	static double host[ELEMENTS];
	CUdeviceptr to;
	size_t i;

	for (i = 0; i < ELEMENTS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		host[i] = (double)(int32_t)(seed >> 32) / 2147483648.0;
	}
	must(cuMemAlloc(&to, sizeof host));
	must(cuMemcpyHtoD(to, host, sizeof host));
	return to;
}

static void set_up(const char *path)
{
	CUdeviceptr workspace;
	CUcontext context;
	CUdevice device;

	must_be(cuInit(0) == CUDA_SUCCESS, 77, "cuInit");
	must_be(cuDeviceGet(&device, 0) == CUDA_SUCCESS, 77, "cuDeviceGet");
	must(cuDevicePrimaryCtxRetain(&context, device));
	must(cuCtxSetCurrent(context));
	must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	a = upload_random(1);
	b = upload_random(2);
	must(cuMemAlloc(&c, sizeof product));
	must(cuMemAlloc(&workspace, WORKSPACE));
	load_cublas(path);
	/* The stream before the workspace, which it takes away. */
	must(blas.create(&handle) || blas.set_stream(handle, stream) ||
	     blas.set_workspace(handle, (void *)workspace, WORKSPACE));
}

static void multiply(const struct shape *s)
{
	const double one = 1, zero = 0;

	must(blas.dgemm(handle, 0, 0, s->mn, s->mn, s->k, &one, (const double *)a,
	                s->mn, (const double *)b, s->k, &zero, (double *)c, s->mn));
}

static void run(const struct shape *s, long replays)
{
	const size_t bytes = (size_t)s->mn * (size_t)s->mn * sizeof *product;
	const unsigned char *at = (unsigned char *)product;
	uint64_t sum = 14695981039346656037u; /* FNV-1a */
	CUgraphExec exec;
	CUgraph graph;
	size_t i;

	multiply(s); /* what cuBLAS loads it loads now, not during the capture */
	must(cuStreamSynchronize(stream));
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (i = 0; i < PRODUCTS; i++)
		multiply(s);
	must(cuStreamEndCapture(stream, &graph));
	must(cuGraphInstantiateWithFlags(&exec, graph, 0));
	memset(product, 0xee, bytes);
	must(cuMemcpyHtoD(c, product, bytes));
	while (replays-- > 0)
		must(cuGraphLaunch(exec, stream));
	must(cuStreamSynchronize(stream));
	must(cuMemcpyDtoH(product, c, bytes));
	for (i = 0; i < bytes; i++)
		sum = (sum ^ at[i]) * 1099511628211u;
	printf("splitk %dx%dx%d %016llx\n", s->mn, s->mn, s->k,
	       (unsigned long long)sum);
	must(cuGraphExecDestroy(exec));
	must(cuGraphDestroy(graph));
}

int main(int argc, char **argv)
{
	const long replays = argc > 1 ? strtol(argv[1], NULL, 10) : 300;
	size_t i;

	must_be(replays > 0 && argc <= 3, 2, "reading [REPLAYS] [LIBCUBLAS]");
	set_up(argc > 2 ? argv[2] : NULL);
	for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
		run(&shapes[i], replays);
	return 0;
}
