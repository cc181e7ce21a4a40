#!/bin/sh
# SPDX-License-Identifier: MIT
# The seed's PyTorch script under the shim: see pytorch.py.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
command -v "$PYTHON" >/dev/null || skip_all "no $PYTHON"

rm -f "$RESULTS/pytorch.stats" "$RESULTS/pytorch.json"
env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$RESULTS/pytorch.stats" \
	"$PYTHON" "$(dirname "$0")/pytorch.py"
