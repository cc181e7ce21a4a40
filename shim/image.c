/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <pthread.h>

#include "log.h"

extern const unsigned char fill_image[];
extern const uint64_t fill_image_size;

enum { NOT_LOADED, LOADED, FAILED };

static atomic_int state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUkernel kernels[KERNEL_COUNT];

static CUresult load(void)
{
	CUlibrary library;
	CUresult result;
	int k;

	result =
	    DRV(cuLibraryLoadData)(&library, fill_image, NULL, NULL, 0, NULL, NULL, 0);
	if (result != CUDA_SUCCESS)
		return result;
	for (k = 0; k < KERNEL_COUNT; k++) {
		result = DRV(cuLibraryGetKernel)(&kernels[k], library,
		                                 fill_kernel_name((enum fill_kernel)k));
		if (result != CUDA_SUCCESS) {
			DRV(cuLibraryUnload)(library);
			return result;
		}
	}
	return CUDA_SUCCESS;
}

/*
 * Loading code is what a global or thread-local capture forbids, this thread's or
 * another's, unless the thread that does it is in relaxed mode.
 */
static CUresult load_relaxed(void)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUresult result = DRV(cuThreadExchangeStreamCaptureMode)(&mode);
	int tries;

	if (result != CUDA_SUCCESS)
		return result;
	result = load();
	/* The program's mode must come back: a refusal may be a passing one. */
	for (tries = 0; DRV(cuThreadExchangeStreamCaptureMode)(&mode) != CUDA_SUCCESS;
	     tries++)
		if (tries) {
			log_once(LOG_ERROR,
			         "the driver keeps the capture mode relaxed");
			break;
		}
	return result;
}

static void load_once(void)
{
	CUresult result;

	pthread_mutex_lock(&lock);
	if (atomic_load_explicit(&state, memory_order_relaxed) == NOT_LOADED) {
		result =
		    fill_image_size ? load_relaxed() : CUDA_ERROR_NO_BINARY_FOR_GPU;
		if (!fill_image_size)
			log_warn("built without nvcc, so without fill kernels: memsets "
			         "stay memset nodes");
		else if (result != CUDA_SUCCESS)
			log_warn(
			    "no fill kernels (CUresult %d): memsets stay memset nodes",
			    (int)result);
		atomic_store_explicit(&state, result == CUDA_SUCCESS ? LOADED : FAILED,
		                      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
}

CUkernel image_kernel(enum fill_kernel kernel)
{
	int now = atomic_load_explicit(&state, memory_order_acquire);

	if (MSS_UNLIKELY(now == NOT_LOADED)) {
		load_once();
		now = atomic_load_explicit(&state, memory_order_acquire);
	}
	return now == LOADED ? kernels[kernel] : NULL;
}

int image_which(CUkernel kernel, CUfunction function)
{
	int k;

	if (atomic_load_explicit(&state, memory_order_acquire) != LOADED)
		return -1;
	for (k = 0; k < KERNEL_COUNT; k++)
		if (kernel ? kernels[k] == kernel
		           : (void *)kernels[k] == (void *)function)
			return k;
	return -1;
}

void image_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}
