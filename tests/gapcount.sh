#!/bin/sh
# SPDX-License-Identifier: MIT
# The gap counter, injected into a program, reports what CUPTI delivers, however it
# delivers it, and never stands in the program's way.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

COUNTER=$(realpath -e "$B/libgapcount.so" 2>/dev/null) || skip_all "no $B/libgapcount.so"
MOCK=$(realpath -e "$B/mock/libcupti.so.13" 2>/dev/null) ||
	skip_all "no $B/mock: the mock of CUPTI was not built"
[ -n "$SIM" ] || skip_all "no $B/sim: the simulated driver was not built"
command -v python3 >/dev/null || skip_all "no python3, which reads the reports"
need_cc
# Else ThreadSanitizer waits for a second before the end, and the counter goes on.
export TSAN_OPTIONS="${TSAN_OPTIONS:-}:atexit_sleep_ms=0"
TMP=$(realpath -e "$TMP") || bail "no $TMP"
PLAYS=$TESTS/mock
for name in $(env | sed -n 's/^\(GAPCOUNT_[A-Z_]*\|MOCK_CUPTI[A-Z_]*\)=.*/\1/p') \
	CUDA_INJECTION64_PATH; do
	unset "$name"
done
compile "$TMP/injected" "$TESTS/prog/injected.c" -ldl
cat >"$TMP/value.py" <<'PYTHON'
"""value.py FILE EXPRESSION: r is the report, g its first graph, w that one's first row"""
import json, sys
r = json.load(open(sys.argv[1]))
g = (r["graphs"] or [{}])[0]
w = (g.get("rows") or [{}])[0]
print(eval(sys.argv[2]))
PYTHON
cat >"$TMP/plain.py" <<'PYTHON'
"""plain.py FILE: a report without what differs from run to run"""
import json, sys
r = json.load(open(sys.argv[1]))
r["pid"] = 0
for g in r["graphs"]:
    for slot in g["median"]["slots"] + g["slowest"]["slots"]:
        slot[2] = r["names"][slot[2]]
r["names"].sort()
print(json.dumps(r, indent=1))
PYTHON

# shellcheck disable=SC2086 # the library is found here
compile "$TMP/captured" "$TESTS/prog/captured.c" -ldl -L"$SIM" -lcuda

# counted PLAY NAME=VALUE... -- ACTION...: runs a program with the counter in it; leaves
# its stdout in $TMP/out, its stderr in $TMP/err, its status in $status
counted()
{
	play=$1
	shift
	vars=
	while [ "$1" != -- ]; do
		vars="$vars $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # words
	with_sim timeout 120 env CUDA_INJECTION64_PATH="$COUNTER" GAPCOUNT_CUPTI="$MOCK" \
		GAPCOUNT_OUTPUT="table:-,json:$TMP/r.json" MOCK_CUPTI="$PLAYS/$play.play" \
		MOCK_CUPTI_LOG="$TMP/log" $vars "$TMP/injected" "$@" \
		>"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}

# fresh: nothing is left of the last run
fresh()
{
	rm -f "$TMP"/*.json "$TMP/log"
}

# value EXPRESSION [FILE]: of the report
value()
{
	python3 "$TMP/value.py" "${2:-$TMP/r.json}" "$1" 2>&1
}

# unharmed WHAT: the program ended well, and its stdout is its own
unharmed()
{
	is "$status" 0 "$1: the program's own status"
	is "$(cat "$TMP/out")" '{"program": "injected", "cuInit": 0}' "$1: stdout is untouched"
}

# one_line PATTERN WHAT: all there is on stderr is one line of the counter's
one_line()
{
	is "$(lines "$TMP/err")" 1 "$2: one line"
	has "$TMP/err" "^gapcount\\[[0-9]+\\]: $1" "$2: says so"
	[ ! -e "$TMP/r.json" ]
	ok $? "$2: no report"
	unharmed "$2"
}

# --- what is reported ---
counted chain -- init play
unharmed "a chain"
is "$(value 'g["id"], g["kernel"], g["memset"], g["replays"], g["used"], g["incomplete"]')" \
	"(7, 3, 1, 20, 15, 0)" "a chain: nodes and replays"
is "$(value 'g["replay_ns"]["median"], g["kernel_gap_ns"]["median"], g["kernel_gap_ns"]["n"]')" \
	"(8400.0, 400.0, 15)" "a chain: replay time, gap between kernels"
is "$(value '[w[k]["median"] for k in ("lead_ns", "duration_ns", "tail_ns", "bubble_ns")]')" \
	"[1500.0, 1500.0, 2000.0, 5000.0]" "a chain: lead, run, tail, bubble"
is "$(value '[w[k] for k in ("before", "kind", "bytes", "engine", "after")]')" \
	"['_Z5firstv', 'memset', 64, 'compute', 'second']" "a chain: what is between what"
is "$(value 'g["recoverable_ns"] == 5000 - 2 * 400 - g["fill_ns"]')" True \
	"a chain: recoverable"
is "$(value 'r["gpu"], r["driver"], r["cupti"], r["level"], r["shim"]')" \
	"('Simulated GPU', 13000, '13.0.1', 'node', 0)" "a chain: the circumstances"
has "$TMP/err" '^gapcount [0-9.]+: .*injected init play, process [0-9]+ on ' "a chain: a table"
has "$TMP/err" 'first -> memset -> second$' "a chain: its row"
is "$(count "$TMP/err" '^!')" 0 "a chain: nothing to warn of"
python3 "$TMP/plain.py" "$TMP/r.json" >"$TMP/chain"

fresh
counted mixed -- init play
python3 "$TMP/plain.py" "$TMP/r.json" >"$TMP/mixed"
same "$TMP/mixed" "$TMP/chain" "records out of order, in many buffers, late: the same report"
[ "$(count "$TMP/log" '^buffer completed')" -gt 10 ]
ok $? "in many buffers: $(count "$TMP/log" '^buffer completed')"
fresh
counted mixed -- init
python3 "$TMP/plain.py" "$TMP/r.json" | sed 's/injected init"/injected init play"/' >"$TMP/mixed"
same "$TMP/mixed" "$TMP/chain" "all of it late: the same report"

fresh
counted disguised -- init play
unharmed "memsets in disguise"
is "$(value '[g[k] for k in ("kernel", "memset", "fill", "memcpy", "other")]')" \
	"[1, 2, 1, 1, 1]" "nodes are what they were made as"
is "$(value 'sorted((w["name"], w["kind"]) for w in g["rows"])')" \
	"[('memset32', 'memset'), ('memset32_post', 'memset'), ('memsetshim_fill_u32', 'fill')]" \
	"a memset that ran as a kernel is a memset, in child graphs too; a fill is one"
is "$(value '[(g["id"], g["device"], g["replays"], g["incomplete"], g["replay_ns"]["median"]) for g in r["graphs"]]')" \
	"[(7, 0, 12, 0, 8500.0), (8, 1, 12, 0, 2400.0)]" "graphs are apart"
is "$(value 'r["outside"]')" 12 "records of no graph are counted"

fresh
counted faulty -- init play
unharmed "faulty records"
is "$(value 'r["dropped"], r["timeless"]')" "(12, 2)" "dropped records and those without times"
is "$(value 'g["replays"], g["used"], g["timeless"], g["incomplete"]')" "(13, 5, 2, 1)" \
	"their replays are left out"
is "$(value 'w["duration_ns"]["min"], g["replay_ns"]["min"]')" "(1500.0, 8000.0)" \
	"no time is not 0"
sed -n '/^$/q; /^!/p' "$TMP/err" >"$TMP/first"
is "$(lines "$TMP/first")" 2 "both are said before any figure"
has "$TMP/first" '^! CUPTI dropped 12 records$' "dropped records"
has "$TMP/first" '^! 2 records have no time' "records without times"

# --- levels and windows ---
fresh
counted chain GAPCOUNT_LEVEL=graph -- init play
unharmed "graph level"
is "$(value 'r["level"], g["replays"], g["replay_ns"]["median"], g["memset"]')" \
	"('graph', 20, 7000.0, 1)" "graph level: whole replays"
is "$(grep -c 'cuptiActivityEnable ' "$TMP/log") $(grep 'cuptiActivityEnable ' "$TMP/log")" \
	"1 cuptiActivityEnable 51" "graph level: nothing else is traced"
cp "$TMP/r.json" "$TMP/reference.json"
counted chain GAPCOUNT_REFERENCE="$TMP/reference.json" -- init play
is "$(value 'r["inflation"]')" 1.2 "node level is compared with graph level"
has "$TMP/err" '^! tracing nodes makes replays 1.20 times as long' "and that is said"
fresh
counted chain GAPCOUNT_REPLAYS=8 GAPCOUNT_SKIP=2 -- init play
is "$(value 'g["replays"], g["used"], r["not_kept"]')" "(8, 6, 48)" "the first replays are kept"
fresh
counted chain GAPCOUNT_MAX_RECORDS=30 GAPCOUNT_SKIP=0 -- init play
is "$(value 'g["replays"], g["used"], g["incomplete"], r["not_kept"]')" "(8, 7, 1, 50)" \
	"no more records than wanted, and no half a replay"

fresh
counted parts GAPCOUNT_MAX_RECORDS=3 GAPCOUNT_INTERVAL=1 -- \
	init play logged=cuptiActivityDisable play
is "$(value 'r["not_kept"], g["replays"]')" "(17, 2)" "long after the window is full, tracing ends"

# --- versions ---
for version in 18 24 120080 130000 130200; do
	printf 'version %s\n' $version | cat - "$PLAYS/chain.play" >"$TMP/old.play"
	fresh
	counted chain MOCK_CUPTI="$TMP/old.play" -- init play
	is "$(value 'g["replays"], g["replay_ns"]["median"]')" "(20, 8400.0)" "CUPTI $version"
done
printf 'version 12\n' | cat - "$PLAYS/chain.play" >"$TMP/old.play"
counted chain MOCK_CUPTI="$TMP/old.play" -- init play
is "$(value 'w["engine"]')" unknown "CUPTI 12: records do not tell the engine"

# --- no report, and no harm ---
echo 'busy nsys' >"$TMP/s.play"
fresh
counted chain MOCK_CUPTI="$TMP/s.play" -- init play
one_line "no report: another tool has CUPTI already: nsys\\." "another tool"
printf 'busy nsys\nversion 130200\n' >"$TMP/s.play"
fresh
counted chain MOCK_CUPTI="$TMP/s.play" -- init play
one_line "no report: another tool has CUPTI already: a profiler" "another tool, nameless"
fresh
counted chain GAPCOUNT_CUPTI=/no/such/libcupti.so -- init play
one_line "no report: .*GAPCOUNT_CUPTI" "no CUPTI"
compile_lib "$TMP/empty.so" "$TESTS/prog/launch-lib.c"
counted chain GAPCOUNT_CUPTI="$TMP/empty.so" -- init play
one_line "no report: this libcupti is too old" "a CUPTI that lacks functions"
for function in cuptiSubscribe_v2 cuptiActivityRegisterCallbacks cuptiEnableCallback \
	cuptiActivityEnable; do
	echo "fail $function 35" >"$TMP/s.play"
	fresh
	counted chain MOCK_CUPTI="$TMP/s.play" -- init play
	one_line "no report: ${function%_v2} failed: .*35" "$function fails"
done
echo 'fail cuptiActivityEnable 35 3' | cat - "$PLAYS/chain.play" >"$TMP/s.play"
fresh
counted chain MOCK_CUPTI="$TMP/s.play" -- init play
one_line "no report: cuptiActivityEnable failed" "only the third kind cannot be traced"
is "$(count "$TMP/log" '^buffer')" 0 "what cannot be reported is not collected"
has "$TMP/log" '^cuptiUnsubscribe' "CUPTI is left to others"
: >"$TMP/s.play"
fresh
counted chain MOCK_CUPTI="$TMP/s.play" -- init play
unharmed "no graph"
has "$TMP/err" '^no graph was replayed$' "no graph: a sentence"
is "$(value 'r["graphs"]')" "[]" "no graph: none in the file"
fresh
counted chain GAPCOUNT_OUTPUT="json:$TMP/no/such/x" -- init play
one_line "cannot write $TMP/no/such/x: No such file" "a path that cannot be written"
fresh
counted chain GAPCOUNT_OUTPUT="json:$TMP" -- init play
one_line "cannot write $TMP: " "a folder"
is "$(find "$TMP/.." -maxdepth 1 -name "${TMP##*/}.new*")" "" "a folder: nothing is left beside it"
fresh
# Launches of memsets alone wait to be timed while the program captures.
printf 'node 7 1 memset\nexec 7\nlaunch 7\nlaunch 7\n' >"$TMP/s.play"
with_sim timeout 60 env CUDA_INJECTION64_PATH="$COUNTER" GAPCOUNT_CUPTI="$MOCK" \
	GAPCOUNT_LEVEL=graph GAPCOUNT_INTERVAL=1 GAPCOUNT_OUTPUT="json:$TMP/r.json" \
	MOCK_CUPTI="$TMP/s.play" "$TMP/captured" >"$TMP/out" 2>"$TMP/err"
is "$(cat "$TMP/out")" "played, end 0" "the counter invalidates no capture"
is "$(value 'g["replays"]')" 2 "and times what it has to"
fresh
mkfifo "$TMP/pipe"
timeout 60 cat "$TMP/pipe" >"$TMP/piped" &
counted chain GAPCOUNT_OUTPUT="csv:$TMP/pipe" -- init play
wait
[ -p "$TMP/pipe" ]
ok $? "a pipe stays a pipe"
has "$TMP/piped" '^graph,device,' "and gets the report"
rm -f "$TMP/pipe"
fresh
counted chain -- play
is "$(cat "$TMP/err")$status" 0 "a program without CUDA: nothing at all"
fresh
counted chain -- init play 3
is "$status $(value 'g["replays"]')" "3 20" "exit(3) stays 3"
fresh
counted chain CUDA_INJECTION64_PATH=/no/such/lib.so -- init play
unharmed "the counter is not there"
is "$(cat "$TMP/err")" "" "the counter is not there: the driver says nothing"

# --- ends ---
for end in _exit abort term; do
	fresh
	counted parts GAPCOUNT_INTERVAL=1 -- init play "until=$TMP/r.json" play $end
	[ $status -eq 0 ] || [ $end != _exit ]
	ok $? "$end: ends as it ends ($status)"
	is "$(value 'g["replays"], g["replay_ns"]["median"]')" "(10, 5000.0)" \
		"$end: the file has what was written last"
	is "$(find "$TMP" -name 'r.json?*')" "" "$end: no half a file"
done
fresh
counted parts GAPCOUNT_INTERVAL=1 -- init play "until=$TMP/r.json" play
is "$(value 'g["replays"]')" 20 "an ordinary end: the file has all"
fresh
counted parts GAPCOUNT_INTERVAL=0 -- init play play _exit
[ ! -e "$TMP/r.json" ]
ok $? "no interval: no file before the end"

fresh
counted chain GAPCOUNT_OUTPUT="table:-,json:$TMP/f.%p.json" -- fork init play
is "$status" 0 "fork, then CUDA in both: both end well"
is "$(lines "$TMP/out")" 2 "fork, then CUDA in both: both ran"
set -- "$TMP"/f.*.json
is $# 2 "fork, then CUDA in both: a report each"
for file in "$@"; do
	is "$(value 'g["replays"]' "$file")" 20 "of its own"
	is "f.$(value 'r["pid"]' "$file").json" "${file##*/}" "%p is its process"
done
fresh
counted chain GAPCOUNT_OUTPUT="table:-,json:$TMP/f.%p.json" -- init play fork
unharmed "CUDA, then fork"
set -- "$TMP"/f.*.json
is $# 1 "CUDA, then fork: one report"
is "$(count "$TMP/err" '^gapcount')" 1 "CUDA, then fork: one table"
fresh
counted chain -- init play fork init
is "$status $(value 'g["replays"]')" "0 20" "CUDA in a child of a process that had it: no crash"

# --- the launcher ---
if [ -x "$B/memsetshim" ]; then
	fresh
	with_sim env MOCK_CUPTI="$PLAYS/chain.play" timeout 60 "$B/memsetshim" gaps --level both \
		--cupti "$MOCK" -q -o "$TMP/r.json" -- "$TMP/injected" init play >"$TMP/out" 2>"$TMP/err"
	is "$?" 0 "memsetshim gaps --level both"
	is "$(value 'r["level"], r["inflation"], g["replays"]')" "('node', 1.2, 20)" \
		"memsetshim gaps --level both: two runs, one report"
	is "$(lines "$TMP/out")" 2 "memsetshim gaps --level both: stdout is the program's"
else
	skip "memsetshim gaps: no $B/memsetshim"
	skip "memsetshim gaps: no $B/memsetshim"
	skip "memsetshim gaps: no $B/memsetshim"
fi

# --- many records ---
cat >"$TMP/memory.py" <<'PYTHON'
"""memory.py COMMAND...: runs it; prints its largest resident size in MB"""
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PYTHON
# many NAME=VALUE...: 5 million records; prints the memory
many()
{
	fresh
	with_sim env CUDA_INJECTION64_PATH="$COUNTER" GAPCOUNT_CUPTI="$MOCK" \
		GAPCOUNT_OUTPUT="json:$TMP/r.json" MOCK_CUPTI="$PLAYS/many.play" "$@" \
		timeout 300 python3 "$TMP/memory.py" "$TMP/injected" init play
}
if [ -n "$SAN" ]; then
	skip "5 million records: a sanitizer needs the memory itself"
	skip "5 million records: a sanitizer needs the memory itself"
	skip "5 million records: a sanitizer needs the memory itself"
	skip "5 million records: a sanitizer needs the memory itself"
else
	memory=$(many)
	[ "$memory" -gt 0 ] && [ "$memory" -lt 100 ]
	ok $? "5 million records, 200 replays kept: $memory MB"
	is "$(value 'g["replays"], g["used"], r["not_kept"], w["nodes"], g["bubble_ns"]')" \
		"(200, 195, 4980000, 49.0, 394000.0)" "the table is right"
	memory=$(many GAPCOUNT_REPLAYS=1000000)
	[ "$memory" -gt 0 ] && [ "$memory" -lt 400 ]
	ok $? "5 million records, as many as are kept: $memory MB"
	is "$(value 'g["replays"], g["used"], r["not_kept"]')" "(20000, 19995, 3000000)" \
		"the table is right"
fi
done_testing
