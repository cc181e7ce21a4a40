/* SPDX-License-Identifier: MIT */
/*
 * sample.h - one run of PROG under the gap counter, for compare.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdint.h>

#include "../gapcount/gap.h"

/* How PROG is run; what is NULL is left as the user has it. */
struct sample_setup {
	char **argv;
	const char *folder; /* for the reports; each run makes one of its own there */
	const char *shim, *counter; /* the libraries' paths */
	const char *replays, *skip, *max_records, *cupti;
};

struct sample {
	int shim;
	enum gap_level level;
	struct gap_report *reports; /* of the processes that replayed graphs, by pid */
	unsigned n_reports;
	double wall;       /* seconds */
	uint64_t out_hash; /* of what it wrote to stdout; kept runs only */
};

/*
 * Runs PROG once: 0, or the status to end with, after a complaint.  shown: its stdin,
 * stdout and stderr are ours; else stdout and stderr are kept, and the end of stderr is
 * shown when it fails.
 */
int sample_take(const struct sample_setup *setup, struct sample *sample, int shown);

void sample_free(struct sample *sample);

/* All graphs that were replayed, in order; malloc()ed, pointing into the reports. */
const struct gap_graph **sample_graphs(const struct sample *sample, unsigned *n);

/* Removes a folder and all in it. */
void sample_remove(const char *folder);

#endif
