#!/bin/sh
# SPDX-License-Identifier: MIT
# memsetshim selftest passes where the library works, and fails, saying what, where it
# does not.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
[ -n "$SIM" ] || skip_all "no $B/sim: the simulated driver was not built"
[ -z "$SAN" ] || skip_all "a sanitizer's runtime would have to be preloaded first"
COMMAND=$(realpath -e "$B/memsetshim" 2>/dev/null) || skip_all "no $B/memsetshim"
need_cc

# selftest COMMAND ARGUMENT...: with the simulated driver; sets STATUS
selftest()
{
	program=$1
	shift
	with_sim "$program" selftest "$@" >"$TMP/out" 2>"$TMP/err"
	STATUS=$?
}

if [ -z "${NVCC-unknown}" ]; then
	selftest "$COMMAND"
	is $STATUS 1 "built without nvcc: status 1"
	is "$(count "$TMP/out" '^FAIL nodes: a captured .* no fill kernels loaded$')" 6 \
		"no memset becomes a kernel node, and why"
	has "$TMP/out" '^SKIP bytes: no memset became a kernel node' \
		"there is nothing to compare"
	has "$TMP/out" '^PASS eager' "what works still passes"
	done_testing
fi

selftest "$COMMAND"
is $STATUS 0 "on the simulated driver: status 0"
is "$(count "$TMP/out" '^FAIL')" 0 "nothing fails"
has "$TMP/out" '^PASS preload: libmemsetshim\.so [0-9.]+ is loaded$' "the library is there"
is "$(count "$TMP/out" '^PASS way in: .* gives all 6 functions$')" 6 "six ways in"
has "$TMP/out" '^PASS nodes: each of 6 captured memsets is one kernel node' "kernel nodes"
has "$TMP/out" '^PASS nodes: switched off, each is one memset node' "memset nodes"
has "$TMP/out" '^PASS bytes: 160 memsets write' "bytes"
has "$TMP/out" '^PASS eager' "eager memsets"
has "$TMP/out" '^PASS host memory' "host memory"
has "$TMP/out" '^PASS update' "update of a graph"
has "$TMP/out" '^SKIP speed: this is the simulated driver' "no speed is made up"
is "$(tail -n 1 "$TMP/out")" "13 passed, 0 failed, 1 skipped" "the sum"
is "$(cat "$TMP/err")" "" "nothing on stderr"

MEMSETSHIM=0 MEMSETSHIM_MAX_BYTES=1 selftest "$COMMAND" --no-speed
is $STATUS 0 "the user's settings are not what is tested"
is "$(cat "$TMP/err")" \
	"memsetshim: selftest: your settings are ignored here: MEMSETSHIM MEMSETSHIM_MAX_BYTES" \
	"which is said"
is "$(count "$TMP/out" '^SKIP')" 0 "--no-speed"
LD_PRELOAD=$SHIM selftest "$COMMAND" --no-speed
is $STATUS 0 "preloaded already: the same"
selftest "$COMMAND" -v
has "$TMP/err" 'memsetshim\[[0-9]+\]: trace' "-v: the library says what it does"
has "$TMP/out" "^PASS preload: .* is loaded from /" "-v: and where it is"
selftest "$COMMAND" --device 1 --no-speed
is $STATUS 0 "the second GPU"
selftest "$COMMAND" --device 9
is $STATUS 1 "no such GPU: status 1"
has "$TMP/out" '^FAIL GPU: no device 9 .*cuDeviceGet: CUresult 101' "and which"
is "$(lines "$TMP/out")" 2 "one line, and the sum"
for word in x 1x -1 4294967296; do
	selftest "$COMMAND" --device "$word"
	is $STATUS 2 "--device $word: usage"
done
LD_LIBRARY_PATH="$TMP" "$COMMAND" selftest >"$TMP/out" 2>"$TMP/err"
status=$?
if grep -q '^FAIL driver' "$TMP/out"; then
	is $status 1 "no driver: status 1"
	is "$(lines "$TMP/out")" 2 "one line, and the sum"
else
	skip "this machine has a driver"
fi
selftest "$COMMAND" something
is $STATUS 2 "an argument too many: usage"
selftest "$COMMAND" --inside
is $STATUS 1 "not run by itself: status 1"
has "$TMP/out" '^FAIL preload: libmemsetshim.so was not loaded' "and why"

# --- a library that does not work ------------------------------------------------------
mkdir "$TMP/bin" && cp "$COMMAND" "$TMP/bin/memsetshim"

# It is loaded, hooks nothing, and counts captures that there are none of.
cat >"$TMP/idle.c" <<'C'
#include <memsetshim.h>
#include <string.h>

const char *memsetshim_version(void)
{
	return "0.0.0";
}
int memsetshim_set_enabled(int on)
{
	static int state = 1;
	int before = state;

	state = on;
	return before;
}
void memsetshim_get_stats(struct memsetshim_stats *out, size_t size)
{
	static uint64_t calls;

	memset(out, 0, size);
	out->captures = ++calls;
}
uint64_t memsetshim_passed_for(unsigned int i, const char **name)
{
	(void)i;
	if (name)
		*name = NULL;
	return 0;
}
C
compile_lib "$TMP/bin/libmemsetshim.so" -I"$TESTS/../shim" "$TMP/idle.c"
selftest "$TMP/bin/memsetshim"
is $STATUS 1 "a library that hooks nothing: status 1"
is "$(count "$TMP/out" '^FAIL way in: .* gives 0 of 6 functions \(cuMemsetD8Async is ')" 6 \
	"no way leads in"
is "$(count "$TMP/out" '^FAIL nodes: a captured cuMemset.* is a memset node, not a kernel')" \
	6 "no memset becomes a kernel node"
has "$TMP/out" '^PASS nodes: switched off' "what works still passes"
has "$TMP/out" '^FAIL eager: memsets outside capture are taken' "counts that move"
is "$(count "$TMP/out" '^SKIP (bytes|update)')" 2 "what proves nothing does not"

# Its kernels write other bytes than its launches mean.
sed 's/memsetshim_fill_words/memsetshim_fill_bytes/g' "$SHIM" >"$TMP/bin/libmemsetshim.so"
selftest "$TMP/bin/memsetshim"
is $STATUS 1 "a library that writes wrong bytes: status 1"
has "$TMP/out" '^FAIL bytes: [0-9]+ of 160 memsets write other bytes .* byte [0-9]+ is ' \
	"how many, and where"
has "$TMP/out" '^PASS nodes: each of 6' "its nodes are kernels"

printf 'int nothing;\n' >"$TMP/empty.c"
compile_lib "$TMP/bin/libmemsetshim.so" "$TMP/empty.c"
selftest "$TMP/bin/memsetshim"
is $STATUS 1 "a library that is not ours: status 1"
has "$TMP/out" '^FAIL preload: libmemsetshim.so was not loaded' "and why"
rm "$TMP/bin/libmemsetshim.so"

# --- a driver that does not work -------------------------------------------------------
# A driver in front of the simulated one, which no longer says what it is: it is as old as
# VERSION, replays of a chain take what ELAPSED says, native and not by turns, in ms, and
# the call FAULT fails.
mkdir "$TMP/driver"
cat >"$TMP/driver.c" <<'C'
#include <stdio.h>
#include <stdlib.h>

int cuEventElapsedTime(float *ms, void *from, void *to);
void sim_driver_version(int version);
void sim_fail(const char *function, int nth, int result);

int cuEventElapsedTime(float *ms, void *from, void *to)
{
	static int calls;
	float times[2] = {0, 0};

	(void)from;
	(void)to;
	sscanf(getenv("ELAPSED"), "%f %f", &times[0], &times[1]);
	*ms = times[calls++ % 2];
	return 0;
}
__attribute__((constructor)) static void start(void)
{
	const char *fault = getenv("FAULT");
	char name[64];
	int nth, result;

	if (getenv("VERSION"))
		sim_driver_version(atoi(getenv("VERSION")));
	if (fault && sscanf(fault, "%63s %d %d", name, &nth, &result) == 3)
		sim_fail(name, nth, result);
}
C

# in_front FUNCTION...: made, of the simulated driver's objects, without these functions
in_front()
{
	set -- sim_reset "$@"
	echo "{ global: *; local: $(printf '%s; ' "$@") };" >"$TMP/hidden.map"
	compile_lib "$TMP/driver/libsim.so" "$B"/tests/sim/*.o "$B/tests/fill_host.o" \
		"$B/shim/plan.o" -Wl,-soname,libsim.so -pthread \
		-Wl,--version-script="$TMP/hidden.map"
	compile_lib "$TMP/driver/libcuda.so.1" "$TMP/driver.c" \
		-Wl,-soname,libcuda.so.1 -L"$TMP/driver" -lsim
}

# fronted VARIABLE=VALUE... COMMAND ARGUMENT...: runs it there; sets STATUS
fronted()
{
	env LD_LIBRARY_PATH="$TMP/driver" "$@" >"$TMP/out" 2>"$TMP/err"
	STATUS=$?
}

in_front
fronted ELAPSED="2 1" "$COMMAND" selftest
is $STATUS 0 "faster: status 0"
has "$TMP/out" '^PASS speed: 2\.000 us .*, 1\.000 us with the library, 0\.50 of it$' "the times"
fronted ELAPSED="1 1" "$COMMAND" selftest
is $STATUS 0 "as fast: status 0"
has "$TMP/out" '^PASS speed: .* 1\.00 of it$' "as fast is enough"
fronted ELAPSED="1 2" "$COMMAND" selftest
is $STATUS 1 "slower: status 1"
has "$TMP/out" '^FAIL speed: 1\.000 us .*, 2\.000 us .* 2\.00 of it: there is nothing to gain' \
	"the times, and what they mean"
fronted ELAPSED="0 0" "$COMMAND" selftest
is $STATUS 0 "no times: status 0"
has "$TMP/out" "^SKIP speed: the driver's events say" "and no speed"

fronted ELAPSED="2 1" VERSION=11080 "$COMMAND" selftest
is $STATUS 1 "a driver that is too old: status 1"
is "$(count "$TMP/out" '^FAIL nodes: a captured .* is a memset node, not a kernel node')" 6 \
	"no memset becomes a kernel node"
has "$TMP/out" '^SKIP speed' "there is nothing to time"
has "$TMP/err" '11\.8' "the library says why"

# fault FUNCTION NTH WHAT: that call fails; a FAIL line says so, the others are checked
fault()
{
	fronted ELAPSED="2 1" FAULT="$1 $2 719" "$COMMAND" selftest
	is $STATUS 1 "$1 fails: status 1"
	has "$TMP/out" "^FAIL $3: $4: CUresult 719 \\(CUDA_ERROR_LAUNCH_FAILED\\)" \
		"$1 fails: which, and how"
	is "$(count "$TMP/out" '^FAIL')" 1 "$1 fails: one line"
}
fault cuInit 1 "GPU" ".*cuInit"
fault cuMemAlloc_v2 1 "GPU" cuMemAlloc
fault cuStreamBeginCapture_v2 1 nodes cuStreamBeginCapture
fault cuMemsetD2D16Async 1 nodes cuMemsetD2D16Async
fault cuGraphNodeGetType 3 nodes cuGraphNodeGetType
fault cuGraphInstantiateWithFlags 1 bytes cuGraphInstantiate
fault cuGraphLaunch 4 bytes cuGraphLaunch
has "$TMP/out" '^PASS update' "the checks after it are made"
fault cuMemAllocHost_v2 1 "host memory" cuMemAllocHost
fault cuGraphExecUpdate_v2 1 update cuGraphExecUpdate
fault cuEventRecord 5 speed cuEventRecord

in_front cuGraphExecUpdate_v2
fronted ELAPSED="2 1" "$COMMAND" selftest
is $STATUS 0 "a driver with the older update only: status 0"
has "$TMP/out" '^PASS update' "updated by that one"
in_front cuGraphExecUpdate_v2 cuGraphExecUpdate
fronted ELAPSED="2 1" "$COMMAND" selftest
is $STATUS 0 "a driver that cannot update: status 0"
has "$TMP/out" '^SKIP update: this driver has no cuGraphExecUpdate$' "no update"
in_front cuGetProcAddress_v2
fronted ELAPSED="2 1" "$COMMAND" selftest
has "$TMP/out" '^SKIP way in: this driver has no cuGetProcAddress_v2$' "a way there is not"
in_front cuGraphLaunch
fronted ELAPSED="2 1" "$COMMAND" selftest
is $STATUS 1 "a driver without cuGraphLaunch: status 1"
has "$TMP/out" '^FAIL driver: it has no cuGraphLaunch' "and what is missing"
done_testing
