#!/bin/sh
# SPDX-License-Identifier: MIT
# Every asynchronous memset and every begin and end of capture that the installed cuda.h
# and the toolkit's stub of libcuda know is hooked, with its per-thread twin.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

HEADER=$CUDA/include/cuda.h
[ -f "$HEADER" ] || HEADER=/usr/include/cuda.h
[ -f "$HEADER" ] || skip_all "no cuda.h in $CUDA/include"
NAMES='cu(Memset[A-Za-z0-9]*Async|Stream(Begin|End)[A-Za-z]*Capture[A-Za-z]*)(_[a-z0-9]+)*'
export LC_ALL=C

sed -n 's/^HOOK(\([A-Za-z0-9_]*\),.*/\1/p' "$TESTS/../shim/symbols.def" |
	sort -u >"$TMP/hooks"
[ -s "$TMP/hooks" ] || bail "no HOOK lines found"

# all_hooked FILE WHAT: every name in FILE has its line
all_hooked()
{
	grep -Fxv -f "$TMP/hooks" "$1" >"$TMP/missing"
	is "$(cat "$TMP/missing")" "" "$2: all $(lines "$1") are hooked"
}

grep -oE "$NAMES" "$HEADER" | sed 's/_ptsz$//' | sort -u >"$TMP/base"
has "$TMP/base" '^cuMemsetD2D32Async$' "cuda.h declares memsets"
has "$TMP/base" '^cuStreamBeginCapture_v2$' "cuda.h declares captures"
sed 's/$/_ptsz/' "$TMP/base" >"$TMP/twins"
all_hooked "$TMP/base" "declared in cuda.h"
all_hooked "$TMP/twins" "their twins for the per-thread default stream"

for stub in "$CUDA/lib64/stubs/libcuda.so" "$CUDA/lib/stubs/libcuda.so"; do
	[ -f "$stub" ] && break
done
if [ -f "$stub" ] && command -v readelf >/dev/null; then
	readelf -W --dyn-syms "$stub" | awk '$7 != "UND" { sub(/@.*/, "", $8); print $8 }' |
		grep -xE "$NAMES" | sort -u >"$TMP/exported"
	has "$TMP/exported" '^cuMemsetD8Async$' "the stub of libcuda exports memsets"
	all_hooked "$TMP/exported" "exported by the stub of libcuda"
else
	skip "no stub of libcuda in $CUDA"
fi
done_testing
