#!/bin/sh
# SPDX-License-Identifier: MIT
# The gap counter's manual page says of variables and defaults what the counter's own table
# says.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

LIBRARY=$(realpath -e "$B/libgapcount.so" 2>/dev/null) ||
	skip_all "no $B/libgapcount.so"
[ -z "$SAN" ] || skip_all "with a sanitizer the library cannot be run"
MAN=$TESTS/../docs/gapcount.7

"$LIBRARY" >"$TMP/about" 2>&1
is $? 0 "the library can be run"
has "$TMP/about" '^gapcount [0-9.]+, build ' "it says what it is"
grep '^GAPCOUNT_[A-Z_]*	' "$TMP/about" >"$TMP/variables"
[ "$(lines "$TMP/variables")" -ge 8 ]
ok $? "it lists $(lines "$TMP/variables") variables"

# .It Ev NAME, words up to a full stop, and later: The default is / .Cm DEFAULT .
awk '
	/^\.Sh / { inside = $2 == "ENVIRONMENT" }
	inside && /^\.It Ev / { name = $3; meaning = ""; next }
	inside && name && !meaning { meaning = $0 }
	inside && wanted { sub(/^\.Cm /, ""); sub(/ \.$/, "")
		sub(/\.$/, "", meaning); print name "\t" $0 "\t" meaning; name = "" }
	{ wanted = inside && /The default is$/ }' "$MAN" >"$TMP/man"
same "$TMP/man" "$TMP/variables" "man page: the same variables, defaults and words"

cut -f 1 "$TMP/variables" | sort >"$TMP/names"
for file in README.md docs/memsetshim.1 docs/gapcount.7 docs/design.md tools/README.md; do
	grep -oE '\bGAPCOUNT_[A-Z_]+\b' "$TESTS/../$file" | sort -u >"$TMP/used"
	is "$(comm -13 "$TMP/names" "$TMP/used" | tr '\n' ' ')" "" "$file names no other"
done

if command -v mandoc >/dev/null; then
	is "$(mandoc -T lint -W warning "$MAN" 2>&1)" "" "mandoc has nothing to say"
else
	skip "no mandoc"
fi
done_testing
