#!/bin/sh
# lint.sh BUILD: what a reader should not have to find
#
# Man pages, shell scripts, the layout of the sources, and words that have no
# place in a public tree.  Prints what is wrong; 1 when anything is.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
failed=0
tab='	'

# fault NAME TEXT: print TEXT, if there is any, as a fault.
fault() {
	[ -n "$2" ] || return 0
	printf '%s:\n%s\n' "$1" "$2"
	failed=1
}

# Tracked files, or without git all that are no products.
files() {
	if [ -e .git ] && command -v git >/dev/null; then
		git ls-files --cached --others --exclude-standard
	else
		find . -type f ! -path './build/*' | sed 's|^\./||'
	fi | while IFS= read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"
	done
}
sources=$(files | grep -E '^(lib|tools|include|examples|tests|share)/.*\.[ch]$')
scripts=$(files | grep -E '\.(sh|bash|bats)$')

if command -v mandoc >/dev/null; then
	for page in "$build"/man/*; do
		fault "$page" "$(mandoc -T lint -W warning "$page" 2>&1 |
		    grep -v -e 'referenced manual not found' -e 'mandoc\.db')"
	done
else
	echo 'lint: no mandoc, man pages are not checked'
fi

for f in $scripts; do
	case $(head -n 1 "$f") in
	*bash) fault "$f" "$(bash -n "$f" 2>&1)" ;;
	*/sh) fault "$f" "$(sh -n "$f" 2>&1)" ;;
	esac
done
if command -v shellcheck >/dev/null; then
	for f in $(printf '%s\n' "$scripts" | grep '\.sh$'); do
		fault "$f" "$(shellcheck -S error -f gcc "$f")"
	done
else
	echo 'lint: no shellcheck, scripts are only parsed'
fi

# What no other section names is read by nobody.
for f in share/sections/_*.md; do
	partial=${f##*/}
	grep -rqF "{{> ${partial%.md}}}" share || fault "$f" 'no section uses it'
done
for f in share/sections/*.md; do
	fault "$f: lines over 200 characters" \
	    "$(grep -n -E '^.{201}' "$f" | cut -c 1-100)"
done

# Of all records of a kind, "{{#KIND:1}}" takes the first again in a loop over
# the same kind, unless it compares with the record of the loop.
fault "a loop over a kind within a loop over it prints its first records" \
    "$(awk '
	FNR == 1 { depth = 0 }
	{
		s = $0
		while (match(s, /\{\{[#^\/][^}]*\}\}/)) {
			tag = substr(s, RSTART + 2, RLENGTH - 4)
			s = substr(s, RSTART + RLENGTH)
			kind = substr(tag, 2)
			sub(/[ :[=<>!~].*/, "", kind)
			if (tag ~ /^\//) {
				depth -= depth && kinds[depth] == kind
				continue
			}
			for (i = depth; i && tag ~ /^#[^ ]*:[0-9]+( |$)/; i--)
				if (kinds[i] == kind && tag !~ /\$/ &&
				    tags[i] ~ /^#/ && tags[i] !~ /:1( |$)|[[=]/)
					print FILENAME ":" FNR ": {{" tag \
					    "}} in {{" tags[i] "}}"
			kinds[++depth] = kind
			tags[depth] = tag
		}
	}' share/sections/*.md share/rules/*.json)"

# GitHub drops the cells that the head of a table has not.
for f in $(files | grep -E '^((README|HACKING|CHANGELOG)|share/doc/.*)\.md$'); do
	fault "$f: rows with more or fewer cells than their head" "$(awk '
	/^ *```/ { code = !code }
	code || !/^\|/ { head = 0; next }
	{
		s = $0
		gsub(/\\\|/, "", s)
		cells = gsub(/\|/, "", s) - 1
		if (!head)
			head = cells
		else if (cells != head)
			print FNR ": " cells " of " head
	}' "$f")"
done

# Of X/Open alone, which check-portable refuses after a long while.
xsi='realpath|strptime|ftw|nftw|tsearch|lfind|hsearch|random|drand48'
xsi="$xsi|gettimeofday|getrusage|putenv|nice|sync|a64l|swab"
for f in $(printf '%s\n' "$sources" | grep -E '^(lib|tools)/' |
    grep -vx 'lib/os\.c'); do
	fault "$f: not of POSIX.1-2008 (belongs into lib/os.c)" \
	    "$(grep -nE "(^|[^_[:alnum:]])($xsi)\(" "$f" | cut -c 1-100)"
done

for f in $sources; do
	fault "$f: lines over 80 columns" "$(expand "$f" |
	    grep -n -E '^.{81}' | cut -c 1-100)"
	fault "$f: blanks at the end of a line" \
	    "$(grep -n "[ $tab]\$" "$f" | head -n 3)"
	fault "$f: blanks before a tab" \
	    "$(grep -n " $tab" "$f" | head -n 3)"
	fault "$f: typedef of a struct" \
	    "$(grep -n '^typedef struct[^(]*$' "$f")"
	fault "$f: functions without a limit" \
	    "$(grep -n -w -E '(strcat|gets|strtok|vsprintf|system|popen)\(' \
	    "$f")"
done
for f in $(printf '%s\n' "$sources" | grep '^lib/.*\.c$'); do
	case $f in
	lib/tool/*) continue ;;
	esac
	# the library returns errors: it neither prints nor exits
	fault "$f: prints or exits" "$(grep -n -w -E \
	    '(printf|fprintf|puts|perror|exit|abort|assert) ?\(' "$f" |
	    grep -v '_printf')"
	fault "$f: memory not from alloc" "$([ "$f" = lib/alloc.c ] ||
	    grep -n -w -E '(malloc|calloc|realloc|free|strdup) ?\(' "$f")"
done

# The rooms of lib: whose headers each may include.  The base is what lies in
# no folder; tools include what include/tp shows, and headers beside them.
fault "includes what its room may not" "$(printf '%s\n' "$sources" |
	grep -E '^(lib|include|tools)/' | xargs awk '
	function room(path) {
		sub(/^(include\/tp|lib|tp)\//, "", path)
		if (path ~ /\//)
			return substr(path, 1, index(path, "/") - 1)
		if (path == "tool.h" || path == "look.h")
			return substr(path, 1, 4)
		return "base"
	}
	BEGIN {
		n = split("read show draw judge look redact tool metal jax " \
		    "torch executorch timeline", rooms)
		for (i = 1; i <= n; i++)
			may[rooms[i], "read"] = 1
		may["torch", "timeline"] = may["jax", "timeline"] = 1
		may["metal", "timeline"] = 1
		may["judge", "show"] = may["draw", "show"] = may["tool", "show"] = 1
	}
	FNR == 1 {
		mine = FILENAME ~ /^tools\// ? "tools" : room(FILENAME)
		here = FILENAME
		sub(/[^\/]*$/, "", here)
	}
	/^#include <tp\// || /^#include "/ {
		split($2, part, /[<>"]/)
		path = part[2]
		if (/"/ && (path !~ /\// || mine == "tools"))
			path = here path
		if (mine == "tools") {
			if (/"/ && path ~ /^tools\/.*\//)
				print FILENAME ":" FNR ": " $0
		} else if (room(path) != mine && room(path) != "base" &&
		    !((mine, room(path)) in may)) {
			print FILENAME ":" FNR ": " $0
		}
	}')"

for f in $(files | grep -v -E '^(examples/.*\.md|tests/golden/)'); do
	fault "$f: a folder of someone's machine" \
	    "$(grep -n -I -E '/(root|work|tmp/plan)/[a-z]' "$f" | head -n 3)"
done
for f in $(files | grep -E '\.(json|md|in|mk)$|^Makefile$' |
    grep -v '^tests/golden/'); do
	fault "$f: blanks at the end of a line" \
	    "$(grep -n "[ $tab]\$" "$f" | head -n 3)"
done
# budget, gaps and waits of jax and metal make way for the graph of calls
fault 'lib: a file name stands twice' \
    "$(files | grep -E '^lib/.*\.[ch]$' |
    grep -v -E '^lib/(jax|metal)/(budget|gaps|waits|to_timeline)\.' |
    sed 's|.*/||' | LC_ALL=C sort | uniq -d)"
fault 'golden cases: an input stands twice; write "-- NAME = FILE/CASE/NAME --"' \
    "$(awk 'function end_file() {
		if (length(text) > 64 && name !~ /^(cmd|out|err|status)$/) {
			if (text in at)
				print place ": as " at[text]
			at[text] = place
		}
		text = ""
	}
	/^== .+ ==$/ { end_file(); test = $2; name = "cmd"; next }
	/^-- .+ --$/ {
		end_file()
		name = $2
		place = FILENAME ": " test "/" name
		if (sub(/, cut --$/, ""))
			text = "cut\n"
		next
	}
	{ text = text $0 "\n" }' tests/golden/*.test)"
for f in $(files | grep -E '^(share|tests/rules)/.*\.json$'); do
	if command -v jq >/dev/null; then
		fault "$f" "$(jq empty "$f" 2>&1)"
	fi
done

[ $failed -eq 0 ] && echo 'lint: nothing found'
exit $failed
