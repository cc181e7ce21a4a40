#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A transformer's prefill and the sampling of its next token, as two graphs.

    transformer.py [REPLAYS]

The first graph is the prefill of 12 layers in bfloat16, the LM head and top-k sampling;
the second samples the same logits by top-p, which sorts the whole vocabulary.  Prints a
digest of the logits and the tokens of the last replay.  Both draw from PyTorch's
generator, whose state at the first replay is fixed.
"""

from common import arguments, capture, digest, dirty, need_gpu, replay, torch, warm_up
from model import Transformer

LAYERS, HIDDEN, HEADS, LENGTH, VOCABULARY = 12, 1024, 16, 512, 128256
TOP_K, TOP_P, TEMPERATURE = 50, 0.9, 0.7


def sample_top_k(logits):
    values, indices = torch.topk(logits, TOP_K)
    weights = torch.softmax(values / TEMPERATURE, -1)
    return indices.gather(-1, torch.multinomial(weights, 1))


def sample_top_p(logits):
    values, indices = torch.sort(logits, dim=-1, descending=True)
    weights = torch.softmax(values / TEMPERATURE, -1)
    # A scan's float sums differ from run to run in the last bits: in float64 too
    # little to move the border between the tokens that are kept and the others.
    before = weights.cumsum(-1, dtype=torch.float64) - weights
    weights = weights.masked_fill(before > TOP_P, 0.0)
    return indices.gather(-1, torch.multinomial(weights, 1))


@torch.no_grad()
def main():
    need_gpu()
    replays, _ = arguments(())
    torch.manual_seed(12)
    with torch.device("cuda"):
        model = Transformer(LAYERS, HIDDEN, HEADS, VOCABULARY, LENGTH)
        tokens = torch.randint(VOCABULARY, (1, LENGTH))
    model = model.to(torch.bfloat16).eval()

    def prefill():
        logits = model(tokens, last_only=True).float()
        return logits, sample_top_k(logits)

    warm_up(prefill)
    first, (logits, top_k) = capture(prefill)
    replay([first], 1)  # else the logits are still whatever that memory held
    warm_up(lambda: sample_top_p(logits))
    second, top_p = capture(lambda: sample_top_p(logits))
    dirty([logits, top_k, top_p])
    torch.cuda.manual_seed(34)
    replay([first, second], replays)
    print(f"transformer logits {digest([logits])}")
    print(f"transformer top-k token {top_k.item()}")
    print(f"transformer top-p token {top_p.item()}")


if __name__ == "__main__":
    main()
