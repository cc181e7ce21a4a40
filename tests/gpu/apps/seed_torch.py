#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One graph of 1000 times a 4-byte cudaMemsetAsync and a matrix product.

    seed_torch.py [REPLAYS] [float32|bfloat16]

The memset is a library's own call of the CUDA runtime on PyTorch's stream, here made
with ctypes on the runtime that PyTorch loaded.  Prints a digest of the last product and
of the word that the memsets clear.
"""

import ctypes
import re
import sys

from common import arguments, capture, digest, dirty, need_gpu, replay, torch, warm_up

PAIRS = 1000
ROWS, INNER, COLUMNS = 512, 1024, 1024


def runtime():
    """The libcudart that is loaded into this process."""
    with open("/proc/self/maps") as maps:
        found = re.search(r"/\S*/libcudart[-.\w]*\.so[.\d]*", maps.read())
    if not found:
        print("this PyTorch has no shared libcudart", file=sys.stderr)
        sys.exit(77)
    return ctypes.CDLL(found.group())


def clearer(word):
    """A function that clears one element, on the current stream."""
    call = runtime().cudaMemsetAsync
    call.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p]
    size = word.element_size()

    def clear():
        stream = torch.cuda.current_stream().cuda_stream
        status = call(word.data_ptr(), 0, size, stream)
        if status:
            raise RuntimeError(f"cudaMemsetAsync: error {status}")

    return clear


def main():
    need_gpu()
    replays, name = arguments(("float32", "bfloat16"), "float32")
    dtype = getattr(torch, name)
    torch.manual_seed(11)
    word = torch.ones(1, device="cuda")
    x = torch.randn(ROWS, INNER, device="cuda", dtype=dtype)
    w = torch.randn(COLUMNS, INNER, device="cuda", dtype=dtype)
    clear = clearer(word)

    def pairs(count):
        for _ in range(count):
            clear()
            product = torch.matmul(x, w.T)
        return product

    warm_up(lambda: pairs(30), 1)
    graph, product = capture(lambda: pairs(PAIRS))
    dirty([word, product])
    replay([graph], replays)
    print(f"seed_torch {name} product {digest([product])}")
    print(f"seed_torch {name} word {digest([word])}")


if __name__ == "__main__":
    main()
