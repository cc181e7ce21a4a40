/* SPDX-License-Identifier: MIT */
/* gap_report.c - what a report is made of: names of things, and its end. */
#include "gap.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_graph(struct gap_graph *graph)
{
	unsigned i;

	for (i = 0; i < graph->n_rows; i++) {
		free(graph->rows[i].before);
		free(graph->rows[i].name);
		free(graph->rows[i].after);
	}
	free(graph->rows);
	free(graph->samples);
	free(graph->median.slots);
	free(graph->slowest.slots);
}

void gap_report_free(struct gap_report *report)
{
	unsigned i;

	for (i = 0; i < report->n_graphs; i++)
		free_graph(&report->graphs[i]);
	for (i = 0; i < report->n_names; i++)
		free(report->names[i]);
	free(report->graphs);
	free(report->names);
	free(report->version);
	free(report->host);
	free(report->program);
	free(report->gpu);
	free(report->cupti);
	free(report->note);
	memset(report, 0, sizeof *report);
}

const char *gap_kind_name(enum gap_kind kind)
{
	static const char *const names[GAP_KINDS] = {"kernel", "memset", "fill",
	                                             "memcpy", "other"};

	return (unsigned)kind < GAP_KINDS ? names[kind] : "?";
}

const char *gap_engine_name(enum gap_engine engine)
{
	static const char *const names[] = {"unknown", "compute", "copy"};

	return (unsigned)engine < sizeof names / sizeof *names ? names[engine] : "?";
}

/*
 * The Itanium C++ ABI writes a nested name as N, then each part with its length in
 * front, then I (template arguments) or E.  The last part before these is the function.
 */
static size_t mangled_part(const char *name, const char **part)
{
	const char *p = name + 2;
	size_t length, found = 0;
	char *end;

	while (*p && (*p == 'N' || *p == 'L' || *p == 'K'))
		p++;
	if (!strncmp(p, "St", 2))
		p += 2;
	while (isdigit((unsigned char)*p)) {
		length = strtoul(p, &end, 10);
		p = end;
		if (length == 0 || length > strlen(p))
			break;
		/* GCC's and nvcc's name for what has internal linkage says nothing. */
		if (strncmp(p, "_GLOBAL__N", 10) != 0 &&
		    strncmp(p, "_INTERNAL_", 10) != 0) {
			*part = p;
			found = length;
		}
		p += length;
	}
	return found;
}

const char *gap_short_name(const char *name, char *buf, size_t size)
{
	const char *part = name;
	size_t length = strncmp(name, "_Z", 2) == 0 ? mangled_part(name, &part) : 0;

	if (length == 0) {
		part = name;
		length = strlen(name);
	}
	/* [memset] and the like are no names of kernels. */
	if (length > 2 && part[0] == '[' && part[length - 1] == ']') {
		part++;
		length -= 2;
	}
	if (size == 0)
		return buf;
	if (length < size)
		snprintf(buf, size, "%.*s", (int)length, part);
	else if (size > 2)
		snprintf(buf, size, "%.*s~", (int)(size - 2), part);
	else
		buf[0] = '\0';
	return buf;
}
