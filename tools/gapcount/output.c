/* SPDX-License-Identifier: MIT */
#include "output.h"
#include "gap_write.h"
#include "options.h"
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_html(FILE *out, const struct gap_report *report)
{
	gap_write_html(out, report, NULL, NULL);
}

static const struct format {
	const char *name;
	void (*write)(FILE *out, const struct gap_report *report);
} formats[] = {
    {"table", NULL}, /* takes one argument more */
    {"json", gap_write_json}, {"csv", gap_write_csv}, {"trace", gap_write_trace},
    {"html", write_html},
};

struct target {
	const struct format *format;
	char path[PATH_MAX];
	int to_stderr;
};

/* The next FORMAT:PATH of the list: 1, 0 when there is none, -1 when it is neither. */
static int next_target(const char **list, struct target *target)
{
	size_t length = strcspn(*list, ","), name, i;
	const char *word = *list;

	if (!*word)
		return 0;
	*list += length + (word[length] == ',');
	name = strcspn(word, ":,");
	target->format = NULL;
	for (i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strlen(formats[i].name) == name &&
		    !memcmp(word, formats[i].name, name))
			target->format = &formats[i];
	if (!target->format || name + 1 >= length || length - name > PATH_MAX)
		return -1;
	snprintf(target->path, sizeof target->path, "%.*s", (int)(length - name - 1),
	         word + name + 1);
	target->to_stderr = !strcmp(target->path, "-");
	return 1;
}

int output_has_files(const char *outputs)
{
	struct target target;
	int found, files = 0;

	while ((found = next_target(&outputs, &target)) != 0)
		files |= found > 0 && !target.to_stderr;
	return files;
}

void output_check(const char *outputs)
{
	struct target target;
	const char *word = outputs;
	int found;

	while ((found = next_target(&outputs, &target)) != 0) {
		if (found < 0)
			gapcount_say(
			    "GAPCOUNT_OUTPUT: \"%.*s\" is not FORMAT:PATH, with "
			    "table, json, csv, trace or html as the format; "
			    "ignored",
			    (int)strcspn(word, ","), word);
		word = outputs;
	}
}

static void write_to(FILE *out, const struct target *target,
                     const struct gap_report *report, unsigned top)
{
	if (target->format->write)
		target->format->write(out, report);
	else
		gap_write_table(out, report, top);
}

/* In one go: other processes may write to the same stderr. */
static void write_stderr(const struct target *target, const struct gap_report *report,
                         unsigned top)
{
	char *text = NULL;
	size_t length = 0, done = 0;
	ssize_t n;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return;
	write_to(out, target, report, top);
	if (fclose(out) == 0)
		while (done < length) {
			n = write(STDERR_FILENO, text + done, length - done);
			if (n < 0 && errno != EINTR)
				break;
			done += n > 0 ? (size_t)n : 0;
		}
	free(text);
}

/* A pipe or a device is written into; only a file can be replaced by another. */
static int is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

static int write_file(const char *path, const struct target *target,
                      const struct gap_report *report, unsigned top)
{
	char beside[PATH_MAX + 16];
	const char *to = path;
	int fd, failed, replace = is_file(path);
	FILE *out;

	if (replace) {
		snprintf(beside, sizeof beside, "%s.new%ld", path, (long)getpid());
		to = beside;
	}
	fd = open(to, O_WRONLY | O_CLOEXEC | (replace ? O_CREAT | O_TRUNC : 0), 0644);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		failed = errno;
		if (fd >= 0)
			close(fd);
		return failed;
	}
	write_to(out, target, report, top);
	failed = ferror(out) ? EIO : 0;
	if (fclose(out) != 0 && !failed)
		failed = errno;
	if (replace && !failed && rename(beside, path) != 0)
		failed = errno;
	if (replace && failed)
		unlink(beside);
	return failed;
}

void output_write(const char *outputs, const struct gap_report *report, unsigned top,
                  int files_only)
{
	/* The program may have set a locale whose decimal point is a comma. */
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	locale_t before = c_locale ? uselocale(c_locale) : NULL;
	struct target target;
	char path[PATH_MAX];
	int found, err;

	while ((found = next_target(&outputs, &target)) != 0) {
		if (found < 0 || (files_only && target.to_stderr))
			continue;
		if (target.to_stderr) {
			write_stderr(&target, report, top);
			continue;
		}
		err = path_expand(target.path, path, sizeof path) != 0
		          ? ENAMETOOLONG
		          : write_file(path, &target, report, top);
		if (err)
			gapcount_say("cannot write %s: %s", target.path, strerror(err));
	}
	if (c_locale) {
		uselocale(before);
		freelocale(c_locale);
	}
}
