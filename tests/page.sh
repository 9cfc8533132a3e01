#!/bin/sh
# page.sh BUILD: the reports as pages, in a browser
#
# Makes pages of the example traces and of names that sort, and lets Chromium
# open them by tests/page/main.js, which prints TAP.  Needs node and the modules
# that "make proof-deps" puts into BUILD/page; where a program is not installed,
# everything is skipped by name.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "$1" && pwd) || exit 2
. tests/browser.sh
NODE_PATH=$build/page/node_modules
export NODE_PATH
need page node cmark-gfm pdftotext
for module in puppeteer-core axe-core; do
	[ -d "$NODE_PATH/$module" ] || {
		echo "ok page: everything # skip no $module (make proof-deps)"
		exit 0
	}
done
tp-page --check || {
	echo 'ok page: everything # skip no md4c in this build'
	exit 0
}

tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0

# report NAME REPORT ARG...: tmp/NAME.html of the report that these make, what
# cmark-gfm reads in its Markdown, and the page alone, which is the same bytes.
report() {
	name=$1 text=$2
	shift 2
	if ! tp-report -o "$tmp/$name" "$@" >/dev/null 2>"$tmp/err" ||
	    ! tp-report -o "$tmp/$name.html" "$@" >/dev/null 2>"$tmp/err"; then
		echo "not ok page: $name: no report"
		sed 's/^/# /' "$tmp/err"
		failed=1
		return
	fi
	if cmp "$tmp/$name/$text.html" "$tmp/$name.html" >"$tmp/err" 2>&1; then
		echo "ok page: $name: the same bytes alone and in a folder"
	else
		echo "not ok page: $name: the same bytes alone and in a folder"
		sed 's/^/# /' "$tmp/err"
		failed=1
	fi
	cmark-gfm -e table -e strikethrough "$tmp/$name/$text.md" \
	    >"$tmp/$name.plain.html"
	names="$names $name"
}

names=
mkdir "$tmp/in"
mkflux --format csv "$tmp/in/flux" >/dev/null
mkjax "$tmp/in/jax" >/dev/null
mktorch "$tmp/in/torch" >/dev/null
mktorch --platform 2 "$tmp/in/other" >/dev/null
mketdump "$tmp/in" >/dev/null
report flux report "$tmp/in/flux"/*
report jax report "$tmp/in/jax"
report torch report "$tmp/in/torch/rank0.json"
report ranks report "$tmp/in/torch"
report executorch report "$tmp/in/runs/mac"
report combined combined_report --combined "$tmp/in/runs/mac" \
    "$tmp/in/runs/android"
report compare comparison --compare "$tmp/in/torch/rank0.json" \
    "$tmp/in/other/rank0.json"

# Every unit in every form, by a section of our own in a copy of share/.
cp -R share "$tmp/share"
node tests/page/units.js section >"$tmp/share/sections/units.md"
node tests/page/units.js >"$tmp/units.jsonl"
TP_SHARE=$tmp/share tp-render units "$tmp/units.jsonl" |
    tp-page --html >"$tmp/units.html"

tp-report --linked -o "$tmp/flux-linked.html" "$tmp/in/flux"/* >/dev/null 2>&1

# shellcheck disable=SC2086 # a list
node tests/page/main.js "$tmp" "$TP_SHARE" "$(command -v "$chromium")" \
    $names || failed=1
exit $failed
