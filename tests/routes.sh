#!/bin/sh
# SPDX-License-Identifier: MIT
# Whichever way a program comes by the driver's functions, its captured memsets become
# kernel nodes with the library preloaded, and are memset nodes without.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
need_cc

PROG=$TESTS/prog
for kind in memset kernel; do
	for name in D8 D16 D32 D2D8 D2D16 D2D32; do
		echo "$name: $kind, bytes right"
	done >"$TMP/$kind"
done

# program NAME ARGUMENT...: a program that links no libcuda
program()
{
	name=$1
	shift
	compile "$TMP/$name" "$PROG/$name.c" "$PROG/route.c" -ldl "$@"
}

# route WHAT EXPECTED [NAME=VALUE] PROGRAM...: EXPECTED is the kind of node that the preload makes
route()
{
	what=$1
	expected=$2
	shift 2
	preloaded "$RUNTIME" "$SIM_PATH" "$@" >"$TMP/bare" 2>&1
	same "$TMP/bare" "$TMP/memset" "$what, without it: memset nodes"
	preloaded "$PRELOAD" "$SIM_PATH" "$@" >"$TMP/with" 2>&1
	same "$TMP/with" "$TMP/$expected" "$what, with it: $expected nodes"
}

LINK="-L$SIM -lcuda"
# shellcheck disable=SC2086 # two words
{
	program route-linked $LINK
	compile "$TMP/linked-ptds" -DCUDA_API_PER_THREAD_DEFAULT_STREAM \
		"$PROG/route-linked.c" "$PROG/route.c" -ldl $LINK
	compile_lib "$TMP/plugin.so" -DROUTE_PLUGIN "$PROG/route-linked.c" \
		"$PROG/route.c" -ldl $LINK
}
compile_lib "$TMP/plugin-unlinked.so" -DROUTE_PLUGIN "$PROG/route-linked.c" \
	"$PROG/route.c" -ldl
compile_lib "$TMP/libearly.so" -DROUTE_LIBRARY "$PROG/route-early.c" "$PROG/route.c" -ldl
compile "$TMP/early-main" "$PROG/route-early-main.c" -L"$TMP" -learly -Wl,-rpath,"$TMP"
for name in handle default proc proc-v2 recursive plugin early; do
	program "route-$name"
done

route "linked" kernel "$TMP/route-linked"
route "linked, per-thread default stream" kernel "$TMP/linked-ptds"
route "bound at start" kernel LD_BIND_NOW=1 "$TMP/route-linked"
route "dlopen and dlsym" kernel "$TMP/route-handle"
route "dlopen by an absolute path" kernel "$TMP/route-handle" "$SIM/libcuda.so.1"
route "dlopen by its other name" kernel "$TMP/route-handle" libcuda.so
route "dlsym(RTLD_DEFAULT)" kernel "$TMP/route-default"
route "dlsym in the program's own handle" kernel "$TMP/route-default" self
route "cuGetProcAddress" kernel "$TMP/route-proc"
route "cuGetProcAddress_v2" kernel "$TMP/route-proc-v2"
route "cuGetProcAddress_v2, per-thread default stream" kernel "$TMP/route-proc-v2" ptds
route "cuGetProcAddress of cuGetProcAddress" kernel "$TMP/route-recursive"
route "a plugin that links libcuda" kernel "$TMP/route-plugin" "$TMP/plugin.so"
route "a plugin that finds libcuda loaded" kernel "$TMP/route-plugin" \
	"$TMP/plugin-unlinked.so" global
route "a static constructor" kernel "$TMP/route-early"
route "a library's static constructor" kernel "$TMP/early-main"
case $SAN in
*address* | *thread*)
	skip "another dlsym interposer: the sanitizers' runtimes do not survive one"
	;;
*)
	compile_lib "$TMP/interposer.so" "-DBASELINE=\"$(glibc_baseline)\"" \
		"$PROG/next-interposer.c" -ldl
	shim_alone=$PRELOAD
	PRELOAD="$shim_alone $TMP/interposer.so"
	route "another dlsym interposer behind it" kernel "$TMP/route-handle"
	# It asks glibc for glibc's dlsym, past ours: the program gets the driver.
	PRELOAD="$TMP/interposer.so $shim_alone"
	route "another dlsym interposer before it" memset "$TMP/route-handle"
	PRELOAD=$shim_alone
	;;
esac
case $SAN in
*address* | *thread*) skip "RTLD_DEEPBIND: the sanitizers refuse it" ;;
*)
	# Out of reach, as docs/semantics.md says; the bytes are right nevertheless.
	route "a plugin opened RTLD_DEEPBIND" memset "$TMP/route-plugin" \
		"$TMP/plugin.so" deep
	;;
esac
done_testing
