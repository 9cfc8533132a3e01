#!/bin/sh
# run.sh: every rule of share/rules against its table of cases.
#
# SOURCE.base.jsonl is a stream in which little is wrong.  A case of
# SOURCE.cases.json patches it ("at" chooses records by their values, "set"
# changes keys, null removes one, "drop" removes the records, "add" adds one)
# and lists every id that must then fire, in any order: "ids", or what comes
# ("plus") and goes ("minus") against the first case.  "severity" may state that
# of a finding.  All cases of a source are judged in one go, each as a
# trace of its own.  Every rule needs a case that fires it and one that does
# not, and one of each severity it can have.
set -u
cd "$(dirname "$0")/../.." || exit 2
command -v jq >/dev/null || { echo "not ok jq is needed"; exit 1; }
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
failed=0

patched='
def fits($at): . as $r | all($at | to_entries[]; $r[.key] == .value);
def patch($p):
  if $p.add then . + [$p.add]
  elif any(.[]; fits($p.at)) | not then error("nothing fits \($p.at)")
  elif $p.drop then map(select(fits($p.at) | not))
  else map(if fits($p.at) then . + $p.set | with_entries(
    select(.value != null)) else . end)
  end;
$base as $start | .[] | .case as $case
| reduce .patch[] as $p ($start; patch($p))
| .[] | .src = $case'

compare='
def texts($kind): select(.kind == $kind) | .id;
(group_by(.src) | map({key: .[0].src, value: .}) | from_entries) as $got
| ([$cases[] | .case as $c
   | {case: $c, want: ((.ids // ($cases[0].ids - (.minus // []) +
        (.plus // []))) | sort), severity: (.severity // {}),
      got: ([$got[$c][]? | select(.kind == "finding" or .kind == "verdict"
        or .kind == "remark") | .id] | sort),
      graded: ([$got[$c][]? | select(.kind == "finding")
        | {key: .id, value: .severity}] | from_entries),
      notes: [$got[$c][]? | select(.code == "template.missing") | .text]}])
as $all
| ($all[] | select(.want != .got)
   | "not ok \(.case): wanted \(.want - .got), not \(.got - .want)"),
  ($all[] | . as $a | .severity | to_entries[]
   | select($a.graded[.key] != .value)
   | "not ok \($a.case): \(.key) is \($a.graded[.key]), not \(.value)"),
  ($all[] | select(.notes != []) | "not ok \(.case): \(.notes)"),
  ($rules[0].rules[].id as $id
   | (if any($all[]; .got | index($id)) then empty
      else "not ok no case fires \($id)" end),
     (if any($all[]; .got | index($id) | not) then empty
      else "not ok every case fires \($id)" end)),
  ($rules[0].rules[] | select(.worse) | .id as $id
   | .severity, .worse.severity | . as $severity
   | if any($all[]; .graded[$id] == $severity) then empty
     else "not ok no case of \($id) is \($severity)" end),
  ($cases | map(.case) | group_by(.)[] | select(length > 1)
   | "not ok two cases are called \(.[0])")'

for rules in share/rules/*.json; do
	source=$(basename "$rules" .json)
	base=tests/rules/$source.base.jsonl
	cases=tests/rules/$source.cases.json
	if [ ! -e "$cases" ]; then
		echo "not ok $rules has no cases"
		failed=1
		continue
	fi
	jq -c --argjson base "$(jq -cs . "$base")" "$patched" "$cases" \
	    >"$tmp/in" || { echo "not ok $cases"; failed=1; continue; }
	tp-findings --rules "$source" --repo none "$tmp/in" >"$tmp/out" ||
		{ echo "not ok $source: tp-findings failed"; failed=1; }
	jq -rs --argjson cases "$(jq -c . "$cases")" \
	    --slurpfile rules "$rules" "$compare" "$tmp/out" >"$tmp/bad" ||
		{ echo "not ok $source: no comparison"; failed=1; }
	if [ -s "$tmp/bad" ]; then
		cat "$tmp/bad"
		failed=1
	else
		echo "ok $source: $(jq length "$cases") cases," \
		    "$(jq '.rules | length' "$rules") rules"
	fi
done
exit $failed
