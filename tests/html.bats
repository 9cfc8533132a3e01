#!/usr/bin/env bats
# The page for a browser that tp-report makes of every kind of report.
bats_require_minimum_version 1.5.0

load helper

setup_file() {
	local d=$BATS_FILE_TMPDIR

	make_example
	mktorch "$d/torch" >/dev/null
	mkdir "$d/rank"
	ln "$d/torch/rank0.json" "$d/rank/rank0.json"
	mkjax "$d/jax/jax_example" >/dev/null
	mketdump "$d/et" >/dev/null
	tp-page --check || return 0
	tp-report -o "$d/metal" "$d/csv/flux_example"
	tp-report -o "$d/ranks" "$d/torch"
}

setup() {
	tp-page --check || skip "built without md4c"
	cd "$BATS_TEST_TMPDIR"
	metal=$BATS_FILE_TMPDIR/csv/flux_example
	torch=$BATS_FILE_TMPDIR/rank/rank0.json
	ranks=$BATS_FILE_TMPDIR/torch
	jax=$BATS_FILE_TMPDIR/jax/jax_example
	et=$BATS_FILE_TMPDIR/et/runs
	# a page of a kept report, made once for all tests
	page=$BATS_FILE_TMPDIR/metal/report.html
}

# Lines of the card of PAGE
card() {
	sed -n '/^<div class="card">/,/^<\/div>$/p' "$1"
}

# PAGE has a card, contents, a foot and the pictures of DOCUMENTs, and each link
# a place.
is_whole() {	# PAGE DOCUMENT...
	local link page=$1 pictures
	shift
	pictures=$(cat "$@" | grep -c '^!\[')
	[ "$pictures" -gt 0 ] || fail "no pictures in $*"
	set -- "$page" "$pictures"
	[ "$(grep -c '<h1' "$1")" -eq 1 ] || fail "$1: no one title"
	[ -n "$(card "$1")" ] || fail "$1: no card"
	[ "$(grep -c '^<figure class="picture ' "$1")" -eq "$2" ] ||
		fail "$1: $(grep -c '^<figure' "$1") pictures, not $2"
	grep -q '^<nav ' "$1" && grep -q '^<p>Made by tracepipe' "$1" ||
		fail "$1: no contents or no foot"
	while read -r link; do
		grep -q -F " id=\"$link\"" "$1" || fail "$1: nothing is called $link"
	done < <(grep -o 'href="#[^"]*' "$1" | sed 's/.*#//')
	[ "$(tail -n 1 "$1")" = '</html>' ]
}

# The card of PAGE says what to do first: action, and gain or that none is known.
says_what_to_do() {	# PAGE COUNT
	[ "$(card "$1" | grep -c -E '^<li>(<p>)?<strong>[^<]*</strong>: ([0-9.,]+&nbsp;[mu]?s|gain not)')" -eq "$2" ] ||
		fail "$(card "$1")"
}

@test "page: exports of Instruments" {
	is_whole "$page" "${page%.html}.md"
	says_what_to_do "$page" 3
	[[ $(card "$page") = *'<strong>GPU-bound</strong>'* ]]
	[[ $(<"$page") = *'<title>flux_example: python3.11 on M3 Max</title>'* ]]
}

@test "page: a capture of JAX" {
	tp-report --platform 'TPU v6e' -o kept "$jax"
	tp-report --platform 'TPU v6e' -o r.html "$jax"
	cmp r.html kept/report.html
	is_whole r.html kept/report.md
	says_what_to_do r.html 3
	grep -q "with <code>tp-report --platform='TPU v6e' jax_example</code>" r.html
}

@test "page: a trace of PyTorch has its tiers as chapters" {
	tp-report -o kept "$torch"
	is_whole kept/report.html kept/report.md
	says_what_to_do kept/report.html 3
	run ls kept/system_findings kept/category_findings
	# what is for reference, then the tiers, folded
	[ $(($(grep -c '_findings.md' <<<"$output") + 2)) -eq \
	    "$(grep -c '<details class="part">' kept/report.html)" ]
	tp-report -o alone.html "$torch"
	cmp alone.html kept/report.html
}

@test "page: ranks of PyTorch" {
	is_whole "$BATS_FILE_TMPDIR"/ranks/report.{html,md}
	says_what_to_do "$BATS_FILE_TMPDIR/ranks/report.html" 3
	grep -q '<h1.*2 ranks</h1>' "$BATS_FILE_TMPDIR/ranks/report.html"
}

@test "page: a tier of PyTorch" {
	tp-report --tier system -o tier.html "$torch"
	grep -q '<h1' tier.html
	grep -q -F 'tp-report --tier=system rank0.json' tier.html
}

@test "page: a run folder of ExecuTorch, from outside and in itself" {
	cp -R "$et/mac" mac
	tp-report -o kept mac
	is_whole kept/report.html kept/report.md
	says_what_to_do kept/report.html 3
	[[ $(card kept/report.html) = *'<strong><code>SME2-On</code> takes 8.15&nbsp;ms'* ]]
	tp-report -o mac mac
	cmp mac/report.html kept/report.html
	[ ! -e mac/card.md ]
}

# bats test_tags=rest
@test "page: several run folders of ExecuTorch have a page with each as a chapter" {
	tp-report --combined -o kept "$et/mac" "$et/android"
	is_whole kept/combined_report.html kept/combined_report.md kept/[12]/report.md
	is_whole kept/2/report.html kept/2/report.md
	run -0 grep -o '<details class="part"><summary><h2 [^>]*>[^<]*<code>[^<]*' kept/combined_report.html
	[[ ${lines[0]} = *'mac: <code>segment_fp32' ]]
	[[ ${lines[1]} = *'android: <code>segment_fp32' ]]
	tp-report --combined -o r.html "$et/mac" "$et/android"
	cmp r.html kept/combined_report.html
}

# bats test_tags=rest
@test "page: a comparison" {
	tp-report --compare --allow-same -o kept "$torch" "$torch"
	is_whole kept/comparison.html kept/comparison.md
	[[ $(card kept/comparison.html) = *'<strong>No difference that these data show: '* ]]
	[[ $(card kept/comparison.html) = *'both are one trace, compared with itself'* ]]
	tp-report --compare --allow-same -o r.html "$torch" "$torch"
	cmp r.html kept/comparison.html
	grep -q -F 'tp-report --allow-same --compare rank0.json rank0.json' r.html
}

@test "page: a comparison of several runs a side" {
	tp-report --before "$torch" --before "$ranks/rank1.json" --after "$torch" --allow-same -o r.html
	grep -q -F 'tp-report --allow-same --before=rank0.json --before=rank1.json --after=rank0.json<' r.html
	[ "$(grep -c '<tr><td><code>rank.\.json</code></td>' r.html)" -eq 3 ]
}

# bats test_tags=rest
@test "page: the same bytes twice, from another folder, and without a folder of its own" {
	cp "$page" first.html
	(cd "$metal" && tp-report -o "$OLDPWD/second.html" .)
	cmp first.html second.html
	(cd "$metal/.." && LC_ALL= LANG=C.UTF-8 tp-report -j 1 -o "$OLDPWD/third.HTM.html" ./flux_example/)
	cmp first.html third.HTM.html
	run ! grep -F -e "$BATS_FILE_TMPDIR" -e "$PWD" first.html
	tp-report -o fourth.htm "$metal"
	cmp first.html fourth.htm
}

@test "page: Markdown is what it was without a page" {
	tp-report -o r.md "$torch"
	tp-report "$torch" >printed.md
	cmp r.md printed.md
	[ "$(ls)" = $'printed.md\nr.md' ]
}

@test "page: files with size and SHA-256, without their folders" {
	while read -r f; do
		grep -q -F "<td><code>${f##*/}</code></td>" "$page" &&
			grep -q "$(sha256sum "$f" | cut -c1-64)" "$page" || fail "$f"
	done < <(find "$metal" -type f)
}

@test "page: inputs are read for their digests only when they changed" {
	cp "$torch" t.json
	tp-report -o kept t.json
	touch -r kept/files.jsonl stamp
	sleep 0.1
	tp-report --meta note=new -o kept t.json
	[ ! kept/files.jsonl -nt stamp ]
	[ kept/report.html -nt stamp ]
	printf ' ' >>t.json
	tp-report -o kept t.json
	grep -q "$(sha256sum t.json | cut -c1-64)" kept/report.html
}

@test "page: names of others are text" {
	mkdir '$(touch x)'
	for name in '--x=<b> $(touch y)&`touch z`.json' "a 'b'\"c\".json" $'nl\n.json' '<script>alert(1)<&.json'; do
		cp "$torch" "\$(touch x)/$name"
		tp-report --meta "a=<i>\$(touch x)'" -o r.html "\$(touch x)/$name"
		run ! grep -i -e '<b>' -e '<i>' -e '<script>alert' r.html
		[ "$(grep -c '<script' r.html)" -eq 1 ]
		# what is said there is the file, for a shell
		said=$(sed -n 's,^<p>Made by.*<code>tp-report \(.*\)</code>.*,\1,p' r.html |
			sed "s/&lt;/</g; s/&gt;/>/g; s/&quot;/\"/g; s/&#39;/'/g; s/&amp;/\\&/g")
		eval "set -- $said"
		[ "$1" = "--meta=a=<i>\$(touch x)'" ]
		[ "$2" = "$name" ] || [ "$2" = "./$name" ] || fail "$2"
	done
	[ "$(find . -type f -name '[xyz]')" = '' ]
}

@test "page: style and script beside it with --linked, and gone without" {
	tp-report --linked -o kept "$torch"
	cmp kept/report.css "$TP_ROOT/share/page/report.css"
	grep -q '<link rel="stylesheet" href="report.css">' kept/report.html
	run ! grep -q Content-Security-Policy kept/report.html
	tp-report -o kept "$torch"
	[ ! -e kept/report.css ] && [ ! -e kept/report.js ]
	grep -q Content-Security-Policy kept/report.html
	mkdir d
	tp-report --linked -o d/x.html "$torch"
	[ "$(ls d)" = $'report.css\nreport.js\nx.html' ]
	run -2 --separate-stderr tp-report --linked "$torch"
	[[ $stderr = *'--linked needs a page: -o DIR or -o FILE.html'* ]]
}

@test "page: links and pipes where files of it would be are left alone" {
	echo mine >mine
	mkdir d
	for f in report.html card.md page.made report.css; do
		ln -s ../mine d/$f
		run -4 tp-report --linked -o d "$torch"
		[[ $output = *"is not a file or folder of ours"* ]]
		rm d/$f
	done
	ln -s ../mine d/report.js
	run -4 tp-report --linked -o d/x.html "$torch"
	[ "$(<mine)" = mine ]
	[ ! -e d/x.html ]
}

@test "page: two at once into one folder" {
	tp-report -o kept "$torch" &
	tp-report -o kept "$torch"
	wait $!
	is_whole kept/report.html kept/report.md
}

# bats test_tags=rest
@test "page: an earlier one goes when a report has none" {
	tp-report -o kept "$torch"
	mkdir bin
	ln -s "$TP_BUILD"/* bin
	rm bin/tp-page bin/tp-report
	cp "$TP_BUILD/tp-report" bin/tp-report
	printf '#!/bin/sh\n[ "$1" != --check ]\n' >bin/tp-page
	chmod +x bin/tp-page
	export TP_SHARE=${TP_SHARE:-$TP_ROOT/share}
	run -0 --separate-stderr bin/tp-report -o kept "$torch"
	[ "$(grep -c 'made without md4c' <<<"${stderr//$'\n'/ }")" -eq 1 ]
	[ -e kept/report.md ]
	[ ! -e kept/report.html ]
	[ ! -e kept/card.md ]
	run -0 --separate-stderr bin/tp-report --combined -o both "$et/mac" "$et/android"
	[ "$(grep -c 'no page' <<<"$stderr")" -eq 1 ]
	[ -e both/combined_report.md ] && [ ! -e both/1/report.html ]
	run -4 --separate-stderr bin/tp-report -o r.html "$torch"
	[[ $stderr = *'no page: this build was made without md4c' ]]
	[ ! -e r.html ]
}

@test "page: a run that failed, and what the data cannot say, are in the answer" {
	printf '%s\n' '{"kind":"trace.info","src":"t","process":"p<q","exit_status":139}' \
	    '{"kind":"verdict","src":"t","role":"bound","verdict":"GPU-bound","id":"bound-gpu","text":"So it is."}' |
		tp-render answer >card.md
	[ "$(sed -n 3p card.md)" = '**`p<q` failed**, with exit status 139: these are numbers of a run that did not finish.' ]
	printf '%s\n' '{"kind":"finding","src":"t","id":"torch-overlap","severity":"high","section":"export","rank":1,"title":"Overlap","text":"Too long."}' |
		tp-render answer >card.md
	grep -q '^- \*\*Overlap\*\*: Too long\.$' card.md
	run ! grep -e '^1\. ' card.md
}

@test "page: what comes after the findings is folded, and nothing of a page without" {
	printf '# T\n\n## One\n\na\n\n## Findings\n\nb\n\n## Two\n\nc\n' | tp-page --html >page
	[ "$(grep -o '<h2 id="[a-z]*">' page | tr -d '\n')" = '<h2 id="one"><h2 id="findings"><h2 id="two">' ]
	[ "$(grep -c '<details' page)" -eq 1 ]
	grep -q '<details class="part"><summary><h2 id="two">' page
	printf '# T\n\n## One\n\na\n\n## Two\n\nc\n' | tp-page --html >page
	run ! grep '<details' page
}

@test "page: --list and --records make none" {
	run -2 --separate-stderr tp-report --records -o r.html "$torch"
	[[ $stderr = *'--list and --records make no page'* ]]
	[ ! -e r.html ]
}
