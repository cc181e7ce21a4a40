/* SPDX-License-Identifier: MIT */
/*
 * The mock of CUPTI delivers what its script says, in buffers as CUPTI would, to a
 * client that enabled it.
 */
#include "tap.h"

#if !__has_include(<cupti.h>) || defined NO_MOCK
int main(void)
{
	skip_all("built without cupti.h");
}
#else

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/client.h"

/* --- the scenarios -----------------------------------------------------------------
 */

static void plain(void)
{
	(void)client(BUFFER);
	mock_cupti_play();
	is(got.n, 0, "a buffer that is not full waits for a flush");
	is(cuptiActivityFlushAll(0), CUPTI_SUCCESS, "flushed");
	is(got.n, 4, "all of it comes with the flush");
	is(got.records[0].kind, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "a kernel");
	is(got.records[0].start, 1000, "its start");
	is(got.records[0].end, 2000, "its end");
	is(got.records[0].correlation, 5, "its launch");
	is(got.records[0].node, (7ULL << 32) + 1, "its node");
	ok(!strcmp(got.records[0].name, "first"), "its name");
	is(got.records[0].channel, CUPTI_CHANNEL_TYPE_COMPUTE, "its channel");
	is(got.records[1].kind, CUPTI_ACTIVITY_KIND_MEMSET, "a memset");
	is(got.records[1].bytes, 64, "its size");
	is(got.records[1].channel, CUPTI_CHANNEL_TYPE_ASYNC_MEMCPY,
	   "its channel, as the script says");
	is(got.records[2].kind, CUPTI_ACTIVITY_KIND_MEMCPY, "a copy");
	is(got.records[3].node, 0, "a kernel of no graph");
	is(got.dropped, 3, "records that were dropped are counted once");
	sound();
}
static const char plain_script[] = "# a comment\n"
                                   "kernel 1000 2000 0 5 7 1 first\n"
                                   "memset 2100 2200 0 5 7 2 64 2   # and another\n"
                                   "memcpy 2300 2400 0 5 7 3 128\n"
                                   "memcpy2 2300 2400 0 5 7 3 128\n"
                                   "graph 1000 2400 0 5 7\n"
                                   "kernel 3000 4000 0 6 0 0 eager\n"
                                   "drop 3\n";

static void repeated(void)
{
	uint64_t sum = 0;
	size_t i, ordered = 1;

	(void)client(BUFFER);
	mock_cupti_play();
	ok(got.n > 80 && got.n < 100, "full buffers come at once (%zu records)", got.n);
	cuptiActivityFlushAll(0);
	is(got.n, 100, "each time of each repeat");
	ok(got.buffers >= 100 * sizeof(CUpti_ActivityMemset4) / BUFFER,
	   "in buffers that are full");
	for (i = 1; i < got.n; i++)
		ordered &= got.records[i].start > got.records[i - 1].start;
	ok(ordered, "in order");
	for (i = 0; i < got.n; i++)
		sum += got.records[i].correlation;
	/* 1 + 2 a in the outer, a of 0...9, ten times each */
	is(sum, 100 + 10 * 2 * 45, "each with its launch");
	is(got.records[57].start, 100 + 5 * 1000 + 7 * 10, "each with its time");
	sound();
}
static const char repeated_script[] = "repeat 10 1000 2\n"
                                      "repeat 10 10\n"
                                      "memset 100 101 0 1 3 1 4\n"
                                      "end\nend\n";

static void mixed(void)
{
	uint64_t seen = 0;
	size_t i, ordered = 1;

	got.max_records = 10;
	(void)client(1 << 16);
	mock_cupti_play();
	cuptiActivityFlushAll(0);
	is(got.n, 60, "every record comes");
	is(got.buffers, 6, "no more in a buffer than the client wants");
	for (i = 0; i < got.n; i++) {
		seen |= 1ULL << got.records[i].correlation;
		if (i > 0)
			ordered &= got.records[i].start > got.records[i - 1].start;
		got.misread += got.records[i].correlation / 10 != i / 10;
	}
	is(seen, (1ULL << 60) - 1, "each once");
	ok(!ordered, "not in order");
	sound();
}
static const char mixed_script[] = "shuffle 7\n"
                                   "repeat 30 100 2\n"
                                   "kernel 10 20 0 0 1 1 k\n"
                                   "memset 30 40 0 1 1 2 4\n"
                                   "end\n";

static void small(void)
{
	(void)client(sizeof(CUpti_ActivityMemset4) + 8);
	mock_cupti_play();
	cuptiActivityFlushAll(1);
	is(got.n, 1, "what fits into a small buffer comes");
	is(got.dropped, 2, "what does not is dropped");
	is(got.records[0].kind, CUPTI_ACTIVITY_KIND_MEMSET, "the memset fits");
	sound();
}
static const char small_script[] = "kernel 10 20 0 1 1 1 a\nkernel 30 40 0 1 1 1 b\n"
                                   "memset 50 60 0 1 1 1 4\n";

static void levels(void)
{
	(void)client(BUFFER);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET);
	mock_cupti_play();
	cuptiActivityFlushAll(0);
	is(got.n, 2, "graph level: graphs, and what is in none");
	is(got.records[0].kind, CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "a graph");
	is(got.records[0].end, 90, "its end");
	is(got.records[1].node, 0, "a kernel of no graph");
	cuptiActivityDisable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
	cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2);
	mock_cupti_play();
	cuptiActivityFlushAll(0);
	is(got.n, 4, "node level after a pause: what is enabled");
	is(got.records[2].kind, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "a kernel");
	is(got.records[3].kind, CUPTI_ACTIVITY_KIND_MEMCPY2, "a copy between devices");
	mock_cupti_play();
	cuptiActivityFlushAll(0);
	is(got.n, 4, "what is late does not come with a flush that is not forced");
	cuptiActivityFlushAll(1);
	is(got.n, 5, "it comes with one that is");
	is(got.records[4].start, 70, "as it is");
	cuptiActivityFlushAll(1);
	is(got.n, 5, "once");
	sound();
}
static const char levels_script[] =
    "kernel 10 20 0 1 1 1 a\nmemset 30 40 0 1 1 2 4\n"
    "graph 10 90 0 1 1\nkernel 50 60 0 2 0 0 b\npause\n"
    "kernel 10 20 0 3 1 1 a\nmemset 30 40 0 3 1 2 4\ngraph 10 90 0 3 1\n"
    "memcpy2 60 61 0 3 1 4 8\nlate\nkernel 70 80 0 4 1 1 a\n";

static void unplayed(void)
{
	(void)client(BUFFER);
	cuptiActivityFlushAll(0);
	is(got.n, 0, "nobody played: nothing comes with a flush that is not forced");
	cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	is(got.n, 6, "nobody played: all of it comes with one that is");
}

static void making(void)
{
	CUpti_SubscriberHandle subscriber = client(BUFFER);
	uint32_t on = CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags;
	uint64_t id;

	is(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE), CUPTI_SUCCESS,
	   "resources");
	is(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, on),
	   CUPTI_SUCCESS, "instantiation");
	is(cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
	                       CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED),
	   CUPTI_SUCCESS, "but not its end");
	mock_cupti_play();
	is(got.n_calls, 6, "two nodes, the call, two copies, its end");
	is(got.calls[0].id, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, "a node is made");
	is(got.calls[1].type, CU_GRAPH_NODE_TYPE_KERNEL, "kernels, all of them");
	is(got.calls[2].domain, CUPTI_CB_DOMAIN_DRIVER_API, "the call");
	is(got.calls[2].id, on, "which one");
	is(got.calls[2].site, CUPTI_API_ENTER, "begins");
	is(got.calls[4].id, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, "a copy is made");
	is(got.calls[4].type, CU_GRAPH_NODE_TYPE_MEMSET, "of a memset");
	is(got.calls[4].node, (9ULL << 32) + 2, "its id");
	is(got.calls[4].original, got.calls[1].node, "of that node");
	is(got.calls[5].site, CUPTI_API_EXIT, "the call ends");
	is(cuptiGetGraphNodeId((CUgraphNode)&got, &id), CUPTI_ERROR_INVALID_PARAMETER,
	   "what is no node has no id");
	is(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS, "unsubscribed");
	mock_cupti_play();
	is(got.n_calls, 6, "no callbacks any more");
}
static const char making_script[] = "node 9 1 kernel\nnode 9 2 memset\nexec 9\npause\n"
                                    "node 8 1 kernel\nexec 8\n";

static void faults(void)
{
	CUpti_SubscriberHandle subscriber;
	uint32_t version = 0;

	is(cuptiGetVersion(&version), CUPTI_SUCCESS, "asked for the version");
	is(version, 24, "as the script says");
	is(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS,
	   "the first call works");
	is(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), 13, "the second fails");
	is(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS,
	   "the third works");
	is(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION,
	   "no flush without buffers");
	is(cuptiActivityRegisterCallbacks(requested, completed), 35, "always fails");
	is(cuptiActivityRegisterCallbacks(requested, completed), 35, "always");
	is(cuptiSubscribe(&subscriber, called, &got), CUPTI_SUCCESS, "subscribed");
	is(cuptiSubscribe(&subscriber, called, &got),
	   CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "once is enough");
}
static const char faults_script[] = "version 24\nfail cuptiActivityEnable 13 2\n"
                                    "fail cuptiActivityRegisterCallbacks 35\n";

static void busy(void)
{
	char name[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
	CUpti_SubscriberParams params = {
	    .structSize = CUpti_SubscriberParams_STRUCT_SIZE,
	    .subscriberName = "me",
	    .oldSubscriberName = name,
	    .oldSubscriberSize = sizeof name,
	};
	CUpti_SubscriberHandle subscriber;

	is(cuptiSubscribe(&subscriber, called, &got), 39, "somebody else has CUPTI");
	is(cuptiSubscribe_v2(&subscriber, called, &got, &params), 39, "still");
	ok(!strcmp(name, "nsys"), "it is %s", name);
	params.structSize--;
	is(cuptiSubscribe_v2(&subscriber, called, &got, &params),
	   CUPTI_ERROR_INVALID_PARAMETER, "the size is looked at");
}

/* Correlation ids came only with API records before 13.0. */
static void old(void)
{
	(void)client(BUFFER);
	mock_cupti_play();
	cuptiActivityEnableDriverApi(514, 1);
	mock_cupti_play();
	cuptiActivityFlushAll(0);
	is(got.n, 2, "two records");
	is(got.records[0].correlation, 0, "without API records: no launch");
	is(got.records[1].correlation, 7, "with them: the launch");
	is(got.records[1].start + got.records[1].end, 0, "no times stay none");
}
static const char old_script[] = "version 24\nkernel 1 2 0 7 1 1 a\npause\n"
                                 "repeat 1 100\nkernel 0 0 0 7 1 1 a\nend\n";

/* The script is read once: each scenario has a process of its own. */
static void scenario(const char *name, const char *script, void (*run)(void))
{
	int *shared =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[] = "/tmp/mock-cupti-XXXXXX";
	int fd = mkstemp(path), status;
	pid_t child;

	if (shared == MAP_FAILED || fd < 0 ||
	    write(fd, script, strlen(script)) != (ssize_t)strlen(script))
		bail("cannot write %s", path);
	close(fd);
	printf("# %s\n", name);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		setenv("MOCK_CUPTI", path, 1);
		run();
		shared[0] = tap_count;
		shared[1] = tap_failed;
		_exit(0);
	}
	waitpid(child, &status, 0);
	unlink(path);
	if (shared[0])
		tap_count = shared[0];
	tap_failed = shared[1] > tap_failed ? shared[1] : tap_failed;
	is(status, 0, "%s ends well", name);
	munmap(shared, 4096);
}

int main(void)
{
	unsetenv("MOCK_CUPTI_LOG");
	scenario("plain", plain_script, plain);
	scenario("repeated", repeated_script, repeated);
	scenario("mixed", mixed_script, mixed);
	scenario("small", small_script, small);
	scenario("levels", levels_script, levels);
	scenario("unplayed", levels_script, unplayed);
	scenario("making", making_script, making);
	scenario("faults", faults_script, faults);
	scenario("busy", "busy nsys\n", busy);
	scenario("old", old_script, old);
	return done();
}
#endif
