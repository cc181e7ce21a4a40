#!/bin/sh
# SPDX-License-Identifier: MIT
# README.md and the man page say of variables, defaults, reasons and warnings what the
# library's own tables say.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
[ -z "$SAN" ] || skip_all "with a sanitizer the library cannot be run"

ROOT=$TESTS/..
MAN=$ROOT/docs/memsetshim.7

# As the library prints it: name, default, meaning, between tabs.
"$SHIM" >"$TMP/about" 2>&1
is $? 0 "the library can be run"
grep "^MEMSETSHIM[A-Z_]*	" "$TMP/about" >"$TMP/variables"
[ "$(lines "$TMP/variables")" -ge 5 ]
ok $? "it lists $(lines "$TMP/variables") variables"

# shellcheck disable=SC2016 # the backquotes are Markdown's
# | `MEMSETSHIM` | `1` | 0 leaves every memset to the driver |
sed -n 's/^| `\(MEMSETSHIM[A-Z_]*\)` | `\(.*\)` | \(.*\) |$/\1	\2	\3/p' \
	"$ROOT/README.md" >"$TMP/readme"
same "$TMP/readme" "$TMP/variables" "README.md: the same variables, defaults and words"

# .It Ev NAME, words up to a full stop, and later: The default is / .Cm DEFAULT .
awk '
	/^\.Sh / { inside = $2 == "ENVIRONMENT" }
	inside && /^\.It Ev / { name = $3; meaning = ""; next }
	inside && name && !meaning { meaning = $0 }
	inside && wanted { sub(/^\.Cm /, ""); sub(/ \.$/, "")
		sub(/\.$/, "", meaning); print name "\t" $0 "\t" meaning; name = "" }
	{ wanted = inside && /The default is$/ }' "$MAN" >"$TMP/man"
same "$TMP/man" "$TMP/variables" "man page: the same variables, defaults and words"

# A variable that no longer exists is named nowhere.
cut -f 1 "$TMP/variables" | sort >"$TMP/names"
for file in README.md CONTRIBUTING.md docs/design.md docs/semantics.md docs/memsetshim.7 \
	bench/README.md; do
	[ -f "$ROOT/$file" ] || continue
	grep -oE '\bMEMSETSHIM[A-Z_]*\b' "$ROOT/$file" | sort -u >"$TMP/used"
	is "$(comm -13 "$TMP/names" "$TMP/used" | tr '\n' ' ')" "" "$file names no other"
done

# section NAME: the items of a list there
section()
{
	awk -v name="$1" '/^\.Sh / { inside = $2 == name }
		inside && /^\.It / { sub(/^\.It /, ""); print }' "$MAN"
}

sed -n 's/^REASON([A-Z_]*, *"\(.*\)")$/\1/p' "$ROOT/shim/reasons.def" >"$TMP/reasons"
[ "$(lines "$TMP/reasons")" -ge 10 ]
ok $? "there are $(lines "$TMP/reasons") reasons"
section STATISTICS >"$TMP/man"
same "$TMP/man" "$TMP/reasons" "man page: the same reasons, in their order"

# Each warning in the code, its strings joined; %s and the like are any words.
cat "$ROOT"/shim/*.c | tr '\n\t' '  ' | sed 's/" *"//g' |
	grep -oE 'log_(warn|once)\([^"]*"[^"]*"' | sed 's/^[^"]*"//; s/"$//' |
	sed 's/%[^ a-z]*[a-z]/%/g' >"$TMP/warnings"
[ "$(lines "$TMP/warnings")" -ge 10 ]
ok $? "there are $(lines "$TMP/warnings") warnings"
section DIAGNOSTICS | sed 's/\\f[IP]//g' >"$TMP/man"
while read -r warning; do
	pattern=$(echo "$warning" | sed 's/[][().*^$+?{}|\\]/\\&/g; s/%/.+/g')
	grep -qE "^$pattern\$" "$TMP/man"
	ok $? "man page: $warning"
done <"$TMP/warnings"
is "$(lines "$TMP/man")" "$(lines "$TMP/warnings")" "man page: no warning more"

if command -v mandoc >/dev/null; then
	is "$(mandoc -T lint -W warning "$MAN" 2>&1)" "" "mandoc has nothing to say"
else
	skip "no mandoc"
fi
done_testing
