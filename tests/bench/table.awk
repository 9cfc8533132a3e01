# table.awk MUSTS -: lines of pair as rows of a Markdown table
#
# Ids are GROUP/ROW.  GROUP/floor comes first in its group, and the other
# side of it is the floor.  MUSTS says what rows are held to; with -v whole=1
# each of them must have come.
BEGIN {
	FS = "\t"
	print "| ours / other | ours, s | other, s | ours, rate | " \
	    "x floor: ours, other | MB: ours, other | wall ratio (range) | " \
	    "CPU ratio (range) | must | met |"
	print "|---|---:|---:|---:|---:|---:|---|---|---|---|"
}
FNR == NR {
	if ($0 !~ /^#/)
		must[$1] = must[$1] $2 FS $3 FS $4 "\n"
	next
}
{ seen[$1] = 1 }
# What bench.sh says itself: a peer that is not there.
NF == 2 {
	judge($1)
	print "| " $2 " | | | | | | | | " text " | |"
	next
}
function rate() {
	if (here["mbps"])
		return sprintf("%.0f MB/s", here["mbps"])
	return here["ns"] ? sprintf("%.1f ns each", here["ns"]) : ""
}
# Sets text and met.
function judge(id,   lines, n, i, part, ok) {
	text = met = ""
	n = split(must[id], lines, "\n")
	for (i = 1; i < n; i++) {
		split(lines[i], part, FS)
		ok = part[2] == "<=" ? here[part[1]] <= part[3] + 0 : \
		    here[part[1]] >= part[3] + 0
		text = text (i > 1 ? ", " : "") part[1] " " part[2] " " part[3]
		met = met (i > 1 ? ", " : "") (ok ? "yes" : "no")
	}
}
{
	split($1, id, "/")
	if (id[2] == "floor")
		floor[id[1]] = $4
	here["wall"] = $7
	here["cpu"] = $10
	here["mb"] = $5
	here["mbps"] = $13 / $3 / 1e6
	here["ns"] = $14 * 1 ? $3 / $14 * 1e9 : 0
	judge($1)
	above = id[1] in floor ? sprintf("%.2f, %.2f", $3 / floor[id[1]],
	    $4 / floor[id[1]]) : ""
	printf "| %s | %.3f | %.3f | %s | %s | %.1f, %.1f", $2, $3, $4, rate(),
	    above, $5, $6
	printf " | %.3g (%.3g-%.3g) | %.3g (%.3g-%.3g)", $7, $8, $9, $10, $11, $12
	printf " | %s | %s |\n", text, met
	fflush()
}
END {
	for (row in must)
		if (whole && !(row in seen)) {
			print "bench: no row '" row "'" >"/dev/stderr"
			status = 1
		}
	exit status
}
