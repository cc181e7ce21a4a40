# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# memsetshim.bash - completion for bash.  Asks the command itself, so that there is no
# list here that could be out of date.

_memsetshim_words()
{
	# Commands and options stand at the beginning of a line: "  run  ..." and
	# "  -o, --output PATH".
	memsetshim help "$@" 2>/dev/null | sed -n \
		-e 's/^  \(-[a-z]\), \(--[a-z-]*\).*/\1 \2/p' -e 's/^  \(--[a-z-]*\).*/\1/p' \
		-e 's/^  \([a-z][a-z]*\)  .*/\1/p'
}

_memsetshim()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_memsetshim_words)" -- "$word")
		return
	fi
	case $command in
	help)
		mapfile -t COMPREPLY < <(compgen -W "$(_memsetshim_words)" -- "$word")
		return
		;;
	env)
		mapfile -t COMPREPLY < <(compgen -W "$(memsetshim help env |
			sed -n '1s/.*\[\(.*\)\].*/\1/p' | tr '|' ' ')" -- "$word")
		return
		;;
	esac
	# Behind "--" it is PROG's line: its name first.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			if [ $((i + 1)) -eq "$COMP_CWORD" ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$word")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$word")
			fi
			return
		fi
	done
	case $word in
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$(_memsetshim_words "$command")" \
			-- "$word")
		;;
	*)
		mapfile -t COMPREPLY < <(compgen -c -f -- "$word")
		;;
	esac
}

complete -F _memsetshim memsetshim
