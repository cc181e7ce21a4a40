#!/bin/sh
# SPDX-License-Identifier: MIT
# What memsetshim prints is what is so: env does the same as run, doctor finds each thing
# that is wrong, and help, man page and completion have the same commands and options.
# shellcheck source=tests/lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
# shellcheck source=tests/lib/launch.sh
. "$(dirname "$0")/lib/launch.sh"
need_command
MAN=$TESTS/../docs/memsetshim.1

# --- env ---
pasted()
{
	(eval "$("$M" env "$@")" && env | grep -E '^(LD_PRELOAD|MEMSETSHIM)' | sort)
}
plain_lib "$TMP/a.so"
for old in "" "$TMP/a.so" "$LIB $TMP/a.so"; do
	LD_PRELOAD=$old
	export LD_PRELOAD
	is "$(pasted sh)" "$("$M" run env | grep ^LD_PRELOAD=)" "env sh, '$old': as run does it"
done
unset LD_PRELOAD
is "$("$M" env)" "$("$M" env sh)" "env alone is env sh"
odd="a 'b' \"c\" \$HOME \`d\` %p;*"
is "$(export MEMSETSHIM_LOG_FILE="$odd" MEMSETSHIM=0 && pasted)" "LD_PRELOAD=$LIB
MEMSETSHIM=0
MEMSETSHIM_LOG_FILE=$odd" "variables that are set are set there too, whatever they hold"
is "$("$M" env mpirun)" "-x LD_PRELOAD=$LIB" "env mpirun"
is "$("$M" env slurm)" "--export=ALL,LD_PRELOAD=$LIB" "env slurm"
is "$(LD_PRELOAD=$TMP/a.so "$M" env docker)" \
	"-e LD_PRELOAD=$LIB:$TMP/a.so -v $LIB:$LIB:ro -v $TMP/a.so:$TMP/a.so:ro" "env docker"
eval "set -- $(MEMSETSHIM_LOG_FILE="$odd" "$M" env docker)"
is "$4" "MEMSETSHIM_LOG_FILE=$odd" "env docker: words for the shell"
get env LD_PRELOAD="$TMP/a,b.so" "$M" env slurm
is "$status" 1 "env slurm with a comma: status 1"
has "$TMP/err" "no value with a comma" "env slurm with a comma: says so"
get "$M" env pbs
refused 2 "'pbs' is none of sh, docker, mpirun, slurm" "env for something else"

# --- version ---
get "$M" version
clean version
is "$(lines "$TMP/out")" 1 "version: one line"
header=$(sed -n 's/^#define MEMSETSHIM_VERSION_[A-Z]* //p' "$TESTS/../shim/memsetshim.h" |
	tr '\n' . | sed 's/\.$//')
has "$TMP/out" "^memsetshim $header, build [^ ;]+; " "version: the header's"
has "$TMP/out" "libmemsetshim.so of an unknown version" "version: a library that cannot be asked"
"$M" --version | cmp -s - "$TMP/out"
ok $? "--version is the same"

# --- doctor ---
# A process without a GPU's driver: no CUDA is found, by name or path.
get "$M" doctor
is "$(grep -Evc '^(ok  |warn|FAIL)  [A-Za-z0-9_ ]+: .' "$TMP/out")" 0 \
	"doctor: each line is a finding"
has "$TMP/out" "^FAIL  library: $LIB cannot be loaded" "doctor: a library that is none"
has "$TMP/out" "^ok    gap counter: $COUNTER" "doctor: the gap counter"
has "$TMP/out" "^ok    LD_PRELOAD: not set" "doctor: nothing is preloaded"
has "$TMP/out" "^ok    settings: no variable" "doctor: no variable"
has "$TMP/out" "^ok    CUDA_INJECTION64_PATH: not set" "doctor: nothing is injected"
has "$TMP/out" "^ok    libc: glibc 2" "doctor: the C library"
has "$TMP/out" "^(ok  |FAIL)  driver: .*libcuda" "doctor: the driver"
has "$TMP/out" "^(ok  |warn)  CUPTI: " "doctor: CUPTI"
is "$status" 1 "doctor: status 1 after a FAIL"

plain_lib "$TMP/wrap.so" -DWRAP
# finds NAME=VALUE... -- PATTERN WHAT
finds()
{
	pattern=$1
	what=$2
	shift 2
	get env "$@" "$M" doctor
	has "$TMP/out" "$pattern" "doctor: $what"
}
if [ -z "$SAN" ]; then
	finds "^warn  LD_PRELOAD: $TMP/wrap.so has a dlsym of its own and comes before" \
		"a dlsym before ours" LD_PRELOAD="$TMP/wrap.so:$LIB"
	finds "^ok    LD_PRELOAD: $TMP/wrap.so is preloaded too, and has a dlsym" \
		"a dlsym after ours" LD_PRELOAD="$LIB:$TMP/wrap.so"
else
	skip "doctor: another dlsym: sanitizers do not start with one"
fi
finds "^ok    LD_PRELOAD: $TMP/a.so is preloaded too\$" \
	"another library before ours" LD_PRELOAD="$TMP/a.so:$LIB"
mkdir "$TMP/other"
cp "$LIB" "$TMP/other"
finds "^warn  LD_PRELOAD: $TMP/other/libmemsetshim.so is another copy" "another copy" \
	LD_PRELOAD="$TMP/other/libmemsetshim.so"
finds "^warn  LD_PRELOAD: $TMP/none.so could not be preloaded" "a path to nowhere" \
	LD_PRELOAD="$TMP/none.so"
finds "^ok    setting: MEMSETSHIM_LOG=info" "a variable" MEMSETSHIM_LOG=info
finds "^warn  setting: MEMSETSHIM=0: " "the library is switched off" MEMSETSHIM=0
finds "^warn  setting: MEMSETSHIM_LOG=loud is none of" "a value that makes no sense" \
	MEMSETSHIM_LOG=loud
finds "^warn  setting: MEMSETSHIM_LOGS is not a variable" "an unknown variable" \
	MEMSETSHIM_LOGS=1
finds "^warn  CUDA_INJECTION64_PATH: /opt/x.so has it" "another tool is injected" \
	CUDA_INJECTION64_PATH=/opt/x.so
finds "^ok    CUDA_INJECTION64_PATH: the gap counter" "the counter is injected" \
	CUDA_INJECTION64_PATH="$COUNTER"
finds "^warn  NVTX_INJECTION64_PATH: /opt/x.so" "another NVTX client" \
	NVTX_INJECTION64_PATH=/opt/x.so
finds "^warn  CUPTI: .*GAPCOUNT_CUPTI" "GAPCOUNT_CUPTI leads nowhere" \
	GAPCOUNT_CUPTI=/no/such.so
mkdir "$TMP/driver"
$CC -shared -fPIC -o "$TMP/driver/libcuda.so.1" "$TESTS/prog/launch-driver.c" ||
	bail "$CC cannot build a driver"
LD_LIBRARY_PATH=$TMP/driver
export LD_LIBRARY_PATH
finds "^ok    driver: $TMP/driver/libcuda.so.1, of CUDA 12\.4" "a driver" VERSION=12040
has "$TMP/out" "^ok    GPU: 1, GPU number 1, compute capability 6\.7" "doctor: its GPUs"
finds "^FAIL  driver: .*, of CUDA 11\.8, older than 12\.0" "an old driver" VERSION=11080
finds "^FAIL  GPU: none that CUDA sees \(CUresult 100" "no GPU" RESULT=100
finds "^FAIL  GPU: none that CUDA sees \(CUresult 0" "none at all" GPUS=0
finds "^ok    GPU: 1" "nothing is injected into itself" CUDA_INJECTION64_PATH=/opt/x.so \
	NVTX_INJECTION64_PATH=/opt/x.so
FILE=$TMP/device "$M" doctor >&- 2>/dev/null
is $? 1 "doctor with stdout closed: an error"
is "$(cat "$TMP/device")" "" "doctor with stdout closed: it writes into no other file"
unset LD_LIBRARY_PATH
# No search for a wheel may find one that is not there.
mkdir -p "$TMP/venv/lib/python3.99/site-packages/nvidia/cu13/lib"
: >"$TMP/venv/lib/python3.99/site-packages/nvidia/cu13/lib/libcupti.so.13"
get env CUDA_HOME= VIRTUAL_ENV="$TMP/venv" "$M" doctor
if grep -q '^ok    CUPTI: /usr/' "$TMP/out"; then
	skip "doctor: a wheel's CUPTI: there is a toolkit"
else
	has "$TMP/out" "^ok    CUPTI: $TMP/venv/lib/.*, a wheel" "doctor: a wheel's CUPTI"
fi
get "$M" doctor no-such-program
has "$TMP/out" "^FAIL  program: no-such-program: No such file" "doctor PROG: not there"
get "$M" doctor sh
has "$TMP/out" "^ok    program: /.*/sh" "doctor PROG: an ordinary one"
printf 'int main(void) { return 0; }\n' >"$TMP/main.c"
if $CC -static -o "$TMP/static" "$TMP/main.c" 2>/dev/null; then
	get "$M" doctor "$TMP/static"
	has "$TMP/out" "^FAIL  program: $TMP/static is statically linked" "doctor PROG: static"
else
	skip "doctor PROG: no static C library"
fi

if [ -n "$SIM" ] && [ -n "$SHIM" ] && [ -z "$SAN" ] && [ -n "${NVCC-unknown}" ]; then
	cp "$SHIM" "$LIB"
	get env LD_LIBRARY_PATH="$SIM" "$M" doctor
	has "$TMP/out" "^ok    library: $LIB, memsetshim $header, build " "doctor: the library"
	has "$TMP/out" "^ok    driver: $SIM/libcuda.so.1, of CUDA 13\.0" "doctor: the driver"
	has "$TMP/out" "^ok    GPU: 0, .*, compute capability [0-9]+\.[0-9]" "doctor: its GPU"
	is "$status" 0 "doctor: status 0 without a FAIL"
	is "$(cat "$TMP/err")" "" "doctor: nothing on stderr"
	get "$M" version
	has "$TMP/out" "; libmemsetshim.so $header, build [^ ,]+;" "version: the library's"
	"$M" version >&- 2>/dev/null
	is $? 1 "version with stdout closed: an error"
else
	skip "doctor and version with the library and the simulated driver: not built"
fi

# --- help, man page, completion ---
"$M" help >"$TMP/help"
sed -n 's/^  \([a-z]*\)  .*/\1/p' "$TMP/help" | grep -v '^help$' >"$TMP/commands"
[ "$(lines "$TMP/commands")" -ge 9 ]
ok $? "there are $(lines "$TMP/commands") commands"
sed -n 's/^\.Ss \([a-z]*\).*/\1/p' "$MAN" >"$TMP/man"
same "$TMP/man" "$TMP/commands" "man page: the same commands, in their order"

# The options of one command there: "--stats" and "-o --output".
man_options()
{
	awk -v name="$1" '/^\.S[sh] / { inside = $1 == ".Ss" && $2 == name }
		inside && /^\.It / { print }' "$MAN" |
		sed -n -e 's/^\.It Fl \([a-z]\) .*Fl Fl \([a-z-]*\).*/-\1 --\2/p' \
			-e 's/^\.It Fl Fl \([a-z-]*\).*/--\1/p'
}
help_options()
{
	sed -n -e 's/^  \(-[a-z]\), \(--[a-z-]*\).*/\1 \2/p' -e 's/^  \(--[a-z-]*\).*/\1/p' "$1"
}
while read -r command; do
	get "$M" help "$command"
	clean "help $command"
	has "$TMP/out" "^usage: memsetshim $command" "help $command: how it is used"
	cp "$TMP/out" "$TMP/one"
	help_options "$TMP/one" | sort >"$TMP/got"
	man_options "$command" | sort >"$TMP/wanted"
	same "$TMP/wanted" "$TMP/got" "man page: the options of $command"
	get "$M" "$command" --help
	same "$TMP/out" "$TMP/one" "$command --help is the same"
done <"$TMP/commands"
# "--skip 5"
sed -n 's/^COUNT([a-z_]*, "GAPCOUNT_\([A-Z_]*\)", \([0-9]*\),.*/\1 \2/p' \
	"$TESTS/../tools/gapcount/options.def" | tr 'A-Z_' 'a-z-' >"$TMP/wanted"
awk '/^\.S[sh] / { inside = $2 == "gaps" } /^\.It / { name = $4 }
	inside && /^The default is [0-9]*\.$/ { print name " " $4 + 0 }' "$MAN" >"$TMP/got"
same "$TMP/got" "$TMP/wanted" "man page: the counter's defaults"
is "$(man_options run | grep -c .)" 6 "man page: the options of run are found"
get "$M" run --off --help
is "$(head -n 1 "$TMP/out")" "$("$M" help run | head -n 1)" "--help behind an option"
get "$M" help nonsense
refused 2 "there is no command 'nonsense'" "help for nothing"

if command -v mandoc >/dev/null; then
	is "$(mandoc -T lint -W warning "$MAN" 2>&1)" "" "mandoc has nothing to say"
else
	skip "no mandoc"
fi

cat >"$TMP/complete" <<'SCRIPT'
. "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_memsetshim
printf '%s\n' "${COMPREPLY[@]}"
SCRIPT
# completed WORD...: what bash offers for the last
completed()
{
	PATH=$TREE/bin:$PATH bash "$TMP/complete" \
		"$TESTS/../tools/memsetshim/memsetshim.bash" memsetshim "$@"
}
if command -v bash >/dev/null; then
	completed "" | grep -v '^help$' >"$TMP/got"
	same "$TMP/got" "$TMP/commands" "completion: the commands"
	is "$(completed ver)" "version" "completion: a command begun"
	completed help "" | grep -v '^help$' >"$TMP/got"
	same "$TMP/got" "$TMP/commands" "completion: help's argument"
	while read -r command; do
		"$M" help "$command" >"$TMP/one"
		help_options "$TMP/one" | tr ' ' '\n' | sort >"$TMP/wanted"
		completed "$command" - | sed '/^$/d' | sort >"$TMP/got"
		same "$TMP/got" "$TMP/wanted" "completion: the options of $command"
	done <"$TMP/commands"
	is "$(completed env "" | tr '\n' ' ')" "sh docker mpirun slurm " "completion: env's argument"
	completed run -- tru >"$TMP/got"
	has "$TMP/got" '^true$' "completion: a program behind --"
	is "$(completed run -- ls "$TREE/li")" "$TREE/lib" "completion: a file behind PROG"
else
	skip "completion: no bash"
fi
done_testing
