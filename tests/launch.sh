#!/bin/sh
# SPDX-License-Identifier: MIT
# memsetshim run puts PROG in its place: same process, arguments, files, signals and
# status, with the library first in LD_PRELOAD, or it says why not before PROG starts.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
# shellcheck source=tests/lib/launch.sh
. "$(dirname "$0")/lib/launch.sh"
need_command
here=$PWD

# preload [NAME=VALUE...] -- OPTION...: the LD_PRELOAD that PROG gets
preload()
{
	"$@" env | sed -n 's/^LD_PRELOAD=//p'
}

# --- the same process ---
# shellcheck disable=SC2016 # for the inner shell
sh -c 'echo $$; exec "$@"' sh "$M" run -- sh -c 'echo $$' >"$TMP/out"
is "$(sed -n 2p "$TMP/out")" "$(sed -n 1p "$TMP/out")" "PROG has the launcher's process"
is "$(ending "$M" run sh -c 'exit 37')" "exit 37" "its exit status"
# shellcheck disable=SC2016 # for the inner shell
is "$(ending "$M" run sh -c 'kill -TERM $$')" "signal 15" "its end by a signal"
"$M" run -- sleep 60 &
victim=$!
tries=0
until [ "$(basename "$(readlink "/proc/$victim/exe")")" != memsetshim ] ||
	[ $tries -eq 100 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
kill -USR1 "$victim"
wait "$victim" 2>/dev/null
is $? 138 "a signal for the launcher is one for PROG"
(
	trap '' USR1 PIPE
	grep -E '^Sig(Ign|Blk|Cgt)' /proc/self/status >"$TMP/bare"
	"$M" run grep -E '^Sig(Ign|Blk|Cgt)' /proc/self/status >"$TMP/with"
)
same "$TMP/with" "$TMP/bare" "signals are ignored and blocked as before"
ls /proc/self/fd 8</dev/null >"$TMP/bare"
"$M" run ls /proc/self/fd 8</dev/null >"$TMP/with"
same "$TMP/with" "$TMP/bare" "the same files are open"
env -i A=1 "B=x y" env >"$TMP/bare"
env -i A=1 "B=x y" "$M" run env | grep -v '^LD_PRELOAD=' >"$TMP/with"
same "$TMP/with" "$TMP/bare" "the environment is the same but for LD_PRELOAD"

# --- arguments ---
# shellcheck disable=SC2016 # for the inner shell
arguments='for a; do echo "[$a]"; done'
printf '[%s]\n' "a  b" "" "--stats" "-o" "*" "--" "it's \$HOME" "
" >"$TMP/wanted"
get "$M" run -- sh -c "$arguments" sh "a  b" "" "--stats" "-o" "*" "--" "it's \$HOME" "
"
same "$TMP/out" "$TMP/wanted" "arguments arrive as they are, empty ones and options too"
clean "arguments"
get "$M" run --off sh -c "$arguments" sh --off x
is "$(cat "$TMP/out")" "[--off]
[x]" "without --: options end at PROG's name"
printf 'a\0b\nc' >"$TMP/bytes"
"$M" run cat <"$TMP/bytes" >"$TMP/copy"
cmp -s "$TMP/copy" "$TMP/bytes"
ok $? "stdin and stdout are PROG's own"

# --- who is missing ---
get "$M" run -- no-such-program x
refused 127 "no-such-program: No such file" "PROG that is nowhere"
get "$M" run "$TMP/no/program"
refused 127 "$TMP/no/program: No such file" "PROG's path leads nowhere"
: >"$TMP/plain"
get "$M" run "$TMP/plain"
refused 126 "$TMP/plain: Permission denied" "PROG that is not executable"
get "$M" run "$TMP"
refused 126 "$TMP: Permission denied" "PROG that is a folder"
printf '#!/no/such/interpreter\n' >"$TMP/script"
chmod +x "$TMP/script"
get "$M" run "$TMP/script"
refused 127 "$TMP/script" "PROG whose interpreter is not there"
get env PATH="$TMP:/bin:/usr/bin" "$M" run plain
refused 126 "plain: Permission denied" "PROG that PATH has, not executable"
get "$M" run
refused 2 "PROG is missing" "no PROG"
get "$M" run --no-such-option true
refused 2 "there is no option --no-such-option" "an unknown option"
get "$M" run -x true
refused 2 "there is no option -x" "an unknown letter"
get "$M" run --log
refused 2 "--log wants an argument" "an option without its argument"
get "$M" nonsense
refused 2 "there is no command 'nonsense'" "an unknown command"
get "$M"
refused 2 "^usage: memsetshim COMMAND" "no command at all"

# --- LD_PRELOAD ---
is "$(preload "$M" run)" "$LIB" "LD_PRELOAD is the library"
plain_lib "$TMP/a.so"
cp "$TMP/a.so" "$TMP/b.so"
LD_PRELOAD="$TMP/b.so $TMP/a.so"
export LD_PRELOAD
is "$(preload "$M" run)" "$LIB:$TMP/b.so:$TMP/a.so" "others are kept, in their order"
LD_PRELOAD="$TMP/b.so:$LIB::$TMP/a.so:$LIB"
is "$(preload "$M" run)" "$LIB:$TMP/b.so:$TMP/a.so" "ours comes first, and once"
ln -s lib "$TREE/alias"
ln "$LIB" "$TMP/hard.so"
LD_PRELOAD="$TREE/alias/libmemsetshim.so:$TREE/lib/../lib/libmemsetshim.so:$TMP/hard.so"
is "$(preload "$M" run)" "$LIB" "also where another path leads to it"
LD_PRELOAD=libmemsetshim.so
is "$(preload "$M" run 2>/dev/null)" "$LIB" "or its bare name"
unset LD_PRELOAD
is "$(preload "$M" run "$M" run --)" "$LIB" "run in run: once"
mkdir "$TMP/other"
cp "$LIB" "$TMP/other"
get env LD_PRELOAD="$TMP/other/libmemsetshim.so" "$M" run env
has "$TMP/err" "^memsetshim: warning: LD_PRELOAD holds another copy, $TMP/other" \
	"another copy of the library: a warning"
is "$(grep -c . "$TMP/err")" 1 "another copy of the library: one line"

# --- where the library is ---
ln -s "$TREE/bin" "$TMP/linked-bin"
is "$(preload "$TMP/linked-bin/memsetshim" run)" "$LIB" "the folder of the command is a link"
ln -s "$M" "$TMP/linked-command"
is "$(preload "$TMP/linked-command" run)" "$LIB" "the command is a link"
mkdir -p "$TMP/flat/bin" "$TMP/lib64/bin" "$TMP/lib64/lib64"
cp "$M" "$LIB" "$TMP/flat"
is "$(preload "$TMP/flat/memsetshim" run)" "$TMP/flat/libmemsetshim.so" \
	"the library is beside the command"
cp "$M" "$TMP/lib64/bin" && cp "$LIB" "$TMP/lib64/lib64"
is "$(preload "$TMP/lib64/bin/memsetshim" run)" "$TMP/lib64/lib64/libmemsetshim.so" \
	"the library is in ../lib64"
mkdir -p "$TMP/alone/bin" "$TMP/lure/lib"
cp "$M" "$TMP/alone/bin"
cp "$LIB" "$TMP/lure"
cp "$LIB" "$TMP/lure/lib"
cd "$TMP/lure" || bail "no $TMP/lure"
if [ -e /usr/local/lib/libmemsetshim.so ]; then
	skip "no library: one is installed"
else
	get env LD_LIBRARY_PATH=. PATH=".:$PATH" "$TMP/alone/bin/memsetshim" run true
	refused 127 "looked for $TMP/alone/bin/libmemsetshim.so, $TMP/alone/lib/lib" \
		"no library, but one in the current folder"
fi
get env PATH="$TREE/bin:$PATH" memsetshim run env
is "$(sed -n 's/^LD_PRELOAD=//p' "$TMP/out")" "$LIB" "the current folder's is not taken"
cd "$here" || bail "no $here"
for name in "a blank" "a:colon" "a\$dollar"; do
	mkdir -p "$TMP/$name"
	cp "$M" "$LIB" "$TMP/$name"
	get "$TMP/$name/memsetshim" run true
	refused 127 "cannot be preloaded: LD_PRELOAD takes no path with a blank" "$name"
done

# --- options are variables ---
vars()
{
	"$@" env | grep '^MEMSETSHIM' | sort | tr '\n' ' '
}
is "$(vars "$M" run)" "" "no option: no variable"
is "$(vars "$M" run --off --stats --log trace --max-bytes=4K)" \
	"MEMSETSHIM=0 MEMSETSHIM_LOG=trace MEMSETSHIM_MAX_BYTES=4K MEMSETSHIM_STATS=1 " \
	"options set variables"
is "$(vars "$M" run --stats=/a/b --log-file /c/%p)" \
	"MEMSETSHIM_LOG_FILE=/c/%p MEMSETSHIM_STATS=/a/b " "paths are passed on"
mkdir "$TMP/100%p"
is "$(cd "$TMP/100%p" && vars "$M" run --stats=x.%h --log-file y)" \
	"MEMSETSHIM_LOG_FILE=$TMP/100%%p/y MEMSETSHIM_STATS=$TMP/100%%p/x.%h " \
	"relative ones are from here, whatever the folder's name"
is "$(MEMSETSHIM_LOG=info MEMSETSHIM_STATS=1 vars "$M" run --log=warn)" \
	"MEMSETSHIM_LOG=warn MEMSETSHIM_STATS=1 " "a variable stays unless its option is given"
get "$M" run --max-bytes 4KB true
refused 2 "--max-bytes: MEMSETSHIM_MAX_BYTES=4KB is no number of bytes .*[)]\$" "a bad number"
get "$M" run --log loud true
refused 2 "--log: MEMSETSHIM_LOG=loud is none of off, error" "a bad level"
get "$M" run --log-file "" true
refused 2 "MEMSETSHIM_LOG_FILE is empty" "an empty path"
get "$M" run --off=1 true
refused 2 "no option --off=1" "an argument too many"
sed -n -e 's/^SWITCH([a-z_]*, *"MEMSETSHIM_\([A-Z_]*\)".*/NO-\1/p' \
	-e 's/^[A-Z]*([a-z_]*, *"MEMSETSHIM_\{0,1\}\([A-Z_]*\)".*/\1/p' \
	"$TESTS/../shim/config.def" | tr 'A-Z_' 'a-z-' | sed 's/^$/off/' | sort >"$TMP/wanted"
# shellcheck disable=SC2016 # the shell that is run expands it
get "$M" run --no-nodes sh -c 'echo "$MEMSETSHIM_NODES"'
is "$(cat "$TMP/out")" 0 "a switch is turned off"
"$M" help run | sed -n 's/^  --\([a-z-]*\).*/\1/p' | sort >"$TMP/got"
same "$TMP/got" "$TMP/wanted" "each variable of config.def is an option"

# --- where nothing can be preloaded ---
printf 'int main(void) { return 5; }\n' >"$TMP/five.c"
if $CC -static -o "$TMP/static" "$TMP/five.c" 2>/dev/null; then
	get "$M" run "$TMP/static"
	is "$status" 5 "a static program is run"
	has "$TMP/err" "^memsetshim: warning: $TMP/static is statically linked" \
		"a static program: a warning"
	is "$(lines "$TMP/err")" 1 "a static program: one line"
	printf '#!%s\n' "$TMP/static" >"$TMP/script"
	get "$M" run "$TMP/script"
	has "$TMP/err" "$TMP/static is statically linked" "a script whose interpreter is static"
else
	skip "no static C library"
fi
# The machine's number is in the bytes 18 and 19.
$CC -o "$TMP/five" "$TMP/five.c" || bail "$CC builds no program"
{ head -c 18 "$TMP/five" && printf '\377\177' && tail -c +21 "$TMP/five"; } >"$TMP/alien"
chmod +x "$TMP/alien"
get "$M" run "$TMP/alien"
has "$TMP/err" "$TMP/alien is of another architecture" "another architecture: a warning"
is "$(count "$TMP/err" '^memsetshim: ')" 1 "another architecture: one line"
get "$M" run "$TMP/five"
is "$status$(cat "$TMP/err")" 5 "an ordinary program: no warning"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$TMP"
	cp "$TMP/five" "$TMP/setuid"
	chmod u+s "$TMP/setuid"
	get "$M" run "$TMP/setuid"
	is "$(cat "$TMP/err")" "" "a set-user-ID program, as its owner: no warning"
	get setpriv --reuid=65534 --regid=65534 --clear-groups "$M" run "$TMP/setuid"
	has "$TMP/err" "$TMP/setuid runs with its file's privileges" \
		"a set-user-ID program: a warning"
	get setpriv --no-new-privs --reuid=65534 --regid=65534 --clear-groups \
		"$M" run "$TMP/setuid"
	is "$(cat "$TMP/err")" "" "a set-user-ID program without new privileges: no warning"
else
	skip "set-user-ID: only root can make such a program"
fi

# --- closed descriptors ---
for fd in 0 1 2; do
	eval "\"\$M\" run sh -c '[ -e /proc/self/fd/$fd ]' $fd>&-"
	is $? 1 "descriptor $fd closed: it stays so"
done
"$M" run no-such-program 2>&-
is $? 127 "stderr closed: the status is the same"
"$M" help >&- 2>/dev/null
is $? 1 "help with stdout closed: an error"
if [ -w /dev/full ]; then
	"$M" help >/dev/full 2>"$TMP/err"
	is $? 1 "help on a full disk: an error"
	has "$TMP/err" "cannot write to stdout: No space" "help on a full disk: says so"
else
	skip "no /dev/full"
fi
done_testing
