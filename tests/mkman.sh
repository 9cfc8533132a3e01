#!/bin/sh
# mkman.sh BUILD FILE.in: write a man page from its text and the programs
#
# In FILE.in @SYNOPSIS@, @DOES@, @READS@, @WRITES@, @OPTIONS@ and @EXAMPLES@
# stand for what "tp-x --help=man" says of it (tp-x: the name of FILE), @EXIT@
# for the exit statuses (share/man/_exit), @KINDS@ for the kinds of records
# (share/schema), @TOOLS@ for every filter and its purpose.
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
fi

# The kinds: every schema file has one property per line, which names a key.
awk '
	function text(line, key) {
		if (!sub(".*\"" key "\": \"", "", line))
			return ""
		sub(/"[,}]*$|", "[a-z]+": .*/, "", line)
		gsub(/\\"/, "\"", line)
		gsub(/\\\\/, "\\e", line)
		return line
	}
	function values(line) {
		if (!sub(/.*"enum": \[/, "", line))
			return ""
		sub(/\].*/, "", line)
		gsub(/"/, "", line)
		return "\n" folded("One of " line ".")
	}
	# Words of S on lines of at most 78 characters, none a macro.
	function folded(s,	n, i, line, all, word) {
		n = split(s, word, " ")
		for (i = 1; i <= n; i++) {
			if (line != "" && length(line word[i]) > 77) {
				all = all line "\n"
				line = ""
			}
			if (line == "" && word[i] ~ /^[.\047]/)
				word[i] = "\\&" word[i]
			line = line (line == "" ? "" : " ") word[i]
		}
		return all line
	}
	function close_list() {
		if (list)
			print ".El"
		list = 0
	}
	FNR == 1 { close_list() }
	/^ +"[a-z0-9_]+": \{/ {
		key = $1
		gsub(/[":]/, "", key)
		if (FNR == NR)
			meant[key] = $0
	}
	FNR == NR { next }
	/^  "title": / { printf ".Ss %s\n", text($0, "title") }
	/^  "description": / { print folded(text($0, "description") ".") }
	/^    "[a-z0-9_]+": \{/ {
		if (key == "kind" || key == "src")
			next
		if (!list++)
			print ".Bl -tag -width Ds -compact"
		printf ".It Va %s Pq %s\n", key, text(meant[key], "type")
		one_of = values($0)
		print folded(text(meant[key], "description") ".") \
		    (one_of == "" ? values(meant[key]) : one_of)
	}
	END { close_list() }' "$schema/_keys.json" "$schema"/[a-z]*.json \
	>"$tmp/KINDS"

for f in "$build"/tp-*; do
	[ -x "$f" ] && "$f" --help=row
done | sed '/^$/d' | awk -F '|' '
	{ gsub(/`/, "", $2); printf ".It Xr %s 1\n%s.\n", $2, $3 }
	' >"$tmp/TOOLS"
cp "$(dirname "$in")/_exit" "$tmp/EXIT"
for block in SYNOPSIS OPTIONS; do
	[ -e "$tmp/$block" ] || continue
	# ".Ar [FILE...]" names an optional operand.
	awk '/^\.Ar .*\[/ {
		for (i = 2; i <= NF; i++) {
			optional = sub(/^\[/, "", $i) + sub(/\]$/, "", $i)
			sub(/\.\.\.$/, " ...", $i)
			print (optional ? ".Op Ar " : ".Ar ") $i
		}
		next
	} { print }' "$tmp/$block" >"$tmp/new" && mv "$tmp/new" "$tmp/$block"
done

for block in READS WRITES; do
	[ -e "$tmp/$block" ] || continue
	fold -s -w 66 "$tmp/$block" | sed 's/ *$//' >"$tmp/new" &&
	    mv "$tmp/new" "$tmp/$block"
done

# A mark on a line of its own stands for a block, any other for one line.
awk -v dir="$tmp" -v page="$page" '
	function block(name,	line, text) {
		while ((getline line <(dir "/" name)) > 0)
			text = text (text == "" ? "" : "\n") line
		close(dir "/" name)
		if (text == "") {
			print "mkman: " page ": nothing for " name \
			    >"/dev/stderr"
			failed = 1
		}
		return text
	}
	/^@[A-Z]+@$/ { print block(substr($0, 2, length($0) - 2)); next }
	{
		while (match($0, /@[A-Z]+@/))
			$0 = substr($0, 1, RSTART - 1) \
			    block(substr($0, RSTART + 1, RLENGTH - 2)) \
			    substr($0, RSTART + RLENGTH)
		print
	}
	END { exit failed }' "$in"
