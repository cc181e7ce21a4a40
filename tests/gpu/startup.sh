#!/bin/sh
# SPDX-License-Identifier: MIT
# Preloading the shim adds less than a millisecond to a process that has no CUDA.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
ROUNDS=${STARTUP_ROUNDS:-300}

[ -n "$SHIM" ] || skip_all "no $B/libmemsetshim.so"
[ -x "$B/gpu/startup" ] || skip_all "$B/gpu/startup was not built"
result=$("$B/gpu/startup" "$SHIM" "$ROUNDS")
ok $? "/bin/true ran $ROUNDS times bare and preloaded"
read -r _ bare _ preloaded <<END
$result
END
added=$(awk -v a="${preloaded:-none}" -v b="${bare:-none}" \
	'BEGIN { if (b + 0 > 0) printf "%.1f\n", a - b; else print "none" }')
diag "medians: bare ${bare:-none} us, preloaded ${preloaded:-none} us"
bar "start of a process without CUDA, added us" "$added" 1000
[ -n "${bare:-}" ] &&
	printf '{"rounds": %s, "bare_us": %s, "preloaded_us": %s, "added_us": %s}\n' \
		"$ROUNDS" "$bare" "$preloaded" "$added" >"$RESULTS/startup.json"
done_testing
