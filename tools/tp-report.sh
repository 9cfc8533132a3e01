#!/usr/bin/env bash
# tp-report - the whole report of a trace, from whatever was exported of it
#
# tp-look recognises every file and links those that a report uses, under its own
# names; make runs the filters (share/report.mk), in an environment that contains
# only the variables set here.  Text of others is a value of a variable, never a
# word of a shell or of make.
set -u

#@ store.sh

me=tp-report
does='the whole report of a trace, from whatever was exported of it'
group=presentation
operands='TRACE [FILE...]'
reads='a folder of exports, a JAX capture or its summary, traces of PyTorch, a run folder of ExecuTorch, files'
writes='Markdown; with -o a page for a browser, too'
exits='0 done, 1 --validate found a disagreement, 2 usage,
3 bad input data (the report says which), 4 I/O error, 5 a limit was hit'

options='
out|o|DIR|write report.md, report.html and the records behind them to DIR; or write FILE.md or FILE.html
list|l||list what was recognised and what is missing
repo|r|REPO|repository to write for, or none; default: by input
meta|m|KEY=VALUE|add a note, such as hardware=M3 Max; repeatable
notes|n|FILE|add FILE at the end (default: notes.md beside the trace)
process|p|NAME|target process by name or pid (default: by trace)
from||T|leave out all before T (1.5s, 10%; -2s: from end)
to||T|leave out all at or after T
last||T|only the last T of the run (10s, 25%)
run||RECORDING|use this one of several recordings or captures in TRACE
compare|c||compare two traces, BEFORE and AFTER
before||TRACE|a run before, or a folder of runs; repeatable
after||TRACE|a run after, or a folder of runs; repeatable
platform||CHIP|compare with the peak rates of CHIP (MI300X, H100, TPU v6e), a file, or none (default: GPU of the trace)
records|||print the records of the report instead
jobs|j|N|run N filters at a time (default: 2)

rules||PATH|also judge by the rules of PATH, a file or folder
color||WHEN|colours of the page on a terminal: auto, always, never
linked|||write style and script of the page to files beside it, for viewers that refuse them inline (Jenkins)
no-pager|||no pager on a terminal (TP_PAGER, PAGER, less or more)
host||NAME|JAX: only the host whose file has this name
tier||TIER|PyTorch: only the findings of one tier, system or compute
ops||FILE|PyTorch: more facts about operators, a file or folder
capture||FILE|PyTorch: traces of the capture of graphs, a file or folder, which give their replays operators
pseudo-ops|||PyTorch: split operators by their kernels into pseudo operations (default: only where a server marked its steps)
no-pseudo-ops|||PyTorch: never split operators
csv-raw|||PyTorch: write text in tables as it is, even what a spreadsheet would run
replay||OP|PyTorch: write a script that repeats the calls of OP (aten::mm)
title|t|TEXT|ExecuTorch: title of the report
time-scale||CLOCK|ExecuTorch: clock of a runner that counts cycles or ticks (400MHz)
validate|||ExecuTorch: exit 1 when documents and tables of a run disagree
combined|||ExecuTorch: one report of several run folders
across|||ExecuTorch: also compare runs of different systems, models or thread counts
fusion|||the traces are one program, eager and compiled: also report what was fused
allow-same|||compare a trace with itself instead of refusing it
max-bytes||SIZE|refuse a larger input (default: no limit)
max-line||SIZE|refuse a longer line, element or document (default: 64 MiB)
max-depth||N|refuse deeper nesting (default and maximum: 1024)
max-expand||N|refuse packed data of more than 64 MiB that inflates more than N times (default: 1000)
help|h||print this, then exit
version|V||print the version, then exit'

examples='tp-report flux_first_run/Trace1.run/Attachments > report.md
tp-report -o out --meta hardware="M3 Max" traces/flux_first_run bench.json
tp-report -o report.html traces/flux_first_run
tp-report --list traces/flux_first_run
tp-report --compare before after > comparison.md
tp-report --before a1 --before a2 --after b1 --after b2 > comparison.md
tp-report --bundle -o bundle --label "$commit" before after
tp-report --combined out/runs/mac out/runs/android > combined_report.md'

#@ options.sh
#@ bundle.sh

# bash would overwrite the user's COLUMNS with the width of the terminal
shopt -u checkwinsize
locale=${LC_ALL-}
LC_ALL=C
export LC_ALL

no_pager= color=auto pseudo_ops=
out= run= notes= list= records= linked= tier= compare= allow_same= across= fusion= jobs=2 title= validate= combined=
repo= rules= process= host= from= to= last= platform= time_scale= ops= capture= replay= working_set=
max_bytes=${TP_MAX_BYTES-} max_line=${TP_MAX_LINE-}
max_depth=${TP_MAX_DEPTH-} max_expand=${TP_MAX_EXPAND-}
metas=()
limits=()
traces=()
befores=()
afters=()
# The values of --run, for the traces on a command line
recordings() {	# WORD...
	local word there=()
	for word; do
		[ ! -e "$word" ] || there+=("$word")
	done
	beside
	[ ${#there[@]} -eq 0 ] || tp-look -q -- "${there[@]}" 2>/dev/null |
		tp-query -q -r --all input.recording.recording
	exit 0
}

while [ $# -gt 0 ]; do
	case $1 in
	--help=RECORDING) shift; recordings "$@" ;;
	--help=*) help "${1#*=}" ;;
	--)
		shift
		traces+=(${1+"$@"})
		break
		;;
	-?*) take_option "$@" ;;
	*)
		traces+=("$1")
		shift
		continue
		;;
	esac
	shift "$shifts"
	case $opt in
	out | run | host | repo | rules | notes | jobs | process | from | to | last | tier | \
	platform | ops | capture | title | color)
		printf -v "$opt" %s "$value" ;;
	no-pager) no_pager=1 ;;
	pseudo-ops | no-pseudo-ops) pseudo_ops=$opt ;;
	csv-raw) export TP_CSV_SAFE= ;;
	list | records | compare | combined | validate | fusion | across | linked) printf -v "$opt" 1 ;;
	allow-same) allow_same=1 ;;
	time-scale) time_scale=$value ;;
	before) befores+=("$value") ;;
	after) afters+=("$value") ;;
	meta)
		case $value in
		working_set=*) working_set=${value#*=} ;;
		?*=*) ;;
		*) die 2 "--meta takes KEY=VALUE, not '$(shown "$value")'" ;;
		esac
		metas+=("$value")
		;;
	replay)
		case $value in
		*[[:cntrl:]]* | '') die 2 "'$(shown "$value")' is no operator" ;;
		esac
		replay=${replay:+$replay$'\n'}$value
		;;
	max-*)
		case $value in
		*[!0-9A-Za-z.]* | '')
			die 2 "--$opt takes a number, not '$(shown "$value")'" ;;
		esac
		printf -v "${opt//-/_}" %s "$value"
		limits+=("--$opt=$value")
		;;
	*) take_bundle ;;
	esac
done
positive jobs "$jobs"
case $tier in
'' | system | compute) ;;
*) die 2 "--tier is system or compute, not '$(shown "$tier")'" ;;
esac
case $color in
auto | always | never) ;;
*) die 2 "--color takes auto, always or never, not '$(shown "$color")'" ;;
esac
case $repo in
*/* | .*) die 2 "there is no repository '$(shown "$repo")'" ;;
esac
# Append the runs of --before and --after to the traces, those before first: a
# folder that holds only folders called 1, 2 ... or run... stands for these.
add_runs() {	# TRACE
	local at=$1 f found=()
	as_path at
	for f in "$at"/*; do
		case ${f##*/} in
		run*) ;;
		*[!0-9]*) f= ;;
		esac
		[ -n "$f" ] && [ -d "$f" ] && found+=("$f") || { found=() && break; }
	done
	[ ${#found[@]} -gt 1 ] && traces+=("${found[@]}") || traces+=("$at")
}
take_runs() {
	local f
	[ ${#traces[@]} -eq 0 ] ||
		die_usage 'name runs by --before and --after, or two traces alone'
	[ ${#befores[@]} -gt 0 ] || die_usage 'give --before too'
	[ ${#afters[@]} -gt 0 ] || die_usage 'give --after too'
	compare=1
	for f in "${befores[@]}"; do
		add_runs "$f"
	done
	before_count=${#traces[@]}
	for f in "${afters[@]}"; do
		add_runs "$f"
	done
}
before_count=
beside
if [ ${#befores[@]} -gt 0 ] || [ ${#afters[@]} -gt 0 ]; then
	take_runs
fi
for ((n = 0; n < ${#traces[@]}; n++)); do
	as_path "traces[n]"
done
as_path out
as_path notes
fetch_traces
check_bundle
[ ${#traces[@]} -gt 0 ] || no_operand 'name the folder or file of a trace'
[ -z "$combined" ] || [ -z "$list$records$compare" ] ||
	die_usage "--combined makes a report: no --list, --records or --compare"
[ -z "$across" ] || [ -n "$compare" ] ||
	die_usage "--across needs --compare"
[ -z "$fusion" ] || [ -n "$compare" ] ||
	die_usage "--fusion needs --compare; for the parts of one trace use tp-compare --segments"
if [ -n "$compare" ]; then
	[ -n "$before_count" ] || [ ${#traces[@]} -eq 2 ] ||
		die_usage "--compare takes two traces, BEFORE and AFTER; several
runs of each are given by --before and --after"
	[ -z "$list$records" ] ||
		die_usage "--list and --records take one trace, not two"
fi

# The recipe is in share, for a make of version 4.
share=
for f in ${TP_SHARE+"$TP_SHARE"} "$here/../share/tracepipe" "$here/../share" \
    "$here/../../share"; do
	[ -e "$f/report.mk" ] && find_folder share "$f" && break
	[ -z "${TP_SHARE-}" ] || break
done
[ -n "$share" ] ||
	die 4 "cannot find share/tracepipe/report.mk; set TP_SHARE to its folder"
[ -z "${TP_SHARE-}" ] || TP_SHARE=$share
make=
for m in "${MAKE-}" make gmake; do
	[ -n "$m" ] || continue
	case $(unset MAKEFLAGS MAKEFILES GNUMAKEFLAGS; exec "$m" --version 2>/dev/null) in
	'GNU Make '[4-9]*) make=$m && break ;;
	esac
done
[ -n "$make" ] || die 4 "GNU make 4 or newer is needed (macOS: brew install make)"
case $repo in
'' | none) ;;
*)
	[ -e "$share/repos/$repo.json" ] || die 2 "there is no repository \
'$(shown "$repo")' in $share/repos"
	;;
esac

case $rules in
'') ;;
*)
	[ -r "$rules" ] || die 4 "cannot open '$(shown "$rules")'"
	find_file rules "$rules"
	;;
esac

[ ${#traces[@]} -gt 1 ] || [ ! -f "${traces[0]}" ] || [ -s "${traces[0]}" ] ||
	die 3 "'$(shown "${traces[0]}")' is empty"
for f in "${traces[@]}" ${notes:+"$notes"}; do
	[ -e "$f" ] ||
		die 4 "cannot open '$(shown "$f")': No such file or directory"
	[ -r "$f" ] || die 4 "cannot open '$(shown "$f")': Permission denied"
	# it is looked at more than once
	[ -f "$f" ] || [ -d "$f" ] || die 2 "'$(shown "$f")' is not a file or \
folder; save its contents in a file"
done
case $platform in
*/* | ?*.json)
	[ -r "$platform" ] || die 4 "cannot open '$(shown "$platform")'"
	find_file platform "$platform"
	;;
esac

if [ -n "$ops" ]; then
	[ -r "$ops" ] || die 4 "cannot open '$(shown "$ops")'"
	find_file ops "$ops"
fi
if [ -n "$capture" ]; then
	[ -r "$capture" ] || die 4 "cannot open '$(shown "$capture")'"
	find_file capture "$capture"
fi

# Variables for the filters.
tell() {	# NAME VALUE
	unset "$1"
	[ -z "$2" ] || export "$1=$2"
}
tell TP_REPO "$repo"
tell TP_RULES "$rules"
tell TP_PROCESS "$process"
tell TP_HOST "$host"
tell TP_FROM "$from"
tell TP_TO "$to"
tell TP_LAST "$last"
tell TP_PLATFORM "$platform"
tell TP_TIME_SCALE "$time_scale"
tell TP_OPS "$ops"
tell TP_CAPTURE "$capture"
case $pseudo_ops in
no-*) export TP_PSEUDO_OPS= ;;
*) tell TP_PSEUDO_OPS "${pseudo_ops:+--$pseudo_ops}" ;;
esac
tell TP_REPLAY "$replay"
tell TP_WORKING_SET "$working_set"
tell TP_MAX_BYTES "$max_bytes"
tell TP_MAX_LINE "$max_line"
tell TP_MAX_DEPTH "$max_depth"
tell TP_MAX_EXPAND "$max_expand"
tell TP_ALLOW "$allow_same"
tell TP_FUSION "$fusion"
tell TP_ACROSS "$across"
tell TP_COMBINED ''
tell TP_DRAW ''
tell TP_COLUMNS ''
tell TP_PROGRESS "${TP_PROGRESS:-$me}"
unset TP_LABEL

# The folder of the report: one that stays, or a temporary one.  A name that ends
# in .md is that of the report; files for the folder of the trace are put there
# when they are complete.
tmp=
clean() {
	[ -z "$tmp" ] || rm -rf -- "$tmp"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# From here on no other run writes to FOLDER: the lock ends with this one.
hold() {	# FOLDER
	exec 9<"$1" || die 4 "cannot open the folder '$(shown "$1")'"
	tp-put --as "$me" --lock 9 --name "$1" || exit
}
# die if a PATH that this program writes is not ours: a link leads elsewhere, and
# a pipe keeps its reader waiting.
own() {	# PATH...
	local f
	for f; do
		[ ! -L "$f" ] && { [ ! -e "$f" ] || [ -f "$f" ] || [ -d "$f" ]; } ||
			die 4 "'$(shown "$f")' is not a file or folder of ours; \
remove it, or choose another folder with -o"
	done
}
report= html= into=
case $out in
*.md) [ -d "$out" ] || { report=$out out=; } ;;
*.html | *.htm) [ -d "$out" ] || { html=$out out=; } ;;
*.pdf | *.txt | *.json | *.jsonl | *.csv | *.xlsx | *.svg)
	[ -d "$out" ] || die 2 "-o takes a folder, or a file whose name ends \
in .md or .html, not '$(shown "$out")'"
	;;
esac
[ -z "$html" ] || [ -z "$list$records" ] ||
	die_usage '--list and --records make no page'
if [ -n "$out" ] && [ -z "$combined$compare$bundle" ] && [ -d "$out" ] &&
    [ "$out" -ef "${traces[0]}" ]; then
	find_folder into "$out" && out= || die 4 "cannot enter the folder '$(shown "$out")'"
	hold "$into"
	own "$into"/{report.{md,html,css,js},kernel_view.md,operator_analysis.json,budget.svg,steps.svg} \
	    "$into"/*_robust_stats.json
fi
if [ -n "$out" ] && [ -z "$list" ]; then
	mkdir -p -- "$out" && find_folder work "$out" ||
		die 4 "cannot make the folder '$(shown "$out")'"
	hold "$work"
	own "$work"/*.{css,html,js,json,jsonl,made,md,svg,xlsx} "$work"/{before*,after*,[1-9]*} \
	    "$work"/{category_data,metadata,perf_report_csvs}{,/*} \
	    "$work"/{category_findings,system_findings,replay_packages}{,/*}
	# a missing picture is drawn again, with the others
	for f in "$work"/{pictures,compare-pictures,budget}.jsonl; do
		[ -f "$f" ] || continue
		while read -r n; do
			[ -e "$work/$n.svg" ] || rm -f -- "$f"
		done < <(tp-query -q --all picture.name "$f" 2>/dev/null)
	done
else
	tmp=$(mktemp -d) && find_folder work "$tmp" ||
		die 4 "cannot make a temporary folder"
fi

# Let tp-look link the FILEs that a report uses into FOLDER/in.
look() {	# OPTION... [-- FILE...]
	tp-look --as "$me" ${limits[@]+"${limits[@]}"} ${notes:+--notes="$notes"} \
	    --into "$work/in" "$@"
	local status=$?
	ended $status tp-look
	return $status
}
# Make GOALs in the folder.  A filter that fails writes its status to descriptor 8,
# which make's own messages follow; filters speak to descriptor 7, where those of a
# comparison are caught.
# A link leads to the recipe, because make splits names at blanks.  Programs are
# not searched in make's folder, which others may be able to write to.
run_make() {	# ARGUMENT...
	local v path= said status speak=2 own= words=(LC_ALL=C)
	while IFS= read -r -d : v; do
		[ "${v:0:1}" != / ] || path=$path:$v
	done <<<"$PATH:"
	words+=("PATH=${path#:}")
	for v in HOME XDG_CONFIG_HOME TMPDIR TERM LANG NO_COLOR SOURCE_DATE_EPOCH ASAN_OPTIONS \
	    LSAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS ${!TP_*}; do
		[ -z "${!v+set}" ] || words+=("$v=${!v}")
	done
	[ "${goal-}" != comparison ] || speak=1
	[ ! -d "${XDG_CONFIG_HOME:-${HOME-}/.config}/tracepipe/sections" ] || own=1
	said=$(env -i "${words[@]}" "$make" -srR -j"$jobs" -C "$work" \
	    -f in/share/report.mk OUT=. OWN="$own" SHOWN="$reader" PAGE="$page" LINKED="$linked" "$@" 8>&1 7>&$speak 2>&1 >&7)
	status=$?
	[ $speak -eq 2 ] || retell "$said"
	[ $status -ne 0 ] || return 0
	[[ $'\n'$said =~ $'\n'([1-9])$'\n' ]] ||
		case $said in
		*' in the future'*) die 4 "'$(shown "$work")' holds files that are \
newer than the clock says: remove them, or set the clock" ;;
		*) die 4 "$said" ;;
		esac
	status=${BASH_REMATCH[1]}
	[ -z "$retold" ] || exit "$status"
	die "$status" "the ${goal:-report} was not made; the message above says why"
}
# Messages of the filters that compare, without those of make, as our own: sides
# have the names that the user gave them.
retold=
retell() {	# TEXT
	local line rest word n
	while IFS= read -r line; do
		case $line in
		[1-9] | '' | "$make: "* | "${make}["*) continue ;;
		tp-*:*) retold="$me:${line#*:}" ;;
		*) retold=$line ;;
		esac
		rest=$retold retold=
		while [[ $rest =~ (before|after)(-[0-9]+)?\.jsonl ]]; do
			word=${BASH_REMATCH[0]}
			retold=$retold${rest%%"$word"*} rest=${rest#*"$word"}
			for ((n = 0; n < ${#sides[@]}; n++)); do
				[ "${sides[n]}.jsonl" != "$word" ] ||
					word="'$(shown "${traces[n]}")'"
			done
			retold=$retold$word
		done
		retold=$retold$rest
		printf '%s\n' "$retold" >&2
	done <<<"$1"
}
# The highest status of a note, in those FILEs that exist; what was lost is told.
noted() {	# FILE...
	local f files=() statuses lost line told=$'\n'
	for f; do
		[ ! -e "$f" ] || files+=("$f")
	done
	[ ${#files[@]} -gt 0 ] || return 0
	ask statuses -r -a note.status "${files[@]}"
	raise $statuses
	[[ $statuses = *3* ]] || return 0
	# what could not be read at all is said already
	ask lost -r -a 'note[status=3].text' "${files[@]/%*in\/lost.jsonl//dev/null}"
	while IFS= read -r line; do
		[[ -n $line && $told != *$'\n'"$line"$'\n'* ]] || continue
		told=$told$line$'\n'
		printf '%s: %s\n' "$me" "$(shown "$line")" >&2
	done <<<"$lost"
}
worst=0
raise() {	# STATUS...
	local s
	for s; do
		[ "$s" -le "$worst" ] || worst=$s
	done
}
print() {	# FILE
	cat "$1" || exit 4
}
# A report, on standard output: a terminal gets it as a page.
reader=
show() {	# FILE
	[ -n "$reader" ] || { print "$1" && return; }
	# an interrupt is the pager's
	trap : INT
	LC_ALL=$locale tp-page --tty --color "$color" ${no_pager:+--no-pager} \
	    -- "$1" || exit
	trap 'exit 130' INT
}
# Which characters of pictures the terminal can show, and their greatest width.
measure() {
	local size=${COLUMNS-} blocks=ascii
	case ${locale:-${LC_CTYPE:-${LANG-}}} in
	*[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) blocks=blocks ;;
	esac
	[ -n "$size" ] || { size=$(stty size <&3 2>/dev/null); } 3>&1
	size=${size##* }
	case $size in
	'' | *[!0-9]* | ?????*) size=80 ;;
	esac
	[ "$size" -ge 40 ] || size=40
	[ "$size" -le 1000 ] || size=1000
	tell TP_DRAW $blocks
	tell TP_COLUMNS "$size"
}
# can PROGRAM: whether it was built with the library that it needs.
can() {
	local status=0
	"$1" --check || status=$?
	[ $status -le 1 ] || exit 4
	return $status
}
# Whether somebody reads at a terminal, who is shown verdict and findings first.
find_reader() {
	[ -t 1 ] && [ -z "$out$report$html$into$list$records$bundle" ] || return 0
	can tp-page && { reader=1 && measure && return; }
	printf '%s: %s\n' "$me" 'the report is Markdown as it is: this build was
made without md4c, which tp-page reads it with' >&2
}
# The command that prints the report, as its page tells it, into page.made: what
# changes what is said, and files without their folders.
tell_command() {
	local name words=() said=$me how=inline
	for name in run process host from to last repo tier title time_scale; do
		[ -z "${!name}" ] || words+=("--${name/_/-}=${!name}")
	done
	for name in rules notes platform ops capture; do
		[ -z "${!name}" ] || words+=("--$name=${!name##*/}")
	done
	for name in combined validate fusion across allow_same; do
		[ -z "${!name}" ] || words+=("--${name/_/-}")
	done
	[ -z "$pseudo_ops" ] || words+=("--$pseudo_ops")
	for name in ${metas[@]+"${metas[@]}"}; do
		words+=("--meta=$name")
	done
	for name in ${befores[@]+"${befores[@]}"}; do
		file_name name "$name"
		words+=("--before=$name")
	done
	for name in ${afters[@]+"${afters[@]}"}; do
		file_name name "$name"
		words+=("--after=$name")
	done
	[ -z "$compare" ] || [ -n "$before_count" ] || words+=(--compare)
	for name in "${traces[@]}"; do
		[ -z "$before_count" ] || break
		file_name name "$name"
		words+=("$name")
	done
	for name in "${words[@]}"; do
		case $name in
		--*=*) said="$said ${name%%=*}=" name=${name#*=} ;;
		*) said="$said " ;;
		esac
		case $name in
		*[[:cntrl:]]*) printf -v name %q "$name" ;;
		*) name=$(quoted "$name") ;;
		esac
		said=$said$name
	done
	[ -z "$linked" ] || how=linked
	# as it was it is not written, which would change the folder
	how=$how$'\n'$said
	[ -f "$work/page.made" ] && [ "$(<"$work/page.made")" = "$how" ] ||
		printf '%s\n' "$how" | tp-put "$work/page.made" || exit
}
# The name of PATH without its folder; "." has a name, too.
file_name() {	# VARIABLE PATH
	local at dir base whole
	split_path "$2"
	at=$base
	case $base in
	. | ..) find_folder whole "$2" && at=${whole##*/} ;;
	-*) at=./$base ;;
	esac
	printf -v "$1" %s "$at"
}
# Whether a page is made: beside a report that is kept, or alone.
page=
find_page() {
	if [ -n "$report$list$records" ] || [ -z "$out$html$into" ]; then
		[ -z "$linked" ] ||
			die_usage '--linked needs a page: -o DIR or -o FILE.html'
		return 0
	fi
	[ -z "${TP_PAGELESS-}" ] || return 0
	if can tp-page; then
		page=1
		[ -n "$bundle" ] || tell_command
		return
	fi
	[ -z "$html" ] || die 4 'no page: this build was made without md4c'
	printf '%s: %s\n' "$me" 'no page beside the report: this build was made
without md4c' >&2
	rm -f -- "$work"/{combined_report,comparison}.html
}
outside() {	# else the next run takes what this one makes for input
	local f at
	for f in "${traces[@]}"; do
		find_file at "$f"
		case $work/ in
		"$at"/*) die 2 "-o must be outside of '$(shown "$f")'" ;;
		esac
	done
}
# This program again, into FOLDER of ours.
again() {	# FOLDER OPTION... -- TRACE...
	local to=$work/$1 part=${1#work-}
	part=${part%.md}
	case $1 in
	[0-9]*) part="run $1" ;;
	esac
	shift
	[ -n "$page" ] && [ -n "$out" ] || local -x TP_PAGELESS=1
	TP_PROGRESS="$TP_PROGRESS: ${part/-/ }" "$here/$me" -j "$jobs" -o "$to" ${rules:+--rules="$rules"} "$@"
}

# One side of a comparison: a folder of its own, and its records in SIDE.jsonl.
make_side() {	# SIDE TRACE
	local m more=()
	for m in process from to last run time_scale; do
		[ -z "${!m}" ] || more+=("--${m/_/-}=${!m}")
	done
	for m in ${metas[@]+"${metas[@]}"}; do
		more+=("--meta=$m")
	done
	again "$1" --records ${more[@]+"${more[@]}"} -- "$2" >/dev/null
	raise $?
	# with damage, 3, there are records all the same
	[ $worst -eq 0 ] || [ $worst -eq 3 ] || exit $worst
	[ -e "$work/$1/in/records.jsonl" ] || exit 3
	tp-put -u "$work/$1.jsonl" "$work/$1/in/records.jsonl" || exit
}
compare_traces() {
	local n side number sides=()
	outside
	goal=comparison
	# of an earlier comparison of more runs
	rm -rf -- "$work"/{before,after}-[0-9]*
	for ((n = 0; n < ${#traces[@]}; n++)); do
		side=before number=$n
		if [ $n -ge ${before_count:-1} ]; then
			side=after number=$((n - ${before_count:-1}))
		fi
		[ $number -eq 0 ] || side=$side-$((number + 1))
		sides+=("$side")
		make_side "$side" "${traces[n]}"
	done
	# fewer runs than before are no newer file
	printf '%s\n' "${sides[@]}" | tp-put -u "$work/sides.made" || exit
	look || exit
	run_make SIDES="${sides[*]}" TABLES="${out:+1}" comparison.md ${page:+comparison.html}
	put_report comparison
	noted "$work/compare.jsonl"
	exit $worst
}
# One report of several run folders of ExecuTorch, each made in its own.
combine() {
	local n=0 f p numbers=
	outside
	for f in "${traces[@]}"; do
		n=$((n + 1)) numbers="$numbers $n"
		rm -f -- "$work/$n"/pair-*.jsonl "$work/$n/experiments.jsonl"
		again $n ${time_scale:+--time-scale="$time_scale"} ${validate:+--validate} ${linked:+--linked} -- "$f"
		raise $?
		[ $worst -le 3 ] || exit $worst
		[ -e "$work/$n/experiments.jsonl" ] ||
			die 3 "'$(shown "$f")' contains no run of ExecuTorch"
		for p in "$work/$n"/pair-*.jsonl; do
			p=${p##*/pair-} p=${p%.jsonl}
			case $p in
			*[!0-9]* | '') ;;
			*) numbers="$numbers $n/p$p" ;;
			esac
		done
	done
	tell TP_COMBINED "$numbers"
	look ${title:+--meta="title=$title"} || exit
	run_make COMBINED="$numbers" combined_report.md ${page:+combined_report.html}
	put_report combined_report
	exit $worst
}
put_report() {	# NAME
	if [ -n "$report" ]; then
		tp-put --as "$me" "$report" "$work/$1.md" || exit
	elif [ -n "$html" ]; then
		local dir base
		split_path "$html"
		put_style "$dir"
		tp-put --as "$me" "$html" "$work/$1.html" || exit
	elif [ -z "$out$into" ]; then
		show "$work/$1.md"
	fi
}
put_style() {	# FOLDER
	local f
	for f in ${linked:+report.css report.js}; do
		own "$1/$f"
		tp-put --as "$me" "$1/$f" "$work/$f" || exit
	done
}
find_reader
find_page
[ -z "$bundle" ] || bundle_traces
[ -z "$compare" ] || compare_traces
[ -z "$combined" ] || combine

[ -z "$title" ] || metas+=("title=$title")
listing=$(look ${list:+--list} ${run:+--run="$run"} \
    ${metas[@]+"${metas[@]/#/--meta=}"} -- "${traces[@]}")
status=$?
case $status in
0) ;;
1)
	[ -z "$listing" ] || put "$listing"
	exit 3
	;;
3) raise 3 ;;
*) exit $status ;;
esac
ask source -r input.summary.source "$work/in/input.jsonl"
ask trace -r input.summary.trace "$work/in/input.jsonl"
tell TP_LABEL "$trace"

# Options and files that only some sources have.
case $source in
metal | '') ;;
*)
	[ -z "$process$from$to$last" ] || die_usage '--process, --from, --to
and --last are for exports of Instruments'
	[ -z "$run" ] || [ "$source" != executorch ] ||
		die_usage '--run is for captures and recordings of Instruments'
	;;
esac
if [ "$source" != torch ]; then
	[ -z "$tier" ] || die_usage '--tier is for traces of PyTorch'
	[ -z "$replay" ] || die_usage '--replay is for traces of PyTorch'
fi
[ -z "$replay" ] || [ -n "$out" ] ||
	die_usage '--replay writes scripts: it needs -o DIR'
[ -z "$into" ] || [ "$source" = executorch ] ||
	die 2 "-o must be another folder than the trace itself"
xlsx=
if [ "$source" = torch ] && [ -n "$out" ]; then
	can tp-xlsx && xlsx=1 ||
		printf '%s: %s\n' "$me" 'no perf_report.xlsx: this build was made
without libxlsxwriter; the same tables are in perf_report_csvs' >&2
fi

if [ -n "$list" ]; then
	put "$listing"
	case $source in
	jax | torch | executorch) exit 0 ;;	# nothing else to export
	esac
	ask names -r -a input.recording.recording "$work/in/input.jsonl"
	case $names in
	*$'\n'*) exit 0 ;;
	esac
	run_make list.jsonl
	put ''
	tp-render _inventory <"$work/list.jsonl"
	exit
fi
if [ -n "$records" ]; then
	run_make TABLES="${out:+1}" records
	print "$work/in/records.jsonl"
elif [ -n "$tier" ]; then
	run_make "$tier.md" ${page:+"$tier.html"}
	put_report "$tier"
else
	run_make TABLES="${out:+1}${into:+1}" XLSX="$xlsx" report
	put_report report
fi
# Into a run folder what is to be read; statistics are called by the timeline
# they are of.
if [ -n "$into" ]; then
	put_style "$into"
	for f in report.md report.html kernel_view.md operator_analysis.json budget.svg steps.svg; do
		[ ! -e "$work/$f" ] || tp-put --as "$me" "$into/$f" "$work/$f" ||
			exit
	done
	for f in "$work"/robust-[0-9]*.json; do
		[ -e "$f" ] || continue
		n=${f##*/robust-}
		n=$(<"$work/in/name-${n%.json}") || exit 4
		case $n in
		*/* | .* | '') continue ;;
		esac
		tp-put --as "$me" "$into/${n}_robust_stats.json" "$f" || exit
	done
fi
# what an earlier report left is gone by now
noted "$work"/{gpu,mem,cpu,counters,info,bench,other,trace,torch}.jsonl \
    "$work"/{inventory,findings,experiments,in/lost}.jsonl \
    "$work"/{run,kernels,pair,findings}-*.jsonl
if [ -n "$validate" ] && [ $worst -eq 0 ] && [ "$source" = executorch ]; then
	ask verdict -r validation.summary.verdict "$work/experiments.jsonl"
	case $verdict in
	pass) ;;
	fail) worst=1 ;;
	*)
		worst=1
		printf '%s: %s %s\n' "$me" 'no document states a latency:' \
		    'the tables were compared with nothing' >&2
		;;
	esac
fi
exit $worst
