#!/bin/sh
# mkman.sh BUILD FILE.in: write a man page from its text and the programs
#
# In FILE.in a line that is @SYNOPSIS@, @DOES@, @READS@, @WRITES@, @OPTIONS@
# or @EXAMPLES@ stands for what "tp-x --help=man" says of it (tp-x: the name
# of FILE), @NOTES@ for the note codes of share/schema/note.json, @KINDS@ for
# the record kinds of share/schema, @TOOLS@ for every filter and its purpose,
# and @VERSION@ for the version.
set -u
build=$1 in=$2
page=$(basename "$in" .in)
tool=${page%.*}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
schema=$(dirname "$(dirname "$in")")/schema

# Blocks of --help=man, a file each.
if [ -x "$build/$tool" ]; then
	"$build/$tool" --help=man >"$tmp/help" || exit 1
	awk -v dir="$tmp" '
		/^@[A-Z]+$/ { block = substr($0, 2); next }
		{ print >(dir "/" block) }' "$tmp/help"
	"$build/$tool" --version | sed 's/.* //' >"$tmp/VERSION"
fi

# The kinds: every schema file has one property per line.
for f in "$schema"/*.json; do
	[ -e "$f" ] && awk '
	function text(key,	s) {
		s = $0
		if (!sub(".*\"" key "\": \"", "", s))
			return ""
		sub(/"[,}]*$|", "[a-z]+": .*/, "", s)
		gsub(/\\"/, "\"", s)
		gsub(/\\\\/, "\\e", s)
		return s
	}
	function guarded(s) {
		return s ~ /^[.\047]/ ? "\\&" s : s
	}
	/^  "title": / { printf ".Ss %s\n", text("title") }
	/^  "description": / {
		printf "%s.\n.Bl -tag -width Ds -compact\n",
		    guarded(text("description"))
	}
	/^    "[a-z0-9_]+": \{/ {
		key = $1
		gsub(/[":]/, "", key)
		if (key == "kind" || key == "src")
			next
		printf ".It Va %s Pq %s\n", key, text("type")
		values = $0
		if (sub(/.*"enum": \[/, "", values)) {
			sub(/\].*/, "", values)
			gsub(/"/, "", values)
			values = ": " values
		} else
			values = ""
		printf "%s%s.\n", guarded(text("description")), values
	}
	END { print ".El" }' "$f"
done >"$tmp/KINDS"

for f in "$build"/tp-*; do
	[ -x "$f" ] && "$f" --help=row
done | sed '/^$/d' | awk -F '|' '
	{ gsub(/`/, "", $2); printf ".It Xr %s 1\n%s.\n", $2, $3 }
	' >"$tmp/TOOLS"
[ -s "$tmp/VERSION" ] || for f in "$build"/tp-*; do
	"$f" --version | sed 's/.* //'
	break
done >"$tmp/VERSION"

awk -v dir="$tmp" -v page="$page" '
	/^@[A-Z]+@$/ {
		name = dir "/" substr($0, 2, length($0) - 2)
		n = 0
		while ((getline line <name) > 0) {
			print line
			n++
		}
		close(name)
		if (!n) {
			print "mkman: " page ": nothing for " $0 >"/dev/stderr"
			exit 1
		}
		next
	}
	{ print }' "$in"
