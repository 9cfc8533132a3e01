# What the judgement of one run was, beside what it should have been: $name,
# $truth, and the records of its report, $found and $records.  Where no process
# is to be found (PyTorch has one) both are null.
# A case may say more: of "shows" each must be in some record, of "hides" none;
# "$WORD" is that of "expected" of the size, "KEY~" a part of the text of KEY.
# "path" are verdicts that are right as well: of chains about as long the critical
# path goes through one, while the truth knows what the GPU did in its span.
# Where the truth knows the median step, it must be told to one percent.
def ids: map(.id);
def fits($want): . as $record | all($want | to_entries[];
  .value as $part
  | if .key | endswith("~") then $record[.key[:-1]] // "" | contains($part)
  else $record[.key] == .value end);

($name / "/") as [$source, $cause, $size]
| ($cases[0].cases[] | select(.cause == $cause)) as $case
| ($case.sizes[($size | tonumber) - 1].expected // {}) as $words
| ($found + $records) as $all
| def filled: map(map_values(if type == "string" and startswith("$")
    then $words[.[1:]] else . end))[];
  ([$case.shows // [] | filled | . as $want
    | select(any($all[]; fits($want)) | not)]
   + [$truth[0].step_ns // empty | . as $ns
    | select(any($all[] | select(.kind == "step.summary") | .wall_median_ns
      // empty; . > 0.99 * $ns and . < 1.01 * $ns) | not)
    | {kind: "step.summary", wall_median_ns: .}]) as $absent
| [$case.hides // [] | filled | . as $want
    | select(any($all[]; fits($want)))] as $there
| $truth[0] as $truth
# A gain by replay is of the window that begins on the host, and of the change
# alone: gains overlap.
| ([$records[] | select(.kind == "path.window")] != []) as $is_replayed
| ($truth.causes | map(if $is_replayed then .gain_ns =
    ([.window_gain_ns // .gain_ns, 0] | max) else . end)
  | sort_by(-.gain_ns)) as $causes
| ($found | map(select(.kind == "finding")) | sort_by(.rank)) as $findings
| ($found | map(select(.kind == "verdict" and .role == "bound"))[0]) as $bound
| ([$records[] | select(.kind == "gpu.summary" and .scope == "target")
    | .process][0]) as $process
| ($findings | ids | if . == [] then ["none"] else . end) as $got
| ([$findings[].impact_ns // 0]
  | if $is_replayed then max else add end // 0) as $promised
| ([$causes[].gain_ns] | add) as $injected
| {name: $name,
   verdict: $bound.verdict, verdict_wanted: $truth.verdict,
   process: $process, process_wanted: $truth.process,
   findings: $got, first_wanted: $causes[0].findings,
   others_wanted: [$causes[1:][].findings],
   absent: $absent, there: $there, promised_ns: $promised, injected_ns: $injected,
   text: ($findings[0].text // $bound.text),
   # the largest cause first, each of the others somewhere
   first_right: ($absent + $there == [] and
     ($got[0] | IN($causes[0].findings[])) and
     all($causes[1:][]; any(.findings[]; IN($got[])))),
   verdict_right: ($process == $truth.process and
     ($bound.verdict | IN($truth.verdict[], $case.path[]?))),
   in_bounds: ($promised <= $injected * 1.1),
   false_count: ($got | map(select(IN("none",
     $truth.causes[].findings[]) | not)) | length)}
