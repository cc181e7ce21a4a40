#!/bin/sh
# SPDX-License-Identifier: MIT
# cuBLAS's float64 split-K GEMM: its memset nodes are gone, its product is the same.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
[ -x "$B/gpu/cublas" ] || skip_all "$B/gpu/cublas was not built"

json=$RESULTS/cublas.json
rm -f "$json" "$RESULTS/cublas.stats"
adopt env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$RESULTS/cublas.stats" \
	"$B/gpu/cublas" "$(find_lib cublas)" "$json"
worst=$(sed -n 's/.*"worst_ratio": \([0-9.]*\).*/\1/p' "$json" 2>/dev/null)
if [ "$worst" != 0.0000 ]; then
	bar "cublas split-K, worst shape, shim / native" "${worst:-none}" 1.02
fi
done_testing
