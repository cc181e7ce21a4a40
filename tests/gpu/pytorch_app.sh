#!/bin/sh
# SPDX-License-Identifier: MIT
# Real captured work of PyTorch, cuDNN and cuBLAS: no memset node is left, the outputs
# are the native ones.  First with both kinds of graph in one process (pytorch_app.py);
# then in two processes, one bare and one preloaded and otherwise untouched, with an
# outside witness to count the nodes.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
command -v "$PYTHON" >/dev/null || skip_all "no $PYTHON"
app=$(dirname "$0")/pytorch_app.py

rm -f "$RESULTS/pytorch_app.stats" "$RESULTS/pytorch_app.json"
adopt env LD_PRELOAD="$SHIM" MEMSETSHIM_STATS="$RESULTS/pytorch_app.stats" \
	"$PYTHON" "$app"
diag_file "$RESULTS/pytorch_app.stats" 60

if [ -z "$WITNESS_LIB" ]; then
	skip "the witness was not built"
	done_testing
fi
witnessed "$WORK/bare.witness" "$PYTHON" "$app" --once "$WORK/bare"
is "$?" 0 "runs bare, as the witness watches"
witnessed "$WORK/shim.witness" env LD_PRELOAD="$SHIM" \
	"$PYTHON" "$app" --once "$WORK/shim"
is "$?" 0 "runs preloaded, as the witness watches"

# The allocator that makes memory nodes: most memsets are of memory of the graph's own.
rm -f "$RESULTS/pytorch_async.stats"
witnessed "$WORK/async.witness" env LD_PRELOAD="$SHIM" \
	PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync \
	MEMSETSHIM_STATS="$RESULTS/pytorch_async.stats" \
	"$PYTHON" "$app" --once "$WORK/async"
is "$?" 0 "runs preloaded with backend:cudaMallocAsync"
diag_file "$RESULTS/pytorch_async.stats" 30
cp "$WORK/async.witness" "$RESULTS/pytorch_async.witness"
if grep -q unavailable "$WORK/async.witness"; then
	skip "the witness cannot watch here"
else
	[ "$(witness_count "$WORK/async.witness" fill)" -ge 1 ] 2>/dev/null
	ok $? "with fills ($(grep -c . "$WORK/async") workloads)"
	is "$(witness_count "$WORK/async.witness" memset)" 0 "and no memset node"
fi

# Two processes: only what gives the same bits each time can be compared.
join "$WORK/bare" "$WORK/shim" 2>/dev/null |
	awk '$2 != "varies" && $3 != "varies" && $2 != "uncaptured"' >"$WORK/stable"
[ -s "$WORK/stable" ] && awk '$2 != $3 { bad = 1 } END { exit bad }' "$WORK/stable"
ok $? "$(wc -l <"$WORK/stable") workloads give the same bits in a bare process"
awk '$2 != $3 { print "# other bits: " $1 }' "$WORK/stable"
cat "$WORK/bare.witness" "$WORK/shim.witness" >"$RESULTS/pytorch_app.witness"
diag_file "$RESULTS/pytorch_app.witness"
if grep -q unavailable "$RESULTS/pytorch_app.witness"; then
	skip "the witness cannot watch here"
else
	[ "$(witness_count "$WORK/bare.witness" memset)" -ge 1 ] 2>/dev/null
	ok $? "the witness sees memset nodes in the bare process"
	is "$(witness_count "$WORK/shim.witness" memset)" 0 "and none in the preloaded one"
	is "$(witness_count "$WORK/shim.witness" fill)" \
		"$(witness_count "$WORK/bare.witness" memset)" "as many fills instead"
fi
done_testing
