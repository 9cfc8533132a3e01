# xprof's table of rooflines as a trace of which it is the table: one event for
# each operation, with the cost of all its executions.  Those that hold others
# are in a lane of their own; the last operation ends where the program does.
# usage: jq -c -f xprof.jq roofline_model.json

def rows: .[0] as $t | [$t.cols[].id] as $ids | $t.rows[] |
	[$ids, [.c[] | .v?]] | transpose | map({ (.[0]): .[1] }) | add;
# GIB/s in a time of TOTAL us
def bytes($total): . * 1073741824 / 1e6 * $total | round | tostring;

([rows | select(.include_infeed_outfeed)]) as $all |
($all[] | select(.category == "Program" and .step == "Total" and
    .rank == 0)) as $program |
([$all[] | select(.category != "Program")]) as $ops |
([$ops[] | select(.category != "while" and .category != "megacore fusion") |
    .total_time] | add) as $sum |
{ traceEvents: ([
	{ ph: "M", name: "process_name", pid: 3,
	  args: { name: "/device:TPU:0" } },
	{ ph: "M", name: "thread_name", pid: 3, tid: 1,
	  args: { name: "XLA Ops" } },
	{ ph: "M", name: "thread_name", pid: 3, tid: 2,
	  args: { name: "XLA Ops" } }
] + [foreach $ops[] as $r ({ at: 0, held: 0 };
	($r.category == "while" or $r.category == "megacore fusion") as $holds |
	.tid = (if $holds then 2 else 1 end) |
	# idle before the last leaf, as much as there is
	.ts = (if $holds then .held else .at end) |
	(if $holds then .held += $r.total_time else .at += $r.total_time end) |
	.last = (.at | . > $sum - 1e-7);
	{ ph: "X", pid: 3, tid: .tid, name: $r.operation,
	  ts: (.ts + (if .last and .tid == 1
	      then $program.total_time - $sum else 0 end)),
	  dur: $r.total_time, args: {
		program_id: $r.hlo_module_id, hlo_category: $r.category,
		long_name: "%\($r.operation) = f32[1]{0} op()",
		flops: ($r.measured_flop_rate * 1e3 * $r.total_time | round |
		    tostring),
		model_flops: ($r.model_flop_rate * 1e3 * $r.total_time | round |
		    tostring),
		bytes_accessed: ($r.measured_memory_bw | bytes($r.total_time)),
		memory_access_breakdown: [
			[1, 1, ($r.hbm_bw | bytes($r.total_time) | tonumber)],
			[1, 2, ($r.cmem_read_bw | bytes($r.total_time) |
			    tonumber)],
			[2, 2, ($r.cmem_write_bw | bytes($r.total_time) |
			    tonumber)],
			[1, 3, ($r.vmem_read_bw | bytes($r.total_time) |
			    tonumber)],
			[2, 3, ($r.vmem_write_bw | bytes($r.total_time) |
			    tonumber)]] } })]) }
