#!/bin/sh
# SPDX-License-Identifier: MIT
# The library together with NVIDIA's and PyTorch's tools: compute-sanitizer's memcheck and
# racecheck over the tests, Nsight Compute, torch.profiler.  Each tool finds no fault in
# the fills, and the program under it works.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
LIMIT=${TOOL_LIMIT:-100}
PATH=$PATH:$CUDA/bin:$CUDA/compute-sanitizer

# under NAME COMMAND...: the tool's status; what it wrote is in $RESULTS/tools-NAME.log
under()
{
	name=$1
	shift
	env LD_PRELOAD="$SHIM" timeout -k 5 "$LIMIT" "$@" >"$RESULTS/tools-$name.log" 2>&1
}

# checked TOOL TEST
checked()
{
	if [ ! -x "$B/tests/$2" ]; then
		skip "$2 was not built"
		return
	fi
	under "$1-$2" compute-sanitizer --tool "$1" --error-exitcode 99 \
		--report-api-errors no --target-processes application-only "$B/tests/$2"
	status=$?
	log=$RESULTS/tools-$1-$2.log
	if [ "$status" -eq 124 ]; then
		skip "$1 on $2 took more than $LIMIT s"
		return
	fi
	is "$status" 0 "$2 passes under $1"
	grep -qE '(ERROR|RACECHECK) SUMMARY: 0 (errors|hazards)' "$log"
	ok $? "$1 finds nothing in $2"
	[ "$status" -eq 0 ] || diag_file "$log" 20
}

if command -v compute-sanitizer >/dev/null; then
	for test in drv-kinds drv-overlap drv-streams drv-graph-memory drv-nodes; do
		checked memcheck "$test"
	done
	for test in drv-kinds drv-overlap; do
		checked racecheck "$test"
	done
else
	skip "no compute-sanitizer"
fi

if command -v ncu >/dev/null; then
	under ncu ncu --graph-profiling node --kernel-name-base function \
		--kernel-name regex:memsetshim_fill --launch-count 3 --section LaunchStats \
		"$B/tests/drv-overlap"
	status=$?
	if grep -q 'ERR_NVGPUCTRPERM\|No kernels were profiled' "$RESULTS/tools-ncu.log"; then
		skip "ncu: $(grep -om1 'ERR_NVGPUCTRPERM\|No kernels were profiled' \
			"$RESULTS/tools-ncu.log")"
	else
		is "$status" 0 "drv-overlap passes under ncu"
		grep -q memsetshim_fill "$RESULTS/tools-ncu.log"
		ok $? "ncu shows fills"
	fi
else
	skip "no ncu"
fi

if "$PYTHON" -c 'import torch' 2>/dev/null; then
	under profiler "$PYTHON" "$(dirname "$0")/profiler.py"
	is $? 0 "a program under torch.profiler"
	grep -q '^fills [1-9]' "$RESULTS/tools-profiler.log"
	ok $? "which shows fills: $(grep '^fills' "$RESULTS/tools-profiler.log")"
else
	skip "no PyTorch"
fi
done_testing
