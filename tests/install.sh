#!/bin/sh
# SPDX-License-Identifier: MIT
# make install puts its files where it is told to, never writes into a library that
# is in use, and make uninstall leaves nothing behind.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim

cd "$TESTS/.." || bail "no $TESTS/.."
# The outer make's settings reach the inner one by MAKEFLAGS: nothing is built anew.
install()
{
	make -s "$1" DESTDIR="$TMP/root" PREFIX=/opt/shim LIBDIR=/opt/shim/lib64 \
		>"$TMP/log" 2>&1
	TAP_STATUS=$?
	ok $TAP_STATUS "make $1"
	[ $TAP_STATUS -eq 0 ] || diag_file "$TMP/log"
}

# What is there: mode and path
tree()
{
	(cd "$TMP/root" && find . -type f -printf '%m %p\n' | sort -k 2)
}

LIBRARY=$TMP/root/opt/shim/lib64/libmemsetshim.so
install install
tree >"$TMP/tree"
cat >"$TMP/wanted" <<-LIST
	755 ./opt/shim/bin/memsetshim
	644 ./opt/shim/include/memsetshim.h
	755 ./opt/shim/lib64/libgapcount.so
	755 ./opt/shim/lib64/libmemsetshim.so
	644 ./opt/shim/share/bash-completion/completions/memsetshim
	644 ./opt/shim/share/man/man1/memsetshim.1
	644 ./opt/shim/share/man/man7/gapcount.7
	644 ./opt/shim/share/man/man7/memsetshim.7
LIST
same "$TMP/tree" "$TMP/wanted" "libraries, command, header, man pages, completion"
cmp -s "$LIBRARY" "$SHIM"
ok $? "the library is the one that was built"

# A running program has the old file mapped: it must stay as it is.
printf old >"$LIBRARY"
exec 3<"$LIBRARY"
install install
is "$(cat <&3)" old "installing again leaves the old file's contents alone"
exec 3<&-
cmp -s "$LIBRARY" "$SHIM"
ok $? "the new file has its name"
tree >"$TMP/tree"
same "$TMP/tree" "$TMP/wanted" "no temporary file is left"

install uninstall
is "$(tree)" "" "nothing is left"
done_testing
