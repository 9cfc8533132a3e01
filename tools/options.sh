# shellcheck shell=bash
# What tp-*.sh share; the Makefile puts it in the place of "#@ options.sh".
#
# A script sets me, does, group, operands (as in the usage line), reads,
# writes, exits, examples and options: a line LONG|SHORT|ARGUMENT|TEXT each.
# Options behind an empty line are named by --help, explained by --help=all.

version='@VERSION@'
usage="usage: $me [options] $operands"

# Functions and settings of the caller's shell change nothing here.
case $- in
*p*) ;;
*) exec "$BASH" -p -- "$0" "$@" ;;
esac
unset POSIXLY_CORRECT CDPATH
set +o posix

# TEXT as a terminal may show it: no control characters, in UTF-8 neither, and
# nothing that ends a line or turns it around
shown() {
	local s=${1//[[:cntrl:]]/?}
	s=${s//$'\302'[$'\200'-$'\237']/?}
	s=${s//$'\342\200'[$'\250'-$'\256']/?}
	s=${s//$'\342\201'[$'\246'-$'\251']/?}
	printf '%s' "$s"
}

die() {
	status=$1
	shift
	printf '%s: %s\n' "$me" "$*" >&2
	exit "$status"
}

# PROGRAM ended with STATUS: die when a signal ended it, of which bash tells
# only outside of $( ).
ended() {	# STATUS PROGRAM
	[ "$1" -le 128 ] || die 4 "$2 was ended by signal $(($1 - 128))"
}

# What tp-query answers, in VARIABLE; without such a value it is empty, and the
# status 1.  When tp-query fails the script ends.
ask() {	# VARIABLE ARGUMENT...
	local got status
	got=$(tp-query -q "${@:2}")
	status=$?
	ended $status tp-query
	[ $status -le 1 ] || die $status "tp-query failed with status $status"
	printf -v "$1" %s "$got"
	return $status
}

# Print TEXT as lines, all of it.
put() {
	printf '%s\n' "$1" 2>/dev/null || die 4 'cannot write standard output'
}

# die of wrong usage, with the usage line
die_usage() {
	printf '%s: %s\n%s\n' "$me" "$*" "$usage" >&2
	exit 2
}

# How wide help is: as the terminal, 80 elsewhere, never more than 100.
find_width() {
	width=80
	[ -t 1 ] || return 0
	width=${COLUMNS-}
	case $width in
	[2-9][0-9] | [1-9][0-9][0-9] | [1-9][0-9][0-9][0-9]) ;;
	*)
		{ width=$(stty size 2>/dev/null <&3); } 3>&1
		width=${width#* }
		;;
	esac
	[ "${width:-0}" -ge 20 ] 2>/dev/null || width=80
	[ "$width" -le 100 ] || width=100
}

# TEXT behind LEFT, its words broken into lines that begin at column INDENT
beside_it() {	# LEFT TEXT INDENT
	local line=$1 word indent=$3 first=yes
	[ "$indent" -le 8 ] || [ "$width" -ge $((2 * indent)) ] || indent=8
	set -f
	for word in $2; do
		if [ $first = yes ]; then
			line+=$word first=no
		elif [ $((${#line} + 1 + ${#word})) -gt "$width" ]; then
			printf '%s\n' "$line"
			printf -v line '%*s%s' "$indent" '' "$word"
		else
			line+=" $word"
		fi
	done
	set +f
	printf '%s\n' "$line"
}

# Explain all options, or those before the empty line and name the others, as
# the filters do (lib/tool/help.c).
option_lines() {	# all|''
	local long short arg help letter left= rest= named=
	while IFS='|' read -r long short arg help; do
		if [ -z "$long" ]; then
			rest=$left
			continue
		fi
		if [ -n "$rest" ] && [ "$1" != all ]; then
			named+="${named:+, }${short:+-$short|}--$long${arg:+=$arg}"
			continue
		fi
		letter='    '
		[ -z "$short" ] || letter="-$short, "
		left="  $letter--$long${arg:+=$arg}"
		[ ${#left} -gt 27 ] || printf -v left '%-27s' "$left"
		beside_it "$left  " "$help" 29
	done
	[ -n "$named" ] || return 0
	echo
	beside_it 'more    ' "$named (--help=all explains them)" 8
}

mdoc_lines() {
	local long short arg help
	while IFS='|' read -r long short arg help; do
		[ -n "$long" ] || continue
		printf '.It %sFl \\-%s%s\n%s.\n' "${short:+Fl $short , }" \
		    "$long" "${arg:+ Ns = Ns Ar $arg}" "$help"
	done
}

# The operands as mdoc has them: "[FILE...]" is optional.
mdoc_operands() {
	local word
	set -f
	for word in $operands; do
		case $word in
		\[*\])
			word=${word#\[}
			printf '.Op Ar %s ...\n' "${word%...\]}"
			;;
		*) printf '.Ar %s\n' "$word" ;;
		esac
	done
	set +f
}

# completions SHELL: as lib/tool/help.c writes them
completions() {
	printf '%s\n' "$options" | awk -F '|' -v me="$me" -v shell="$1" '
	function escaped(s, special, quote,	i, c, all) {
		for (i = 1; i <= length(s); i++) {
			c = substr(s, i, 1)
			all = all (c == "\047" ? quote : \
			    index(special, c) ? "\\" c : c)
		}
		return all
	}
	BEGIN {
		if (shell == "zsh")
			printf "#compdef %s\n_arguments -s", me
	}
	$1 == "" { next }
	{
		path = $3 == "FILE" || $3 == "DIR"
		# asked for its values, if there are some
		word = $3
		sub(/[^A-Z].*/, "", word)
		ask = path || word == "" ? "" : me " --help=" word " "
	}
	shell == "zsh" {
		equals = $3 == "" ? "" : "="
		printf " \\\n  \047"
		if ($2 == "")
			printf "--%s%s[", $1, equals
		else
			printf "(-%s --%s)\047{-%s%s,--%s%s}\047[", $2, $1, $2, \
			    $3 == "" ? "" : "+", $1, equals
		printf "%s]", escaped($4, "[]:\\", "\047\\\047\047")
		if ($3 != "")
			printf ":%s:%s", escaped($3, ":\\", ""), \
			    path ? "_files" : "{compadd -- ${(f)\"$(" ask \
			    "${(Q)words} 2>/dev/null)\"}; _files}"
		printf "\047"
	}
	shell == "fish" {
		printf "complete -c %s -l %s%s%s -d \047%s\047\n", me, $1, \
		    $2 == "" ? "" : " -s " $2, \
		    $3 == "" ? "" : path ? " -r" : " -r -a \047(" ask \
		    "(commandline -opc) 2>/dev/null)\047", \
		    escaped($4, "\\", "\\\047")
	}
	END {
		if (shell == "zsh")
			printf " \\\n  \047*:file:_files\047\n"
	}'
}

# help_text FORM: "", all, man, row, zsh, fish, or the name of an argument, for
# its values
help_text() {
	local line_end=$'\n'
	case $1 in
	row)
		printf '%s|`%s`|%s|%s|%s\n' "$group" "$me" "$does" "$reads" \
		    "$writes"
		;;
	man)
		printf '@SYNOPSIS\n.Nm\n.Op Ar options\n'
		mdoc_operands
		printf '@DOES\n%s\n@READS\n%s\n' "$does" "$reads"
		printf '@WRITES\n%s\n@OPTIONS\n' "$writes"
		printf '.Bl -tag -width Ds\n'
		printf '%s\n' "$options" | mdoc_lines
		printf '.El\n@EXAMPLES\n.Bd -literal -offset indent\n'
		printf '%s\n.Ed\n@END\n' "$examples"
		;;
	[A-Z]*) "$here/tp-look" --help="$1" ;;
	zsh | fish)
		completions "$1"
		;;
	*)
		beside_it '' "$usage" 7
		beside_it '' "$does" 0
		printf '\nexamples:\n'
		printf '  %s\n' "${examples//$line_end/$line_end  }"
		printf '\noptions:\n'
		printf '%s\n' "$options" | option_lines "$1"
		echo
		beside_it 'exit status: ' "$exits" 0
		;;
	esac
}

help() {	# FORM
	local text here width
	beside
	find_width
	text=$(help_text "$1") || die 4 'cannot make the help text'
	put "$text"
	exit 0
}

# take_option ARG [NEXT]: look an option up in the table.  Sets opt to its
# long name and value to its argument; shifts says how many words it took.
take_option() {
	local long short arg help
	opt= value= shifts=1
	while IFS='|' read -r long short arg help; do
		[ -n "$long" ] || continue
		case $1 in
		"--$long" | "--$long="*) ;;
		"-${short:- }") ;;
		*) continue ;;
		esac
		opt=$long
		case $1 in
		--*=*)
			[ -n "$arg" ] || die_usage "'--$long' takes no argument"
			value=${1#*=}
			;;
		*)
			[ -n "$arg" ] || break
			[ $# -gt 1 ] ||
				die_usage "an argument is missing after '$1'"
			value=$2 shifts=2
			;;
		esac
		break
	done <<EOF
$options
EOF
	case $opt in
	'') die_usage "unknown option '$(shown "$1")'" ;;
	help) help '' ;;
	version)
		put "$me (tracepipe) $version"
		exit 0
		;;
	esac
}

# no_operand TEXT: what is missing, and an example
no_operand() {
	local first=${examples%%$'\n'*}
	printf '%s: %s\n%s\n' "$me" "$1" "$usage" >&2
	printf 'for example: %s\n' "$first" >&2
	exit 2
}

# A whole number above 0 as the argument of an option.
positive() {
	case $2 in
	*[!0-9]* | '' | 0* | ??????????*)
		die 2 "--$1 takes a whole number, not '$(shown "$2")'" ;;
	esac
}

# PATH as dir, the folder it is in, and base, what it is called there
split_path() {
	base=$1
	while [ "${base%/}" != "$base" ]; do
		base=${base%/}
	done
	dir=${base%/*}
	case $base in
	'') dir=/ base=/ ;;
	*/*) base=${base##*/} dir=${dir:-/} ;;
	*) dir=. ;;
	esac
}

# The path of FOLDER from the root, in VARIABLE: a name may be "-", which cd
# takes for another folder, or end in a newline, which $(...) drops.
find_folder() {	# VARIABLE FOLDER
	local at=$2
	case $at in
	/*) ;;
	*) at=./$at ;;
	esac
	at=$(cd -- "$at" 2>/dev/null && pwd && echo .) || return 1
	printf -v "$1" %s "${at%??}"
}

# The path of FILE from the root, in VARIABLE
find_file() {	# VARIABLE FILE
	local dir base in_folder
	split_path "$2"
	find_folder in_folder "$dir" &&
	    printf -v "$1" %s "${in_folder%/}/$base"
}

# TEXT as a word of a shell
quoted() {
	local rest=$1
	case $1 in
	'' | *[!A-Za-z0-9._/+-]*)
		printf "'"
		while [[ $rest = *\'* ]]; do
			printf "%s'\\\\''" "${rest%%\'*}"
			rest=${rest#*\'}
		done
		printf "%s'" "$rest"
		;;
	*) printf '%s' "$1" ;;
	esac
}

# The folder this script lies in, here: PATH may have a link to it.
find_here() {
	local self=$0 link dir base hops=0
	while [ -L "$self" ] && [ $((hops += 1)) -le 40 ]; do
		split_path "$self"
		link=$(readlink "$dir/$base") && [ -n "$link" ] || break
		case $link in
		/*) self=$link ;;
		*) self=$dir/$link ;;
		esac
	done
	split_path "$self"
	find_folder here "$dir" || die 4 'cannot find the folder of this program'
}

# The filters stand beside this script.
beside() {
	find_here
	PATH=$here:$PATH
	export PATH
}
