#!/bin/sh
# SPDX-License-Identifier: MIT
# A library opened with RTLD_DEEPBIND goes past the shim where it binds functions itself
# and is caught where it was given them; mixed with a program that is caught it works in
# any order, and the program's later captures are as ever.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
PROG=$TESTS/prog
case $SAN in
*address* | *thread*) skip_all "the sanitizers refuse RTLD_DEEPBIND" ;;
esac

compile_lib "$TMP/libdeep.so" -I"$TESTS" "$PROG/deepbind-lib.c" -L"$SIM" -lcuda -ldl
compile "$TMP/main" -I"$TESTS" "$PROG/deepbind-main.c" "$PROG/outside.c" "$TESTS/drv.c" \
	-L"$SIM" -lcuda -ldl

# mix BEGIN SET END KIND: what the memset becomes with the library
mix()
{
	arm "without it" "$RUNTIME" memset memset "$@"
	arm "with it" "$PRELOAD" "$4" kernel "$@"
}

# arm WHICH PRELOAD KIND NEXT BEGIN SET END...: the memset's kind and the next one's
arm()
{
	which="begun by $5, set by $6, ended by $7, $1"
	printf '%s: %s, bytes right\n' "$5 $6 $7" "$3" afterwards "$4" >"$TMP/wanted"
	with_driver timeout 60 env LD_PRELOAD="$2" "$TMP/main" "$TMP/libdeep.so" \
		"$5" "$6" "$7" >"$TMP/out" 2>&1
	is $? 0 "$which: ends well"
	same "$TMP/out" "$TMP/wanted" "$which: a $3, then a $4"
}

for end in main deep; do
	mix main main $end kernel
	mix main asked $end kernel
	mix main deep $end memset
	mix main looked-up $end memset
	# A begin that nobody saw: no memset is looked at.
	mix deep main $end memset
	mix deep asked $end memset
	mix deep deep $end memset
	mix deep looked-up $end memset
done
done_testing
