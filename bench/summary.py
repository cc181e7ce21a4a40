#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What memsetbench's JSON says, short.

    summary.py FILE            a Markdown table: one row per pattern, branches and size
    summary.py --bars FILE     the project's bars: name, value, limit, PASS or FAIL,
                               separated by tabs; exit 1 when one fails
"""
import json
import statistics
import sys


def added(case, arm):
    """Microseconds that one memset adds in this arm: medians, as bench/README.md says."""
    median = {a: statistics.median(case["arms"][a]["samples"]) for a in (arm, "none")}
    return (median[arm] - median["none"]) / case["memsets"]


def name_of(case):
    if case["pattern"] != "fork":
        return case["pattern"]
    return f"fork, {case['branches']} branch{'es' if case['branches'] > 1 else ''}"


def table(cases):
    print("| pattern | bytes | memset node, added µs | with the shim | ratio | one-thread kernel |")
    print("|---|---:|---:|---:|---:|---:|")
    for case in cases:
        native, shim = added(case, "memset"), added(case, "shim")
        print(f"| {name_of(case)} | {case['bytes']} | {native:.2f} | {shim:.2f} "
              f"| {shim / native:.2f} | {added(case, 'kernel'):.2f} |")


def bars(cases):
    wrong = sum(arm["wrong"] for case in cases for arm in case["arms"].values())
    rows = [("bench, wrong bytes in all arms", wrong, 0)]
    for case in cases:
        if case["pattern"] == "between" and case["bytes"] == 4:
            shim = added(case, "shim")
            rows.append(("bench between 4 B, added(shim) / added(kernel)",
                         shim / added(case, "kernel"), 1.10))
            rows.append(("bench between 4 B, added(shim) / added(memset)",
                         shim / added(case, "memset"), 0.45))
    for name, value, limit in rows:
        print(name, f"{value:.4g}", limit, "PASS" if value <= limit else "FAIL", sep="\t")
    return all(value <= limit for _, value, limit in rows) and len(rows) == 3


def main(argv):
    want_bars = argv[1:2] == ["--bars"]
    files = argv[2:] if want_bars else argv[1:]
    if len(files) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    with open(files[0], encoding="utf-8") as f:
        cases = json.load(f)["cases"]
    if any("shim" not in case["arms"] for case in cases):
        print("summary.py: this run had no shim preloaded", file=sys.stderr)
        return 2
    if want_bars:
        return 0 if bars(cases) else 1
    table(cases)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
