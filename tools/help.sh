# shellcheck shell=sh
# Copied into the scripts by make, so that their option tables make what those
# of the filters make: --help, man page, README row and completions.  They set
#	me does usage examples reads writes group synopsis (operands, in mdoc) exits
#	options: LONG|SHORT|ARGUMENT|HELP, a line each; SHORT and ARGUMENT may
#	be empty

option_lines() {
	printf '%s\n' "$options" | while IFS='|' read -r long short arg help; do
		[ -n "$long" ] || continue
		left="    --$long${arg:+=$arg}"
		[ -z "$short" ] || left="-$short, ${left#    }"
		printf '  %-26s %s\n' "$left" "$help"
	done
}

mdoc_lines() {
	printf '%s\n' "$options" | while IFS='|' read -r long short arg help; do
		[ -n "$long" ] || continue
		printf '.It %sFl \\-%s%s\n%s.\n' "${short:+Fl $short , }" \
		    "$long" "${arg:+ Ns = Ns Ar $arg}" "$help"
	done
}

# completions SHELL: as lib/tool_help.c writes them
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
		if (shell == "bash")
			printf "complete -o default -W \047"
	}
	$1 == "" { next }
	{ path = $3 == "FILE" || $3 == "DIR" }
	shell == "bash" { printf "%s--%s", n++ ? " " : "", $1 }
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
			    path ? "_files" : ""
		printf "\047"
	}
	shell == "fish" {
		printf "complete -c %s -l %s%s%s -d \047%s\047\n", me, $1, \
		    $2 == "" ? "" : " -s " $2, \
		    $3 == "" ? "" : path ? " -r" : " -x", \
		    escaped($4, "\\", "\\\047")
	}
	END {
		if (shell == "zsh")
			printf " \\\n  \047*:file:_files\047\n"
		if (shell == "bash")
			printf "\047 %s\n", me
	}'
}

# help FORM: "", man, row, bash, zsh or fish; and exit
help() {
	case $1 in
	row)
		printf '%s|`%s`|%s|%s|%s\n' "$group" "$me" "$does" "$reads" \
		    "$writes"
		;;
	man)
		printf '@SYNOPSIS\n.Nm\n.Op Ar options\n%s\n' "$synopsis"
		printf '@DOES\n%s\n@READS\n%s\n' "$does" "$reads"
		printf '@WRITES\n%s\n@OPTIONS\n.Bl -tag -width Ds\n' "$writes"
		mdoc_lines
		printf '.El\n@EXAMPLES\n.Bd -literal -offset indent\n'
		printf '%s\n.Ed\n@END\n' "$examples"
		;;
	bash | zsh | fish)
		completions "$1"
		;;
	*)
		printf '%s\n%s\n\nexamples:\n' "$usage" "$does"
		printf '%s\n' "$examples" | sed 's/^/  /'
		printf '\noptions:\n'
		option_lines
		printf '\nexit status: %s\n' "$exits"
		;;
	esac
	exit 0
}
