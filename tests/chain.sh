#!/bin/sh
# SPDX-License-Identifier: MIT
# In a library in levels, each of which passes calls on to the next one's function of the
# same name by its own loader, calls reach the levels that they reach without the
# preload, names like the driver's and the driver's own too, and memsets are caught at
# the end.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
PROG=$TESTS/prog
[ -z "$SAN" ] || skip_all "the sanitizers' runtimes look names up in their own way"

mkdir "$TMP/handle" "$TMP/next"
# level FOLDER NUMBER ARGUMENT...
level()
{
	folder=$1
	number=$2
	shift 2
	compile_lib "$TMP/$folder/liblevel$number.so" "-DLEVEL=$number" \
		"-DNEXT=\"$TMP/$folder/liblevel$((number + 1)).so\"" \
		-Wl,-soname,"liblevel$number.so" "$PROG/chain-level.c" -ldl "$@"
}
level handle 1
level handle 2
level handle 3 -DLAST
level next 3 -DLAST
level next 2 -DSELF
level next 1 -DSELF
compile "$TMP/main" "$PROG/chain-main.c" -L"$SIM" -lcuda -ldl
# Levels that are linked: each one's next is the one behind it in the search order.
compile "$TMP/main-linked" "$PROG/chain-main.c" -Wl,--no-as-needed -L"$TMP/next" \
	-llevel1 -llevel2 -llevel3 -Wl,-rpath,"$TMP/next" -L"$SIM" -lcuda -ldl

# run FILE PRELOAD COMMAND...
run()
{
	run_file=$1
	run_preload=$2
	shift 2
	with_driver timeout 60 env LD_PRELOAD="$run_preload" \
		MEMSETSHIM_STATS="$TMP/table" "$@" >"$run_file" 2>&1
	echo "status $?" >>"$run_file"
}

run "$TMP/bare" "" "$TMP/main" "$TMP/handle/liblevel1.so"
has "$TMP/bare" '^cudnnCreate: 3$' "without the preload three levels are reached"
has "$TMP/bare" '^level 3: cuMemsetD8Async of 64$' "by the driver's name too"
has "$TMP/bare" '^1 nodes, bytes right$' "and memory is set"
run "$TMP/with" "$SHIM" "$TMP/main" "$TMP/handle/liblevel1.so"
same "$TMP/with" "$TMP/bare" "the same with it"
has "$TMP/table" ' 1  memsets in graphs? became' "and the memset at the end is a fill"

rm -f "$TMP/table"
run "$TMP/bare" "" "$TMP/main-linked"
has "$TMP/bare" '^cuChainCreate: 3$' "linked levels: three are reached by RTLD_NEXT"
run "$TMP/with" "$SHIM" "$TMP/main-linked"
# A preload comes first in that order: by a name that it exports, it is what is found.
for arm in bare with; do
	grep -v '^level .*: cuMemsetD8Async of' "$TMP/$arm" >"$TMP/$arm.others"
done
same "$TMP/with.others" "$TMP/bare.others" "the same with it, for all names but one"
is "$(count "$TMP/with" 'cuMemsetD8Async of')" 0 "whose hook comes before the levels"
has "$TMP/with" '^1 nodes, bytes right$' "and sets the memory"
done_testing
