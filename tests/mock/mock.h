/* SPDX-License-Identifier: MIT */
/*
 * mock.h - inside the mock of libcupti: the script, and who plays it.
 *
 * The script is the file that MOCK_CUPTI names: one statement a line, # begins a
 * comment.  Numbers may be hexadecimal.  A script that cannot be understood ends the
 * program: it is a test's own fault.
 *
 * Settings, in force from the start:
 *   version N                    what cuptiGetVersion says; 130001 otherwise
 *   busy [NAME]                  another tool, of this name, has CUPTI
 *   fail FUNCTION CODE [NTH]     its NTH call returns CODE, without NTH every call
 *
 * Played by mock_cupti_play(), in order:
 *
 *   node EXEC NODE TYPE          a node of a graph is made: kernel, memset, memcpy,
 * host, empty, or child: a memset node in a child graph
 *
 *   exec EXEC [CBID]             that graph is instantiated, by this driver function
 *
 *   launch EXEC [CBID]           and launched, on the default stream
 *
 *   refuse EXEC [CBID]           and launched, which the driver refuses
 *
 *   kernel START END DEVICE CORRELATION GRAPH NODE NAME [CHANNELTYPE]
 *
 *   memset, memcpy, memcpy2 START END DEVICE CORRELATION GRAPH NODE BYTES [CHANNELTYPE]
 *
 *   graph START END DEVICE CORRELATION GRAPH
 *                                records; 0 0 are no times, GRAPH 0 is no graph
 *
 *   buffer                       delivers what there is, in a buffer that is not full
 *
 *   shuffle SEED                 from here on the records of a buffer change places
 *
 *   drop N                       N records were lost
 *
 *   repeat COUNT [PERIOD [STEP]] ... end
 *                                the n-th time with n * PERIOD added to times and
 *                                n * STEP to correlation ids; may be nested
 *
 *   pause                        the rest waits for the next mock_cupti_play()
 *
 *   late                         the rest waits for a forced flush
 *
 * Full buffers are delivered while they are played, by a thread of the mock's own; what
 * is left waits for the next flush.  A forced flush plays all of the rest first, the
 * whole script if mock_cupti_play() was never called.  NODE of EXEC or GRAPH has the id
 * EXEC << 32 | NODE.
 *
 * Calls are logged in the file that MOCK_CUPTI_LOG names, but for those that come with
 * every record, buffer or node.
 */
#ifndef MOCK_H
#define MOCK_H

#include <cupti.h>
#include <stddef.h>
#include <stdint.h>

#define MOCK_EXPORT __attribute__((visibility("default")))

enum verb {
	VERB_NODE,
	VERB_EXEC,
	VERB_LAUNCH,
	VERB_REFUSE,
	VERB_KERNEL,
	VERB_MEMSET,
	VERB_MEMCPY,
	VERB_MEMCPY2,
	VERB_GRAPH,
	VERB_BUFFER,
	VERB_SHUFFLE,
	VERB_DROP,
	VERB_REPEAT,
	VERB_END,
	VERB_PAUSE,
	VERB_LATE,
	VERB_VERSION,
	VERB_BUSY,
	VERB_FAIL,
};

/* Which numbers a verb has is in script.c's table; the others are 0. */
struct statement {
	enum verb verb;
	uint64_t start, end, device, correlation, graph, node, number, channel;
	char *name; /* stays: records point to it */
};

struct script {
	struct statement *list;
	size_t n;
	uint32_t version;
	const char *busy; /* NULL: nobody */
};

/* script.c: reads MOCK_CUPTI once; an empty script without it. */
const struct script *script_get(void);
/* What the script has the function return this time; counts its calls. */
CUptiResult script_fault(const char *function);
__attribute__((noreturn, format(printf, 1, 2))) void mock_fail(const char *fmt, ...);
void *mock_new(size_t count, size_t size); /* calloc that cannot fail */

/* cupti.c */
/* Logs a call with one argument; returns what the script has it return. */
CUptiResult mock_enter(const char *function, unsigned long argument);
#define ENTER(argument)                                                                \
	do {                                                                           \
		CUptiResult entered = mock_enter(__func__, (unsigned long)(argument)); \
                                                                                       \
		if (entered != CUPTI_SUCCESS)                                          \
			return entered;                                                \
	} while (0)
int mock_enabled(CUpti_ActivityKind kind);
int mock_correlates(void); /* do records have correlation ids? */
void mock_call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data);
void mock_buffer_request(uint8_t **buffer, size_t *size, size_t *max_records);
void mock_buffer_done(uint8_t *buffer, size_t size, size_t valid);

/* graph.c: nodes and executable graphs; the callbacks of their making. */
void graph_node(const struct statement *node);
void graph_exec(const struct statement *exec);
void graph_launch(const struct statement *launch);
int graph_id_of(const void *handle, uint64_t *id);

/* record.c: makes a record at `out`, which has room for any; returns its size. */
enum { RECORD_MAX = 256 };
size_t record_make(uint8_t *out, const struct statement *what);
size_t record_size(CUpti_ActivityKind kind); /* 0: no kind of ours */
int record_wanted(const struct statement *what);

/* buffer.c: records into buffers, and those to the client. */
void buffer_add(const uint8_t *record, size_t size);
void buffer_deliver(void); /* the one that is being filled */
void buffer_wait(void);    /* until the client has had all of them */
void buffer_shuffle(uint64_t seed);
void buffer_drop(uint64_t n);
size_t buffer_take_dropped(void);

/* play.c */
enum play_until { PLAY_PAUSE, PLAY_ALL, PLAY_NOTHING };
/* Plays on, then, unless until is PLAY_PAUSE, delivers what there is. */
void play(enum play_until until);
/* What a program that is tested calls when its work is done. */
MOCK_EXPORT void mock_cupti_play(void);

#endif
