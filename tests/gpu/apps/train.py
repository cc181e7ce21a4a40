#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A whole training step of a small transformer as one graph.

    train.py [REPLAYS]

Forward and backward under bfloat16 autocast, clipping of the gradients' norm and a
capturable AdamW step.  Each replay is a step on the same batch.  PyTorch's switches for
repeatable results are on (warn_only would leave attention's backward to atomics), so
the loss and all parameters after the last step are the same in every run, bit for bit.
"""

import os

# Before CUDA starts, as cuBLAS's documentation asks of programs that have to repeat.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

from common import (
    arguments,
    capture,
    digest,
    need_gpu,
    replay,
    torch,
    warm_up,
)
from model import Transformer

LAYERS, HIDDEN, HEADS, VOCABULARY = 4, 512, 8, 8192
BATCH, LENGTH = 4, 512


def be_deterministic():
    torch.use_deterministic_algorithms(True)
    # Else every torch.empty() would get a kernel that fills it.
    torch.utils.deterministic.fill_uninitialized_memory = False


def step_of(model, optimizer, tokens, targets):
    def step():
        # Without gradients here, backward() allocates them, in the graph's own pool.
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            logits = model(tokens).flatten(0, 1)
            loss = torch.nn.functional.cross_entropy(logits, targets.flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return step


def main():
    need_gpu()
    replays, _ = arguments(())
    be_deterministic()
    torch.manual_seed(13)
    with torch.device("cuda"):
        model = Transformer(LAYERS, HIDDEN, HEADS, VOCABULARY, LENGTH)
        tokens = torch.randint(VOCABULARY, (BATCH, LENGTH))
        targets = torch.randint(VOCABULARY, (BATCH, LENGTH))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, capturable=True)
    step = step_of(model, optimizer, tokens, targets)
    warm_up(step)
    graph, loss = capture(step)
    replay([graph], replays)
    print(f"train loss {loss.item():.6f} {digest([loss])}")
    print(f"train parameters {digest(model.parameters())}")


if __name__ == "__main__":
    main()
