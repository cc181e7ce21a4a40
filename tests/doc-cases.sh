#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/cases.md names a test that exists, or a reason, for each case that it counts.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

CASES=$TESTS/../docs/cases.md
[ -f "$CASES" ] || bail "no $CASES"

# rows: number, report, demand, tests; between bars
grep -E '^\| [0-9]+ \|' "$CASES" >"$TMP/rows"
[ "$(lines "$TMP/rows")" -ge 60 ]
ok $? "$(lines "$TMP/rows") cases"
is "$(cut -d '|' -f 2 "$TMP/rows" | sort -n | uniq -d)" "" "no number is there twice"
is "$(awk -F'|' 'NF != 6' "$TMP/rows")" "" "each has four cells"

# Whoever has no report has no number to hold either.
awk -F'|' '$3 ~ /[a-z]/' "$TMP/rows" >"$TMP/cases"
is "$(awk -F'|' '$5 !~ /\*[a-z0-9\/-]+(\.sh)?\*/ && $5 !~ /[a-z] [a-z]+ [a-z]/' "$TMP/cases")" \
	"" "each report has a test or a reason"
cut -d '|' -f 3 "$TMP/cases" | tr ',' '\n' | sed 's/^ *//; s/ *$//' |
	grep -vE '^[A-Za-z0-9-]+/[A-Za-z0-9_.-]+/((issues|pull)/[0-9]+|commit/[0-9a-f]{7,40})$' \
		>"$TMP/odd"
is "$(cat "$TMP/odd")" "" "each report is an issue, a pull request or a commit"

cut -d '|' -f 5 "$TMP/rows" | grep -oE '\*[a-z0-9/-]+(\.sh)?\*' | tr -d '*' | sort -u \
	>"$TMP/tests"
[ "$(lines "$TMP/tests")" -ge 40 ]
ok $? "$(lines "$TMP/tests") tests are named"
while read -r name; do
	[ -e "$TESTS/$name" ] || [ -e "$TESTS/$name.c" ] ||
		[ "$name" = drv-search ] || # from the folder search/
		echo "$name"
done <"$TMP/tests" >"$TMP/missing"
is "$(cat "$TMP/missing")" "" "each of them is in tests/"
done_testing
