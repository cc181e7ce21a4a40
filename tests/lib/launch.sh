# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# launch.sh - a place where memsetshim is installed, for its tests.  Sourced after tap.sh.
#
# $TREE/bin/memsetshim is the command that was built, with two libraries in $TREE/lib
# that do nothing: no CUDA is needed.  $M runs it.

# plain_lib OUTPUT [ARGUMENT...]: a library to preload into anything, so without sanitizer
plain_lib()
{
	plain_lib_out=$1
	shift
	$CC -shared -fPIC -D_GNU_SOURCE "$@" -o "$plain_lib_out" "$TESTS/prog/launch-lib.c" ||
		bail "$CC cannot build $plain_lib_out"
}

need_command()
{
	[ -x "$B/memsetshim" ] || skip_all "no $B/memsetshim"
	"$B/memsetshim" help >/dev/null 2>&1 || skip_all "$B/memsetshim does not run here"
	need_cc
	TMP=$(realpath -e "$TMP") || bail "no $TMP"
	TREE=$TMP/tree
	mkdir -p "$TREE/bin" "$TREE/lib"
	cp "$B/memsetshim" "$TREE/bin"
	plain_lib "$TREE/lib/libmemsetshim.so"
	cp "$TREE/lib/libmemsetshim.so" "$TREE/lib/libgapcount.so"
	M=$TREE/bin/memsetshim
	LIB=$TREE/lib/libmemsetshim.so
	COUNTER=$TREE/lib/libgapcount.so
	for name in $(env | sed -n 's/^\(GAPCOUNT_[A-Z_]*\)=.*/\1/p') CUDA_INJECTION64_PATH \
		NVTX_INJECTION64_PATH; do
		unset "$name"
	done
}

# get COMMAND...: its stdout into $TMP/out, its stderr into $TMP/err, its status in $status
get()
{
	timeout 60 "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}

# clean WHAT: it succeeded and said nothing on stderr
clean()
{
	is "$status" 0 "$1: status 0"
	is "$(cat "$TMP/err")" "" "$1: nothing on stderr"
}

# refused STATUS PATTERN WHAT: that status, and a line of stderr that matches; no stdout
refused()
{
	is "$status" "$1" "$3: status $1"
	has "$TMP/err" "$2" "$3: says so"
	is "$(cat "$TMP/out")" "" "$3: stdout is untouched"
}

# How a command ends: "exit 3" or "signal 15"
ending()
{
	perl -e 'system { $ARGV[0] } @ARGV; print $? & 127 ? "signal " . ($? & 127) :
		"exit " . ($? >> 8), "\n"' "$@" 2>/dev/null
}
