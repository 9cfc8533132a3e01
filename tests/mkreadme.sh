#!/bin/sh
# mkreadme.sh BUILD [FILE]: the table of filters, from the option tables
#
# Prints it; with FILE writes it between "<!-- filters -->" and
# "<!-- /filters -->" of FILE.
set -u
build=$1
tmp=$(mktemp) || exit 2
trap 'rm -f "$tmp"' EXIT

for f in "$build"/tp-*; do
	case $f in
	*.tmp) continue ;;
	esac
	"$f" --help=row || exit 1
done | awk -F '|' '
	{ group[NR] = $1; row[NR] = $2 " | " $3 }
	END {
		print "| group | filter | does |"
		print "|---|---|---|"
		# in the order in which a trace goes through them
		n = split("look Instruments trace~events ExecuTorch judgement presentation artifacts", order, " ")
		for (i = 1; i <= n; i++)
			sub(/~/, " ", order[i])
		for (i = 1; i <= n; i++)
			for (k = 1; k <= NR; k++)
				if (group[k] == order[i]) {
					print "| " group[k] " | " row[k] " |"
					done[k] = 1
				}
		for (k = 1; k <= NR; k++)
			if (!done[k])
				print "| " group[k] " | " row[k] " |"
	}' >"$tmp" || exit 1

if [ $# -lt 2 ]; then
	cat "$tmp"
	exit
fi
awk -v table="$tmp" '
	/^<!-- \/filters -->/ { inside = 0 }
	!inside { print }
	/^<!-- filters -->/ {
		inside = 1
		while ((getline line <table) > 0)
			print line
	}' "$2" >"$2.part" && mv "$2.part" "$2"
