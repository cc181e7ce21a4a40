/* SPDX-License-Identifier: MIT */
/*
 * gap_sample.h - reports made by hand, for unit-gap-write.c: put() records, then
 * analyze() what was put.
 */
#ifndef GAP_SAMPLE_H
#define GAP_SAMPLE_H

#include "gap.h"

#include <string.h>

#include "tap.h"

/* As long as PyTorch's are. */
static const char long_name[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_13BinaryFunctorIN3c108BFloat"
    "16ES4_S4_NS0_15binary_internal10MulFunctorIfEEEESt5arrayIPcLm3EEEEviT0_T1_ILi512E"
    "Li1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfEEfELi4EEE";

static const char *const names[] = {"[memset]",
                                    "memsetshim_fill_words",
                                    "ln_fwd_kernel<float, \"4\" & more>",
                                    long_name,
                                    "nvjet_hsh_128x64_64x8_1x2_h_bz_TNN",
                                    "bad \xff\xc0 bytes\n"};
enum { M, F, LN, ELEMENTWISE, GEMM, BAD };

static struct gap_record records[64];
static size_t n_records;

static void put(unsigned graph, int name, uint64_t start, uint64_t length)
{
	static const uint8_t kinds[] = {GAP_MEMSET, GAP_FILL,   GAP_KERNEL,
	                                GAP_KERNEL, GAP_KERNEL, GAP_MEMCPY};

	records[n_records] = (struct gap_record){.graph = graph,
	                                         .replay = 1,
	                                         .node = n_records + 1,
	                                         .name = (uint32_t)name,
	                                         .start = 1000000 + start,
	                                         .end = 1000000 + start + length,
	                                         .kind = kinds[name],
	                                         .bytes = name <= F ? 4 : 0,
	                                         .engine = GAP_ENGINE_COMPUTE};
	n_records++;
}

static void analyze(struct gap_report *report, int shim)
{
	struct gap_input input = {
	    .records = records, .n_records = n_records, .names = names, .fill_ns = 770};

	memset(report, 0, sizeof *report);
	ok(gap_analyze(&input, report) == 0, "a report");
	n_records = 0;
	report->version = strdup("0.1.0");
	report->program = strdup("python infer.py --name \"<a> & b\"");
	report->host = strdup("host");
	report->gpu = strdup("NVIDIA H200");
	report->cupti = strdup("13.0.1");
	report->driver = 13000;
	report->pid = 4711;
	report->shim = shim;
}

/* A chain, and two branches; the same with fills. */
static void make_before(struct gap_report *report)
{
	put(7, LN, 0, 2100);
	put(7, ELEMENTWISE, 2200, 1500);
	put(7, M, 5100, 800);
	put(7, GEMM, 7400, 6200);
	put(7, BAD, 13700, 900);
	put(7, LN, 14700, 2100);
	put(7, M, 18000, 800);
	put(7, GEMM, 20300, 6100);
	put(9, LN, 0, 2000);
	put(9, M, 4000, 900);
	put(9, M, 4100, 1000);
	put(9, GEMM, 7000, 3000);
	put(9, ELEMENTWISE, 7100, 5000);
	analyze(report, 0);
	report->dropped = 3;
}

static void make_after(struct gap_report *report)
{
	put(7, LN, 0, 2100);
	put(7, ELEMENTWISE, 2200, 1500);
	put(7, F, 3800, 700);
	put(7, GEMM, 4600, 6200);
	put(7, BAD, 10900, 900);
	put(7, LN, 11900, 2100);
	put(7, F, 14100, 700);
	put(7, GEMM, 14900, 6100);
	put(9, LN, 0, 2000);
	put(9, F, 2100, 700);
	put(9, F, 2200, 700);
	put(9, GEMM, 3000, 3000);
	put(9, ELEMENTWISE, 3100, 5000);
	analyze(report, 1);
}

#endif
