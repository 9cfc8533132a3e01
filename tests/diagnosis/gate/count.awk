# count.awk: what the gate and the comparison said of the pairs of one case
#
# Reads truth.tsv of mkgate, then of each pair the records of tp-track, "pair
# STATUS" and those of tp-compare.  Prints a line with tabs between: the name;
# pairs, how many failed, how many could not be told; how many were compared,
# worse, better, mixed, unknown; rows that were called changed and are not; of
# those that are, how many were found; of the intervals, how many hold the
# truth.

# The value of KEY, as it stands.
function value(key,  at, rest) {
	at = index($0, "\"" key "\":")
	if (!at)
		return ""
	rest = substr($0, at + length(key) + 3)
	if (substr(rest, 1, 1) == "\"") {
		rest = substr(rest, 2)
		return substr(rest, 1, index(rest, "\"") - 1)
	}
	match(rest, /[,}]/)
	return substr(rest, 1, RSTART - 1)
}

# A change too small for tp-compare to tell is none.
function direction(factor) {
	return factor >= 1.02 ? "regressed" : factor <= 0.98 ? "improved" : ""
}

NR == FNR {
	factor[$1] = $2
	next
}
/^pair / {
	pairs++
	failed += $2
	next
}
/^{"kind":"track.summary"/ {
	untold += value("outcome") == "unknown"
	next
}
# What was called a change in the pair so far, and is none.
function end_pair() {
	if (pair_wrong)
		shares += pair_wrong / (pair_wrong + pair_found)
	pair_wrong = pair_found = 0
}

/^{"kind":"compare.summary"/ {
	end_pair()
	compared++
	said[value("verdict")]++
	next
}
/^{"kind":"compare.metric"/ {
	metric = value("metric")
	low = value("change_low_factor")
	if (metric != "step[all].start_to_start_ns" || low == "")
		next
	intervals++
	# the truth has nine places
	held += low - 1e-8 <= factor[metric] &&
	    factor[metric] <= value("change_high_factor") + 1e-8
	next
}
/^{"kind":"compare.row"/ {
	name = value("name")
	if (value("of") !~ /^(op|collective)$/ || !(name in factor))
		next
	change = value("change")
	want = direction(factor[name])
	if (want != "") {
		rows++
		found += change == want
		pair_found += change == want
	} else if (factor[name] > 0.99 && factor[name] < 1.01) {
		wrong += change == "regressed" || change == "improved"
		pair_wrong += change == "regressed" || change == "improved"
	}
}
END {
	end_pair()
	printf "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\n",
	    title, pairs, failed, untold, compared, said["worse"],
	    said["better"], said["mixed"], said["unknown"], wrong, rows,
	    found, intervals, held, shares
}
