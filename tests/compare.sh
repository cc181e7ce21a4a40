#!/bin/sh
# SPDX-License-Identifier: MIT
# memsetshim compare runs a program without and with the library by turns, leaves its
# input, output and settings alone, and says which is faster; with a mock of CUPTI that
# plays what the test wants it to have seen.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
[ -z "$SAN" ] || skip_all "a sanitizer's runtime would have to be preloaded first"
COMMAND=$(realpath -e "$B/memsetshim" 2>/dev/null) || skip_all "no $B/memsetshim"
MOCK=$(realpath -e "$B/mock/libcupti.so.13" 2>/dev/null) ||
	skip_all "no $B/mock: the mock of CUPTI was not built"
command -v python3 >/dev/null || skip_all "no python3, which reads the results"
need_cc
TMP=$(realpath -e "$TMP") || bail "no $TMP"
for name in $(env | sed -n 's/^\(GAPCOUNT_[A-Z_]*\|MOCK_CUPTI[A-Z_]*\)=.*/\1/p') \
	CUDA_INJECTION64_PATH; do
	unset "$name"
done
compile "$TMP/injected" "$TESTS/prog/injected.c" -ldl
mkdir "$TMP/tmp"
export TMPDIR="$TMP/tmp"

# The program: plays its arm's script, and keeps a diary of its runs.
cat >"$TMP/prog" <<PROGRAM
#!/bin/sh
case \${LD_PRELOAD-} in *libmemsetshim.so*) arm=with ;; *) arm=without ;; esac
echo "\$arm \$GAPCOUNT_LEVEL MEMSETSHIM=\${MEMSETSHIM-unset} \$(cat)" >>"$TMP/diary"
export MOCK_CUPTI="$TMP/\$arm.play"
[ ! -e "$TMP/\$arm.act" ] || . "$TMP/\$arm.act"
exec "$TMP/injected" init play
PROGRAM
chmod +x "$TMP/prog"

# play ARM REPLAY_NS NODE-TYPE NAME: a kernel, something, a kernel; 20 replays
play()
{
	cat >"$TMP/$1.play" <<-PLAY
		node 7 1 kernel
		node 7 2 $3
		node 7 3 kernel
		exec 7
		repeat 20 100000 1
		graph 1000 $((1000 + $2)) 0 100 7
		kernel 1000 3000 0 100 7 1 first
		$4
		kernel 8000 9000 0 100 7 3 third
		end
	PLAY
}
native="memset 4500 6000 0 100 7 2 64"
fill="kernel 3100 3800 0 100 7 2 memsetshim_fill_words"

# compare OPTION...: its status is in $status, its stderr in $TMP/err
compare()
{
	: >"$TMP/diary"
	with_sim timeout 120 "$COMMAND" compare --cupti "$MOCK" "$@" -- "$TMP/prog" \
		>"$TMP/out" 2>"$TMP/err" <"$TMP/in"
	status=$?
}

# result EXPRESSION: r is the JSON result, g its first graph
result()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
g = (r["graphs"] or [{}])[0]
print(eval(sys.argv[2]))' "$TMP/r.json" "$1" 2>&1
}

echo "input" >"$TMP/in"
play without 7000 memset "$native"
play with 5000 kernel "$fill"
compare -o "$TMP/r.json" -o "$TMP/r.html" -o "$TMP/r.txt"
is "$status" 0 "faster: status 0"
has "$TMP/err" '^FASTER: with the library replays take 0\.7143 of the time' "in words"
has "$TMP/err" 'CUPTI 13\.0\.1; 6 pairs of runs' "after six pairs"
is "$(cat "$TMP/out")" '{"program": "injected", "cuInit": 0}' \
	"stdout holds what the first run wrote, once"
is "$(cut -d' ' -f 1 "$TMP/diary" | tr '\n' ' ')" \
	"without without with with without without with with without without with with \
without without with " "one run to warm up, pairs by turns, two at the end"
is "$(cut -d' ' -f 2 "$TMP/diary" | tr '\n' ' ')" \
	"graph graph graph graph graph graph graph graph graph graph graph graph graph \
node node " "graph level for the result, node level for the explanation"
is "$(cut -d' ' -f 4 "$TMP/diary" | sort -u)" input "each run reads the same input"
is "$(result 'r["verdict"], r["ratio"], r["same_output"]')" "('FASTER', 0.714286, True)" \
	"JSON: the verdict"
is "$(result 'g["memsets_before"], g["memsets_after"], g["replays"], g["nodes"]')" \
	"(1, 0, 20, 3)" "JSON: memset nodes without and with"
is "$(result 'g["before_ns"], g["after_ns"]')" "(7000.0, 5000.0)" "JSON: a replay"
# Bubble 5000; a fill of 770, no gap between kernels: 4230.  Tracing adds 1000 to the
# native replay and 3000 to the other, 1000 a kernel, so nothing beyond kernels'.
is "$(result 'g["recoverable_traced_ns"], g["recoverable_predicted_ns"]')" \
	"(4230.0, 4230.0)" "JSON: what was recoverable, as traced and corrected"
has "$TMP/r.txt" '^FASTER' "the text goes to a file, too"
has "$TMP/r.html" 'FASTER: with the library' "and the page"
is "$(ls -A "$TMP/tmp")" "" "no temporary file is left"

play with 7000 kernel "$fill"
compare -q
is "$status" 10 "the same: status 10"
is "$(cat "$TMP/err")" "" "quiet: nothing on stderr"
play with 7200 kernel "$fill"
compare
is "$status" 11 "slower: status 11"
has "$TMP/err" '^SLOWER: .* 1\.0286 of the time' "and says so"
compare --margin 5
is "$status" 10 "slower by less than the margin: the same"
compare --pairs 2 --no-nodes -o "$TMP/r.json"
is "$status" 12 "two pairs: status 12"
has "$TMP/err" '^UNCLEAR: 2 pairs are too few' "they are too few"
is "$(lines "$TMP/diary")" 5 "five runs"
is "$(result 'r["explained"]')" False "without an explanation"

# What tracing adds beyond what it adds to kernels comes off.
play without 4000 memset "$native"
play with 7400 kernel "$fill"
compare --pairs 1 -o "$TMP/r.json"
# It adds 4000 without and 600 with, 200 a kernel: 3400 beyond; all of it is the bubble's.
is "$(result 'g["recoverable_predicted_ns"]')" 830.0 "what tracing adds comes off"

# CUPTI times a graph of memsets alone as 416 ns, whatever it holds; the counter does not
# believe it.  Here the launches are two callbacks without a graph between them.
cat >"$TMP/without.play" <<-'PLAY'
	node 7 1 memset
	exec 7
	repeat 20 100000 1
	graph 1000 900001416 0 100 7
	launch 7
	memset 4500 6000 0 100 7 1 64
	end
	refuse 7
PLAY
sed 's/^memset .*/kernel 4500 6000 0 100 7 1 memsetshim_fill_words/' "$TMP/without.play" \
	>"$TMP/with.play"
compare --pairs 1 -o "$TMP/r.json"
has "$TMP/err" '^[+] memsets alone, which CUPTI does not time' "memsets alone: said"
is "$(result 'g["by_events"], g["replays"], g["before_ns"] < 1e8')" "(1, 20, True)" \
	"they are timed between events"

play without 7000 memset "$native"
play with 5000 kernel "$fill"
sed 's/ 7$/ 9/; s/ 7 / 9 /' "$TMP/with.play" >>"$TMP/with.play.2"
cat "$TMP/with.play.2" >>"$TMP/with.play"
compare --pairs 1
has "$TMP/err" '^! the runs replayed different numbers of graphs' \
	"another number of graphs: said, and only sums compared"

# The user's own settings do not spoil an arm.
play with 5000 kernel "$fill"
export MEMSETSHIM=0
compare --pairs 1 -q
is "$(grep -c '^with .*MEMSETSHIM=unset' "$TMP/diary")" 2 \
	"MEMSETSHIM=0 of the user does not reach the runs with the library"
unset MEMSETSHIM
: >"$TMP/diary"
LD_PRELOAD="$SHIM" with_sim "$COMMAND" compare -q --pairs 1 --cupti "$MOCK" \
	"$TMP/prog" >"$TMP/out" 2>&1 <"$TMP/in"
is "$(head -2 "$TMP/diary" | cut -d' ' -f 1 | tr '\n' ' ')" "without without " \
	"a library that was preloaded already is taken out where it has no place"

# --- what goes wrong ---------------------------------------------------------------------

echo 'echo "what went wrong" >&2; exit 3' >"$TMP/with.act"
compare
is "$status" 3 "PROG fails with the library: its own status"
has "$TMP/err" 'PROG with the library ended with status 3' "in words"
has "$TMP/err" 'what went wrong' "and what it said"
echo 'kill -9 $$' >"$TMP/with.act"
compare
is "$status" 137 "PROG is killed: 128 and the signal"
has "$TMP/err" 'was killed by signal 9' "in words"
rm -f "$TMP/with.act"
is "$(ls -A "$TMP/tmp")" "" "no temporary file is left of these"

echo 'export MOCK_CUPTI=/dev/null' >"$TMP/without.act"
compare
is "$status" 1 "no graph was replayed: status 1"
has "$TMP/err" 'no graph was replayed, so there is nothing to compare' "a sentence"
is "$(lines "$TMP/diary")" 1 "after one run"
rm -f "$TMP/without.act"

# Keys go to PROG as well; one that survives them is not run again.
# shellcheck disable=SC2016 # PROG expands it
echo 'trap "exit 0" INT; kill -INT $PPID $$' >"$TMP/with.act"
compare
is "$status" 130 "PROG survives a Ctrl-C: compare does not"
has "$TMP/err" 'interrupted by signal 2' "and says so"
rm -f "$TMP/with.act"
is "$(ls -A "$TMP/tmp")" "" "no temporary file is left of it"
# shellcheck disable=SC2016 # that sh expands it
with_sim timeout 60 sh -c '"$@" 2>&1 >/dev/null | :' - "$COMMAND" compare --pairs 1 \
	--cupti "$MOCK" "$TMP/prog" </dev/null
is "$(ls -A "$TMP/tmp")" "" "nor where nobody reads the result"
for count in 1e1 1.5 0x2 -1 ''; do
	compare --pairs "$count"
	is "$status" 2 "--pairs '$count': usage"
done
compare --replays 1e1
is "$status" 2 "--replays 1e1: usage"
compare -o "$TMP/none/r.json"
is "$status" 1 "a file that cannot be written: status 1"
is "$(lines "$TMP/diary")" 0 "before PROG is run"
compare -o "$TMP/new.json" --pairs 0
is "$status" 2 "no pairs: usage"
[ ! -e "$TMP/new.json" ]
ok $? "and no empty file"
CUDA_INJECTION64_PATH=/elsewhere.so
export CUDA_INJECTION64_PATH
compare
is "$status" 1 "somebody else is injected: status 1"
has "$TMP/err" 'CUDA_INJECTION64_PATH is /elsewhere.so' "who"
compare --force --pairs 1 -q
is "$status" 12 "--force takes the place"
unset CUDA_INJECTION64_PATH
"$COMMAND" compare "$TMP/nowhere" 2>"$TMP/err"
is $? 127 "PROG is not there: 127"
done_testing
