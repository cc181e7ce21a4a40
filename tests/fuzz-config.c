/* SPDX-License-Identifier: MIT */
/*
 * Whatever the environment holds, each setting has its default or what its value says,
 * never anything else; each value that makes no sense and each unknown name is one
 * line; and the log's file is where %p, %h and %% put it.
 *
 * No file is touched: log.c's open() and write() end here (Makefile: --wrap).
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "../shim/config.h"
#include "../shim/path.h"
#include "fuzz.h"

#define LINE 512 /* no line of the log is longer */
#define ROOM 8192

static const char *const names[] = {
#define SWITCH(field, name, def, help) name,
#define LEVEL(field, name, def, help) name,
#define TARGET(field, name, help) name,
#define PATH(field, name, help) name,
#define SIZE(field, name, help) name,
#include "../shim/config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
};

static char *values[ARRAY_LEN(names)]; /* the environment; NULL: not set */

/* --- what log.c does to the world ---------------------------------------------- */

static int listening, lines, opened;
static char path[PATH_MAX]; /* of the last open() */

/* The names that the linker gives to the wrapped and to the wrapper. */
int real_open(const char *name, int flags, ...) __asm__("__real_open");
ssize_t real_write(int fd, const void *bytes, size_t n) __asm__("__real_write");
int wrap_open(const char *name, int flags, mode_t mode) __asm__("__wrap_open");
ssize_t wrap_write(int fd, const void *bytes, size_t n) __asm__("__wrap_write");

int wrap_open(const char *name, int flags, mode_t mode)
{
	if (!listening)
		return real_open(name, flags, mode);
	check(strlen(name) < sizeof path);
	strcpy(path, name);
	opened++;
	return real_open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* One write, one line: what is in a value may break it, the library itself may not. */
ssize_t wrap_write(int fd, const void *bytes, size_t n)
{
	const char *line = bytes;

	if (!listening)
		return real_write(fd, bytes, n);
	check(n > 0 && n < LINE && line[n - 1] == '\n' && !memchr(line, '\0', n));
	check(!strncmp(line, "memsetshim[", 11));
	lines++;
	return (ssize_t)n;
}

/* --- any text ------------------------------------------------------------------ */

static const char *const words[] = {
    "0",      "1",          "7", "off",        "error",          "warn",   "info",
    "trace",  "K",          "m", "G",          "18446744073709", "551615", "%p",
    "%h",     "%%",         "%", "MEMSETSHIM", "_LOG",           "_L",     "_FILE",
    "_STATS", "_MAX_BYTES", "=", "\n",         "\x1b\xff"};

/* A word that hardly leaves room in a path. */
static const char *long_word(void)
{
	static char all[PATH_MAX - 2];

	memset(all, 'x', sizeof all - 1);
	return all;
}

/* Bytes of the upper half stand for words; a quarter of all bytes ends a text. */
static char *text(struct input *in, const char *start)
{
	static char all[ROOM];
	size_t used = strlen(start);
	uint8_t byte;
	char *copy;

	strcpy(all, start);
	while ((byte = fuzz_byte(in)) >= 0x20 && byte < 0xe0) {
		char one[2] = {(char)byte, '\0'};
		const char *more = one;

		if (byte >= 0xdc)
			more = long_word();
		else if (byte >= 0x80)
			more = words[(byte - 0x80) % ARRAY_LEN(words)];
		if (used + strlen(more) >= sizeof all)
			break;
		strcpy(all + used, more);
		used += strlen(more);
	}
	copy = strdup(all);
	check(copy);
	return copy;
}

static char *get(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], name))
			return values[i];
	check(!name); /* one that config.def lacks */
	return NULL;
}

/* --- what is right ------------------------------------------------------------- */

static int same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Each returns 1 when the value is to be warned of, and checks what came of it. */
static int check_switch(const char *value, int got, int def)
{
	int good = same(value, "0") || same(value, "1");

	check(got == (good ? *value == '1' : def));
	return value && !good;
}

static int check_level(const char *value, enum log_level got, enum log_level def)
{
	static const char *const levels[] = {"off", "error", "warn", "info", "trace"};
	size_t i;

	for (i = 0; i < ARRAY_LEN(levels); i++)
		if (same(value, levels[i])) {
			check(got == (enum log_level)i);
			return 0;
		}
	check(got == def);
	return value != NULL;
}

static int check_path(const char *value, const char *got)
{
	check(value && *value ? same(got, value) && got != value : !got);
	return same(value, "");
}

static int check_target(const char *value, const char *got)
{
	if (same(value, "0"))
		check(!got);
	else if (same(value, "1"))
		check(got == CONFIG_STDERR);
	else
		return check_path(value, got);
	return 0;
}

static int check_size(const char *value, uint64_t got)
{
	__extension__ unsigned __int128 n = 0;
	size_t digits = value ? strspn(value, "0123456789") : 0, i;
	const char *unit = value ? value + digits : "";
	int good =
	    digits && strlen(unit) <= 1 && strspn(unit, "kKmMgG") == strlen(unit);

	for (i = 0; good && i < digits && n <= UINT64_MAX; i++)
		n = n * 10 + (unsigned int)(value[i] - '0');
	if (good && *unit)
		n *= strchr("kK", *unit) ? 1u << 10
		                         : (strchr("mM", *unit) ? 1u << 20 : 1u << 30);
	good = good && n <= UINT64_MAX;
	check(got == (good ? (uint64_t)n : UINT64_MAX));
	return value && !good;
}

static int check_all(const struct config *c)
{
	int bad = 0;

#define SWITCH(field, name, def, help) bad += check_switch(get(name), c->field, def);
#define LEVEL(field, name, def, help) bad += check_level(get(name), c->field, def);
#define TARGET(field, name, help) bad += check_target(get(name), c->field);
#define PATH(field, name, help) bad += check_path(get(name), c->field);
#define SIZE(field, name, help) bad += check_size(get(name), c->field);
#include "../shim/config.def"
#undef SWITCH
#undef LEVEL
#undef TARGET
#undef PATH
#undef SIZE
	return bad;
}

/* What %p, %h and %% become. */
static char *expanded(const char *pattern)
{
	char *all = calloc(strlen(pattern) + 1, 256);
	char host[256] = "unknown", *to = all;

	check(all);
	gethostname(host, sizeof host - 1);
	for (; *pattern; pattern++) {
		if (*pattern != '%' || !strchr("ph%", pattern[1]) || !pattern[1])
			*to++ = *pattern;
		else if (*++pattern == '%')
			*to++ = '%';
		else if (*pattern == 'h')
			to += sprintf(to, "%s", host);
		else
			to += sprintf(to, "%ld", (long)getpid());
	}
	return all;
}

/* --- the three functions ------------------------------------------------------- */

static void expand(struct input *in)
{
	uint8_t near = fuzz_byte(in);
	size_t any = (size_t)(fuzz_number(in) % ROOM);
	char *pattern = text(in, ""), *want = expanded(pattern);
	size_t size = near & 1 ? strlen(want) + near / 2 % 3 : any;
	char *got = malloc(size ? size : 1);
	int result;

	check(got);
	result = path_expand(pattern, got, size);
	check(result == (strlen(want) < size ? 0 : -1));
	check(result != 0 || !strcmp(got, want));
	free(pattern);
	free(want);
	free(got);
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

/* Where the lines went. */
static void check_log(const struct config *c)
{
	char *want = c->log_file ? expanded(c->log_file) : NULL;

	/* A name that is too long is none: stderr. */
	check(opened == (want && strlen(want) < PATH_MAX ? lines : 0));
	check(!opened || !strcmp(path, want));
	free(want);
}

static void load(void)
{
	struct config c;
	int bad;

	memset(&c, 0x55, sizeof c);
	log_setup(LOG_WARN, NULL); /* as at the start of a process */
	lines = opened = 0;
	listening = 1;
	config_load(&c, get);
	listening = 0;
	bad = check_all(&c);
	check(lines == (c.log >= LOG_WARN ? bad : 0));
	/* Said about the file's name before there is one. */
	if (!same(get("MEMSETSHIM_LOG_FILE"), ""))
		check_log(&c);
	log_setup(LOG_OFF, NULL);
	forget(c.log_file);
	forget(c.stats);
}

static int known(const char *entry)
{
	size_t i, length = strcspn(entry, "=");

	for (i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == length && !memcmp(entry, names[i], length))
			return 1;
	return 0;
}

static void warn_unknown(struct input *in)
{
	char *environment[9] = {NULL};
	int unknown = 0, i;

	for (i = 0; i < 8 && in->at < in->end; i++) {
		environment[i] = text(in, fuzz_byte(in) & 1 ? "MEMSETSHIM" : "");
		unknown += !strncmp(environment[i], "MEMSETSHIM", 10) &&
		           !known(environment[i]);
	}
	log_setup(LOG_WARN, NULL);
	lines = 0;
	listening = 1;
	config_warn_unknown(environment);
	listening = 0;
	log_setup(LOG_OFF, NULL);
	check(lines == unknown);
	while (i > 0)
		free(environment[--i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	uint8_t what = fuzz_byte(&in) % 4;
	size_t i;

	if (what == 0) {
		warn_unknown(&in);
		return 0;
	}
	if (what == 1) {
		expand(&in);
		return 0;
	}
	for (i = 0; i < ARRAY_LEN(names); i++)
		values[i] = fuzz_byte(&in) % 4 ? text(&in, "") : NULL;
	load();
	for (i = 0; i < ARRAY_LEN(names); i++)
		free(values[i]);
	return 0;
}
