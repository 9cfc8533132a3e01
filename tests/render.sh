#!/bin/sh
# render.sh BUILD: hostile names in reports that a browser shows
#
# The names of tests/fuzz/corpus/markdown, and the naughty strings where they
# are beside this tree, stand in every column of names of traces of each
# source.  Their reports go through cmark-gfm, GitHub's own reader, which lets
# HTML pass here, and through tp-page --html, and both through Chromium without
# a head: tests/render/tail.html says there what a page should not have.  Prints
# TAP; where a program is not installed, everything is skipped by name.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "$1" && pwd) || exit 2
. tests/browser.sh
suites=${TP_DATA:-$PWD/../shared/data}/suites
failed=0

html=true
tp-page --check || {
	echo 'ok render: pages of tp-page # skip no md4c in this build'
	html=false
}
need render jq cmark-gfm

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# look WRITER [NAMES] <HTML: what the browser says of it, as one line.  WRITER is
# "markdown" or "html", which may have more elements.
look() {
	{
		cat tests/render/head.html
		echo "<div id=\"PAGE\" class=\"$1\">"
		cat
		echo '</div>'
		if [ $# -gt 1 ]; then
			echo '<script id="NAMES" type="application/json">'
			sed 's/</\\u003c/g' "$2"
			echo '</script>'
		fi
		cat tests/render/tail.html
	} >"$tmp/page.html"
	# nothing is on any network, whatever a page asks for
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu \
	    --disable-dev-shm-usage --user-data-dir="$tmp/profile" \
	    --host-resolver-rules='MAP * ~NOTFOUND' \
	    --virtual-time-budget=5000 --dump-dom "file://$tmp/page.html" \
	    2>"$tmp/err" | sed -n 's/.*<pre id="VERDICT">\([^<]*\).*/\1/p'
}

# Without the pictures of a report, each of which is a line of its own.
markdown() {	# FILE.md
	sed '/^!\[[^]]*\]([a-z-]*\.svg)$/d' "$1" | cmark-gfm --unsafe \
	    -e table -e autolink -e strikethrough -e tasklist
}

# What stands in FILE.html between its style and its script: its own rights
# would keep away the script that looks, and hide what it should see.
inside() {	# FILE.html
	sed -n '/^<header>$/,/^<\/footer>$/p' "$1"
}

judge() {	# TITLE SAID: one test
	case $2 in
	tables=0*)
		echo "not ok render: $1: no table"
		failed=1 ;;
	*' bad=')
		echo "ok render: $1 (${2% bad=})" ;;
	*)
		echo "not ok render: $1"
		echo "# ${2:-$(tail -n 1 "$tmp/err")}"
		failed=1 ;;
	esac
}

# page TITLE FILE.md [NAMES]: a test of each reader.
page() {
	title=$1 file=$2
	shift 2
	[ -s "$file" ] || {
		echo "not ok render: $title: no page"
		failed=1
		return
	}
	judge "$title" "$(markdown "$file" | look markdown "$@")"
	$html || return
	tp-page --html "$file" >"$tmp/made.html"
	judge "$title, by tp-page" "$(inside "$tmp/made.html" | look html "$@")"
}

# kept TITLE FILE.html: of a page that tp-report made.
kept() {
	! $html || judge "$1" "$(inside "$2" | look html)"
}

# Names as a list of JSON.
for f in tests/fuzz/corpus/markdown/*; do
	jq -R -s . "$f"
done | jq -s . >"$tmp/ours.json"
if [ -e "$suites/blns/blns.json" ]; then
	jq -s add "$tmp/ours.json" "$suites/blns/blns.json"
else
	echo 'ok render: naughty strings # skip not here' >&3
	cat "$tmp/ours.json"
fi 3>&1 >"$tmp/names.json"

# A page that has all that others should not.
cat >"$tmp/bad.md" <<'END'
[link](http://example.org) <script>alert(1)</script> ann@example.org
<img src="http://example.org/x.png" onerror="alert(1)">

| a | b |
|---|---|
| 1 | 2 |

<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>
</div><b>out</b>
END
echo '["a name"]' >"$tmp/one.json"
seen() {	# SAID WHAT...: whether all faults of a bad page were seen
	said=$1
	shift
	for what; do
		case $said in
		*"$what"*) ;;
		*)
			echo "not ok render: a bad page is seen: no '$what'"
			echo "# ${said:-$(tail -n 1 "$tmp/err")}"
			failed=1 ;;
		esac
	done
}
seen "$(markdown "$tmp/bad.md" | look markdown "$tmp/one.json")" \
    'element A x2' 'element SCRIPT' 'attribute onerror' 'row 1 of 2' \
    'outside B' 'missing a name' 'ran 2' 'loaded http:'
seen "$(markdown "$tmp/bad.md" | look html "$tmp/one.json")" \
    'link http://example.org x1' 'link mailto:' 'element SCRIPT' \
    'element IMG' 'attribute onerror' 'row 1 of 2' 'outside B' \
    'missing a name' 'ran 2' 'loaded http:'
[ $failed -eq 0 ] && echo 'ok render: a bad page is seen'

jq -c 'to_entries[] | {kind: "x.item", src: "a", rank: .key, name: .value,
    title: .value}' "$tmp/names.json" >"$tmp/items.jsonl"
tp-render --markdown "$tmp/items.jsonl" >"$tmp/items.md"
page 'records as a table' "$tmp/items.md" "$tmp/names.json"
# A section of our own, in a copy of share/.
cp -R share "$tmp/share"
cat >"$tmp/share/sections/items.md" <<'END'
# Names

| name | code | both |
|---|---|---|
{{#x.item}}
| {{name.full}} | {{name.code}} | {{name}} {{title.code.full}} |
{{/x.item}}

{{#x.item}}
- **{{name}}**: {{title.full}} ({{name.code}})
{{/x.item}}
END
TP_SHARE=$tmp/share tp-render items "$tmp/items.jsonl" \
    >"$tmp/section.md" 2>"$tmp/err"
page 'a section of each escape' "$tmp/section.md" "$tmp/names.json"

# The same in headings, links, pictures' descriptions, the card, the foot, the
# command and the name of a chapter.
if $html; then
	cat >"$tmp/share/sections/places.md" <<'END'
# {{x.item.name}}

{{#x.item}}
## {{name}}

To [{{title}}](#{{name.anchor}}), [{{name.code}}](#{{title.anchor}})

![{{title}}](one.svg)

**Of {{name}}.** {{title}}: [{{title}}](http://example.org/{{name}})

1. [{{title}}](#{{title.anchor}})
{{/x.item}}

| name |
|---|
{{#x.item}}
| {{name.full}} |
{{/x.item}}
END
	printf '%s' '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">' \
	    '<title>t</title><rect width="9" height="9"/></svg>' >"$tmp/one.svg"
	TP_SHARE=$tmp/share tp-render places "$tmp/items.jsonl" \
	    >"$tmp/places.md"
	name=$(jq -r '.[3:9] | join(" ") | gsub("[/\n]"; " ")' "$tmp/ours.json")
	cp "$tmp/section.md" "$tmp/$name"
	tp-page --html --card "$tmp/places.md" --foot "$tmp/places.md" \
	    --command "$name" "$tmp/places.md" "$tmp/$name" >"$tmp/made.html"
	judge 'names in all places of a page' \
	    "$(inside "$tmp/made.html" | look html "$tmp/names.json")"
fi

# GPU intervals, functions and memory of processes so called; two traces.
for side in before after; do
	mkdir -p "$tmp/$side"
	jq -r --arg side $side '(if $side == "after" then 2 else 1 end) as $k |
	    "start,duration,channel-name,process,event-label,cmdbuffer-id",
	    (to_entries[] | (.value | gsub("[\n\r]"; " ")) as $n |
	    [.key * 1000 + 1, 400 * $k, $n, "\($n) (\(.key + 1))", $n, .key] |
	    @csv)' "$tmp/names.json" >"$tmp/$side/x_metal_gpu_intervals.csv"
	jq -r --arg side $side '"time,thread,process,weight,stack",
	    (to_entries[] | (.value | gsub("[\n\r;`]"; " ")) as $n |
	    [.key * 1000000, "\($n) 0x1 (\($n), pid: 7)", "\($n) (7)",
	    (if $side == "after" then 2000000 else 1000000 end),
	    "lib`main;\($n)`\($n)"] | @csv)' "$tmp/names.json" \
	    >"$tmp/$side/x_time_profile.csv"
done
tp-report "$tmp/before" >"$tmp/gpu.md" 2>"$tmp/err"
page 'the report of an Instruments trace' "$tmp/gpu.md"
tp-report --compare "$tmp/before" "$tmp/after" >"$tmp/compare.md" 2>"$tmp/err"
page 'the comparison of two' "$tmp/compare.md"
tp-report --compare -o "$tmp/compare.html" "$tmp/before" "$tmp/after" \
    2>"$tmp/err"
kept 'the page of a comparison' "$tmp/compare.html"
tp-report --records "$tmp/before" 2>"$tmp/err" |
    tp-render --markdown >"$tmp/gpu-all.md"
page 'all records of an Instruments trace' "$tmp/gpu-all.md"

# Names of operations, kernels, functions, lanes and processes of trace events.
mktorch "$tmp/torch" >/dev/null 2>&1
jq -c --slurpfile names "$tmp/names.json" '$names[0] as $n |
    .traceEvents |= (to_entries | map(.key as $i | .value |
	if .ph == "M" then .args |= map_values(if type == "string" then
	    "\(.) \($n[$i % ($n | length)])" else . end)
	elif .cat == "kernel" or .cat == "python_function" then
	    .name = $n[$i % ($n | length)]
	elif .ph == "X" then
	    .name += " " + $n[$i % 7 * 11 % ($n | length)] else . end))' \
    "$tmp/torch/rank0.json" >"$tmp/rank0.json"
tp-report -o "$tmp/torch-out" "$tmp/rank0.json" >/dev/null 2>"$tmp/err"
page 'the report of a PyTorch trace' "$tmp/torch-out/report.md"
kept 'the page of a PyTorch trace' "$tmp/torch-out/report.html"
page 'the analysis of a PyTorch trace' "$tmp/torch-out/standalone_analysis.md"
mkjax "$tmp/jax" >/dev/null 2>&1
jq -c --slurpfile names "$tmp/names.json" '$names[0] as $n |
    .traceEvents |= (to_entries | map(.key as $i | .value |
	if .ph == "X" then .name = "\($n[$i % ($n | length)]).\($i % 5)" |
	    if .args.tf_op then .args.tf_op += "/" + $n[$i % ($n | length)]
	    else . end else . end))' \
    "$tmp"/jax/plugins/profile/*/*.json >"$tmp/host.trace.json"
tp-report "$tmp/host.trace.json" >"$tmp/jax.md" 2>"$tmp/err"
page 'the report of a JAX trace' "$tmp/jax.md"

# Operators, kernels and models of ExecuTorch.
jq -r '"model_id,name,type,delegate_backend,start_us,end_us,duration_ms," +
    "pct_total,node_id,run_index,block",
    ["m", "Method::execute", "Method::execute", "portable", 0, 900000, 900,
    100, 0, 0, "Execute"],
    (to_entries[] | (.value | gsub("[\n\r]"; " ")) as $n | ["m", $n, $n,
    (if .key % 2 == 0 then "portable" else "XnnpackBackend" end),
    .key * 100, .key * 100 + 90, 0.09, 0.01, .key + 1, 0, "Execute"]) |
    if type == "array" then @csv else . end' "$tmp/names.json" \
    >"$tmp/m_all_runs_timeline.csv"
{
	tp-etdump -q "$tmp/m_all_runs_timeline.csv" >"$tmp/et.jsonl"
	tp-findings "$tmp/et.jsonl" | tp-render etdump "$tmp/et.jsonl" -
} >"$tmp/et.md" 2>"$tmp/err"
page 'the report of an ETDump' "$tmp/et.md"
exit $failed
