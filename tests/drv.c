/* SPDX-License-Identifier: MIT */
#include "drv.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define AGAIN "DRV_AGAIN" /* set for drv_rerun()'s child */

/* A child reports by its exit status and prints no TAP of its own. */
static int forked_child;

static int in_child(void)
{
	return forked_child || getenv(AGAIN) != NULL;
}

int drv_is_sim(void)
{
	return dlsym(RTLD_DEFAULT, "sim_reset") != NULL;
}

void drv_must(CUresult result, const char *call, const char *file, int line)
{
	const char *name = NULL;

	if (result == CUDA_SUCCESS)
		return;
	cuGetErrorName(result, &name);
	printf("# %s:%d: %s: %s (%d)\n", file, line, call, name ? name : "?",
	       (int)result);
	fflush(stdout);
	if (in_child())
		_exit(99);
	ok(0, "a call that the test needs");
	exit(done());
}

CUcontext drv_start(void)
{
	CUcontext ctx;
	CUdevice device;
	int count = 0;

	if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS ||
	    count < 1) {
		if (in_child())
			_exit(97);
		skip_all("no GPU, and not the simulated driver");
	}
	must(cuDeviceGet(&device, 0));
	must(cuDevicePrimaryCtxRetain(&ctx, device));
	must(cuCtxSetCurrent(ctx));
	return ctx;
}

size_t drv_nodes(CUgraph graph)
{
	size_t total = 0;

	must(cuGraphGetNodes(graph, NULL, &total));
	return total;
}

CUgraphNodeType drv_type(CUgraphNode node)
{
	CUresult (*ask)(CUgraphNode, CUgraphNodeType *);
	CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;

	*(void **)&ask = drv_own("cuGraphNodeGetType");
	must(ask ? ask(node, &type) : CUDA_ERROR_NOT_FOUND);
	return type;
}

size_t drv_count(CUgraph graph, CUgraphNodeType type)
{
	CUgraphNode *nodes;
	size_t total = drv_nodes(graph), found = 0, i;

	if (!total) /* room for none is an error, and there is nothing to count */
		return 0;
	nodes = calloc(total, sizeof *nodes);
	if (!nodes)
		bail("out of memory");
	must(cuGraphGetNodes(graph, nodes, &total));
	for (i = 0; i < total; i++)
		found += drv_type(nodes[i]) == type;
	free(nodes);
	return found;
}

int drv_shim(int on)
{
	int (*set)(int);

	*(void **)&set = dlsym(RTLD_DEFAULT, "memsetshim_set_enabled");
	return set ? set(on) : -1;
}

CUresult drv_replay(CUgraph graph, CUstream stream, int times)
{
	CUgraphExec exec;
	CUresult result = cuGraphInstantiateWithFlags(&exec, graph, 0);

	if (result != CUDA_SUCCESS)
		return result;
	while (times-- > 0 && result == CUDA_SUCCESS)
		result = cuGraphLaunch(exec, stream);
	if (result == CUDA_SUCCESS)
		result = cuStreamSynchronize(stream);
	cuGraphExecDestroy(exec);
	return result;
}

void drv_read(void *host, CUdeviceptr from, size_t bytes)
{
	must(cuMemcpyDtoH(host, from, bytes));
}

void drv_write(CUdeviceptr to, const void *host, size_t bytes)
{
	must(cuMemcpyHtoD(to, host, bytes));
}

CUdeviceptr drv_alloc(size_t bytes)
{
	CUdeviceptr at;

	must(cuMemAlloc(&at, bytes));
	return at;
}

CUstream drv_stream(void)
{
	CUstream stream;

	must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

CUcontext drv_context(void)
{
	CUresult (*create)(CUcontext *, unsigned int, CUdevice);
	CUcontext ctx;

	*(void **)&create = drv_entry("cuCtxCreate_v2");
	must(create(&ctx, 0, 0));
	return ctx;
}

void *drv_entry(const char *name)
{
	void *libcuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *found = libcuda ? dlsym(libcuda, name) : NULL;

	if (libcuda)
		dlclose(libcuda);
	return found;
}

/* --- the driver's own symbol table ------------------------------------------------ */

struct wanted {
	const char *name;
	void *found;
};

/* The loader has made these pointers absolute, as it does on all but a few machines. */
static void search_table(struct wanted *w, ElfW(Addr) base, const ElfW(Dyn) * dynamic)
{
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL, *buckets, *chain;
	uint32_t h = 5381, i;
	const char *c;

	for (; dynamic->d_tag != DT_NULL; dynamic++) {
		if (dynamic->d_tag == DT_SYMTAB)
			symbols = (const ElfW(Sym) *)dynamic->d_un.d_ptr;
		if (dynamic->d_tag == DT_STRTAB)
			strings = (const char *)dynamic->d_un.d_ptr;
		if (dynamic->d_tag == DT_GNU_HASH)
			hash = (const uint32_t *)dynamic->d_un.d_ptr;
	}
	if (!symbols || !strings || !hash)
		return;
	for (c = w->name; *c; c++)
		h = h * 33 + (unsigned char)*c;
	buckets = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof *hash);
	chain = buckets + hash[0];
	for (i = buckets[h % hash[0]]; i >= hash[1]; i++) {
		uint32_t here = chain[i - hash[1]];

		if ((here | 1) == (h | 1) && symbols[i].st_shndx != SHN_UNDEF &&
		    !strcmp(strings + symbols[i].st_name, w->name))
			w->found = (void *)(base + symbols[i].st_value);
		if (here & 1)
			break;
	}
}

static int search_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct wanted *w = arg;
	int i;

	(void)size;
	if (!info->dlpi_name || !strstr(info->dlpi_name, "libcuda.so"))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			search_table(w, info->dlpi_addr,
			             (const ElfW(Dyn) *)(info->dlpi_addr +
			                                 info->dlpi_phdr[i].p_vaddr));
	return 1;
}

void *drv_own(const char *name)
{
	struct wanted w = {.name = name};

	dl_iterate_phdr(search_object, &w);
	return w.found;
}

/* --- one memset, of any kind ------------------------------------------------------ */

const char *drv_set_name(const struct drv_set *m)
{
	static __thread char name[32];

	snprintf(name, sizeof name, "cuMemset%s%uAsync%s", m->rows ? "D2D" : "D",
	         8 * m->elem, m->twin ? "_ptsz" : "");
	return name;
}

#define AS(function, pointer) ((__typeof__(&function))(pointer))

CUresult drv_memset(const struct drv_set *m, CUstream s)
{
	static void *const linked[2][5] = {{[1] = (void *)cuMemsetD8Async,
	                                    [2] = (void *)cuMemsetD16Async,
	                                    [4] = (void *)cuMemsetD32Async},
	                                   {[1] = (void *)cuMemsetD2D8Async,
	                                    [2] = (void *)cuMemsetD2D16Async,
	                                    [4] = (void *)cuMemsetD2D32Async}};
	void *f = m->twin ? drv_entry(drv_set_name(m)) : linked[m->rows][m->elem];
	unsigned short half = (unsigned short)m->value;
	unsigned char byte = (unsigned char)m->value;

	if (!f)
		return CUDA_ERROR_NOT_FOUND;
	if (m->rows && m->elem == 1)
		return AS(cuMemsetD2D8Async, f)(m->dst, m->pitch, byte, m->width,
		                                m->height, s);
	if (m->rows && m->elem == 2)
		return AS(cuMemsetD2D16Async, f)(m->dst, m->pitch, half, m->width,
		                                 m->height, s);
	if (m->rows)
		return AS(cuMemsetD2D32Async, f)(m->dst, m->pitch, m->value, m->width,
		                                 m->height, s);
	if (m->elem == 1)
		return AS(cuMemsetD8Async, f)(m->dst, byte, m->width, s);
	if (m->elem == 2)
		return AS(cuMemsetD16Async, f)(m->dst, half, m->width, s);
	return AS(cuMemsetD32Async, f)(m->dst, m->value, m->width, s);
}

size_t drv_span(const struct drv_set *m)
{
	size_t row = m->width * m->elem;

	if (!row || (m->rows && !m->height))
		return 0;
	return m->rows ? (m->height - 1) * m->pitch + row : row;
}

void drv_apply(const struct drv_set *m, unsigned char *picture, CUdeviceptr base)
{
	size_t x, y, row = m->width * m->elem;

	for (y = 0; y < (m->rows ? m->height : 1); y++)
		for (x = 0; x < row; x++)
			picture[m->dst - base + y * m->pitch + x] =
			    (unsigned char)(m->value >> (8 * (x % m->elem)));
}

void drv_dirty(unsigned char *bytes, size_t n, unsigned int seed)
{
	unsigned int state = seed * 2654435761u + 12345u;
	size_t i;

	for (i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		bytes[i] = (unsigned char)(state >> 24);
	}
}

CUgraph drv_capture(const struct drv_set *m, CUstream stream, struct drv_outcome *o)
{
	CUgraph graph = NULL;

	*o = (struct drv_outcome){0};
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	o->call = drv_memset(m, stream);
	o->end = cuStreamEndCapture(stream, &graph);
	if (o->end != CUDA_SUCCESS)
		return NULL;
	o->nodes = drv_nodes(graph);
	o->kernels = drv_count(graph, CU_GRAPH_NODE_TYPE_KERNEL);
	o->memsets = drv_count(graph, CU_GRAPH_NODE_TYPE_MEMSET);
	return graph;
}

/* --- children --------------------------------------------------------------------- */

static int wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		bail("no child");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int drv_child(int (*body)(void *), void *arg)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		int result;

		forked_child = 1;
		alarm(60);
		result = body(arg);
		fflush(stdout);
		_exit(result);
	}
	return wait_for(child);
}

/* This program runs under the same emulator as its parent (tests/run), if any. */
static int rerun(void *argument)
{
	const char *emulator = getenv("EMULATOR");
	char program[PATH_MAX] = "", words[PATH_MAX], *argv[16], *word, *rest = words;
	size_t n = 0;

	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		return 98;
	snprintf(words, sizeof words, "%s", emulator ? emulator : "");
	while (n < 13 && (word = strsep(&rest, " ")))
		if (*word)
			argv[n++] = word;
	argv[n] = program;
	argv[n + 1] = argument;
	argv[n + 2] = NULL;
	setenv(AGAIN, "1", 1);
	execvp(argv[0], argv);
	return 98;
}

static int have_gpu(void *arg)
{
	(void)arg;
	drv_start();
	return 0;
}

void drv_need_gpu(void)
{
	if (drv_child(have_gpu, NULL) == 97)
		skip_all("no GPU, and not the simulated driver");
}

int drv_rerun(const char *argument)
{
	char copy[128];

	snprintf(copy, sizeof copy, "%s", argument);
	return drv_child(rerun, copy);
}
