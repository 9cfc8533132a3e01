#!/usr/bin/env bats
# tp-report and what it is given: text nobody should trust, folders that others
# prepared, inputs that change, several recordings, ends at any moment.

load helper
load hostile
bats_require_minimum_version 1.5.0

setup_file() {
	export G=$TP_BUILD/cases
	"$TP_BUILD/mketdump" "$BATS_FILE_TMPDIR/et" >/dev/null
	"$TP_BUILD/mkjax" --steps 4 "$BATS_FILE_TMPDIR/jax" >/dev/null
	"$TP_BUILD/mkjax" --steps 4 --seed 7 "$BATS_FILE_TMPDIR/jax2" >/dev/null
	"$TP_BUILD/mkflux" "$BATS_FILE_TMPDIR/xml" >/dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MFLAGS MAKELEVEL
	BUILT=${TP_SHARE:-$TP_ROOT/share}
}

# Fewer than elsewhere, as a report is made of each; and what make would take
# for more than text.
HOSTILE=('$(touch canary)$(shell canary)${shell canary}' '`canary`'
    $'; canary #\ncanary\n\tcanary\n' '| canary' "'; canary; '\"" '-rf'
    '--eval=$(shell canary)' '$(eval x := $(shell canary))' '\' '[*?]' '%s%n%'
    'x: ; # %.md := $ $$(canary) &' '' '../../canary' '{a,~}'
    $'\033]0;x\a\302\2332J\342\200\256\377' "$(printf '%4096s' '' | tr ' ' x)")

# source NAME: a small input in the folder NAME
metal() {
	mkdir metal && cp "$G/tp-gpu-intervals/overlap-counts-once/in.csv" \
	    metal/gpu.csv && cp "$G/tp-cpu-top/self-and-total/in.csv" \
	    metal/cpu.csv && printf '%s\n' 'start,duration,name,category' \
	    '0,40,denoise,x' >metal/marks.csv
}

jax() {
	mkdir jax && cp -R "$BATS_FILE_TMPDIR/jax/." jax
}

torch() {
	mkdir torch && cp "$G/tp-ops/torch-work/train.json" torch/t.json
}

ranks() {
	mkdir ranks && "$TP_BUILD/mktorch" --steps 2 ranks >/dev/null
}

executorch() {
	mkdir executorch && cp -R "$BATS_FILE_TMPDIR/et/runs/mac/." executorch
}

# No canary ran, below this folder either.
unharmed() {
	[ ! -e "$ran" ] && [ -z "$(find .. -name canary ! -path '*/shims/*')" ] ||
		fail "ran: $(ls "$ran"; find .. -name canary)"
}

# Each of the reports of TRACE, quietly.
all_reports() {	# TRACE [OPTION...]
	local trace=$1
	shift
	quietly tp-report "$@" -- "$trace"
	quietly tp-report "$@" -o ../out -- "$trace"
	tp-report "$@" -o ../out --records -- "$trace" >"$ran.data" 2>&1 ||
		[ $? -le 5 ]
	quietly tp-report --list -- "$trace"
	unharmed
}

# reports_of SOURCE VALUE...: the function of that name makes reports of a folder
# "t" with the values, of which "one" is a line and "path" a path.
reports_of() {
	local source=$1 v
	shift
	one=$(printf '%s ' "$@" | tr -d '[:cntrl:]') path=
	for v; do
		case $v in
		'' | .. | */*) ;;
		*) path=$path/${v:0:100} ;;
		esac
	done
	rm -rf t
	mkdir t
	$source "$@"
	unharmed
}

# at_once SOURCE: reports of all hostile values in one folder, which the last, in
# ../out, shows; with TP_ALL of each alone too, as another may hide it
at_once() {
	local v
	canary
	reports_of $1 "${HOSTILE[@]}"
	grep -q canary ../out/report.md || fail 'no value is in the report'
	for v in ${TP_ALL:+"${HOSTILE[@]}"}; do
		reports_of $1 "$v"
	done
}

# in_turn FILTER VALUE...: JSON with values in the place of texts; "turn(p; f)"
# has f of a text and a value for each that p chooses
in_turn() {
	local filter=$1
	shift
	jq -c '$ARGS.positional as $v | def nth($n): $v[$n % ($v | length)];
	    def turn(p; f): reduce ([paths(p)] | to_entries[]) as $p (.;
		setpath($p.value; [getpath($p.value), nth($p.key)] | f));
	    '"$filter" --args -- "$@"
}

# xml_in_turn PATTERN VALUE...: XML with values in the place of what follows the
# prefix in PATTERN, to the next " or <; several without what XML may not hold
xml_in_turn() {
	local pattern=$1
	shift
	awk -v re="($pattern)[^\"<]+" -v pre="^($pattern)" '
	BEGIN { while (++n < ARGC) { v[n] = ARGV[n]; gsub(/&/, "\\&amp;", v[n])
		gsub(/</, "\\&lt;", v[n]); gsub(/"/, "\\&quot;", v[n])
		gsub(/\n/, "\\&#10;", v[n]); ARGV[n] = ""
		if (ARGC > 2) gsub(/[\001-\037\200-\377]/, "", v[n]) } }
	{ for (s = $0; match(s, re); s = substr(s, at + len)) {
		at = RSTART; len = RLENGTH; m = substr(s, at, len)
		match(m, pre)
		printf "%s%s%s", substr(s, 1, at - 1), substr(m, 1, RLENGTH),
		    v[k++ % (n - 1) + 1] }
	print s }' "$@"
}

metal_xml() {
	local n=0 v all=$BATS_FILE_TMPDIR/xml
	all=$(echo "$all"/*/*/*)
	for v; do
		n=$((n + 1))
		xml_in_turn 'schema name="' "$v" <"$all"/*gpu_info.xml \
		    >t/schema$n.xml
	done
	xml_in_turn '(name|arguments|path|codes|os-version|type)="|<[a-z]*-[a-z]*>' \
	    "$@" <"$all"/*toc.xml >t/toc.xml
	xml_in_turn '<mnemonic>' "$@" <"$all"/*gpu_info.xml >t/column.xml
	xml_in_turn '<(string|metal-object-label) [^>]*>|<string [^>]*fmt="' \
	    "$@" <"$all"/*gpu_intervals.xml >t/gpu.xml
	cp "$all"/*cmd_completed.xml t
	all_reports t
}

@test "intake: names of tables and columns in XML, and texts of a table of contents, are data" {
	at_once metal_xml
}

metal_csv() {
	local n=0 v q qs=()
	for v; do
		qs+=("\"${v//\"/\"\"}\"")
	done
	echo start,duration,channel-name,process,cmdbuffer-id,gpu >t/gpu.csv
	echo time,thread,process,core,thread-state,weight,stack >t/cpu.csv
	for q in "${qs[@]}"; do
		n=$((n + 1))
		echo "$n,100,$q,python (7),$n,$q" >>t/gpu.csv
		printf '%s\n' "start,duration,channel-name,process,$q" \
		    "$n,1,$q,x (7),$q" >t/gpu$n.csv
		echo "$n,$q,${q%?} (7)\",,Running,1000,$q" >>t/cpu.csv
		printf '%s,%s\n1,2\n' "$q" start >t/odd$n.csv
	done
	all_reports t
	for v; do
		case $v in
		'' | .. | */*) ;;
		*) : >"t/${v:0:200}" >"t/${v:0:200}.csv" ;;
		esac
	done
	quietly tp-report --process "$one" t
	mkdir -p "t/more$path"
	cp t/gpu.csv "t/more$path/${one:0:99}"
	quietly tp-report -- "t/more$path"
	quietly tp-report --list -- "t/more$path/${one:0:99}"
	(cd "t/more$path" && quietly tp-report -o "$OLDPWD/../out" -- *)
	quietly tp-report -o "../o$path" -- "t/more$path"
	quietly tp-report -o "../${one:0:99}.md" -- t
}

@test "intake: headers, cells and names of files of CSV are data" {
	at_once metal_csv
}

torch_json() {
	local key
	for key in .cat '.args |= (. // {}) | .args' .name; do
		in_turn '.traceEvents |= (to_entries | map(nth(.key) as $x |
		    .value | if .ph != "X" then . else
		    '"$key"' |= (if type != "object" then $x else . + {($x): $x,
		    "Trace name": $x, "Concrete Inputs": [$x],
		    "Input type": [$x], "Module Hierarchy": $x} end) end))' \
		    "$@" <"$G/tp-ops/torch-work/train.json" >t/t.json
		quietly tp-report -o ../torch t/t.json
		quietly tp-report -o ../out t
	done
	# what a category is called comes from share, never from the trace
	[ -z "$(find ../torch | tr -d 'A-Za-z0-9._/\n-')" ] ||
		fail "$(find ../torch)"
}

jax_json() {
	local filter
	for filter in 'turn(type == "string" and length > 1 and
	    (startswith("/") | not); .[1])' '.traceEvents |= map(
	    select(.ph != "X")) + (map(select(.ph == "X")) |
	    turn(type == "string" and length > 1; add))'; do
		in_turn "$filter" "$@" <"$G/tp-trace/two-devices/in.json" \
		    >t/h.trace.json
		quietly tp-report t
		quietly tp-report -o ../out t
	done
}

@test "intake: names, categories and arguments of trace events are data" {
	at_once torch_json
	rm -r ../out
	cd ../..
	at_once jax_json
}

run_folder() {
	local v name f b
	rm -r t
	cp -R "$BATS_FILE_TMPDIR/et/runs/mac" t
	for f in t/*.json; do
		in_turn '($v | join(" ")) as $one | map_values(
		    if type == "string" then $one elif type != "array" then .
		    else [.[0] | turn(type == "string"; .[1])] + . + [.[0] as $e |
		    $v[] as $x | $e | walk(if type == "string" then $x
		    else . end)] end)' "$@" <"$f" >new
		mv new "$f"
	done
	for v; do
		name=${v:0:100}
		case $name in
		'' | .. | */*) continue ;;
		esac
		mkdir "t/$name"
		for f in t/mac_sme2_on/*_{ops_stats,all_runs_timeline}.csv; do
			b=${f##*/segment_fp32_}
			cp -- "$f" "t/$name/$name${b#*_t1}"
		done
	done
	all_reports t --title "$one"
	quietly tp-report -o t t
	quietly tp-report --combined -o ../both t
}

@test "intake: names of experiments and texts of their documents are data" {
	at_once run_folder
}

documents() {
	in_turn 'turn(type == "string"; .[1])' "$@" <"$s" >t/s.json
	quietly tp-report t
	in_turn '($v | join(" ")) as $one | .run_metadata |= (.run_id = $one |
	    .run_path = $one)' "$@" \
	    <"$s" >t/s.json
	jq -n '$ARGS.positional as $v | {artifact_ref: ("e/p/" + ($v | join(" "))),
	    entity: $v[0], files: [$v[] | {path: ., bytes: 1, sha256: .}]}' \
	    --args -- "$@" >t/artifact.json
	printf '%s\n- %s\n    %s\n' "$@" | tr '\t' ' ' >t/notes.md
	all_reports t
	quietly tp-report --bundle -o ../bundle --label "$one" \
	    --history ../h.jsonl t "$s"
	jq -s . "$r" | in_turn 'turn(type == "string" and . != "note" and
	    (contains(".") | not); .[1]) | .[]' "$@" >t/x.jsonl
	quietly tp-report t/x.jsonl
	sed 's/"kind":"[^"]*"/"kind":"x"/' t/x.jsonl >x.jsonl
	quietly tp-report -o ../other x.jsonl
}

@test "intake: texts of summaries, artifacts, records and notes are data" {
	tp-summary -q "$BATS_FILE_TMPDIR/jax" >s.json
	s=$PWD/s.json
	tp-report --records "$G/tp-gpu-intervals/overlap-counts-once/in.csv" \
	    >r.jsonl
	r=$PWD/r.jsonl
	at_once documents
}

@test "intake: no value of an option of tp-report is run, or reaches the terminal" {
	local each_of=9
	metal
	torch
	executorch
	canary
	for opt in $(valued tp-report); do
		case $opt in
		download-root | store | entity | project | alias | run-target | \
		artifact)
			continue ;;	# artifacts.bats
		esac
		harmless tp-report "$opt" ../../metal
		case $opt in
		tier | platform | replay | meta | out | notes | repo)
			harmless tp-report "$opt" -o ../torch ../../torch ;;
		title | meta | out | run)
			harmless tp-report "$opt" ../../executorch ;;
		esac
		unharmed
	done
	harmless tp-report -
	harmless tp-report history --bundle -o ../b ../../metal ../../metal
	harmless tp-report label --bundle -o ../b ../../metal ../../metal
	unharmed
}

@test "intake: no variable of who calls changes what is made, or runs" {
	metal
	tp-report metal >want
	metal=$PWD/metal want=$PWD/want
	canary
	# same NAME=VALUE...: with these in the environment it is the same; those
	# before "same" without any at once, or with TP_ALL each line alone
	same() {
		words+=("$@")
		[ $# -eq 0 ] || [ -n "${TP_ALL-}" ] || return 0
		rm -rf out
		env "${words[@]}" tp-report -o out "$metal" >said 2>&1 ||
			fail "${words[*]}: $(cat said)" || return
		env "${words[@]}" tp-report "$metal" >got 2>/dev/null
		cmp <(printed out/report.md) <(printed "$want") && cmp got "$want" &&
		    unharmed ||
			fail "${words[*]}" || return
		words=()
	}
	words=()
	echo '$(shell canary)' >evil.mk
	printf 'all:\n\tcanary\n' >GNUmakefile
	v='$(shell canary)`canary`;canary'
	same MAKEFLAGS="--eval=\$(shell canary)"
	same GNUMAKEFLAGS="--eval=\$(shell canary)"
	same
	same MAKEFLAGS="e -- TP_LABEL=$v SHELL=canary"
	same MAKEFILES="$PWD/evil.mk"
	same MAKEOVERRIDES="$v" MFLAGS="-f $PWD/evil.mk" MAKELEVEL=7
	same TP_LABEL="$v" TP_X="$v" TP_ALLOW="$v" TP_COMBINED="$v"
	same TP_REPLAY="$v" TP_PROCESS=nosuch TP_FROM=99% TP_REPO=nosuch
	same OUT="$v" O="$v" IN="$v" SOURCE=torch PAIRS="$v" COMBINED="$v" \
	    REPORT=/etc/passwd STREAMS="$v" XLSX="$v" HERE=/nonexistent
	same SHELL="$PWD/../../shims/canary" BASH="$PWD/../../shims/canary"
	same
	same CDPATH="/:$PWD" OLDPWD=/ PWD=/nonexistent
	same IFS=tp-/ PS4='$(canary)' PROMPT_COMMAND=canary
	same LS_COLORS="$v" GREP_OPTIONS=-v POSIXLY_CORRECT=1 LC_ALL=de_DE.UTF-8
	same GLOBIGNORE='*' TMOUT=1 BASH_COMPAT=3.2
	for f in tp-look tp-put rm cat mkdir cd printf; do
		same "BASH_FUNC_$f%%=() { canary; }"
	done
	same
	same SHELLOPTS=noglob:errexit:posix BASHOPTS=failglob:nocasematch
	same
	# programs of the folder that it writes to
	rm -rf out
	mkdir out
	for name in rm mkdir cat make readlink bash tp-put tp-render; do
		cp ../../shims/canary out/$name
	done
	for path in ".:$PATH" ":$PATH" "$PATH:"; do
		PATH=$path tp-report -o out "$metal"
		cmp <(printed out/report.md) <(printed "$want")
		rm out/*.jsonl
	done
	unharmed
}

# The files and links of FOLDER, a line each
names_in() {
	(cd "$1" && find . -mindepth 1 | sed 's|^\./||' | sort)
}

# bats test_tags=rest
@test "intake: nothing is written through a link or a pipe in a folder that others prepared" {
	mkdir elsewhere
	echo mine >elsewhere/mine
	echo '{"kind":"gpu.summary","src":"evil"}' >victim
	touch -d '+1 hour' victim
	n=0
	for source in metal jax torch executorch; do
		$source
		tp-report -o clean-$source $source 2>/dev/null
		names_in clean-$source >names
		[ "$(wc -l <names)" -gt 20 ]
		while IFS= read -r name; do
			n=$((n + 1))
			turn $n 8 1 || continue
			rm -rf out
			cp -a clean-$source out
			# what is made again is written to
			[ $((n % 5)) -ne 0 ] || rm -rf out/report.md out/*.jsonl
			rm -rf "out/$name"
			mkdir -p "out/$(dirname "$name")"
			case $((n % 3)) in
			0) ln -s "$PWD/victim" "out/$name" ;;
			1) ln -s "$PWD/elsewhere" "out/$name" ;;
			2) mkfifo "out/$name" ;;
			esac
			s=0
			timeout 20 tp-report -o out $source >said 2>&1 || s=$?
			case $s in
			0) cmp out/report.md clean-$source/report.md ;;
			4) [ -s said ] ;;
			*) false ;;
			esac || fail "$source $name $((n % 3)): $s $(cat said)"
			[ "$(cat victim)" = '{"kind":"gpu.summary","src":"evil"}' ]
			[ "$(cat elsewhere/*)" = mine ]
			[ "$(ls -A elsewhere)" = mine ]
		done <names
	done
	[ $n -gt 150 ]
}

@test "intake: into a run folder nothing is written through a link or a pipe" {
	executorch
	echo victim >victim
	tp-report -o executorch executorch
	for f in executorch/{report.md,kernel_view.md,operator_analysis.json} \
	    executorch/*_robust_stats.json; do
		for how in 'ln -s ../victim' mkfifo; do
			rm -f "$f"
			$how "$f"
			run -4 timeout 20 tp-report -o executorch executorch
			[[ $output = *"is not a file or folder of ours"* ]]
			[ "$(cat victim)" = victim ]
			rm "$f"
			[ -n "${TP_ALL-}" ] || break
		done
	done
	tp-report -o executorch executorch
}

@test "intake: -o FILE.md replaces a link, and no folder behind one" {
	metal
	echo victim >victim
	ln -s victim link.md
	tp-report -o link.md metal
	[ "$(cat victim)" = victim ]
	[ ! -L link.md ]
	mkdir folder.md
	tp-report -o folder.md metal
	[ -s folder.md/report.md ]
}

# bats test_tags=rest
@test "intake: files with the names of a recipe or of a shell in the folder of -o do nothing" {
	metal
	torch
	executorch
	tp-report metal >metal.md
	tp-report torch >torch.md
	tp-report executorch >executorch.md
	here=$PWD
	canary
	mkdir -p out/in/evil out/1 out/category_data out/perf_report_csvs \
	    "$(printf 'out/in/$(touch canary)')"
	for f in pairs.mk report.mk GNUmakefile Makefile makefile \
	    report-common.mk report-metal.mk in/report.mk in/report-metal.mk; do
		printf '%s\n' '$(shell canary)' 'all: ; canary' >out/$f
	done
	rmdir out/in/\$*
	rm out/in/*.mk
	i='$(canary)`canary`; canary #'
	for f in rank- run- kernels- 1/pair- pair- findings- robust- '' -; do
		for end in jsonl json made md; do
			: >"out/$f$i.$end"
			: >"out/$f"$'a\ncanary\n.'$end
		done
	done
	: >"out/category_data/$i.json"
	: >"out/category_data/${i}_metrics.json"
	: >"out/perf_report_csvs/$i.csv"
	: >"out/in/evil/$i"
	for source in metal torch executorch metal; do
		tp-report -o out "$here/$source"
		cmp <(printed out/report.md) <(printed "$here/$source.md")
		unharmed
	done
	tp-report --combined -o out "$here/executorch"
	tp-report --compare --allow-same -o out "$here/metal" "$here/metal"
	unharmed
}

# bats test_tags=rest
@test "intake: a folder of any name is written to, and read from" {
	same_with_san
	metal
	BUILT=$(cd "$BUILT" && pwd)
	tp-report metal >want
	here=$PWD n=0
	names=(a '[' '\' '%' '#' '%md' $'a\nb' - -o '(' '!' '$x' '$(x)' 'a b'
	    '*' '~' "'" ';' '&' : = $'\377' "$(printf '%150s' x)" $'end\n')
	# all in one name, and some alone
	for name in "-$(printf %s "${names[@]}")"$'\n' "${names[@]}"; do
		n=$((n + 1))
		[ $n -eq 1 ] || turn $n 8 $BATS_TEST_NUMBER || continue
		mkdir -- "./$name"
		(
			cd "./$name"
			cp -R "$here/metal" "./$name"
			mkdir tmp share
			cp -R "$BUILT" "share/$name"
			OLDPWD=/ tp-report -o "out$name" -- "$name"
			OLDPWD=$here TMPDIR=$PWD/$name tp-report \
			    -o "$name.md" -- "$name"
			cd tmp
			OLDPWD=$here/nosuch tp-report -o "$name" ../*/gpu.csv
			TP_SHARE=../share/$name tp-report -o again \
			    -- "../$name/gpu.csv"
			cmp "$name/report.md" again/report.md
			ls -A
		) >list || fail "'$name'"
		[ "$(sed -n '/again/p' "./list")" = again ]
		grep -q '^# 4. GPU' "./$name/out$name/report.md" || fail "$name"
		[ -e "./$name/tmp/$name/report.md" ]
		cmp <(printed "./$name/out$name/report.md") \
		    <(printed "./$name/$name.md")
		rm -rf "./$name"
	done
	long=$(printf '%4096s' '' | tr ' ' x)
	run -4 tp-report -o "$long" metal
	[[ $output = *'File name too long'* ]]
	run -4 tp-report "$long"
	deep=$(printf '%200s/' 1 2 3 4 5 6 7 8 9 | tr ' ' d)
	tp-report -o "$deep" metal
	[ -s "$deep/report.md" ]
}

# Time and size of all that is in FOLDER
times_in() {
	find "$1" -printf '%P %s %T@ %l\n' | sort
}

# The report that is kept is that of SOURCE as it is now, which is another than
# before; and made again it stays as it is, to the time of the last file.
is_fresh() {	# SOURCE WHY [OPTION...]
	local source=$1 why=$2 s=0 t=0
	shift 2
	rm -rf first
	tp-report "$@" -o kept $source 2>/dev/null || s=$?
	tp-report "$@" -o first $source 2>/dev/null || t=$?
	[ $s -eq $t ] || fail "$source, $why: $s in place of $t"
	diff first/report.md kept/report.md || fail "$source, $why"
	! cmp -s first/report.md before.md || fail "$source, $why: no other"
	cp first/report.md before.md
	[ -z "$(find kept/in -type f -newer kept/report.md)" ] ||
		fail "$source, $why: older than its inputs"
	# records too are those of a first run
	(cd first && cksum *.jsonl) >first.sums
	(cd kept && cksum *.jsonl) | diff first.sums - ||
		fail "$source, $why: other records"
	times_in kept >then
	tp-report "$@" -o kept $source 2>/dev/null || :
	times_in kept | diff then - || fail "$source, $why: made again"
}

# The report of SOURCE as it is at first
first_of() {	# SOURCE
	rm -rf kept
	tp-report -o kept $1 2>/dev/null || [ $? -eq 3 ]
	cp kept/report.md before.md
}

# a file of SOURCE, and a change of one digit that its report shows
change_of() {
	case $1 in
	metal) echo 'gpu.csv s/,100,/,130,/' ;;
	jax) echo "$(cd jax && find . -name '*.json' | head -n 1) s/\"dur\":1/\"dur\":2/" ;;
	torch) echo 't.json s/"dur":1/"dur":2/' ;;
	ranks) echo 'rank1.json s/"dur": *1/"dur":2/' ;;
	executorch) (cd executorch && echo mac_sme2_on/*_exec_all*.csv s/1,8/1,9/) ;;
	esac
}

# bats test_tags=rest
@test "intake: a file that was changed is seen, however old it seems" {
	same_with_san
	n=0
	for source in metal jax torch ranks executorch; do
		n=$((n + 1))
		$source
		first_of $source
		read -r f change <<<"$(change_of $source)"
		f=$source/$f
		cp -p "$f" old
		sed "$change" old >new
		run ! cmp new old
		# each way for the first of them, and for others one
		for how in 1 2 3; do
			[ $n -eq 1 ] || turn $((n % 3 * 2)) 3 $((how * 2)) ||
				continue
			cp old new
			! cmp -s old "$f" || sed "$change" old >new
			cp -p "$f" stamp
			case $how in
			1)	# another file, older than what is there
				touch -d 2001-01-01 new
				mv new "$f" ;;
			2)	# with the size and times of what is there
				touch -r stamp new
				mv new "$f" ;;
			3)	# the same file, and its time put back
				cat new >"$f"
				touch -r stamp "$f" ;;
			esac
			is_fresh $source "changed, $how"
		done
	done
}

# bats test_tags=rest
@test "intake: a file that goes, comes or is renamed is seen" {
	same_with_san
	jax
	ranks
	executorch
	mkdir metal
	for f in toc gpu_intervals wired_sysmem time_profile cmd_completed; do
		cp "$BATS_FILE_TMPDIR"/xml/*/*/*/*_$f.xml metal/
	done
	cp "$BATS_FILE_TMPDIR"/xml/*/*/*/*bench*.json metal/
	printf '%s\n' name,x 1,2 >metal/odd.csv
	{
		echo start,duration,name,category,subsystem,identifier,process
		for i in 3 4 5 6 7 8 9; do
			echo "${i}000000000,900000000,denoise,,,1,python3.11 (48213)"
		done
	} >metal/marks.csv
	n=0
	for source in metal ranks executorch; do
		first_of $source
		cp kept/report.md whole.md
		for f in $(cd $source && find . -type f | sort); do
			n=$((n + 1))
			turn $n 6 $BATS_TEST_NUMBER || continue
			mv "$source/$f" gone
			# another table may say the same
			echo >>before.md
			is_fresh $source "$f goes"
			mv gone "$source/$f"
			tp-report -o kept $source 2>/dev/null || [ $? -eq 3 ]
			diff whole.md kept/report.md || fail "$f comes"
		done
	done
	# what is left is of another source, which leaves its own behind
	rm -rf kept
	mkdir all
	for source in metal jax ranks executorch \
	    ${TP_ALL:+metal executorch ranks jax}; do
		rm -rf all
		cp -R $source all
		: >before.md
		is_fresh all $source
	done
	rm -rf kept
	n=0
	for f in metal/*; do
		n=$((n + 1))
		mv "$f" "metal/$n.${f##*.}"
		[ -n "${TP_ALL-}" ] || continue
		: >before.md
		is_fresh metal "$f is renamed"
	done
	: >before.md
	is_fresh metal "all are renamed"
}

# bats test_tags=rest
@test "intake: options are asked for again, and forgotten again" {
	same_with_san
	metal
	torch
	ranks
	executorch
	# with TP_ALL each alone, too
	first_of metal
	for v in '--meta=a=b --repo=mlx-rag-lab --last=10%' \
	    '--meta=a=c --process=python3.11 --from=10% --notes=metal/marks.csv' \
	    ${TP_ALL:+--meta=a=b --meta=a=c --repo=mlx-rag-lab
	    --process=python3.11 --last=10% --from=10%
	    --notes=metal/marks.csv} ''; do
		is_fresh metal "$v" $v
	done
	for source in torch ${TP_ALL:+ranks}; do
		first_of $source
		for v in '--meta=a=b --platform=H100' \
		    ${TP_ALL:+--platform=none --meta=a=b} ''; do
			is_fresh $source "$v" $v
		done
	done
	first_of executorch
	for v in --title=x ${TP_ALL:+--title=y --meta=a=b} ''; do
		is_fresh executorch "$v" $v
	done
}

# bats test_tags=rest
@test "intake: a comparison and a combined report are of what is given, and as it is now" {
	same_with_san
	metal
	executorch
	cp -R metal after
	cp -R "$BATS_FILE_TMPDIR/et/runs/android" android
	sed -i 's/,100,/,130,/' after/gpu.csv
	# both COMMAND...: kept and fresh are the same
	both() {
		local s=0 t=0
		"$@" -o kept 2>/dev/null || s=$?
		"$@" >fresh.md 2>/dev/null || t=$?
		[ $s -eq $t ] || fail "$s, not $t: $*" || return
		[ ! -s fresh.md ] || diff kept/*report.md fresh.md ||
			fail "$*" || return
		run ! cmp fresh.md before.md
		mv fresh.md before.md
	}
	: >before.md
	both tp-report --combined executorch android
	if [ -n "${TP_ALL-}" ]; then
		both tp-report --combined executorch
		both tp-report --combined android executorch
		both tp-report --combined --title=x android executorch
	fi
	read -r f change <<<"$(change_of executorch)"
	sed -i "$change" executorch/$f
	both tp-report --combined executorch android
	sed -i 's/"median_ms": 8/"median_ms": 9/' executorch/metrics.json
	both tp-report --combined --title=y android executorch

	tp-report --compare -o two metal after
	tp-report --compare metal after >want.md
	grep -v -F '](compare.svg)' two/comparison.md >got.md || :
	tp-report --compare --allow-same -o two metal metal
	# what was allowed once is not for ever
	run ! tp-report --compare -o two metal metal
	tp-report --compare -o two after metal
	cp two/comparison.md back.md
	tp-report --compare -o new after metal
	cmp new/comparison.md back.md
	sed -i 's/,130,/,150,/' after/gpu.csv
	tp-report --compare -o two after metal
	run ! cmp two/comparison.md back.md
	rm -r new
	tp-report --compare -o new after metal
	cmp new/comparison.md two/comparison.md
	# its records are none of the report that is made in the same folder
	head -c 100 metal/cpu.csv >after/cpu.csv
	s=0
	tp-report --compare -o two after metal || s=$?
	tp-report -o two metal
}

# bats test_tags=rest
@test "intake: programs and data that a report is made with are inputs too" {
	metal
	torch
	cp -R "$BUILT" share
	export TP_SHARE=$PWD/share
	: >before.md
	is_fresh metal 'the first'
	sed -i 's/^# 4\. GPU/# 4. The GPU/' share/sections/gpu.md
	run ! grep -q '^# 4. The GPU' before.md
	is_fresh metal 'a section'
	grep -q '^# 4. The GPU' before.md
	for f in share/rules/*.json; do
		sed -i 's/"title": "/"title": "Now /' "$f"
		touch -d 2001-01-01 "$f"
	done
	echo >>before.md
	is_fresh metal 'rules'
	rm -rf kept
	is_fresh torch 'the first'
	touch -d 2001-01-01 share/ops/*.json
	echo >>before.md
	times_in kept >then
	tp-report -o kept torch
	run ! diff then <(times_in kept)
	# another build of the filters
	mkdir bin
	cp -R "$TP_BUILD"/tp-* bin
	times_in kept >then
	PATH=$PWD/bin:$PATH tp-report -o kept torch
	run ! diff then <(times_in kept)
}

# One of three recordings: GPU rows of PID, and memory, named NAME_*
recording() {	# FOLDER NAME PID BUSY
	mkdir -p "$1"
	{
		echo start,duration,channel-name,process,cmdbuffer-id
		printf '%s\n' "0,$4,Compute,game ($3),1" \
		    "1000,$4,Compute,game ($3),2"
	} >"$1/${2:+$2_}metal_gpu_intervals.csv"
	{
		echo time,thread,process,core,thread-state,weight,stack
		printf '%s\n' "1,T 0x1,game ($3),,Running,1000000,main;f$4" \
		    "2,T 0x1,game ($3),,Running,1000000,main;f$4"
	} >"$1/${2:+$2_}time_profile.csv"
}

# The report without what files are called
without_names() {
	sed -e '/^- Trace: /d' -e '/^# 8/,$d' -e 's/`[a-z0-9]*_metal_/`_metal_/g' "$1"
}

# bats test_tags=rest
@test "intake: of several recordings none is mixed with another, and each has its report" {
	local n
	for n in 1 2 3; do
		recording prefix run$n 7 "${n}00"
		recording folders/run$n '' 7 "${n}00"
		recording alone$n run$n 7 "${n}00"
	done
	for how in prefix folders; do
		run -2 --separate-stderr tp-report $how
		[ -z "$output" ]
		[[ $stderr = *"'$how' holds 3 recordings: "*run1*run2*run3*--run* ]]
		run -2 tp-report -o out-$how $how
		[ ! -e out-$how/report.md ]
		tp-report --list $how >list
		for n in 1 2 3; do
			[ "$(grep -c ", of run$n\$" list)" -eq 2 ]
			tp-report --run run$n $how >got.md
			tp-report alone$n >want.md
			diff <(without_names want.md) <(without_names got.md)
			grep -q 'gpu_busy_ms. | 0.000'$((n * 2)) got.md
			grep -q "f${n}00" got.md
			# in one folder, one after the other
			tp-report -o out-$how --run run$n $how
			cmp <(printed out-$how/report.md) <(printed got.md)
		done
		run ! tp-report --run nosuch $how
		[[ $output = *run1*run2*run3* ]]
	done
	run -2 --separate-stderr tp-report folders/run1 folders/run2
	[[ $stderr = *"'folders/run1' and what follows it hold 2 recordings: "* ]]
	# files without prefixes that name other pids
	mkdir flat
	for n in 1 2 3; do
		recording x '' $n "${n}00"
		for f in x/*; do
			mv $f flat/$n${f##*_}
		done
	done
	run -2 --separate-stderr tp-report flat
	[[ $stderr = *'holds 3 recordings: '* ]]
	for n in 1 2 3; do
		name=$(tp-report --list flat | sed -n "s/^$n.*, of //p" |
		    sort -u)
		tp-report --run "$name" flat >got.md
		recording one$n '' $n "${n}00"
		tp-report one$n >want.md
		diff <(without_names want.md) <(without_names got.md)
	done
	# two sides of a comparison
	tp-report --compare --run run1 prefix folders >compared.md ||
		fail "$(cat compared.md)"
}

# bats test_tags=rest
@test "intake: one of several recordings has neither the losses nor the name of another" {
	recording in run1 7 100
	recording in run2 8 200
	recording in/three '' 9 300
	for f in run2_metal_current_alloc three/broken stray; do
		printf '1;2\n' >in/$f.csv
	done
	: >in/run2_kdebug.xml
	# what somebody made of an export is no loss
	cp "$TP_BUILD/cases/tp-look/the-xml-and-the-csv-of-one-export/in/gpu.xml" \
	    in/run1_metal_gpu_intervals.xml
	printf '1;2\n' >in/run1_metal_gpu_intervals.csv
	tp-report --run run1 in >got.md
	grep -q '^- Trace: `run1`;' got.md
	grep -q '^| run1_metal_gpu_intervals.csv: no header that is known; run1_metal_gpu_intervals.xml, .* | tolerated |$' got.md
	run ! grep -e run2 -e three -e stray -e 'data lost' -e 'Not everything' got.md
	run -3 --separate-stderr tp-report --run run2 in
	printf '%s\n' "$output" >got.md
	grep -q '^- Trace: `run2`;' got.md
	grep -q '^| run2_metal_current_alloc.csv: .* | data lost |$' got.md
	grep -q '^| run2_kdebug.xml: .* | data lost |$' got.md
	run ! grep -e run1 -e three -e stray got.md
	run -3 --separate-stderr tp-report --run three in
	[ "$(grep -c 'data lost' <<<"$output")" -eq 1 ]
	[[ $output = *'Trace: `three`;'*'broken.csv: '* ]]
}

# PROGRAM... as one who may not read everything
as_anyone() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		setpriv --bounding-set=-all --inh-caps=-all "$@"
	fi
}

@test "intake: what cannot be read or vanishes is told, in the report too: 3" {
	[ "$(id -u)" -ne 0 ] || setpriv --bounding-set=-all true 2>/dev/null ||
		skip 'root, and no setpriv'
	metal
	torch
	ranks
	jax
	executorch
	mkdir metal/more
	cp "$G"/tp-mem/*/in.csv metal/more 2>/dev/null || :
	chmod 0 metal/cpu.csv
	chmod 0 metal/more
	[ -z "$(as_anyone cat metal/cpu.csv 2>/dev/null)" ]
	run -3 --separate-stderr as_anyone tp-report -o out metal
	[[ $stderr = *"cpu.csv': "*'Permission denied'* ]] || fail "$stderr"
	[[ $stderr = *"metal/more': "*'Permission denied'* ]] || fail "$stderr"
	sed '1,/^# 8/d' out/report.md >appendix
	grep -q '^| cpu\.csv: .*Permission denied.*data lost' appendix
	grep -q '^| more: .*Permission denied.*data lost' appendix
	chmod 700 metal/more
	chmod 600 metal/cpu.csv
	tp-report -o out metal
	cmp <(printed <(tp-report metal)) <(printed out/report.md)
	# of each source one of its files; all of one
	touch ranks/other.csv
	for f in ranks/rank1.json executorch/mac_sme2_on/*ops_stats.csv \
	    executorch/manifest.json jax/more.json metal/gpu.csv torch/more.csv
	do
		[ -e "$f" ] || echo x >"$f"
		chmod 0 "$f"
		run -3 --separate-stderr as_anyone tp-report -o out-${f%%/*} \
		    ${f%%/*}
		[[ $stderr = *"${f##*/}"*'Permission denied'* ]] ||
			fail "$stderr"
		grep -q "${f##*/}.*Permission denied" \
		    out-${f%%/*}/report.md || fail "$f"
		chmod 600 "$f"
	done
	chmod 0 torch
	run -4 as_anyone tp-report torch
	[[ $output = *"Permission denied"* ]]
	chmod 700 torch
	# a link to nothing is told, and one that leads out is not followed
	ln -s nowhere metal/gone.csv
	ln -s ../torch metal/link
	run -0 --separate-stderr tp-report metal
	[[ $output = *'gone.csv'*'a link to what is not there'* ]]
}

# bats test_tags=rest
@test "intake: what vanishes while it is read ends in a report that says so, or in words" {
	metal
	export TP_SHARE=$BUILT
	mkdir bin
	cp "$TP_BUILD"/tp-report bin
	for t in "$TP_BUILD"/tp-*; do
		[ -e bin/${t##*/} ] || ln -s "$t" bin
	done
	for gone in gpu.csv cpu.csv marks.csv; do
		# what tp-look has seen is not there any more for the filters
		rm -f bin/tp-look
		printf '%s\n' '#!/bin/sh' \
		    "'$TP_BUILD/tp-look' \"\$@\"; s=\$?" \
		    "mv '$PWD/metal/$gone' '$PWD' 2>/dev/null; exit \$s" \
		    >bin/tp-look
		chmod +x bin/tp-look
		s=0
		bin/tp-report -o out metal >said 2>&1 || s=$?
		[ $s -eq 4 ] || fail "$s $(cat said)"
		grep -q 'No such file' said || fail "$(cat said)"
		[ ! -e out/report.md ]
		mv $gone metal
		tp-report -o out metal
		cmp <(printed <(tp-report metal)) <(printed out/report.md)
		rm -r out
	done
}

@test "intake: notes that are a link are not taken, and HTML in them is text" {
	metal
	echo secret >secret
	ln -s ../secret metal/notes.md
	tp-report metal >got.md
	run ! grep -q secret got.md
	rm metal/notes.md
	ln -s secret notes.md
	tp-report metal >got.md
	run ! grep -q secret got.md
	rm notes.md
	mkfifo metal/notes.md
	timeout 20 tp-report metal >got.md
	grep -q '^| notes.md: a pipe, not a file' got.md
	rm metal/notes.md
	printf '%s\n' 'Seen: <script>alert(1)</script> <b>bold</b>' '' \
	    '<img src=x onerror=alert(1)>' '' 'a [x](javascript:alert(1)) z' \
	    >metal/notes.md
	tp-report metal >got.md
	sed '1,/^# 8/d' got.md >tail.md
	grep -q 'Seen: ' tail.md
	run ! grep -q -i -E '<(script|b|img)' tail.md
	run ! grep -q -F '](javascript' tail.md
}

# bats test_tags=rest
@test "intake: two and six at once into one folder all end with the report" {
	local source i pids
	for source in metal jax torch ranks executorch; do
		$source
		tp-report -o alone $source 2>/dev/null
		many='1 2'
		[ $source != metal ] && [ -z "${TP_ALL-}" ] || many='1 2 3 4 5 6'
		for i in $many; do
			# each asks for something else than the one before
			tp-report -o out --meta=n=$((i % 2)) $source \
			    2>$i.said &
			pids[i]=$!
		done
		for i in $many; do
			wait ${pids[i]} || fail "$source: $(cat $i.said)"
		done
		grep -q 'waits\|waiting' ?.said
		tp-report -o out $source 2>/dev/null
		cmp out/report.md alone/report.md
		diff <(cd alone && find . ! -path './in/*' -type f \
		    -exec cksum {} + | grep -v xlsx | sort) <(cd out &&
		    find . ! -path './in/*' -type f -exec cksum {} + |
		    grep -v xlsx | sort)
		rm -rf out alone
	done
}

# run_to SOURCE: what killed() kills
run_to() {
	tp-report -o out $1
}

# bats test_tags=rest
@test "intake: killed at any moment, the next run ends as a first one does" {
	local source
	# what is there after a kill: nothing, or a whole report of either
	before() { echo "$1"; }
	after() {
		if [ -e out/report.md ]; then
			cmp -s <(printed out/report.md) <(printed old.md) ||
			    cmp -s <(printed out/report.md) <(printed new.md) ||
				fail "$source $1: half a report"
		fi || return
		# those that it started may be at work still: they have the lock
		tp-report -o out $source 2>said || fail "$source $1: $(cat said)" ||
			return
		cmp <(printed out/report.md) <(printed new.md) || fail "$source $1" || return
		# and now another, so that the next has something to do
		rm -rf out
		[ $(($1 % 3)) -eq 0 ] || cp -a kept out
	}
	for source in metal jax torch executorch; do
		$source
		tp-report -o kept --meta a=b $source 2>/dev/null
		printed kept/report.md >old.md
		tp-report $source >new.md 2>/dev/null
		run ! cmp old.md new.md
		cp -a kept out
		# without TP_ALL four times, others once
		n=10
		[ -n "${TP_ALL-}" ] || [ $source = metal ] || n=3
		killed $n run_to $source 2>/dev/null
		rm -rf kept out
	done
}

# bats test_tags=rest
@test "intake: a disk that is full or can only be read is told, and nothing is half done" {
	metal
	torch
	mkdir disk
	mount -t tmpfs -o size=64k none disk 2>/dev/null || skip 'no mount'
	tp-report metal >metal.md
	mkdir disk/out
	s=0
	tp-report -o disk/out torch 2>said || s=$?
	[ $s -eq 4 ]
	grep -q 'No space left on device' said
	[ ! -e disk/out/report.md ]
	rm -rf disk/out
	# not a byte is left
	tp-report -o kept metal
	cat /dev/zero >disk/zero 2>/dev/null || :
	run -4 tp-report -o disk/out metal
	[[ $output = *'No space left on device'* ]]
	run -4 tp-report -o disk/new.md metal
	[[ $output = *'No space left on device'* ]]
	[ ! -e disk/new.md ]
	TMPDIR=$PWD/disk run -4 tp-report metal
	[[ $output = *'No space left on device'* ]]
	[ -z "$(ls disk | grep -v -x -e zero -e out)" ]
	TMPDIR=$PWD/disk tp-report -o kept metal
	rm disk/zero
	# an old report stays when a new one finds no room
	umount disk
	mount -t tmpfs -o size=400k none disk
	tp-report -o disk/out metal
	cmp <(printed disk/out/report.md) <(printed metal.md)
	cat /dev/zero >disk/zero 2>/dev/null || :
	run -4 tp-report -o disk/out --meta "a=$(printf '%9000s' x)" metal
	cmp <(printed disk/out/report.md) <(printed metal.md)
	rm disk/zero
	tp-report -o disk/out metal
	cmp <(printed disk/out/report.md) <(printed metal.md)
	mount -o remount,ro disk
	run -4 tp-report -o disk/out --meta a=b metal
	[[ $output = *'Read-only file system'* ]]
	run -4 tp-report -o disk/new metal
	[[ $output = *'Read-only file system'* ]]
	umount disk
}

teardown() {
	umount disk 2>/dev/null || :
}

@test "intake: a folder that cannot be written to is told" {
	metal
	mkdir out
	chmod 500 out
	[ "$(id -u)" -ne 0 ] || setpriv --bounding-set=-all true 2>/dev/null ||
		skip 'root, and no setpriv'
	run -4 as_anyone tp-report -o out metal
	[[ $output = *'Permission denied'* ]]
	run -4 as_anyone tp-report -o out/new metal
	[[ $output = *'Permission denied'* ]]
	run -4 as_anyone tp-report -o out/new.md metal
	[[ $output = *'Permission denied'* ]]
	chmod 700 out
	tp-report -o out metal
	chmod 500 out
	run -4 as_anyone tp-report -o out --meta a=b metal
	[[ $output = *'Permission denied'* ]]
}

# bats test_tags=rest
@test "intake: without make, or with an old one, it says what is needed" {
	metal
	tp-report metal >want.md
	mkdir bin old
	for p in env bash cat rm mktemp mkdir find sort head tail tr sed; do
		ln -s "$(command -v $p)" bin/
	done
	PATH=$TP_BUILD:$PWD/bin run -4 "$TP_BUILD/tp-report" metal
	[ "$output" = 'tp-report: GNU make 4 or newer is needed (macOS: brew install make)' ]
	for says in 'GNU Make 3.81' 'bmake' '' '--version: unknown option'; do
		printf '#!/bin/sh\necho "%s"\n' "$says" >bin/make
		chmod +x bin/make
		PATH=$TP_BUILD:$PWD/bin run -4 "$TP_BUILD/tp-report" metal
		[[ $output = *'GNU make 4 or newer is needed'* ]]
	done
	# a newer one by the name it has on a Mac
	ln -s "$(command -v make)" bin/gmake
	PATH=$TP_BUILD:$PWD/bin "$TP_BUILD/tp-report" metal | cmp - want.md
	# one that is not there
	MAKE=/nonexistent/make tp-report metal | cmp - want.md
}

@test "intake: TMPDIR that is absent, relative or a file is told, or does" {
	metal
	tp-report metal >want.md
	for t in nosuch metal/gpu.csv /dev/null; do
		TMPDIR=$t run -4 tp-report metal
		[[ $output = *'cannot make a temporary folder'* ]]
		# with a folder of one's own it is not asked for
		TMPDIR=$t tp-report -o out metal
		cmp <(printed out/report.md) <(printed want.md)
	done
	mkdir t -- '-t' $'t\n'
	for t in t -t . "" $'t\n'; do
		TMPDIR=$t tp-report metal | cmp - want.md
		[ -z "$(find t ./-t -mindepth 1)" ]
	done
}

# What share/doc/exports.md describes, with TABLES instead of what it says
own_tables() {
	mkdir -p config/tracepipe/tables
	printf '{"tables": {%s}}' "$1" >config/tracepipe/tables/logger.json
}

LOGGER='"logger-gpu": {"as": "metal-gpu-intervals", "columns": [
 ["Start (us)", "start", "us"], ["Dur (ms)", "duration", "ms"],
 ["Queue", "channel-name"], ["What", "event-label"], ["Proc", "process"]]}'

@test "CSV of another tool is what a file of one's own says, to the nanosecond" {
	export XDG_CONFIG_HOME=$PWD/config
	own_tables "$LOGGER"
	printf '%s\n' 'Proc,What,Dur (ms),Start (us),Queue' \
	    'python (77),step,0.8125,7.125,Compute' \
	    'python (77),step,0.000001,1007.001,Compute' >gpu.csv
	tp-gpu-intervals gpu.csv >got
	[ "$(jq -rs '[.[] | select(.kind == "gpu.summary" and
	    .scope == "all") | .first_ns, .last_ns, .busy_ns] | @csv' got)" = \
	    7125,1007002,812501 ]
	tp-report gpu.csv >report.md
	grep -q '^| `estimated_gpu_busy_ratio` | 81.3 % of the span' report.md
	# a unit of its own in a cell wins, as everywhere
	sed 's/0.8125/812.5 us/' gpu.csv >other.csv
	tp-gpu-intervals other.csv | grep -q '"busy_ns":812501,'
	# a report is made again when the description changes
	tp-report -o out gpu.csv
	own_tables "${LOGGER/'"ms"'/'"s"'}"
	tp-report -o out gpu.csv
	! cmp report.md out/report.md || false
}

@test "a table of one's own that is wrong is status 2, with file, table and column" {
	export XDG_CONFIG_HOME=$PWD/config
	printf 'Start (us),Dur (ms)\n1,2\n' >gpu.csv
	local file=$PWD/config/tracepipe/tables/logger.json table says
	while IFS='|' read -r table says; do
		own_tables "$table"
		run -2 --separate-stderr tp-gpu-intervals gpu.csv
		[ "$stderr" = "tp-gpu-intervals: $file: table 'x': $says" ]
	done <<-'END'
	"x": {"as": "metal-gpu-intervals", "columns": [["S", "begin", "us"]]}|no column of the table it stands for: 'begin'
	"x": {"as": "metal-gpu-intervals", "columns": [["S", "start", "MiB"]]}|no unit of such a column: 'MiB'
	"x": {"as": "metal-gpu-intervals", "columns": [["S", "process", "us"]]}|no unit of such a column: 'us'
	"x": {"as": "metal-gpu", "columns": [["S", "start"]]}|columns, or a table that is known, are missing in 'as' 'metal-gpu'
	"x": {"as": "metal-gpu-intervals", "columns": []}|columns, or a table that is known, are missing in 'as' 'metal-gpu-intervals'
	END
	own_tables '"x": '
	run -2 --separate-stderr tp-gpu-intervals gpu.csv
	[ "$stderr" = "tp-gpu-intervals: $file: line 1 is not JSON" ]
}
