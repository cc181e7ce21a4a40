#!/bin/sh
# SPDX-License-Identifier: MIT
# A process without CUDA does not notice the library: same output and status, nothing
# printed, nothing loaded or kept open, less than 1 ms and 256 KiB more.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
case $SAN in
*thread*) skip_all "the system's programs crash with ThreadSanitizer's runtime alone" ;;
esac

# alike WHAT COMMAND...: runs without and with it; stdout, stderr and status are the same
alike()
{
	what=$1
	shift
	unshimmed "$@" >"$TMP/bare.out" 2>"$TMP/bare.err" </dev/null
	bare=$?
	shimmed "$@" >"$TMP/with.out" 2>"$TMP/with.err" </dev/null
	is $? $bare "$what: status $bare"
	same "$TMP/with.out" "$TMP/bare.out" "$what: same output"
	same "$TMP/with.err" "$TMP/bare.err" "$what: same on stderr"
}

alike true /bin/true
alike false /bin/false
alike echo /bin/echo "a  b" "c"
alike "a failing ls" ls /no/such/folder
# shellcheck disable=SC2016 # for the inner shell
alike "a pipeline" sh -c 'for i in 3 1 2; do echo $i; done | sort | (cat; exit 7)'
alike "a killed shell" sh -c 'kill -9 $$'
# shellcheck disable=SC2016 # for the inner shell
alike "subshells" sh -c '(echo one; exit 3); echo $?; x=$(echo two | tr t T); echo "$x"'
if command -v python3 >/dev/null && python3 -c 'import threading, ctypes' 2>/dev/null; then
	alike "python3" python3 -c 'import sys, threading, ctypes, subprocess
t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()
print(subprocess.run(["echo", "child"], capture_output=True).stdout)
print([hasattr(ctypes.CDLL(None), f) for f in ("strlen", "cuInit", "cuMemsetD8Async")])
sys.exit(5)'
else
	skip "no python3"
fi

printf '#include <stdio.h>\nint main(void) { return puts("static") == EOF; }\n' >"$TMP/s.c"
if [ -z "$SAN" ] && "${CC%% *}" -static -o "$TMP/static" "$TMP/s.c" 2>/dev/null; then
	alike "a static program" "$TMP/static"
else
	skip "no static program can be built"
fi

MEMSETSHIM_STATS=1
export MEMSETSHIM_STATS
alike "echo, statistics asked for" /bin/echo x
alike "a pipeline, statistics asked for" sh -c 'echo x | cat'
MEMSETSHIM_STATS=$TMP/table.%p
alike "echo, statistics to a file" /bin/echo x
is "$(ls "$TMP"/table.* 2>/dev/null)" "" "echo, statistics to a file: no file"
unset MEMSETSHIM_STATS

unshimmed env | grep -Ev '^(LD_PRELOAD|_)=' >"$TMP/bare"
shimmed env | grep -Ev '^(LD_PRELOAD|_)=' >"$TMP/with"
same "$TMP/with" "$TMP/bare" "the environment is what it was"
unshimmed ls /proc/self/fd >"$TMP/bare"
shimmed ls /proc/self/fd >"$TMP/with"
same "$TMP/with" "$TMP/bare" "no file is kept open"

if [ -n "$SAN" ]; then
	skip "what is mapped: not with sanitizers"
	skip "memory: not with sanitizers"
	skip "time: not with sanitizers"
	done_testing
fi

names()
{
	awk 'NF > 5 { print $6 }' "$1" | sort -u
}
unshimmed cat /proc/self/maps >"$TMP/maps"
names "$TMP/maps" >"$TMP/bare"
shimmed cat /proc/self/maps >"$TMP/maps"
names "$TMP/maps" | grep -Fxv "$SHIM" >"$TMP/with"
same "$TMP/with" "$TMP/bare" "nothing else is mapped than itself"
has "$TMP/maps" "$SHIM" "it was there"

# The middle one of 21, in KiB.
rss()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
		"$@" cat /proc/self/smaps_rollup
	done | awk '/^Rss:/ { print $2 }' | sort -n | sed -n 11p
}
bare=$(rss unshimmed)
with=$(rss shimmed)
if [ -n "$bare" ]; then
	[ "$((with - bare))" -lt 256 ]
	ok $? "memory added: $((with - bare)) KiB, less than 256"
else
	skip "memory: this kernel has no smaps_rollup"
fi

if command -v "${CC%% *}" >/dev/null; then
	compile "$TMP/startup" "$TESTS/gpu/startup.c"
	"$TMP/startup" "$SHIM" 200 >"$TMP/times"
	diag "medians in microseconds: $(cat "$TMP/times")"
	added=$(awk '$1 == "bare" { printf "%d", $4 - $2 }' "$TMP/times")
	[ -n "$added" ] && [ "$added" -lt 1000 ]
	ok $? "time added to the life of a process: ${added:-no} us, less than 1000"
else
	skip "time: no C compiler"
fi
done_testing
