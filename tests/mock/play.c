/* SPDX-License-Identifier: MIT */
/* play.c - goes through the script, statement by statement. */
#include <pthread.h>

#include "mock.h"

enum { MAX_DEPTH = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all of this */
static size_t at;
static struct loop {
	size_t begin;   /* the first statement inside */
	uint64_t n;     /* times done */
	uint64_t count; /* of times */
	uint64_t period, step, node_step;
} loops[MAX_DEPTH];
static size_t depth;

static void begin_loop(const struct statement *s)
{
	loops[depth++] = (struct loop){.begin = at,
	                               .count = s->number,
	                               .period = s->start,
	                               .step = s->correlation,
	                               .node_step = s->node};
}

static void end_loop(void)
{
	struct loop *loop = &loops[depth - 1];

	if (++loop->n < loop->count)
		at = loop->begin;
	else
		depth--;
}

static void play_record(const struct statement *s)
{
	struct statement now = *s;
	uint64_t time = 0;
	/* Aligned as records are. */
	uint64_t record[RECORD_MAX / sizeof(uint64_t)];
	uint8_t *bytes = (uint8_t *)record;
	size_t i;

	if (!record_wanted(s))
		return;
	for (i = 0; i < depth; i++) {
		time += loops[i].n * loops[i].period;
		now.correlation += loops[i].n * loops[i].step;
		now.node += loops[i].n * loops[i].node_step;
	}
	/* What has no time has none the next time either. */
	if (s->end) {
		now.start += time;
		now.end += time;
	}
	buffer_add(bytes, record_make(bytes, &now));
}

static void play_statement(const struct statement *s)
{
	switch (s->verb) {
	case VERB_NODE:
		graph_node(s);
		break;
	case VERB_EXEC:
		graph_exec(s);
		break;
	case VERB_LAUNCH:
	case VERB_REFUSE:
		graph_launch(s);
		break;
	case VERB_BUFFER:
		buffer_deliver();
		break;
	case VERB_SHUFFLE:
		buffer_shuffle(s->number);
		break;
	case VERB_DROP:
		buffer_drop(s->number);
		break;
	case VERB_REPEAT:
		begin_loop(s);
		break;
	case VERB_END:
		end_loop();
		break;
	default:
		play_record(s);
	}
}

void play(enum play_until until)
{
	const struct script *script = script_get();

	pthread_mutex_lock(&lock);
	while (until != PLAY_NOTHING && at < script->n) {
		const struct statement *s = &script->list[at];

		if (s->verb == VERB_LATE && until == PLAY_PAUSE)
			break;
		at++;
		if (s->verb == VERB_PAUSE && until == PLAY_PAUSE)
			break;
		if (s->verb != VERB_LATE && s->verb != VERB_PAUSE)
			play_statement(s);
	}
	if (until != PLAY_PAUSE)
		buffer_deliver();
	buffer_wait();
	pthread_mutex_unlock(&lock);
}
