# Pictures: of every source, in every report, and what they may hold.
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || exit
}

svg_lint() {
	command -v python3 >/dev/null || skip "no python3"
	python3 -B "$TP_ROOT/tests/svg.py" "$@" || fail 'a picture is not as it has to be'
}

# Every picture beside FOLDER/REPORT is named in it, and all that it names are
# there.
linked() {	# FOLDER REPORT
	local f
	svg_lint "$1"/*.svg
	for f in "$1"/*.svg; do
		grep -q "](${f##*/})" "$1/$2" || fail "$f is not linked"
	done
	grep -o ']([a-z_-]*\.svg)' "$1/$2" | tr -d ']()' | while read -r f; do
		[ -s "$1/$f" ] || fail "there is no $f"
	done
	! grep -n '^!\[[^]]*\]' "$1/$2" | grep -v '[0-9]' ||
		fail 'a picture whose text tells no number'
}

@test "pictures of golden cases are well-formed and hold nothing that runs" {
	# a page has pictures in it, and is none
	svg_lint $(awk 'FNR == 1 && /^<svg/ { print FILENAME }' \
	    "$TP_BUILD"/want/*/*/out)
}

@test "a report of Instruments has its timeline and its memory beside it" {
	mkflux . >/dev/null
	tp-report -o out flux_example
	linked out report.md
	for f in budget timeline memory steps flame; do
		[ -s out/$f.svg ] || fail "$f"
	done
}

@test "a report of JAX has its timeline and its operations beside it" {
	mkjax t >/dev/null
	tp-report -o out t
	linked out report.md
	[ -s out/timeline.svg ] && [ -s out/flame.svg ] &&
	    [ -s out/roofline.svg ]
}

@test "a report of PyTorch has its timeline and its operations beside it" {
	mktorch t >/dev/null
	tp-report -o out t/rank0.json
	linked out report.md
	[ -s out/timeline.svg ] && [ -s out/flame.svg ] &&
	    [ -s out/roofline.svg ]
	grep -q 'No roofs' out/roofline.svg
}

@test "a report of several ranks has them beside it" {
	mktorch t >/dev/null
	tp-report -o out t
	linked out report.md
	[ -s out/rank-time.svg ]
	grep -q 'the others wait for it (last to' out/rank-time.svg
	# a median says nothing of two
	[ ! -e out/ranks.svg ]
	[ "$(tp-ranks out/rank-*.jsonl | grep -c '"kind":"ranks.step"')" -eq 8 ]
	tp-report -o out t/rank0.json
	[ ! -e out/rank-time.svg ]
}

@test "the segments of a budget are as wide as its bar, from whichever source" {
	mkflux . >/dev/null
	mkjax j >/dev/null
	mktorch t >/dev/null
	mketdump e >/dev/null
	for f in flux_example j t/rank0.json e/runs/mac; do
		tp-report --records $f >r.jsonl
		tp-draw budget r.jsonl >b.svg
		svg_lint b.svg
		sed 's/</\n</g' b.svg |
		    sed -n 's/^<\(svg\|rect\) x="\([^%"]*\)%*" y="\([^"]*\)" width="\([^%"]*\)%*" height="26".*/\3 \2 \4/p' |
		    sort -k1,1n -k2,2n | awk '
		$2 == 0 { bars++; to = 0 }
		{ gap = $2 - to; sum += $3; to = $2 + $3 }
		gap > .02 || gap < -.02 { exit 1 }
		END { exit !(bars && sum > 99.9 * bars && sum < 100.1 * bars) }' ||
		    fail "$f: $(cat b.svg)"
		tp-draw --text=blocks --width 50 budget r.jsonl >b.txt
		[ "$(LC_ALL=C.UTF-8 wc -L <b.txt)" -eq 50 ] || fail "$(cat b.txt)"
	done
	[ "$(tp-report --records flux_example | tp-draw --text=ascii --width 50 budget |
	    sed -n 2p | tr -d '\n' | wc -c)" -eq 50 ]
}

@test "the steps of a waterfall lead from the time before to the time after" {
	mktorch t1 >/dev/null
	mktorch --seed 5 t2 >/dev/null
	tp-report --compare -o both t1/rank0.json t2/rank0.json
	svg_lint both/waterfall.svg
	# each step begins where the last ended; grey are before and after
	{ sed -n 's/.*stroke="#999999".* d="M0 [^h]*h\([^M]*\)M0 [^h]*h\([^"]*\)".*/\1 \2/p' both/waterfall.svg
	  sed -n 's/^<rect x="\([^%"]*\)%*" y="\([^"]*\)" width="\([^%]*\)%" .*<title>.*: \([-+]\).*/\2 \1 \3 \4/p' both/waterfall.svg |
		sort -n | cut -d ' ' -f 2-
	} | awk 'NR == 1 { at = $1 / 9; to = $2 / 9; next }
	{ from = $3 == "+" ? $1 : $1 + $2; gap = from - at; at = $3 == "+" ? $1 + $2 : $1 }
	gap > .03 || gap < -.03 { exit 1 }
	END { exit !(NR > 4 && at - to < .03 && to - at < .03) }' ||
	    fail "$(cat both/waterfall.svg)"
	# what has no room is counted
	for i in 1 2 3 4 5 6; do
		sed "s/\"src\":\"[^\"]*\"/\"src\":\"s$i\"/" both/compare.jsonl
	done | tp-draw --text=ascii waterfall >six
	[ "$(grep -c '^s[1-6]: ' six)" -eq 4 ]
	grep -q '^Not drawn: 2 more' six
}

@test "a thousand ranks of fifty steps are a picture of less than 30 KB" {
	awk 'BEGIN {
		srand(7)
		for (r = 0; r < 1000; r++)
			for (s = 1; s <= 50; s++)
				printf "{\"kind\":\"ranks.step\",\"src\":\"a\",\"process_rank\":%d,\"index\":%d,\"compute_ns\":%d}\n", r, s, 20000000 * (1 + rand() / 40 + (rand() < .004) / 2)
	}' >r.jsonl
	tp-draw ranks r.jsonl >r.svg
	svg_lint r.svg
	[ "$(wc -c <r.svg)" -lt 30720 ]
	tp-draw --text --width 80 ranks r.jsonl >r.txt
	[ "$(wc -L <r.txt)" -le 80 ]
}

@test "a history draws its strip, and its page shows it" {
	cd "$TP_BUILD/cases/tp-history/a-jump-and-a-step-of-memory" || exit
	tp-history in.jsonl >"$BATS_TEST_TMPDIR/h.jsonl"
	cd "$BATS_TEST_TMPDIR" || exit
	tp-draw --write strip=strip.svg h.jsonl >p.jsonl
	tp-render history h.jsonl p.jsonl >history.md
	linked . history.md
	grep -q 'jump with abc19' strip.svg
	# one metric alone is a strip, too
	grep -v '"metric":"memory' h.jsonl | tp-draw strip >one.svg
	svg_lint one.svg
}

@test "a roofline has the roofs of the platform, also of the user's own" {
	mktorch t >/dev/null
	tp-report -o out --platform H100 t/rank0.json
	linked out report.md
	grep -q '495 TFLOP/s fp32 matrix units' out/roofline.svg
	echo '{"gpus": {"Mine": {"memory_bytes_per_s": 1e12, "flops_per_s": {"matrix_fp32": 5e12}}}}' >mine.json
	tp-ops --platform ./mine.json t/rank0.json | tp-draw roofline >r.svg
	svg_lint r.svg
	grep -q '5.00 TFLOP/s fp32 matrix units' r.svg
}

@test "a report of ExecuTorch has its operators beside it" {
	mketdump t >/dev/null
	tp-report -o out t/runs/android
	linked out report.md
}

@test "without a folder to keep there is no picture, and none is linked" {
	mkflux . >/dev/null
	tp-report flux_example >report.md
	! grep -q svg report.md
	! ls | grep -q svg
}

@test "a picture goes when the next report has nothing for it" {
	mkflux . >/dev/null
	tp-report -o out flux_example
	[ -e out/memory.svg ]
	rm flux_example/*/*/*mem* flux_example/*/*/*alloc*
	tp-report -o out flux_example
	[ ! -e out/memory.svg ]
	! grep -q 'memory.svg' out/report.md
}

# bats test_tags=rest
@test "a picture that was deleted is drawn again, one of another trace goes" {
	mktorch t >/dev/null
	tp-report -o out t/rank0.json
	cp out/timeline.svg .
	rm out/timeline.svg
	tp-report -o out t/rank0.json
	cmp timeline.svg out/timeline.svg
	[ -e out/roofline.svg ]
	mkflux . >/dev/null
	tp-report -o out flux_example
	[ ! -e out/roofline.svg ]
	linked out report.md
	tp-report --compare -o both t/rank0.json t/rank1.json
	rm both/changes.svg
	tp-report --compare -o both t/rank0.json t/rank1.json
	linked both comparison.md
}

@test "187,133 intervals on eight lanes are a picture of less than 30 KB" {
	awk 'BEGIN {
		print "start,duration,channel-name,state,process"
		srand(7)
		t = 0
		for (i = 0; i < 187133; i++) {
			t += 1000 + int(rand() * 40000)
			channel = i % 3 ? "Compute" : "Vertex"
			printf "%d,%d,%s,Active,p%d (%d)\n", t, 500 + int(rand() * 60000), channel, i % 4, 10 + i % 4
		}
	}' >gpu.csv
	# lanes of other processes would be one lane
	tp-gpu-intervals --lanes 600 gpu.csv |
	    sed 's/"scope":"process"/"scope":"target"/' >r.jsonl
	tp-draw timeline r.jsonl >t.svg
	svg_lint t.svg
	[ "$(grep -c '<path fill="#[^"]*" d' t.svg)" -eq 8 ]
	[ "$(wc -c <t.svg)" -lt 30720 ]
}

# COUNT frames: in each lie two others, or it took 1 us
frames() {	# COUNT
	awk -v n="$1" 'BEGIN {
		for (i = n; i; i--)
			total[i] = i * 2 > n ? 1000 : total[i * 2] + total[i * 2 + 1]
		for (i = 1; i <= n; i++)
			printf "{\"kind\":\"cpu.frame\",\"src\":\"a\",\"frame\":%d%s,\"depth\":1,\"symbol\":\"namespace::number_%d::of_many_functions\",\"library\":\"libsystem_%d.dylib\",\"self_ns\":%d,\"total_ns\":%.0f}\n",
			    i, (i > 1 ? ",\"parent\":" int(i / 2) : ""), i,
			    i % 9, (i * 2 > n ? 1000 : 0), total[i]
	}'
}

@test "361 frames are a picture of less than 60 KB, and 100,000 are too" {
	frames 361 | tp-draw flame >few.svg
	[ "$(grep -o '<rect [^>]*><title>\|<svg [^>]*><title>' few.svg | wc -l)" -eq 361 ]
	frames 99999 | tp-draw flame >many.svg
	svg_lint few.svg many.svg
	[ "$(wc -c <few.svg)" -lt 61440 ] && [ "$(wc -c <many.svg)" -lt 61440 ]
	sed 's/<[^>]*>//g' many.svg | tr '\n' ' ' |
	    grep -q 'Not drawn: [0-9,]* calls narrower than 0.3 pixels, [0-9,]* calls smaller than these'
}

@test "a stack of 200,000 calls is as high as a picture may be" {
	awk 'BEGIN {
		for (i = 1; i <= 200000; i++)
			printf "{\"kind\":\"cpu.frame\",\"src\":\"a\",\"frame\":%d%s,\"depth\":1,\"symbol\":\"f\",\"self_ns\":1,\"total_ns\":%d}\n",
			    i, (i > 1 ? ",\"parent\":" i - 1 : ""), 200001 - i
	}' >r.jsonl
	tp-draw flame r.jsonl >deep.svg
	svg_lint deep.svg
	grep -q 'Not drawn: ' deep.svg && grep -q deeper deep.svg
	[ "$(tp-draw --text=blocks flame r.jsonl | wc -l)" -le 24 ]
}

@test "a picture may be of the user's own" {
	cp -R "${TP_SHARE:-$TP_ROOT/share}" share
	sed 's/"Timeline"/"Zeitstrahl"/' share/pictures/timeline.json >share/pictures/own.json
	TP_SHARE=$PWD/share run tp-draw own "$TP_BUILD/cases/tp-draw/a-timeline/in.jsonl"
	[ "$status" -eq 0 ]
	[[ $output = *'<title>Zeitstrahl</title>'* ]]
	echo '{"draws": "pie"}' >share/pictures/pie.json
	TP_SHARE=$PWD/share run tp-draw pie "$TP_BUILD/cases/tp-draw/a-timeline/in.jsonl"
	[ "$status" -eq 3 ]
	[[ $output = "tp-draw: pie: nothing draws 'pie'" ]]
}

# bats test_tags=rest
@test "a picture is drawn by what shows it" {
	command -v rsvg-convert >/dev/null || skip "no rsvg-convert"
	for f in $(grep -l '^<svg' "$TP_BUILD"/want/tp-draw/*/out); do
		rsvg-convert "$f" >p.png || fail "$f"
	done
}

# bats test_tags=rest
@test "a comparison of any source has pictures beside it" {
	mkflux m1 >/dev/null
	mkflux --seed 3 m2 >/dev/null
	mkjax j1 >/dev/null
	mkjax --seed 7 j2 >/dev/null
	mktorch t1 >/dev/null
	mktorch --seed 5 t2 >/dev/null
	mketdump e1 >/dev/null
	mketdump --seed 4 e2 >/dev/null
	tp-report --compare -o m m1/flux_example m2/flux_example
	tp-report --compare -o j j1 j2
	tp-report --compare -o t t1/rank0.json t2/rank0.json
	tp-report --compare -o e e1/runs/mac e2/runs/mac
	for d in m j t e; do
		linked $d comparison.md
		[ -s $d/changes.svg ]
		[ $d = e ] || [ -s $d/compare.svg ]
	done
	# ExecuTorch has no lanes
	[ ! -e e/compare.svg ]
	# several runs a side
	tp-report --compare -o j --before j1 --before j2 --after j2 --after j1 --allow-same
	linked j comparison.md
	grep -q 'Of several runs a side the first is drawn' j/comparison.md
	# a report that is made in the same folder has none of them
	tp-report -o j j1
	[ ! -e j/changes.svg ] && [ ! -e j/compare.svg ]
}
