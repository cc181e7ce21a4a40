/* SPDX-License-Identifier: MIT */
/*
 * cupti_abi.h - the little of CUPTI's interface that the counter uses.
 *
 * Declared here and not taken from cupti.h, so that one binary serves CUPTI 11.1 and
 * later and is built without it.  Records are the beginnings that every version since
 * has kept; each version appends to them, so they are stepped through by CUPTI's own
 * cuptiActivityGetNextRecord, never by sizeof.  tests/unit-cupti-abi.c compares all of
 * this with the cupti.h of the toolkit.  Source: the CUPTI headers and their
 * documentation, docs.nvidia.com/cupti.
 */
#ifndef CUPTI_ABI_H
#define CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

enum {
	ABI_SUCCESS = 0,
	ABI_ERROR_MULTIPLE_SUBSCRIBERS = 39,
};

enum abi_kind {
	ABI_KIND_MEMCPY = 1,
	ABI_KIND_MEMSET = 2,
	ABI_KIND_CONCURRENT_KERNEL = 10,
	ABI_KIND_MEMCPY2 = 22, /* between devices; comes only with MEMCPY */
	ABI_KIND_GRAPH_TRACE = 51,
};

/* Whatever its kind, a record begins with it. */
struct abi_activity {
	uint32_t kind;
};

enum abi_channel { ABI_CHANNEL_INVALID, ABI_CHANNEL_COMPUTE, ABI_CHANNEL_COPY };

/* CUpti_ActivityKernel7 (11.6); up to graphId as Kernel5 (11.1). */
struct abi_kernel {
	uint32_t kind;
	uint8_t skipped_1[12];
	uint64_t start, end;
	uint8_t skipped_2[8];
	uint32_t device, context, stream;
	uint8_t skipped_3[40];
	uint32_t correlation;
	uint8_t skipped_4[8];
	const char *name;
	uint8_t skipped_5[32];
	uint64_t graph_node;
	uint8_t skipped_6[4];
	uint32_t graph;
	uint8_t skipped_7[12];
	uint32_t channel_type; /* since 11.6 */
} __attribute__((packed));

/* CUpti_ActivityMemset4 (11.6); up to graphId as Memset3 (11.1). */
struct abi_memset {
	uint32_t kind;
	uint32_t value;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream, correlation;
	uint8_t skipped[16];
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel;
	uint32_t channel_type; /* since 11.6 */
} __attribute__((packed));

/* CUpti_ActivityMemcpy5 (11.6); up to graphId as Memcpy4 (11.1). */
struct abi_memcpy {
	uint32_t kind;
	uint8_t skipped_1[4];
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream, correlation;
	uint8_t skipped_2[16];
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel;
	uint32_t channel_type; /* since 11.6 */
} __attribute__((packed));

/* CUpti_ActivityMemcpyPtoP4 (11.6); up to graphId as PtoP3 (11.1). */
struct abi_memcpy2 {
	uint32_t kind;
	uint8_t skipped_1[4];
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint8_t skipped_2[16];
	uint32_t correlation;
	uint8_t skipped_3[8];
	uint64_t graph_node;
	uint32_t graph;
	uint32_t channel;
	uint32_t channel_type; /* since 11.6 */
} __attribute__((packed));

/* CUpti_ActivityGraphTrace (11.7). */
struct abi_graph_trace {
	uint32_t kind;
	uint32_t correlation;
	uint64_t start, end;
	uint32_t device;
	uint32_t graph;
} __attribute__((packed));

/* --- callbacks ------------------------------------------------------------------- */

enum { ABI_DOMAIN_DRIVER_API = 1, ABI_DOMAIN_RESOURCE = 3 };

enum { ABI_SITE_ENTER = 0 };

/* CUpti_driver_api_trace_cbid: every way to instantiate a graph; begins with cuda.h's
 * (CUgraphExec *exec, CUgraph graph). */
enum abi_instantiate {
	ABI_CBID_INSTANTIATE = 513,
	ABI_CBID_INSTANTIATE_V2 = 578,
	ABI_CBID_INSTANTIATE_WITH_FLAGS = 643,
	ABI_CBID_INSTANTIATE_WITH_PARAMS = 656,
	ABI_CBID_INSTANTIATE_WITH_PARAMS_PTSZ = 657,
};

/* CUpti_CallbackData: its beginning. */
struct abi_api_data {
	int site;
	const char *name;
	const void *params;
	const int *result; /* a CUresult; at the exit only */
};

/* cuGraphLaunch_params */
struct abi_launch_params {
	void *exec;
	void *stream;
};

/* The beginning of cuGraphInstantiate*_params. */
struct abi_instantiate_params {
	void *exec;
	void *graph;
};

enum abi_resource {
	ABI_RESOURCE_GRAPHNODE_CREATED = 13,
	ABI_RESOURCE_GRAPHEXEC_CREATED = 18,
	ABI_RESOURCE_GRAPHNODE_CLONED = 20,
};

/* CUpti_ResourceData */
struct abi_resource_data {
	void *context;
	void *handle;
	void *descriptor; /* struct abi_graph_data * for the graph callbacks */
};

/* CUpti_GraphData */
struct abi_graph_data {
	void *graph, *original_graph;
	void *node, *original_node;
	int node_type; /* CUgraphNodeType */
	void *dependency;
	void *exec;
};

enum abi_node_type {
	ABI_NODE_KERNEL = 0,
	ABI_NODE_MEMCPY = 1,
	ABI_NODE_MEMSET = 2,
	ABI_NODE_GRAPH = 4,
};

/* CUpti_SubscriberParams (13.0) */
struct abi_subscriber_params {
	size_t size;
	const char *name;
	char *old_name; /* the tool that is in the way */
	size_t old_size;
};

enum { ABI_OLD_NAME_SIZE = 64, ABI_FLUSH_FORCED = 1 };

/* CUpti_driver_api_trace_cbid of cuGraphLaunch and its per-thread variant. */
enum { ABI_CBID_GRAPH_LAUNCH = 514, ABI_CBID_GRAPH_LAUNCH_PTSZ = 515 };

typedef void abi_callback(void *user, int domain, uint32_t id, const void *data);
typedef void abi_buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void abi_buffer_completed(void *context, uint32_t stream, uint8_t *buffer,
                                  size_t size, size_t valid);

#endif
