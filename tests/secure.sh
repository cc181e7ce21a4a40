#!/bin/sh
# SPDX-License-Identifier: MIT
# In a program that runs with its file's privileges (setuid, setgid, capabilities) the
# variables do nothing: no file is written because a user names one.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
need_cc
[ "$(id -u)" -eq 0 ] || skip_all "only root can make a program privileged"
command -v setpriv >/dev/null || skip_all "no setpriv"
[ -z "$SAN" ] || skip_all "sanitizers and privileged programs do not go together"

nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

chmod 755 "$TMP"
mkdir -m 755 "$TMP/lib"
mkdir -m 777 "$TMP/out"
cp "$SHIM" "$SIM/libcuda.so.1" "$TMP/lib"
compile "$TMP/plain" "$TESTS/prog/secure.c" -Wl,--no-as-needed \
	"$TMP/lib/libmemsetshim.so" "$TMP/lib/libcuda.so.1" -Wl,-rpath,"$TMP/lib"
nobody "$TMP/plain" >/dev/null 2>&1 || skip_all "another user cannot run programs here"

# run PROGRAM NAME: with all that could write a file, as a user without privileges
run()
{
	nobody env MEMSETSHIM_LOG=trace MEMSETSHIM_LOG_FILE="$TMP/out/$2.log" \
		MEMSETSHIM_STATS="$TMP/out/$2.stats" "$1" \
		>"$TMP/$2.out" 2>"$TMP/$2.err"
}

run "$TMP/plain" plain
is "$(cat "$TMP/plain.out")" plain "an ordinary program is no privileged one"
[ -s "$TMP/out/plain.log" ] && [ -s "$TMP/out/plain.stats" ]
ok $? "an ordinary program writes log and statistics"

# privileged HOW COMMAND...: a copy of the program, made privileged by COMMAND
privileged()
{
	how=$1
	shift
	cp "$TMP/plain" "$TMP/$how"
	if ! "$@" "$TMP/$how" 2>/dev/null || ! run "$TMP/$how" "$how" ||
		[ "$(cat "$TMP/$how.out")" != secure ]; then
		skip "$how: this file system or kernel does not make it privileged"
		return
	fi
	is "$(cd "$TMP/out" && echo "$how"*)" "$how*" "$how: no file is written"
	is "$(cat "$TMP/$how.err")" "" "$how: nothing is printed"
}

privileged setuid chmod u+s
privileged setgid chmod g+s
if command -v setcap >/dev/null; then
	privileged capability setcap cap_net_raw+ep
else
	skip "capability: no setcap"
fi
done_testing
