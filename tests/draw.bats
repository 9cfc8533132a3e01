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
	grep -o ']([a-z_]*\.svg)' "$1/$2" | tr -d ']()' | while read -r f; do
		[ -s "$1/$f" ] || fail "there is no $f"
	done
	! grep -n '^!\[[^]]*\]' "$1/$2" | grep -v '[0-9]' ||
		fail 'a picture whose text tells no number'
}

@test "pictures of golden cases are well-formed and hold nothing that runs" {
	svg_lint $(grep -l '^<svg' "$TP_ROOT"/tests/golden/*/*/out)
}

@test "a report of Instruments has its timeline and its memory beside it" {
	mkflux . >/dev/null
	tp-report -o out flux_example
	linked out report.md
	[ -s out/timeline.svg ] && [ -s out/memory.svg ] && [ -s out/bars.svg ]
}

@test "a report of JAX has its timeline and its operations beside it" {
	mkjax t >/dev/null
	tp-report -o out t
	linked out report.md
	[ -s out/timeline.svg ] && [ -s out/bars.svg ] && [ -s out/roofline.svg ]
}

@test "a report of PyTorch has its timeline and its operations beside it" {
	mktorch t >/dev/null
	tp-report -o out t/rank0.json
	linked out report.md
	[ -s out/timeline.svg ] && [ -s out/bars.svg ] && [ -s out/roofline.svg ]
	grep -q 'No roofs' out/roofline.svg
}

@test "a roofline has the roofs of the platform, also of the user's own" {
	mktorch t >/dev/null
	tp-report -o out --platform H100 t/rank0.json
	linked out report.md
	grep -q '495 TFLOP/s matrix_fp32' out/roofline.svg
	echo '{"gpus": {"Mine": {"memory_bytes_per_s": 1e12, "flops_per_s": {"matrix_fp32": 5e12}}}}' >mine.json
	tp-ops --platform ./mine.json t/rank0.json | tp-draw roofline >r.svg
	svg_lint r.svg
	grep -q '5.00 TFLOP/s matrix_fp32' r.svg
}

@test "a report of ExecuTorch has its operators beside it" {
	mketdump t >/dev/null
	tp-report -o out t/runs/android
	linked out report.md
	[ -s out/bars.svg ]
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
	rm flux_example/*mem* flux_example/*alloc*
	tp-report -o out flux_example
	[ ! -e out/memory.svg ]
	! grep -q 'memory.svg' out/report.md
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
	tp-gpu-intervals --lanes 600 gpu.csv >r.jsonl
	tp-draw timeline r.jsonl >t.svg
	svg_lint t.svg
	[ "$(grep -c '<path fill="#[^"]*" d' t.svg)" -eq 8 ]
	[ "$(wc -c <t.svg)" -lt 30720 ]
}

@test "a picture may be of the user's own" {
	cp -R "${TP_SHARE:-$TP_ROOT/share}" share
	sed 's/"Timeline"/"Zeitstrahl"/' share/pictures/timeline.json >share/pictures/own.json
	TP_SHARE=$PWD/share run tp-draw own "$TP_ROOT/tests/golden/tp-draw/a-timeline/in.jsonl"
	[ "$status" -eq 0 ]
	[[ $output = *'<title>Zeitstrahl</title>'* ]]
	echo '{"draws": "pie"}' >share/pictures/pie.json
	TP_SHARE=$PWD/share run tp-draw pie "$TP_ROOT/tests/golden/tp-draw/a-timeline/in.jsonl"
	[ "$status" -eq 3 ]
	[[ $output = "tp-draw: pie: nothing draws 'pie'" ]]
}

@test "a picture is drawn by what shows it" {
	command -v rsvg-convert >/dev/null || skip "no rsvg-convert"
	for f in $(grep -l '^<svg' "$TP_ROOT"/tests/golden/tp-draw/*/out); do
		rsvg-convert "$f" >p.png || fail "$f"
	done
}
