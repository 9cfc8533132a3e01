# What the judgement of one run was, beside what it should have been: $name,
# $truth, and the records of its report, $found and $records.  Where no process
# is to be found (PyTorch has one) both are null.
def ids: map(.id);

$truth[0] as $truth
| ($truth.causes | sort_by(-.gain_ns)) as $causes
| ($found | map(select(.kind == "finding")) | sort_by(.rank)) as $findings
| ($found | map(select(.kind == "verdict" and .role == "bound"))[0]) as $bound
| ([$records[] | select(.kind == "gpu.summary" and .scope == "target")
    | .process][0]) as $process
| ($findings | ids | if . == [] then ["none"] else . end) as $got
| ([$findings[].impact_ns // 0] | add // 0) as $promised
| ([$causes[].gain_ns] | add) as $injected
| {name: $name,
   verdict: $bound.verdict, verdict_wanted: $truth.verdict,
   process: $process, process_wanted: $truth.process,
   findings: $got, first_wanted: $causes[0].findings,
   others_wanted: [$causes[1:][].findings],
   promised_ns: $promised, injected_ns: $injected,
   text: ($findings[0].text // $bound.text),
   # the largest cause first, each of the others somewhere
   first_right: (($got[0] | IN($causes[0].findings[])) and
     all($causes[1:][]; any(.findings[]; IN($got[])))),
   verdict_right: ($process == $truth.process and
     ($bound.verdict | IN($truth.verdict[]))),
   in_bounds: ($promised <= $injected * 1.1),
   false_count: ($got | map(select(IN("none",
     $truth.causes[].findings[]) | not)) | length)}
