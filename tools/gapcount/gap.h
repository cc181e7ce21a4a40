/* SPDX-License-Identifier: MIT */
/*
 * gap.h - the gap arithmetic: intervals in, report out.  Pure: no CUDA, no CUPTI, no
 * I/O.
 *
 * Times are nanoseconds: uint64_t where they are points of CUPTI's clock, double where
 * they are lengths.  A report owns all that it points to; gap_report_free() frees it.
 * Nothing here keeps state between calls, so threads may use different inputs and
 * reports.
 *
 * What is measured.  A *replay* is one launch of an executable graph.  Its time is
 * divided among its nodes, device-wide and without counting anything twice:
 *   - where a node that is no memset runs, nothing is lost, whatever else runs or
 * waits;
 *   - where only memsets run, the time is theirs, shared equally: `exposed`;
 *   - where nothing runs, the gap is the *lead* of the node that starts next if that is
 * a memset, else the *tail* of the node that ended last if that was one, else a
 *     kernel-to-kernel gap.
 * bubble = lead + exposed + tail.  A memset with no bubble is *hidden*: another branch
 * keeps the device busy, and making it faster gains nothing there.
 * recoverable = bubble - what a fill kernel in its place would take: the graph's own
 * median kernel-to-kernel gap for each gap, and the fill's duration, in the measure in
 * which the memset's own is exposed; never below 0.
 */
#ifndef GAP_H
#define GAP_H

#include <stddef.h>
#include <stdint.h>

enum gap_level { GAP_LEVEL_NODE, GAP_LEVEL_GRAPH };

/* What a node is.  A fill is a kernel of libmemsetshim.so's, in a memset's place. */
enum gap_kind {
	GAP_KERNEL,
	GAP_MEMSET,
	GAP_FILL,
	GAP_MEMCPY,
	GAP_OTHER,
	GAP_KINDS,
};

/* The engine that ran it, as CUPTI's channel type says. */
enum gap_engine { GAP_ENGINE_UNKNOWN, GAP_ENGINE_COMPUTE, GAP_ENGINE_COPY };

/* One activity.  At graph level a record is a whole replay, and node is 0. */
struct gap_record {
	uint64_t start, end; /* both 0: CUPTI could not tell */
	uint64_t node;       /* graph node; unique in the process */
	uint64_t bytes;      /* of a memset, else 0 */
	uint32_t graph;      /* executable graph; unique in the process */
	uint32_t replay;     /* correlation id: which launch of it */
	uint32_t name;       /* index into gap_input.names */
	uint16_t device;
	uint8_t kind;   /* enum gap_kind */
	uint8_t engine; /* enum gap_engine */
};

/* What is known of an executable graph from its making, not from its replays. */
struct gap_graph_info {
	uint32_t id;
	uint32_t nodes[GAP_KINDS];
};

struct gap_input {
	enum gap_level level;
	struct gap_record *records; /* in any order; gap_analyze() sorts them */
	size_t n_records;
	const char *const *names;
	const struct gap_graph_info *graphs; /* may lack some */
	size_t n_graphs;
	unsigned skip;  /* replays of each graph to leave out first: warm-up */
	double fill_ns; /* a fill's duration where the graph holds none */
};

struct gap_spread {
	double median, p99, min; /* p99 by nearest rank; all 0 when n is 0 */
	uint64_t n;
};

/* The nodes between the same neighbours, of the same kind, size and engine. */
struct gap_row {
	char *before, *name, *after; /* "" where the replay begins or ends */
	enum gap_kind kind;          /* GAP_MEMSET or GAP_FILL */
	enum gap_engine engine;
	uint64_t bytes;
	double nodes;  /* how many in a replay */
	double hidden; /* how many of them are hidden, on average */
	struct gap_spread duration, lead, tail, bubble;
	double recoverable; /* all of them in one replay, on average; 0 for fills */
};

/* A node in one replay, for pictures. */
struct gap_slot {
	double start, end; /* from the replay's beginning */
	uint32_t name;     /* index into gap_report.names */
	uint8_t kind;
	uint8_t lane; /* 0...: slots of one lane do not overlap */
};

struct gap_timeline {
	struct gap_slot *slots; /* by start */
	unsigned n_slots;
	unsigned cut;   /* slots that were left out: too many */
	unsigned focus; /* index of the memset or fill with the largest bubble */
};

/* Gaps where nothing ran, by length: below 250 ns, 500 ns, 1 us, ... 32 us, and above.
 */
enum { GAP_BUCKETS = 9 };

struct gap_graph {
	uint32_t id, device;
	uint32_t nodes[GAP_KINDS]; /* as made; as recorded in a replay where unknown */
	unsigned replays;          /* recorded */
	unsigned used;             /* of them: in the figures below */
	unsigned incomplete;       /* left out: records are missing */
	unsigned timeless;         /* left out: a record without a time */
	struct gap_spread replay;  /* first start to last end */
	double *samples;           /* the `used` replays' times, in order */

	/* From here on: node level only. */
	struct gap_spread kernel_gap;
	double kernel_idle; /* all kernel-to-kernel gaps of a replay, on average */
	unsigned overlaps; /* kernels a replay that started before the last one's end */
	double fill_ns;    /* a fill's duration, as used for recoverable */
	int fill_seen;     /* it is the median of this graph's own fills */
	double hidden, bubble, idle,
	    recoverable;      /* of all memsets, a replay; medians */
	struct gap_row *rows; /* most recoverable first */
	unsigned n_rows;
	uint64_t histogram[GAP_BUCKETS]; /* in all used replays */
	struct gap_timeline median, slowest;
};

struct gap_report {
	/* The run; whoever collected fills it in.  Strings may be NULL. */
	char *version, *host, *program, *gpu, *cupti;
	long pid;
	int driver;        /* as cuDriverGetVersion: 13000 is 13.0 */
	int shim;          /* libmemsetshim.so was in the process */
	uint64_t dropped;  /* records that CUPTI lost */
	uint64_t timeless; /* records without a time */
	uint64_t not_kept; /* records after the window was full */
	uint64_t outside;  /* records of no graph: not looked at */
	double inflation;  /* node-level time / graph-level time; 0: not measured */
	char *note;        /* why there is less than expected, or NULL */

	enum gap_level level;
	double timer_step; /* greatest common divisor of all times: the clock's step */
	char **names;
	unsigned n_names;
	struct gap_graph *graphs; /* by id */
	unsigned n_graphs;
};

/* Fills in what follows `level`: 0, or -1 when memory is short (free it all the same).
 */
int gap_analyze(const struct gap_input *input, struct gap_report *report);

void gap_report_free(struct gap_report *report);

/* Sorts; n may be 0. */
struct gap_spread gap_spread_of(double *values, size_t n);

const char *gap_kind_name(enum gap_kind kind);
const char *gap_engine_name(enum gap_engine engine);

/*
 * A kernel's name, short enough for a table: a mangled one is reduced to its function's
 * own name.  Writes at most `size` bytes and returns buf.
 */
const char *gap_short_name(const char *name, char *buf, size_t size);

#endif
