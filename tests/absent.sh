#!/bin/sh
# SPDX-License-Identifier: MIT
# Where there is no driver, or one that lacks them, looking functions up finds nothing and
# dlerror() says so, as without the library.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_shim
need_cc

compile "$TMP/absent" "$TESTS/prog/absent.c" -ldl
unshimmed "$TMP/absent" >"$TMP/bare" 2>&1
ok $? "the program runs without it"
shimmed "$TMP/absent" >"$TMP/with" 2>&1
ok $? "and with it"
has "$TMP/bare" '^default cuMemsetD8Async: NULL, undefined symbol: cuMemsetD8Async$' \
	"without it cuMemsetD8Async is NULL, with an error"
is "$(count "$TMP/bare" ': found, no error$')" 4 "memcpy is found everywhere"
same "$TMP/with" "$TMP/bare" "every answer is the same with it"

compile_lib "$TMP/libcuda.so.1" "$TESTS/prog/absent-driver.c" -Wl,-soname,libcuda.so.1
unshimmed "$TMP/absent" "$TMP/libcuda.so.1" >"$TMP/bare" 2>&1
ok $? "with a driver of two functions the program runs without it"
shimmed "$TMP/absent" "$TMP/libcuda.so.1" >"$TMP/with" 2>&1
ok $? "and with it"
has "$TMP/bare" '^driver cuMemsetD8Async: found, no error$' "one of the two is a memset"
same "$TMP/with" "$TMP/bare" "every answer is the same with it"
done_testing
