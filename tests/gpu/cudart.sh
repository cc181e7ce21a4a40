#!/bin/sh
# SPDX-License-Identifier: MIT
# A program of the runtime API, static or shared, with either default stream: no memset
# node is left in its captures, there are as many nodes as before, the bytes are equal.
# A 3D memset is what the runtime makes of it: the number of nodes is printed.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu

# compare NAME: the lines of the bare run beside those of the shimmed one
compare()
{
	paste -d' ' "$WORK/bare" "$WORK/shim" | awk -v name="$1" '
		# The nodes of a line that was captured: memset $4 kernel $6 other $8
		$3 == "memset" {
			before = $4 + $6 + $8
			after = $14 + $16 + $18
			if ($1 != $11 || $2 != $12 || $13 != "memset")
				print "BAD the lines do not match: " $0
			if ($4 < 1 && $2 !~ /^3d/)
				print "BAD bare run captured no memset node: " $1 " " $2
			if ($14 != 0)
				print "BAD memset nodes are left: " $1 " " $2
			if (before != after)
				print "BAD " before " nodes became " after ": " $1 " " $2
			if ($10 != $20)
				print "BAD other bytes: " $1 " " $2
			if ($1 == "created" && $2 ~ /^[23]d/)
				print "NOTE " name " " $2 ": " $4 " memset nodes, " \
					$16 " kernel nodes with the shim"
			captured++
		}
		$3 == "eager" {
			if ($5 != $10)
				print "BAD other bytes when eager: " $1 " " $2
			eager++
		}
		END { print "COUNT " captured + 0 " " eager + 0 }'
}

for runtime in static shared; do
	for stream in legacy ptds; do
		name=$runtime-$stream
		program=$B/gpu/cudart-$name
		if [ ! -x "$program" ]; then
			skip "$name: not built (no nvcc)"
			continue
		fi
		"$program" >"$WORK/bare" 2>"$WORK/bare.err"
		status=$?
		[ "$status" -eq 77 ] && skip_all "no usable GPU: $(head -1 "$WORK/bare")"
		is "$status" 0 "$name: runs without the shim"
		rm -f "$RESULTS/cudart-$name.stats"
		env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$RESULTS/cudart-$name.stats" \
			"$program" >"$WORK/shim" 2>"$WORK/shim.err"
		is "$?" 0 "$name: runs with the shim"
		grep '^error' "$WORK/bare" "$WORK/shim" | sed 's/^/# /'
		compare "$name" >"$WORK/verdict"
		grep -q '^COUNT [1-9]' "$WORK/verdict" &&
			! grep -q '^BAD' "$WORK/verdict"
		ok $? "$name: memsets became kernels, bytes are equal"
		sed -n 's/^BAD/#/p; s/^NOTE/#/p; s/^COUNT/# captured, eager:/p' \
			"$WORK/verdict"
		[ -s "$WORK/shim.err" ] && diag_file "$WORK/shim.err"
		cp "$WORK/bare" "$RESULTS/cudart-$name.bare"
		cp "$WORK/shim" "$RESULTS/cudart-$name.shim"
	done
done
done_testing
