# grow.awk - an input of N things that differ in one way
#
#	awk -f grow.awk -v form=FORM -v who=WHO -v shape=SHAPE -v n=N
#
# FORM is a source, WHO the things in it that have the SHAPE; all others are
# one behind the other, N of each.  SHAPE:
#
#	flat		one behind the other
#	nest		each in the one before it
#	ended		the same, and all end before most of the others
#	stairs		each begins in the one before it and ends after it
#	equal		all at one time
#	reverse		the last comes first
#	names		each has a name of its own
#	lanes		each has a lane (thread, stream, row, track) of its own
#	owners		each has a process, device or file of its own
#	one		all have the number of the first
#	words		each name is longer than the one before it

function set(i, is) {
	at = i * 10; dur = 8; name = i % 9; lane = owner = 1; id = i
	if (!is)
		return
	if (shape == "nest") {
		at = i; dur = 4 * n * 10 - 2 * i
	} else if (shape == "stairs") {
		at = i; dur = n * 10
	} else if (shape == "equal")
		at = 10
	else if (shape == "reverse")
		at = (n - i + 1) * 10
	else if (shape == "names")
		name = "n" i "x" (i * 7919) % 104729
	else if (shape == "lanes")
		lane = i
	else if (shape == "owners")
		owner = i
	else if (shape == "one")
		id = 1
}

# An event of trace events.
function event(cat, name, pid, tid, at, dur, args) {
	printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%s,\"tid\":%s,\"ts\":%s,\"dur\":%s,\"args\":{%s}}", sep, cat, name, pid, tid, at, dur, args
	sep = ",\n"
}

function has(what) {
	return who == what || also == "all" && what != "module"
}

function torch(i) {
	set(i, who == "step")
	if (i % 10 == 0 || who == "step")
		event("user_annotation", "ProfilerStep#" i, owner, lane, at, dur, "")
	set(i, who == "range")
	event("user_annotation", "range" letters(name), owner, lane, at, dur, "")
	set(i, who == "marked")
	if (who == "marked")
		event("gpu_user_annotation", "marked" letters(name), 0, lane, at, dur, "\"device\":0,\"stream\":" lane)
	if (has("python")) {
		set(i, who == "python")
		event("python_function", "f.py(" (i % 50 + 1) "): f" letters(name), owner, lane, at, dur, "\"Python id\":" i ",\"Python parent id\":" (shape == "nest" && i > 1 ? i - 1 : "null"))
	}
	if (has("module")) {
		set(i, who == "module")
		event("python_function", "nn.Module: M_" name, owner, lane, at, dur, "\"Python id\":" i ",\"Python parent id\":" (shape == "nest" && i > 1 ? i - 1 : "null") ",\"Python module id\":" i)
	}
	set(i, who == "op" || who == "mm")
	event("cpu_op", "aten::" (who == "mm" ? "mm" : "op" letters(name)), owner, lane, at + 1, dur, "\"External id\":" id ",\"Input Dims\":[[" (who == "shapes" ? i : 8) ",8],[8,8]],\"Input type\":[\"float\",\"float\"],\"Sequence number\":" (who == "sequence" ? 1 : i) ",\"Fwd thread id\":" (i % 2))
	set(i, who == "call")
	event("cuda_runtime", "cudaLaunchKernel", owner, lane, at + 2, dur / 4, "\"correlation\":" id ",\"External id\":" i)
	if (has("sync")) {
		set(i, who == "sync")
		event("cuda_runtime", "cudaStreamSynchronize", owner, lane, at + 2, dur / 4, "\"correlation\":" n + i)
	}
	set(i, who == "kernel")
	event("kernel", "kern" letters(name) "(float*)", owner - 1, lane + 6, at + 4, dur, "\"correlation\":" id ",\"stream\":" lane + 6 ",\"device\":" owner - 1 ",\"External id\":" i ",\"grid\":[1,1,1],\"block\":[128,1,1]")
	if (has("copy")) {
		set(i, who == "copy")
		event("gpu_memcpy", "Memcpy HtoD " letters(name), owner - 1, lane + 6, at + 4, dur, "\"correlation\":" n + id ",\"bytes\":4096,\"stream\":" lane + 6 ",\"device\":" owner - 1)
	}
	if (has("comm")) {
		set(i, who == "comm")
		event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", owner - 1, lane + 20, at + 4, dur, "\"correlation\":" n + id ",\"stream\":" lane + 20 ",\"device\":" owner - 1 ",\"Collective name\":\"allreduce\",\"Process Group Name\":\"" name "\",\"In msg nelems\":1024,\"Out msg nelems\":1024,\"dtype\":\"Float\",\"Group size\":2,\"Seq\":" i)
	}
	if (has("memory")) {
		set(i, who == "memory")
		printf "%s{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":%s,\"tid\":%s,\"ts\":%s,\"args\":{\"Total Reserved\":100000000,\"Total Allocated\":%d,\"Bytes\":%d,\"Addr\":%d,\"Device Id\":%d,\"Device Type\":1}}", sep, owner, lane, at, i * 512, i % 2 || shape == "names" ? 512 : -512, shape == "one" ? 1 : int((i + 1) / 2) * 512, owner - 1
	}
	if (has("flow")) {
		set(i, who == "flow")
		printf "%s{\"ph\":\"s\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,\"pid\":1,\"tid\":1,\"ts\":%s}", sep, id, at + 2
		printf "%s{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":%d,\"pid\":0,\"tid\":7,\"ts\":%s}", sep, id, at + 4
	}
	if (who == "pairs") {
		set(i, 1)
		printf "%s{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"p%s\",\"pid\":%s,\"tid\":%s,\"ts\":%s}", sep, name, owner, lane, at
		if (shape != "nest" && shape != "stairs")
			printf "%s{\"ph\":\"E\",\"pid\":%s,\"tid\":%s,\"ts\":%s}", sep, owner, lane, at + dur
	}
}

# Numbers as letters: names that differ in digits alone are one.
function letters(k, s) {
	if (k !~ /^n/)
		return k
	s = k
	gsub(/0/, "a", s); gsub(/1/, "b", s); gsub(/2/, "c", s)
	gsub(/3/, "d", s); gsub(/4/, "e", s); gsub(/5/, "f", s)
	gsub(/6/, "g", s); gsub(/7/, "h", s); gsub(/8/, "i", s)
	gsub(/9/, "j", s)
	return s
}

BEGIN {
	if (form == "torch") {
		printf "{\"traceEvents\":[\n"
		for (i = 1; i <= n; i++)
			torch(i)
		print "\n]}"
	}
}
