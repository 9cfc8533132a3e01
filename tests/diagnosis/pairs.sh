#!/bin/sh
# pairs.sh: how often the fusion verdict on a pair whose truth is known is right
#
#	pairs.sh [-v] [--sample] [--counts] [--only CAUSE] [FILE]
#
# Each line of FILE (default: pairs.tsv) is made as two traces, as one trace
# with a signpost around each side, and as one without; in both directions, at
# every noise and size.  -v says what was judged wrong; --sample takes one noise
# and one size; --counts prints names and counts alone, with tabs between.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PATH=$(cd "${TP_BUILD:-$here/../../build}" && pwd):$PATH
LC_ALL=C
export PATH LC_ALL
noises='2 10 30' scales='0.4 1 4' verbose=false counts=false only='' one=''

usage() {
	echo 'usage: pairs.sh [-v] [--sample] [--counts] [--only CAUSE]' \
	    '[FILE]' >&2
	exit 2
}

# verdict FILE...: of two record streams, or of the segments of one.
verdict() {
	if [ $# = 1 ]; then
		tp-compare -q --segments "$1" >"$dir/out" 2>"$dir/err"
	else
		tp-compare -q "$@" >"$dir/out" 2>"$dir/err"
	fi
	case $? in
	0) tp-query -r fusion.summary.verdict "$dir/out" ;;
	3) if grep -q 'no two segments' "$dir/err"; then echo none; else
		cat "$dir/err" >&2; fi ;;
	*) cat "$dir/err" >&2 ;;
	esac
}

# judge WANT GOT WHAT: one line for the table.
judge() {
	case ,$1, in
	*",$2,"*) echo "$name	1" ;;
	*) echo "$name	0	$3: ${2:-nothing}, not $1" ;;
	esac
}

# pair WANT LEFT RIGHT: as two traces, and as one.
pair() {
	awk -f "$here/side.awk" -v words="$2" -v seed=1 -v noise="$noise" \
	    -v scale="$scale" >"$dir/a.csv" 2>"$dir/end" &&
	    awk -f "$here/side.awk" -v words="$3" -v seed=2 \
		-v noise="$noise" -v scale="$scale" >"$dir/b.csv" \
		2>"$dir/err" || return
	tp-cmdbuf -q --gpu -l a "$dir/a.csv" >"$dir/a" &&
	    tp-cmdbuf -q --gpu -l b "$dir/b.csv" >"$dir/b" || return
	judge "$1" "$(verdict "$dir/a" "$dir/b")" "two traces, $what"
	from=$(cat "$dir/end")
	awk -f "$here/side.awk" -v words="$3" -v seed=2 -v noise="$noise" \
	    -v scale="$scale" -v from="$from" -v id=1000000 \
	    >"$dir/b.csv" 2>"$dir/end2" || return
	# labels are a column, so both sides have them or none
	[ "$(head -n 1 "$dir/a.csv" | grep -c label)" = \
	    "$(head -n 2 "$dir/b.csv" | grep -c '0x1,' | sed 's/2/1/')" ] ||
		return
	cat "$dir/b.csv" >>"$dir/a.csv"
	{
		echo start,duration,name,subsystem,process
		echo "999000000,$(echo "$from" | awk '{ printf "%.0f", $1 - 999010000 }'),eager,my.app,python3.11 (7)"
		echo "$from $(cat "$dir/end2")" | awk '{
		    printf "%.0f,%.0f,compiled,my.app,python3.11 (7)\n", $1 - 1000, $2 - $1 }'
	} >"$dir/marks.csv"
	tp-cmdbuf -q --gpu -l marked "$dir/a.csv" "$dir/marks.csv" \
	    >"$dir/marked" &&
	    tp-cmdbuf -q --gpu -l one "$dir/a.csv" >"$dir/one" || return
	judge "$1" "$(verdict "$dir/marked")" "signposts, $what"
	judge "$1${same:+,none}" "$(verdict "$dir/one")" "one trace, $what"
}

# cases LINE...: of the file, at every noise and size.
cases() {
	dir=$(mktemp -d) || exit 4
	trap 'rm -rf "$dir"' EXIT
	for noise in $noises; do
		for scale in $scales; do
			what="noise $noise %, size $scale"
			pair "$want" "$left" "$right"
			what="reversed, $what"
			pair "$back" "$right" "$left"
		done
	done
}

while [ $# -gt 0 ]; do
	case $1 in
	-v) verbose=true ;;
	--sample) noises=10 scales=1 ;;
	--counts) counts=true ;;
	--only) [ $# -gt 1 ] || usage; only=$2; shift ;;
	--one) [ $# -gt 3 ] || usage; one=$2 noises=$3 scales=$4; shift 3 ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -le 1 ] || usage
file=${1:-$here/pairs.tsv}

# One truth, in a process of its own.
if [ -n "$one" ]; then
	# an empty field is one: read joins tabs
	sed -n "${one}p" "$file" | tr '\t' '|' | {
		IFS='|' read -r name want back same left right
		cases
	}
	exit
fi
tmp=$(mktemp) || exit 4
trap 'rm -f "$tmp"' EXIT
awk -F '\t' -v only="$only" '!/^#/ && (only == "" || only == "fusion" ||
    $1 == only) { print NR }' "$file" |
    xargs -P "${JOBS:-2}" -I @ sh "$0" --one @ "$noises" "$scales" "$file" \
	>"$tmp" || exit 2
[ -s "$tmp" ] || { echo 'pairs.sh: no such cause' >&2; exit 2; }
if $verbose; then
	awk -F '\t' '$2 == 0 { print "# " $1 ": " $3 }' "$tmp"
fi
awk -F '\t' -v counts=$counts 'NR == FNR { n[$1]++; right[$1] += $2; next }
/^#/ || !($1 in n) { next }
!head++ && counts == "false" { print "| pair | verdicts | right |\n|---|---:|---:|" }
{
	if (counts == "true")
		print $1 "\t" n[$1] "\t" right[$1]
	else
		printf "| %s | %d | %d |\n", $1, n[$1], right[$1]
	all += n[$1]; good += right[$1]
}
END { if (counts == "false")
	printf "| **all** | %d | %d (%d %%) |\n", all, good, 100 * good / all }
' "$tmp" "$file"
