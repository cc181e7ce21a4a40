/* SPDX-License-Identifier: MIT */
#include "compare_text.h"

#include <inttypes.h>

#include "../gapcount/json.h"
#include "launch.h"

static double us(double ns)
{
	return ns / 1000;
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

/* What is recoverable is shown where memsets have gone; else there is nothing to say.
 */
static void write_explanation(FILE *out, const struct graph_outcome *graph)
{
	double recovered = graph->before - graph->after;

	if (graph->memsets_before == 0)
		return;
	fprintf(out, "  %9.2f %9.2f %9.2f", us(graph->recoverable),
	        us(graph->predicted), us(recovered));
	if (graph->predicted > 0)
		fprintf(out, " %5.0f %%", 100 * recovered / graph->predicted);
}

static void write_graph(FILE *out, const struct graph_outcome *graph, int explained)
{
	fprintf(out, "%5" PRIu32 " %7u %6" PRIu32 " %6" PRIu32 " -> %5" PRIu32,
	        graph->id, graph->replays, graph->nodes, graph->memsets_before,
	        graph->memsets_after);
	fprintf(out, " %10.2f %10.2f %6.3f%c", us(graph->before), us(graph->after),
	        ratio(graph->after, graph->before),
	        graph->by_events     ? '+'
	        : graph->starts_late ? '*'
	                             : ' ');
	if (explained)
		write_explanation(out, graph);
	putc('\n', out);
}

/* What CUPTI does not see. */
static void write_footnotes(FILE *out, const struct outcome *outcome)
{
	int late = 0, events = 0;
	unsigned i;

	for (i = 0; i < outcome->n_graphs; i++) {
		late |= outcome->graphs[i].starts_late;
		events |= outcome->graphs[i].by_events;
	}
	if (late)
		fputs("* begins with a memset, which CUPTI leaves out of a replay's "
		      "time: "
		      "the gain is larger\n",
		      out);
	if (events)
		fputs("+ memsets alone, which CUPTI does not time: between events, so "
		      "with "
		      "the launch\n",
		      out);
}

static void write_graphs(FILE *out, const struct outcome *outcome)
{
	unsigned i;

	if (outcome->n_graphs == 0)
		return;
	fprintf(out, "%44s%s\n", "replay, us       ",
	        outcome->explained ? "         recoverable, us a replay" : "");
	fprintf(out, "%5s %7s %6s %15s %10s %10s %6s%s\n", "graph", "replays", "nodes",
	        "memsets", "without", "with", "ratio",
	        outcome->explained ? "   as traced predicted recovered" : "");
	for (i = 0; i < outcome->n_graphs; i++)
		write_graph(out, &outcome->graphs[i], outcome->explained);
	write_footnotes(out, outcome);
}

static void write_inflation(FILE *out, const struct outcome *outcome)
{
	double before = 0, after = 0, traced_before = 0, traced_after = 0;
	unsigned i;

	for (i = 0; i < outcome->n_graphs; i++) {
		const struct graph_outcome *graph = &outcome->graphs[i];

		before += graph->before * graph->replays;
		after += graph->after * graph->replays;
		traced_before += graph->traced_before * graph->replays;
		traced_after += graph->traced_after * graph->replays;
	}
	fprintf(out,
	        "Tracing nodes, for the last columns only, made replays %.2f times as "
	        "long without\nthe library and %.2f times with it: predicted is as "
	        "traced, less what tracing adds.\n",
	        ratio(traced_before, before), ratio(traced_after, after));
}

char *compare_sentence(const struct outcome *outcome)
{
	const struct estimate *e = &outcome->ratio;
	const char *verdict = verdict_name(outcome->verdict);

	if (outcome->verdict == VERDICT_UNCLEAR && e->confidence < 0.95)
		return text_format(
		    "%s: %zu pairs are too few for 95 %% confidence; the "
		    "median ratio is %.4f",
		    verdict, e->n, e->median);
	return text_format("%s: with the library replays take %.4f of the time "
	                   "(%.4f to %.4f, %.1f %% confidence, %zu pairs)",
	                   verdict, e->median, e->low, e->high, 100 * e->confidence,
	                   e->n);
}

void compare_write_text(FILE *out, const struct outcome *outcome,
                        const struct gap_report *first)
{
	fprintf(out, "memsetshim compare: %s\n", first->program ? first->program : "?");
	fprintf(out, "%s, driver %d.%d, CUPTI %s; %zu pairs of runs, alternating\n",
	        first->gpu ? first->gpu : "unknown GPU", first->driver / 1000,
	        first->driver % 1000 / 10, first->cupti ? first->cupti : "?",
	        outcome->ratio.n);
	if (outcome->doubt)
		fprintf(out, "! %s\n", outcome->doubt);
	putc('\n', out);
	write_graphs(out, outcome);
	if (outcome->explained)
		write_inflation(out, outcome);
	fprintf(out, "\nall replays    %10.3f ms -> %.3f ms\n", outcome->before / 1e6,
	        outcome->after / 1e6);
	fprintf(out, "whole process  %10.3f s  -> %.3f s, as traced\n",
	        outcome->wall_before, outcome->wall_after);
	fprintf(out, "stdout         %s\n",
	        outcome->same_output
	            ? "the same in all runs"
	            : "differs between runs (times or process ids do)");
	fprintf(out, "%s\n", compare_sentence(outcome));
}

static void write_graph_json(FILE *out, const struct graph_outcome *graph)
{
	fprintf(out,
	        "{\"id\": %" PRIu32 ", \"replays\": %u, \"nodes\": %" PRIu32
	        ", \"memsets_before\": %" PRIu32 ", \"memsets_after\": %" PRIu32
	        ", \"before_ns\": %.1f, \"after_ns\": %.1f",
	        graph->id, graph->replays, graph->nodes, graph->memsets_before,
	        graph->memsets_after, graph->before, graph->after);
	fprintf(out,
	        ", \"by_events\": %d, \"begins_with_memset\": %d, "
	        "\"traced_before_ns\": %.1f, \"traced_after_ns\": %.1f, "
	        "\"recoverable_traced_ns\": %.1f, \"recoverable_predicted_ns\": %.1f}",
	        graph->by_events, graph->starts_late, graph->traced_before,
	        graph->traced_after, graph->recoverable, graph->predicted);
}

void compare_write_json(FILE *out, const struct outcome *outcome,
                        const struct gap_report *first)
{
	const struct estimate *e = &outcome->ratio;
	size_t i;

	fprintf(out,
	        "{\"format\": \"memsetshim compare\", \"schema\": 1,\n \"version\": ");
	json_write_string(out, version_text);
	fprintf(out, ",\n \"program\": ");
	json_write_string(out, first->program);
	fprintf(out, ",\n \"gpu\": ");
	json_write_string(out, first->gpu);
	fprintf(out, ",\n \"driver\": %d, \"cupti\": ", first->driver);
	json_write_string(out, first->cupti);
	fprintf(out,
	        ",\n \"verdict\": \"%s\", \"ratio\": %.6f, \"low\": %.6f, \"high\": "
	        "%.6f, \"confidence\": %.4f,\n \"ratios\": [",
	        verdict_name(outcome->verdict), e->median, e->low, e->high,
	        e->confidence);
	for (i = 0; i < e->n; i++)
		fprintf(out, "%s%.6f", i ? ", " : "", outcome->ratios[i]);
	fprintf(
	    out,
	    "],\n \"before_ns\": %.1f, \"after_ns\": %.1f, \"wall_before_s\": %.4f, "
	    "\"wall_after_s\": %.4f,\n \"same_output\": %s, \"explained\": %s, "
	    "\"doubt\": ",
	    outcome->before, outcome->after, outcome->wall_before, outcome->wall_after,
	    outcome->same_output ? "true" : "false",
	    outcome->explained ? "true" : "false");
	json_write_string(out, outcome->doubt);
	fputs(",\n \"graphs\": [", out);
	for (i = 0; i < outcome->n_graphs; i++) {
		fputs(i ? ",\n  " : "\n  ", out);
		write_graph_json(out, &outcome->graphs[i]);
	}
	fputs("]}\n", out);
}
