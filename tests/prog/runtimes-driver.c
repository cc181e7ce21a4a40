/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 of lookups alone.  It answers whatever a CUDA runtime asks for when it
 * starts, and says on stderr which file asked, and whose functions the runtime then
 * holds of those that the shim hooks:
 *
 *     ask NAME VERSION FLAGS by FILE
 *     hold NAME of FILE
 *
 * A runtime keeps what it found in its own variables; they are looked through when it
 * asks for the first table of private functions, which it does after all lookups.  Only
 * NVIDIA's driver has these tables, so there the runtime gives up.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define NOT_FOUND 500
#define PER_THREAD 2

#define EXPORT __attribute__((visibility("protected")))

/* A function for each name that the shim knows, but for those that do something here.
 */
#define cuGetProcAddress unused_cuGetProcAddress
#define cuGetProcAddress_v2 unused_cuGetProcAddress_v2
#define cuDriverGetVersion unused_cuDriverGetVersion
#define HOOK(name, params)     \
	EXPORT int name(void); \
	EXPORT int name(void)  \
	{                      \
		return 0;      \
	}
#define CALL(name, params) HOOK(name, params)
#define CALL_NEEDED(name, params) HOOK(name, params)
#include "../../shim/symbols.def"
#undef cuGetProcAddress
#undef cuGetProcAddress_v2
#undef cuDriverGetVersion
#undef HOOK
#undef CALL
#undef CALL_NEEDED

EXPORT int cuGetProcAddress(const char *name, void **found, int version,
                            unsigned long long flags);
EXPORT int cuGetProcAddress_v2(const char *name, void **found, int version,
                               unsigned long long flags, int *status);

EXPORT int cuDriverGetVersion(int *version);
EXPORT int cuDriverGetVersion(int *version)
{
	*version = 13000;
	return 0;
}

static const struct {
	const char *name;
	void *address;
} hooked[] = {
#define HOOK(name, params) {#name, (void *)name},
#define CALL(name, params)
#define CALL_NEEDED(name, params)
#include "../../shim/symbols.def"
};

#define HOOKED (sizeof hooked / sizeof *hooked)

static const char *file_of(const Dl_info *info)
{
	const char *slash = strrchr(info->dli_fname, '/');

	return slash ? slash + 1 : info->dli_fname;
}

static void tell_held(void *word)
{
	Dl_info info;
	size_t i;

	if (!dladdr(word, &info) || info.dli_saddr != word || !info.dli_sname)
		return;
	for (i = 0; i < HOOKED; i++)
		if (!strcmp(hooked[i].name, info.dli_sname))
			fprintf(stderr, "hold %s of %s\n", info.dli_sname,
			        file_of(&info));
}

/* The runtime is a library, or inside the program, whose name is empty here. */
static int look_through(struct dl_phdr_info *object, size_t size, void *arg)
{
	int i;

	(void)size;
	(void)arg;
	if (*object->dlpi_name && !strstr(object->dlpi_name, "/libcudart.so"))
		return 0;
	for (i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		void **word = (void **)(object->dlpi_addr + part->p_vaddr);
		void **end = word + part->p_memsz / sizeof *word;

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_W))
			continue;
		for (; word < end; word++)
			if (*word)
				tell_held(*word);
	}
	return 0;
}

static int no_table(const void **table, const void *id)
{
	static int looked;

	(void)id;
	if (!looked++)
		dl_iterate_phdr(look_through, NULL);
	*table = NULL;
	return NOT_FOUND;
}

static int other(void)
{
	return 0;
}

static void *find(const char *name, int version, unsigned long long flags)
{
	char full[128];
	int second;
	size_t i;

	if (!strcmp(name, "cuGetExportTable"))
		return (void *)no_table;
	if (!strcmp(name, "cuDriverGetVersion"))
		return (void *)cuDriverGetVersion;
	/* The later of two captures came with 10.1, of two cuGetProcAddress with 12.0.
	 */
	for (second = version >= (strcmp(name, "cuGetProcAddress") ? 10010 : 12000);
	     second >= 0; second--) {
		snprintf(full, sizeof full, "%s%s%s", name, second ? "_v2" : "",
		         flags == PER_THREAD ? "_ptsz" : "");
		for (i = 0; i < HOOKED; i++)
			if (!strcmp(hooked[i].name, full))
				return hooked[i].address;
	}
	return (void *)other;
}

static int answer(const char *name, void **found, int version, unsigned long long flags,
                  const void *caller)
{
	Dl_info info;

	fprintf(stderr, "ask %s %d %llu by %s\n", name, version, flags,
	        dladdr(caller, &info) ? file_of(&info) : "nobody");
	*found = find(name, version, flags);
	return 0;
}

int cuGetProcAddress(const char *name, void **found, int version,
                     unsigned long long flags)
{
	return answer(name, found, version, flags, __builtin_return_address(0));
}

int cuGetProcAddress_v2(const char *name, void **found, int version,
                        unsigned long long flags, int *status)
{
	if (status)
		*status = 0;
	return answer(name, found, version, flags, __builtin_return_address(0));
}
