/* SPDX-License-Identifier: MIT */
/* gap_read.c - reads back what gap_json.c wrote.  What is missing or wrong is named. */
#include "gap_fields.h"
#include "gap_write.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	char *error;
	size_t size;
};

static int refuse(struct reader *r, const char *what, const char *name)
{
	if (r->error[0] == '\0')
		snprintf(r->error, r->size, "%s: %s", name, what);
	return -1;
}

static int read_number(struct reader *r, const struct json *json, const char *name,
                       double max, double *number)
{
	if (!json)
		return refuse(r, "is missing", name);
	if (json->type != JSON_NUMBER || !(fabs(json->number) <= max))
		return refuse(r, "is no such number", name);
	*number = json->number;
	return 0;
}

static int read_count(struct reader *r, const struct json *json, const char *name,
                      double max, double *number)
{
	if (read_number(r, json, name, max, number) != 0)
		return -1;
	return *number < 0 ? refuse(r, "is no such number", name) : 0;
}

static const struct json *read_array(struct reader *r, const struct json *parent,
                                     const char *name)
{
	const struct json *json = json_get(parent, name);

	if (json && json->type == JSON_ARRAY && json->n <= UINT32_MAX)
		return json;
	refuse(r, "is no array", name);
	return NULL;
}

static int read_spread(struct reader *r, const struct json *json, const char *name,
                       struct gap_spread *spread)
{
	double n;

	if (!json)
		return refuse(r, "is missing", name);
	if (read_number(r, json_get(json, "median"), name, 1e18, &spread->median) ||
	    read_number(r, json_get(json, "p99"), name, 1e18, &spread->p99) ||
	    read_number(r, json_get(json, "min"), name, 1e18, &spread->min) ||
	    read_count(r, json_get(json, "n"), name, 1e15, &n))
		return -1;
	spread->n = (uint64_t)n;
	return 0;
}

static int read_word(struct reader *r, const struct json *json, const char *name,
                     const char *(*word)(int), int n)
{
	int i;

	for (i = 0; json && json->type == JSON_STRING && i < n; i++)
		if (!strcmp(json->string, word(i)))
			return i;
	return refuse(r, "is no such word", name);
}

static const char *kind_word(int i)
{
	return gap_kind_name((enum gap_kind)i);
}

static const char *engine_word(int i)
{
	return gap_engine_name((enum gap_engine)i);
}

static const char *level_word(int i)
{
	return gap_level_names[i];
}

static int read_text(struct reader *r, const struct json *json, const char *name,
                     char **text)
{
	if (!json || (json->type != JSON_STRING && json->type != JSON_NULL))
		return refuse(r, "is no string", name);
	*text = json->string ? strdup(json->string) : NULL;
	return json->string && !*text ? refuse(r, "out of memory", name) : 0;
}

static int read_plain(struct reader *r, const struct field *field,
                      const struct json *json, void *at)
{
	double number;

	switch (field->type) {
	case FIELD_LONG:
		if (read_number(r, json, field->name, 1e15, &number) != 0)
			return -1;
		*(long *)at = (long)number;
		return 0;
	case FIELD_INT:
		if (read_number(r, json, field->name, 1e9, &number) != 0)
			return -1;
		*(int *)at = (int)number;
		return 0;
	case FIELD_U32:
		if (read_count(r, json, field->name, UINT32_MAX, &number) != 0)
			return -1;
		*(uint32_t *)at = (uint32_t)number;
		return 0;
	case FIELD_U64:
		if (read_count(r, json, field->name, 1e18, &number) != 0)
			return -1;
		*(uint64_t *)at = (uint64_t)number;
		return 0;
	default:
		return read_number(r, json, field->name, 1e18, at);
	}
}

static int read_field(struct reader *r, const struct field *field,
                      const struct json *parent, void *base)
{
	const struct json *json = json_get(parent, field->name);
	void *at = (char *)base + field->offset;
	int word;

	switch (field->type) {
	case FIELD_TEXT:
		return read_text(r, json, field->name, at);
	case FIELD_SPREAD:
		return read_spread(r, json, field->name, at);
	case FIELD_KIND:
		word = read_word(r, json, field->name, kind_word, GAP_KINDS);
		*(enum gap_kind *)at = word < 0 ? GAP_OTHER : (enum gap_kind)word;
		return word < 0 ? -1 : 0;
	case FIELD_ENGINE:
		word =
		    read_word(r, json, field->name, engine_word, GAP_ENGINE_COPY + 1);
		*(enum gap_engine *)at =
		    word < 0 ? GAP_ENGINE_UNKNOWN : (enum gap_engine)word;
		return word < 0 ? -1 : 0;
	case FIELD_LEVEL:
		word = read_word(r, json, field->name, level_word, 2);
		*(enum gap_level *)at =
		    word < 0 ? GAP_LEVEL_NODE : (enum gap_level)word;
		return word < 0 ? -1 : 0;
	default:
		return read_plain(r, field, json, at);
	}
}

static int read_fields(struct reader *r, const struct field *fields,
                       const struct json *parent, void *base)
{
	for (; fields->name; fields++)
		if (read_field(r, fields, parent, base) != 0)
			return -1;
	return 0;
}

static int read_slot(struct reader *r, const struct json *json, unsigned n_names,
                     struct gap_slot *slot)
{
	static const double max[5] = {1e18, 1e18, UINT32_MAX, GAP_KINDS - 1, UINT8_MAX};
	const struct json *member = json->first;
	double values[5];
	unsigned i;

	for (i = 0; i < 5; i++, member = member ? member->next : NULL)
		if (read_count(r, member, "slots", max[i], &values[i]) != 0)
			return -1;
	if (values[2] >= n_names)
		return refuse(r, "has a name that is none", "slots");
	*slot = (struct gap_slot){.start = values[0],
	                          .end = values[1],
	                          .name = (uint32_t)values[2],
	                          .kind = (uint8_t)values[3],
	                          .lane = (uint8_t)values[4]};
	return 0;
}

static int read_timeline(struct reader *r, const struct json *parent, const char *name,
                         unsigned n_names, struct gap_timeline *line)
{
	const struct json *json = json_get(parent, name), *slots, *member;
	double cut, focus;

	slots = json ? read_array(r, json, "slots") : NULL;
	if (!slots)
		return refuse(r, "is missing", name);
	if (read_count(r, json_get(json, "cut"), "cut", UINT32_MAX, &cut) ||
	    read_count(r, json_get(json, "focus"), "focus",
	               slots->n ? (double)(slots->n - 1) : 0, &focus))
		return -1;
	line->slots = calloc(slots->n + 1, sizeof *line->slots);
	if (!line->slots)
		return refuse(r, "out of memory", name);
	for (member = slots->first; member; member = member->next)
		if (read_slot(r, member, n_names, &line->slots[line->n_slots++]) != 0)
			return -1;
	line->cut = (unsigned)cut;
	line->focus = (unsigned)focus;
	return 0;
}

static int read_samples(struct reader *r, const struct json *parent,
                        struct gap_graph *graph)
{
	const struct json *samples = read_array(r, parent, "samples_ns"), *member;
	unsigned i = 0;

	if (!samples)
		return -1;
	if (samples->n != graph->used)
		return refuse(r, "are not as many as used", "samples_ns");
	graph->samples = calloc(samples->n + 1, sizeof *graph->samples);
	if (!graph->samples)
		return refuse(r, "out of memory", "samples_ns");
	for (member = samples->first; member; member = member->next)
		if (read_count(r, member, "samples_ns", 1e18, &graph->samples[i++]))
			return -1;
	return 0;
}

static int read_histogram(struct reader *r, const struct json *parent,
                          struct gap_graph *graph)
{
	const struct json *histogram = read_array(r, parent, "histogram"), *member;
	double count;
	unsigned i = 0;

	if (!histogram || histogram->n != GAP_BUCKETS)
		return refuse(r, "is no histogram", "histogram");
	for (member = histogram->first; member; member = member->next) {
		if (read_count(r, member, "histogram", 1e18, &count) != 0)
			return -1;
		graph->histogram[i++] = (uint64_t)count;
	}
	return 0;
}

static int read_rows(struct reader *r, const struct json *parent,
                     struct gap_graph *graph)
{
	const struct json *rows = read_array(r, parent, "rows"), *member;
	struct gap_row *row;

	if (!rows)
		return -1;
	graph->rows = calloc(rows->n + 1, sizeof *graph->rows);
	if (!graph->rows)
		return refuse(r, "out of memory", "rows");
	for (member = rows->first; member; member = member->next) {
		row = &graph->rows[graph->n_rows++];
		if (read_fields(r, gap_row_fields, member, row) != 0)
			return -1;
		if (!row->before || !row->name || !row->after)
			return refuse(r, "lack a name", "rows");
	}
	return 0;
}

static int read_graph(struct reader *r, const struct json *json,
                      const struct gap_report *report, struct gap_graph *graph)
{
	if (read_fields(r, gap_graph_fields, json, graph) != 0 ||
	    read_samples(r, json, graph) != 0)
		return -1;
	if (report->level == GAP_LEVEL_GRAPH || graph->used == 0)
		return 0;
	if (read_histogram(r, json, graph) != 0 || read_rows(r, json, graph) != 0)
		return -1;
	if (read_timeline(r, json, "median", report->n_names, &graph->median) != 0)
		return -1;
	return read_timeline(r, json, "slowest", report->n_names, &graph->slowest);
}

static int read_names(struct reader *r, const struct json *json,
                      struct gap_report *report)
{
	const struct json *names = read_array(r, json, "names"), *member;

	if (!names)
		return -1;
	report->names = calloc(names->n + 1, sizeof *report->names);
	if (!report->names)
		return refuse(r, "out of memory", "names");
	for (member = names->first; member; member = member->next) {
		if (member->type != JSON_STRING)
			return refuse(r, "are no strings", "names");
		if (read_text(r, member, "names", &report->names[report->n_names]) != 0)
			return -1;
		report->n_names++;
	}
	return 0;
}

static int read_report(struct reader *r, const struct json *json,
                       struct gap_report *report)
{
	const struct json *format = json_get(json, "format"), *graphs, *member;
	const struct json *schema = json_get(json, "schema");

	if (!format || format->type != JSON_STRING ||
	    strcmp(format->string, GAP_FORMAT) != 0)
		return refuse(r, "this is no report of the gap counter", "format");
	if (!schema || schema->type != JSON_NUMBER || schema->number != GAP_SCHEMA)
		return refuse(r, "written by another version of the gap counter",
		              "schema");
	if (read_fields(r, gap_report_fields, json, report) != 0 ||
	    read_names(r, json, report) != 0)
		return -1;
	graphs = read_array(r, json, "graphs");
	if (!graphs)
		return -1;
	report->graphs = calloc(graphs->n + 1, sizeof *report->graphs);
	if (!report->graphs)
		return refuse(r, "out of memory", "graphs");
	for (member = graphs->first; member; member = member->next)
		if (read_graph(r, member, report,
		               &report->graphs[report->n_graphs++]) != 0)
			return -1;
	return 0;
}

int gap_read_json(const char *text, size_t length, struct gap_report *report,
                  char *error, size_t size)
{
	struct reader reader = {.error = error, .size = size};
	struct json *json;
	int err;

	memset(report, 0, sizeof *report);
	error[0] = '\0';
	json = json_parse(text, length, error, size);
	if (!json)
		return -1;
	err = read_report(&reader, json, report);
	json_free(json);
	if (err)
		gap_report_free(report);
	return err;
}
