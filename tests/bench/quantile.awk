# After gpu.awk: exact percentiles, which need the sort that gawk has.
NR > 1 { dur[NR - 1] = d }
END {
	asort(dur)
	print dur[int(n * .5)], dur[int(n * .99)]
}
