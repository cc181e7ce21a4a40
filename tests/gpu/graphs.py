# SPDX-License-Identifier: MIT
"""What the PyTorch tests share: TAP, bars, the shim's switch, and CUDA graphs.

The process is preloaded with the shim; shim(False) gives native captures in the same
process, so that both kinds of graph can be replayed by turns.
"""

import ctypes
import json
import os
import re
import statistics
import sys

try:
    import torch
except ImportError:
    print("1..0 # SKIP no PyTorch for this python3")
    sys.exit(0)

RESULTS = os.environ.get("RESULTS", "build/results")

# --- TAP ---------------------------------------------------------------------------

_count = 0
_failed = 0


def ok(good, what):
    global _count, _failed
    _count += 1
    _failed += not good
    print(f"{'' if good else 'not '}ok {_count} - {what}", flush=True)
    return bool(good)


def skip(what):
    global _count
    _count += 1
    print(f"ok {_count} # SKIP {what}", flush=True)


def diag(text):
    for line in str(text).splitlines():
        print(f"# {line}", flush=True)


def bar(name, value, limit):
    good = value <= limit
    with open(os.path.join(RESULTS, "bars.tsv"), "a") as out:
        out.write(f"{name}\t{value:.4f}\t{limit}\t{'PASS' if good else 'FAIL'}\n")
    return ok(good, f"{name}: {value:.4f}, at most {limit}")


def done():
    print(f"1..{_count}")
    sys.exit(1 if _failed or not _count else 0)


def write_json(name, what):
    with open(os.path.join(RESULTS, name), "w") as out:
        json.dump(what, out, indent=1)
        out.write("\n")


def need_gpu():
    if not torch.cuda.is_available():
        print("1..0 # SKIP PyTorch finds no GPU")
        sys.exit(0)


# --- the shim ----------------------------------------------------------------------

_self = ctypes.CDLL(None)


def preloaded():
    return hasattr(_self, "memsetshim_set_enabled")


def shim(on):
    """Switches the substitution; the former state, None without a shim."""
    if not preloaded():
        return None
    return bool(_self.memsetshim_set_enabled(int(on)))


def passed_through():
    """{reason: count} of captured memsets left to the driver so far."""
    reasons = {}
    if not preloaded():
        return reasons
    ask = _self.memsetshim_passed_for
    ask.restype = ctypes.c_uint64
    for i in range(1000):
        name = ctypes.c_char_p()
        count = ask(ctypes.c_uint(i), ctypes.byref(name))
        if name.value is None:
            break
        reasons[name.value.decode()] = count
    return reasons


# --- graphs ------------------------------------------------------------------------

KERNEL, MEMSET, CHILD, EMPTY = 0, 2, 4, 5  # CUgraphNodeType
KERNEL_PARAMS = 128  # bytes, more than CUDA_KERNEL_NODE_PARAMS has


def census(raw):
    """{node type: count} of a cudaGraph_t, child graphs entered."""
    cuda = ctypes.CDLL("libcuda.so.1")
    graph = ctypes.c_void_p(raw)
    total = ctypes.c_size_t()
    if cuda.cuGraphGetNodes(graph, None, ctypes.byref(total)):
        raise RuntimeError("cuGraphGetNodes failed")
    nodes = (ctypes.c_void_p * max(total.value, 1))()
    if cuda.cuGraphGetNodes(graph, nodes, ctypes.byref(total)):
        raise RuntimeError("cuGraphGetNodes failed")
    counts = {}
    for i in range(total.value):
        node = ctypes.c_void_p(nodes[i])
        kind = ctypes.c_int()
        if cuda.cuGraphNodeGetType(node, ctypes.byref(kind)):
            raise RuntimeError("cuGraphNodeGetType failed")
        # A fill says that it is a memset; asked as a kernel it answers.
        params = ctypes.create_string_buffer(KERNEL_PARAMS)
        if kind.value == MEMSET and not cuda.cuGraphKernelNodeGetParams_v2(node, params):
            kind.value = KERNEL
        if kind.value == CHILD:
            child = ctypes.c_void_p()
            if cuda.cuGraphChildGraphNodeGetGraph(node, ctypes.byref(child)):
                raise RuntimeError("cuGraphChildGraphNodeGetGraph failed")
            for key, count in census(child.value).items():
                counts[key] = counts.get(key, 0) + count
        else:
            counts[kind.value] = counts.get(kind.value, 0) + 1
    return counts


class Captured:
    """A graph of body(), what body returned, and its nodes (None where unknown)."""

    def __init__(self, body, generators=()):
        try:
            self.graph = torch.cuda.CUDAGraph(keep_graph=True)
            kept = True
        except TypeError:  # an older PyTorch
            self.graph = torch.cuda.CUDAGraph()
            kept = False
        for generator in generators:
            self.graph.register_generator_state(generator)
        with torch.cuda.graph(self.graph):
            self.result = body()
        self.nodes = None
        if kept:
            self.nodes = census(int(self.graph.raw_cuda_graph()))
            self.graph.instantiate()

    def count(self, kind):
        return None if self.nodes is None else self.nodes.get(kind, 0)

    def replay(self):
        self.graph.replay()


def capture(body, with_shim, generators=()):
    before = shim(with_shim)
    try:
        return Captured(body, generators)
    finally:
        if before is not None:
            shim(before)


def warm_up(body, times=3):
    """On a stream of its own, as PyTorch asks of code that is to be captured."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(times):
            body()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()


def milliseconds(captured, replays=3):
    """The median of a few event-timed replays."""
    times = []
    for _ in range(replays):
        start = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        start.record()
        captured.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
    return statistics.median(times)


def by_turns(arms, rounds, replays=3):
    """{arm: [milliseconds]} of {arm: Captured}; the order rotates with each round."""
    samples = {name: [] for name in arms}
    names = list(arms)
    for captured in arms.values():
        milliseconds(captured, replays)
    for i in range(rounds):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            samples[name].append(milliseconds(arms[name], replays))
    return samples


def cudart():
    """The libcudart that PyTorch has loaded."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            found = re.search(r"(/\S*/libcudart[-.\w]*\.so[.\d]*)", line)
            if found:
                return ctypes.CDLL(found.group(1))
    return None
