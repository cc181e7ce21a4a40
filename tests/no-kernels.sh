#!/bin/sh
# SPDX-License-Identifier: MIT
# Built without nvcc the library has no kernels: it leaves every memset to the driver,
# says so once, and says so in its own listing.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
need_cc
[ -z "${NVCC-unknown}" ] || skip_all "built with nvcc: kernels are there"
[ -n "$SIM" ] || skip_all "no $B/sim: the simulated driver was not built"

compile "$TMP/capture" "$TESTS/prog/capture.c" -L"$SIM" -lcuda
preloaded "$PRELOAD" "$SIM_PATH" "$TMP/capture" 1 4096 5000 \
	>"$TMP/out" 2>"$TMP/err"
is $? 0 "the program runs"
printf 'memset 3 kernel 0\nbytes right\n' >"$TMP/nodes"
same "$TMP/out" "$TMP/nodes" "memset nodes, and the bytes are right"
is "$(count "$TMP/err" 'built without nvcc, so without fill kernels')" 1 "said once"

if [ -n "$SAN" ]; then
	skip "with a sanitizer the library cannot be run"
else
	"$SHIM" >"$TMP/about"
	has "$TMP/about" 'fill kernels: 0 bytes' "the library says it when it is run"
fi
done_testing
