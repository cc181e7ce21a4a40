#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cuDNN convolutions, forward and backward, one graph a data type.

    conv.py [REPLAYS] [deterministic]

cuDNN may choose algorithms whose gradients differ in the last bits from run to run
(atomics).  So outputs are printed as a digest, but of a gradient only the sum of its
magnitudes, rounded to four digits: enough to see a missing or a doubled clear.  With
`deterministic` cuDNN is held to algorithms that repeat, and all is printed as digests.
"""

from common import arguments, capture, digest, dirty, need_gpu, replay, torch, warm_up

BATCH, CHANNELS, OUT_CHANNELS, SIZE = 16, 64, 128, 56
CONVOLUTIONS = ((3, 1), (3, 2), (1, 2))  # kernel, stride
LAYOUTS = {"nchw": torch.contiguous_format, "nhwc": torch.channels_last}


def randn(*shape, dtype, layout, grad=False):
    tensor = torch.randn(*shape, device="cuda", dtype=dtype)
    return tensor.to(memory_format=layout).requires_grad_(grad)


def convolution(kernel, stride, dtype, layout):
    """body() -> output, gradient by input, gradient by weight"""
    common = {"dtype": dtype, "layout": layout}
    x = randn(BATCH, CHANNELS, SIZE, SIZE, grad=True, **common)
    weight = randn(OUT_CHANNELS, CHANNELS, kernel, kernel, grad=True, **common)
    out_size = (SIZE - 1) // stride + 1
    upstream = randn(BATCH, OUT_CHANNELS, out_size, out_size, **common)

    def body():
        out = torch.nn.functional.conv2d(x, weight, stride=stride, padding=kernel // 2)
        return (out, *torch.autograd.grad(out, (x, weight), upstream))

    return body


def magnitude(tensor):
    return f"{tensor.detach().double().abs().sum().item():.4g}"


def describe(tensors, exact):
    out, by_input, by_weight = tensors
    if exact:
        return digest(tensors)
    gradients = f"{magnitude(by_input)} {magnitude(by_weight)}"
    return f"{digest([out])} gradients {gradients}"


def run(name, replays, exact):
    dtype = getattr(torch, name)
    torch.manual_seed(14)
    bodies = {
        f"{kernel}x{kernel}/{stride} {layout}": convolution(kernel, stride, dtype, form)
        for layout, form in LAYOUTS.items()
        for kernel, stride in CONVOLUTIONS
    }

    def all_bodies():
        return {label: body() for label, body in bodies.items()}

    warm_up(all_bodies)
    graph, results = capture(all_bodies)
    for tensors in results.values():
        dirty(tensors)
    replay([graph], replays)
    for label, tensors in results.items():
        print(f"conv {name} {label} {describe(tensors, exact)}")


def main():
    need_gpu()
    replays, word = arguments(("deterministic",))
    torch.backends.cudnn.deterministic = word is not None
    for name in ("float16", "float32"):
        run(name, replays, word is not None)


if __name__ == "__main__":
    main()
