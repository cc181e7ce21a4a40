#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `memsetshim compare` found, for compare.sh and for docs/results.

    compare.py NAME FILE STATUS    checks: lines "ok TEXT", "not_ok TEXT"
    compare.py --off FILE          by how much predicted and recovered differ, as a ratio
    compare.py --table FILE...     a Markdown table, a line for each program
"""

import json
import os
import sys

PRINT_TIMES = "seed-static", "seed-shared"
STATUS = {"FASTER": 0, "SAME": 10, "SLOWER": 11, "UNCLEAR": 12}


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def total(result, field):
    """A field of all graphs, each as often as it is replayed in a run."""
    return sum(graph[field] * graph["replays"] for graph in result["graphs"])


def recovered(result):
    return total(result, "before_ns") - total(result, "after_ns")


def check(name, path, status):
    result = load(path)
    memsets = sum(graph["memsets_before"] for graph in result["graphs"])
    left = sum(graph["memsets_after"] for graph in result["graphs"])
    wants_memsets = not name.endswith("-none")

    def say(good, text):
        print("ok" if good else "not_ok", f"{name}: {text}")

    say((memsets > 0) == wants_memsets, f"{memsets} memset nodes without the library")
    say(left == 0, f"{left} with it")
    if name not in PRINT_TIMES:
        say(result["same_output"], "every run writes the same to stdout")
    say(result["verdict"] != "SLOWER", f"{result['verdict']}, ratio {result['ratio']:.4f}")
    say(STATUS[result["verdict"]] == int(status), "the exit status is the verdict's")


def off(path):
    result = load(path)
    predicted = total(result, "recoverable_predicted_ns")
    print(f"{abs(predicted / recovered(result) - 1):.4f}" if recovered(result) else "none")


def row(path):
    result = load(path)
    graphs = result["graphs"]
    replays = max(sum(graph["replays"] for graph in graphs), 1)
    before, after = (total(result, f) / replays / 1000 for f in ("before_ns", "after_ns"))
    predicted = total(result, "recoverable_predicted_ns") / replays / 1000
    traced = total(result, "recoverable_traced_ns") / replays / 1000
    gained = before - after
    share = f"{100 * gained / predicted:.0f} %" if predicted > 0.005 else ""
    return " | ".join(
        [
            os.path.basename(path)[: -len(".json")],
            " + ".join(str(graph["memsets_before"]) for graph in graphs),
            " + ".join(str(graph["memsets_after"]) for graph in graphs),
            f"{before:.2f}",
            f"{after:.2f}",
            f"{result['ratio']:.4f} [{result['low']:.4f}, {result['high']:.4f}]",
            result["verdict"],
            f"{traced:.2f}",
            f"{predicted:.2f}",
            f"{gained:.2f}",
            share,
        ]
    )


def table(paths):
    print("| program | memset nodes | with | replay, µs | with | ratio [95 %] | verdict "
          "| recoverable as traced, µs | predicted | recovered | |")
    print("|---|---:|---:|---:|---:|---|---|---:|---:|---:|---:|")
    for path in paths:
        print(f"| {row(path)} |")


def main(argv):
    if argv[1:2] == ["--off"]:
        off(argv[2])
    elif argv[1:2] == ["--table"]:
        table(argv[2:])
    elif len(argv) == 4:
        check(*argv[1:])
    else:
        sys.exit(__doc__)


main(sys.argv)
