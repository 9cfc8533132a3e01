# The aggregate of tp-gpu-intervals as one would write it in awk: count, sum,
# union (rows sorted by start), percentiles, busy time by channel.
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	s = $at["start"] + 0; d = $at["duration"] + 0; c = $at["channel-name"]
	n++; sum += d; dur[n] = d
	if (s > end) { busy += end - from; from = s; end = s + d }
	else if (s + d > end) end = s + d
	if (s > ce[c]) { cb[c] += ce[c] - cf[c]; cf[c] = s; ce[c] = s + d }
	else if (s + d > ce[c]) ce[c] = s + d
}
END {
	busy += end - from
	asort(dur)
	printf "%d %d %d %d %d\n", n, sum, busy, dur[int(n * .5)], dur[int(n * .99)]
	for (c in cb) printf "%s %d\n", c, cb[c] + ce[c] - cf[c]
}
