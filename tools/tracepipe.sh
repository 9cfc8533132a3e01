#!/usr/bin/env bash
# tracepipe - name the filters, explain one, run one
#
# The list of filters is made with the programs (the Makefile puts it in the
# place of "#@ filters"): nothing else is run, whatever lies beside it.
set -u

me=tracepipe
does='name the filters, explain one, run one'
group=look
operands='[FILTER|help [FILTER]] [ARGUMENT...]'
reads='what the filter reads'
writes='the list of filters, manuals, what the filter writes'
exits='as the filter; else 0 done, 2 usage, 4 I/O error'

options='
help|h||print this, then exit
version|V||print the version, then exit'

examples='tp-report --list traces
tp-report traces > report.md
tp-trace trace.json.gz | tp-render'

# GROUP|FILTER|WHAT IT DOES, in the order in which a trace goes through them
read -r -d '' filters <<'EOF'
#@ filters
EOF

#@ options.sh

print_list() {
	local width last='' group name does
	find_width
	beside_it '' "$usage" 7
	while IFS='|' read -r group name does; do
		[ "$group" = "$last" ] || printf '\n%s\n' "$group"
		last=$group
		printf -v name '  %-18s' "$name"
		beside_it "$name" "$does" 20
	done <<<"$filters"
	printf '\nto begin with:\n'
	printf '  %s\n' "${examples//$'\n'/$'\n'  }"
	printf '\n'
	beside_it '' "'tracepipe help tp-report' explains a filter, 'tracepipe help' how they go together" 0
}

# The name of filter X, which stands for tp-X, in filter; 1: there is none.
find_filter() {
	local name
	filter=tp-${1#tp-}
	while IFS='|' read -r _ name _; do
		[ "$name" != "$filter" ] || return 0
	done <<<"$filters"
	return 1
}

# How many letters of A have to be changed, added, left out or swapped with the
# next to make B of it: distance
measure() {	# A B
	local i j least row=() above=() before
	for ((j = 0; j <= ${#2}; j++)); do
		row[j]=$j
	done
	for ((i = 1; i <= ${#1}; i++)); do
		before=("${above[@]}") above=("${row[@]}") row=("$i")
		for ((j = 1; j <= ${#2}; j++)); do
			least=${above[j - 1]}
			[ "${1:i-1:1}" = "${2:j-1:1}" ] || ((least += 1))
			((least <= above[j] + 1)) || ((least = above[j] + 1))
			((least <= row[j - 1] + 1)) ||
			    ((least = row[j - 1] + 1))
			if ((i > 1 && j > 1)) &&
			    [ "${1:i-2:2}" = "${2:j-1:1}${2:j-2:1}" ] &&
			    ((least > before[j - 2] + 1)); then
				((least = before[j - 2] + 1))
			fi
			row[j]=$least
		done
	done
	distance=${row[${#2}]}
}

# No filter is called X: die, and say what may have been meant.
die_unknown() {
	local said=${1#tp-} name short most like=''
	most=$((${#said} / 3))
	if [ ${#said} -ge 2 ] && [ ${#said} -le 40 ]; then
		while IFS='|' read -r _ name _; do
			short=${name#tp-}
			measure "$said" "$short"
			if [ "$distance" -le $((most < 1 ? 1 : most)) ] ||
			    [[ ${#said} -ge 3 && $short = *"$said"* ]]; then
				like+=", $name"
			fi
		done <<<"$filters"$'\n''|help|'
	fi
	[ -z "$like" ] ||
	    die 2 "there is no filter '$(shown "$1")'; did you mean ${like#, }?"
	die 2 "there is no filter '$(shown "$1")'; 'tracepipe' lists all"
}

# Show PAGE of SECTION by man and exit; 1 where there is no man, or no page.
show_page() {	# PAGE SECTION
	local file
	command -v man >/dev/null || return 1
	for file in "$here/man/$1.$2" "$here/../share/man/man$2/$1.$2"; do
		if [ -r "$file" ]; then
			man "$file" && exit 0
		fi
	done
	man "$2" "$1" 2>/dev/null && exit 0
	return 1
}

explain() {	# [WHAT]
	case ${1-} in
	'' | tracepipe)
		show_page tracepipe 7
		put "$(print_list)"
		;;
	help) show_page tracepipe 1 || help '' ;;
	record | tp-record)
		show_page tp-record 5 || die 4 'cannot show tp-record(5): man or its page is missing'
		;;
	*)
		find_filter "$1" || die_unknown "$1"
		show_page "$filter" 1
		run "$filter" --help
		;;
	esac
	exit 0
}

run() {	# FILTER ARGUMENT...
	[ -x "$here/$1" ] || die 4 "there is no $1 in '$(shown "$here")'; install tracepipe again"
	exec "$here/$1" "${@:2}"
}

case ${1-} in
--help=FILTER)	# for completions
	put "$(sed 's/^[^|]*|tp-\([^|]*\)|.*/\1/' <<<"$filters")"
	exit 0
	;;
--help=*) help "${1#*=}" ;;
--)
	shift
	;;
-?*) take_option "$@" ;;
esac
find_here
case ${1-} in
'')
	[ $# -eq 0 ] || die_usage "there is no filter ''"
	put "$(print_list)"
	;;
help)
	[ $# -le 2 ] || die_usage 'help takes one filter'
	explain "${@:2}"
	;;
*)
	find_filter "$1" || die_unknown "$1"
	run "$filter" "${@:2}"
	;;
esac
