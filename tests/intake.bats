#!/usr/bin/env bats
# tp-report and what it is given: text nobody should trust, folders that others
# prepared, inputs that change, several recordings, ends at any moment.

load helper
load hostile
bats_require_minimum_version 1.5.0

setup_file() {
	export G=$TP_ROOT/tests/golden
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
	mkdir torch && cp "$G/tp-ops/pytorch-work/train.json" torch/t.json
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

# TEXT as that of XML, for sed to put it somewhere
xml_text() {
	printf '%s' "$1" | sed -e 's/&/\&amp;/g; s/</\&lt;/g; s/"/\&quot;/g' \
	    -e '$!s/$/\&#10;/' | tr -d '\n' | sed 's/[\\&|]/\\&/g'
}

@test "intake: names of tables and columns in XML, and texts of a table of contents, are data" {
	xml=$(echo "$BATS_FILE_TMPDIR"/xml/*/*/*/*gpu_info.xml)
	toc=$(echo "$BATS_FILE_TMPDIR"/xml/*/*/*/*_toc.xml)
	canary
	mkdir t
	n=0
	for v in "${HOSTILE[@]}"; do
		n=$((n + 1)) v=$(xml_text "$v")
		sed "s|schema name=\"[^\"]*\"|schema name=\"$v\"|" "$xml" \
		    >t/schema$n.xml
		sed "s|<mnemonic>[^<]*<|<mnemonic>$v<|" "$xml" >t/column$n.xml
		sed "s|>[^<]*</string>|>$v</string>|; s|fmt=\"[^\"]*\"|fmt=\"$v\"|" \
		    "$xml" >t/cell$n.xml
		sed "s|=\"[^\"]*\"|=\"$v\"|3g" "$toc" >t/toc$n.xml
	done
	cp "$G/tp-gpu-intervals/overlap-counts-once/in.csv" t/gpu.csv
	for table in schema column cell toc; do
		mkdir t/$table
		mv t/$table[0-9]*.xml t/$table
	done
	all_reports t
	for table in schema column cell toc; do
		all_reports t/$table
	done
	# one by one, where the next would hide it
	for f in t/schema/*.xml t/toc/*.xml; do
		cp "$f" one.xml
		quietly tp-report -o ../one one.xml
	done
	unharmed
}

@test "intake: headers, cells and names of files of CSV are data" {
	canary
	mkdir t
	n=0
	for v in "${HOSTILE[@]}"; do
		n=$((n + 1)) q=\"${v//\"/\"\"}\"
		{
			printf '%s,' start duration channel-name process \
			    cmdbuffer-id
			printf '%s\n' "$q"
			printf '%s,100,%s,"%s (7)",%s,%s\n' "$n" "$q" \
			    "${v//\"/\"\"}" "$n" "$q"
		} >t/gpu$n.csv
		printf 'time,thread,process,core,thread-state,weight,stack\n%s' \
		    "$n,$q,$q,,Running,1000,$q" >t/cpu$n.csv
		printf '%s,%s\n1,2\n' "$q" start >t/odd$n.csv
		v=${v:0:200}
		case $v in
		'' | .. | */*) continue ;;
		esac
		mkdir -p "t/$v"
		printf 'start,duration,channel-name,process\n%s\n' \
		    "$n,5,x,p (7)" >"t/$v/$v"
		: >"t/$v/$v.csv"
		quietly tp-report -- "t/$v"
		quietly tp-report -- "t/$v/$v"
		(cd "t/$v" && quietly tp-report -o ../../../out -- "$v" .)
		quietly tp-report -o "../o$v/$v" -- "t/$v"
		quietly tp-report -o "../$v.md" -- "t/$v"
	done
	quietly tp-report t
	quietly tp-report --list t
	for f in t/*.csv; do
		quietly tp-report -o ../one "$f"
	done
	unharmed
}

@test "intake: names, categories and arguments of trace events are data" {
	canary
	mkdir t jax
	n=0
	for v in "${HOSTILE[@]}"; do
		n=$((n + 1))
		# each text of it, in turn
		for key in name cat args; do
			jq -c --arg v "$v" --arg k "$key" '.traceEvents |= map(
			    if $k == "args" then .args |= ((. // {}) + {($v): $v,
			    "Trace name": $v, "Concrete Inputs": [$v],
			    "Input type": [$v], "Module Hierarchy": $v})
			    elif .ph == "X" then .[$k] = $v else . end)' \
			    "$G/tp-ops/pytorch-work/train.json" >t.json
			quietly tp-report -o ../torch t.json
		done
		jq -c --arg v "$v" 'walk(if type == "string" and
		    (startswith("/") | not) and length > 1 then $v else . end)' \
		    "$G/tp-trace/two-devices/in.json" >jax/h.trace.json
		quietly tp-report -o ../jax jax
		jq -c --arg v "$v" 'walk(if type == "string" and length > 2
		    and (. | test("^[a-z_]*name$") | not) then . + $v
		    else . end)' "$G/tp-trace/two-devices/in.json" \
		    >jax/h.trace.json
		quietly tp-report jax
	done
	unharmed
	# what a category is called comes from share, never from the trace
	[ -z "$(find ../torch | tr -d 'A-Za-z0-9._/\n-')" ] ||
		fail "$(find ../torch)"
}

@test "intake: names of experiments and texts of their documents are data" {
	canary
	for v in "${HOSTILE[@]}"; do
		rm -rf run
		cp -R "$BATS_FILE_TMPDIR/et/runs/mac" run
		for f in run/*.json; do
			jq -c --arg v "$v" 'walk(if type == "string" then $v
			    else . end)' "$f" >new
			mv new "$f"
		done
		all_reports run --title "$v"
		quietly tp-report -o run run
		quietly tp-report --combined run -o ../both run
		name=${v:0:100}
		case $name in
		'' | .. | */*) continue ;;
		esac
		rm -rf run
		cp -R "$BATS_FILE_TMPDIR/et/runs/mac" run
		mv run/mac_sme2_on "run/$name"
		for f in "run/$name"/*.csv run/*_off/*.csv; do
			b=${f##*/segment_fp32_}
			mv -- "$f" "${f%/*}/$name${b#*_t1}"
		done
		all_reports run
		quietly tp-report -o run run
		quietly tp-report --combined -o ../both run run
	done
	unharmed
}

@test "intake: texts of summaries, artifacts, records and notes are data" {
	tp-summary -q "$BATS_FILE_TMPDIR/jax" >s.json
	s=$PWD/s.json
	tp-report --records "$G/tp-gpu-intervals/overlap-counts-once/in.csv" \
	    >r.jsonl
	r=$PWD/r.jsonl
	canary
	for v in "${HOSTILE[@]}"; do
		rm -rf c
		mkdir c
		jq --arg v "$v" 'walk(if type == "string" then $v else . end)' \
		    "$s" >c/s.json
		quietly tp-report c
		jq --arg v "$v" '.run_metadata.run_id = $v |
		    .run_metadata.run_path = $v' "$s" >c/s.json
		jq -n --arg v "$v" '{artifact_ref: ("e/p/" + $v), entity: $v,
		    files: [{path: $v, bytes: 1, sha256: $v}]}' >c/artifact.json
		printf '%s\n' "$v" "- $v" "    $v" | tr '\t' ' ' >c/notes.md
		all_reports c
		quietly tp-report --bundle -o ../bundle --label "$v" \
		    --history ../h.jsonl c "$s"
		jq -c --arg v "$v" 'walk(if type == "string" and . != "note"
		    and (contains(".") | not) then $v else . end)' "$r" \
		    >c/x.jsonl
		quietly tp-report c/x.jsonl
		sed 's/"kind":"[^"]*"/"kind":"x"/' c/x.jsonl >x.jsonl
		quietly tp-report -o ../out x.jsonl
	done
	unharmed
}

@test "intake: no value of an option of tp-report is run, or reaches the terminal" {
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
	# same NAME=VALUE...: with these in the environment it is the same
	same() {
		rm -rf out
		env "$@" tp-report -o out "$metal" >said 2>&1 ||
			fail "$*: $(cat said)" || return
		env "$@" tp-report "$metal" >got 2>/dev/null
		cmp out/report.md "$want" && cmp got "$want" && unharmed ||
			fail "$*"
	}
	echo '$(shell canary)' >evil.mk
	printf 'all:\n\tcanary\n' >GNUmakefile
	v='$(shell canary)`canary`;canary'
	same MAKEFLAGS="--eval=\$(shell canary)"
	same MAKEFLAGS="e -- TP_LABEL=$v SHELL=canary"
	same GNUMAKEFLAGS="--eval=\$(shell canary)"
	same MAKEFILES="$PWD/evil.mk"
	same MAKEOVERRIDES="$v" MFLAGS="-f $PWD/evil.mk" MAKELEVEL=7
	same TP_LABEL="$v" TP_X="$v" TP_ALLOW="$v" TP_COMBINED="$v"
	same TP_REPLAY="$v" TP_PROCESS=nosuch TP_FROM=99% TP_REPO=nosuch
	same OUT="$v" O="$v" IN="$v" SOURCE=torch PAIRS="$v" COMBINED="$v" \
	    REPORT=/etc/passwd STREAMS="$v" XLSX="$v" HERE=/nonexistent
	same SHELL="$PWD/../../shims/canary" BASH="$PWD/../../shims/canary"
	same CDPATH="/:$PWD" OLDPWD=/ PWD=/nonexistent
	same IFS=tp-/ PS4='$(canary)' PROMPT_COMMAND=canary
	same LS_COLORS="$v" GREP_OPTIONS=-v POSIXLY_CORRECT=1 LC_ALL=de_DE.UTF-8
	same SHELLOPTS=noglob:errexit:posix BASHOPTS=failglob:nocasematch
	same GLOBIGNORE='*' TMOUT=1 BASH_COMPAT=3.2
	for f in tp-look tp-put rm cat mkdir cd printf; do
		same "BASH_FUNC_$f%%=() { canary; }"
	done
	# programs of the folder that it writes to
	rm -rf out
	mkdir out
	for name in rm mkdir cat make readlink bash tp-put tp-render; do
		cp ../../shims/canary out/$name
	done
	for path in ".:$PATH" ":$PATH" "$PATH:"; do
		PATH=$path tp-report -o out "$metal"
		cmp out/report.md "$want"
		rm out/*.jsonl
	done
	unharmed
}

# The files and links of FOLDER, a line each
names_in() {
	(cd "$1" && find . -mindepth 1 | sed 's|^\./||' | sort)
}

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
			[[ $output = *"no file and no folder of ours"* ]]
			[ "$(cat victim)" = victim ]
			rm "$f"
		done
		tp-report -o executorch executorch
	done
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
		cmp out/report.md "$here/$source.md"
		unharmed
	done
	tp-report --combined -o out "$here/executorch"
	tp-report --compare --allow-same -o out "$here/metal" "$here/metal"
	unharmed
}

@test "intake: a folder of any name is written to, and read from" {
	metal
	BUILT=$(cd "$BUILT" && pwd)
	tp-report metal >want
	here=$PWD
	for name in a '[' '\' '%' '#' '%md' $'a\nb' $'end\n' - -o '(' '!' '$x' \
	    '$(x)' 'a b' '*' '~' "'" ';' '&' : = $'\377' "$(printf '%200s' x)"; do
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
		cmp "./$name/out$name/report.md" "./$name/$name.md"
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
