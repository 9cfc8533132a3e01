# N events of a device with four steps; calls of Python fill the capture.
BEGIN {
	print "{\"traceEvents\":["
	lane(1, "/device:TPU:0", 1, "Steps")
	lane(1, "/device:TPU:0", 2, "XLA Ops")
	lane(701, "/host:CPU", 7, "python")
	for (i = 0; i < 4; i++) {
		event(1, 1, i * 1000, 1000, i)
		event(1, 2, i * 1000 + 50, i < 3 ? 900 : 300, "fusion.1")
	}
	N -= 8
	for (i = 0; i < N; i++)
		event(701, 7, i * 3400 / N, 0.002, "$a.py:1 f")
	print "{}]}"
}
function lane(pid, process, tid, thread) {
	printf "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}},\n", pid, process
	printf "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}},\n", pid, tid, thread
}
function event(pid, tid, ts, dur, name) {
	printf "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"name\":\"%s\"},\n", pid, tid, ts, dur, name
}
