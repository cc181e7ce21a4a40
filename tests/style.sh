#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source file says its licence, is of a size one can read, and leaves nothing to
# be done.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

cd "$TESTS/.." || bail "no $TESTS/.."
{
	find shim bench tools tests -type f \( -name '*.[chS]' -o -name '*.cu' \
		-o -name '*.def' -o -name '*.sh' -o -name '*.mk' -o -name '*.py' \)
	grep -rIl '^#!' shim bench tools tests
} | sort -u >"$TMP/files"
sed -n '/\.\([ch]\|cu\)$/p' "$TMP/files" >"$TMP/c"
[ "$(lines "$TMP/files")" -gt 50 ]
ok $? "$(lines "$TMP/files") source files"

# none FILES PATTERN WHAT: no line of the files listed in FILES matches
none()
{
	xargs grep -nE -e "$2" <"$1" >"$TMP/found" /dev/null
	is "$(head -n 20 "$TMP/found")" "" "$3"
}

while read -r file; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
done <"$TMP/files" >"$TMP/found"
is "$(cat "$TMP/found")" "" "each names its licence in its first lines"

xargs wc -l <"$TMP/files" | awk '$2 != "total" && $1 > 400' >"$TMP/found"
is "$(cat "$TMP/found")" "" "none has more than 400 lines"

# Spelled apart: this file is searched too.
none "$TMP/files" 'TO''DO|FIX''ME|(^|[^A-Za-z])X''XX([^X]|$)' "nothing is left to be done"
none "$TMP/files" '[[:blank:]]$' "no line ends in blanks"
none "$TMP/c" '^[[:space:]]*//' "comments are /* */"

# The formatter and shellcheck are `make lint`'s: their versions differ from host to host.
done_testing
