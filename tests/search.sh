#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs leave the same memory and get the same results in processes of three
# kinds: with the library, with it switched off from the start, without it.  What goes
# wrong on purpose is said in driver calls, with the command that repeats it.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
need_sim
SEARCH=$B/tests/drv-search
[ -x "$SEARCH" ] || skip_all "no $SEARCH"

# with PRELOAD COMMAND...: meets the driver that DRIVER names
with()
{
	with_preload=$1
	shift
	if [ "${DRIVER:-sim}" = sim ]; then
		with_sim env LD_PRELOAD="$with_preload" "$@"
	else
		env LD_PRELOAD="$with_preload" "$@"
	fi
}

# hash_of SEED PRELOAD [VARIABLE=VALUE]: of 150 programs
hash_of()
{
	hash_seed=$1
	shift
	hash_preload=$1
	shift
	with "$hash_preload" env "$@" "$SEARCH" --hash --programs 150 \
		--seed "$hash_seed" 2>&1
}

hash_of 2 "$PRELOAD" >"$TMP/other"
if grep -q '^1\.\.0 # SKIP' "$TMP/other"; then
	skip_all "no GPU"
fi
for seed in 1 5001 20001; do
	hash_of "$seed" "$PRELOAD" >"$TMP/on"
	has "$TMP/on" '^[0-9a-f]{16}$' "programs from seed $seed: a hash"
	is "$(hash_of "$seed" "$PRELOAD" MEMSETSHIM=0)" "$(cat "$TMP/on")" \
		"the same with MEMSETSHIM=0"
	is "$(hash_of "$seed" "$RUNTIME")" "$(cat "$TMP/on")" "the same without the library"
done
! cmp -s "$TMP/other" "$TMP/on"
ok $? "another seed, another hash"

# again OPTION...: one program, shown
again()
{
	with "$PRELOAD" "$SEARCH" "$@" >"$TMP/shown" 2>&1
}

with "$PRELOAD" "$SEARCH" --programs 50 --corrupt width >"$TMP/out" 2>&1
is $? 1 "a memset that is one short: it fails"
has "$TMP/out" '^#   cuMemset.*width' "and shows driver calls"
options=$(sed -n 's/^# again: .*drv-search //p' "$TMP/out" | head -n 1)
# shellcheck disable=SC2086 # options are words
again $options
has "$TMP/shown" '^# memory differs' "what it says shows it again: $options"
# shellcheck disable=SC2086
again ${options%--corrupt*}
has "$TMP/shown" '^# both runs agree$' "and no difference where nothing goes wrong"

again --ops
is $? 2 "an option without its value: refused"
again --seed 1 --ops 5x
is $? 2 "a mask that is none: refused"
again --seed 1 --halve 3
is $? 2 "a size that is none: refused"
done_testing
