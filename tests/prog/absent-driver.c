/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 that lacks nearly everything, as older drivers lack what is new.
 */
int cuInit(unsigned int flags);
int cuInit(unsigned int flags)
{
	return flags ? 1 : 0;
}

int cuMemsetD8Async(void);
int cuMemsetD8Async(void)
{
	return 0;
}
