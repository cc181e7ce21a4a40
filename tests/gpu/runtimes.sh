#!/bin/sh
# SPDX-License-Identifier: MIT
# Whichever release a program's CUDA runtime is of, shared or static, with either
# default stream: its captured memsets are kernel nodes, its bytes and updates are right.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
[ -s "$B/runtimes/list" ] ||
	skip_all "no $B/runtimes: make runtimes builds it, where there is a network"
KEPT=$RESULTS/runtimes
mkdir -p "$KEPT"

# number VERSION: as the runtime tells it, 12090 for 12.9.79
number()
{
	echo "$1" | awk -F. '{ print $1 * 1000 + $2 * 10 }'
}

# What the program has to print: expected VERSION NODES
expected()
{
	printf 'runtime %s built %s; %s; bytes right; update 0 0; bytes right\n' \
		"$(number "$1")" "$(number "$1")" "$2"
}

# told FILE: what it printed, in one line
told()
{
	awk '{ printf "%s%s", (NR > 1 ? "; " : ""), $0 }' "$1"
}

# arm VERSION KIND STREAM: six fills and a copy, without and with the library
arm()
{
	name="$1 $2 $3"
	program=$B/runtimes/bin/runtime-$1-$2-$3
	kept=$KEPT/$1-$2-$3
	timeout 60 "$program" >"$kept.bare" 2>"$kept.bare.err"
	status=$?
	if [ $status -eq 77 ] && grep -q '^cudaGetDeviceCount.*: 35 ' "$kept.bare"; then
		skip "$name: this machine's driver is too old for it, or not there"
		return
	fi
	is $status 0 "$name: runs without the library"
	is "$(told "$kept.bare")" "$(expected "$1" "nodes 7 kernels 0 memsets 6")" \
		"$name: memset nodes, right bytes"
	env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$kept.stats" timeout 60 "$program" \
		>"$kept.shim" 2>"$kept.shim.err"
	is $? 0 "$name: runs with the library"
	# Whether the driver still answers as for a memset node is not asked here.
	is "$(told "$kept.shim" | sed 's/ memsets [0-9]*;/;/')" \
		"$(expected "$1" "nodes 7 kernels 6")" \
		"$name: kernel nodes, right bytes"
	is "$(cat "$kept.shim.err")" "$(cat "$kept.bare.err")" \
		"$name: the same on stderr"
}

rm -f "$KEPT"/*.stats
while read -r version kind reason; do
	if [ -n "$reason" ]; then
		skip "$version $kind: $reason"
		continue
	fi
	for stream in legacy ptds; do
		arm "$version" "$kind" $stream
	done
done <"$B/runtimes/list"
done_testing
