#!/bin/sh
# limits.sh BUILD: inputs without end, within memory that has one
#
# Each input comes through a pipe from a generator that would go on for
# gigabytes; the filter may take 600 MB of address space.  It must end with
# the status that stands beside it, with a message, and not by a signal.
# Prints TAP, with the seconds each took.
set -u
build=$(cd "$1" && pwd) || exit 2
PATH=$build:$PATH
TP_SHARE=$(cd "$(dirname "$0")/../share" && pwd)
LC_ALL=C
export PATH TP_SHARE LC_ALL
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
ten_gb=10000000000

# endless HEAD TEXT: HEAD, then TEXT again and again without a line's end.
endless() {
	printf '%s' "$1"
	yes "$2" | tr -d '\n' | head -c $ten_gb
}

# levels N OPEN
levels() {
	yes "$2" | head -n "$1" | tr -d '\n'
}

gpu='start,duration,channel-name,process,cmdbuffer-id'

# names N: GPU intervals of N processes.
names() {
	echo "$gpu"
	seq "$1" | awk '{ print $1 ",1,Compute,n" $1 " (" $1 "),1" }'
}

events() {
	echo '{"traceEvents":['
	seq "$1" | awk '{ printf "{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":1,\"name\":\"n%d\"},\n", $1 % 7, $1, $1 }'
	echo '{}]}'
}

kernels() {
	seq "$1" | awk '{ print "{\"kind\":\"row.time-profile\",\"start_ns\":" $1 ",\"weight_ns\":1,\"stack\":[\"f" $1 "\"]}" }'
}

traces() {
	seq "$1" | awk '{ print "{\"kind\":\"row.metal-gpu-intervals\",\"src\":\"t" $1 "\",\"start_ns\":1,\"duration_ns\":1}" }'
}

# limit NAME STATUSES FILTER...: what standard input must lead to.
limit() {
	name=$1 want=$2
	shift 2
	began=$(date +%s)
	(ulimit -v 600000 && exec timeout 300 "$@") >"$tmp/out" 2>"$tmp/err"
	status=$?
	took=$(($(date +%s) - began))
	case " $want " in
	*" $status "*)
		if [ $status -eq 0 ] || [ -s "$tmp/err" ]; then
			echo "ok limits: $name: $status in $took s"
			return
		fi ;;
	esac
	echo "not ok limits: $name: $status in $took s"
	head -n 3 "$tmp/err" | cut -c 1-200 | sed 's/^/# /'
	echo 1 >"$tmp/failed"
}

{ echo "$gpu"; head -c 300000000 /dev/zero | tr '\0' '\n'; } | gzip -9n |
    limit 'gzip data that inflates a thousandfold' 5 tp-gpu-intervals
{ echo "$gpu"; head -c 300000000 /dev/zero | tr '\0' '\n'; } | zstd -q |
    limit 'zstd data that inflates a thousandfold' 5 tp-gpu-intervals
endless "$gpu
" '1,' | limit 'a row of 10 GB' 5 tp-gpu-intervals
endless "$gpu
\"" 'a' | limit 'a quote that is not closed for 10 GB' '3 5' tp-gpu-intervals
endless '<trace-query-result><node xpath="' 'a' |
    limit 'an XML tag of 10 GB' 5 tp-gpu-intervals
endless '<trace-query-result><node><schema name="a"><col><name>' 'a' |
    limit 'an XML text of 10 GB' 5 tp-gpu-intervals
endless '{"traceEvents":[{"ph":"X","name":"' 'a' |
    limit 'a JSON string of 10 GB' 5 tp-trace
endless '{"traceEvents":[{"ph":"X","args":{"a":[' '1,' |
    limit 'a JSON list of 10 GB' 5 tp-rows
endless '{"kind":"a","b":"' 'a' | limit 'a record of 10 GB' 5 tp-render
endless '{"runs":[' '1,' | limit 'a document of 10 GB' 5 tp-bench
endless '' 'Profiling ' | limit 'a log line of 10 GB' '0 3 5' tp-kernels
{ echo "$gpu"; yes '1,1,Compute,x (1),1'; } |
    limit 'rows without end, by --max-bytes' 5 \
    tp-gpu-intervals --max-bytes 1GB
{ printf '<trace-query-result>'; levels 5000000 '<a>'; } | limit '5 million XML levels' 5 tp-gpu-intervals
levels 5000000 '[' | limit '5 million JSON levels' 5 tp-rows
levels 5000000 '[' | limit '5 million JSON levels, strictly' 5 \
    tp-rows --strict
{ printf '[{"ph":"X","ts":1,"args":'; levels 5000000 '{"a":'; } |
    limit '5 million levels of arguments' 5 tp-rows -a a
levels 5000000 '{"a":' | limit '5 million levels of a document' '3 5' tp-bench
names 10000000 | limit '10 million processes' '0 5' tp-gpu-intervals
events 10000000 | limit '10 million names of events' '0 5' tp-trace
kernels 10000000 | limit '10 million functions' '0 3 5' tp-cpu-top
traces 10000000 | limit '10 million traces' '0 5' tp-gpu-intervals
[ ! -e "$tmp/failed" ]
