/* SPDX-License-Identifier: MIT */
/*
 * cublas.c - the memsets of cuBLAS's own split-K GEMM become kernels: the same product,
 * bit for bit, and no slower.
 *
 *     cublas LIBCUBLAS JSON
 *
 * Captures float64 products natively and with the shim in one process, replays both by
 * turns, and uses the shapes for which cuBLAS captures a memset node by itself.  cuBLAS
 * is opened by path, so nothing of it is needed to build this.
 */
#include "drv.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define ROUNDS 31
#define REPLAYS 5
#define PRODUCTS 20 /* in one graph */
#define MAX_MN 256
#define MAX_K 65536
#define WORKSPACE ((size_t)32 << 20)

/* The part of cublas_v2.h that is used here. */
static struct {
	int (*create)(void **handle);
	int (*set_stream)(void *handle, CUstream stream);
	int (*set_workspace)(void *handle, void *memory, size_t bytes);
	int (*version)(void *handle, int *version);
	int (*dgemm)(void *handle, int ta, int tb, int m, int n, int k,
	             const double *alpha, const double *a, int lda, const double *b,
	             int ldb, const double *beta, double *c, int ldc);
} blas;

static void *handle;
static CUstream stream;
static CUdeviceptr a, b, c;

static const struct shape {
	int mn, k;
} shapes[] = {
    {64, 4096},   {64, 16384}, {64, 65536},  {128, 4096},  {128, 16384},
    {128, 65536}, {256, 4096}, {256, 16384}, {256, 65536},
};

struct captured {
	CUgraph graph;
	CUgraphExec exec;
	size_t memsets, kernels;
	double samples[ROUNDS], us; /* of one product */
	double *product;
};

static void load_cublas(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW);
	int version = 0;

	if (!lib)
		skip_all("%s", dlerror());
	*(void **)&blas.create = dlsym(lib, "cublasCreate_v2");
	*(void **)&blas.set_stream = dlsym(lib, "cublasSetStream_v2");
	*(void **)&blas.set_workspace = dlsym(lib, "cublasSetWorkspace_v2");
	*(void **)&blas.version = dlsym(lib, "cublasGetVersion_v2");
	*(void **)&blas.dgemm = dlsym(lib, "cublasDgemm_v2");
	if (!blas.create || !blas.set_stream || !blas.set_workspace || !blas.version ||
	    !blas.dgemm)
		skip_all("%s lacks a function", path);
	if (blas.create(&handle) != 0)
		bail("cublasCreate failed");
	blas.version(handle, &version);
	printf("# cuBLAS %d\n", version);
}

static void upload_random(CUdeviceptr to, size_t count)
{
	double *host = malloc(count * sizeof *host);
	uint64_t x = 88172645463325252u;
	size_t i;

	if (!host)
		bail("out of memory");
	for (i = 0; i < count; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		host[i] = (double)(int32_t)x / 2147483648.0;
	}
	drv_write(to, host, count * sizeof *host);
	free(host);
}

static void set_up(const char *path)
{
	const size_t count = (size_t)MAX_MN * MAX_K;
	CUdeviceptr workspace;

	must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	must(cuMemAlloc(&a, count * sizeof(double)));
	must(cuMemAlloc(&b, count * sizeof(double)));
	must(cuMemAlloc(&c, (size_t)MAX_MN * MAX_MN * sizeof(double)));
	must(cuMemAlloc(&workspace, WORKSPACE));
	upload_random(a, count);
	upload_random(b, count);
	load_cublas(path);
	/* The stream first: setting it takes the workspace away again. */
	if (blas.set_stream(handle, stream) != 0 ||
	    blas.set_workspace(handle, (void *)workspace, WORKSPACE) != 0)
		bail("cuBLAS takes no stream or no workspace");
}

static int multiply(const struct shape *s)
{
	const double one = 1, zero = 0;

	return blas.dgemm(handle, 0, 0, s->mn, s->mn, s->k, &one, (const double *)a,
	                  s->mn, (const double *)b, s->k, &zero, (double *)c, s->mn);
}

static void capture(struct captured *g, const struct shape *s, int shim)
{
	int i, status = 0;

	drv_shim(shim);
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (i = 0; i < PRODUCTS; i++)
		status |= multiply(s);
	must(cuStreamEndCapture(stream, &g->graph));
	drv_shim(1);
	if (status != 0)
		bail("cublasDgemm failed");
	must(cuGraphInstantiateWithFlags(&g->exec, g->graph, 0));
	g->memsets = drv_count(g->graph, CU_GRAPH_NODE_TYPE_MEMSET);
	g->kernels = drv_count(g->graph, CU_GRAPH_NODE_TYPE_KERNEL);
	g->product = calloc((size_t)s->mn * (size_t)s->mn, sizeof(double));
	if (!g->product)
		bail("out of memory");
}

static void release(struct captured *g)
{
	must(cuGraphExecDestroy(g->exec));
	must(cuGraphDestroy(g->graph));
	free(g->product);
}

/* Microseconds of one product. */
static double replay(const struct captured *g)
{
	static CUevent start, end;
	float ms;
	int i;

	if (!start) {
		must(cuEventCreate(&start, CU_EVENT_DEFAULT));
		must(cuEventCreate(&end, CU_EVENT_DEFAULT));
	}
	must(cuEventRecord(start, stream));
	for (i = 0; i < REPLAYS; i++)
		must(cuGraphLaunch(g->exec, stream));
	must(cuEventRecord(end, stream));
	must(cuEventSynchronize(end));
	must(cuEventElapsedTime(&ms, start, end));
	return (double)ms * 1e3 / REPLAYS / PRODUCTS;
}

static void fetch(struct captured *g, const struct shape *s)
{
	const size_t bytes = (size_t)s->mn * (size_t)s->mn * sizeof(double);

	memset(g->product, 0xee, bytes);
	drv_write(c, g->product, bytes);
	replay(g);
	drv_read(g->product, c, bytes);
}

static int compare(const void *x, const void *y)
{
	double p = *(const double *)x, q = *(const double *)y;

	return (p > q) - (p < q);
}

static double median(double *samples)
{
	qsort(samples, ROUNDS, sizeof *samples, compare);
	return samples[ROUNDS / 2];
}

static void measure(struct captured *native, struct captured *shim)
{
	int i;

	for (i = 0; i < 3; i++) {
		replay(native);
		replay(shim);
	}
	for (i = 0; i < ROUNDS; i++) {
		if (i % 2)
			native->samples[i] = replay(native);
		shim->samples[i] = replay(shim);
		if (i % 2 == 0)
			native->samples[i] = replay(native);
	}
	native->us = median(native->samples);
	shim->us = median(shim->samples);
}

/* 1 when cuBLAS captured memsets for this shape, so that something was checked. */
static int test_shape(const struct shape *s, FILE *json, int first, double *worst)
{
	struct captured native = {0}, shim = {0};
	const size_t bytes = (size_t)s->mn * (size_t)s->mn * sizeof(double);
	char name[64];

	snprintf(name, sizeof name, "%dx%dx%d", s->mn, s->mn, s->k);
	if (multiply(s) != 0 || cuStreamSynchronize(stream) != CUDA_SUCCESS)
		bail("%s: cublasDgemm failed", name);
	capture(&native, s, 0);
	if (native.memsets == 0) {
		printf("# %s: cuBLAS captures no memset\n", name);
		release(&native);
		return 0;
	}
	capture(&shim, s, 1);
	is(shim.memsets, 0, "%s: no memset node of %zu is left", name, native.memsets);
	is(shim.kernels, native.kernels + native.memsets, "%s: each became a kernel",
	   name);
	fetch(&native, s);
	fetch(&shim, s);
	ok(!memcmp(native.product, shim.product, bytes), "%s: the same product", name);
	measure(&native, &shim);
	printf("# %s: native %.3f us, shim %.3f us a product\n", name, native.us,
	       shim.us);
	if (shim.us / native.us > *worst)
		*worst = shim.us / native.us;
	fprintf(json,
	        "%s{\"shape\": \"%s\", \"products\": %d, \"memsets_native\": %zu, "
	        "\"memsets_shim\": %zu, \"native_us\": %.4f, \"shim_us\": %.4f}",
	        first ? "" : ",\n", name, PRODUCTS, native.memsets, shim.memsets,
	        native.us, shim.us);
	release(&native);
	release(&shim);
	return 1;
}

int main(int argc, char **argv)
{
	double worst = 0;
	int used = 0;
	size_t i;
	FILE *json;

	if (argc != 3)
		bail("usage: cublas LIBCUBLAS JSON");
	drv_start();
	if (drv_is_sim())
		skip_all("cuBLAS needs the real driver");
	if (drv_shim(1) < 0)
		bail("the shim is not preloaded");
	set_up(argv[1]);
	json = fopen(argv[2], "w");
	if (!json)
		bail("cannot write %s", argv[2]);
	fprintf(json, "{\"rounds\": %d, \"shapes\": [\n", ROUNDS);
	for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
		used += test_shape(&shapes[i], json, used == 0, &worst);
	fprintf(json, "\n], \"worst_ratio\": %.4f}\n", worst);
	fclose(json);
	if (!used)
		skip("cuBLAS captured no memset for any shape tried");
	return done();
}
