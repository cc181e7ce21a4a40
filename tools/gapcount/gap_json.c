/* SPDX-License-Identifier: MIT */
/* gap_json.c - writes a report as JSON; gap_read.c reads it back. */
#include "gap_fields.h"
#include "gap_write.h"
#include "json.h"

#include <inttypes.h>

static void write_spread(FILE *out, const struct gap_spread *spread)
{
	fprintf(out,
	        "{\"median\": %.1f, \"p99\": %.1f, \"min\": %.1f, \"n\": %" PRIu64 "}",
	        spread->median, spread->p99, spread->min, spread->n);
}

static void write_field(FILE *out, const struct field *field, const void *base)
{
	const void *at = (const char *)base + field->offset;

	fprintf(out, "\"%s\": ", field->name);
	switch (field->type) {
	case FIELD_TEXT:
		json_write_string(out, *(char *const *)at);
		break;
	case FIELD_LONG:
		fprintf(out, "%ld", *(const long *)at);
		break;
	case FIELD_INT:
		fprintf(out, "%d", *(const int *)at);
		break;
	case FIELD_U32:
		fprintf(out, "%" PRIu32, *(const uint32_t *)at);
		break;
	case FIELD_U64:
		fprintf(out, "%" PRIu64, *(const uint64_t *)at);
		break;
	case FIELD_REAL:
		fprintf(out, "%.3f", *(const double *)at);
		break;
	case FIELD_SPREAD:
		write_spread(out, at);
		break;
	case FIELD_KIND:
		json_write_string(out, gap_kind_name(*(const enum gap_kind *)at));
		break;
	case FIELD_ENGINE:
		json_write_string(out, gap_engine_name(*(const enum gap_engine *)at));
		break;
	case FIELD_LEVEL:
		json_write_string(out, gap_level_names[*(const enum gap_level *)at]);
		break;
	}
}

static void write_fields(FILE *out, const struct field *fields, const void *base,
                         const char *separator)
{
	for (; fields->name; fields++) {
		write_field(out, fields, base);
		if (fields[1].name)
			fputs(separator, out);
	}
}

/* One line a slot would be long: [start, end, name, kind, lane] in ns. */
static void write_timeline(FILE *out, const char *name, const struct gap_timeline *line)
{
	unsigned i;

	fprintf(out, "   \"%s\": {\"cut\": %u, \"focus\": %u, \"slots\": [", name,
	        line->cut, line->focus);
	for (i = 0; i < line->n_slots; i++) {
		const struct gap_slot *slot = &line->slots[i];

		fprintf(out, "%s[%.0f,%.0f,%" PRIu32 ",%u,%u]", i ? "," : "",
		        slot->start, slot->end, slot->name, slot->kind, slot->lane);
	}
	fputs("]}", out);
}

static void write_graph(FILE *out, const struct gap_graph *graph, enum gap_level level)
{
	unsigned i;

	fputs("  {", out);
	write_fields(out, gap_graph_fields, graph, ",\n   ");
	fputs(",\n   \"samples_ns\": [", out);
	for (i = 0; i < graph->used; i++)
		fprintf(out, "%s%.0f", i ? "," : "", graph->samples[i]);
	fputs("]", out);
	if (level == GAP_LEVEL_NODE) {
		fputs(",\n   \"histogram\": [", out);
		for (i = 0; i < GAP_BUCKETS; i++)
			fprintf(out, "%s%" PRIu64, i ? "," : "", graph->histogram[i]);
		fputs("],\n   \"rows\": [", out);
		for (i = 0; i < graph->n_rows; i++) {
			fputs(i ? ",\n    {" : "\n    {", out);
			write_fields(out, gap_row_fields, &graph->rows[i], ", ");
			fputs("}", out);
		}
		fputs("],\n", out);
		write_timeline(out, "median", &graph->median);
		fputs(",\n", out);
		write_timeline(out, "slowest", &graph->slowest);
	}
	fputs("}", out);
}

void gap_write_json(FILE *out, const struct gap_report *report)
{
	unsigned i;

	fprintf(out, "{\"format\": \"%s\", \"schema\": %d,\n ", GAP_FORMAT, GAP_SCHEMA);
	write_fields(out, gap_report_fields, report, ",\n ");
	fputs(",\n \"names\": [", out);
	for (i = 0; i < report->n_names; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		json_write_string(out, report->names[i]);
	}
	fputs("],\n \"graphs\": [", out);
	for (i = 0; i < report->n_graphs; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_graph(out, &report->graphs[i], report->level);
	}
	fputs("]}\n", out);
}
