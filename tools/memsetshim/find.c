/* SPDX-License-Identifier: MIT */
/*
 * find.c - where the libraries and PROG are.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"

/* What separates the entries of LD_PRELOAD; there is no way to quote them. */
static const char SEPARATORS[] = " :";
/* And '$' may begin $ORIGIN, $LIB or $PLATFORM. */
static const char UNQUOTABLE[] = " :$";

/* The folder that this program is in, behind every link; NULL without /proc. */
static const char *own_folder(void)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	if (length <= 0 || path[0] != '/')
		return NULL;
	path[length] = '\0';
	slash = strrchr(path, '/');
	*slash = '\0';
	return path;
}

static int is_readable_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, R_OK) == 0;
}

/* "FOLDER/NAME" without "..", so that nobody else has another way to write it. */
static char *in_folder(const char *folder, const char *name)
{
	char *real = realpath(folder, NULL);
	char *path = text_format("%s/%s", real ? real : folder, name);

	free(real);
	return path;
}

const char *find_library_why(const char *name, char *why, size_t size)
{
	const char *own = own_folder();
	const char *folders[] = {own, NULL, NULL, LIBDIR};
	char *places = text_format("%s", "");
	size_t i;

	if (own) {
		const char *slash = strrchr(own, '/');
		int above = slash ? (int)(slash - own) : 0;

		folders[1] = text_format("%.*s/lib", above, own);
		folders[2] = text_format("%.*s/lib64", above, own);
	}
	for (i = 0; i < ARRAY_LEN(folders); i++) {
		char *path;

		if (!folders[i])
			continue;
		path = in_folder(folders[i], name);
		if (!is_readable_file(path)) {
			places =
			    text_format("%s%s%s", places, *places ? ", " : "", path);
			continue;
		}
		if (path[strcspn(path, UNQUOTABLE)] == '\0')
			return path;
		snprintf(why, size,
		         "%s cannot be preloaded: LD_PRELOAD takes no path with a "
		         "blank, a colon or a dollar sign; move the folder, or rename "
		         "it",
		         path);
		return NULL;
	}
	snprintf(why, size, "%s is not there; looked for %s", name, places);
	return NULL;
}

const char *find_library(const char *name)
{
	char why[PATH_MAX * 2];
	const char *path = find_library_why(name, why, sizeof why);

	if (!path)
		complain("%s", why);
	return path;
}

int find_same_file(const char *a, const char *b)
{
	struct stat first, second;

	if (!strcmp(a, b))
		return 1;
	return stat(a, &first) == 0 && stat(b, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/*
 * Whether `entry` means the same library.  One without a slash is looked up by name,
 * and the loader takes what it has already loaded under that name: ours.
 */
static int is_duplicate(const char *entry, const char *library)
{
	const char *slash = strrchr(library, '/');

	if (!strchr(entry, '/'))
		return !strcmp(entry, slash ? slash + 1 : library);
	return find_same_file(entry, library);
}

char *preload_with(const char *library, const char *old)
{
	char *result = text_format("%s", library);
	char *rest = text_format("%s", old ? old : "");
	char *entry, *state;

	for (entry = strtok_r(rest, SEPARATORS, &state); entry;
	     entry = strtok_r(NULL, SEPARATORS, &state)) {
		char *longer;

		if (is_duplicate(entry, library))
			continue;
		longer = text_format("%s:%s", result, entry);
		free(result);
		result = longer;
	}
	free(rest);
	return result;
}

/* 0 when the file can be executed, as far as its mode says, else the reason. */
static int exec_errno(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return access(path, X_OK) == 0 ? 0 : errno;
}

char *find_program(const char *name)
{
	const char *folders = getenv("PATH");
	int reason = ENOENT, found;
	const char *end;

	if (strchr(name, '/')) {
		reason = exec_errno(name);
		errno = reason;
		return reason ? NULL : text_format("%s", name);
	}
	if (!folders)
		folders = "/bin:/usr/bin"; /* as execvp() */
	for (; *name; folders = end + 1) {
		char *path;

		end = folders + strcspn(folders, ":");
		/* An empty entry is the current folder. */
		path = text_format("%.*s%s%s", (int)(end - folders), folders,
		                   end > folders ? "/" : "./", name);
		found = exec_errno(path);
		if (!found)
			return path;
		free(path);
		if (found == EACCES)
			reason = EACCES;
		if (!*end)
			break;
	}
	errno = reason;
	return NULL;
}

int exec_program(char **argv)
{
	int reason;

	execvp(argv[0], argv);
	reason = errno;
	complain("%s: %s", argv[0], strerror(reason));
	return reason == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}
