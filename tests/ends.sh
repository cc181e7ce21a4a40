#!/bin/sh
# SPDX-License-Identifier: MIT
# Hooks work as the driver does wherever they are called from: a library's constructor
# before cuInit and its destructor after the driver is gone, atexit handlers, and what
# ends a thread.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
PROG=$TESTS/prog

# One is linked to libcuda, so that its destructor runs before the driver's; one is not.
compile_lib "$TMP/libfirst.so" "$PROG/ends-lib.c" -L"$SIM" -lcuda
compile_lib "$TMP/libbehind.so" "$PROG/ends-lib.c"
for name in first behind; do
	compile "$TMP/$name" -I"$TESTS" "$PROG/ends-main.c" "$PROG/outside.c" \
		"$TESTS/drv.c" -L"$SIM" -lcuda -L"$TMP" -l$name -ldl -pthread \
		-Wl,-rpath,"$TMP"
done

# run FILE PRELOAD NAME=VALUE... PROGRAM ARGUMENT...
run()
{
	run_file=$1
	run_preload=$2
	shift 2
	with_driver timeout 60 env LD_PRELOAD="$run_preload" "$@" >"$run_file" 2>"$TMP/err"
	echo "status $?" >>"$run_file"
}

# both WHAT PROGRAM ARGUMENT...
both()
{
	what=$1
	shift
	run "$TMP/bare" "$RUNTIME" "$@"
	# How a real driver ends is its own affair, as long as it ends so with us.
	if [ "${DRIVER:-sim}" = sim ]; then
		has "$TMP/bare" '^status 0$' "$what, without it: ends well"
		is "$(count "$TMP/bare" ': memset, bytes right$')" 6 \
			"$what, without it: six memsets"
	else
		diag_file "$TMP/bare"
	fi
	sed 's/: memset,/: kernel,/' "$TMP/bare" >"$TMP/wanted"
	run "$TMP/with" "$PRELOAD" "$@"
	same "$TMP/with" "$TMP/wanted" "$what: the same with it, and kernels"
	is "$(cat "$TMP/err")" "" "$what: nothing is printed"
	run "$TMP/with" "$PRELOAD" MEMSETSHIM_STATS=1 "$@"
	same "$TMP/with" "$TMP/wanted" "$what: the same with statistics"
	is "$(count "$TMP/err" 'memsets in graphs became fill kernels')" 1 "$what: one table"
	has "$TMP/bare" '^constructor: version 0, lookup [0-9]+ .*, memset 3, begin 3, ' \
		"$what: the constructor comes before cuInit"
}

both "destructor before the driver's" "$TMP/first"
[ "${DRIVER:-sim}" = real ] ||
	has "$TMP/bare" '^destructor: version 0,' "in the destructor there is a driver"
both "destructor before the driver's, in a capture" "$TMP/first" open
both "destructor behind the driver's" "$TMP/behind"
[ "${DRIVER:-sim}" = real ] ||
	has "$TMP/bare" '^destructor: .*, memset 4, begin 4, captured 4, 2D 4, end 4$' \
		"in the destructor the driver is gone"
both "destructor behind the driver's, in a capture" "$TMP/behind" open
done_testing
