/* SPDX-License-Identifier: MIT */
/*
 * target.c - does the dynamic linker preload anything into a program?  Read from the
 * program's file, as nobody would say so afterwards.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "launch.h"

/* What the kernel and the dynamic linker look at. */
struct image {
	char start[256]; /* the file's first bytes, the rest 0 */
	ElfW(Ehdr) elf;  /* all 0: no ELF file of this machine's word size */
	char interpreter[256];
	int entered; /* it has an address to start at */
};

/* The segment that names the dynamic linker, into image->interpreter. */
static void read_interpreter(int fd, struct image *image)
{
	unsigned i;

	for (i = 0; i < image->elf.e_phnum; i++) {
		ElfW(Phdr) segment;
		off_t at = (off_t)(image->elf.e_phoff + i * sizeof segment);

		if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
			return;
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_filesz < sizeof image->interpreter)
			(void)!pread(fd, image->interpreter, segment.p_filesz,
			             (off_t)segment.p_offset);
		return;
	}
}

/* 0, or -1 where the file cannot be read. */
static int read_image(const char *path, struct image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	memset(image, 0, sizeof *image);
	if (fd < 0)
		return -1;
	n = pread(fd, image->start, sizeof image->start - 1, 0);
	if (n >= (ssize_t)sizeof image->elf && !memcmp(image->start, ELFMAG, SELFMAG) &&
	    image->start[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)) {
		memcpy(&image->elf, image->start, sizeof image->elf);
		image->entered = image->elf.e_entry != 0;
		read_interpreter(fd, image);
	}
	close(fd);
	return n < 0 ? -1 : 0;
}

/* The program named by a script's first line, or NULL. */
static char *script_interpreter(const struct image *image)
{
	const char *p = image->start + 2;

	if (strncmp(image->start, "#!", 2))
		return NULL;
	p += strspn(p, " \t");
	return text_format("%.*s", (int)strcspn(p, " \t\n"), p);
}

/* 1 when the kernel will start it with more rights than ours. */
static int is_privileged(const char *path)
{
	char value[64];
	struct stat st;

	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 || stat(path, &st) != 0)
		return 0;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return 1;
	if ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid())
		return 1;
	return getuid() != 0 &&
	       getxattr(path, "security.capability", value, sizeof value) > 0;
}

static int is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return !strncmp(name, "ld-", 3) || !strncmp(name, "ld.so", 5);
}

int target_trouble(const char *path, const char *library, char *why, size_t size)
{
	struct image program, own;
	char *interpreter;

	if (read_image(path, &program) != 0)
		return 0;
	interpreter = script_interpreter(&program);
	if (interpreter) {
		path = interpreter;
		if (read_image(path, &program) != 0)
			return 0;
	}
	if (is_privileged(path)) {
		snprintf(why, size, "%s runs with its file's privileges", path);
		return 1;
	}
	if (memcmp(program.start, ELFMAG, SELFMAG))
		return 0;
	if (library && read_image(library, &own) == 0 &&
	    (program.start[EI_CLASS] != own.start[EI_CLASS] ||
	     program.elf.e_machine != own.elf.e_machine)) {
		snprintf(why, size, "%s is of another architecture", path);
		return 1;
	}
	/* The dynamic linker itself names none, and preloads. */
	if (program.elf.e_phnum && !program.interpreter[0] && !is_loader(path)) {
		snprintf(why, size, "%s is statically linked", path);
		return 1;
	}
	if (strstr(program.interpreter, "/ld-musl")) {
		snprintf(why, size, "%s uses the C library musl", path);
		return 1;
	}
	return 0;
}

int target_runs(const char *path)
{
	struct image image;

	return read_image(path, &image) == 0 && image.entered && image.interpreter[0] &&
	       access(path, X_OK) == 0;
}

/* Whether the symbol is among those of a table; both lie in the file's `size` bytes. */
static int table_has(const char *file, size_t size, const ElfW(Shdr) * symbols,
                     const ElfW(Shdr) * strings, const char *wanted)
{
	size_t length = strlen(wanted) + 1, i;

	if (symbols->sh_offset > size || symbols->sh_size > size - symbols->sh_offset ||
	    strings->sh_offset > size || strings->sh_size > size - strings->sh_offset)
		return 0;
	for (i = 0; i < symbols->sh_size / sizeof(ElfW(Sym)); i++) {
		ElfW(Sym) symbol;

		memcpy(&symbol, file + symbols->sh_offset + i * sizeof symbol,
		       sizeof symbol);
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < strings->sh_size &&
		    length <= strings->sh_size - symbol.st_name &&
		    !memcmp(file + strings->sh_offset + symbol.st_name, wanted, length))
			return 1;
	}
	return 0;
}

/* The section with that index, or -1. */
static int section_of(const char *file, size_t size, const ElfW(Ehdr) * elf, unsigned i,
                      ElfW(Shdr) * section)
{
	size_t at = i * sizeof *section;

	if (i >= elf->e_shnum || elf->e_shentsize != sizeof *section ||
	    elf->e_shoff > size || at + sizeof *section > size - elf->e_shoff)
		return -1;
	memcpy(section, file + elf->e_shoff + at, sizeof *section);
	return 0;
}

int target_exports(const char *path, const char *symbol)
{
	ElfW(Shdr) symbols, strings;
	struct image image;
	struct stat st;
	int fd, found = 0;
	unsigned i;
	char *file;

	if (read_image(path, &image) != 0 || stat(path, &st) != 0 || !st.st_size)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return 0;
	for (i = 0; i < image.elf.e_shnum && !found; i++)
		found = section_of(file, (size_t)st.st_size, &image.elf, i, &symbols) ==
		            0 &&
		        symbols.sh_type == SHT_DYNSYM &&
		        section_of(file, (size_t)st.st_size, &image.elf,
		                   symbols.sh_link, &strings) == 0 &&
		        table_has(file, (size_t)st.st_size, &symbols, &strings, symbol);
	munmap(file, (size_t)st.st_size);
	return found;
}
