#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents point at files that exist, headings that exist, make targets that exist,
# and tests that exist.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

cd "$TESTS/.." || bail "no $TESTS/.."
find . \( -path './build*' -o -path './.*' \) -prune -o -name '*.md' -print | sort >"$TMP/docs"
[ "$(lines "$TMP/docs")" -ge 3 ]
ok $? "$(lines "$TMP/docs") documents"

# anchors FILE: its headings as GitHub links them
anchors()
{
	sed -n 's/^#\{1,6\} //p' "$1" | tr '[:upper:]' '[:lower:]' |
		sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

while read -r doc; do
	: >"$TMP/broken"
	grep -oE '\]\([^) ]+\)' "$doc" | sed 's/^](//; s/)$//' |
		grep -vE '^[a-z]+:' >"$TMP/links"
	while read -r link; do
		file=${link%%#*}
		anchor=${link#"$file"}
		target=$doc
		[ -z "$file" ] || target=$(dirname "$doc")/$file
		if [ ! -e "$target" ]; then
			echo "$link" >>"$TMP/broken"
		elif [ -n "$anchor" ] && ! anchors "$target" | grep -Fxq -e "${anchor#?}"; then
			echo "$link" >>"$TMP/broken"
		fi
	done <"$TMP/links"
	is "$(cat "$TMP/broken")" "" "$doc: $(lines "$TMP/links") links lead somewhere"
done <"$TMP/docs"

# *drv-kinds, next.sh*: the tests that hold a sentence of the contract
grep -oE '\*[a-z0-9., -]+\*$|^[a-z0-9., -]+\*$|\*[a-z0-9-]+(, [a-z0-9.-]+)+,?$' \
	docs/semantics.md | tr -d '*' | tr ',' '\n' | sed 's/^ *//; s/ *$//' |
	grep -E '^(unit|drv|sim)-|\.sh$' | sort -u >"$TMP/named"
[ "$(lines "$TMP/named")" -ge 10 ]
ok $? "docs/semantics.md names $(lines "$TMP/named") tests"
while read -r name; do
	[ -e "tests/$name" ] || [ -e "tests/$name.c" ] ||
		[ -e "tests/${name#drv-}/main.c" ] || echo "$name"
done <"$TMP/named" >"$TMP/broken"
is "$(cat "$TMP/broken")" "" "each of them is in tests/"

# make TARGET, as a document tells its reader to type it
xargs sed -n 's/.*\(^ \{4\}\|`\)\(.* \)\{0,1\}make \([a-z][a-z-]*\).*/\3/p' <"$TMP/docs" |
	sort -u >"$TMP/named"
sed -n 's/^\([a-z-]*\):.*## .*/\1/p' Makefile tests/gpu/gpu.mk >"$TMP/targets"
is "$(grep -Fxv -f "$TMP/targets" "$TMP/named")" "" \
	"the $(lines "$TMP/named") make targets named are listed by make help"
done_testing
