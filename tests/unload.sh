#!/bin/sh
# SPDX-License-Identifier: MIT
# What is unloaded leaves no trace: a plugin that captured through the library, libcuda
# itself, and the library where a program opened it late.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
PROG=$TESTS/prog
OUTSIDE="-I$TESTS $PROG/outside.c $TESTS/drv.c -L$SIM"
[ -z "$SAN" ] || skip_all "the sanitizers' runtimes keep what is unloaded"

# shellcheck disable=SC2086 # OUTSIDE is words
{
	for linked in 0 1; do
		compile_lib "$TMP/libplugin$linked.so" -DUNLOAD_LINKED=$linked -I"$TESTS" \
			"$PROG/unload-plugin.c" -L"$SIM" -lcuda -ldl
	done
	compile "$TMP/main" "$PROG/unload-main.c" $OUTSIDE -lcuda -ldl
	compile_lib "$TMP/liball.so" -DUNLOAD_LIBRARY "$PROG/unload-all.c" $OUTSIDE \
		-lcuda -ldl
	compile "$TMP/all" -I"$TESTS" "$PROG/unload-all.c" -ldl
}

# run FILE PRELOAD COMMAND...
run()
{
	run_file=$1
	run_preload=$2
	shift 2
	with_driver timeout 60 env LD_PRELOAD="$run_preload" \
		MEMSETSHIM_STATS="$TMP/table" "$@" >"$run_file" 2>"$TMP/err"
	echo "status $?" >>"$run_file"
}

# both WHAT COMMAND...: ends as well and does the same, with kernels
both()
{
	what=$1
	shift
	run "$TMP/bare" "" "$@"
	sed 's/: memset,/: kernel,/' "$TMP/bare" >"$TMP/wanted"
	has "$TMP/bare" '^status 0$' "$what, without it: ends well"
	rm -f "$TMP/table"
	run "$TMP/with" "$SHIM" "$@"
	same "$TMP/with" "$TMP/wanted" "$what: the same with it, and kernels"
	is "$(cat "$TMP/err")" "" "$what: nothing is printed"
}

both "plugins that are unloaded" "$TMP/main" "$TMP/libplugin0.so" "$TMP/libplugin1.so" \
	"$TMP/libplugin0.so" "$TMP/libplugin1.so"
is "$(count "$TMP/with" ': kernel, bytes right$')" 8 "their graphs outlive them"
has "$TMP/table" ' 2  libplugin0\.so$' "statistics still know the first"
has "$TMP/table" ' 2  libplugin1\.so$' "and the second"
both "libcuda, opened and closed" "$TMP/all" "$TMP/liball.so"
is "$(count "$TMP/with" '^round .: kernel, bytes right$')" 3 "and used each time"

run "$TMP/bare" "" "$TMP/main" "late=$SHIM" "$TMP/libplugin1.so"
has "$TMP/bare" '^status 0$' "the library opened late and closed: ends well"
is "$(grep -c ', bytes right' "$TMP/bare")" 4 "everything works"
is "$(count "$TMP/bare" 'late: memset|closed: memset')" 2 "the program goes past it"
both "the library preloaded, and opened once more" "$TMP/main" "late=$SHIM" \
	"$TMP/libplugin1.so"
done_testing
