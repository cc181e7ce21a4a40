#!/bin/sh
# SPDX-License-Identifier: MIT
# Each environment variable does what its help says, a value that makes no sense costs
# one line on stderr, and stdout is the program's own whatever is set.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
need_cc

compile "$TMP/capture" "$TESTS/prog/capture.c" -L"$SIM" -lcuda

# run VARIABLE=VALUE... -- SIZE...: into $TMP/out and $TMP/err
run()
{
	preloaded "$PRELOAD" "$SIM_PATH" "$@" >"$TMP/out" 2>"$TMP/err" ||
		{ diag "exit status $?" && diag_file "$TMP/out"; }
}

# nodes MEMSETS KERNELS WHAT: all that the program said
nodes()
{
	printf 'memset %s kernel %s\nbytes right\n' "$1" "$2" >"$TMP/nodes"
	same "$TMP/out" "$TMP/nodes" "$3"
}

quiet()
{
	is "$(cat "$TMP/err")" "" "$1: nothing is printed"
}

preloaded "$RUNTIME" "$SIM_PATH" "$TMP/capture" 1 4096 5000 >"$TMP/out" 2>&1
nodes 3 0 "without the library: memset nodes"
run "$TMP/capture" 1 4096 5000
nodes 0 3 "with it: kernel nodes"
quiet "with it"

run MEMSETSHIM=0 "$TMP/capture" 1 4096 5000
nodes 3 0 "MEMSETSHIM=0: memset nodes"
quiet "MEMSETSHIM=0"
run MEMSETSHIM=1 "$TMP/capture" 1 4096 5000
nodes 0 3 "MEMSETSHIM=1: kernel nodes"

run MEMSETSHIM_MAX_BYTES=4K "$TMP/capture" 4095 4096 4097
nodes 1 2 "MEMSETSHIM_MAX_BYTES=4K: 4096 bytes are in, 4097 are not"
quiet "MEMSETSHIM_MAX_BYTES=4K"
run MEMSETSHIM_MAX_BYTES=0 "$TMP/capture" 1 4096
nodes 2 0 "MEMSETSHIM_MAX_BYTES=0: memset nodes"
run MEMSETSHIM_MAX_BYTES=18446744073709551615 "$TMP/capture" 1 100000
nodes 0 2 "MEMSETSHIM_MAX_BYTES=18446744073709551615: kernel nodes"

# bad VARIABLE=VALUE: one warning that names both; the default is used
bad()
{
	run "$1" "$TMP/capture" 1 5000
	nodes 0 2 "'$1': the default, stdout unchanged"
	is "$(lines "$TMP/err")" 1 "'$1': one line on stderr"
	has "$TMP/err" "^memsetshim\\[[0-9]+\\]: warning: .*${1%%=*}" \
		"'$1': a warning that names the variable"
}
bad MEMSETSHIM=yes
bad MEMSETSHIM=
bad MEMSETSHIM_MAX_BYTES=4KB
bad MEMSETSHIM_MAX_BYTES=-1
bad MEMSETSHIM_LOG=loud
bad MEMSETSHIM_LOG_FILE=
bad MEMSETSHIM_STATS=
bad MEMSETSHIM_FOO=1
bad MEMSETSHIM_NO=

run MEMSETSHIM_FOO=1 MEMSETSHIM_BAR=2 MEMSETSHIM=x MEMSETSHIM_MAX_BYTES=x \
	"$TMP/capture" 1
is "$(lines "$TMP/err")" 4 "four mistakes: four lines"

run MEMSETSHIM_LOG=off MEMSETSHIM=x MEMSETSHIM_FOO=1 MEMSETSHIM_MAX_BYTES=x \
	"$TMP/capture" 1
quiet "MEMSETSHIM_LOG=off, and mistakes"
run MEMSETSHIM_LOG=error MEMSETSHIM=x MEMSETSHIM_FOO=1 "$TMP/capture" 1
quiet "MEMSETSHIM_LOG=error, and mistakes"
run MEMSETSHIM_LOG=warn "$TMP/capture" 1
quiet "MEMSETSHIM_LOG=warn, and none"
run MEMSETSHIM_LOG=info "$TMP/capture" 1
has "$TMP/err" '\]: info: memsetshim [0-9.]+ .*loaded, on$' \
	"MEMSETSHIM_LOG=info: the library says that it is there"
run MEMSETSHIM_LOG=info MEMSETSHIM=0 "$TMP/capture" 1
has "$TMP/err" 'loaded, off$' "MEMSETSHIM_LOG=info MEMSETSHIM=0: and that it is off"

run MEMSETSHIM_LOG=trace "$TMP/capture" 1 4096 5000
nodes 0 3 "MEMSETSHIM_LOG=trace: stdout unchanged"
is "$(count "$TMP/err" '\]: trace: captured memset of [0-9]+ bytes at 0x[0-9a-f]+: ')" 3 \
	"MEMSETSHIM_LOG=trace: a line for each captured memset"
has "$TMP/err" 'captured memset of 5000 bytes .*: substituted$' \
	"MEMSETSHIM_LOG=trace: with its size and its fate"
run MEMSETSHIM_LOG=trace MEMSETSHIM_MAX_BYTES=4K "$TMP/capture" 5000
has "$TMP/err" 'memset of 5000 bytes .*: larger than MEMSETSHIM_MAX_BYTES$' \
	"MEMSETSHIM_LOG=trace: or why it was left alone"

run MEMSETSHIM_LOG=trace MEMSETSHIM_LOG_FILE="$TMP/log.%p" "$TMP/capture" 1 2
quiet "MEMSETSHIM_LOG_FILE"
set -- "$TMP"/log.*
[ $# -eq 1 ] && echo "${1##*.}" | grep -Eq '^[0-9]+$'
ok $? "MEMSETSHIM_LOG_FILE with %p: one file, named by a process"
is "$(count "$1" "^memsetshim\\[${1##*.}\\]: trace: captured")" 2 \
	"MEMSETSHIM_LOG_FILE: the lines are there, of that process"
run MEMSETSHIM_LOG=trace MEMSETSHIM_LOG_FILE="$TMP/no/log" "$TMP/capture" 1 2
is "$(count "$TMP/err" 'trace: captured')" 2 \
	"MEMSETSHIM_LOG_FILE that cannot be opened: the lines go to stderr"
done_testing
