/* SPDX-License-Identifier: MIT */
/*
 * library.c - libraries and modules.  Whatever the image, each contains every kernel
 * that there is (kernel.c); a kernel's function is loaded into a context when first
 * needed.
 */
#include <ctype.h>
#include <string.h>

#include "sim.h"

static CUlibrary libraries;

int sim_libraries(void)
{
	CUlibrary l;
	int n = 0;

	for (l = libraries; l; l = l->next)
		n += l->magic == SIM_LIBRARY_MAGIC;
	return n;
}

/* A fat binary, its wrapper, an ELF image, or PTX text. */
static int is_image(const void *code)
{
	static const unsigned char magic[][4] = {
	    {0x50, 0xed, 0x55, 0xba}, {0xb1, 0x43, 0x62, 0x46}, {0x7f, 'E', 'L', 'F'}};
	const unsigned char *first = code;
	size_t i;

	for (i = 0; i < ARRAY_LEN(magic); i++)
		if (!memcmp(code, magic[i], sizeof magic[i]))
			return 1;
	return (isprint(*first) || isspace(*first)) && strstr(code, ".version");
}

static CUresult load(CUlibrary *library, const void *code, CUcontext ctx)
{
	CUresult result;

	if (!library || !code)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_unsafe();
	if (result != CUDA_SUCCESS)
		return result;
	if (!is_image(code))
		return CUDA_ERROR_INVALID_IMAGE;
	*library = sim_new(1, sizeof **library);
	(*library)->magic = SIM_LIBRARY_MAGIC;
	(*library)->ctx = ctx;
	(*library)->next = libraries;
	libraries = *library;
	return CUDA_SUCCESS;
}

static CUresult unload(CUlibrary library, int module)
{
	CUkernel k;
	CUfunction f;

	if (!library || library->magic != SIM_LIBRARY_MAGIC ||
	    (library->ctx != NULL) != module)
		return CUDA_ERROR_INVALID_HANDLE;
	for (k = library->kernels; k; k = k->next) {
		k->magic = 0;
		for (f = k->functions; f; f = f->next)
			f->magic = 0;
	}
	library->magic = 0;
	return CUDA_SUCCESS;
}

static CUresult get_kernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	const struct kernel_type *type;
	CUkernel k;

	if (!library || library->magic != SIM_LIBRARY_MAGIC)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!kernel || !name)
		return CUDA_ERROR_INVALID_VALUE;
	type = sim_kernel_type(name);
	if (!type)
		return CUDA_ERROR_NOT_FOUND;
	for (k = library->kernels; k; k = k->next)
		if (k->type == type) {
			*kernel = k;
			return CUDA_SUCCESS;
		}
	k = sim_new(1, sizeof *k);
	k->magic = SIM_KERNEL_MAGIC;
	k->library = library;
	k->type = type;
	k->next = library->kernels;
	library->kernels = k;
	*kernel = k;
	return CUDA_SUCCESS;
}

CUfunction sim_function(CUkernel kernel, CUcontext ctx)
{
	CUfunction f;

	for (f = kernel->functions; f; f = f->next)
		if (f->ctx == ctx && f->magic == SIM_FUNCTION_MAGIC)
			return f;
	f = sim_new(1, sizeof *f);
	f->magic = SIM_FUNCTION_MAGIC;
	f->kernel = kernel;
	f->ctx = ctx;
	f->next = kernel->functions;
	kernel->functions = f;
	return f;
}

void sim_functions_forget(CUcontext ctx)
{
	CUlibrary l;
	CUkernel k;
	CUfunction f;

	for (l = libraries; l; l = l->next) {
		for (k = l->kernels; k; k = k->next)
			for (f = k->functions; f; f = f->next)
				if (f->ctx == ctx)
					f->magic = 0;
		if (l->ctx == ctx)
			unload(l, 1);
	}
}

SIM_EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *code,
                                      CUjit_option *jit, void **jit_values,
                                      unsigned int jit_count, CUlibraryOption *options,
                                      void **option_values, unsigned int option_count)
{
	SIM_CALL(cuLibraryLoadData);
	(void)jit;
	(void)jit_values;
	(void)jit_count;
	(void)options;
	(void)option_values;
	(void)option_count;
	if (!sim_initialized())
		return CUDA_ERROR_NOT_INITIALIZED;
	return load(library, code, NULL);
}

SIM_EXPORT CUresult cuLibraryUnload(CUlibrary library)
{
	SIM_CALL(cuLibraryUnload);
	return unload(library, 0);
}

SIM_EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                                       const char *name)
{
	SIM_CALL(cuLibraryGetKernel);
	return get_kernel(kernel, library, name);
}

static int is_kernel(CUkernel kernel)
{
	return kernel && kernel->magic == SIM_KERNEL_MAGIC;
}

/* Loading into the current context is what a capture may forbid; asking again is not.
 */
SIM_EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	CUfunction f;

	SIM_CALL(cuKernelGetFunction);
	sim_entered = sim_ready();
	if (sim_entered != CUDA_SUCCESS)
		return sim_entered;
	if (!function || !is_kernel(kernel))
		return function ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	for (f = kernel->functions; f; f = f->next)
		if (f->ctx == sim_current() && f->magic == SIM_FUNCTION_MAGIC)
			break;
	if (!f)
		sim_entered = sim_unsafe();
	if (sim_entered == CUDA_SUCCESS)
		*function = sim_function(kernel, sim_current());
	return sim_entered;
}

SIM_EXPORT CUresult cuKernelGetName(const char **name, CUkernel kernel)
{
	SIM_CALL(cuKernelGetName);
	if (!name || !kernel)
		return CUDA_ERROR_INVALID_VALUE;
	if (!is_kernel(kernel))
		return CUDA_ERROR_INVALID_HANDLE;
	*name = kernel->type->name;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	SIM_CALL(cuKernelGetLibrary);
	if (!library || !is_kernel(kernel))
		return library ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*library = kernel->library;
	return CUDA_SUCCESS;
}

/* Parameters lie one after another, each aligned to its size. */
static CUresult param_info(CUkernel kernel, size_t index, size_t *offset, size_t *size)
{
	size_t at = 0, i;

	if (!offset || index >= (size_t)kernel->type->params)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i <= index; i++) {
		size_t n = kernel->type->sizes[i];

		at = (at + n - 1) / n * n;
		*offset = at;
		if (size)
			*size = n;
		at += n;
	}
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                                         size_t *size)
{
	SIM_CALL(cuKernelGetParamInfo);
	return is_kernel(kernel) ? param_info(kernel, index, offset, size)
	                         : CUDA_ERROR_INVALID_HANDLE;
}

/* Takes a CUkernel too, as the driver does wherever it takes a CUfunction. */
CUkernel sim_kernel_of(CUfunction function)
{
	if (is_kernel((CUkernel)function))
		return (CUkernel)function;
	return function && function->magic == SIM_FUNCTION_MAGIC ? function->kernel
	                                                         : NULL;
}

SIM_EXPORT CUresult cuFuncGetName(const char **name, CUfunction function)
{
	SIM_CALL(cuFuncGetName);
	if (!name || !function)
		return CUDA_ERROR_INVALID_VALUE;
	if (!sim_kernel_of(function))
		return CUDA_ERROR_INVALID_HANDLE;
	*name = sim_kernel_of(function)->type->name;
	return CUDA_SUCCESS;
}

SIM_EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index,
                                       size_t *offset, size_t *size)
{
	SIM_CALL(cuFuncGetParamInfo);
	return sim_kernel_of(function)
	           ? param_info(sim_kernel_of(function), index, offset, size)
	           : CUDA_ERROR_INVALID_HANDLE;
}

SIM_EXPORT CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	SIM_CALL(cuFuncGetModule);
	if (!module || !sim_kernel_of(function))
		return module ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*module = (CUmodule)sim_kernel_of(function)->library;
	return CUDA_SUCCESS;
}

static CUresult load_module(CUmodule *module, const void *image)
{
	CUresult result = sim_ready();

	return result != CUDA_SUCCESS ? result
	                              : load((CUlibrary *)module, image, sim_current());
}

SIM_EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	SIM_CALL(cuModuleLoadData);
	return load_module(module, image);
}

SIM_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
                                       unsigned int count, CUjit_option *options,
                                       void **values)
{
	SIM_CALL(cuModuleLoadDataEx);
	(void)count;
	(void)options;
	(void)values;
	return load_module(module, image);
}

SIM_EXPORT CUresult cuModuleUnload(CUmodule module)
{
	SIM_CALL(cuModuleUnload);
	sim_entered = sim_unsafe();
	return sim_entered != CUDA_SUCCESS ? sim_entered : unload((CUlibrary)module, 1);
}

SIM_EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                        const char *name)
{
	CUkernel kernel;

	SIM_CALL(cuModuleGetFunction);
	sim_entered = get_kernel(&kernel, (CUlibrary)module, name);
	if (sim_entered == CUDA_SUCCESS)
		*function = sim_function(kernel, ((CUlibrary)module)->ctx);
	return sim_entered;
}
