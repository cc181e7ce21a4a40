#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What seed/test.py does, measured: 1000 times cudaMemsetAsync and a matmul, one graph.

A captured memset costs no more under the shim than z.zero_() does, in float32 and in
bfloat16; the products are the same, and z is zero.  All arms are graphs of one process,
replayed by turns: memset with and without the shim, zero_(), neither.
"""

import ctypes
import os
import statistics

from graphs import (
    KERNEL,
    MEMSET,
    bar,
    by_turns,
    capture,
    cudart,
    diag,
    done,
    need_gpu,
    ok,
    preloaded,
    skip,
    torch,
    warm_up,
    write_json,
)

REPEATS = 1000
ROUNDS = int(os.environ.get("PYTORCH_ROUNDS", "25"))
LIMIT = 1.02
ARMS = {
    "memset": ("memset", False),
    "memset under shim": ("memset", True),
    "zero_": ("zero_", False),
    "neither": ("neither", False),
}


def memset_function():
    runtime = cudart()
    if runtime is None:
        print("1..0 # SKIP PyTorch has no shared libcudart here")
        raise SystemExit(0)
    call = runtime.cudaMemsetAsync
    call.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p]

    def memset(tensor):
        stream = torch.cuda.current_stream().cuda_stream
        status = call(
            tensor.data_ptr(), 0, tensor.numel() * tensor.element_size(), stream
        )
        if status:
            raise RuntimeError(f"cudaMemsetAsync: {status}")

    return memset


def body_of(how, memset, z, x, w):
    def body(repeats=REPEATS):
        product = None
        for _ in range(repeats):
            if how == "memset":
                memset(z)
            elif how == "zero_":
                z.zero_()
            product = torch.matmul(x, w.T)
        return product

    return body


def capture_arms(memset, z, x, w):
    arms = {}
    for name, (how, with_shim) in ARMS.items():
        body = body_of(how, memset, z, x, w)
        warm_up(lambda body=body: body(30), 1)
        arms[name] = capture(body, with_shim)
    return arms


def check_nodes(label, arms):
    nodes = {name: arm.nodes for name, arm in arms.items()}
    diag(f"{label}: nodes by CUgraphNodeType {nodes}")
    if arms["memset"].nodes is None:
        skip(f"{label}: this PyTorch keeps no raw graph")
        return nodes
    extra = arms["neither"].count(MEMSET)  # what cuBLAS adds of its own
    native, shimmed = arms["memset"].count(MEMSET), arms["memset under shim"]
    ok(native == REPEATS + extra, f"{label}: {REPEATS} memset nodes natively")
    ok(shimmed.count(MEMSET) == 0, f"{label}: none under the shim")
    ok(
        shimmed.count(KERNEL) == arms["memset"].count(KERNEL) + native,
        f"{label}: each became a kernel node",
    )
    return nodes


def check_bytes(label, arms, z):
    products = {}
    for name, arm in arms.items():
        z.fill_(7)
        arm.result.fill_(7)
        arm.replay()
        torch.cuda.synchronize()
        products[name] = arm.result.clone()
        wanted = 7 if name == "neither" else 0
        ok(z.item() == wanted, f"{label}: z is {wanted} after {name}")
    for name, product in products.items():
        if name != "neither":
            same = torch.equal(product, products["neither"])
            ok(same, f"{label}: {name}: the product is the same, bit for bit")


def measure(label, arms):
    samples = by_turns(arms, ROUNDS)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    for name, value in medians.items():
        diag(f"{label}: {name}: {value:.4f} ms")
    ratio = medians["memset under shim"] / medians["zero_"]
    bar(f"seed test.py {label}, memset under shim / zero_()", ratio, LIMIT)
    return {
        "median_ms": medians,
        "shim_over_zero_": ratio,
        "shim_over_native": medians["memset under shim"] / medians["memset"],
        "limit": LIMIT,
        "samples_ms": samples,
    }


def main():
    need_gpu()
    if not preloaded():
        print("Bail out! the shim is not preloaded")
        raise SystemExit(255)
    torch.manual_seed(1)
    z = torch.zeros(1, device="cuda")
    memset = memset_function()
    report = {
        "torch": torch.__version__,
        "gpu": torch.cuda.get_device_name(),
        "rounds": ROUNDS,
        "repeats": REPEATS,
    }
    for dtype in (torch.float32, torch.bfloat16):
        label = str(dtype).removeprefix("torch.")
        x = torch.randn(512, 1024, device="cuda", dtype=dtype)
        w = torch.randn(1024, 1024, device="cuda", dtype=dtype)
        arms = capture_arms(memset, z, x, w)
        nodes = check_nodes(label, arms)
        check_bytes(label, arms, z)
        report[label] = measure(label, arms) | {"nodes": nodes}
        del arms
    write_json("pytorch.json", report)
    done()


if __name__ == "__main__":
    main()
