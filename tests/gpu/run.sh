#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - all that needs a GPU in one call: build, check-gpu, bench-gpu, a table.
#
#     [OUTDIR=dir] sh tests/gpu/run.sh        (or: make gpu-bundle OUTDIR=dir)
#
# Goes on when a step fails or is not there.  Everything is kept in $B/results; OUTDIR
# gets four files of it: summary.txt, results.json, run.log and logs.tar.gz, brought up
# to date after each step.  Stops by itself after RUN_LIMIT seconds.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
RESULTS=$(pwd)/$B/results
case $B in /*) RESULTS=$B/results ;; esac
OUTDIR=${OUTDIR:-}
PYTHON=${PYTHON:-python3}
export B RESULTS PYTHON
BEGUN=$(date +%s)
RUN_LIMIT=${RUN_LIMIT:-540}

rm -rf "$RESULTS"
mkdir -p "$RESULTS"

elapsed()
{
	echo $(($(date +%s) - BEGUN))
}

say()
{
	echo "== [$(elapsed) s] $*" | tee -a "$RESULTS/run.log"
}

machine()
{
	nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null ||
		echo "no nvidia-smi"
	"${NVCC:-nvcc}" --version 2>/dev/null | sed -n 's/^Cuda comp/&/p'
	"${CC:-gcc}" --version | head -1
	ldd --version 2>/dev/null | head -1
	uname -srm
	git describe --always --dirty 2>/dev/null || cat "$B/git-id" 2>/dev/null
}

# step NAME SECONDS COMMAND...: its output is shown and kept, its status is a line
step()
{
	name=$1
	left=$((RUN_LIMIT - $(elapsed)))
	limit=$(($2 < left ? $2 : left))
	shift 2
	if [ "$limit" -lt 5 ]; then
		say "$name: no time left"
		printf '%s\tno time left\t0\n' "$name" >>"$RESULTS/steps.tsv"
		return
	fi
	say "$name: at most $limit s"
	start=$(elapsed)
	{
		timeout -k 10 "$limit" "$@" 2>&1
		echo $? >"$RESULTS/step.rc"
	} | tee "$RESULTS/$name.log" | tee -a "$RESULTS/run.log"
	status=$(cat "$RESULTS/step.rc")
	printf '%s\t%s\t%s\n' "$name" "$status" $(($(elapsed) - start)) \
		>>"$RESULTS/steps.tsv"
	publish
}

# {"name": contents of name.json, ...} of all the results that there are
merged_json()
{
	first=yes
	echo '{'
	for file in "$RESULTS"/*.json; do
		case $file in */results.json | *'*'*) continue ;; esac
		[ -s "$file" ] || continue
		[ "$first" = yes ] || echo ','
		first=no
		printf '"%s": ' "$(basename "$file" .json)"
		cat "$file"
	done
	echo '}'
}

# A line for each test that failed or was skipped
not_passed()
{
	sed -n 's/^{"test": "//p' "$RESULTS/check-gpu.json" 2>/dev/null |
		awk -F'"result": "|"not_ok": |"status": |"seconds": |"reason": "' '
			$2 !~ /^pass/ {
				split($1, test, "\"")
				split($2, result, "\"")
				sub(/"}.*/, "", $6)
				printf "test %s: %s (%d not ok, status %d, %d s) %s\n",
					test[1], result[1], $3, $4, $5, $6
			}'
}

summary()
{
	machine
	echo
	awk -F'\t' 'BEGIN { printf "%-62s %10s %8s\n", "bar", "value", "limit" }
		{ printf "%-62s %10s %8s  %s\n", $1, $2, $3, $4 }' \
		"$RESULTS/bars.tsv" 2>/dev/null
	echo
	not_passed
	for result in pass fail skip; do
		printf '%s %s  ' "$(grep -c "\"result\": \"$result\"" \
			"$RESULTS/check-gpu.json" 2>/dev/null)" "$result"
	done
	echo '(test files)'
	awk -F'\t' '{ printf "step %s: %s, %s s\n", $1,
		$2 == "0" ? "ok" : "FAILED (" $2 ")", $3 }' "$RESULTS/steps.tsv"
	printf 'whole run: %s s, ' "$(elapsed)"
	verdict && echo PASS || echo FAIL
}

verdict()
{
	! grep -q 'FAIL$' "$RESULTS/bars.tsv" 2>/dev/null &&
		! awk -F'\t' '$2 != "0"' "$RESULTS/steps.tsv" | grep -q .
}

publish()
{
	merged_json >"$RESULTS/results.json"
	summary >"$RESULTS/summary.txt"
	[ -n "$OUTDIR" ] || return 0
	mkdir -p "$OUTDIR"
	cp "$RESULTS/summary.txt" "$RESULTS/results.json" "$RESULTS/run.log" "$OUTDIR/"
	tar -C "$RESULTS/.." -czf "$OUTDIR/logs.tar.gz" "$(basename "$RESULTS")"
}

step build "${BUILD_LIMIT:-150}" make B="$B" -k -j"$(nproc)" all gpu-programs
# compare.sh takes minutes, and a call of its own: make compare-gpu
step check-gpu "${CHECK_LIMIT:-400}" make B="$B" RESULTS="$RESULTS" check-gpu-built \
	GPU_TESTS="${GPU_TESTS:-$(for t in cudart runtimes cublas seed pytorch pytorch_app \
		startup sanitizer tools counter; do echo "tests/gpu/$t.sh"; done)}"
if make -n B="$B" bench-gpu 2>/dev/null | grep -qv 'Nothing to be done'; then
	step bench-gpu "${BENCH_LIMIT:-150}" make B="$B" RESULTS="$RESULTS" bench-gpu
	"$PYTHON" bench/summary.py --bars "$RESULTS/bench.json" >>"$RESULTS/bars.tsv"
else
	say "bench-gpu: not there"
fi
publish
echo
cat "$RESULTS/summary.txt"
verdict
