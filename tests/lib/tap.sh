# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034
# tap.sh - what the script tests share: TAP, the preload, compiling.  Sourced, not run.
#
# Sets B CC CUDA SAN and TESTS (this suite's folder), SHIM and SIM (absolute paths), TMP
# (a folder that goes away at the end), PRELOAD (what LD_PRELOAD has to be), SIM_PATH
# (an assignment that puts the simulated driver in the way) and EMULATOR (what runs the
# compiled programs, empty where they are this machine's).
set -u

B=${B:-build}
CC=${CC:-cc}
CUDA=${CUDA:-/usr/local/cuda}
SAN=${SAN:-}
EMULATOR=${EMULATOR:-}
TESTS=$(dirname "$0")
SHIM=$(realpath -e "$B/libmemsetshim.so" 2>/dev/null) || SHIM=
SIM=$(realpath -e "$B/sim" 2>/dev/null) || SIM=
SIM_PATH=LD_LIBRARY_PATH=$SIM${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
TMP=$(mktemp -d) || exit 1
trap 'rm -rf "$TMP"' EXIT
trap 'exit 1' HUP INT TERM
TAP_COUNT=0
TAP_FAILED=0

# A sanitizer's runtime has to come before the library that needs it.
RUNTIME=
case $SAN in
*address*) RUNTIME=$($CC -print-file-name=libasan.so) ;;
*thread*) RUNTIME=$($CC -print-file-name=libtsan.so) ;;
esac
PRELOAD="${RUNTIME:+$RUNTIME }$SHIM"
if [ -n "$RUNTIME" ]; then
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0:verify_asan_link_order=0"
fi

# The user's own settings are not what is tested.
for name in $(env | sed -n 's/^\(MEMSETSHIM[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
unset LD_PRELOAD

# ok STATUS WHAT: a check that passed when STATUS is 0
ok()
{
	TAP_COUNT=$((TAP_COUNT + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $TAP_COUNT - $2"
	else
		TAP_FAILED=$((TAP_FAILED + 1))
		echo "not ok $TAP_COUNT - $2"
	fi
}

# is GOT WANTED WHAT: both are shown when they differ
is()
{
	[ "$1" = "$2" ]
	ok $? "$3"
	if [ "$1" != "$2" ]; then
		printf 'got: %s\nwanted: %s\n' "$1" "$2" | sed 's/^/#   /'
	fi
}

# same GOT WANTED WHAT: two files; the difference is shown
same()
{
	diff "$2" "$1" >"$TMP/tap.diff" 2>&1
	TAP_STATUS=$?
	ok $TAP_STATUS "$3"
	[ $TAP_STATUS -eq 0 ] || { diag "< wanted, > got" && diag_file "$TMP/tap.diff"; }
}

# has FILE PATTERN WHAT: a line of FILE matches the extended regular expression
has()
{
	grep -Eq -e "$2" "$1"
	TAP_STATUS=$?
	ok $TAP_STATUS "$3"
	[ $TAP_STATUS -eq 0 ] || { echo "#   no line matches: $2" && diag_file "$1"; }
}

# count FILE PATTERN: how many lines match
count()
{
	grep -Ec -e "$2" "$1" || :
}

# lines FILE: how many there are
lines()
{
	wc -l <"$1" | tr -d ' '
}

# One check that cannot be made here, and why.
skip()
{
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT # SKIP $*"
}

# The whole test cannot run here, and why.
skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

# The set-up failed.
bail()
{
	echo "Bail out! $*"
	exit 255
}

diag()
{
	echo "# $*"
}

diag_file()
{
	sed 's/^/#   /' "$1"
}

done_testing()
{
	echo "1..$TAP_COUNT"
	[ "$TAP_FAILED" -eq 0 ] && [ "$TAP_COUNT" -gt 0 ]
	exit
}

# The library under test, or there is nothing to test.
need_shim()
{
	[ -n "$SHIM" ] || skip_all "no $B/libmemsetshim.so: it needs the CUDA Toolkit"
}

need_sim()
{
	need_shim
	[ -n "$SIM" ] || skip_all "no $B/sim: the simulated driver was not built"
	[ -n "${NVCC-unknown}" ] || skip_all "built without nvcc, so without fill kernels"
}

# Either driver: the simulated one, which is also what programs are linked to, or with
# DRIVER=real this machine's.
need_driver()
{
	need_sim
	[ "${DRIVER:-sim}" = real ] || return 0
	for device in /dev/nvidia[0-9]* /dev/dxg; do
		[ ! -e "$device" ] || return 0
	done
	nvidia-smi -L >/dev/null 2>&1 || skip_all "no GPU on this machine"
}

need_cc()
{
	command -v "${CC%% *}" >/dev/null || skip_all "no C compiler ($CC)"
}

# shimmed COMMAND...: runs it with the shim preloaded
shimmed()
{
	# shellcheck disable=SC2086 # EMULATOR is a command with its arguments
	env LD_PRELOAD="$PRELOAD" $EMULATOR "$@"
}

# unshimmed COMMAND...: the same without it
unshimmed()
{
	# shellcheck disable=SC2086 # as above
	env LD_PRELOAD="$RUNTIME" $EMULATOR "$@"
}

# preloaded LIBRARIES [NAME=VALUE...] PROGRAM [ARGUMENT...]: for a minute at most.  What
# is preloaded may be no library of this machine's, so nothing else is run with it.
preloaded()
{
	preloaded_libraries=$1
	preloaded_by=$EMULATOR
	shift
	for preloaded_word; do
		shift
		case $preloaded_word in
		*=*) ;;
		*) # the program, behind the emulator's words
			# shellcheck disable=SC2086 # as above
			set -- "$@" $preloaded_by
			preloaded_by=
			;;
		esac
		set -- "$@" "$preloaded_word"
	done
	timeout 60 env LD_PRELOAD="$preloaded_libraries" "$@"
}

# with_sim COMMAND...: the simulated driver is the libcuda that it finds
with_sim()
{
	env LD_LIBRARY_PATH="$SIM${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"
}

# with_driver COMMAND...: the driver that need_driver is about is the libcuda it finds
with_driver()
{
	if [ "${DRIVER:-sim}" = real ]; then
		"$@"
	else
		with_sim "$@"
	fi
}

# The version of glibc's oldest symbols on the machine that is compiled for.
glibc_baseline()
{
	case $(${CC%% *} -dumpmachine) in
	aarch64*) echo GLIBC_2.17 ;;
	*) echo GLIBC_2.2.5 ;;
	esac
}

# compile OUTPUT ARGUMENT...: warnings are errors; ends the test when it fails
compile()
{
	compile_out=$1
	shift
	# shellcheck disable=SC2086 # CC and the sanitizer are words
	$CC -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE ${SAN:+-fsanitize=$SAN} \
		-isystem "$CUDA/include" -o "$compile_out" "$@" >"$TMP/tap.cc" 2>&1 ||
		{ diag_file "$TMP/tap.cc" && bail "$CC cannot build $compile_out"; }
}

# compile_lib OUTPUT ARGUMENT...: a shared library
compile_lib()
{
	compile_lib_out=$1
	shift
	compile "$compile_lib_out" -shared -fPIC "$@"
}
