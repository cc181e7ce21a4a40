# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# lib.sh - what the scripts of tests/gpu share: TAP, bars, medians.  Sourced, not run.
#
# A bar is a limit on a measured number.  It is a TAP check, and a line of
# $RESULTS/bars.tsv (name, value, limit, PASS or FAIL), which run.sh makes a table of.
set -u

B=${B:-build}
RESULTS=${RESULTS:-$B/results}
CUDA=${CUDA:-/usr/local/cuda}
PYTHON=${PYTHON:-python3}
SHIM=$(realpath "$B/libmemsetshim.so" 2>/dev/null) || SHIM=
WITNESS_LIB=$(realpath "$B/gpu/witness.so" 2>/dev/null) || WITNESS_LIB=
export RESULTS PYTHONDONTWRITEBYTECODE=1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
mkdir -p "$RESULTS"
TAP_COUNT=0
TAP_FAILED=0

# The user's own settings are not what is tested.
for name in $(env | sed -n 's/^\(MEMSETSHIM[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

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

# is GOT WANTED WHAT
is()
{
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || echo "# got '$1', wanted '$2'"
}

skip()
{
	TAP_COUNT=$((TAP_COUNT + 1))
	echo "ok $TAP_COUNT # SKIP $*"
}

diag()
{
	echo "# $*"
}

# Indents a file as diagnostics, its last lines only.
diag_file()
{
	[ -f "$1" ] && tail -n "${2:-15}" "$1" | sed 's/^/# /'
}

done_testing()
{
	echo "1..$TAP_COUNT"
	[ "$TAP_FAILED" -eq 0 ] && [ "$TAP_COUNT" -gt 0 ]
	exit
}

# adopt COMMAND...: runs a program that prints TAP and goes on numbering after it
adopt()
{
	{
		"$@"
		echo $? >"$WORK/adopted.rc"
	} | tee "$WORK/adopted" | sed -u '/^1\.\.[1-9]/d'
	grep -q '^1\.\.0' "$WORK/adopted" && exit 0
	TAP_COUNT=$(grep -c '^ok \|^not ok ' "$WORK/adopted")
	TAP_FAILED=$(grep -c '^not ok ' "$WORK/adopted")
	is "$(cat "$WORK/adopted.rc")" 0 "and it ends with status 0"
}

# bar NAME VALUE LIMIT: VALUE has to be a number and at most LIMIT
bar()
{
	verdict=$(awk -v v="$2" -v l="$3" \
		'BEGIN { print v ~ /^-?[0-9.]+$/ && v + 0 <= l + 0 ? "PASS" : "FAIL" }')
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$verdict" >>"$RESULTS/bars.tsv"
	[ "$verdict" = PASS ]
	ok $? "$1: $2, at most $3"
}

# The median of the numbers in a file, one a line; "none" when there are none.
median()
{
	sort -g "$1" 2>/dev/null | awk '{ v[NR] = $1 }
		END { if (!NR) print "none"
		      else if (NR % 2) print v[(NR + 1) / 2]
		      else print (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# ratio A B: A / B, four decimals
ratio()
{
	awk -v a="$1" -v b="$2" \
		'BEGIN { if (b + 0 > 0) printf "%.4f\n", a / b; else print "none" }'
}

# The samples in a file as the inside of a JSON array
json_list()
{
	paste -s -d, "$1" 2>/dev/null
}

have_gpu()
{
	for device in /dev/nvidia[0-9]* /dev/dxg; do
		[ -e "$device" ] && return 0
	done
	nvidia-smi -L >/dev/null 2>&1
}

need_gpu()
{
	have_gpu || skip_all "no GPU on this machine"
	[ -n "$SHIM" ] || skip_all "no $B/libmemsetshim.so"
}

# find_lib NAME: libNAME.so.13 or .12 of the toolkit, else the one that PyTorch brought
find_lib()
{
	for path in "$CUDA"/lib64 "$CUDA"/extras/CUPTI/lib64 "$CUDA"/targets/*/lib \
		"$CUDA"/lib $("$PYTHON" -c 'import sys
for p in sys.path:
    for part in "cu13", "cublas", "cuda_cupti":
        print(f"{p}/nvidia/{part}/lib")' 2>/dev/null); do
		for version in 13 12; do
			if [ -e "$path/lib$1.so.$version" ]; then
				realpath "$path/lib$1.so.$version"
				return
			fi
		done
	done
	echo "lib$1.so.13"
}

# witnessed FILE COMMAND...: runs it under the witness, whose lines go to FILE
witnessed()
{
	witness_out=$1
	shift
	: >"$witness_out"
	env CUDA_INJECTION64_PATH="$WITNESS_LIB" WITNESS="$witness_out" \
		WITNESS_CUPTI="$(find_lib cupti)" "$@"
}

# witness_count FILE KIND: the sum of KIND over all processes, or why there is none
witness_count()
{
	awk -v kind="$2" '/unavailable/ { bad = 1 }
		/^witness: memset/ { n++; for (i = 2; i < NF; i++) if ($i == kind) s += $(i + 1) }
		END { print bad ? "unavailable" : n ? s + 0 : "silent" }' "$1"
}
