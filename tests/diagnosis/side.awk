# side.awk: GPU intervals of steps that are alike, from words
#
#	awk -f side.awk -v words='steps=12 120*40' [-v seed=N] [-v noise=PERCENT]
#	    [-v scale=FACTOR] [-v from=NS] [-v id=N]
#
# n*DURATION is so many intervals of a step (us), several in their order;
# one*n*DURATION those of the first step in place of all others.  steps=N,
# buffer=N (intervals to a command buffer), pause=US between steps, first=TIMES
# (as long the first step takes).  label=WORD names each interval of a step; mlx
# and compiled name it as a build of MLX for debugging does, third so that one
# of three holds a compiled kernel.  -v from and id: the time and the number of
# the first buffer, to put one behind another.
function random() {
	state = state * 16807 % 2147483647
	return state / 2147483647
}

function row(duration, place,   name) {
	if (label == "mlx")
		name = place % 2 ? "SinCosExpLog" : "MatmulAddMultiply"
	else if (label == "compiled" || (label == "third" && place % 3 == 0))
		name = "CompiledSinCosExpLogMatmulAdd"
	else if (label == "third")
		name = "MatmulAdd"
	else
		name = label place
	if (label == "mlx" && place == 0)
		name = "CopySinCos"
	if ((label == "compiled" || label == "third") && place == 0)
		name = "Copy" name
	printf "%.0f,%.0f,Compute,%spython3.11 (7),%d\n", at, duration,
	    label == "" ? "" : name ":Compute Command 0 ( python3.11 (7) ) 0x1,",
	    id + int(n / buffer)
	n++
	at += duration + 5000
}

function shape(word,   p, d, i) {
	split(word, p, "*")
	for (i = 0; i < p[1]; i++) {
		d = p[2] * 1000 * scale * (step == 1 ? first : 1)
		row(d * (1 + noise / 100 * (2 * random() - 1)), place++)
	}
}

BEGIN {
	steps = 12; buffer = 1; pause = 1050; first = 1
	if (scale == "") scale = 1
	if (noise == "") noise = 3
	if (from == "") from = 1000000000
	state = 1 + (seed + length(words)) * 7919 % 2147483646
	at = from + 0
	for (i = split(words, w, " "); i; i--) {
		if (w[i] ~ /^one\*/)
			only[++ones] = substr(w[i], 5)
		else if (w[i] ~ /\*/)
			all[++shapes] = w[i]
		else {
			split(w[i], p, "=")
			if (p[1] == "steps") steps = p[2]
			else if (p[1] == "buffer") buffer = p[2]
			else if (p[1] == "pause") pause = p[2]
			else if (p[1] == "first") first = p[2]
			else if (p[1] == "label") label = p[2]
			else { print "side.awk: " w[i] >"/dev/stderr"; exit 2 }
		}
	}
	if (!id)
		print "start,duration,channel-name," (label == "" ? "" : \
		    "event-label,") "process,cmdbuffer-id"
	for (step = 1; step <= steps; step++) {
		place = 0
		if (step == 1 && ones)
			for (s = ones; s; s--)
				shape(only[s])
		else
			for (s = shapes; s; s--)
				shape(all[s])
		at += pause * 1000 - 5000
	}
	printf "%.0f\n", at >"/dev/stderr"
}
