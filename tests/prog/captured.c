/* SPDX-License-Identifier: MIT */
/*
 * Plays what the mock of CUPTI has, then holds a capture in global mode, which many
 * calls of any thread's invalidate, for two seconds and a half.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	void *cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	void (*play)(void) = NULL;
	CUcontext context;
	CUstream stream;
	CUgraph graph;
	CUresult result;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxSetCurrent(context) || cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING))
		return 1;
	if (!cupti)
		cupti = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
	if (cupti)
		*(void **)&play = dlsym(cupti, "mock_cupti_play");
	if (play)
		play();
	if (cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL))
		return 1;
	usleep(2500000);
	result = cuStreamEndCapture(stream, &graph);
	printf("%s, end %d\n", play ? "played" : "not played", (int)result);
	return 0;
}
