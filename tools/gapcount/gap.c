/* SPDX-License-Identifier: MIT */
/* gap.c - records into graphs, graphs into replays, replays into figures. */
#include "gap.h"
#include "gap_replay.h"
#include "gap_rows.h"

#include <stdlib.h>
#include <string.h>

/* Slots of a timeline at most: a picture of more is no use, and JSON grows. */
enum { MAX_SLOTS = 4096 };

/* The records of one launch of one graph on one device. */
struct replay {
	const struct gap_record *records;
	size_t n;
	int timeless;
};

struct replays {
	struct replay *list;
	size_t n;
};

static int by_replay(const void *a, const void *b)
{
	const struct gap_record *x = a, *y = b;

#define BY(field)                 \
	if (x->field != y->field) \
	return x->field < y->field ? -1 : 1
	BY(graph);
	BY(device);
	BY(replay);
	BY(start);
	BY(end);
	BY(node);
#undef BY
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct gap_spread gap_spread_of(double *values, size_t n)
{
	struct gap_spread spread = {.n = n};

	if (n == 0)
		return spread;
	qsort(values, n, sizeof *values, by_value);
	spread.min = values[0];
	spread.median = (values[(n - 1) / 2] + values[n / 2]) / 2;
	spread.p99 = values[(n * 99 + 99) / 100 - 1];
	return spread;
}

static int is_timeless(const struct gap_record *record)
{
	return record->start == 0 || record->end < record->start;
}

static int split_replays(struct replays *replays, const struct gap_record *records,
                         size_t n)
{
	size_t i;

	replays->n = 0;
	replays->list = malloc(n * sizeof *replays->list);
	if (!replays->list)
		return -1;
	for (i = 0; i < n; i++) {
		if (i == 0 || records[i].replay != records[i - 1].replay)
			replays->list[replays->n++] =
			    (struct replay){.records = &records[i]};
		replays->list[replays->n - 1].n++;
		replays->list[replays->n - 1].timeless |= is_timeless(&records[i]);
	}
	return 0;
}

/*
 * How many records a whole replay has: what most have.  0 where replays differ so much
 * that none is the rule, as with loops in conditional nodes: then none is incomplete.
 */
static size_t usual_count(const struct replays *replays)
{
	double *counts = malloc(replays->n * sizeof *counts);
	size_t i, run = 0, best = 0, usual = 0;

	if (!counts)
		return 0;
	for (i = 0; i < replays->n; i++)
		counts[i] = (double)replays->list[i].n;
	qsort(counts, replays->n, sizeof *counts, by_value);
	for (i = 0; i < replays->n; i++) {
		run = i > 0 && counts[i] > counts[i - 1] ? 1 : run + 1;
		if (run >= best) {
			best = run;
			usual = (size_t)counts[i];
		}
	}
	free(counts);
	return 2 * best >= replays->n ? usual : 0;
}

/* Leaves the replays that can be trusted, in the order of their launches. */
static void choose_replays(struct gap_graph *graph, struct replays *replays,
                           unsigned skip)
{
	size_t usual = usual_count(replays), i, n = 0;

	graph->replays = (unsigned)replays->n;
	for (i = 0; i < replays->n; i++) {
		if (replays->list[i].timeless)
			graph->timeless++;
		else if (replays->list[i].n < usual)
			graph->incomplete++;
		else
			replays->list[n++] = replays->list[i];
	}
	if (n > skip) {
		memmove(replays->list, replays->list + skip,
		        (n - skip) * sizeof *replays->list);
		n -= skip;
	}
	replays->n = n;
	graph->used = (unsigned)n;
}

static double length_of(const struct replay *replay)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < replay->n; i++)
		if (replay->records[i].end > end)
			end = replay->records[i].end;
	return (double)(end - replay->records->start);
}

/* The replay whose length is nearest to `length`. */
static const struct replay *nearest(const struct gap_graph *graph,
                                    const struct replays *replays, double length)
{
	size_t i, best = 0;
	double distance, least = -1;

	for (i = 0; i < replays->n; i++) {
		distance = graph->samples[i] - length;
		distance = distance < 0 ? -distance : distance;
		if (least < 0 || distance < least) {
			least = distance;
			best = i;
		}
	}
	return &replays->list[best];
}

/* Lanes as few as the overlaps allow; the last is shared when there are too many. */
static void put_in_lanes(struct gap_timeline *line)
{
	double ends[UINT8_MAX + 1];
	unsigned i, lane, lanes = 0;

	for (i = 0; i < line->n_slots; i++) {
		for (lane = 0; lane < lanes; lane++)
			if (ends[lane] <= line->slots[i].start)
				break;
		if (lane > UINT8_MAX)
			lane = UINT8_MAX;
		else if (lane == lanes)
			lanes++;
		ends[lane] = line->slots[i].end;
		line->slots[i].lane = (uint8_t)lane;
	}
}

static int make_timeline(struct gap_timeline *line, const struct replay *replay,
                         struct tally *tally)
{
	size_t worst = replay_worst(tally, replay->records, replay->n), first = 0, i;
	size_t n = replay->n < MAX_SLOTS ? replay->n : MAX_SLOTS;
	uint64_t origin = replay->records->start;

	if (worst == replay->n)
		worst = 0;
	if (worst > n / 2)
		first = worst - n / 2;
	if (first + n > replay->n)
		first = replay->n - n;
	line->slots = calloc(n, sizeof *line->slots);
	if (!line->slots)
		return -1;
	for (i = 0; i < n; i++) {
		const struct gap_record *record = &replay->records[first + i];

		line->slots[i] = (struct gap_slot){
		    .start = (double)(record->start - origin),
		    .end = (double)(record->end - origin),
		    .name = record->name,
		    .kind = record->kind,
		};
	}
	line->n_slots = (unsigned)n;
	line->cut = (unsigned)(replay->n - n);
	line->focus = (unsigned)(worst - first);
	put_in_lanes(line);
	return 0;
}

/* The median duration of the graph's own fills, else what the caller said. */
static int choose_fill(struct gap_graph *graph, const struct tally *tally,
                       double fill_ns)
{
	struct lengths fills = {0};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < tally->n_visits; i++)
		if (tally->visits[i].kind == GAP_FILL)
			err = lengths_add(&fills, tally->visits[i].duration);
	graph->fill_seen = fills.n > 0;
	graph->fill_ns =
	    fills.n > 0 ? gap_spread_of(fills.values, fills.n).median : fill_ns;
	free(fills.values);
	return err;
}

static void count_nodes(struct gap_graph *graph, const struct replay *replay)
{
	size_t i;

	memset(graph->nodes, 0, GAP_OTHER * sizeof *graph->nodes);
	for (i = 0; i < replay->n; i++)
		if (replay->records[i].kind < GAP_OTHER)
			graph->nodes[replay->records[i].kind]++;
}

static int analyze_nodes(struct gap_graph *graph, const struct replays *replays,
                         const struct gap_input *input, double median, double slowest)
{
	struct tally tally = {0};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < replays->n; i++)
		err = replay_add(&tally, replays->list[i].records, replays->list[i].n,
		                 (uint32_t)i);
	for (i = 0; i < tally.kernel_gaps.n; i++)
		graph->kernel_idle += tally.kernel_gaps.values[i] / graph->used;
	graph->kernel_gap =
	    gap_spread_of(tally.kernel_gaps.values, tally.kernel_gaps.n);
	memcpy(graph->histogram, tally.histogram, sizeof graph->histogram);
	graph->overlaps = (unsigned)(tally.overlaps / replays->n);
	count_nodes(graph, nearest(graph, replays, median));
	err = err || choose_fill(graph, &tally, input->fill_ns) ||
	      rows_make(graph, &tally, input->names) ||
	      make_timeline(&graph->median, nearest(graph, replays, median), &tally) ||
	      make_timeline(&graph->slowest, nearest(graph, replays, slowest), &tally);
	tally_free(&tally);
	return err ? -1 : 0;
}

static int analyze_graph(struct gap_graph *graph, const struct gap_record *records,
                         size_t n, const struct gap_input *input)
{
	struct replays replays = {0};
	double *sorted = NULL;
	int err = -1;
	size_t i;

	if (split_replays(&replays, records, n) != 0)
		goto out;
	choose_replays(graph, &replays, input->skip);
	graph->samples = calloc(replays.n + 1, sizeof *graph->samples);
	sorted = calloc(replays.n + 1, sizeof *sorted);
	if (!graph->samples || !sorted)
		goto out;
	for (i = 0; i < replays.n; i++)
		sorted[i] = graph->samples[i] = length_of(&replays.list[i]);
	graph->replay = gap_spread_of(sorted, replays.n);
	err = 0;
	if (input->level == GAP_LEVEL_NODE && replays.n > 0)
		err = analyze_nodes(graph, &replays, input, graph->replay.median,
		                    sorted[replays.n - 1]);
out:
	free(sorted);
	free(replays.list);
	return err;
}

static uint64_t common_step(uint64_t a, uint64_t b)
{
	uint64_t rest;

	while (b) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/*
 * Only times of one replay are compared: CUPTI converts the GPU's clock to the host's,
 * and between replays the rate of that moves.  The records are sorted.
 */
static double timer_step(const struct gap_record *records, size_t n)
{
	uint64_t step = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (is_timeless(&records[i]))
			continue;
		step = common_step(step, records[i].end - records[i].start);
		if (i > 0 && records[i - 1].replay == records[i].replay &&
		    records[i - 1].graph == records[i].graph &&
		    records[i - 1].device == records[i].device && records[i - 1].start)
			step =
			    common_step(step, records[i].start - records[i - 1].start);
	}
	return (double)step;
}

static int copy_names(const struct gap_input *input, struct gap_report *report)
{
	size_t i, n = 0;

	for (i = 0; i < input->n_records; i++)
		if (input->records[i].name >= n)
			n = (size_t)input->records[i].name + 1;
	if (input->level == GAP_LEVEL_GRAPH)
		n = 0;
	report->names = calloc(n + 1, sizeof *report->names);
	if (!report->names)
		return -1;
	for (i = 0; i < n; i++, report->n_names++) {
		report->names[i] = strdup(input->names[i]);
		if (!report->names[i])
			return -1;
	}
	return 0;
}

static const struct gap_graph_info *find_info(const struct gap_input *input,
                                              uint32_t id)
{
	size_t i;

	for (i = 0; i < input->n_graphs; i++)
		if (input->graphs[i].id == id)
			return &input->graphs[i];
	return NULL;
}

int gap_analyze(const struct gap_input *input, struct gap_report *report)
{
	struct gap_record *records = input->records;
	const struct gap_graph_info *info;
	struct gap_graph *graph;
	size_t first, end, n = input->n_records;

	report->level = input->level;
	report->graphs = calloc(1, sizeof *report->graphs);
	if (!report->graphs || copy_names(input, report) != 0)
		return -1;
	if (n)
		qsort(records, n, sizeof *records, by_replay);
	report->timer_step = timer_step(records, n);
	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n; end++)
			if (records[end].graph != records[first].graph ||
			    records[end].device != records[first].device)
				break;
		graph = realloc(report->graphs,
		                (report->n_graphs + 1) * sizeof *report->graphs);
		if (!graph)
			return -1;
		report->graphs = graph;
		graph += report->n_graphs++;
		*graph = (struct gap_graph){.id = records[first].graph,
		                            .device = records[first].device};
		info = find_info(input, graph->id);
		if (info)
			memcpy(graph->nodes, info->nodes, sizeof graph->nodes);
		if (analyze_graph(graph, records + first, end - first, input) != 0)
			return -1;
	}
	return 0;
}
