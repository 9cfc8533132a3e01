#!/bin/sh
# suite.sh: how often the judgement of a run whose bottleneck is known is right
#
#	suite.sh [-v] [--sample] [--counts] [--only CAUSE] [--keep DIR] [FILE...]
#
# CAUSE (without --only: what ONLY says) is one of a FILE, or "fusion" for all
# pairs of traces (pairs.sh), "gate" for all pairs of runs (gate.sh) and "gains"
# for what tp-path promises (gains.sh), which follow the FILEs where all are run.
# Makes each case of FILEs (default: all of this folder), reports on it, and
# prints a table for each source.  -v says of each case that was judged wrong
# what was expected and what came; --sample takes the least size of one cause and
# the largest of the next, or those that the case names, one noise and one seed;
# --counts prints the table's numbers alone, with tabs between; --keep leaves runs
# and reports in DIR, which must be new.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PATH=$(cd "${TP_BUILD:-$here/../../build}" && pwd):$PATH
LC_ALL=C
# rules of whoever runs this are none of ours
XDG_CONFIG_HOME=/nonexistent
export PATH LC_ALL XDG_CONFIG_HOME
sample=false verbose=false counts=false only=${ONLY-} keep=''

usage() {
	echo 'usage: suite.sh [-v] [--sample] [--counts] [--only CAUSE]' \
	    '[--keep DIR] [FILE...]' >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	-v) verbose=true ;;
	--sample) sample=true ;;
	--counts) counts=true ;;
	--only) [ $# -gt 1 ] || usage; only=$2; shift ;;
	--keep) [ $# -gt 1 ] || usage; keep=$2; shift ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
# pairs SCRIPT: a table of its own
pairs() {
	script=$1
	shift
	$verbose && set -- -v
	sh "$here/$script" ${1+"$@"} ${only:+--only "$only"}
}
# is_pair NAME FILE: whether ONLY is that, or a case of FILE
is_pair() {
	[ "$only" = "$1" ] || { [ -n "$only" ] && grep -q "^$only	" "$2"; }
}
if is_pair fusion "$here/pairs.tsv"; then
	pairs pairs.sh
	exit
elif is_pair gate "$here/gate.tsv"; then
	pairs gate.sh
	exit
elif is_pair gains "$here/gains.tsv"; then
	pairs gains.sh
	exit
fi
whole=false
[ $# -gt 0 ] || {
	set -- "$here"/*.json
	[ -n "$only" ] || whole=true
}

tmp=$(mktemp -d) || exit 4
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
dir=$tmp
if [ -n "$keep" ]; then
	mkdir "$keep" && dir=$(cd "$keep" && pwd) || exit 4
fi
KEEP=$keep
export KEEP

# One line per run: its name, then words for the generator.  No word has a
# blank or a quote in it.
runs='
def pairs: to_entries | map("\(.key)=\(.value)");
def middle: if $sample then [.[length / 2 | floor]] else . end;
.noise as $noises | (.seeds | middle) as $seeds
| .source as $source | .cases | to_entries[] | (.key % 2) as $odd | .value
| select($only == "" or .cause == $only) | . as $case | ((.noise // $noises) | middle) as $noise
| (.sizes | to_entries | if $sample then .[$case.sample // [-$odd] | .[]]
    else .[] end) as $size
| $noise[] as $n | $seeds[] as $seed
| ["\($source)/\(.cause)/\($size.key + 1)/\($n)/\($seed)"]
  + (if .verdict then ["--verdict", .verdict] else [] end)
  + [.only[]? | "--only", .]
  + ((.set // {}) + $size.value | del(.expected) | pairs) + ["noise=\($n)", "seed=\($seed)"]
  + [$case.causes[] | "--", (.findings | join(",")),
     ((.without // {} | pairs)[])]
| if any(.[]; test("^[A-Za-z0-9_=,/.-]+$") | not)
  then error("bad word in \(.)") else join(" ") end'

for f; do
	jq -r --arg only "$only" --argjson sample $sample "$runs" "$f" \
	    >"$tmp/runs" || exit 2
	CASES=$f
	export CASES
	[ -s "$tmp/runs" ] || { echo "suite.sh: no such cause" >&2; exit 2; }
	xargs -P "${JOBS:-2}" -L 1 sh "$here/case.sh" "$dir" <"$tmp/runs" ||
		exit 2
	while read -r name rest; do
		cat "$dir/$name/result"
	done <"$tmp/runs" >"$tmp/results"
	jq -rs --slurpfile cases "$f" --argjson verbose $verbose \
	    --argjson counts $counts -f "$here/table.jq" "$tmp/results" ||
		exit 2
done
if $whole && ! $counts && ! $sample; then
	only=
	echo
	pairs pairs.sh
	echo
	pairs gate.sh
	echo
	pairs gains.sh
fi
