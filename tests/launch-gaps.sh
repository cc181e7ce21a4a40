#!/bin/sh
# SPDX-License-Identifier: MIT
# memsetshim gaps gives PROG the gap counter and its variables, and refuses before PROG
# starts what could not work at its end.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
# shellcheck source=tests/lib/launch.sh
. "$(dirname "$0")/lib/launch.sh"
need_command
here=$PWD

# vars COMMAND...: what PROG has of the counter's variables, in one line
vars()
{
	"$@" env 2>"$TMP/err" | grep -E '^(CUDA_INJ|GAPCOUNT_|LD_PRELOAD)' | sort |
		sed "s|=$COUNTER\$|=COUNTER|; s|=$LIB\$|=SHIM|" | tr '\n' ' '
}
C="CUDA_INJECTION64_PATH=COUNTER"

is "$(vars "$M" gaps)" "$C " "without options: the counter, and its own defaults"
is "$(cat "$TMP/err")" "" "nothing is printed"
is "$(vars "$M" gaps --shim --)" "$C LD_PRELOAD=SHIM " "--shim"
is "$(vars "$M" gaps --level graph --replays 7 --skip 0 --top=3 --max-records 99)" \
	"$C GAPCOUNT_LEVEL=graph GAPCOUNT_MAX_RECORDS=99 GAPCOUNT_REPLAYS=7 GAPCOUNT_SKIP=0 GAPCOUNT_TOP=3 " \
	"options set variables"
is "$(GAPCOUNT_SKIP=9 GAPCOUNT_TOP=8 GAPCOUNT_LEVEL=graph vars "$M" gaps --top 3)" \
	"$C GAPCOUNT_LEVEL=graph GAPCOUNT_SKIP=9 GAPCOUNT_TOP=3 " \
	"a variable stays unless its option is given"
sed -n 's/^COUNT([a-z_]*, "GAPCOUNT_\([A-Z_]*\)".*/\1/p' \
	"$TESTS/../tools/gapcount/options.def" | tr 'A-Z_' 'a-z-' >"$TMP/wanted"
"$M" help gaps | sed -n 's/^  --\([a-z-]*\) N$/\1/p' >"$TMP/got"
same "$TMP/got" "$TMP/wanted" "each number of the counter's table is an option"
is "$(cd "$TMP" && vars "$M" gaps --cupti ./tree/lib/../lib/libgapcount.so)" \
	"$C GAPCOUNT_CUPTI=COUNTER " "--cupti: an absolute path"

# outputs OPTION...: the variable
outputs()
{
	vars "$M" gaps "$@" | sed 's/.*GAPCOUNT_OUTPUT=\([^ ]*\).*/\1/'
}
cd "$TMP" || bail "no $TMP"
is "$(outputs -o a.json)" "table:-,json:$TMP/a.json" "-o a.json"
is "$(outputs -o a.trace.json -o b.csv --output=c.html -o d)" \
	"table:-,trace:$TMP/a.trace.json,csv:$TMP/b.csv,html:$TMP/c.html,table:$TMP/d" \
	"each suffix is a format"
is "$(outputs -q -o "$TMP/a.%p.%h.json")" "json:$TMP/a.%p.%h.json" "-q: no table"
is "$(outputs --format json,csv)" "table:-,json:-,csv:-" "--format alone: on stderr"
is "$(outputs --format table,json -q)" "table:-,json:-" "--format table with -q: as asked for"
is "$(outputs --format html -o page)" "table:-,html:$TMP/page" "--format with -o"
is "$(outputs -o - --format json)" "table:-,json:-" "-o -: stderr"
is "$(outputs -o -)" "table:-" "-o - without a format: the table, once"
mkdir 100%h
is "$(cd 100%h && outputs -q -o a.csv)" "csv:$TMP/100%%h/a.csv" "a folder's name is no pattern"
is "$(GAPCOUNT_OUTPUT=csv:- outputs)" "csv:-" "GAPCOUNT_OUTPUT stays without an option"
is "$(ls -d a* b* c* d* page 2>/dev/null)" "" "no file is left behind"

get "$M" gaps --format json -o a -o b true
refused 2 "more than one -o" "--format and two files"
get "$M" gaps --format json,csv -o a true
refused 2 "several formats for one file" "two formats and one file"
get "$M" gaps --format xml true
refused 2 "'xml' is none of table, json, csv, html, trace" "an unknown format"
get "$M" gaps -q true
refused 2 "nothing would be reported" "-q alone"
get "$M" gaps -o a,b true
refused 2 "$TMP/a,b: a path with a comma" "a comma in a path"
get "$M" gaps -o "" true
refused 2 "-o wants a file's name" "an empty path"
for wrong in "--replays 0" "--replays -1" "--replays x" "--top 0" "--skip 1k" \
	"--max-records 99999999999"; do
	# shellcheck disable=SC2086 # two words
	get "$M" gaps $wrong true
	refused 2 "GAPCOUNT_.* is no number from [01] to [0-9]+" "$wrong"
done
get "$M" gaps --level deep true
refused 2 "'deep' is none of node, graph, both" "an unknown level"
get "$M" gaps --cupti no/such true
refused 2 "--cupti: no/such: No such file" "a CUPTI that is not there"
get "$M" gaps
refused 2 "PROG is missing" "no PROG"
get "$M" gaps no-such-program
refused 127 "no-such-program: No such file" "PROG that is nowhere"

# --- what cannot be written ---
# shellcheck disable=SC2016 # for the inner shell
echo 'touch "$1"' >ran
get "$M" gaps -o no/such/folder.json sh ran started
refused 1 "$TMP/no/such/folder.json cannot be written: No such file" "no such folder"
get "$M" gaps -o /dev/null sh ran started
refused 1 "/dev/null cannot be written: it is no file" "a device"
get "$M" gaps -o tree sh ran started
refused 1 "$TMP/tree cannot be written: Is a directory" "a folder"
: >plain
get "$M" gaps -o plain/x.json sh ran started
refused 1 "$TMP/plain/x.json cannot be written: Not a directory" "a file as a folder"
get env GAPCOUNT_OUTPUT="json:$TMP/no/x" "$M" gaps sh ran started
refused 1 "$TMP/no/x cannot be written" "GAPCOUNT_OUTPUT is looked at as well"
# shellcheck disable=SC2016 # for the inner shell
get sh -c 'echo $$ >pid; exec "$@"' sh "$M" gaps -o "no.%p.%%/x" sh ran started
refused 1 "$TMP/no.$(cat pid).%/x cannot be written" "%p is PROG's process"
# shellcheck disable=SC2016 # for the inner shell
get sh -c 'mkdir "in.$$"; exec "$@"' sh "$M" gaps -o "in.%p/x.json" true
clean "a folder named after the process"
get "$M" gaps -o "no.%h/x" true
refused 1 "$TMP/no.$(uname -n)/x cannot be written" "%h is the host"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$TMP"
	: >locked.json
	get setpriv --reuid=65534 --regid=65534 --clear-groups "$M" gaps -o locked.json true
	refused 1 "locked.json cannot be written: Permission denied" "somebody else's file"
	get setpriv --reuid=65534 --regid=65534 --clear-groups "$M" gaps -o new.json true
	refused 1 "new.json cannot be written: Permission denied" "somebody else's folder"
else
	skip "permissions: only root can become somebody else"
	skip "permissions: only root can become somebody else"
fi
[ ! -e started ]
ok $? "PROG was never started"

# --- who has the injection path ---
get env CUDA_INJECTION64_PATH=/opt/other.so "$M" gaps sh ran started
refused 1 "CUDA_INJECTION64_PATH is /opt/other.so: .*--force" "another tool has it"
[ ! -e started ]
ok $? "another tool has it: PROG was not started"
is "$(CUDA_INJECTION64_PATH=/opt/other.so vars "$M" gaps --force)" "$C " "--force"
is "$(CUDA_INJECTION64_PATH="" vars "$M" gaps)" "$C " "an empty variable is nobody's"
is "$(CUDA_INJECTION64_PATH="$TREE/lib/../lib/libgapcount.so" vars "$M" gaps)" "$C " \
	"the counter itself, by another path"
mv "$COUNTER" "$COUNTER.away"
get "$M" gaps true
if [ -e /usr/local/lib/libgapcount.so ]; then
	skip "no counter: one is installed"
else
	refused 127 "libgapcount.so is not there; looked for $TREE/bin/libgapcount.so" "no counter"
fi
mv "$COUNTER.away" "$COUNTER"

# --- both levels ---
# Plays the counter: a report at graph level, and what it was given, into a file.
mkdir tmp
cat >program <<'SCRIPT'
echo "$GAPCOUNT_LEVEL ${LD_PRELOAD:+shim} $*" >>"$OUT/calls"
grep -E '^Sig(Ign|Blk)' /proc/self/status >"$OUT/signals.$GAPCOUNT_LEVEL"
case $GAPCOUNT_LEVEL in
graph)
	file=${GAPCOUNT_OUTPUT#json:}
	[ "${REPORT-yes}" ] && echo "a report" >"$file"
	echo "$file" >"$OUT/file"
	${FIRST-true}
	;;
node)
	echo "$GAPCOUNT_OUTPUT" >"$OUT/output"
	cat "${GAPCOUNT_REFERENCE-/dev/null}" >"$OUT/reference"
	exit 5
	;;
esac
SCRIPT
# both NAME=VALUE... -- OPTION...: the exit, a clean slate first
both()
{
	rm -f calls file output reference
	ending env OUT="$TMP" TMPDIR="$TMP/tmp" "$@" sh program x "y z"
}
# Until the file is gone, which is soon after the end of PROG.
gone()
{
	tries=0
	while [ -n "$(ls tmp)" ] && [ $tries -lt 100 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
	is "$(ls tmp)" "" "$1: no temporary file is left"
}
is "$(both "$M" gaps --level both -o x.json)" "exit 5" "both: the second run's status"
is "$(cat calls)" "graph  x y z
node  x y z" "both: PROG is run twice, at graph level first"
is "$(cat reference)" "a report" "both: the second run has the first one's report"
is "$(cat output)" "table:-,json:$TMP/x.json" "both: the second run has the outputs"
case $SAN in
*thread*) skip "ThreadSanitizer changes what its processes do with signals" ;;
*) same signals.graph signals.node "both: the first run ignores and blocks the same signals" ;;
esac
gone both
is "$(both "$M" gaps --level=both --shim)" "exit 5" "both, with the library"
is "$(cat calls)" "graph shim x y z
node shim x y z" "both, with the library: in both"
is "$(both FIRST="exit 7" "$M" gaps --level both)" "exit 7" "the first run fails: its status"
is "$(cat calls)" "graph  x y z" "the first run fails: there is no second"
gone "the first run fails"
# shellcheck disable=SC2016 # for the inner shell
is "$(both FIRST='eval kill -TERM $$' "$M" gaps --level both)" "signal 15" \
	"the first run is killed: so are we"
gone "the first run is killed"
both REPORT="" "$M" gaps --level both >"$TMP/out"
is "$(cat "$TMP/out")" "exit 5" "the first run reports nothing: the second is run"
is "$(cat reference)" "" "the first run reports nothing: no reference"
get env OUT="$TMP" TMPDIR="$TMP/tmp" REPORT="" "$M" gaps --level both sh program
has "$TMP/err" "the run at graph level left no report" "the first run reports nothing: says so"
gone "the first run reports nothing"

rm -f calls file
FIRST="exec sleep 30" OUT=$TMP TMPDIR=$TMP/tmp "$M" gaps --level both sh program &
victim=$!
tries=0
until [ -e file ] || [ $tries -eq 100 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
before=$(date +%s)
kill -TERM "$victim"
wait "$victim" 2>/dev/null
is $? 143 "a signal during the first run ends us"
took=$(($(date +%s) - before))
case $SAN in
*thread*) skip "ThreadSanitizer lets no handler run while a process waits" ;;
*)
	[ $took -lt 25 ]
	ok $? "a signal during the first run ends it"
	;;
esac
gone "a signal during the first run"
# PROG ends as if nothing had happened: still nobody wants it again.
rm -f calls
cat >graceful <<'SCRIPT'
echo "$GAPCOUNT_LEVEL" >>"$OUT/calls"
[ "$GAPCOUNT_LEVEL" = graph ] || exit 5
trap 'exit 0' TERM
kill -TERM $PPID
sleep 5
SCRIPT
is "$(ending env OUT="$TMP" TMPDIR="$TMP/tmp" "$M" gaps --level both sh graceful)" "signal 15" \
	"a signal that the first run survives ends us"
is "$(cat calls)" graph "a signal that the first run survives: there is no second"
gone "a signal that the first run survives"

# At any moment: the launcher may not lose it while it starts or ends the run.
survived=0
for delay in 0 0.002 0.004 0.006 0.008 0.01 0.012 0.014 0.016 0.018 0.02 0.03 0.04; do
	OUT=$TMP TMPDIR=$TMP/tmp FIRST="sleep 0.01" "$M" gaps --level both sh program &
	victim=$!
	sleep "$delay"
	kill -TERM "$victim" 2>/dev/null
	wait "$victim" 2>/dev/null
	ended=$?
	[ $ended -eq 143 ] || [ $ended -eq 5 ] || survived=$((survived + 1))
	[ $ended -ne 5 ] || diag "ended before $delay s"
done
is $survived 0 "a signal at any moment ends us"
gone "a signal at any moment"
is "$(trap '' CHLD && both "$M" gaps --level both)" "exit 5" "SIGCHLD ignored: no matter"
gone "SIGCHLD ignored"
cd "$here" || bail "no $here"
done_testing
