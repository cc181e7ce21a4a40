/* SPDX-License-Identifier: MIT */
/* gap_csv.c - the rows of all graphs as CSV (RFC 4180), times in ns. */
#include "gap_write.h"

#include <inttypes.h>
#include <string.h>

static void write_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void write_spread(FILE *out, const struct gap_spread *spread)
{
	fprintf(out, ",%.1f,%.1f", spread->median, spread->p99);
}

static void write_row(FILE *out, const struct gap_graph *graph,
                      const struct gap_row *row)
{
	fprintf(out, "%" PRIu32 ",%" PRIu32 ",%u,", graph->id, graph->device,
	        graph->used);
	write_text(out, row->before);
	putc(',', out);
	write_text(out, row->name);
	putc(',', out);
	write_text(out, row->after);
	fprintf(out, ",%s,%s,%" PRIu64 ",%.3f,%.3f", gap_kind_name(row->kind),
	        gap_engine_name(row->engine), row->bytes, row->nodes, row->hidden);
	write_spread(out, &row->duration);
	write_spread(out, &row->lead);
	write_spread(out, &row->tail);
	write_spread(out, &row->bubble);
	fprintf(out, ",%.1f\r\n", row->recoverable);
}

void gap_write_csv(FILE *out, const struct gap_report *report)
{
	unsigned g, i;

	fputs(
	    "graph,device,replays,before,name,after,kind,engine,bytes,nodes_per_replay,"
	    "hidden_per_replay,duration_median_ns,duration_p99_ns,lead_median_ns,"
	    "lead_p99_ns,tail_median_ns,tail_p99_ns,bubble_median_ns,bubble_p99_ns,"
	    "recoverable_per_replay_ns\r\n",
	    out);
	for (g = 0; g < report->n_graphs; g++)
		for (i = 0; i < report->graphs[g].n_rows; i++)
			write_row(out, &report->graphs[g], &report->graphs[g].rows[i]);
}
