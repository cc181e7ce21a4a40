/* SPDX-License-Identifier: MIT */
/*
 * gap_fields.h - the members of a report that are plain values, in JSON's words.
 *
 * One table for the writer and the reader.  Arrays (graphs, rows, samples, slots) are
 * written out in gap_json.c and gap_read.c.
 */
#ifndef GAP_FIELDS_H
#define GAP_FIELDS_H

#include "gap.h"

#define GAP_FORMAT "memsetshim gaps"
enum { GAP_SCHEMA = 1 };

enum field_type {
	FIELD_TEXT,
	FIELD_LONG,
	FIELD_INT,
	FIELD_U32,
	FIELD_U64,
	FIELD_REAL,
	FIELD_SPREAD,
	FIELD_KIND,
	FIELD_ENGINE,
	FIELD_LEVEL
};

struct field {
	const char *name;
	size_t offset;
	enum field_type type;
};

extern const struct field gap_report_fields[], gap_graph_fields[], gap_row_fields[];

/* Words of enum gap_level. */
extern const char *const gap_level_names[2];

#endif
