/* SPDX-License-Identifier: MIT */
/* gap_fields.c - the table of gap_fields.h. */
#include "gap_fields.h"

const char *const gap_level_names[2] = {"node", "graph"};

#define REPORT(name, member, type)                              \
	{                                                       \
		name, offsetof(struct gap_report, member), type \
	}
#define GRAPH(name, member, type)                              \
	{                                                      \
		name, offsetof(struct gap_graph, member), type \
	}
#define ROW(name, member, type)                              \
	{                                                    \
		name, offsetof(struct gap_row, member), type \
	}

const struct field gap_report_fields[] = {
    REPORT("version", version, FIELD_TEXT),
    REPORT("host", host, FIELD_TEXT),
    REPORT("program", program, FIELD_TEXT),
    REPORT("pid", pid, FIELD_LONG),
    REPORT("gpu", gpu, FIELD_TEXT),
    REPORT("driver", driver, FIELD_INT),
    REPORT("cupti", cupti, FIELD_TEXT),
    REPORT("shim", shim, FIELD_INT),
    REPORT("level", level, FIELD_LEVEL),
    REPORT("dropped", dropped, FIELD_U64),
    REPORT("timeless", timeless, FIELD_U64),
    REPORT("not_kept", not_kept, FIELD_U64),
    REPORT("outside", outside, FIELD_U64),
    REPORT("inflation", inflation, FIELD_REAL),
    REPORT("timer_step_ns", timer_step, FIELD_REAL),
    REPORT("note", note, FIELD_TEXT),
    {0},
};

const struct field gap_graph_fields[] = {
    GRAPH("id", id, FIELD_U32),
    GRAPH("device", device, FIELD_U32),
    GRAPH("kernel", nodes[GAP_KERNEL], FIELD_U32),
    GRAPH("memset", nodes[GAP_MEMSET], FIELD_U32),
    GRAPH("fill", nodes[GAP_FILL], FIELD_U32),
    GRAPH("memcpy", nodes[GAP_MEMCPY], FIELD_U32),
    GRAPH("other", nodes[GAP_OTHER], FIELD_U32),
    GRAPH("replays", replays, FIELD_U32),
    GRAPH("used", used, FIELD_U32),
    GRAPH("incomplete", incomplete, FIELD_U32),
    GRAPH("timeless", timeless, FIELD_U32),
    GRAPH("replay_ns", replay, FIELD_SPREAD),
    GRAPH("kernel_gap_ns", kernel_gap, FIELD_SPREAD),
    GRAPH("kernel_idle_ns", kernel_idle, FIELD_REAL),
    GRAPH("overlaps", overlaps, FIELD_U32),
    GRAPH("fill_ns", fill_ns, FIELD_REAL),
    GRAPH("fill_seen", fill_seen, FIELD_INT),
    GRAPH("hidden", hidden, FIELD_REAL),
    GRAPH("bubble_ns", bubble, FIELD_REAL),
    GRAPH("idle_ns", idle, FIELD_REAL),
    GRAPH("recoverable_ns", recoverable, FIELD_REAL),
    {0},
};

const struct field gap_row_fields[] = {
    ROW("before", before, FIELD_TEXT),
    ROW("name", name, FIELD_TEXT),
    ROW("after", after, FIELD_TEXT),
    ROW("kind", kind, FIELD_KIND),
    ROW("engine", engine, FIELD_ENGINE),
    ROW("bytes", bytes, FIELD_U64),
    ROW("nodes", nodes, FIELD_REAL),
    ROW("hidden", hidden, FIELD_REAL),
    ROW("duration_ns", duration, FIELD_SPREAD),
    ROW("lead_ns", lead, FIELD_SPREAD),
    ROW("tail_ns", tail, FIELD_SPREAD),
    ROW("bubble_ns", bubble, FIELD_SPREAD),
    ROW("recoverable_ns", recoverable, FIELD_REAL),
    {0},
};
