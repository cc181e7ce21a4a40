#!/bin/sh
# SPDX-License-Identifier: MIT
# Whichever release a program's CUDA runtime is of, and shared or static: where there is
# no driver it says the same with the library preloaded, and all that it looks up in a
# driver comes from the library.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
need_cc
[ -s "$B/runtimes/list" ] || skip_all "no $B/runtimes: make runtimes builds it"

mkdir "$TMP/lookups"
compile_lib "$TMP/lookups/libcuda.so.1" -Wl,-soname,libcuda.so.1 \
	"$TESTS/prog/runtimes-driver.c"

# both [FOLDER]: runs the program without and with it; FOLDER is where its libcuda is
both()
{
	for with in bare shim; do
		[ "$with" = bare ] && preload=$RUNTIME || preload=$PRELOAD
		env LD_PRELOAD="$preload" ${1:+LD_LIBRARY_PATH="$1"} \
			timeout 60 "$program" >"$TMP/$with" 2>"$TMP/$with.err"
		echo "status $?" >>"$TMP/$with"
	done
}

# unchanged WHAT: what it printed, its errors and its status
unchanged()
{
	same "$TMP/shim" "$TMP/bare" "$name, $1: the same output and status"
	same "$TMP/shim.err" "$TMP/bare.err" "$name, $1: the same on stderr"
}

without_driver()
{
	both
	if grep -Eq '^driver [1-9]|^nodes|^error' "$TMP/bare"; then
		skip "$name, no driver: this machine has one; see tests/gpu/runtimes.sh"
		return
	fi
	has "$TMP/bare" '^cudaMemsetAsync.*: 35 cudaErrorInsufficientDriver' \
		"$name, no driver: a memset says so"
	unchanged "no driver"
}

# The simulation lacks half of the functions that a runtime wants before it does anything,
# and the driver's private tables, so no memset is reached: this shows no more than that
# the preload neither helps nor hurts.
simulated()
{
	both "$SIM"
	has "$TMP/bare" '^driver 13000$' "$name, simulated driver: it is found"
	unchanged "simulated driver"
}

lookups()
{
	both "$TMP/lookups"
	same "$TMP/shim" "$TMP/bare" "$name, lookups: the same output and status"
	for with in bare shim; do
		sed -n 's/^\(ask .*\) by .*/\1/p' "$TMP/$with.err" >"$TMP/$with.asked"
		grep '^hold ' "$TMP/$with.err" | sort -u >"$TMP/$with.held"
	done
	[ "$(lines "$TMP/bare.asked")" -gt 300 ]
	ok $? "$name: it looks up $(lines "$TMP/bare.asked") functions"
	same "$TMP/shim.asked" "$TMP/bare.asked" "$name: the same with the library"
	is "$(grep '^ask ' "$TMP/shim.err" | grep -vc ' by libmemsetshim\.so$')" 0 \
		"$name: and each through it"
	for function in cuMemsetD8Async cuMemsetD2D8Async cuStreamBeginCapture_v2 \
		cuStreamEndCapture; do
		printf 'hold %s of libcuda.so.1\nhold %s_ptsz of libcuda.so.1\n' \
			$function $function
	done | sort >"$TMP/needed"
	is "$(comm -23 "$TMP/needed" "$TMP/bare.held")" "" \
		"$name: without it, it holds the driver's memsets and captures"
	sed 's/libcuda\.so\.1$/libmemsetshim.so/' "$TMP/bare.held" >"$TMP/wanted"
	same "$TMP/shim.held" "$TMP/wanted" "$name: with it, the library's instead"
}

while read -r version kind reason; do
	if [ -n "$reason" ]; then
		skip "$version $kind: $reason"
		continue
	fi
	for stream in legacy ptds; do
		name="$version $kind $stream"
		program=$B/runtimes/bin/runtime-$version-$kind-$stream
		without_driver
		simulated
		lookups
	done
done <"$B/runtimes/list"
done_testing
