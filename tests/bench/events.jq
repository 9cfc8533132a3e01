# What events.c does, in jq.
[.traceEvents[] | select(.ph == "X")] as $x |
reduce $x[] as $e ({}; .[$e.name] += ($e.dur * 1000 | round)) |
"\($x | length) \(add) \(length)",
(to_entries | sort_by(-.value)[:10][] | "\(.value) \(.key)")
