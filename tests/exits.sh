#!/bin/sh
# SPDX-License-Identifier: MIT
# However a program ends while a stream is capturing, it ends as without the library;
# statistics that were asked for come with the ends that run destructors, and are right.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
case $SAN in
*thread*) skip_all "ThreadSanitizer ends programs in its own way" ;;
esac

compile "$TMP/exits" -I"$TESTS" "$TESTS/prog/exits.c" "$TESTS/prog/outside.c" \
	"$TESTS/drv.c" -L"$SIM" -lcuda -ldl -pthread

# ends PRELOAD HOW NAME=VALUE...: its output in $TMP/out, its status behind that
ends()
{
	ends_preload=$1
	ends_how=$2
	shift 2
	# Not into $TMP/err: what this shell has to say of a signal.
	# shellcheck disable=SC2016 # for the inner shell
	with_driver sh -c 'exec "$@" >"$0/out" 2>"$0/err"' "$TMP" \
		timeout 60 env LD_PRELOAD="$ends_preload" "$@" "$TMP/exits" "$ends_how" \
		2>/dev/null
	echo "status $?" >>"$TMP/out"
}

# how WAY STATUS TABLE: with TABLE 1 statistics are printed
how()
{
	ends "$RUNTIME" "$1"
	cp "$TMP/out" "$TMP/bare"
	has "$TMP/bare" '^capturing$' "$1 without it: ends in a capture"
	has "$TMP/bare" "^status $2\$" "$1 without it: status $2"
	ends "$PRELOAD" "$1"
	same "$TMP/out" "$TMP/bare" "$1: the same with it"
	is "$(cat "$TMP/err")" "" "$1: nothing is printed"
	ends "$PRELOAD" "$1" MEMSETSHIM_STATS=1
	same "$TMP/out" "$TMP/bare" "$1: the same with statistics"
	is "$(count "$TMP/err" ': 1 capture$')" "$3" "$1: tables printed: $3"
	is "$(count "$TMP/err" ' 1  memsets in graphs became fill kernels')" "$3" \
		"$1: which know of the fill: $3"
	is "$(grep -v '^memsetshim: ' "$TMP/err")" "" "$1: and nothing else is printed"
	ends "$PRELOAD" "$1" MEMSETSHIM_STATS="$TMP/table.%p"
	is "$(find "$TMP" -name 'table.*' | wc -l | tr -d ' ')" "$3" "$1: files written: $3"
	rm -f "$TMP"/table.*
}

how return 1 1
how exit 2 1
how _exit 3 0
how quick_exit 4 0
how thread 5 1
how inside 6 1
how abort 134 0
how kill 137 0
done_testing
