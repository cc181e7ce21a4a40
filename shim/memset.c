/* SPDX-License-Identifier: MIT */
/*
 * memset.c - the twelve hooks: arguments to struct fill; captured? else the driver.
 *
 * Outside capture a hook is the driver's own call plus one relaxed load.
 */
#include "capture.h"
#include "fill.h"

/*
 * Every hook is two functions: the exported one, short enough to need no stack, and
 * its slow part for captures and for the first call of all.
 */
#define HOOK_MEMSET(name, params, args, as_fill, handle)                          \
	MSS_NOINLINE static CUresult name##_slow(MSS_UNPACK params,               \
	                                         const void *caller)              \
	{                                                                         \
		const struct fill f = {MSS_UNPACK as_fill};                       \
                                                                                  \
		if (!DRV(name))                                                   \
			return driver_missing();                                  \
		if (capture_any() && fill_captured(&f, handle(s), caller))        \
			return CUDA_SUCCESS;                                      \
		return DRV(name)(MSS_UNPACK args);                                \
	}                                                                         \
	MSS_EXPORT CUresult name params                                           \
	{                                                                         \
		name##_fn real = DRV_IF_KNOWN(name);                              \
                                                                                  \
		if (MSS_LIKELY(real && !capture_any()))                           \
			return real args;                                         \
		return name##_slow(MSS_UNPACK args, __builtin_return_address(0)); \
	}
#define MSS_UNPACK(...) __VA_ARGS__

#define HOOK_1D(name, type, size, handle)                                          \
	HOOK_MEMSET(                                                               \
	    name, (CUdeviceptr dst, type value, size_t n, CUstream s),             \
	    (dst, value, n, s),                                                    \
	    (.dst = dst, .value = value, .elem = (size), .width = n, .height = 1), \
	    handle)

#define HOOK_2D(name, type, size, handle)                                        \
	HOOK_MEMSET(name,                                                        \
	            (CUdeviceptr dst, size_t pitch, type value, size_t width,    \
	             size_t height, CUstream s),                                 \
	            (dst, pitch, value, width, height, s),                       \
	            (.dst = dst, .value = value, .elem = (size), .width = width, \
	             .height = height, .pitch = pitch),                          \
	            handle)

HOOK_1D(cuMemsetD8Async, unsigned char, 1, stream_legacy)
HOOK_1D(cuMemsetD16Async, unsigned short, 2, stream_legacy)
HOOK_1D(cuMemsetD32Async, unsigned int, 4, stream_legacy)
HOOK_1D(cuMemsetD8Async_ptsz, unsigned char, 1, stream_ptsz)
HOOK_1D(cuMemsetD16Async_ptsz, unsigned short, 2, stream_ptsz)
HOOK_1D(cuMemsetD32Async_ptsz, unsigned int, 4, stream_ptsz)

HOOK_2D(cuMemsetD2D8Async, unsigned char, 1, stream_legacy)
HOOK_2D(cuMemsetD2D16Async, unsigned short, 2, stream_legacy)
HOOK_2D(cuMemsetD2D32Async, unsigned int, 4, stream_legacy)
HOOK_2D(cuMemsetD2D8Async_ptsz, unsigned char, 1, stream_ptsz)
HOOK_2D(cuMemsetD2D16Async_ptsz, unsigned short, 2, stream_ptsz)
HOOK_2D(cuMemsetD2D32Async_ptsz, unsigned int, 4, stream_ptsz)
