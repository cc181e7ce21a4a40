/* SPDX-License-Identifier: MIT */
/*
 * Launches that the gap counter times between events: each with its own context's
 * events and under its own device, and what cannot be timed is counted, not lost.
 */
#include "drv.h"
#include "events.h"
#include "store.h"

static unsigned timed[2];

void store_add(const struct store_record *records, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		timed[records[i].record.device % 2]++;
}

static void launch(CUcontext ctx, CUstream stream, int launched)
{
	must(cuCtxSetCurrent(ctx));
	events_enter(7, stream, 0);
	events_exit(stream, 0, launched);
	events_collect();
}

int main(void)
{
	CUcontext first = drv_start(), second;
	CUstream stream = drv_stream(), other;
	CUgraph graph;
	int i;

	must(cuDevicePrimaryCtxRetain(&second, 1));
	must(cuCtxSetCurrent(second));
	other = drv_stream();
	launch(first, stream, 1);
	is(timed[0], 1, "a launch is timed");
	for (i = 0; i < 100; i++)
		launch(second, other, 1);
	is(timed[1], 100, "so are launches of another context's, on its device");
	launch(first, other, 1);
	is(timed[0] + timed[1], 101, "on a foreign stream the driver refuses");
	is(events_untimed(), 1, "which is counted");
	launch(first, stream, 1);
	is(timed[0], 2, "and spoils no later one");
	launch(first, stream, 0);
	is(timed[0], 2, "a launch that failed is no replay");
	must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	launch(first, stream, 1);
	must(cuStreamEndCapture(stream, &graph));
	is(timed[0], 2, "nor is one into a capture");
	is(events_untimed(), 1, "and neither is missed");
	for (i = 0; i < 2000; i++) {
		events_enter(7, stream, 0);
		events_exit(stream, 0, 1);
	}
	events_collect();
	is(timed[0] + events_untimed(), 2 + 1 + 2000, "none of many is lost");
	return done();
}
