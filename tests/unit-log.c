/* SPDX-License-Identifier: MIT */
/*
 * The log writes whole lines of at most 511 bytes to stderr or to the file it was
 * given, appending, nothing to stdout, and leaves errno alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../shim/log.h"
#include "tap.h"

static char folder[] = "/tmp/memsetshim-log-XXXXXX";
static char text[65536];
static int real_stdout, real_stderr;
static FILE *out_sink, *err_sink;

static void redirect(FILE *sink, int fd)
{
	if (ftruncate(fileno(sink), 0) != 0 || lseek(fileno(sink), 0, SEEK_SET) != 0 ||
	    dup2(fileno(sink), fd) < 0)
		bail("descriptor %d cannot be redirected", fd);
}

static void listen(void)
{
	fflush(stdout);
	redirect(out_sink, STDOUT_FILENO);
	redirect(err_sink, STDERR_FILENO);
}

static ssize_t read_all(int fd)
{
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* Bytes on stdout, which are none; text[] is what went to stderr. */
static int heard(void)
{
	ssize_t wrong;

	dup2(real_stdout, STDOUT_FILENO);
	dup2(real_stderr, STDERR_FILENO);
	wrong = read_all(fileno(out_sink));
	read_all(fileno(err_sink));
	return (int)wrong;
}

/* What a file of the folder holds, in text[]; -1 when it is not there. */
static int file_text(const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	read_all(fd);
	close(fd);
	unlink(path);
	return 0;
}

static void level_lines(void)
{
	static const char *const names[] = {"off", "error", "warn", "info", "trace"};
	int level, i;

	for (level = LOG_OFF; level <= LOG_TRACE; level++) {
		char want[256] = "";
		int wrong, wants = 0;

		for (i = LOG_ERROR; i <= level; i++) {
			static const char *const words[] = {"", "error", "warning",
			                                    "info", "trace"};
			size_t used = strlen(want);

			snprintf(want + used, sizeof want - used,
			         "memsetshim[%ld]: %s: line %d\n", (long)getpid(),
			         words[i], i);
		}
		log_setup((enum log_level)level, NULL);
		listen();
		log_line(LOG_ERROR, "line %d", 1);
		log_warn("line %d", 2);
		log_info("line %d", 3);
		log_trace("line %d", 4);
		wrong = heard();
		ok(!strcmp(text, want) && wrong == 0,
		   "%s: the lines of that level and below, on stderr", names[level]);
		for (i = LOG_ERROR; i <= LOG_TRACE; i++)
			wants += log_wants((enum log_level)i) == (i <= level);
		is(wants, 4, "%s: log_wants() agrees", names[level]);
	}
}

static void once(void)
{
	int i, wrong;

	log_setup(LOG_WARN, NULL);
	listen();
	for (i = 0; i < 3; i++)
		log_once(LOG_WARN, "first place");
	log_once(LOG_WARN, "second place");
	wrong = heard();
	ok(wrong == 0 && strstr(text, "first place") && strstr(text, "second place") &&
	       !strstr(strstr(text, "first place") + 1, "first place"),
	   "each place of log_once() speaks once");
}

static void files(void)
{
	char pattern[PATH_MAX], name[512], host[256];
	struct stat st;
	int wrong;

	snprintf(pattern, sizeof pattern, "%s/%%p.%%h.100%%%%.%%x", folder);
	if (gethostname(host, sizeof host) != 0)
		bail("no host name");
	host[sizeof host - 1] = '\0';
	snprintf(name, sizeof name, "%ld.%s.100%%.%%x", (long)getpid(), host);
	log_setup(LOG_WARN, pattern);
	listen();
	log_warn("one");
	log_warn("two");
	wrong = heard();
	ok(wrong == 0 && !*text, "with a file nothing goes to stderr");
	snprintf(pattern, sizeof pattern, "%s/%s", folder, name);
	ok(stat(pattern, &st) == 0 && !(st.st_mode & 0133),
	   "%%p is the process, %%h the host, %%%% a percent sign, the rest itself");
	ok(file_text(name) == 0 && strstr(text, ": one\n") && strstr(text, ": two\n") &&
	       strstr(text, ": one\n") < strstr(text, ": two\n"),
	   "lines are appended");
}

/* A child's %p is its own: nothing is kept open or cached across fork(). */
static void forked(void)
{
	char pattern[PATH_MAX], name[64];
	pid_t child;

	snprintf(pattern, sizeof pattern, "%s/fork.%%p", folder);
	log_setup(LOG_WARN, pattern);
	log_warn("parent");
	child = fork();
	if (child == 0) {
		log_warn("child");
		_exit(0);
	}
	waitpid(child, NULL, 0);
	snprintf(name, sizeof name, "fork.%ld", (long)child);
	ok(file_text(name) == 0 && strstr(text, "child") && !strstr(text, "parent"),
	   "after fork() %%p is the child");
	snprintf(name, sizeof name, "fork.%ld", (long)getpid());
	ok(file_text(name) == 0 && strstr(text, "parent") && !strstr(text, "child"),
	   "the parent's file has the parent's line");
}

static void unopenable(void)
{
	static char endless[PATH_MAX * 2];
	char pattern[PATH_MAX];
	int wrong;

	snprintf(pattern, sizeof pattern, "%s/no/such/folder", folder);
	log_setup(LOG_WARN, pattern);
	listen();
	log_warn("no file");
	wrong = heard();
	ok(wrong == 0 && strstr(text, "warning: no file\n"),
	   "a file that cannot be opened: the line goes to stderr");
	memset(endless, 'a', sizeof endless - 1);
	log_setup(LOG_WARN, endless);
	listen();
	log_warn("no path");
	wrong = heard();
	ok(wrong == 0 && strstr(text, "warning: no path\n"),
	   "a path longer than a path can be: the same");
	listen();
	wrong = log_output(pattern, "text", 4);
	ok(heard() == 0 && wrong == -1 && !*text,
	   "log_output() leaves that to its caller");
	log_setup(LOG_WARN, NULL);
}

static void long_lines(void)
{
	static char long_text[2000];
	char prefix[64];
	size_t length, some;
	int wrong;

	snprintf(prefix, sizeof prefix, "memsetshim[%ld]: warning: ", (long)getpid());
	memset(long_text, 'x', sizeof long_text - 1);
	listen();
	log_warn("%s", long_text);
	wrong = heard();
	length = strlen(text);
	ok(wrong == 0 && length == 511 && text[510] == '\n' && text[509] == 'x',
	   "a long line is cut and still ends in a newline (%zu bytes)", length);
	for (some = 0; some < 4; some++) {
		size_t fits = 510 - strlen(prefix) - 2 + some;

		listen();
		log_warn("%.*s", (int)fits, long_text);
		wrong = heard();
		length = strlen(text);
		ok(wrong == 0 && length == (some < 3 ? 509 + some : 511) &&
		       strchr(text, '\n') == text + length - 1,
		   "a line that just fits, or just not: one newline (%zu bytes)",
		   length);
	}
}

static void errno_kept(void)
{
	char pattern[PATH_MAX];
	int with_stderr, without_file, without_stderr;

	snprintf(pattern, sizeof pattern, "%s/no/such/folder", folder);
	log_setup(LOG_TRACE, NULL);
	listen();
	errno = EDOM;
	log_warn("to stderr");
	with_stderr = errno;
	log_setup(LOG_TRACE, pattern);
	errno = EDOM;
	log_warn("to no file");
	(void)log_output(pattern, "x", 1);
	without_file = errno;
	close(STDERR_FILENO);
	log_setup(LOG_TRACE, NULL);
	errno = EDOM;
	log_warn("to a closed stderr");
	without_stderr = errno;
	(void)heard();
	is(with_stderr, EDOM, "errno is kept");
	is(without_file, EDOM, "errno is kept when the file cannot be opened");
	is(without_stderr, EDOM, "errno is kept when there is no stderr");
}

int main(void)
{
	real_stdout = dup(STDOUT_FILENO);
	real_stderr = dup(STDERR_FILENO);
	out_sink = tmpfile();
	err_sink = tmpfile();
	if (!mkdtemp(folder) || !out_sink || !err_sink)
		bail("no temporary folder");
	level_lines();
	once();
	files();
	forked();
	unopenable();
	long_lines();
	errno_kept();
	if (rmdir(folder) != 0)
		ok(0, "nothing is left in %s", folder);
	return done();
}
