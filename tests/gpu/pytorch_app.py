#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Captured work that contains memsets of PyTorch's, cuDNN's and cuBLAS's own.

    pytorch_app.py               both kinds of graph in one process, outputs compared
    pytorch_app.py --once FILE   each workload once, as the process is; hashes to FILE

Under the shim no memset node is left, each became one kernel node, and the outputs are
the native ones bit for bit.  Where an operation itself gives other bits from run to run
(atomics), it is compared within what it differs by natively.
"""

import hashlib
import os
import statistics
import sys

from graphs import (
    EMPTY,
    KERNEL,
    MEMSET,
    by_turns,
    capture,
    diag,
    done,
    need_gpu,
    ok,
    passed_through,
    preloaded,
    skip,
    torch,
    warm_up,
    write_json,
)

ROUNDS = int(os.environ.get("PYTORCH_APP_ROUNDS", "15"))
REPLAYS = 3
functional = torch.nn.functional


def randn(*shape, dtype=torch.float32, grad=False):
    return torch.randn(*shape, device="cuda", dtype=dtype).requires_grad_(grad)


# --- workloads: each returns body() -> tensors, and the generators it draws from -----


def attention():
    q, k, v = (randn(4, 8, 512, 64, dtype=torch.bfloat16, grad=True) for _ in "qkv")
    upstream = randn(4, 8, 512, 64, dtype=torch.bfloat16)

    def body():
        out = functional.scaled_dot_product_attention(q, k, v)
        return (out, *torch.autograd.grad(out, (q, k, v), upstream))

    return body, ()


def attention_forward():
    q, k, v = (randn(4, 8, 512, 64, dtype=torch.bfloat16) for _ in "qkv")
    return lambda: (functional.scaled_dot_product_attention(q, k, v),), ()


def reductions():
    x = randn(1 << 24)
    return lambda: (x.sum(), x.argmax(), x.max(), x.mean()), ()


def topk():
    x = randn(1 << 22)
    return lambda: tuple(torch.topk(x, 50)), ()


def sort():
    x = randn(1 << 20)
    return lambda: tuple(torch.sort(x)), ()


def batched_sort():
    x = randn(16, 128256)
    return lambda: tuple(torch.sort(x, dim=-1, descending=True)), ()


def multinomial():
    weights = torch.rand(16, 32000, device="cuda")
    generator = torch.Generator("cuda")
    return lambda: (torch.multinomial(weights, 1, generator=generator),), (generator,)


def multinomial_with_replacement():
    weights = torch.rand(16, 32000, device="cuda")
    generator = torch.Generator("cuda")

    def body():
        return (torch.multinomial(weights, 64, replacement=True, generator=generator),)

    return body, (generator,)


def layer_norm():
    x = randn(8192, 1024, grad=True)
    weight, bias = randn(1024, grad=True), randn(1024, grad=True)
    upstream = randn(8192, 1024)

    def body():
        out = functional.layer_norm(x, (1024,), weight, bias)
        return (out, *torch.autograd.grad(out, (x, weight, bias), upstream))

    return body, ()


def convolution():
    x = randn(16, 64, 56, 56, dtype=torch.float16, grad=True)
    weight = randn(64, 64, 3, 3, dtype=torch.float16, grad=True)
    upstream = randn(16, 64, 56, 56, dtype=torch.float16)

    def body():
        out = functional.conv2d(x, weight, padding=1)
        return (out, *torch.autograd.grad(out, (x, weight), upstream))

    return body, ()


def linear():
    x = randn(16, 4096, dtype=torch.bfloat16)
    weight = randn(128256, 4096, dtype=torch.bfloat16)
    return lambda: (functional.linear(x, weight),), ()


def solve():
    a, b = randn(512, 512), randn(512, 16)
    return lambda: tuple(torch.linalg.solve_ex(a, b)), ()


# Those whose capture might fail come last: a failed one can spoil the next.
WORKLOADS = (
    attention_forward,
    attention,
    reductions,
    topk,
    sort,
    batched_sort,
    layer_norm,
    convolution,
    linear,
    multinomial_with_replacement,
    multinomial,
    solve,
)


# --- running them ---------------------------------------------------------------------


def outputs(captured, generators):
    """One replay onto dirtied outputs, from the same random state every time."""
    with torch.no_grad():
        for tensor in captured.result:
            tensor.fill_(7)
    for generator in generators:
        generator.manual_seed(20)
    torch.cuda.synchronize()
    captured.replay()
    torch.cuda.synchronize()
    return [tensor.detach().clone() for tensor in captured.result]


def same_bits(a, b):
    return all(
        torch.equal(x.reshape(-1).view(torch.uint8), y.reshape(-1).view(torch.uint8))
        for x, y in zip(a, b, strict=True)
    )


def spread(a, b):
    """The largest difference, relative to the largest value."""
    worst = 0.0
    for x, y in zip(a, b, strict=True):
        x, y = x.double(), y.double()
        scale = max(x.abs().max().item(), 1e-30)
        worst = max(worst, (x - y).abs().max().item() / scale)
    return worst


def native_varies(native, generators, first, times):
    """How far the native graph strays from its own first outputs; 0.0 if never."""
    runs = [outputs(native, generators) for _ in range(times)]
    return max(0.0 if same_bits(first, run) else spread(first, run) for run in runs)


def check_outputs(name, native, shimmed, generators):
    first = outputs(native, generators)
    varies = native_varies(native, generators, first, 3)
    runs = [outputs(shimmed, generators) for _ in range(REPLAYS)]
    if varies == 0.0 and all(same_bits(first, run) for run in runs):
        ok(True, f"{name}: the outputs are the native ones, bit for bit")
        return "bitwise"
    varies = max(varies, native_varies(native, generators, first, 30))
    strays = max(spread(first, run) for run in runs)
    diag(f"{name}: differs from itself natively by {varies:.2e}, shim by {strays:.2e}")
    ok(0.0 < strays <= 3 * varies or strays == 0.0, f"{name}: within native variation")
    return "within native variation"


def check_nodes(name, native, shimmed, before):
    if native.nodes is None:
        skip(f"{name}: this PyTorch keeps no raw graph")
        return
    memsets = native.count(MEMSET)
    if not memsets:
        diag(f"{name}: no memset node, with this PyTorch")
    why = {
        reason: count - before.get(reason, 0)
        for reason, count in passed_through().items()
        if count != before.get(reason, 0)
    }
    left = shimmed.count(MEMSET)
    if not ok(left == 0, f"{name}: none of {memsets} memset nodes is left"):
        diag(f"{name}: {left} left to the driver: {why}")
    # An empty node keeps the full edge of a kernel that asks to overlap.
    added = shimmed.count(EMPTY) - native.count(EMPTY)
    if added:
        diag(f"{name}: {added} empty nodes more, for kernels that ask to overlap")
    ok(
        added >= 0
        and sum(shimmed.nodes.values()) == sum(native.nodes.values()) + added
        and shimmed.count(KERNEL) == native.count(KERNEL) + memsets - left,
        f"{name}: each of the others became one kernel node",
    )


def run(make):
    name = make.__name__
    body, generators = make()
    try:
        warm_up(body)
        native = capture(body, False, generators)
    except RuntimeError as error:
        skip(f"{name}: cannot be captured: {str(error).splitlines()[0]}")
        return None
    before = passed_through()
    try:
        shimmed = capture(body, True, generators)
    except RuntimeError as error:
        ok(False, f"{name}: can be captured under the shim, as without")
        diag(error)
        return None
    check_nodes(name, native, shimmed, before)
    how = check_outputs(name, native, shimmed, generators)
    samples = by_turns({"native": native, "shim": shimmed}, ROUNDS)
    medians = {arm: 1e3 * statistics.median(values) for arm, values in samples.items()}
    diag(f"{name}: native {medians['native']:.2f} us, shim {medians['shim']:.2f} us")
    return {
        "memsets_native": native.count(MEMSET),
        "memsets_shim": shimmed.count(MEMSET),
        "kernels_native": native.count(KERNEL),
        "kernels_shim": shimmed.count(KERNEL),
        "outputs": how,
        "median_us": medians,
    }


def digest(tensors):
    total = hashlib.sha256()
    for tensor in tensors:
        total.update(tensor.reshape(-1).view(torch.uint8).cpu().numpy().tobytes())
    return total.hexdigest()


def once(path):
    """The process as it is: a hash of each workload's outputs, or why there is none."""
    with open(path, "w") as out:
        for make in WORKLOADS:
            torch.manual_seed(3)
            body, generators = make()
            try:
                warm_up(body)
                captured = capture(body, True, generators)
            except RuntimeError:
                print(f"{make.__name__} uncaptured", file=out)
                continue
            hashes = {digest(outputs(captured, generators)) for _ in range(4)}
            text = hashes.pop() if len(hashes) == 1 else "varies"
            print(f"{make.__name__} {text}", file=out)


def main():
    need_gpu()
    if len(sys.argv) == 3 and sys.argv[1] == "--once":
        once(sys.argv[2])
        return
    if not preloaded():
        print("Bail out! the shim is not preloaded")
        raise SystemExit(255)
    report = {}
    for make in WORKLOADS:
        torch.manual_seed(3)
        found = run(make)
        if found:
            report[make.__name__] = found
    ok(report, "workloads were captured")
    write_json(
        "pytorch_app.json",
        {"torch": torch.__version__, "rounds": ROUNDS, "workloads": report},
    )
    done()


if __name__ == "__main__":
    main()
