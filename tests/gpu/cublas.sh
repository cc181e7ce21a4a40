#!/bin/sh
# SPDX-License-Identifier: MIT
# cuBLAS's float64 split-K GEMM: its memset nodes are gone, its product is the same.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
[ -x "$B/gpu/cublas" ] || skip_all "$B/gpu/cublas was not built"

# The toolkit's, else the one that PyTorch brought.
find_cublas()
{
	for path in "$CUDA"/lib64 "$CUDA"/targets/*/lib "$CUDA"/lib \
		$("$PYTHON" -c 'import sys
for p in sys.path: print(p + "/nvidia/cu13/lib", p + "/nvidia/cublas/lib")'); do
		for version in 13 12; do
			if [ -e "$path/libcublas.so.$version" ]; then
				realpath "$path/libcublas.so.$version"
				return
			fi
		done
	done
	echo libcublas.so.13
}

json=$RESULTS/cublas.json
rm -f "$json" "$RESULTS/cublas.stats"
cublas=$(find_cublas 2>/dev/null)
adopt env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$RESULTS/cublas.stats" \
	"$B/gpu/cublas" "$cublas" "$json"
worst=$(sed -n 's/.*"worst_ratio": \([0-9.]*\).*/\1/p' "$json" 2>/dev/null)
if [ "$worst" != 0.0000 ]; then
	bar "cublas split-K, worst shape, shim / native" "${worst:-none}" 1.02
fi
done_testing
