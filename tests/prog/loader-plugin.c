/* SPDX-License-Identifier: MIT */
/* The constructor holds the loader's lock while its thread calls a hooked function. */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>

static void *call(void *result)
{
	*(int *)result = (int)cuMemsetD8Async(0, 0, 0, NULL);
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	pthread_t thread;
	int result = -1;

	if (pthread_create(&thread, NULL, call, &result) == 0)
		pthread_join(thread, NULL);
	printf("thread %s\n", result == -1 ? "did nothing" : "came back");
}
