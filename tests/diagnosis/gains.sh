#!/bin/sh
# gains.sh: how often what tp-path promises is what the change would save
#
#	gains.sh [-v] [--sample] [--counts] [--only NAME] [FILE]
#
# Each run of FILE (default: gains.tsv) is made at three noises, of two causes
# with three seeds.  What its what-ifs would save, each cause alone and both at
# once, is held to what the simulated run loses without them: right within 10 %,
# or 1 % of the window.  NAME is a cause, or two with "+" between.  -v says what
# was wrong, -vv all; --sample takes the marked runs at one noise; --counts
# prints numbers alone, with tabs between.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PATH=$(cd "${TP_BUILD:-$here/../../build}" && pwd):$PATH
LC_ALL=C
XDG_CONFIG_HOME=/nonexistent
export PATH LC_ALL XDG_CONFIG_HOME
noises='2 10 30' sample=false verbose=0 counts=false only='' one=''

usage() {
	echo 'usage: gains.sh [-v] [--sample] [--counts] [--only NAME]' \
	    '[FILE]' >&2
	exit 2
}

# cause NAME FIELD: its what-ifs, or the words without it.
cause() {
	awk -F '\t' -v name="=$1" -v field="$2" '$1 == name { print $field }' \
	    "$file"
}

# replay CAUSE...: what all their what-ifs would save, and the window.
replay() {
	for name; do
		cause "$name" 2 | tr '|' '\n'
	done | {
		set --
		while IFS= read -r what; do
			set -- "$@" --what-if "$what"
		done
		tp-path -q "$@" "$dir/trace"
	} | jq -nr '[inputs] | "\(map(select(.kind == "path.gain"))[-1].gain_ns)
	    \(map(select(.kind == "path.window"))[0].duration_ns)" |
	    gsub("\\s+"; "\t")'
}

# case NOISE SEED: the run of NAMES and WORDS; a line for each promise.
case_lines() {
	set -- $words "noise=$1" "seed=$2"
	for name in $names; do
		set -- "$@" -- "$name" $(cause "$name" 3)
	done
	set -- "$@" -- both
	for name in $names; do
		set -- "$@" $(cause "$name" 3)
	done
	mkkineto --out "$dir" "$@" || exit 255
	mv "$dir"/trace/*.json "$dir/t" && rm -r "$dir/trace" &&
	    mv "$dir/t" "$dir/trace"
	i=0
	for name in $names both; do
		case $name in
		both) [ $i -gt 1 ] || continue; set -- $names ;;
		*) set -- "$name" ;;
		esac
		printf '%s\t%s\t%s\t%s\n' "$title" "$name" "$(jq \
		    ".causes[$i].window_gain_ns" "$dir/truth.json")" \
		    "$(replay "$@")"
		i=$((i + 1))
	done
	rm -r "$dir/trace"
}

while [ $# -gt 0 ]; do
	case $1 in
	-v) verbose=1 ;;
	-vv) verbose=2 ;;
	--sample) sample=true noises=10 ;;
	--counts) counts=true ;;
	--only) [ $# -gt 1 ] || usage; only=$2; shift ;;
	--one) [ $# -gt 2 ] || usage; one=$2 noises=$3; shift 2 ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -le 1 ] || usage
file=${1:-$here/gains.tsv}

# One run, in a process of its own.
if [ -n "$one" ]; then
	dir=$(mktemp -d) || exit 255
	trap 'rm -rf "$dir"' EXIT
	# an empty field is one: read joins tabs
	sed -n "${one}p" "$file" | tr '\t' '|' | {
		IFS='|' read -r title mark words
		names=$(echo "$title" | tr + ' ')
		case_lines "$noises" "$one" | sed "s/\$/	$one	$noises/"
	}
	exit
fi
tmp=$(mktemp) list=$(mktemp) || exit 4
trap 'rm -f "$tmp" "$list"' EXIT
awk -F '\t' -v only="$only" -v sample=$sample -v noises="$noises" '
/^[#=]/ || (only != "" && only != "gains" && $1 != only) { next }
sample == "true" && $2 != "*" { next }
{ n = split(noises, list, " "); for (i = 1; i <= n; i++) print NR, list[i] }
' "$file" >"$list"
# without a line xargs would run this script once, and that would do the same
[ -s "$list" ] || { echo 'gains.sh: no such run' >&2; exit 2; }
xargs -P "${JOBS:-2}" -L 1 sh -c 'sh "$0" --one "$2" "$3" "$1" || exit 255' \
    "$0" "$file" <"$list" >"$tmp" || exit 2
sort -t '	' -k 6n -k 7n -o "$tmp" "$tmp"
awk -F '\t' -v counts=$counts -v verbose=$verbose '
{
	off = $4 - $3; far = off < 0 ? -off : off; truth = $3 < 0 ? -$3 : $3
	right = $4 != "null" && (far <= truth / 10 || far <= $5 / 100)
	if (verbose > right)
		printf "# %s, %s, line %d, noise %d %%: %.1f ms of %.1f, " \
		    "truth %.1f\n", $1, $2, $6, $7, $4 / 1e6, $5 / 1e6, $3 / 1e6
	if (!($1 in runs))
		order[++kinds] = $1
	if (!(($1, $6, $7) in seen)) {
		seen[$1, $6, $7] = 1
		runs[$1]++
	}
	is_both = $2 == "both"
	n[$1, is_both]++
	good[$1, is_both] += right
	all[is_both]++
	all_good[is_both] += right
}
END {
	if (counts == "false")
		print "| run | runs | alone | right | both | right |" \
		    "\n|---|---:|---:|---:|---:|---:|"
	form = "| %s | %d | %d | %d | %d | %d |\n"
	if (counts == "true")
		form = "%s\t%d\t%d\t%d\t%d\t%d\n"
	for (i = 1; i <= kinds; i++) {
		k = order[i]
		printf form, k, runs[k], n[k, 0], good[k, 0], n[k, 1],
		    good[k, 1]
		sum += runs[k]
	}
	if (counts == "false")
		printf "| **all** | %d | %d | %d | %d | %d |\n", sum, all[0],
		    all_good[0], all[1], all_good[1]
}' "$tmp"
