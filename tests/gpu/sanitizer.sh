#!/bin/sh
# SPDX-License-Identifier: MIT
# compute-sanitizer's memcheck finds no bad access in the fills of every kind of memset.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
test=$B/tests/drv-kinds
LIMIT=${SANITIZER_LIMIT:-60}

[ -x "$test" ] || skip_all "$test was not built"
tool=$(PATH=$PATH:$CUDA/bin:$CUDA/compute-sanitizer command -v compute-sanitizer)
[ -n "$tool" ] || skip_all "no compute-sanitizer"

# memcheck NAME [VARIABLE=VALUE]: its status; what it wrote is in $WORK/NAME
memcheck()
{
	name=$1
	shift
	env "$@" timeout -k 5 "$LIMIT" "$tool" --tool memcheck --error-exitcode 99 \
		--report-api-errors no "$test" >"$WORK/$name" 2>&1
}

memcheck shim LD_PRELOAD="$SHIM"
status=$?
cp "$WORK/shim" "$RESULTS/sanitizer.log"
if grep -qi 'device not supported\|unable to launch\|No attachable process' \
	"$WORK/shim"; then
	skip_all "compute-sanitizer does not work here: $(grep -im1 \
		'not supported\|unable\|attachable' "$WORK/shim")"
fi
[ "$status" -eq 124 ] && skip_all "compute-sanitizer took more than $LIMIT s"
is "$status" 0 "drv-kinds passes under memcheck with the shim"
grep -q '^ok ' "$WORK/shim"
ok $? "and checks something"
grep -q 'ERROR SUMMARY: 0 errors' "$WORK/shim"
ok $? "memcheck finds no error"
if [ "$TAP_FAILED" -gt 0 ]; then
	diag_file "$WORK/shim" 30
	memcheck bare MEMSETSHIM=0
	diag "without the shim: $(grep -m1 'ERROR SUMMARY' "$WORK/bare")"
fi
done_testing
