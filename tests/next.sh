#!/bin/sh
# SPDX-License-Identifier: MIT
# RTLD_NEXT, RTLD_DEFAULT, linker namespaces and RTLD_DEEPBIND mean the same to every
# caller of dlsym, with the library preloaded as without, however the caller is compiled.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
need_cc

# Built without sanitizers: they are what the program is, not what is tested.
sanitizer=$SAN
SAN=
for level in 0 2; do
	dir=$TMP/O$level
	mkdir "$dir"
	for name in a b c d; do
		compile_lib "$dir/libfoo_$name.so" -O$level "-DNAME=\"$name\"" \
			"-DPREFIX(x)=${name}_##x" "$TESTS/prog/next-lib.c" -ldl
	done
	compile_lib "$dir/libomp.so" -O$level "$TESTS/prog/next-omp.c" -ldl
	compile "$dir/main" -O$level "$TESTS/prog/next-main.c" -Wl,--no-as-needed \
		-L"$dir" -lfoo_a -lfoo_b -lfoo_c -lomp -ldl -Wl,-rpath,"$dir"
done
compile_lib "$TMP/interposer.so" "-DBASELINE=\"$(glibc_baseline)\"" \
	"$TESTS/prog/next-interposer.c" -ldl
SAN=$sanitizer

# run FILE PRELOAD [NAME=VALUE] PROGRAM...: what it prints, and its status
run()
{
	run_out=$1
	run_preload=$2
	shift 2
	preloaded "$run_preload" "$@" >"$run_out" 2>&1
	echo "status $?" >>"$run_out"
}

for level in 0 2; do
	dir=$TMP/O$level
	run "$TMP/bare" "$RUNTIME" "$dir/main" "$dir/libfoo_d.so"
	run "$TMP/with" "$PRELOAD" "$dir/main" "$dir/libfoo_d.so"
	has "$TMP/bare" "^a's next: b\$" "-O$level: without it a is given b's"
	same "$TMP/with" "$TMP/bare" "-O$level: the same with it, line by line"
	has "$TMP/with" '^omp: no tool$' \
		"-O$level: a runtime that looks for its own name does not find itself"
	case $SAN in
	*address* | *thread*)
		skip "-O$level: the sanitizers refuse RTLD_DEEPBIND"
		;;
	*)
		run "$TMP/bare" "$RUNTIME" DEEPBIND=1 "$dir/main" "$dir/libfoo_d.so"
		run "$TMP/with" "$PRELOAD" DEEPBIND=1 "$dir/main" "$dir/libfoo_d.so"
		has "$TMP/bare" '^deep: d$' "-O$level: RTLD_DEEPBIND works without it"
		same "$TMP/with" "$TMP/bare" "-O$level: the same with it"
		;;
	esac
done

case $SAN in
*address* | *thread*)
	skip "another interposer: the sanitizers' runtimes do not survive one, alone neither"
	done_testing
	;;
esac

# A wrapper that calls changes what RTLD_NEXT gives; with us it may change it no further.
main=$TMP/O2/main
run "$TMP/alone" "$RUNTIME${RUNTIME:+ }$TMP/interposer.so" "$main" "$TMP/O2/libfoo_d.so"
run "$TMP/first" "$RUNTIME${RUNTIME:+ }$TMP/interposer.so $SHIM" "$main" \
	"$TMP/O2/libfoo_d.so"
run "$TMP/last" "$PRELOAD $TMP/interposer.so" "$main" "$TMP/O2/libfoo_d.so"
has "$TMP/alone" '^interposed_name: interposed$' "another interposer, alone, answers"
same "$TMP/first" "$TMP/alone" "the same when we are preloaded behind it"
has "$TMP/last" '^status 0$' "preloaded before it, the program runs to its end"
has "$TMP/last" '^interposed_name: interposed$' \
	"preloaded before it, the other interposer still answers"
done_testing
