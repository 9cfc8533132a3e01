#!/usr/bin/env bash
# tp-export - export from a trace what a report uses, on a Mac
#
# Has xctrace export the table of contents and each table that a report can
# use and the trace has, a file each.  xctrace crashes at random on big
# traces: what it wrote is read through, and tried again when it is not whole.
# Plain bash 3.2, as macOS has it.
set -u
LC_ALL=C
export LC_ALL

me=tp-export
does='export the tables that a report uses from a trace, on a Mac'
group=Instruments
operands='RUN.trace'
reads='a trace that Instruments or xctrace recorded'
writes='a folder of XML files, one per table'
exits='0 done, 2 usage, 3 a table could not be exported completely,
4 no xctrace, or the trace or the folder cannot be used'

options='
out|o|DIR|the folder to export into; default: beside the trace
run|r|N|the run to export (default: the last)
table|t|TABLE|export this table as well, by its schema name; repeatable
retries||N|retry up to N times when xctrace fails (default: 3)
force|f||export tables again that are already there
dry-run|n||print the commands without running them
help|h||print this, then exit
version|V||print the version, then exit'

examples='tp-export flux_first_run.trace
tp-export --run 2 -o flux_second_run flux.trace
tp-export --table os-signpost --dry-run flux_first_run.trace'

#@ options.sh
#@ stage.sh

out= run= retries=3 force= dry= trace= extra=
newline='
'
while [ $# -gt 0 ]; do
	case $1 in
	--help=*) help "${1#*=}" ;;
	--)
		[ $# -le 2 ] && [ -z "$trace" ] || die_usage 'one trace at a time'
		trace=${2-}
		break
		;;
	-?*) take_option "$@" ;;
	*)
		[ -z "$trace" ] || die_usage 'one trace at a time'
		trace=$1
		shift
		continue
		;;
	esac
	shift "$shifts"
	case $opt in
	out) out=$value ;;
	run)
		positive run "$value"
		run=$value
		;;
	table)
		case $value in
		'' | *[!A-Za-z0-9._-]* | [._-]*)
			die 2 "'$(shown "$value")' is no name of a table" ;;
		esac
		extra="$extra $value"
		;;
	retries)
		case $value in
		0) ;;
		*) positive retries "$value" ;;
		esac
		retries=$value
		;;
	force) force=1 ;;
	dry-run) dry=1 ;;
	esac
done
[ -n "$trace" ] || no_operand 'name the trace to export from'
while [ "${trace%/}" != "$trace" ]; do
	trace=${trace%/}
done
case ${trace##*/} in
*?.trace) ;;
*) die 2 "'$(shown "$trace")' is not named .trace: give the trace itself, as
recorded" ;;
esac
[ -n "$out" ] || out=${trace%.trace}
# commands are printed with both
[ "$(shown "$trace$out")" = "$trace$out" ] ||
	die 2 "'$(shown "$trace")' and '$(shown "$out")': control characters in
a name; rename the trace, or name another folder with -o"
case $trace in
-*) trace=./$trace ;;
esac
case $out in
-*) out=./$out ;;
esac
base=${trace##*/} base=${base%.trace}
beside

no_access() {
	die 4 "'$trace' cannot be read: a trace recorded with sudo belongs to root;
make it yours: sudo chown -R \$(whoami):staff $(quoted "$trace")"
}

if [ -z "$dry" ]; then
	[ -e "$trace" ] || die 4 "cannot open '$trace': No such file or directory"
	[ -r "$trace" ] && { [ ! -d "$trace" ] || [ -x "$trace" ]; } ||
		no_access
fi

# XCTRACE names another; an Xcode that is not chosen is found by xcrun.
xctrace=${XCTRACE-}
[ -n "$xctrace" ] || xctrace=$(command -v xctrace) ||
	xctrace=$(xcrun --find xctrace 2>/dev/null)
xcode_hint='install Xcode from the App Store, then:
sudo xcode-select -s /Applications/Xcode.app/Contents/Developer'
if [ -z "$dry$xctrace" ]; then
	[ "$(uname -s)" = Darwin ] || die 4 "xctrace is part of Xcode and runs on a Mac only:
export there, then copy the folder of exports; everything else works here"
	die 4 "there is no xctrace; $xcode_hint"
fi

toc=$out/${base}_toc.xml
if [ -z "$dry" ]; then
	make_stage "$out" .tp-export
	part=$stage/part.xml
	# not on the disk that may be full
	log=$(mktemp) || die 4 'cannot make a temporary file'
	clean() {
		rm -rf -- "$stage" "$log"
	}
fi

# A line for every value that SELECTOR names in RECORDS, in VARIABLE
values() {	# VARIABLE RECORDS SELECTOR [OPTION]
	ask "$1" -a ${4-} -- "$3" <(printf '%s\n' "$2")
}

# whole FILE: whether it can be read to its end; sets rows
whole() {
	local records counts n
	rows=0
	[ -s "$1" ] || return 1
	records=$(tp-rows -q --count "$1" 2>/dev/null) || return 1
	values counts "$records" source.rows -r
	for n in $counts; do
		rows=$((rows + n))
	done
}

# What went wrong with the last call, whose status was RC; dies when another
# try would end alike.
explain() {
	if grep -q -i -e 'permission' -e 'not permitted' "$log"; then
		no_access
	elif grep -q -i 'requires xcode' "$log"; then
		die 4 "xctrace does not run; $xcode_hint"
	elif grep -q -i 'missing template' "$log"; then
		die 3 "'$trace' is incomplete: its recording was interrupted;
record again with --time-limit instead of pressing Ctrl-C"
	fi
	if [ "$1" -gt 128 ]; then
		why="xctrace crashed (signal $(($1 - 128)))"
	elif [ "$1" -ne 0 ]; then
		# its last words, without what a terminal would obey
		why=$(tail -n 1 "$log" | tr -d '\000-\037\177' | cut -c 1-200)
		why="xctrace failed (status $1)${why:+: $why}"
	elif [ ! -s "$part" ]; then
		why='xctrace wrote nothing'
	else
		why='what xctrace wrote is not whole'
	fi
}

# fetch WHAT FILE ARGUMENT...: export into FILE until it is whole; sets rows,
# or why not
fetch() {
	local what=$1 file=$2 try=0 rc
	shift 2
	while :; do
		rm -f -- "$part"
		"$xctrace" export --input "$trace" "$@" --output "$part" \
		    >"$log" 2>&1 </dev/null
		rc=$?
		if [ $rc -eq 0 ] && whole "$part"; then
			settle "$part"
			# a link is replaced, wherever it leads
			[ ! -L "$file" ] || rm -f -- "$file"
			[ ! -d "$file" ] && try mv -f "$part" "$file" ||
				die 4 "cannot write '$file'${why-}"
			return 0
		fi
		explain $rc
		try=$((try + 1))
		[ $try -le "$retries" ] || return 1
		printf '%s: %s: %s; trying again (%d of %d)\n' "$me" "$what" \
		    "$why" $try "$retries" >&2
	done
}

# kept FILE [PLACE]: whether FILE is whole, no link, no older than the trace
# and, when it names its run, of that at PLACE; sets rows
kept() {
	[ -z "$force" ] && [ -f "$1" ] && [ ! -L "$1" ] &&
	    [ ! "$trace" -nt "$1" ] || return 1
	[ -z "${2-}" ] || head -c 4096 "$1" | grep -q "/run\[$2\]/" || return 1
	whole "$1"
}

command_line() {
	local word
	printf 'xctrace export --input %s' "$(quoted "$trace")"
	for word; do
		case $word in
		--*) printf ' %s' "$word" ;;
		*) printf ' %s' "$(quoted "$word")" ;;
		esac
	done
	printf '\n'
}

counted() {
	case $1 in
	0) echo 'no rows' ;;
	1) echo '1 row' ;;
	*) echo "$1 rows" ;;
	esac
}

# Say what became of TABLE.  Files are what counts: where nothing can be said
# they are made all the same.
untold=
tell() {	# TABLE TEXT
	printf '%-46s %s\n' "$1" "$2" 2>/dev/null || untold=1
}

# The table of contents says which runs and tables there are.
if [ -n "$dry" ]; then
	put "$(command_line --toc --output "$toc")"
elif kept "$toc"; then
	tell toc 'kept'
else
	fetch toc "$toc" --toc ||
		die 3 "the table of contents could not be exported: $why"
	tell toc 'exported'
fi
contents=
[ ! -s "$toc" ] || contents=$(tp-rows -q "$toc") ||
	die 3 "'$toc' is not a table of contents; remove it and try again"
values runs "$contents" trace.info.run -r
if [ -n "$runs" ]; then
	[ -n "$run" ] || run=${runs##*"$newline"}
	place=$(printf '%s\n' "$runs" | grep -n -x -m 1 "$run" | cut -d : -f 1)
	[ -n "$place" ] ||
		die 2 "'$trace' has no run $run; choose with --run:" $runs
elif [ -z "$dry" ]; then
	die 3 "the table of contents lists no run; record again"
fi
: "${run:=1}"

# Whether the run has TABLE; a name is shown, so that it is one line
values places "$contents" trace.table.run -r
values tables "$contents" trace.table.table
recorded() {
	paste -d ' ' <(printf '%s\n' "$places") <(printf '%s\n' "$tables") |
	    grep -q -x -F "$run $1"
}

# The tables that a report can use and the run has, as "TABLE NAME"; names
# come from the list of exports, never from the trace.
exports=$(printf '%s\n' "$contents" | tp-inventory -q --all --run "$run") ||
	die 4 'cannot list the tables to export: tp-inventory failed'
values there "$exports" 'export[missing].recorded' -r
values wanted "$exports" 'export[missing].table' -r
values names "$exports" 'export[missing].name' -r
there=($there) wanted=($wanted) names=($names) plan=
for ((n = 0; n < ${#wanted[@]}; n++)); do
	[ "${there[n]-true}" != true ] ||
		plan=$plan${plan:+$newline}${wanted[n]}\ ${names[n]}
done
[ -n "$plan" ] || [ -n "$extra" ] ||
	die 3 "run $run has none of the tables a report uses: was it recorded
with the template Metal System Trace or Time Profiler?"
for table in $extra; do
	[ -z "$contents" ] || recorded "$table" ||
		die 2 "run $run of '$trace' has no table '$table'"
	case $newline$plan in
	*"$newline$table "*) ;;
	*) plan=$plan$newline$table\ ${table//[.-]/_} ;;
	esac
done

filled=0 empty=0 failed=0
while read -r table name; do
	[ -n "$table" ] || continue
	file=$out/${base}_$name.xml
	set -- --xpath \
	    "/trace-toc/run[@number=\"$run\"]/data/table[@schema=\"$table\"]"
	if [ -n "$dry" ]; then
		put "$(command_line "$@" --output "$file")"
		continue
	elif kept "$file" "$place"; then
		said="kept, $(counted "$rows")"
	elif fetch "$table" "$file" "$@"; then
		said=$(counted "$rows")
	else
		tell "$table" "failed: $why"
		failed=$((failed + 1))
		continue
	fi
	tell "$table" "$said"
	if [ "$rows" -gt 0 ]; then
		filled=$((filled + 1))
	else
		empty=$((empty + 1))
	fi
done <<EOF
$plan
EOF
[ -z "$dry" ] || exit 0

closing() {
	printf '\nrun %s of %s: %d with rows, %d without, %d failed\n' "$run" \
	    "$(quoted "$trace")" $filled $empty $failed
	[ "$(printf '%s\n' "$runs" | wc -l)" -eq 1 ] ||
		echo "runs in the trace: $(printf '%s ' $runs)(choose with --run)"
	if [ $filled -eq 0 ] && [ $failed -eq 0 ]; then
		echo 'All tables are empty. Record again: let xctrace launch the
program (--launch) instead of attaching to it, and end it with --time-limit.'
	fi
	[ $failed -eq 0 ] ||
		echo 'Run the command again: it exports only what failed.'
	printf 'next: tp-report %s > %s\n' "$(quoted "$out")" "$(quoted "$out.md")"
}
put "$(closing)"
[ -z "$untold" ] || die 4 'cannot write standard output'
[ $failed -eq 0 ] || exit 3
