#!/bin/sh
# SPDX-License-Identifier: MIT
# MEMSETSHIM_STATS gives, at the end of each process, a table of what became of its
# captured memsets, by the library that called for them; without it there is none.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
need_cc

PROG=$TESTS/prog
LINK="-L$SIM -lcuda -ldl"
# Whoever calls last must not vanish from the stack.
KEEP=-fno-optimize-sibling-calls

# build FOLDER CUDART: the program with a libcudart of that file name
build()
{
	mkdir "$1"
	# shellcheck disable=SC2086 # LINK is words
	{
		compile_lib "$1/$2" $KEEP "$PROG/stats-cudart.c" -Wl,-soname,"$2" $LINK
		compile_lib "$1/libalpha.so" $KEEP "$PROG/stats-alpha.c" $LINK
		compile_lib "$1/libbeta.so" $KEEP "$PROG/stats-beta.c" "$1/$2" \
			-Wl,-rpath,"$1"
		compile "$1/main" $KEEP "$PROG/stats-main.c" -L"$1" -lalpha -lbeta $LINK \
			-Wl,-rpath,"$1" -Wl,-rpath-link,"$1"
	}
}

# run FOLDER VARIABLE=VALUE... -- ARGUMENT...: into $TMP/out and $TMP/err
run()
{
	run_main=$1/main
	shift
	run_set=
	while [ "$1" != -- ]; do
		run_set="$run_set $1"
		shift
	done
	shift
	# shellcheck disable=SC2086 # no variable's value has spaces
	preloaded "$PRELOAD" "$SIM_PATH" $run_set "$run_main" "$@" \
		>"$TMP/out" 2>"$TMP/err"
	TAP_STATUS=$?
	[ $TAP_STATUS -eq 0 ] || { diag "exit status $TAP_STATUS" && diag_file "$TMP/out"; }
}

# row COUNT TEXT: the table has exactly this line
row()
{
	has "$TMP/err" "^memsetshim: +$1  $2\$" "$3"
}

for name in libcudart.so.13 libcudart-1a2b3c4d.so.13.0.48 libcudart.1a2b3c.so.13; do
	dir=$TMP/$name
	build "$dir" "$name"
	run "$dir" MEMSETSHIM_STATS=1 -- alpha beta alpha beta beta own
	row 6 'memsets in graphs became fill kernels, called from' "$name: six fills"
	row 2 'libalpha\.so' "$name: two called from libalpha.so"
	row 3 'libbeta\.so' "$name: three from libbeta.so, through the runtime"
	row 1 main "$name: one from the program"
	is "$(grep libcudart "$TMP/err")" "" "$name: none from it"
	row 0 'memsets in graphs were left to the driver' "$name: none was passed through"
done

dir=$TMP/libcudart.so.13
run "$dir" -- alpha zero beta
is "$(cat "$TMP/err")" "" "not asked: nothing is printed"
has "$TMP/out" '^process [0-9]+$' "not asked: the program's own output"
run "$dir" MEMSETSHIM_STATS=0 -- alpha
is "$(cat "$TMP/err")" "" "MEMSETSHIM_STATS=0: nothing is printed"

run "$dir" MEMSETSHIM_STATS=1 -- alpha zero zero host managed beyond bogus
pid=$(sed 's/process //' "$TMP/out")
has "$TMP/err" "^memsetshim: .*, process $pid \\(main\\): 7 captures\$" \
	"the first line: process, program, captures"
is "$(lines "$TMP/out")" 1 "stdout has the program's line only"
row 6 'memsets in graphs were left to the driver, called from, and why' "six passed"
row 2 'libalpha\.so: zero bytes' "zero bytes, twice"
row 1 'libalpha\.so: host memory' "host memory"
row 1 'libalpha\.so: managed memory' "managed memory"
row 1 'libalpha\.so: range leaves its allocation' "range leaves its allocation"
row 1 'libalpha\.so: address unknown to the driver' "address unknown to the driver"

run "$dir" MEMSETSHIM_STATS=1 MEMSETSHIM=0 -- alpha beta
row 0 'memsets in graphs became fill kernels' "switched off: no fill"
row 1 'libalpha\.so: switched off' "switched off: libalpha.so's"
row 1 'libbeta\.so: switched off' "switched off: libbeta.so's"
run "$dir" MEMSETSHIM_STATS=1 MEMSETSHIM_MAX_BYTES=99 -- alpha
row 1 'libalpha\.so: larger than MEMSETSHIM_MAX_BYTES' "larger than allowed"
run "$dir" MEMSETSHIM_STATS=1 --
row 0 'memsets in graphs became fill kernels' "a process of CUDA without captures: zeros"

run "$dir" MEMSETSHIM_STATS="$TMP/table" -- alpha
is "$(cat "$TMP/err")" "" "a path: nothing on stderr"
has "$TMP/table" '^memsetshim: +1  libalpha\.so$' "a path: the table is there"
run "$dir" MEMSETSHIM_STATS="$TMP/table" -- beta
is "$(count "$TMP/table" '\(main\): 1 capture$')" 2 "a path: the next process appends"
run "$dir" MEMSETSHIM_STATS="$TMP/table.%p" -- alpha
pid=$(sed 's/process //' "$TMP/out")
has "$TMP/table.$pid" "process $pid " "%p in the path is the process"

run "$dir" MEMSETSHIM_STATS="$TMP/no/table" -- alpha
row 1 'libalpha\.so' "a path that cannot be written: the table goes to stderr"
is "$(count "$TMP/err" 'warning')" 1 "a path that cannot be written: one warning"
run "$dir" MEMSETSHIM_STATS="$TMP/no/table" MEMSETSHIM_LOG=off -- alpha
row 1 'libalpha\.so' "the same with the log off"
is "$(count "$TMP/err" 'warning')" 0 "the same with the log off: no warning"

run "$dir" MEMSETSHIM_STATS="$TMP/fork.%p" -- fork alpha beta zero
cat "$TMP"/fork.* >"$TMP/err"
is "$(count "$TMP/err" ' process ')" 2 "parent and child have a table each"
grep -l '3 captures' "$TMP"/fork.* >"$TMP/child"
is "$(lines "$TMP/child")" 1 "the child counts its own captures"
run "$dir" MEMSETSHIM_STATS="$TMP/orphan.%p" -- alpha alpha zero orphan
pid=$(tail -n 1 "$TMP/out" | sed 's/process //')
has "$TMP/orphan.$pid" '^memsetshim: +2  libalpha\.so$' "the parent's two fills"
for table in "$TMP"/orphan.*; do
	[ "$table" = "$TMP/orphan.$pid" ] || cp "$table" "$TMP/err"
done
has "$TMP/err" ': 0 captures$' "a child starts at no captures"
row 0 'memsets in graphs became fill kernels' "a child starts at no fills"
row 0 'memsets in graphs were left to the driver' "a child starts at none passed"
is "$(grep alpha "$TMP/err")" "" "a child has no callers yet"
done_testing
