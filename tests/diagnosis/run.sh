#!/bin/sh
# run.sh: does tests/diagnosis measure what it says, and has no rule got worse
#
# Truth is held to what can be computed from the tables alone.  What was right
# of a sample must stay right: SOURCE.floor has what suite.sh --sample --counts
# said.  Where a rule got better, write that again.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PATH=${TP_BUILD:-$here/../../build}:$PATH
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0

# answer TEXT: the last command says whether TEXT is so.
answer() {
	if [ $? -eq 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		failed=1
	fi
}

# spans: of lines FROM TO in the order of FROM their number, the time from the
# first to the last, and how much of it was work and idle.
spans() {
	awk '{ n++
		if (n == 1)
			first = end = $1
		if ($1 > end) {
			idle += $1 - end
			end = $1
		}
		if ($2 > end) {
			busy += $2 - end
			end = $2
		}
	}
	END { printf "%.0f %.0f %.0f %.0f\n", n, end - first, busy, idle }'
}

# operators FILE: of a timeline how many operators ran, the time of all runs,
# that of operators, and the rest.
operators() {
	tr -d '\r"' <"$1" | awk -F , '
	$NF == "Execute" {
		ns = $(NF - 4) * 1000000
		if ($2 ~ /^Method::execute/)
			span += ns
		else if ($2 !~ /^(DELEGATE|OPERATOR)_CALL/) {
			n++
			busy += ns
		}
	}
	END { printf "%.0f %.0f %.0f %.0f\n", n, span, busy, span - busy }'
}

# measured DIR: the same of work on the GPU, from the table of python's or the
# events of the rank that is told; work of long before is none of it.
measured() {
	if [ -d "$1/trace/plugins" ]; then
		sed -n 's/.*"pid":3,"tid":[345],"ts":\([0-9]*\)\.\([0-9]*\),"dur":\([0-9]*\)\.\([0-9]*\),.*/\1\2 \3\4/p' \
		    "$1"/trace/plugins/profile/*/host0.trace.json |
		    awk '{ printf "%.0f %.0f\n", $1, $1 + $2 }' | sort -n |
		    spans
		return
	fi
	timeline=$(find "$1" -name '*_all_runs_timeline.csv' | sort |
	    tail -n 1)
	if [ -n "$timeline" ]; then
		operators "$timeline"
		return
	fi
	if [ ! -e "$1/trace/run_metal_gpu_intervals.csv" ]; then
		trace=$1/trace/trace.json
		[ -e "$trace" ] ||
			trace=$1/trace/rank$(jq .rank "$1/truth.json").json
		sed -n '/"cat":"\(kernel\|gpu_memcpy\)"/s/.*"ts":\([0-9]*\)\.\([0-9]*\),"dur":\([0-9]*\)\.\([0-9]*\),.*/\1\2 \3\4/p' \
		    "$trace" | awk -v first="$(jq .first_ns "$1/truth.json")" \
		    '$1 >= first { printf "%.0f %.0f\n", $1, $1 + $2 }' |
		    sort -n | spans
		return
	fi
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["process"] ~ /^python/ { printf "%.0f %.0f\n", $1, $1 + $2 }
	' "$1/trace/run_metal_gpu_intervals.csv" | sort -n | spans
}

mkmetal --out "$tmp/a" seed=3 noise=10 waits=1 build=20ms \
    -- sync-per-step waits=0 &&
    mkmetal --out "$tmp/b" seed=3 noise=10 waits=1 build=20ms \
	-- sync-per-step waits=0 &&
    diff -r "$tmp/a" "$tmp/b" >"$tmp/diff"
answer "the same seed gives the same bytes"
mkmetal --out "$tmp/c" seed=4 noise=10 waits=1 build=20ms &&
    ! diff -r "$tmp/a/trace" "$tmp/c/trace" >"$tmp/diff"
answer "another seed gives another run"
mkmetal --out "$tmp/d" seed=3 noise=10 waits=0 build=20ms &&
    [ "$(jq '.span_ns - .causes[0].gain_ns' "$tmp/a/truth.json")" = \
	"$(measured "$tmp/d" | cut -d ' ' -f 2)" ]
answer "what a cause costs is missing in the run without it"
mkmetal --out "$tmp/e" op=300us op_kelem=65536 &&
    [ "$(jq .rows "$tmp/e/truth.json")" = $((24 * 480)) ] &&
    [ "$(jq .rows "$tmp/a/truth.json")" = $((24 * 12)) ]
answer "41 operations fill a buffer, or one with large inputs"
! mkmetal --out "$tmp/f" bild=1 2>/dev/null &&
    ! mkmetal --out "$tmp/f" noise=51 2>/dev/null &&
    ! mkmetal --out "$tmp/f" build=9zs 2>/dev/null
answer "an unknown or wild parameter is refused"

for f in "$here"/*.json; do
	source=$(basename "$f" .json)
	sh "$here/suite.sh" --sample --counts --keep "$tmp/$source" "$f" \
	    >"$tmp/counts"
	answer "$source: every run of the sample is judged"
	find "$tmp/$source" -name truth.json | sort >"$tmp/truths"
	find "$tmp/$source" -name truth.json -exec jq -r '[input_filename,
	    "\(.rows) \(.span_ns) \(.busy_ns) \(.idle_ns)",
	    .span_ns - ([.parts[]] | add)] | @tsv' {} + >"$tmp/told"
	tab=$(printf '\t')
	while IFS=$tab read -r truth told rest; do
		[ "$told" = "$(measured "${truth%/*}")" ] && [ "$rest" = 0 ] ||
			echo "# ${truth#"$tmp"/}"
	done <"$tmp/told" >"$tmp/untrue"
	cat "$tmp/untrue"
	[ -s "$tmp/told" ] && [ ! -s "$tmp/untrue" ]
	answer "$source: work and idle time of the tables are the truth's"
	# every nanosecond of a window is in one row, and in one part
	while read -r truth; do
		cat "${truth%/*}"/out/gpu.jsonl "${truth%/*}"/out/cpu.jsonl \
		    "${truth%/*}"/out/torch.jsonl \
		    "${truth%/*}"/out/trace.jsonl \
		    "${truth%/*}"/out/run-*.jsonl 2>/dev/null | jq -se '
		def window: "\(.src) \(.scope) \(.segment) " +
		    "\(.device_name) \(.host_index)";
		def sums($k): map(select(.kind == $k)) | group_by(window) |
		    map({(.[0] | window): (map(.time_ns) | add)}) | add;
		(map(select(.kind == "budget.window") |
		    {(window): .wall_ns}) | add) as $walls |
		sums("budget") == $walls and sums("budget.part") == $walls and
		all(.[]; (.time_ns // 0) >= 0) and ($walls != null or
		    all(.[]; .kind != "cmdbuf.summary" or .scope == "all"))
		' >"$tmp/sums" ||
			echo "# ${truth#"$tmp"/}"
	done <"$tmp/truths" >"$tmp/untrue"
	cat "$tmp/untrue"
	[ ! -s "$tmp/untrue" ]
	answer "$source: the parts of the wall-clock budget sum to it"
	# cause, cases, first right, verdict right, false, promise kept
	awk -F '\t' 'NR == FNR { of[$1] = $2; first[$1] = $3; word[$1] = $4
		wrong[$1] = $5; kept[$1] = $6; next }
	{
		if (of[$1] == $2 && first[$1] >= $3 && word[$1] >= $4 &&
		    wrong[$1] <= $5 && kept[$1] >= $6)
			print "ok " $1 " is judged no worse than it was"
		else {
			print "not ok " $1 " is judged worse than it was"
			worse = 1
		}
		seen[$1] = 1
	}
	END { for (c in of) if (!(c in seen)) {
			print "not ok " c " has no floor"
			worse = 1
		}
		exit worse
	}' "$tmp/counts" "$here/$source.floor" || failed=1
done

# Pairs: what a sample of them is judged.
sh "$here/pairs.sh" --sample -v >"$tmp/pairs"
answer "every pair of the sample is judged"
grep '^#' "$tmp/pairs"
grep -qv '^#' "$tmp/pairs" && ! grep -q '^#' "$tmp/pairs"
answer "the fusion verdict on every pair of the sample is right"
printf 'wrong\tfused\tfused\t\t120*40\t120*40\n' >"$tmp/wrong.tsv"
[ "$(sh "$here/pairs.sh" --sample --counts "$tmp/wrong.tsv")" = \
    "$(printf 'wrong\t6\t0')" ]
answer "a pair that is not as expected is counted as wrong"

# Runs whose noise and change are known.
mkgate --pairs 2 --seed x --out "$tmp/g" run=3 step=2 op=1 tail=10 &&
    mkgate --pairs 2 --seed x --out "$tmp/h" run=3 step=2 op=1 tail=10 &&
    diff -r "$tmp/g" "$tmp/h" >"$tmp/diff" &&
    mkgate --pairs 2 --seed y --out "$tmp/h" run=3 step=2 op=1 tail=10 &&
    ! diff "$tmp/g/1/before-01.jsonl" "$tmp/h/1/before-01.jsonl" \
	>"$tmp/diff" &&
    ! diff "$tmp/g/1/before-01.jsonl" "$tmp/g/2/before-01.jsonl" \
	>"$tmp/diff"
answer "runs of a pair are the same again with the same seed alone"
mkgate --out "$tmp/i" before=99 after=99 run=3 all=10 length=900 idle=100 &&
    cat "$tmp"/i/1/*.jsonl | awk '/"kind":"step.summary"/ {
		match($0, /"start_to_start_median_ns":[0-9]*/)
		x = log(substr($0, RSTART + 27, RLENGTH - 27))
		side = /"src":"after/
		n[side]++; sum[side] += x; squares[side] += x * x
	}
	END {
		a = sum[1] / n[1] - log(1100000)
		b = sum[0] / n[0] - log(1000000)
		noise = sqrt(squares[0] / n[0] - (sum[0] / n[0]) ^ 2)
		exit !(n[0] == 99 && n[1] == 99 && noise > 0.024 &&
		    noise < 0.036 && a * a < 0.0001 && b * b < 0.0001)
	}'
answer "noise from run to run and a change are as large as they were asked for"
! mkgate --out "$tmp/j" rum=3 2>/dev/null &&
    ! mkgate --out "$tmp/j" run=3x 2>/dev/null &&
    ! mkgate --out "$tmp/j" before=1.5 2>/dev/null
answer "an unknown or wild parameter of a pair is refused"
sh "$here/gate.sh" --sample --counts >"$tmp/gates"
[ $? -le 1 ]
answer "every pair of the sample goes through the gate"
awk -F '\t' '{
	print ($NF ? "ok" : "not ok") " " $1 ": the gate keeps its bounds"
	bad += !$NF
}
END { exit bad > 0 }' "$tmp/gates" || failed=1
printf 'wrong\t\tpair\tgate<=5,worse<=50\tall=12 step=1\n' >"$tmp/wrong.tsv"
! sh "$here/gate.sh" -v --pairs 5 "$tmp/wrong.tsv" >"$tmp/said" &&
    [ "$(grep -c '^# wrong: .* is broken$' "$tmp/said")" = 2 ]
answer "a bound of the gate that is broken is said to be"

# The same runs, expected to be what they are not.
jq '.cases |= map(select(.cause == "sync-per-step")
    | .verdict = "input-bound" | .causes[0].findings = ["contention"]
    | .causes[0].without = {})' "$here/metal.json" >"$tmp/altered.json"
[ "$(sh "$here/suite.sh" --sample --counts "$tmp/altered.json")" = \
    "$(printf 'sync-per-step\t1\t0\t0\t0\t0')" ]
answer "what is not as expected is counted as wrong"
jq '.cases |= map(select(.cause == "wait-item") | .shows[0].count = 11)' \
    "$here/torch.json" >"$tmp/altered.json"
[ "$(sh "$here/suite.sh" --sample --counts "$tmp/altered.json")" = \
    "$(printf 'wait-item\t1\t0\t1\t0\t1')" ]
answer "so is what is not shown"
exit $failed
