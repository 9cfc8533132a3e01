# table.awk: the counts of count.awk as a table, held to the bounds of gate.tsv
#
# With counts=true names and numbers alone and 1 where all bounds are kept, with
# verbose=true also a line for each that is broken.

# The most of N that is no surprise where P is the rate: more would come in less
# than SURPRISE of all samples.
function most(n, p, surprise,  k, term, sum) {
	if (p <= 0)
		return 0
	if (p >= 1)
		return n
	term = exp(n * log(1 - p))
	sum = term
	for (k = 0; k < n && sum <= 1 - surprise; k++) {
		term *= (n - k) / (k + 1) * p / (1 - p)
		sum += term
	}
	return k
}

# Whether BOUND, WHAT<=RATE or WHAT>=RATE, is kept; limit is left as words.
function kept(bound,  what, rate, up, n, k, m, few) {
	match(bound, /[<>]=/)
	what = substr(bound, 1, RSTART - 1)
	up = substr(bound, RSTART, 1) == ">"
	rate = substr(bound, RSTART + 2) + 0
	if (!(what in of)) {
		print "table.awk: unknown bound " bound | "cat >&2"
		broken++
		return 0
	}
	n = of[what]
	k = seen[what]
	# intervals are held to it in each of many cases
	few = what == "cover" ? 0.001 : 0.05
	m = up ? n - most(n, 1 - rate / 100, few) : most(n, rate / 100, few)
	limit = what " " (up ? ">=" : "<=") " " rate " % (" m ")"
	# of nothing nothing is shown
	return n > 0 && (up ? k >= m : k <= m)
}

function share(k, n) {
	return n ? k " of " n : "-"
}

NR == FNR {
	line[$1] = $0
	next
}
/^#/ || !($1 in line) { next }
{
	split(line[$1], at, "\t")
	of["gate"] = at[2]
	seen["gate"] = at[3]
	of["worse"] = of["better"] = of["wrong"] = at[5]
	seen["worse"] = at[6]
	seen["better"] = at[7]
	seen["wrong"] = at[6] + at[7] + at[8]
	of["rows"] = at[5]
	seen["rows"] = at[15]
	of["found"] = at[11]
	seen["found"] = at[12]
	of["cover"] = at[13]
	seen["cover"] = at[14]
	limits = ""
	good = 1
	count = $4 == "-" ? 0 : split($4, bounds, ",")
	for (i = 1; i <= count; i++) {
		if (!kept(bounds[i])) {
			good = 0
			if (verbose == "true")
				print "# " $1 ": " bounds[i] " is broken"
			limit = "**" limit "**"
		}
		limits = limits (i > 1 ? ", " : "") limit
	}
	broken += !good
	if (counts == "true") {
		print line[$1] "\t" good
		next
	}
	row = sprintf("| %s | %d | %d | %d |", $1, at[2], at[3], at[4])
	for (i = 6; i <= 9; i++)
		row = row " " (at[5] ? at[i] : "-") " |"
	rows[++n] = row sprintf(" %s | %s | %s | %s | %s |",
	    at[5] ? sprintf("%.2f", at[10] / at[2]) : "-",
	    share(at[12], at[11]), share(at[14], at[13]),
	    count ? limits : "none", !count ? "" : good ? "kept" : "BROKEN")
}
END {
	if (n) {
		print "| gate | pairs | failed | cannot be told |" \
		    " said worse | better | mixed | unknown |" \
		    " rows wrong, a pair | rows found |" \
		    " intervals that hold | bounds (of so many pairs) | |"
		print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:" \
		    "|---:|---|---|"
	}
	for (i = 1; i <= n; i++)
		print rows[i]
	exit broken > 0
}
