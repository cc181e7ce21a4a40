#!/bin/sh
# SPDX-License-Identifier: MIT
# The library exports the hooks, its own functions and dlsym, nothing else; it needs
# nothing but libc, uses no private or public dlsym, and is hardened.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
command -v readelf >/dev/null || skip_all "no readelf"

SRC=$TESTS/../shim
export LC_ALL=C

readelf -W --dyn-syms "$SHIM" | awk '$1 ~ /^[0-9]+:$/ && $4 != "SECTION"' >"$TMP/symbols"
awk '$7 == "UND" { print $8 }' "$TMP/symbols" | sort -u >"$TMP/undefined"
awk '$7 != "UND" { sub(/@.*/, "", $8); print $8 }' "$TMP/symbols" |
	sort -u >"$TMP/exported"
readelf -W -d "$SHIM" >"$TMP/dynamic"
readelf -W -l "$SHIM" >"$TMP/segments"

{
	echo dlsym
	sed -n 's/^HOOK(\([A-Za-z0-9_]*\),.*/\1/p' "$SRC/symbols.def"
	grep -o 'memsetshim_[a-z_]*(' "$SRC/memsetshim.h" | tr -d '('
} | sort -u >"$TMP/wanted"
[ "$(count "$TMP/wanted" ^cuMemset)" -ge 12 ] &&
	[ "$(count "$TMP/wanted" ^memsetshim_)" -ge 5 ]
ok $? "the tables name $(lines "$TMP/wanted") functions"
same "$TMP/exported" "$TMP/wanted" "exactly these are exported"

is "$(awk '$4 != "FUNC" && $7 != "UND" { print $4, $8 }' "$TMP/symbols")" "" \
	"no variable is exported"
# It is our own here: using it would be a call without end.
is "$(readelf -W -r "$SHIM" | grep -E ' dlsym(@| |$)')" "" "public dlsym is not used"
is "$(grep -E '@GLIBC_PRIVATE|^_dl_|^__libc_dl' "$TMP/undefined")" "" \
	"no private function of glibc is called"
is "$(grep -E '^(cu|nv)[A-Z]|^cuda' "$TMP/undefined")" "" \
	"no function of CUDA is linked"

sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$TMP/dynamic" | sort >"$TMP/needed"
if [ -n "$SAN" ]; then
	skip "NEEDED: a sanitizer's runtime is among them"
else
	is "$(grep -Ev '^(libc|libdl|libpthread)\.so\.[026]+$' "$TMP/needed")" "" \
		"only libc, libdl and libpthread are needed"
fi
has "$TMP/needed" '^libc\.so\.6$' "glibc's libc is needed"
is "$(sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' "$TMP/dynamic")" libmemsetshim.so \
	"the soname is libmemsetshim.so"
is "$(grep -E '\((RPATH|RUNPATH)\)' "$TMP/dynamic")" "" "no RPATH or RUNPATH"
is "$(grep -E 'TEXTREL' "$TMP/dynamic")" "" "no text relocations"
has "$TMP/dynamic" '\((BIND_NOW|FLAGS(_1)?)\).*NOW|\(BIND_NOW\)' "bound at load: BIND_NOW"
has "$TMP/segments" 'GNU_RELRO' "relocated data is read-only: RELRO"
has "$TMP/segments" 'GNU_STACK .* RW +0x' "the stack is not executable"
is "$(grep -E 'LOAD .* (RWE|WE)' "$TMP/segments")" "" \
	"no segment is writable and executable"

newest=$(grep -o '@GLIBC_[0-9.]*' "$TMP/undefined" | sed 's/@GLIBC_//' | sort -uV |
	tail -n 1)
[ -n "$newest" ]
ok $? "it says which glibc it needs"
diag "glibc $newest or newer: $(grep "@GLIBC_$newest" "$TMP/undefined" | tr '\n' ' ')"
done_testing
