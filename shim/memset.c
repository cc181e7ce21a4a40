/* SPDX-License-Identifier: MIT */
/*
 * memset.c - the twelve hooks: arguments to struct fill; captured? else the driver.
 *
 * Outside capture a hook is the driver's own call plus one relaxed load.
 */
#include "capture.h"
#include "fill.h"

#define CALLER __builtin_return_address(0)

#define HOOK_1D(name, type, size, handle)                                             \
	MSS_EXPORT CUresult name(CUdeviceptr dst, type value, size_t n, CUstream s)   \
	{                                                                             \
		if (MSS_UNLIKELY(!DRV(name)))                                         \
			return driver_missing();                                      \
		if (MSS_UNLIKELY(capture_any())) {                                    \
			const struct fill f = {.dst = dst,                            \
			                       .value = value,                        \
			                       .elem = (size),                        \
			                       .width = n,                            \
			                       .height = 1};                          \
                                                                                      \
			if (fill_captured(&f, handle(s), CALLER))                     \
				return CUDA_SUCCESS;                                  \
		}                                                                     \
		return DRV(name)(dst, value, n, s);                                   \
	}

#define HOOK_2D(name, type, size, handle)                                             \
	MSS_EXPORT CUresult name(CUdeviceptr dst, size_t pitch, type value,           \
	                         size_t width, size_t height, CUstream s)             \
	{                                                                             \
		if (MSS_UNLIKELY(!DRV(name)))                                         \
			return driver_missing();                                      \
		if (MSS_UNLIKELY(capture_any())) {                                    \
			const struct fill f = {.dst = dst,                            \
			                       .value = value,                        \
			                       .elem = (size),                        \
			                       .width = width,                        \
			                       .height = height,                      \
			                       .pitch = pitch};                       \
                                                                                      \
			if (fill_captured(&f, handle(s), CALLER))                     \
				return CUDA_SUCCESS;                                  \
		}                                                                     \
		return DRV(name)(dst, pitch, value, width, height, s);                \
	}

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
