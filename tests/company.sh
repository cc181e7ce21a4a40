#!/bin/sh
# SPDX-License-Identifier: MIT
# Preloaded beside an allocator, a memory saver, another dlsym interposer or the gap
# counter, in either order, the library does its work and they do theirs.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_driver
need_cc
PROG=$TESTS/prog
[ -z "$SAN" ] || skip_all "the sanitizers' runtimes want to be alone"

compile "$TMP/company" -I"$TESTS" "$PROG/company.c" "$PROG/outside.c" "$TESTS/drv.c" \
	-L"$SIM" -lcuda -ldl -pthread
case $(uname -m) in
aarch64) baseline=GLIBC_2.17 ;;
*) baseline=GLIBC_2.2.5 ;;
esac
compile_lib "$TMP/versions.so" "-DBASELINE=\"$baseline\"" \
	"$PROG/company-interposer.c" -ldl
compile_lib "$TMP/chain.so" -DCHAIN "-DBASELINE=\"$baseline\"" \
	"$PROG/company-interposer.c" -ldl

# run FILE PRELOAD NAME=VALUE...: the program's output and status
run()
{
	run_file=$1
	run_preload=$2
	shift 2
	with_driver timeout 60 env LD_PRELOAD="$run_preload" "$@" "$TMP/company" \
		>"$run_file" 2>"$TMP/err"
	echo "status $?" >>"$run_file"
}

# beside WHAT LIBRARY [NAME=VALUE...]: what the companion does alone it does with us, and
# what we do alone we do with it
beside()
{
	what=$1
	library=$2
	shift 2
	run "$TMP/bare" "$library" "$@"
	is "$(count "$TMP/bare" ': memset, bytes right$')" 12 "$what alone: memsets"
	has "$TMP/bare" '^status 0$' "$what alone: ends well"
	sed 's/: memset,/: kernel,/' "$TMP/bare" >"$TMP/wanted"
	run "$TMP/before" "$SHIM $library" "$@"
	same "$TMP/before" "$TMP/wanted" "$what behind it: kernels, and all else the same"
	is "$(cat "$TMP/err")" "" "$what behind it: nothing is printed"
	run "$TMP/behind" "$library $SHIM" "$@"
}

# both WHAT LIBRARY [NAME=VALUE...]: beside, where the order makes no difference
both()
{
	beside "$@"
	same "$TMP/behind" "$TMP/wanted" "$1 before it: kernels, and all else the same"
	is "$(cat "$TMP/err")" "" "$1 before it: nothing is printed"
}

# --- itself, elsewhere and under another name ---
mkdir "$TMP/lib-1.2,x"
cp "$SHIM" "$TMP/lib-1.2,x/cuda+other.so.7"
run "$TMP/here" "$SHIM"
run "$TMP/elsewhere" "$TMP/lib-1.2,x/cuda+other.so.7"
is "$(count "$TMP/here" ': kernel, bytes right$')" 12 "alone: kernels"
same "$TMP/elsewhere" "$TMP/here" "from an odd path, under another name: the same"

# --- an allocator ---
jemalloc=
for path in /usr/lib/*/libjemalloc.so.2 /usr/lib64/libjemalloc.so.2 \
	/usr/lib/libjemalloc.so.2; do
	[ ! -e "$path" ] || jemalloc=$path
done
if [ -n "$jemalloc" ]; then
	both jemalloc "$jemalloc"
	is "$(count "$TMP/wanted" '^malloc by libjemalloc')" 2 "jemalloc: it allocates"
	run "$TMP/stats" "$jemalloc $SHIM" MEMSETSHIM_STATS="$TMP/table" \
		MEMSETSHIM_LOG=trace MEMSETSHIM_LOG_FILE="$TMP/log"
	same "$TMP/stats" "$TMP/wanted" "jemalloc, statistics and log: the same"
	is "$(count "$TMP/log" 'trace: captured .*: substituted$')" 12 \
		"jemalloc, statistics and log: they are there"
	is "$(count "$TMP/table" ': 6 captures$')" 2 "jemalloc: a table of each process"
else
	skip "jemalloc: no libjemalloc.so.2 (package libjemalloc2)"
fi

# --- torch_memory_saver ---
# It needs libcuda and a libcudart; COMPANIONS names the folder that pip put it in.
saver()
{
	{
		echo "${COMPANIONS:-}"
		python3 -c 'import sys; print(*sys.path, sep="\n")' 2>/dev/null
	} | while read -r folder; do
		for path in "$folder"/torch_memory_saver_hook_mode_preload*.so; do
			[ ! -e "$path" ] || echo "$path"
		done
	done
}

before=${LD_LIBRARY_PATH:-}
export LD_LIBRARY_PATH="$CUDA/lib64:$CUDA/lib${before:+:$before}"
found=
reason="no torch_memory_saver (pip)"
for path in $(saver); do
	with_driver ldd "$path" >"$TMP/ldd" 2>&1
	if ! missing=$(grep 'not found' "$TMP/ldd"); then
		found=$path
		break
	fi
	reason="it needs $(echo "$missing" | awk '{ printf "%s ", $1 }')"
done
if [ -n "$found" ]; then
	both torch_memory_saver "$found"
	is "$(count "$TMP/wanted" '^cudaMalloc by torch_memory_saver')" 2 \
		"torch_memory_saver: cudaMalloc is its own"
else
	skip "torch_memory_saver: $reason"
fi
export LD_LIBRARY_PATH="$before"

# --- other dlsym interposers ---
both "an interposer that asks the next dlsym" "$TMP/chain.so"
is "$(count "$TMP/wanted" '^cu.* by chain\.so$')" 4 "it answers its two names"
beside "an interposer that asks glibc's dlsym" "$TMP/versions.so"
is "$(count "$TMP/wanted" '^cu.* by versions\.so$')" 4 "it answers its two names"
# Before us it goes past our dlsym, so what it looks up is the driver's.
sed 's/^dlsym: kernel,/dlsym: memset,/' "$TMP/wanted" >"$TMP/past"
same "$TMP/behind" "$TMP/past" "before it: kernels, but where it goes past us"
beside "two interposers" "$TMP/chain.so $TMP/versions.so"
sed 's/^dlsym: kernel,/dlsym: memset,/' "$TMP/wanted" >"$TMP/past"
same "$TMP/behind" "$TMP/past" "two interposers before it: the same"

# --- the gap counter ---
counter=$(realpath -e "$B/libgapcount.so" 2>/dev/null)
mock=$(realpath -e "$B/mock/libcupti.so.13" 2>/dev/null)
if [ -z "$counter" ]; then
	skip "gap counter: no $B/libgapcount.so"
elif [ "${DRIVER:-sim}" = sim ] && [ -z "$mock" ]; then
	skip "gap counter: no $B/mock"
else
	[ "${DRIVER:-sim}" = real ] || export GAPCOUNT_CUPTI="$mock"
	export CUDA_INJECTION64_PATH="$counter" GAPCOUNT_OUTPUT="json:$TMP/report.%p"
	run "$TMP/bare" ""
	sed 's/: memset,/: kernel,/' "$TMP/bare" >"$TMP/wanted"
	reports=$(find "$TMP" -name 'report.*' | wc -l | tr -d ' ')
	rm -f "$TMP"/report.*
	run "$TMP/with" "$SHIM"
	same "$TMP/with" "$TMP/wanted" "the gap counter: kernels, and all else the same"
	if [ "$reports" -eq 2 ]; then
		is "$(cat "$TMP"/report.* | grep -c '"shim": 1')" 2 \
			"the gap counter: two reports, which know of the library"
	else
		skip "the gap counter's reports: there are none without the library either"
	fi
fi
done_testing
