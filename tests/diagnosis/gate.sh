#!/bin/sh
# gate.sh: how often the gate and the comparison are right about several runs
#
#	gate.sh [-v] [--sample] [--counts] [--pairs N] [--only CASE] [FILE]
#
# Each line of FILE (default: gate.tsv) is made as a hundred pairs, each with
# random numbers that its name and the pair's alone decide.  -v says each bound
# that was broken; --sample takes twenty pairs of the lines that are marked;
# --counts prints numbers alone, with tabs between.  1 when a bound is broken.
#
# Bounds are on what the pairs are a sample of: "gate<=5" is broken when so many
# of them fail as fewer than one in twenty samples would have if 5 % failed.
#	gate	pairs that do not pass the gate
#	worse, better	so says the comparison of them
#	wrong	of those where nothing changed, a change is said
#	rows	of operations said to have changed, those that did not: the mean
#		share of a pair
#	found	operations that did change and are said to
#	cover	95 % intervals of the time from step to step that hold the truth
#		(one in a thousand samples: many cases are held to it)
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PATH=$(cd "${TP_BUILD:-$here/../../build}" && pwd):$PATH
LC_ALL=C
XDG_CONFIG_HOME=/nonexistent
export PATH LC_ALL XDG_CONFIG_HOME
pairs=100 sample=false verbose=false counts=false only='' one=''

usage() {
	echo 'usage: gate.sh [-v] [--sample] [--counts] [--pairs N]' \
	    '[--only CASE] [FILE]' >&2
	exit 2
}

# broke WHAT: a program that says neither yes nor no ends it all.
broke() {
	echo "gate.sh: $name, pair $pair: $1 ended with status $status" >&2
	cat "$dir/err" >&2
	exit 255
}

# runs OPTION FILE...: the option before each.
runs() {
	option=$1
	shift
	printf " $option %s" "$@"
}

# sides: the operands of a pair, or options where there are several runs.
sides() {
	set -- $pair/before-* $pair/after-*
	if [ $# -eq 2 ]; then
		echo "$@"
	else
		runs --before $pair/before-*
		runs --after $pair/after-*
	fi
}

# remember FILE...: put runs on record.
remember() {
	tp-track -q --no-fail --history $pair/history $(runs --after "$@") \
	    >"$dir/said" 2>"$dir/err"
	status=$?
	[ $status -eq 0 ] || broke 'tp-track of runs on record'
}

# judge: what the gate and the comparison say of a pair.
judge() {
	case $how in
	history)
		remember $pair/before-*
		operands="--history $pair/history"
		operands="$operands $(runs --after $pair/after-*)" ;;
	beside)
		remember $pair/before-0[2-9].* $pair/before-[1-9]*
		operands="--history $pair/history --before $pair/before-01.*"
		operands="$operands $(runs --after $pair/after-*)" ;;
	*) operands=$(sides) ;;
	esac
	tp-track -q --only track.summary $operands 2>"$dir/err"
	status=$?
	[ $status -le 1 ] || broke tp-track
	echo "pair $status"
	[ ! -e $pair/history ] || return 0
	tp-compare -q --only compare.summary,compare.metric,compare.row \
	    $operands 2>"$dir/err"
	status=$?
	[ $status -le 1 ] || broke tp-compare
}

# One case, in a process of its own.
case_counts() {
	dir=$(mktemp -d) || exit 255
	trap 'rm -rf "$dir"' EXIT
	documents=
	[ "$how" != documents ] || documents=--documents
	mkgate $documents --pairs "$pairs" --seed "$name" --out "$dir/runs" \
	    $words || exit 255
	# a temporary folder may have blanks in its name
	cd "$dir/runs" || exit 255
	pair=0
	while [ $pair -lt "$pairs" ]; do
		pair=$((pair + 1))
		judge
	done >"$dir/out"
	awk -f "$here/gate/count.awk" -v title="$name" truth.tsv "$dir/out" ||
		exit 255
}

while [ $# -gt 0 ]; do
	case $1 in
	-v) verbose=true ;;
	--sample) sample=true pairs=20 ;;
	--counts) counts=true ;;
	--pairs) [ $# -gt 1 ] || usage; pairs=$2; shift ;;
	--only) [ $# -gt 1 ] || usage; only=$2; shift ;;
	--one) [ $# -gt 1 ] || usage; one=$2; shift ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -le 1 ] || usage
file=${1:-$here/gate.tsv}

if [ -n "$one" ]; then
	# an empty field is one: read joins tabs
	sed -n "${one}p" "$file" | tr '\t' '|' | {
		IFS='|' read -r name mark how bounds words
		case_counts
	}
	exit
fi
tmp=$(mktemp) || exit 4
trap 'rm -f "$tmp"' EXIT
awk -F '\t' -v only="$only" -v sample=$sample '!/^#/ && (only == "" ||
    only == "gate" || $1 == only) && (sample == "false" || $2 == "*") {
	print NR }' "$file" |
    xargs -P "${JOBS:-2}" -I @ sh "$0" --pairs "$pairs" --one @ "$file" \
	>"$tmp" || exit 2
[ -s "$tmp" ] || { echo 'gate.sh: no such case' >&2; exit 2; }
awk -F '\t' -f "$here/gate/table.awk" -v counts=$counts -v verbose=$verbose \
    "$tmp" "$file"
