#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is exec'd has the library when the variable is handed on, and does
# without it when it is not, from wherever it is exec'd and whatever its parent was at.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
case $SAN in
*address*) skip_all "AddressSanitizer's runtime has to be preloaded where it is" ;;
*thread*) skip_all "ThreadSanitizer's runtime has to be preloaded where it is" ;;
esac

compile "$TMP/exec" -I"$TESTS" "$TESTS/prog/exec.c" "$TESTS/prog/outside.c" \
	"$TESTS/drv.c" -L"$SIM" -lcuda -ldl -pthread

# becomes WHAT FIRST SECOND ARGUMENT...: the kinds of node before exec and after
becomes()
{
	what=$1
	printf 'capture: %s, bytes right\n' "$2" "$3" >"$TMP/wanted"
	preload=$SHIM
	[ "$2" = kernel ] || preload=
	shift 3
	with_driver timeout 60 env LD_PRELOAD="$preload" MEMSETSHIM_STATS="$TMP/table.%p" \
		"$TMP/exec" "$@" >"$TMP/out" 2>"$TMP/err"
	is $? 0 "$what: ends well"
	same "$TMP/out" "$TMP/wanted" "$what: what the memsets became"
	is "$(cat "$TMP/err")" "" "$what: nothing is printed"
	tables=$(find "$TMP" -name 'table.*' | wc -l | tr -d ' ')
	rm -f "$TMP"/table.*
}

becomes "neither has it" memset memset "$TMP/exec"
is "$tables" 0 "neither has it: no statistics"
for how in "" inside spawn vfork; do
	# Where the parent lives on it prints its own.
	case $how in
	spawn | vfork) own=1 ;;
	*) own=0 ;;
	esac
	becomes "${how:-exec}, handed on" kernel kernel ${how:+$how} "$TMP/exec"
	is "$tables" $((own + 1)) "${how:-exec}, handed on: statistics of who ends"
	becomes "${how:-exec}, taken away" kernel memset ${how:+$how} \
		env -u LD_PRELOAD "$TMP/exec"
	is "$tables" "$own" "${how:-exec}, taken away: statistics of a parent only"
	becomes "${how:-exec}, given" memset kernel ${how:+$how} \
		env LD_PRELOAD="$SHIM" "$TMP/exec"
	# shellcheck disable=SC2016 # for the inner shell
	becomes "${how:-exec}, a shell between" kernel kernel ${how:+$how} \
		sh -c '"$0"' "$TMP/exec"
done
done_testing
