# The table of a source: results of its runs (slurped), and $cases.
def count(f): map(select(f)) | length;
def percent($of): "\(.) (\(if $of == 0 then 0 else 100 * . / $of | floor
  end) %)";
def ms: "\(. / 10000 | round | . / 100) ms";
# of a run that has a bottleneck, findings beside it may well be true, but for
# those that the case says never are
def judged($case): .healthy = ($case.healthy // false)
  | .held = (.healthy or ($case.never // []) != [])
  | .false_findings = [.findings[] | select(IN(($case.never // [])[]))]
  | .false_count = if .healthy then .false_count
    else .false_findings | length end;
def numbers: [length, count(.first_right), count(.verdict_right),
  (map(.false_count) | add // 0), count(.in_bounds)];
def explained:
  "\(.name):"
  + (if .first_right and (.false_count > 0 | not) then "" else
     "\n  findings: expected first \(.first_wanted | join(" or "))"
     + ([.others_wanted[] | ", and \(join(" or "))"] | add // "")
     + (if .false_findings == [] then "" else
       ", never \(.false_findings | join(", "))" end)
     + "; got \(.findings | join(", "))" end)
  + (if .absent + .there == [] then "" else
     "\n  not shown: \(.absent), shown and should not be: \(.there)" end)
  + (if .verdict_right then "" else
     "\n  verdict: expected \(.verdict_wanted | join(" or ")) of "
     + "\(.process_wanted // "no process"); got \(.verdict) of "
     + "\(.process // "no process")" end)
  + (if .in_bounds then "" else
     "\n  promised \(.promised_ns | ms), to gain are \(.injected_ns | ms)" end)
  + "\n  it says: \(.text)";

def wrong: (.first_right and .verdict_right and .in_bounds | not)
  or .false_count > 0;

. as $results
| [$cases[0].cases[] | . as $case
   | {cause,
      of: ($results | map(select(.name | split("/")[1] == $case.cause)
        | judged($case)))}
   | select(.of != [])] as $rows
| [$rows[].of[]] as $all
| if $verbose then ($all[] | select(wrong) | explained), "" else empty end,
  if $counts then $rows[] | [.cause, (.of | numbers)[]] | @tsv
  else
    "## \($cases[0].source)", "",
    "| cause | cases | first finding right | verdict right | "
      + "false findings | promise kept |",
    "|---|--:|--:|--:|--:|--:|",
    ($rows[] | (.of | numbers) as $n
     | "| \(.cause) | \($n[0]) | \($n[1]) | \($n[2]) | "
       + "\(if .of[0].held then $n[3] else "" end) | \($n[4]) |"),
    ($all | numbers | . as $n
     | "| **all** | \($n[0]) | \($n[1] | percent($n[0])) | "
       + "\($n[2] | percent($n[0])) | "
       + "\($n[3]) in \($all | count(.held)) | "
       + "\($n[4] | percent($n[0])) |")
  end
