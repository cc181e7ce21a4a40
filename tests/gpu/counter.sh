#!/bin/sh
# SPDX-License-Identifier: MIT
# The gap counter on a real GPU: it knows memset nodes and fills, changes replays little at
# graph level, writes its report soon and in bounded memory; and selftest passes.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
PROGRAM=$B/gpu/branches
COMMAND=$B/memsetshim
COUNTER=$(realpath "$B/libgapcount.so" 2>/dev/null) || skip_all "no $B/libgapcount.so"
[ -x "$PROGRAM" ] || skip_all "no $PROGRAM"
GAPCOUNT_CUPTI=$(find_lib cupti)
export GAPCOUNT_CUPTI

"$COMMAND" selftest >"$WORK/selftest" 2>&1
is "$?" 0 "memsetshim selftest"
diag_file "$WORK/selftest" 40
cp "$WORK/selftest" "$RESULTS/selftest.txt"
"$COMMAND" doctor >"$WORK/doctor" 2>&1
is "$?" 0 "memsetshim doctor"
diag_file "$WORK/doctor" 20

"$COMMAND" gaps -q -o "$RESULTS/gaps-native.json" -- "$PROGRAM" memset 100 50 \
	>"$WORK/out" 2>"$WORK/err"
is "$?" 0 "memsetshim gaps"
if grep -q 'no report' "$WORK/err"; then
	skip "$(cat "$WORK/err")"
	done_testing
fi
"$COMMAND" gaps -q --shim -o "$RESULTS/gaps-shim.json" -- "$PROGRAM" memset 100 50 \
	>"$WORK/out" 2>&1
"$COMMAND" gaps -q --level graph -o "$RESULTS/gaps-graph.json" -- "$PROGRAM" memset \
	100 50 >"$WORK/out" 2>&1
for level in native shim graph; do
	"$PYTHON" -c 'import json, sys
g = json.load(open(sys.argv[1]))["graphs"][0]
print(g["kernel"], g["memset"], g["fill"], g["replays"])' "$RESULTS/gaps-$level.json" \
		>"$WORK/$level" 2>&1
done
is "$(cat "$WORK/native")" "100 100 0 50" "100 kernels, 100 memsets, 50 replays"
is "$(cat "$WORK/shim")" "100 0 100 50" "100 kernels, 100 fills with the shim"
is "$(cat "$WORK/graph")" "100 100 0 50" "at graph level nodes are known, too"
"$COMMAND" diff "$RESULTS/gaps-native.json" "$RESULTS/gaps-shim.json" >"$WORK/diff" 2>&1
is "$?" 0 "memsetshim diff"
diag_file "$WORK/diff" 20

# change A B: by how much the median of B differs from that of A
change()
{
	awk -v a="$(median "$1")" -v b="$(median "$2")" 'BEGIN {
		if (!(a > 0 && b > 0)) print "none"
		else { d = b / a - 1; printf "%.4f\n", (d < 0 ? -d : d) } }'
}

# Replays between events, by turns: bare; with CUPTI attached, by the witness, but nothing
# traced; and at graph level.  What the counter answers for is the last step.
for mode in memset kernel none; do
	for _ in 1 2 3 4 5 6 7; do
		"$PROGRAM" $mode 1000 5 --gate 2>&1 >/dev/null |
			sed -n 's/^replay_us //p' >>"$WORK/bare-$mode"
		env CUDA_INJECTION64_PATH="$WITNESS_LIB" WITNESS=/dev/null \
			WITNESS_CUPTI="$GAPCOUNT_CUPTI" \
			"$PROGRAM" $mode 1000 5 --gate 2>&1 >/dev/null |
			sed -n 's/^replay_us //p' >>"$WORK/attached-$mode"
		env CUDA_INJECTION64_PATH="$COUNTER" GAPCOUNT_LEVEL=graph \
			GAPCOUNT_OUTPUT="json:$WORK/level.json" \
			"$PROGRAM" $mode 1000 5 --gate 2>&1 >/dev/null |
			sed -n 's/^replay_us //p' >>"$WORK/traced-$mode"
	done
	printf '{"bare_us": [%s], "attached_us": [%s], "graph_level_us": [%s]}\n' \
		"$(json_list "$WORK/bare-$mode")" "$(json_list "$WORK/attached-$mode")" \
		"$(json_list "$WORK/traced-$mode")" >"$RESULTS/counter-$mode.json"
	bar "graph level against CUPTI attached, 1000 x $mode, change" \
		"$(change "$WORK/attached-$mode" "$WORK/traced-$mode")" 0.02
	# CUPTI's presence alone changes how the driver runs a graph: no bar of ours.
	diag "$mode: graph level against no CUPTI at all, change" \
		"$(change "$WORK/bare-$mode" "$WORK/traced-$mode")"
done

# bounds NAME REPLAYS: seconds from main's last line to the end, MB in all
bounds()
{
	env CUDA_INJECTION64_PATH="$COUNTER" GAPCOUNT_OUTPUT="json:$RESULTS/$1.json" \
		"$PYTHON" -c 'import resource, subprocess, sys, time
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
p.stdout.readline()
begun = time.monotonic()
p.wait()
took = time.monotonic() - begun
print(f"{took:.3f}", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' \
		"$PROGRAM" memset 1000 "$2" 2>"$WORK/err"
	diag_file "$WORK/err" 3
}
# shellcheck disable=SC2046 # two words
set -- $(bounds counter-100 100)
bar "gap counter: 2000 nodes x 100 replays, report after exit, s" "${1:-none}" 1
bar "gap counter: 2000 nodes x 100 replays, MB in all" "${2:-none}" 300
# shellcheck disable=SC2046 # two words
set -- $(bounds counter-5m 2500)
bar "gap counter: 5 million records, MB in all" "${2:-none}" 300
"$PYTHON" - "$RESULTS/counter-100.json" "$RESULTS/counter-5m.json" >"$WORK/same" 2>&1 <<'END'
import json, sys
few, many = (json.load(open(path))["graphs"][0] for path in sys.argv[1:])
good = (
    few["memset"] == many["memset"] == 1000
    and few["replays"] == 100
    and many["replays"] == 200
    and json.load(open(sys.argv[2]))["not_kept"] > 4000000
    and abs(few["rows"][0]["bubble_ns"]["median"] / many["rows"][0]["bubble_ns"]["median"] - 1) < 0.2
)
print("same table" if good else f"{few['replays']} {many['replays']} {few['rows'][0]} {many['rows'][0]}")
END
is "$(cat "$WORK/same")" "same table" "5 million records give the table that 200000 give"
rm -f "$RESULTS/counter-100.json" "$RESULTS/counter-5m.json"
done_testing
