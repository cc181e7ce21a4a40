/* SPDX-License-Identifier: MIT */
#include "store.h"
#include "table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The launches of one graph that are kept. */
struct window {
	struct gap_graph_info info;
	uint32_t *replays; /* correlation ids, in order */
	size_t n_replays, room;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	unsigned replays;
	size_t max_records;
	struct gap_record *records;
	size_t n_records, room;
	struct window *windows;
	size_t n_windows, window_room;
	struct table graphs; /* id -> index of its window */
	struct table nodes;  /* id -> enum gap_kind */
	struct names names;
	struct store_counts counts;
} store;

/* More nodes than that (some 100 MiB of table) are known by their records only. */
enum { MAX_NODES = 1 << 22 };

void store_setup(unsigned replays, size_t max_records)
{
	pthread_mutex_lock(&lock);
	store.replays = replays ? replays : 1;
	store.max_records = max_records;
	pthread_mutex_unlock(&lock);
}

/* NULL without memory. */
static struct window *find_window(uint32_t graph)
{
	size_t room = store.window_room ? 2 * store.window_room : 64;
	struct window *windows;
	uint32_t index;

	if (table_get(&store.graphs, graph, &index))
		return &store.windows[index];
	if (store.n_windows == store.window_room) {
		windows = realloc(store.windows, room * sizeof *windows);
		if (!windows)
			return NULL;
		store.windows = windows;
		store.window_room = room;
	}
	if (table_put(&store.graphs, graph, (uint32_t)store.n_windows) != 0)
		return NULL;
	store.windows[store.n_windows] = (struct window){.info = {.id = graph}};
	return &store.windows[store.n_windows++];
}

/* Nodes are many; a table without room for more keeps those that it has. */
static void remember(uint64_t node, uint32_t kind)
{
	uint32_t known;

	if (table_get(&store.nodes, node, &known) || store.nodes.n < MAX_NODES)
		(void)table_put(&store.nodes, node, kind);
}

void store_node(uint64_t node, enum gap_kind kind)
{
	pthread_mutex_lock(&lock);
	remember(node, (uint32_t)kind);
	pthread_mutex_unlock(&lock);
}

void store_clone(uint64_t node, uint64_t original, uint32_t graph)
{
	struct window *window;
	uint32_t kind;

	pthread_mutex_lock(&lock);
	if (table_get(&store.nodes, original, &kind)) {
		remember(node, kind);
		window = find_window(graph);
		if (window)
			window->info.nodes[kind]++;
	}
	pthread_mutex_unlock(&lock);
}

int store_only_memsets(uint32_t graph)
{
	const uint32_t *nodes;
	uint32_t index;
	int only = 0;

	pthread_mutex_lock(&lock);
	if (table_get(&store.graphs, graph, &index)) {
		nodes = store.windows[index].info.nodes;
		only = nodes[GAP_MEMSET] + nodes[GAP_FILL] > 0 &&
		       nodes[GAP_KERNEL] + nodes[GAP_MEMCPY] == 0;
	}
	pthread_mutex_unlock(&lock);
	return only;
}

/* Where the launch is, or belongs: they are kept in order. */
static size_t replay_at(const struct window *window, uint32_t replay)
{
	size_t low = 0, high = window->n_replays, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (window->replays[middle] < replay)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_replay(struct window *window, size_t at, uint32_t replay)
{
	size_t room = window->room ? 2 * window->room : 256;
	uint32_t *replays;

	if (window->n_replays == store.replays)
		return 0;
	if (window->n_replays == window->room) {
		replays = realloc(window->replays, room * sizeof *replays);
		if (!replays)
			return 0;
		window->replays = replays;
		window->room = room;
	}
	/* Ids are counted up: what has to move is little. */
	memmove(window->replays + at + 1, window->replays + at,
	        (window->n_replays - at) * sizeof *window->replays);
	window->replays[at] = replay;
	window->n_replays++;
	return 1;
}

/* Is this launch one of those that are kept?  The first of each graph are. */
static int in_window(const struct gap_record *record)
{
	struct window *window = find_window(record->graph);
	size_t at;

	if (!window)
		return 0;
	at = replay_at(window, record->replay);
	if (at < window->n_replays && window->replays[at] == record->replay)
		return 1;
	return add_replay(window, at, record->replay);
}

static int make_room(void)
{
	size_t room = store.room ? 2 * store.room : 4096;
	struct gap_record *records;

	if (store.n_records < store.room)
		return 1;
	if (room > store.max_records)
		room = store.max_records;
	if (store.n_records >= room)
		return 0;
	records = realloc(store.records, room * sizeof *records);
	if (!records)
		return 0;
	store.records = records;
	store.room = room;
	return 1;
}

int store_is_fill(const char *name)
{
	static const char fill[] = "memsetshim_fill";

	return name && !strncmp(name, fill, sizeof fill - 1);
}

/*
 * The driver may run a memset node as a kernel of its own; then what the node was made
 * as counts.  A fill is a kernel either way; only its name tells.
 */
static uint8_t kind_of(const struct store_record *record)
{
	uint32_t kind;

	if (record->record.kind == GAP_KERNEL && store_is_fill(record->name))
		return GAP_FILL;
	if (record->record.kind == GAP_KERNEL && record->record.node &&
	    table_get(&store.nodes, record->record.node, &kind) &&
	    (kind == GAP_MEMSET || kind == GAP_MEMCPY))
		return (uint8_t)kind;
	return record->record.kind;
}

static void add(const struct store_record *record)
{
	struct gap_record *kept;
	uint32_t name;

	if (record->record.graph == 0) {
		store.counts.outside++;
		return;
	}
	store.counts.seen++;
	store.counts.timeless += record->record.start == 0;
	if (!in_window(&record->record) || !make_room() ||
	    names_find(&store.names, record->name ? record->name : "?", &name) != 0) {
		store.counts.not_kept++;
		return;
	}
	kept = &store.records[store.n_records++];
	*kept = record->record;
	kept->name = name;
	kept->kind = kind_of(record);
}

void store_add(const struct store_record *records, size_t n)
{
	size_t i;

	pthread_mutex_lock(&lock);
	for (i = 0; i < n; i++)
		add(&records[i]);
	pthread_mutex_unlock(&lock);
}

void store_dropped(uint64_t n)
{
	pthread_mutex_lock(&lock);
	store.counts.dropped += n;
	pthread_mutex_unlock(&lock);
}

struct store_counts store_counts(void)
{
	struct store_counts counts;

	pthread_mutex_lock(&lock);
	counts = store.counts;
	counts.kept = store.n_records;
	pthread_mutex_unlock(&lock);
	return counts;
}

static void *copy_of(const void *from, size_t size)
{
	void *copy = malloc(size ? size : 1);

	if (copy && size)
		memcpy(copy, from, size);
	return copy;
}

int store_copy(struct gap_input *input)
{
	struct gap_graph_info *graphs;
	const char **names;
	size_t i;

	pthread_mutex_lock(&lock);
	input->records =
	    copy_of(store.records, store.n_records * sizeof *store.records);
	input->n_records = input->records ? store.n_records : 0;
	names = copy_of(store.names.list, store.names.n * sizeof *store.names.list);
	input->names = names;
	graphs = malloc((store.n_windows + 1) * sizeof *graphs);
	for (i = 0; graphs && i < store.n_windows; i++)
		graphs[i] = store.windows[i].info;
	input->graphs = graphs;
	input->n_graphs = graphs ? store.n_windows : 0;
	pthread_mutex_unlock(&lock);
	return input->records && names && graphs ? 0 : -1;
}

void store_copy_free(struct gap_input *input)
{
	free(input->records);
	/* The names themselves are the store's, and stay. */
	free((void *)(uintptr_t)input->names);
	free((void *)(uintptr_t)input->graphs);
}
