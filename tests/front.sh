#!/bin/sh
# SPDX-License-Identifier: MIT
# A libcuda that is a front for another library, in which it looks up its own names, gets
# that library's functions, and memsets through it are caught once.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
need_cc
PROG=$TESTS/prog
[ -z "$SAN" ] || skip_all "the sanitizers' runtimes look names up in their own way"

mkdir "$TMP/lib"
compile_lib "$TMP/lib/libbehind.so" "$B"/tests/sim/*.o "$B/tests/fill_host.o" \
	"$B/shim/plan.o" -Wl,-soname,libbehind.so -pthread
# What the front lacks is the other library's.
compile_lib "$TMP/lib/libcuda.so.1" "$PROG/front-driver.c" -Wl,-soname,libcuda.so.1 \
	-Wl,--no-as-needed "$TMP/lib/libbehind.so" -ldl
compile "$TMP/capture" "$PROG/capture.c" -L"$SIM" -lcuda

# run PRELOAD
run()
{
	env LD_LIBRARY_PATH="$TMP/lib" LD_PRELOAD="$1" MEMSETSHIM_STATS="$TMP/table" \
		timeout 60 "$TMP/capture" 1 4096 5000 >"$TMP/out" 2>"$TMP/err"
	is $? 0 "${1:+with the library: }it ends well"
	has "$TMP/out" '^bytes right$' "and the bytes are right"
}
run ""
run "$SHIM"
has "$TMP/table" ': 1 capture$' "one capture is seen once"
has "$TMP/table" ' 3  memsets in graphs became fill kernels' "and three memsets"
done_testing
