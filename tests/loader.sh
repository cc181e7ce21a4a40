#!/bin/sh
# SPDX-License-Identifier: MIT
# The library does not stand in the dynamic loader's way: no thread waits for a lock that
# a constructor holds, a driver that was rejected can be unloaded, a dlerror() stays, and
# a broken pipe on stderr ends nobody.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
need_cc
PROG=$TESTS/prog
[ -z "$SAN" ] || skip_all "sanitizers hold locks and references of their own"

compile "$TMP/main" "$PROG/loader-main.c" -ldl -L"$SIM" -lcuda
compile_lib "$TMP/plugin.so" "$PROG/loader-plugin.c" -L"$SIM" -lcuda -pthread
compile "$TMP/probe" "$PROG/probe-main.c" -ldl
mkdir "$TMP/old"
printf 'int cuDriverGetVersion(int *v);\nint cuDriverGetVersion(int *v)\n{\n%s\n}\n' \
	'	*v = 11000;
	return 0;' >"$TMP/old.c"
compile_lib "$TMP/old/libcuda.so.1" "$TMP/old.c" -Wl,-soname,libcuda.so.1

# both WHAT COMMAND...: prints the same, and ends as well, with the library and without
both()
{
	what=$1
	shift
	preloaded "" "$SIM_PATH" "$@" >"$TMP/bare" 2>&1
	is $? 0 "$what, without it"
	preloaded "$SHIM" "$SIM_PATH" "$@" >"$TMP/with" 2>&1
	is $? 0 "$what, with it: it ends"
	same "$TMP/with" "$TMP/bare" "$what, with it: the same"
}
both "a constructor that waits for a thread's first call" "$TMP/main" "$TMP/plugin.so"
has "$TMP/with" '^thread came back$' "and the thread calls"
both "a dlerror() before the first call" "$TMP/main"
has "$TMP/with" '^error kept$' "and is kept"
both "a driver that is rejected" "$TMP/probe" "$TMP/old/libcuda.so.1"
has "$TMP/with" '^then 13000$' "and another is taken"

# Its stderr is a pipe that nobody reads.
for setting in MEMSETSHIM_NONSENSE=1 MEMSETSHIM_STATS=1 MEMSETSHIM_LOG=info; do
	# shellcheck disable=SC2016 # that sh expands it
	STATUS="$TMP/status" with_sim timeout 20 sh -c '
		{ sleep 0.3; env LD_PRELOAD="$1" "$2" $4 "$3" 2>&1 >/dev/null; echo $? >"$STATUS"; } | :
	' - "$SHIM" "$setting" "$TMP/main" "$EMULATOR"
	is "$(cat "$TMP/status")" 0 "stderr is a broken pipe, $setting: it ends well"
	rm -f "$TMP/status"
done
done_testing
