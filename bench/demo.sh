#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh - with a GPU: what captured memsets cost without and with the library.
# Without one: what the library changes in a graph, on the simulated driver.  Only a GPU
# can say how fast it is, so no time is printed there.
set -u
B=$(realpath "${B:-build}")

if [ ! -x "$B/memsetbench" ] || [ ! -x "$B/demo" ]; then
	echo "demo: it needs the CUDA Toolkit to be built; see what make said above" >&2
	exit 1
fi

LD_PRELOAD=$B/libmemsetshim.so "$B/memsetbench" --quick 2>"$B/demo.err"
status=$?
if [ "$status" -ne 77 ]; then
	cat "$B/demo.err" >&2
	exit "$status"
fi

cat <<TEXT
No GPU here, so nothing is timed: make demo shows the gain where there is one.

TEXT
LD_LIBRARY_PATH=$B/sim LD_PRELOAD=$B/libmemsetshim.so "$B/demo"
