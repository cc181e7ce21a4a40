#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays of a graph with memsets under torch.profiler: how many fills it shows."""

import torch
from torch.profiler import ProfilerActivity, profile

x = torch.randn(1 << 20, device="cuda")


def body():
    return x.sum(), x.argmax()


stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    for _ in range(3):
        body()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    results = body()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    for _ in range(5):
        graph.replay()
    torch.cuda.synchronize()
assert torch.equal(results[1], x.argmax()), "another result under the profiler"
names = [event.name for event in prof.events()]
print("fills", sum("memsetshim_fill" in name for name in names))
print("memsets", sum("emset" in name and "memsetshim" not in name for name in names))
