# Calls of operators, and what TraceLens says their parameters are
# (models.jsonl): with the RECORDS of the trace that torch-costs.jq makes of
# them, the rows of op.table that it does not have, its rows that op.table does
# not have, unless OVERLAY knows why, and in the end how many are the same.
#
#	jq -nr --slurpfile overlay share/ops/torch-tracelens.json \
#	    --slurpfile records records.jsonl -f torch-params.jq models.jsonl

# What needs nothing but its arguments and the step it runs in.
def alone: [has("error"), .donor, .added, .below, .environment, .forward,
    .kernels] | any | not;

# Numbers as numbers, all else as Python prints it.
def value: if . == null then "None" elif . == true then "True"
    elif . == false then "False" else (tonumber? // .) end;

def plain: with_entries({key: (.key | ascii_downcase), value: (.value |
    value)});

# Rows of a table are one by name and parameters.
def rows: group_by(.) | map({row: .[0], calls: length});

([inputs | select(alone and .params and .sheet and .row != false) |
    {op: .name, family: .sheet, params: (.params | plain)}] | rows) as
    $want |
($ARGS.named.records | map(select(.kind == "op.table") |
    {row: {op, family, params: (with_entries(select(.key |
	startswith("param_")) | .key |= .[6:]) | plain)},
    calls: .count})) as $got |
($ARGS.named.overlay[0].not_followed | map(select(.params) | .ops[])) as
    $known |
(($want - $got) | map(select(.row.op as $op | $known | index($op) | not))[] |
    "not in op.table: \(.)"),
(($got - $want) | map(select(.row.op as $op | $known | index($op) | not))[] |
    "not of TraceLens: \(.)"),
(($want - ($want - $got)) |
    "\(map(.calls) | add) calls in \(length) rows of \(map(.row.op) | unique |
	length) operators are the same")
