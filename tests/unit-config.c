/* SPDX-License-Identifier: MIT */
/*
 * Each variable has its default, takes the values that its help names, and answers any
 * other with the default and exactly one warning; unknown names are told of too.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../shim/config.h"
#include "tap.h"

/* The environment that config_load() sees: up to eight variables. */
static struct {
	const char *name;
	char *value;
} set[8];

static char *get(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(set); i++)
		if (set[i].name && !strcmp(set[i].name, name))
			return set[i].value;
	return NULL;
}

static struct config c; /* what was loaded last */

static char said[65536];
static int real_stderr;
static FILE *sink;

static void listen(void)
{
	fflush(stderr);
	if (ftruncate(fileno(sink), 0) != 0 || lseek(fileno(sink), 0, SEEK_SET) != 0 ||
	    dup2(fileno(sink), STDERR_FILENO) < 0)
		bail("stderr cannot be redirected");
}

/* Stops listening; how many lines were said since, the text in said[]. */
static int heard(void)
{
	ssize_t n;
	const char *p;
	int count = 0;

	dup2(real_stderr, STDERR_FILENO);
	n = pread(fileno(sink), said, sizeof said - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	for (p = said; (p = strchr(p, '\n')); p++)
		count++;
	return count;
}

/* The shim never frees the copies, as it loads but once. */
static void forget(const char *copy)
{
	union {
		const char *in;
		void *out;
	} as = {copy};

	if (copy != CONFIG_STDERR)
		free(as.out);
}

static int load_all(void)
{
	log_setup(LOG_WARN, NULL); /* as at the start of a process */
	forget(c.log_file);
	forget(c.stats);
	memset(&c, 0x55, sizeof c);
	listen();
	config_load(&c, get);
	return heard();
}

/* Loads with one variable set, or none; how many lines that was worth. */
static int load(const char *name, const char *value)
{
	static char copy[4096];

	memset(set, 0, sizeof set);
	if (name) {
		snprintf(copy, sizeof copy, "%s", value);
		set[0].name = name;
		set[0].value = copy;
	}
	return load_all();
}

static void defaults(void)
{

	is(load(NULL, NULL), 0, "nothing set: nothing said");
	ok(c.enabled == 1 && c.log == LOG_WARN && !c.log_file && !c.stats &&
	       c.max_bytes == UINT64_MAX,
	   "nothing set: on, warnings, stderr, no table, no limit");
	ok(config.enabled == 1 && config.log == LOG_WARN && !config.log_file &&
	       !config.stats && config.max_bytes == UINT64_MAX,
	   "the same before anything is loaded");
}

static void switches(void)
{
	static const char *const bad[] = {"",    "2",  "01", "-1",  " 1",
	                                  "yes", "on", "1 ", "off", "0x1"};
	size_t i;

	ok(load("MEMSETSHIM", "0") == 0 && c.enabled == 0, "MEMSETSHIM=0: off");
	ok(load("MEMSETSHIM", "1") == 0 && c.enabled == 1, "MEMSETSHIM=1: on");
	for (i = 0; i < ARRAY_LEN(bad); i++)
		ok(load("MEMSETSHIM", bad[i]) == 1 && c.enabled == 1 &&
		       strstr(said, "MEMSETSHIM=") && strstr(said, bad[i]),
		   "MEMSETSHIM='%s': one warning that shows it, on", bad[i]);
}

static void levels(void)
{
	static const char *const good[] = {"off", "error", "warn", "info", "trace"};
	static const char *const bad[] = {"", "2", "WARN", "warning", "warn ", "debug"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(good); i++)
		ok(load("MEMSETSHIM_LOG", good[i]) == 0 && c.log == (enum log_level)i,
		   "MEMSETSHIM_LOG=%s", good[i]);
	for (i = 0; i < ARRAY_LEN(bad); i++)
		ok(load("MEMSETSHIM_LOG", bad[i]) == 1 && c.log == LOG_WARN,
		   "MEMSETSHIM_LOG='%s': one warning, warn", bad[i]);
}

static void targets(void)
{

	ok(load("MEMSETSHIM_STATS", "0") == 0 && !c.stats, "MEMSETSHIM_STATS=0");
	ok(load("MEMSETSHIM_STATS", "1") == 0 && c.stats == CONFIG_STDERR,
	   "MEMSETSHIM_STATS=1: stderr");
	ok(load("MEMSETSHIM_STATS", "/a/path") == 0 && c.stats &&
	       c.stats != CONFIG_STDERR && !strcmp(c.stats, "/a/path"),
	   "MEMSETSHIM_STATS=/a/path");
	ok(load("MEMSETSHIM_STATS", "10") == 0 && c.stats && c.stats != CONFIG_STDERR &&
	       !strcmp(c.stats, "10"),
	   "MEMSETSHIM_STATS=10 is a file of that name");
	ok(load("MEMSETSHIM_STATS", "") == 1 && !c.stats,
	   "MEMSETSHIM_STATS='': one warning, none");
	ok(load("MEMSETSHIM_LOG_FILE", "/dev/null") == 0 && c.log_file &&
	       !strcmp(c.log_file, "/dev/null"),
	   "MEMSETSHIM_LOG_FILE=/dev/null");
	ok(load("MEMSETSHIM_LOG_FILE", "") == 1 && !c.log_file,
	   "MEMSETSHIM_LOG_FILE='': one warning, stderr");
}

static void sizes(void)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {{"0", 0},
	            {"1", 1},
	            {"007", 7},
	            {"4096", 4096},
	            {"4K", 4096},
	            {"4k", 4096},
	            {"1M", 1 << 20},
	            {"3m", 3 << 20},
	            {"2G", (uint64_t)2 << 30},
	            {"2g", (uint64_t)2 << 30},
	            {"0G", 0},
	            {"18446744073709551615", UINT64_MAX},
	            {"17179869183G", UINT64_MAX - ((1u << 30) - 1)}};
	static const char *const bad[] = {"",
	                                  "K",
	                                  "-1",
	                                  "+1",
	                                  " 1",
	                                  "1 ",
	                                  "1KB",
	                                  "1KK",
	                                  "1T",
	                                  "0x10",
	                                  "1.5K",
	                                  "1e6",
	                                  "none",
	                                  "18446744073709551616",
	                                  "99999999999999999999999999",
	                                  "17179869184G",
	                                  "18446744073709551615K"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(good); i++)
		ok(load("MEMSETSHIM_MAX_BYTES", good[i].text) == 0 &&
		       c.max_bytes == good[i].bytes,
		   "MEMSETSHIM_MAX_BYTES=%s", good[i].text);
	for (i = 0; i < ARRAY_LEN(bad); i++)
		ok(load("MEMSETSHIM_MAX_BYTES", bad[i]) == 1 &&
		       c.max_bytes == UINT64_MAX,
		   "MEMSETSHIM_MAX_BYTES='%s': one warning, no limit", bad[i]);
}

/* Programs that set their title write over the memory the environment was in. */
static void copies(void)
{
	char file[] = "/dev/null", stats[] = "/the/table";

	memset(set, 0, sizeof set);
	set[0].name = "MEMSETSHIM_LOG_FILE";
	set[0].value = file;
	set[1].name = "MEMSETSHIM_STATS";
	set[1].value = stats;
	load_all();
	memset(file, 'x', sizeof file - 1);
	memset(stats, 'x', sizeof stats - 1);
	ok(c.log_file && !strcmp(c.log_file, "/dev/null"), "the log file is a copy");
	ok(c.stats && !strcmp(c.stats, "/the/table"), "the table's path is a copy");
}

/* What is said about the other variables goes where, and is as loud, as they say. */
static void order(void)
{
	char bad[] = "bad", off[] = "off", empty[] = "",
	     path[] = "/tmp/memsetshim-config-XXXXXX";
	char text[4096];
	ssize_t n;
	int fd, quiet, aside;

	memset(set, 0, sizeof set);
	set[0].name = "MEMSETSHIM";
	set[0].value = bad;
	set[1].name = "MEMSETSHIM_MAX_BYTES";
	set[1].value = bad;
	set[2].name = "MEMSETSHIM_LOG";
	set[2].value = off;
	quiet = load_all();
	is(quiet, 0, "MEMSETSHIM_LOG=off silences the warnings about the rest");

	set[3].name = "MEMSETSHIM_LOG_FILE";
	set[3].value = empty;
	quiet = load_all();
	is(quiet, 0, "that about an empty MEMSETSHIM_LOG_FILE too");
	set[3].name = NULL;

	fd = mkstemp(path);
	if (fd < 0)
		bail("no temporary file");
	set[2].name = "MEMSETSHIM_LOG_FILE";
	set[2].value = path;
	aside = load_all();
	n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	unlink(path);
	close(fd);
	ok(aside == 0 && strstr(text, "MEMSETSHIM=bad") &&
	       strstr(text, "MEMSETSHIM_MAX_BYTES=bad"),
	   "MEMSETSHIM_LOG_FILE takes the warnings about the rest");
}

static int unknown(const char *const *environment)
{
	union {
		const char *const *in;
		char *const *out;
	} as = {environment};

	listen();
	config_warn_unknown(as.out);
	return heard();
}

static void names(void)
{
	static const char *const known[] = {"PATH=/bin",
	                                    "MEMSETSHIM=1",
	                                    "MEMSETSHIM_LOG=warn",
	                                    "MEMSETSHIM_LOG_FILE=x",
	                                    "MEMSETSHIM_STATS=1",
	                                    "MEMSETSHIM_MAX_BYTES=1",
	                                    "XMEMSETSHIM_FOO=1",
	                                    "memsetshim_foo=1",
	                                    NULL};
	static const char *const other[] = {
	    "MEMSETSHIM_FOO=1",  "HOME=/", "MEMSETSHIM_LO=1",  "MEMSETSHIM_LOGS=a=b",
	    "MEMSETSHIM_STATS=", "A=",     "MEMSETSHIM_EMPTY", NULL};
	static const char *const none[] = {NULL};

	load(NULL, NULL);
	is(unknown(known), 0, "what config.def has is not warned of, nor other names");
	is(unknown(none), 0, "an empty environment");
	is(unknown(NULL), 0, "no environment at all");
	is(unknown(other), 4, "one warning for each unknown name");
	ok(strstr(said, "MEMSETSHIM_FOO is") && strstr(said, "MEMSETSHIM_LO is") &&
	       strstr(said, "MEMSETSHIM_LOGS is") &&
	       strstr(said, "MEMSETSHIM_EMPTY is"),
	   "each is named, without its value");
}

int main(void)
{
	real_stderr = dup(STDERR_FILENO);
	sink = tmpfile();
	if (!sink || real_stderr < 0)
		bail("no temporary file");
	defaults();
	switches();
	levels();
	targets();
	sizes();
	copies();
	order();
	names();
	return done();
}
