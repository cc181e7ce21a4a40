# SPDX-License-Identifier: MIT
"""What the PyTorch programs share: arguments, warm-up, capture, replays, digests."""

import hashlib
import sys

try:
    import torch
except ImportError:
    print("this python3 has no PyTorch", file=sys.stderr)
    sys.exit(77)

REPLAYS = 300


def arguments(words, default=None):
    """(replays, word) from the command line; the word is one of those allowed."""
    replays, chosen = REPLAYS, default
    for argument in sys.argv[1:]:
        if argument.isdecimal() and int(argument) > 0:
            replays = int(argument)
        elif argument in words:
            chosen = argument
        else:
            choice = f" [{'|'.join(words)}]" if words else ""
            print(f"usage: {sys.argv[0]} [REPLAYS]{choice}", file=sys.stderr)
            sys.exit(2)
    return replays, chosen


def need_gpu():
    if not torch.cuda.is_available():
        print("PyTorch finds no GPU", file=sys.stderr)
        sys.exit(77)


def warm_up(body, times=3):
    """On a stream of its own, as PyTorch asks of code that is to be captured."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(times):
            body()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()


def capture(body):
    """The graph of body(), and what body() returned: tensors that replays write."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = body()
    return graph, result


def replay(graphs, times):
    """Each time all graphs, one after the other, without waiting between them."""
    for _ in range(times):
        for graph in graphs:
            graph.replay()
    torch.cuda.synchronize()


def dirty(tensors):
    """Overwrites results, so that what is read later was written by a replay."""
    with torch.no_grad():
        for tensor in tensors:
            tensor.fill_(7)


def digest(tensors):
    """The sha256 of the tensors' bytes."""
    total = hashlib.sha256()
    for tensor in tensors:
        flat = tensor.detach().contiguous().reshape(-1)
        total.update(flat.view(torch.uint8).cpu().numpy().tobytes())
    return total.hexdigest()
