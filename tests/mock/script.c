/* SPDX-License-Identifier: MIT */
/* script.c - reads the script. */
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

enum { MAX_FAULTS = 16, MAX_DEPTH = 8, MAX_NAMES = 1 << 16 };

static struct script script = {.version = 130001};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static struct fault {
	const char *function;
	CUptiResult code;
	uint64_t at; /* which call; 0: each */
	uint64_t calls;
} faults[MAX_FAULTS];
static size_t n_faults;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the counts */

/*
 * The arguments: a letter for each of the statement's numbers, N a name, T a node's
 * type; what follows ? may be left out.
 */
static const struct {
	const char *word, *arguments;
	enum verb verb;
} verbs[] = {
    {"node", "gnT", VERB_NODE},
    {"exec", "g?#", VERB_EXEC},
    {"launch", "g?#", VERB_LAUNCH},
    {"refuse", "g?#", VERB_REFUSE},
    {"kernel", "sedcgnN?h", VERB_KERNEL},
    {"memset", "sedcgn#?h", VERB_MEMSET},
    {"memcpy", "sedcgn#?h", VERB_MEMCPY},
    {"memcpy2", "sedcgn#?h", VERB_MEMCPY2},
    {"graph", "sedcg", VERB_GRAPH},
    {"buffer", "", VERB_BUFFER},
    {"shuffle", "#", VERB_SHUFFLE},
    {"drop", "#", VERB_DROP},
    {"repeat", "#?scn", VERB_REPEAT},
    {"end", "", VERB_END},
    {"pause", "", VERB_PAUSE},
    {"late", "", VERB_LATE},
    {"version", "#", VERB_VERSION},
    {"busy", "?N", VERB_BUSY},
    {"fail", "N#?n", VERB_FAIL},
};

void mock_fail(const char *fmt, ...)
{
	va_list args;

	fputs("mock cupti: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

void *mock_new(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		mock_fail("out of memory");
	return p;
}

/* Names stay, wherever they end up. */
static char *keep(const char *word)
{
	static char names[MAX_NAMES];
	static size_t used;
	size_t size = strlen(word) + 1;
	char *kept = names + used;

	if (size > MAX_NAMES - used)
		mock_fail("too many names");
	memcpy(kept, word, size);
	used += size;
	return kept;
}

static uint64_t *number_of(struct statement *s, char letter)
{
	switch (letter) {
	case 's':
		return &s->start;
	case 'e':
		return &s->end;
	case 'd':
		return &s->device;
	case 'c':
		return &s->correlation;
	case 'g':
		return &s->graph;
	case 'n':
		return &s->node;
	case 'h':
		return &s->channel;
	default:
		return &s->number;
	}
}

/* 0 when the word is not what the letter wants. */
static int read_argument(struct statement *s, char letter, const char *word)
{
	static const char *const types[] = {"kernel", "memcpy", "memset", "host",
	                                    "child",  "empty",  NULL};
	char *end;

	if (letter == 'T') {
		while (types[s->number] && strcmp(types[s->number], word) != 0)
			s->number++;
		return types[s->number] != NULL;
	}
	if (letter == 'N') {
		s->name = keep(word);
		return 1;
	}
	*number_of(s, letter) = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && !*end;
}

/* 0 for a line that is no statement. */
static int read_statement(char *line, struct statement *s)
{
	static const char blanks[] = " \t\r\n";
	char *state, *word = strtok_r(line, blanks, &state);
	const char *a;
	size_t i;

	for (i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(word, verbs[i].word))
			break;
	if (i == sizeof verbs / sizeof *verbs)
		return 0;
	s->verb = verbs[i].verb;
	for (a = verbs[i].arguments; *a; a++) {
		if (*a == '?')
			continue;
		word = strtok_r(NULL, blanks, &state);
		if (!word)
			return memchr(verbs[i].arguments, '?',
			              (size_t)(a - verbs[i].arguments)) != NULL;
		if (!read_argument(s, *a, word))
			return 0;
	}
	return strtok_r(NULL, blanks, &state) == NULL;
}

/* 1 when the statement is a setting, and so nothing to be played. */
static int take_setting(const struct statement *s)
{
	if (s->verb == VERB_VERSION)
		script.version = (uint32_t)s->number;
	else if (s->verb == VERB_BUSY)
		script.busy = s->name ? s->name : "";
	else if (s->verb == VERB_FAIL && n_faults == MAX_FAULTS)
		mock_fail("too many faults");
	else if (s->verb == VERB_FAIL)
		faults[n_faults++] = (struct fault){
		    .function = s->name, .code = (CUptiResult)s->number, .at = s->node};
	else
		return 0;
	return 1;
}

static void read_line(const char *path, unsigned number, char *line, unsigned *depth)
{
	struct statement s = {.verb = VERB_BUFFER};
	int good;

	line[strcspn(line, "#")] = '\0';
	if (line[strspn(line, " \t\r\n")] == '\0')
		return;
	good = read_statement(line, &s);
	if (s.verb == VERB_REPEAT)
		good = good && s.number > 0 && ++*depth <= MAX_DEPTH;
	if (s.verb == VERB_END)
		good = good && (*depth)-- > 0;
	if (!good)
		mock_fail("%s:%u: not understood", path, number);
	if (take_setting(&s))
		return;
	if (script.n % 64 == 0) {
		script.list =
		    realloc(script.list, (script.n + 64) * sizeof *script.list);
		if (!script.list)
			mock_fail("out of memory");
	}
	script.list[script.n++] = s;
}

static void read_script(void)
{
	const char *path = getenv("MOCK_CUPTI");
	unsigned number = 0, depth = 0;
	char line[1024];
	FILE *file;

	if (!path || !*path)
		return;
	file = fopen(path, "re");
	if (!file)
		mock_fail("cannot read %s", path);
	while (fgets(line, sizeof line, file))
		read_line(path, ++number, line, &depth);
	fclose(file);
	if (depth)
		mock_fail("%s: a repeat has no end", path);
}

const struct script *script_get(void)
{
	pthread_once(&once, read_script);
	return &script;
}

CUptiResult script_fault(const char *function)
{
	CUptiResult result = CUPTI_SUCCESS;
	size_t i;

	(void)script_get();
	pthread_mutex_lock(&lock);
	for (i = 0; i < n_faults; i++)
		if (!strcmp(faults[i].function, function) &&
		    (++faults[i].calls == faults[i].at || !faults[i].at))
			result = faults[i].code;
	pthread_mutex_unlock(&lock);
	return result;
}
