#!/bin/sh
# SPDX-License-Identifier: MIT
# memsetshim compare on programs that know nothing of it: no memset node is left in their
# graphs, their outputs are the same, and none is slower.  See apps/README.md.
# shellcheck source=tests/gpu/lib.sh
. "$(dirname "$0")/lib.sh"
need_gpu
APPS=$(dirname "$0")/apps
COMMAND=$B/memsetshim
PAIRS=${COMPARE_PAIRS:-6}
ONLY=${COMPARE_ONLY:-}
[ -x "$COMMAND" ] || skip_all "no $COMMAND"
mkdir -p "$RESULTS/compare"

# compare NAME PROGRAM...: its result is $RESULTS/compare/NAME.json
compare()
{
	name=$1
	shift
	case " ${ONLY:-$name} " in *" $name "*) ;; *) return ;; esac
	if ! [ -x "$1" ] && ! command -v "$1" >/dev/null; then
		skip "$name: there is no $1"
		return
	fi
	rm -f "$RESULTS/compare/$name".*
	"$COMMAND" compare --pairs "$PAIRS" -o "$RESULTS/compare/$name.json" \
		-o "$RESULTS/compare/$name.html" -o "$RESULTS/compare/$name.txt" -- "$@" \
		>"$WORK/out" 2>"$WORK/err"
	status=$?
	diag_file "$WORK/out" 5
	diag_file "$WORK/err" 30
	if grep -q "another tool has CUPTI\|no libcupti\|ModuleNotFoundError" "$WORK/err"; then
		skip "$name: $(grep -m1 'another tool\|no libcupti\|ModuleNot' "$WORK/err")"
		return
	fi
	if [ "$status" -eq 77 ]; then
		skip "$name: $(tail -n 1 "$WORK/err")"
		return
	fi
	"$PYTHON" "$(dirname "$0")/compare.py" "$name" "$RESULTS/compare/$name.json" \
		"$status" >"$WORK/verdict"
	while read -r word rest; do
		case $word in
		ok) ok 0 "$rest" ;;
		not_ok) ok 1 "$rest" ;;
		*) diag "$rest" ;;
		esac
	done <"$WORK/verdict"
	[ -s "$WORK/verdict" ] || ok 1 "$name: there is a result (status $status)"
}

compare between "$B/gpu/between" 300 memset
compare between-none "$B/gpu/between" 300 none
for branches in 2 4; do
	compare "fork-$branches" "$B/gpu/branches" memset 200 300 "$branches"
done
for runtime in static shared; do
	compare "seed-$runtime" "$B/gpu/seed-$runtime" memset
done
compare splitk "$B/gpu/splitk" 300 "$(find_lib cublas)"
compare seed-float32 "$PYTHON" "$APPS/seed_torch.py" 100 float32
compare seed-bfloat16 "$PYTHON" "$APPS/seed_torch.py" 100 bfloat16
compare transformer "$PYTHON" "$APPS/transformer.py"
compare train "$PYTHON" "$APPS/train.py"
compare conv "$PYTHON" "$APPS/conv.py"
if [ -s "$RESULTS/compare/between.json" ]; then
	bar "gap counter: predicted / recovered, between (off by)" "$("$PYTHON" \
		"$(dirname "$0")/compare.py" --off "$RESULTS/compare/between.json")" 0.25
fi
"$PYTHON" "$(dirname "$0")/compare.py" --table "$RESULTS"/compare/*.json \
	>"$RESULTS/compare.md"
done_testing
