#!/bin/sh
# SPDX-License-Identifier: MIT
# memsetshim selftest passes where the library works, and fails, saying what, where it
# does not.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
[ -z "$SAN" ] || skip_all "a sanitizer's runtime would have to be preloaded first"
COMMAND=$(realpath -e "$B/memsetshim" 2>/dev/null) || skip_all "no $B/memsetshim"
need_cc

with_sim "$COMMAND" selftest >"$TMP/out" 2>"$TMP/err"
is $? 0 "on the simulated driver: status 0"
is "$(count "$TMP/out" '^FAIL')" 0 "nothing fails"
is "$(count "$TMP/out" '^PASS way in: .* gives all 6 functions')" 6 "six ways in"
has "$TMP/out" '^PASS nodes: each of 6 captured memsets is one kernel node' "kernel nodes"
has "$TMP/out" '^PASS nodes: switched off, each is one memset node' "memset nodes"
has "$TMP/out" '^PASS bytes: 1[0-9][0-9] memsets write' "bytes"
has "$TMP/out" '^PASS eager' "eager memsets"
has "$TMP/out" '^PASS host memory' "host memory"
has "$TMP/out" '^PASS update' "update of a graph"
has "$TMP/out" '^SKIP speed: this is the simulated driver' "no speed is made up"
is "$(tail -n 1 "$TMP/out")" "12 passed, 0 failed, 1 skipped" "the sum"
is "$(cat "$TMP/err")" "" "nothing on stderr"

MEMSETSHIM=0 with_sim "$COMMAND" selftest --no-speed >"$TMP/out" 2>"$TMP/err"
is $? 0 "the user's MEMSETSHIM=0 is not what is tested"
has "$TMP/err" 'MEMSETSHIM is set; it is ignored here' "which is said"
is "$(count "$TMP/out" '^SKIP')" 0 "--no-speed"
with_sim "$COMMAND" selftest -v >"$TMP/out" 2>"$TMP/err"
has "$TMP/err" 'memsetshim\[[0-9]+\]: trace' "-v: the library says what it does"
with_sim "$COMMAND" selftest --device 9 >"$TMP/out" 2>"$TMP/err"
is $? 1 "no such GPU: status 1"
has "$TMP/out" '^FAIL GPU: no device 9' "and which"
LD_LIBRARY_PATH="$TMP" "$COMMAND" selftest >"$TMP/out" 2>"$TMP/err"
status=$?
if grep -q '^FAIL driver' "$TMP/out"; then
	is $status 1 "no driver: status 1"
	is "$(lines "$TMP/out")" 2 "one line, and the sum"
else
	skip "this machine has a driver"
fi
"$COMMAND" selftest something >"$TMP/out" 2>"$TMP/err"
is $? 2 "an argument too many: usage"

# A library that is loaded and hooks nothing.
mkdir "$TMP/bin" && cp "$COMMAND" "$TMP/bin/memsetshim"
cat >"$TMP/idle.c" <<'C'
int memsetshim_set_enabled(int on);
int memsetshim_set_enabled(int on)
{
	static int state = 1;
	int before = state;

	state = on;
	return before;
}
C
compile_lib "$TMP/bin/libmemsetshim.so" "$TMP/idle.c"
with_sim "$TMP/bin/memsetshim" selftest >"$TMP/out" 2>"$TMP/err"
is $? 1 "a library that hooks nothing: status 1"
is "$(count "$TMP/out" '^FAIL way in: .* gives 0 of 6 functions')" 6 "no way leads in"
is "$(count "$TMP/out" '^FAIL nodes: a captured cuMemset.* is no kernel node')" 6 \
	"no memset becomes a kernel node"
has "$TMP/out" '^PASS nodes: switched off' "what works still passes"
printf 'int nothing;\n' >"$TMP/empty.c"
compile_lib "$TMP/bin/libmemsetshim.so" "$TMP/empty.c"
with_sim "$TMP/bin/memsetshim" selftest >"$TMP/out" 2>"$TMP/err"
is $? 1 "a library that is not ours: status 1"
has "$TMP/out" '^FAIL preload: libmemsetshim.so was not loaded' "and why"
done_testing
