#!/usr/bin/env bash
# tp-report - the whole report of a trace, from whatever was exported of it
#
# Finds out what every file of a trace is by its content, links what a report
# uses under fixed names, and has make run the filters (share/report.mk).
set -u
LC_ALL=C
export LC_ALL

#@ store.sh

me=tp-report
does='the whole report of a trace, from whatever was exported of it'
group=presentation
operands='TRACE [FILE...]'
reads='a folder of exports, a JAX capture or its summary, traces of PyTorch, a run folder of ExecuTorch, files'
writes=Markdown
exits='0 done, 1 --validate found that documents and tables disagree, 2 usage,
3 bad input data (the report says which), 4 I/O error, 5 a limit was hit'

options='
out|o|DIR|keep report.md and the records it rests on in DIR; or write FILE.md
repo|r|NAME|write for repository NAME (none: for no one); default: by the input
meta|m|KEY=VALUE|add a note of your own, such as hardware=M3 Max; repeatable
notes|n|FILE|add FILE at the end; default: notes.md beside the trace
process|p|NAME|the target process, or its pid (default: as the trace says)
from||T|leave out what is before T (1.5s, 10%; -2s: from the end)
to||T|leave out what is at or after T
last||T|only the last T of the run (10s, 25%)
title|t|TEXT|title of the report of an ExecuTorch run
validate|||exit with 1 when documents and tables of an ExecuTorch run disagree
combined|||one report of several run folders of ExecuTorch
compare|c||compare two traces, BEFORE and AFTER, instead of reporting on one
allow-same|||compare a trace with itself instead of refusing it
tier||TIER|of PyTorch: only what is found of one tier (system, compute)
platform||NAME|of PyTorch: what the GPU can do at most (MI300X, H100, a file; none); default: the GPU of the trace
replay||OP|of PyTorch: write a script that makes the calls of OP (aten::mm) again
records|||print all records that the report rests on, instead of it
max-bytes||SIZE|refuse an input of more (default: none is too large)
max-line||SIZE|refuse a longer line, element or document (default: 64 MiB)
max-depth||N|refuse what nests deeper (default and most: 1024)
max-expand||N|refuse gzip data of more than 64 MiB that inflates more than N times
list|l||say what was recognised, what is missing and how to export it
jobs|j|N|run N filters at a time (default: 2)
help|h||print this, then exit
version|V||print the version, then exit'

examples='tp-report flux_first_run/Trace1.run/Attachments > report.md
tp-report -o out --meta hardware="M3 Max" traces/flux_first_run bench.json
tp-report --compare before after > comparison.md
tp-report --bundle -o bundle --label "$commit" before after
tp-report -o out/runs/mac out/runs/mac
tp-report --combined out/runs/mac out/runs/android > combined_report.md
tp-report --list traces/flux_first_run'

#@ options.sh
#@ report-pytorch.sh
#@ report-executorch.sh
#@ bundle.sh

out= repo= notes= list= records= tier= platform= compare= allow_same= jobs=2 process= from= to= last=
title= validate= combined= et= xlsx=
metas=()
replays=()
limits=()
traces=()
while [ $# -gt 0 ]; do
	case $1 in
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
	out) out=$value ;;
	repo) repo=$value ;;
	meta)
		case $value in
		?*=*) metas+=("$value") ;;
		*) die 2 "--meta takes KEY=VALUE, not '$value'" ;;
		esac
		;;
	notes) notes=$value ;;
	jobs) jobs=$value ;;
	process) process=$value ;;
	from) from=$value ;;
	to) to=$value ;;
	last) last=$value ;;
	records) records=1 ;;
	tier) tier=$value ;;
	platform) platform=$value ;;
	replay) replays+=("$value") ;;
	max-*)
		case $value in
		*[!0-9A-Za-z.]* | '') die 2 "--$opt takes a number, not '$value'" ;;
		esac
		limits+=("--$opt=$value")
		;;
	compare) compare=1 ;;
	allow-same) allow_same=1 ;;
	list) list=1 ;;
	title) title=$value ;;
	validate) validate=1 ;;
	combined) combined=1 ;;
	*) take_bundle ;;
	esac
done
positive jobs "$jobs"
case $tier in
'' | system | compute) ;;
*) die 2 "--tier is system or compute, not '$tier'" ;;
esac
beside
fetch_traces
check_bundle
[ ${#traces[@]} -gt 0 ] || no_operand 'name the folder or file of a trace'

[ -z "$combined" ] || [ -z "$list$records$compare" ] ||
	die_usage "--combined makes a report: no --list, --records or --compare"
if [ -n "$compare" ]; then
	[ ${#traces[@]} -eq 2 ] ||
		die_usage "--compare takes two traces, BEFORE and AFTER"
	[ -z "$list$records" ] ||
		die_usage "--list and --records are of one trace, not of two"
fi

# The recipe is in share.
if [ -n "${TP_SHARE-}" ]; then
	share=$TP_SHARE
else
	for share in "$here/../share/tracepipe" "$here/../share" \
	    "$here/../../share"; do
		[ -e "$share/report.mk" ] && break
	done
fi
[ -e "$share/report.mk" ] ||
	die 4 "cannot find share/tracepipe/report.mk; set TP_SHARE to its folder"
make=
for m in "${MAKE-}" make gmake; do
	[ -n "$m" ] || continue
	case $("$m" --version 2>/dev/null) in
	'GNU Make '[4-9]*) make=$m && break ;;
	esac
done
[ -n "$make" ] || die 4 "GNU make 4 or newer is needed (macOS: brew install make)"

case $repo in
'' | none) ;;
*/* | .*) die 2 "there is no repository '$repo'" ;;
*)
	[ -e "$share/repos/$repo.json" ] ||
		die 2 "there is no repository '$repo' in $share/repos"
	;;
esac

[ ${#traces[@]} -gt 1 ] || [ ! -f "${traces[0]}" ] || [ -s "${traces[0]}" ] ||
	die 3 "'${traces[0]}' is empty"
for o in "${traces[@]}"; do
	[ -e "$o" ] || die 4 "cannot open '$o': No such file or directory"
	[ -r "$o" ] || die 4 "cannot open '$o': Permission denied"
	# it is looked at more than once
	[ -f "$o" ] || [ -d "$o" ] ||
		die 2 "'$o' is no file and no folder: save what comes from it"
done

# A name that ends so is the report's, not a folder's; what goes into the
# trace itself is put there when it is whole.
report= into=
case $out in
*.md) [ -d "$out" ] || { report=$out out=; } ;;
esac
if [ -n "$out" ] && [ -z "$combined$compare" ] && [ -d "$out" ] &&
    [ -d "${traces[0]}" ] &&
    [ "$(cd -- "$out" && pwd -P)" = "$(cd -- "${traces[0]}" && pwd -P)" ]; then
	into=$(cd -- "$out" && pwd) out=
fi

tmp=
links=
lock=
clean() {
	[ -z "$lock" ] || rm -f "$lock"
	[ -z "$links" ] || rm -rf "$links"
	[ -z "$tmp" ] || rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# Wait until no other run makes the FOLDER: the link names who does.
take_folder() {
	local pid tries=0
	until ln -s $$ "$1/.lock" 2>/dev/null; do
		pid=$(readlink "$1/.lock") || pid=
		if [ -z "$pid" ]; then
			tries=$((tries + 1))
			[ $tries -lt 20 ] || die 4 "cannot write to '$1'"
		elif kill -0 "$pid" 2>/dev/null; then
			sleep 0.2
		else
			rm -f "$1/.lock"	# it was killed
		fi
	done
	lock=$1/.lock
}

[ -z "$bundle" ] || bundle_traces
if [ -n "$out" ] && [ -z "$list" ]; then
	mkdir -p -- "$out" || die 4 "cannot make the folder '$out'"
	work=$(cd -- "$out" && pwd) || die 4 "cannot enter the folder '$out'"
	take_folder "$work"
else
	tmp=$(mktemp -d) || die 4 "cannot make a temporary folder"
	work=$tmp
fi

# Its own make: flags of one that called us are not for this recipe.
unset MAKEFLAGS MFLAGS MAKELEVEL
run_make() {	# FOLDER ARGUMENT...
	local folder=$1
	shift
	"$make" -s -j"$jobs" -C "$folder" \
	    -f "$share/report${et:+-executorch}.mk" OUT=. XLSX="$xlsx" \
	    LIMITS="${limits[*]-}" "$@" >&2
}
# After run_make failed in FOLDER: die of what failed there.
die_made() {	# FOLDER WHAT
	local status=4
	[ -s "$1/failed" ] && status=$(cat "$1/failed")
	die "$status" "the $2 was not made; the message above says why"
}
# The highest status that the notes of FILEs stand for, those that are there.
noted() {
	local f there=() status worst=0
	for f in "$@"; do
		[ ! -e "$f" ] || there+=("$f")
	done
	[ ${#there[@]} -eq 0 ] || for status in $(sed -n \
	    '/"kind":"note"/s/.*"status":\([0-9]\).*/\1/p' "${there[@]}"); do
		[ "$status" -le "$worst" ] || worst=$status
	done
	printf %s "$worst"
}

# One side of a comparison: a folder of its own, and its records in SIDE.jsonl.
make_side() {	# SIDE TRACE
	local side=$1 more=(${limits[@]+"${limits[@]}"}) m s
	for m in process from to last; do
		[ -z "${!m}" ] || more+=("--$m=${!m}")
	done
	for m in ${metas[@]+"${metas[@]}"}; do
		more+=("--meta=$m")
	done
	"$here/$me" --records -j "$jobs" -o "$work/$side" \
	    ${more[@]+"${more[@]}"} -- "$2" >"$work/$side.part"
	s=$?
	# with damage, 3, there are records all the same
	[ -s "$work/$side.part" ] || exit $s
	mv "$work/$side.part" "$work/$side.jsonl" || exit 4
	[ $s -le "$worst" ] || worst=$s
}

compare_traces() {
	local s o
	# else the next run takes what this one makes for part of the trace
	for o in "${traces[@]}"; do
		case $work/ in
		"$(absolute "$o")"/*) die 2 "-o must be outside of '$o'" ;;
		esac
	done
	worst=0
	make_side before "${traces[0]}"
	make_side after "${traces[1]}"
	rm -f "$work/failed" "$work/in/notes"
	if [ -n "$notes" ]; then
		[ -r "$notes" ] || die 4 "cannot open '$notes'"
		mkdir -p "$work/in" && ln -s "$(absolute "$notes")" \
		    "$work/in/notes" || die 4 "cannot write to '$work'"
	fi
	run_make "$work" ALLOW="${allow_same:+--allow-same}" \
	    SVG="${out:+timeline.svg}" ./comparison.md ||
		die_made "$work" "comparison"
	[ -n "$out" ] || cat "$work/comparison.md" || exit 4
	s=$(noted "$work/compare.jsonl")
	[ "$s" -le "$worst" ] || worst=$s
	exit "$worst"
}
[ -z "$compare" ] || compare_traces
[ -z "$combined" ] || executorch_combine

# What the trace is called: the filters know how.
first=${traces[0]}
TP_LABEL=$(tp-rows --name ${limits[@]+"${limits[@]}"} -- "$first") || {
	[ $? -ne 2 ] || exit 2	# a limit that is none
	die 4 "cannot name '$first'"
}
about_artifact "$first"
TP_REPO=$repo TP_PROCESS=$process TP_FROM=$from TP_TO=$to TP_LAST=$last
case $platform in
*/* | ?*.json)
	[ -r "$platform" ] || die 4 "cannot open '$platform'"
	platform=$(absolute "$platform")
	;;
esac
TP_PLATFORM=$platform
export TP_LABEL TP_REPO TP_PROCESS TP_FROM TP_TO TP_LAST TP_PLATFORM

# Every file gets a number, and links are called by it, so that no name is ever
# parsed.  What an earlier run of this script put into the folder is not part of
# the trace, wherever it was put.
links=$(mktemp -d "$work/.in.XXXXXX") && mkdir -p "$work/in" ||
	die 4 "cannot write to '$work'"
files=() from_where=()
targets=()	# what links to them hold
readable=()	# what they are called where names are read by line
# Files of one name are called by their place, from what was given: a link to
# "/traces/./flux/a/gpu.csv" is called flux/a/gpu.csv.
name_all() {
	local f i twice=/
	[ ${#files[@]} -lt 2 ] ||
		twice=/$(printf '%s\n' "${files[@]##*/}" | sort | uniq -d |
		    tr '\n' '/')
	for i in ${files[@]+"${!files[@]}"}; do
		f=${files[i]}
		case $twice in
		*"/${f##*/}/"*) f=${from_where[i]}/.${f#"${from_where[i]}"} ;;
		esac
		targets[i]=$f
		readable[i]=${files[i]}
		case $f in
		*[[:cntrl:]]*)
			readable[i]=$links/all/$i
			mkdir -p "$links/all" && ln -s "$f" "${readable[i]}" ||
				die 4 "cannot link '$f'"
			;;
		esac
	done
}
for o in "${traces[@]}"; do
	path=$(absolute "$o") || die 4 "cannot open '$o'"
	if [ -d "$path" ]; then
		path=$(cd -- "$path" && pwd) || die 4 "cannot open '$o'"
		[ "$path" != "$work" ] ||
			die 2 "-o must be another folder than the trace itself"
		earlier=()
		while IFS= read -r -d '' f; do
			f=${f%/in/label}
			[ -e "$f/report.md" ] || [ -e "$f/comparison.md" ] ||
				continue
			earlier+=(-path "$f" -prune -o)
		done < <(find "$path/" -type f -path '*/in/label' -print0)
		while IFS= read -r -d '' f; do
			files+=("$f") from_where+=("${path%/*}")
		done < <(find "$path/" -path "$work" -prune -o \
		    ${earlier[@]+"${earlier[@]}"} -type f -print0 | sort -z)
	else
		files+=("$path")
		f=${path%/*} from_where+=("${f%/*}")
	fi
done
name_all

# Sniff them and give each the name of what it is; a second file of a table
# is counted but not used.
place() {	# NAME
	local to=$links/$1
	[ ! -L "$to" ] || to=$links/other-$number
	ln -s "$target" "$to"
	[ "$to" = "$links/$1" ]
}
# Tables of the GPU that no analysis reads are counted only.
known='metal-gpu-intervals metal-application-command-buffer-submissions
metal-command-buffer-completed metal-command-buffer-to-accelerator-id
metal-command-buffer-frame-assignment metal-application-encoders-list
metal-wired-sysmem-level-interval metal-current-allocated-size metal-gpu-info
metal-gpu-counter-intervals metal-gpu-counter-profile gpu-counter-info
gpu-counter-value gpu-performance-state-intervals metal-gpu-state-intervals
metal-driver-intervals metal-resource-allocations
metal-kernel-resource-allocations'
known=" ${known//$'\n'/ } "
place_table() {	# TABLE
	case $1 in
	metal-* | gpu-*)
		case $known in
		*" $1 "*) place "$1" ;;
		*) place "other-$1" ;;
		esac
		;;
	*) place "$1" ;;
	esac
}
listing=
recognised=0
exported=
second=
etdump=
# what no report is made of, by what it is
native= log=
pointers=0 whole=0
is_log() {	# FILE NAME: a log of XNNPACK
	case $2 in
	*.log | *xnntrace*) tp-kernels -q ${limits[@]+"${limits[@]}"} -- "$1" >/dev/null 2>&1 ;;
	*) false ;;
	esac
}
sniffed=
# more files than a command takes words are sniffed by several
[ ${#files[@]} -eq 0 ] || sniffed=$(printf '%s\0' "${readable[@]}" |
    xargs -0 tp-rows -q --sniff ${limits[@]+"${limits[@]}"} --)
# FILE, of a line that was sniffed: its target and its number, at or after AT.
# What could not be opened has no line.
at=0
find_file() {
	until [ "${readable[at]}" = "$1" ]; do
		at=$((at + 1))
	done
	target=${targets[at]} at=$((at + 1))
	printf -v number %06d $at
}
while IFS='	' read -r file format table; do
	[ -n "$file" ] || continue
	find_file "$file"
	name=$target
	case $name in
	*/./*) name=${name#*/./} ;;
	*) name=${name##*/} ;;
	esac
	use= other='not recognised'
	case $format in
	toc)
		use='table of contents'
		# what another recording was is nothing about this one
		if [ -e "$links/toc" ]; then
			use='a second table of contents, not used'
			second=1
		else
			place toc
		fi
		;;
	json)
		case $table in
		benchmark) place "bench-$number" &&
			use='benchmark result' ;;
		profile-summary) place "summary-$number" &&
			use='summary of a JAX profile' ;;
		esac
		;;
	trace-events)
		case $table in
		pytorch) pytorch_place ;;
		*) place "trace-$number" && use='trace events' ;;
		esac
		;;
	records) place "records-$number" && use='records' ;;
	xml | csv)
		case $table in
		- | '' | */* | .*) ;;
		metal-* | gpu-* | *-profile | device-gpu-info | kdebug | \
		os-signpost | os-signpost-interval)
			use="table $table" exported=1
			place_table "$table" ||
				use="a second file of table $table, not used" ;;
		*)
			case $table in etdump-* | xnnpack-*) etdump=1 ;; esac
			place "other-$number" &&
				use="table $table" ;;
		esac
		;;
	etdump) native=1 other='an ETDump itself, not read' ;;
	xplane) other='an xplane.pb, not read' ;;
	lfs-pointer | empty | html | utf-16)
		# an export that was lost on the way, not a foreign file
		case $name in
		*.csv | *.xml | *.json | *.gz) place "other-$number"
			use="$format instead of an export" ;;
		esac
		;;
	esac
	if [ -z "$use" ] && [ "$format" != json ] && [ "$format" != records ]
	then
		case $name in
		*.csv | *.xml | *.csv.gz | *.xml.gz)
			[ -e "$links/other-$number" ] ||
				place "other-$number"
			;;
		*)
			is_log "$file" "$name" && log=1 &&
				other='a log of XNNPACK, not used'
			;;
		esac
	fi
	case $format,$use in
	lfs-pointer,*) pointers=$((pointers + 1)) ;;
	*,?*) whole=1 ;;
	esac
	[ -n "$use" ] && recognised=$((recognised + 1))
	# a name may hold what a terminal would obey
	listing+="${name//[[:cntrl:]]/?}	${use:-$other}
"
done <<EOF
$sniffed
EOF
[ -z "$etdump" ] || executorch_sort
[ -z "$into" ] || [ -n "$et" ] ||
	die 2 "-o must be another folder than the trace itself"
[ ! -d "$links/all" ] || rm -rf "$links/all"

# Traces beside exports of Instruments are another source's; else those of a
# folder are found by the filter, which takes the latest capture.
exports=
for f in "$links"/toc "$links"/metal-* "$links"/*-profile; do
	[ -e "$f" ] && exports=1 && break
done
captured=
for f in "$links"/trace-* "$links"/summary-*; do
	[ -e "$f" ] && captured=1 && break
done
if [ -n "$exports" ] && [ -n "$captured" ]; then
	printf '%s: %s\n' "$me" "'$first' holds trace events or a summary beside
exports of Instruments: they are not in this report; name them alone" >&2
	rm -f "$links"/trace-* "$links"/summary-*
	captured=
fi
if [ -n "$captured" ]; then
	[ -z "$process$from$to$last" ] || die_usage '--process, --from, --to and
--last are for exports of Instruments'
	[ -n "$list" ] || [ ${#traces[@]} -lt 2 ] ||
	    [ "$(for f in "$links"/trace-*; do
		    [ ! -e "$f" ] || dirname -- "$(readlink "$f")"
	    done | sort -u | wc -l)" -lt 2 ] ||
		die_usage 'these are several captures: name one, or compare them'
fi
captures() {
	find "$1/" -name '*.trace.json.gz' -o -name '*.trace.json' \
	    -o -name perfetto_trace.json.gz | head -n 1
}
for f in "$links"/trace-*; do
	[ -e "$f" ] && [ ${#traces[@]} -eq 1 ] && [ -d "$first" ] || break
	path=$(absolute "$first")
	[ -z "$(captures "$path")" ] || ln -s "$path" "$links/jax"
	break
done

pytorch_check

# What was asked for, as files: what rests on one is made again with it.
printf '%s\n' "$version $TP_LABEL" ${limits[@]+"${limits[@]}"} >"$links/label"
printf '%s\n' "$repo" >"$links/repo"
printf '%s\n' "$platform" >"$links/platform"
case $platform in
/*) cat -- "$platform" >>"$links/platform" || exit 4 ;;
esac
[ ${#replays[@]} -eq 0 ] || printf '%s\0' "${replays[@]}" >"$links/replay"
printf '%s\n' "$process" "$from" "$to" "$last" >"$links/scope"
: >"$links/meta"
[ ${#metas[@]} -eq 0 ] || printf '%s\0' "${metas[@]}" >"$links/meta"
if [ -z "$notes" ]; then
	split_path "$first"
	for f in "$first/notes.md" "$dir/notes.md"; do
		[ -f "$f" ] && notes=$f && break
	done
fi
if [ -n "$notes" ]; then
	path=$(absolute "$notes") && [ -r "$path" ] ||
		die 4 "cannot open '$notes'"
	ln -s "$path" "$links/notes"
fi

if [ -n "$et" ]; then
	[ -z "$title" ] || printf '%s\0' "title=$title" >>"$links/meta"
	[ ! -d "$first" ] || ln -s "$(cd -- "$first" && pwd)" "$links/folder"
fi

holds=
for f in "$links"/*; do
	case ${f##*/} in
	label | repo | platform | replay | meta | scope | notes) ;;
	*) holds=1 ;;
	esac
done
if [ "$recognised" -eq 0 ]; then
	case $(absolute "$first") in
	*?.trace) [ ! -d "$first" ] ||
		die 3 "'$first' is a trace, not the exports of one; on the Mac:
tp-export $(quoted "$first"), and then tp-report on the folder it made" ;;
	esac
fi
if [ "$pointers" -gt 0 ] && [ "$whole" -eq 0 ]; then
	die 3 "'$first' holds $pointers git-LFS pointers in place of files;
'git lfs pull' in that repository fetches them"
fi
if [ -z "$list$holds" ]; then
	for o in "${traces[@]}"; do
		[ -z "$(find "$(absolute "$o")" -name '*.xplane.pb' |
		    head -n 1)" ] ||
			die 3 "'$first' holds an xplane.pb and no trace.json.gz beside it;
capture with create_perfetto_trace=True, or let xprof convert it"
	done
	[ -z "$native" ] ||
		die 3 "'$first' holds an ETDump itself and no table of it; export
it with ExecuTorch's Inspector as CSV, which tp-etdump reads"
	[ -z "$log" ] ||
		die 3 "'$first' holds a log of XNNPACK and no table of an ETDump:
tp-kernels says which kernels the log names"
	die 3 "'$first' holds nothing a report can be made of; 'tp-report --list'
shows what was found; tp-export exports a trace, on a Mac"
fi

# What this recipe makes, and nothing else, is removed when inputs change.
made='gpu mem cpu counters info bench other trace torch inventory findings'
forget() {
	local f old=()
	[ -z "$forgotten" ] || return 0
	[ -z "$et" ] || executorch_forget
	pytorch_forget
	for f in $made; do
		[ ! -e "$work/$f.jsonl" ] || old+=("$work/$f.jsonl")
	done
	for f in "$work"/{target,steps,window} "$work"/rank-*.jsonl; do
		[ ! -e "$f" ] || old+=("$f")
	done
	[ ${#old[@]} -eq 0 ] || rm -f "${old[@]}"
	forgotten=1
}
forgotten=

# A link that still says the same keeps what was made from it.
for f in "$work"/in/*; do
	[ -e "$f" ] || [ -L "$f" ] || continue
	b=${f##*/}
	case $b in
	label | repo | platform | replay | meta | scope)
		if [ ! -e "$links/$b" ]; then
			rm -f "$f"
		elif cmp -s "$f" "$links/$b"; then
			rm "$links/$b"
		fi
		continue
		;;
	esac
	if [ -L "$f" ] && [ -L "$links/$b" ] &&
	    [ "$(readlink "$f")" = "$(readlink "$links/$b")" ]; then
		rm "$links/$b"
	elif [ -L "$f" ]; then
		rm -f "$f"
		forget
	else
		die 4 "'$work/in' holds '$b', which is no link of this program;
choose another folder with -o"
	fi
done
new=()
for f in "$links"/*; do
	[ -e "$f" ] || [ -L "$f" ] || continue
	[ ! -L "$f" ] || forget
	new+=("$f")
done
[ ${#new[@]} -eq 0 ] || mv -f "${new[@]}" "$work/in/"
rm -rf "$links" "$work/failed"
links=

[ -z "$second" ] || printf '%s: %s\n' "$me" "'$first' holds more than one table
of contents: of each table the first file is used; if they are of several
traces, name the folder of one" >&2
print_list() {
	printf '%s' "$listing" | sort | awk -F '\t' '
	    { printf "%-52s %s\n", $1, $2 }'
}
for f in "$work"/in/{trace,summary,torch,name}-*; do
	[ -n "$list" ] && { [ -e "$f" ] || [ -L "$f" ]; } || continue
	# a capture is whole or not there: nothing else to export
	put "$(print_list)"
	exit 0
done

goal=./${tier:-report}.md
[ -z "$et" ] || goal=report
[ -n "$list" ] && goal=./list.jsonl
[ -n "$records" ] && goal=records
run_make "$work" TABLES="${out:+1}" "$goal" || die_made "$work" report

if [ -n "$list" ]; then
	put "$(print_list)
"
	tp-render inventory <"$work/list.jsonl" || exit $?
	exit 0
fi
# In the order of the recipe; what was given as records may be packed, and may
# lack its last line end.
print_records() {
	local m f
	for m in gpu mem cpu counters info bench other trace torch; do
		[ ! -e "$work/$m.jsonl" ] || cat "$work/$m.jsonl" || return 1
	done
	for f in "$work"/in/records-*; do
		[ -e "$f" ] || continue
		gzip -cdf <"$f" && echo || return 1
	done
}
if [ -n "$records" ]; then
	if [ -n "$et" ]; then
		executorch_records || exit 4
	else
		print_records || exit 4
	fi
elif [ -n "$report" ]; then
	executorch_copy "$work/report.md" "$report"
elif [ -n "$into" ]; then
	executorch_put "$into"
elif [ -z "$out" ]; then
	cat "$work/${tier:-report}.md" || exit 4
fi
# The highest status that a note stands for is that of the report.
streams=()
if [ -n "$et" ]; then
	while IFS= read -r f; do
		streams+=("$f")
	done <<-END
	$(executorch_made)
	END
else
	for m in $made; do
		streams+=("$work/$m.jsonl")
	done
fi
status=$(noted "${streams[@]}")
[ "$status" -ge "${lost:-0}" ] || status=$lost
[ -z "$validate" ] || [ -z "$et" ] || [ "$status" -gt 0 ] ||
	executorch_valid || status=1
exit "$status"
