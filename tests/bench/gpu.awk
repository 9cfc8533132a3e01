# The aggregate of tp-gpu-intervals as one would write it in awk: count, sum,
# union (rows sorted by start), busy time by channel.  See quantile.awk.
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	s = $at["start"] + 0; d = $at["duration"] + 0; c = $at["channel-name"]
	n++; sum += d
	if (s > end) { busy += end - from; from = s; end = s + d }
	else if (s + d > end) end = s + d
	if (s > ce[c]) { cb[c] += ce[c] - cf[c]; cf[c] = s; ce[c] = s + d }
	else if (s + d > ce[c]) ce[c] = s + d
}
END {
	busy += end - from
	printf "%.0f %.0f %.0f\n", n, sum, busy
	for (c in cb) printf "%s %.0f\n", c, cb[c] + ce[c] - cf[c]
}
