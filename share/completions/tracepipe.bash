# tracepipe.bash - completion in bash, of all programs
#
# The options come from --help=all of the program, run when the key is pressed.
# "--help=WORD OPERAND..." lists the values of an argument called WORD there.  An
# argument without such values is completed as a file.

# Set word to the argument of OPTION ("-x", "--long") in the text of --help=all:
# empty, "FILE", or "[=FILE]" if it has to follow a "=".
_tracepipe_option() {	# OPTION HELP
	local line form='^  (-(.),|   ) --([a-z0-9-]+)=?([^ ]*)'
	word=
	while IFS= read -r line; do
		[[ $line =~ $form ]] || continue
		case $1 in
		"-${BASH_REMATCH[2]:- }" | "--${BASH_REMATCH[3]}")
			word=${BASH_REMATCH[4]}
			return
			;;
		esac
	done <<<"$2"
}

# WORD as it is without quotes, in plain
_tracepipe_plain() {	# WORD
	plain=$1
	case $1 in
	[\'\"]*) plain=${1#?} plain=${plain%"${1%"${1#?}"}"} ;;
	*\\*) plain=$(sed 's/\\\(.\)/\1/g' <<<"$1") ;;
	esac
}

_tracepipe() {
	local program=$1 help all words=() operands=() list=()
	local want= only= quote= n=0 w word plain cur last=
	COMPREPLY=()
	[ -x "$program" ] || program=${program##*/}
	help=$("$program" --help=all 2>/dev/null </dev/null) || return

	# a "=" is a word of its own there
	for w in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
		if [ "$w" = = ] || [ "$last" = = ]; then
			words[${#words[@]} - 1]+=$w
		else
			words+=("$w")
		fi
		last=$w
	done
	cur=${words[${#words[@]} - 1]}
	for w in "${words[@]:1:${#words[@]} - 2}"; do
		if [ -n "$want" ]; then
			want=
			continue
		fi
		case $only$w in
		--) only=1 ;;
		-?*=*) ;;
		-?*)
			_tracepipe_option "$w" "$help"
			[[ $word = '['* ]] || want=$word
			;;
		*) n=$((n + 1)) ;;
		esac
	done

	# what the argument is called
	if [ -n "$want" ]; then
		word=$want
	elif [ -z "$only" ] && [[ $cur = -*=* ]]; then
		_tracepipe_option "${cur%%=*}" "$help"
		word=${word#\[=} word=${word%\]} cur=${cur#*=}
	elif [ -z "$only" ] && [[ $cur = -* ]]; then
		all=$(sed -n 's/^  \(-.,\|   \) \(--[a-z0-9-]*=\{0,1\}\).*/\2/p' \
		    <<<"$help")
		COMPREPLY=($(compgen -W "$all" -- "$cur"))
		[[ ${#COMPREPLY[@]} -ne 1 || $COMPREPLY != *= ]] ||
			compopt -o nospace 2>/dev/null
		return
	else
		read -r word <<<"$help"
		read -r -a list <<<"${word#*\[options\]}"
		word=${list[n]-}
		word=${word#\[}
		word=${word%%]*}
	fi
	while [[ $word = *=* && $cur = *=* ]]; do
		word=${word#*=} cur=${cur#*=}
	done

	_tracepipe_plain "$cur"
	cur=$plain
	for w in "${COMP_WORDS[@]:1}"; do
		_tracepipe_plain "$w"
		operands+=("$plain")
	done
	all=
	IFS='|' read -r -a list <<<"${word%%[[=]*}"
	for w in ${list[@]+"${list[@]}"}; do
		case $w in
		[a-z]*) all+=$w$'\n' ;;
		[A-Z]*) all+=$("$program" --help="$w" "${operands[@]}" \
		    2>/dev/null </dev/null)$'\n' ;;
		esac
	done
	while IFS= read -r w; do
		[[ -n $w && $w = "$cur"* ]] || continue
		COMPREPLY+=("$w")
		[[ $w != *[!A-Za-z0-9._-]* ]] || quote=1
	done <<<"$all"
	if [ ${#COMPREPLY[@]} -eq 0 ] || [[ $word = *\|FILE* ]]; then
		quote=1
		while IFS= read -r w; do
			[ -z "$w" ] || COMPREPLY+=("$w")
		done <<<"$(compgen -f -- "$cur")"
	fi
	# with quotes where they are needed; a value is no folder of that name
	[ -z "$quote" ] || compopt -o filenames 2>/dev/null
}

complete -F _tracepipe @PROGRAMS@
