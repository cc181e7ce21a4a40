#!/bin/sh
# SPDX-License-Identifier: MIT
# The seed's own program, unmodified: under the shim its `memset` is as fast as its
# `kernel`, with either runtime library; 1000 kernel nodes stand for 1000 memset nodes,
# by the shim's own count and by that of an outside witness.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
ROUNDS=${SEED_ROUNDS:-15}
LIMIT=1.05

# time_of PRELOAD PROGRAM MODE: the microseconds it prints
time_of()
{
	env ${1:+"LD_PRELOAD=$1"} "$2" "$3" | sed -n 's/^Execution time: \([0-9]*\)us$/\1/p'
}

# check_nodes VARIANT PROGRAM
check_nodes()
{
	rm -f "$WORK/stats"
	env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$WORK/stats" "$2" memset >"$WORK/out"
	is "$?" 0 "$1: runs under the shim"
	grep -q '^Execution time: [0-9]*us$' "$WORK/out"
	ok $? "$1: prints its time"
	is "$(sed -n 's/^memsetshim: *\([0-9]*\)  memsets in graphs became.*/\1/p' \
		"$WORK/stats")" 1000 "$1: the shim counts 1000 substituted"
	is "$(sed -n 's/^memsetshim: *\([0-9]*\)  memsets in graphs were left.*/\1/p' \
		"$WORK/stats")" 0 "$1: and none left to the driver"
	cp "$WORK/stats" "$RESULTS/seed-$1.stats"

	if [ -z "$WITNESS_LIB" ]; then
		skip "$1: the witness was not built"
		return
	fi
	witnessed "$WORK/bare.witness" "$2" memset >/dev/null
	witnessed "$WORK/shim.witness" env LD_PRELOAD="$SHIM" "$2" memset >/dev/null
	if grep -q unavailable "$WORK/bare.witness"; then
		skip "$1: $(head -1 "$WORK/bare.witness")"
		return
	fi
	is "$(witness_count "$WORK/bare.witness" memset)" 1000 \
		"$1: the witness sees 1000 memset nodes without the shim"
	is "$(witness_count "$WORK/shim.witness" memset)" 0 \
		"$1: and none with it"
	is "$(witness_count "$WORK/shim.witness" kernel)" 1000 \
		"$1: but 1000 kernel nodes"
	is "$(witness_count "$WORK/shim.witness" fill)" 1000 "$1: all of them fills"
}

# take_turns VARIANT PROGRAM: $WORK/VARIANT-{native,kernel,shim}, a line a round
take_turns()
{
	round=0
	rm -f "$WORK/$1"-*
	while [ "$round" -lt "$ROUNDS" ]; do
		case $((round % 3)) in
		0) order="native kernel shim" ;;
		1) order="kernel shim native" ;;
		2) order="shim native kernel" ;;
		esac
		for arm in $order; do
			case $arm in
			native) time_of '' "$2" memset ;;
			kernel) time_of '' "$2" kernel ;;
			shim) time_of "$SHIM" "$2" memset ;;
			esac >>"$WORK/$1-$arm"
		done
		round=$((round + 1))
	done
}

# measure VARIANT PROGRAM: the bar, and one member of seed.json
measure()
{
	take_turns "$1" "$2"
	native=$(median "$WORK/$1-native")
	kernel=$(median "$WORK/$1-kernel")
	shim=$(median "$WORK/$1-shim")
	share=$(ratio "$shim" "$kernel")
	diag "$1, medians of $ROUNDS rounds: memset $native us, kernel $kernel us," \
		"memset under the shim $shim us"
	bar "seed test.cu $1, memset under shim / kernel" "$share" "$LIMIT"
	for arm in native kernel shim; do
		printf '"%s_samples": [%s], ' "$arm" "$(json_list "$WORK/$1-$arm")"
	done >"$WORK/samples"
	printf '"%s": {"native_us": %s, "kernel_us": %s, "shim_us": %s, ' \
		"$1" "$native" "$kernel" "$shim" >>"$WORK/json"
	printf '%s"ratio": %s, "limit": %s}\n' \
		"$(cat "$WORK/samples")" "$share" "$LIMIT" >>"$WORK/json"
}

measured=no
for variant in static shared; do
	program=$B/gpu/seed-$variant
	if [ ! -x "$program" ]; then
		skip "$variant: not built (no nvcc, or no seed: make seed, SEED=...)"
		continue
	fi
	measured=yes
	check_nodes "$variant" "$program"
	measure "$variant" "$program"
done
if [ "$measured" = yes ]; then
	{
		printf '{"rounds": %s, ' "$ROUNDS"
		paste -s -d, "$WORK/json"
		echo '}'
	} >"$RESULTS/seed.json"
fi
done_testing
