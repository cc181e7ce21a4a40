/* SPDX-License-Identifier: MIT */
/*
 * preload_with() puts one library in front of a list, and keeps the rest in its order,
 * whatever stands between the entries.
 */
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools/memsetshim/command.h"
#include "tap.h"

void complain(const char *fmt, ...)
{
	(void)fmt;
}

static void check(const char *library, const char *old, const char *wanted)
{
	char *got = preload_with(library, old);

	if (!ok(!strcmp(got, wanted), "'%s' becomes '%s'", old ? old : "(null)",
	        wanted))
		printf("# got '%s'\n", got);
	free(got);
}

static void words(void)
{
	check("/x/l.so", NULL, "/x/l.so");
	check("/x/l.so", "", "/x/l.so");
	check("/x/l.so", " ", "/x/l.so");
	check("/x/l.so", ":: :", "/x/l.so");
	check("/x/l.so", "/a.so", "/x/l.so:/a.so");
	check("/x/l.so", "/b.so:/a.so /c.so", "/x/l.so:/b.so:/a.so:/c.so");
	check("/x/l.so", ":/a.so:", "/x/l.so:/a.so");
	check("/x/l.so", "/a.so:/a.so", "/x/l.so:/a.so:/a.so");
	check("/x/l.so", "/x/l.so", "/x/l.so");
	check("/x/l.so", "/x/l.so:/a.so:/x/l.so", "/x/l.so:/a.so");
	check("/x/l.so", "/a.so /x/l.so", "/x/l.so:/a.so");
	/* Names that only look alike; one without a folder is what is loaded already.
	 */
	check("/x/l.so", "/x/l.so.1:/y/x/l.so:x/l.so",
	      "/x/l.so:/x/l.so.1:/y/x/l.so:x/l.so");
	check("/x/l.so", "l.so:libl.so", "/x/l.so:libl.so");
	check("/x/l.so", "/$LIB/a.so:${ORIGIN}/b.so",
	      "/x/l.so:/$LIB/a.so:${ORIGIN}/b.so");
}

/* The same file by another path, link or folder. */
static void files(void)
{
	char folder[] = "/tmp/memsetshim-preload-XXXXXX";
	FILE *file;

	if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("d", 0700) != 0)
		bail("no temporary folder");
	file = fopen("l.so", "w");
	if (!file || fclose(file) != 0 || link("l.so", "hard.so") != 0 ||
	    symlink("l.so", "soft.so") != 0 || symlink(".", "here") != 0)
		bail("no files in %s", folder);
	check("./l.so", "./hard.so:./soft.so:./here/l.so:./d/../l.so:././l.so",
	      "./l.so");
	check("./l.so", "./none.so:./soft.so:./d", "./l.so:./none.so:./d");
	/* Two files that are not there are not the same one. */
	check("./gone.so", "./none.so", "./gone.so:./none.so");
	if (unlink("l.so") || unlink("hard.so") || unlink("soft.so") ||
	    unlink("here") || rmdir("d") || chdir("/") || rmdir(folder))
		ok(0, "nothing is left in %s", folder);
}

/* A list longer than any buffer. */
static void endless(void)
{
	static char old[200000], wanted[200016];
	char *got;
	size_t i;

	for (i = 0; i + 8 < sizeof old; i += 7)
		strcpy(old + i, ":/ab.so");
	strcpy(wanted, "/x/l.so");
	strcat(wanted, old);
	got = preload_with("/x/l.so", old);
	ok(!strcmp(got, wanted), "a list of %zu bytes", strlen(old));
	free(got);
}

int main(void)
{
	words();
	files();
	endless();
	return done();
}
