# SPDX-License-Identifier: MIT
"""A plain decoder-only transformer: transformer.py runs it, train.py trains it."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Causal attention and an MLP, each after a layer norm and around a residual."""

    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(hidden)
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.project = nn.Linear(hidden, hidden)
        self.mlp_norm = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, 4 * hidden)
        self.down = nn.Linear(4 * hidden, hidden)

    def attention(self, x):
        batch, length, hidden = x.shape
        shape = (batch, length, 3, self.heads, hidden // self.heads)
        q, k, v = self.qkv(x).view(shape).permute(2, 0, 3, 1, 4).unbind()
        out = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.project(out.transpose(1, 2).reshape(batch, length, hidden))

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.down(functional.gelu(self.up(self.mlp_norm(x))))


class Transformer(nn.Module):
    def __init__(self, layers, hidden, heads, vocabulary, length):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, hidden)
        self.position = nn.Parameter(0.02 * torch.randn(length, hidden))
        self.blocks = nn.ModuleList(Block(hidden, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)
        self.head = nn.Linear(hidden, vocabulary, bias=False)

    def forward(self, tokens, last_only=False):
        """Logits of all positions, or of the last one alone."""
        x = self.embed(tokens) + self.position
        for block in self.blocks:
            x = block(x)
        if last_only:
            x = x[:, -1]
        return self.head(self.norm(x))
