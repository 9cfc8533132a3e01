#!/usr/bin/env bats
# Help, man pages, README and schemas are held to the programs.

load helper

# What each program says of itself is asked once.
setup_file() {
	local t
	export HELP=$BATS_FILE_TMPDIR/help
	mkdir "$HELP" "$HELP/short"
	for t in $(tools); do
		$t --help >"$HELP/short/$t" 2>"$HELP/err" ||
		    fail "$t --help: status $?"
		[ ! -s "$HELP/err" ] || fail "$t talks on stderr"
		$t --help=all >"$HELP/$t" || fail "$t --help=all: status $?"
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# bats test_tags=rest
@test "docs: --help is on standard output, ends well and names every part" {
	for t in $(tools); do
		help=$(<"$HELP/short/$t")
		[[ $help = "usage: $t "* ]] || fail "$t has no usage line"
		for part in $'\nexamples:' $'\noptions:' $'\nexit status:' \
		    --version; do
			[[ $help = *"$part"* ]] || fail "$t --help lacks '$part'"
		done
		$t -h | cmp - "$HELP/short/$t"
	done
}

@test "docs: --help=all lists every option once, with a text" {
	for t in $(tools); do
		sed -n 's/^  .*\(--[a-z0-9-]*\).*  [^ ].*/\1/p' "$HELP/$t" \
		    >"$BATS_TEST_TMPDIR/options"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/options")" -ge 4 ]
		twice=$(sort "$BATS_TEST_TMPDIR/options" | uniq -d)
		[ -z "$twice" ] || fail "$t: $twice stands twice"
		short=$(sed -n 's/^  \(-[a-zA-Z]\), --.*/\1/p' "$HELP/$t" |
		    sort | uniq -d)
		[ -z "$short" ] || fail "$t: $short stands twice"
	done
}

# bats test_tags=rest
@test "docs: --help names every option too, and fits a screen of 50 lines" {
	for t in $(tools); do
		help=$(<"$HELP/short/$t")
		while read -r option; do
			[[ $help =~ [\ |]$option($|[^a-z0-9-]) ]] ||
			    fail "$t: $option"
		done < <(sed -n 's/^  .*\(--[a-z0-9-]*\).*  [^ ].*/\1/p' \
		    "$HELP/$t")
		[ "$(wc -l <"$HELP/short/$t")" -le 50 ] ||
		    fail "$t: more than 50 lines"
	done
}

@test "docs: --version is one line of name, package and version" {
	version=$(sed -n 's/^VERSION := //p' "$TP_ROOT/Makefile")
	for t in $(tools); do
		[ "$($t --version)" = "$t (tracepipe) $version" ] ||
		    fail "$t: $($t --version)"
		[ "$($t -V)" = "$t (tracepipe) $version" ]
	done
}

@test "docs: every option of --help=all is in the man page, and no other" {
	for t in $(tools); do
		page=$TP_BUILD/man/$t.1
		[ -s "$page" ] || fail "no man page for $t"
		sed -n 's/^  .*\(--[a-z-]*\).*  [^ ].*/\1/p' "$HELP/$t" |
		    sort >"$BATS_TEST_TMPDIR/help"
		sed -n 's/^\.It .*Fl \\-\([a-z-]*\).*/--\1/p' "$page" |
		    sort >"$BATS_TEST_TMPDIR/man"
		diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/man" ||
		    fail "$t: help and man page differ"
		does=$($t --help=man | sed -n '/^@DOES$/{n;p;q}')
		grep -q -x -F ".Nd $does" "$page" || fail "$t: purpose differs"
	done
}

@test "docs: man pages have no mark left over and mandoc finds no fault" {
	skip_unless mandoc
	for page in "$TP_BUILD"/man/*; do
		! grep '^@[A-Z]*@\|@[A-Z]\{4,\}@' "$page" || fail "$page"
		# two kinds of remark are about other pages, or this system
		run mandoc -T lint -W warning "$page"
		faults=$(printf '%s\n' "$output" |
		    grep -v -e 'referenced manual not found' \
		    -e 'mandoc.db' -e '^$' || :)
		[ -z "$faults" ] || fail "$faults"
	done
}

@test "docs: the README table is what the programs say" {
	sed -n '/^<!-- filters -->/,/^<!-- \/filters -->/p' \
	    "$TP_ROOT/README.md" | sed '1d;$d' >"$BATS_TEST_TMPDIR/readme"
	sh "$TP_ROOT/tests/mkreadme.sh" "$TP_BUILD" \
	    >"$BATS_TEST_TMPDIR/programs"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/programs")" -eq \
	    $(($(tools | wc -l) + 2)) ]
	diff "$BATS_TEST_TMPDIR/readme" "$BATS_TEST_TMPDIR/programs" ||
	    fail "run 'make docs'"
}

# Command lines of a text: those that begin with one of our programs.
command_lines() {
	grep -h -E '^[[:space:]]*(\$ )?tp-[a-z-]+ ' "$@" |
	    sed -e 's/^[[:space:]]*//' -e 's/^\$ //'
}

# The options of one command line are those of its programs.
check_options() {
	local part words program option help
	printf '%s\n' "$1" | sed "s/'[^']*'/QUOTED/g; s/\"[^\"]*\"/QUOTED/g
	    s/ #.*//; y/|;/\n\n/" | while read -r part; do
		set -f
		set -- $part
		program=$1
		case $program in
		tp-*) ;;
		*) continue ;;
		esac
		[ -x "$TP_BUILD/$program" ] ||
			fail "no program '$program' in: $part" || exit 1
		help=$'\n'$(<"$HELP/$program")
		shift
		for option; do
			case $option in
			--[a-z]*)
				option=${option%%=*}
				[[ $help =~ " $option"[=\ [] ]] ||
				    fail "$program has no $option" || exit 1
				;;
			-[a-zA-Z]*)
				option=${option:0:2}
				[[ $help = *$'\n'"  $option,"* ]] ||
				    fail "$program has no $option" || exit 1
				;;
			esac
		done
	done
}

# bats test_tags=rest
@test "docs: examples name programs and options that exist" {
	for t in $(tools); do
		sed -n '/^examples:/,/^$/p' "$HELP/$t" |
		    command_lines >"$BATS_TEST_TMPDIR/lines" || :
		[ -s "$BATS_TEST_TMPDIR/lines" ] || fail "$t has no example"
		while IFS= read -r line; do
			sh -n -c "$line" || fail "$t: not a command: $line"
			check_options "$line" || fail "$t: $line"
		done <"$BATS_TEST_TMPDIR/lines"
	done
}

# bats test_tags=rest
@test "docs: command lines of README and manuals name what exists" {
	command_lines "$TP_ROOT/README.md" "$TP_ROOT"/share/man/*.in \
	    "$TP_ROOT"/share/doc/*.md \
	    >"$BATS_TEST_TMPDIR/lines"
	[ -s "$BATS_TEST_TMPDIR/lines" ]
	while IFS= read -r line; do
		case $line in
		*\\) continue ;;
		esac
		check_options "$line" || fail "$line"
	done <"$BATS_TEST_TMPDIR/lines"
}

@test "docs: pages link to pages that are there, and all are named in the first" {
	cd "$TP_ROOT/share/doc"
	for page in *.md; do
		grep -o '](\([^)]*\))' "$page" | tr -d '()]' |
		    while read -r to; do
			[ -e "$to" ] || fail "$page: no $to" || exit 1
		done
		[ "$page" = README.md ] || grep -q -F "($page)" README.md ||
			fail "README.md does not name $page"
	done
}

@test "docs: the tables that an export makes are named as the pages have them" {
	for page in trace exports; do
		grep -o '_metal_[a-z_]*\.' "$TP_ROOT/share/doc/$page.md" |
		    sort -u | while read -r name; do
			name=${name#_}
			grep -q "\"name\": \"${name%.}\"" \
			    "$TP_ROOT/share/tables/exports.json" ||
				fail "$page.md: no export '$name'" || exit 1
		done
	done
}

# options_of TOOL: the long options of its help.
options_of() {
	sed -n 's/^  .*\(--[a-z0-9-]*\).*  [^ ].*/\1/p' "$HELP/$1" | sort
}

# offered WORD...: what bash offers for the last of the words of a line, as it
# splits them: a "=" is one.
offered() {
	bash --norc -c '. "$0" || exit 1
	    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	    f=$(complete -p "$1" | sed "s/.* -F \([^ ]*\) .*/\1/")
	    $f "$1" "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
	    [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"' \
	    "$BATS_TEST_TMPDIR/tracepipe.bash" "$@"
}

# is_offered "WANT..." WORD...: these, one to a line, are offered
is_offered() {
	local want=$1
	shift
	diff <(printf '%s\n' "$want" | sed '/^$/d' | sort) \
	    <(offered "$@" | sort) || fail "$*"
}

for_bash() {
	cd "$BATS_TEST_TMPDIR"
	sed "s/@PROGRAMS@/$(echo $(tools))/" \
	    "$TP_ROOT/share/completions/tracepipe.bash" >tracepipe.bash
}

# bats test_tags=rest
@test "completion: bash offers every option of every program" {
	for_bash
	for t in $(tools); do
		[ "$(offered $t -- | sed 's/=$//' | sort)" = \
		    "$(options_of $t)" ] || fail "$t: $(offered $t --)"
	done
	is_offered '--write=
--write-if=' tp-render gpu --w
	# not behind the end of options
	is_offered '' tp-render -- --w
}

@test "completion: bash offers files, whatever their names" {
	for_bash
	mkdir 'a dir'
	touch 'my file.csv' 'my $(x) `y`.csv' "my 'q'.csv" 'a dir/in it'
	mine=$(printf '%s\n' 'my file.csv' 'my $(x) `y`.csv' "my 'q'.csv")
	is_offered "$mine" tp-mem my
	is_offered "$mine" tp-mem -q other.csv my
	is_offered "$mine" tp-report my
	is_offered "$mine" tp-render gpu my
	is_offered "$mine" tp-mem --output = my
	is_offered "$mine" tp-mem -o my
	is_offered "$mine" tp-render --write = gpu = my
	is_offered "$mine" tp-render -w gpu = my
	is_offered 'my file.csv' tp-mem 'my\ f'
	is_offered 'my file.csv' tp-mem '"my f'
	is_offered 'a dir' tp-mem a
	is_offered 'a dir/in it' tp-mem 'a\ dir/'
	is_offered '' tp-mem nothing
}

# bats test_tags=rest
@test "completion: bash offers what an argument can be, as share has it" {
	for_bash
	cp -R "$TP_ROOT/share" mine
	export TP_SHARE=$PWD/mine
	: >mine/sections/zz-my-own.md
	: >'zz file'
	sections=$(cd "$TP_ROOT/share/sections" && ls [!_]*.md |
	    sed 's/\.md$//'; echo zz-my-own)
	is_offered "$sections" tp-render ''
	is_offered zz-my-own tp-render zz-
	is_offered 'zz file' tp-render 'zz '
	is_offered "$(cd mine/schema && ls gpu.*.json | sed 's/\.json$//')" \
	    tp-csv gpu.
	is_offered $'gpu.summary.span_ns' tp-query gpu.summary.span
	is_offered $'H100\nH100 PCIe' tp-trace --platform = H1
	is_offered $'H100\nH100 PCIe' tp-report --platform H1
	is_offered $'zz file' tp-trace --platform zz
	is_offered mlx-rag-lab tp-findings --repo m
	is_offered mlx-rag-lab tp-report -r m
	is_offered metal tp-track -r me
	is_offered metal tp-findings --rules = me
	is_offered jax-bound-nothing tp-findings --explain jax-bound-n
	is_offered kernels tp-csv --as = ker
	is_offered weight tp-cpu-top --folded = ''
	is_offered metal-gpu-intervals tp-mem -t metal-gpu-int
	# of kinds those that the filter writes
	is_offered $'mem.growth\nmem.jump\nmem.level\nmem.segment\nmem.step\nmem.summary' \
	    tp-mem --only = m
}

@test "completion: bash offers the recordings of the traces on the line" {
	for_bash
	for n in one two 'run 3'; do
		mkdir -p "a b/$n"
		# not the same table twice
		small_gpu | sed "s/python/$n/" \
		    >"a b/$n/metal_gpu_intervals.csv"
	done
	is_offered $'one\ntwo\nrun 3' tp-report 'a\ b' --run = ''
	is_offered one tp-report --compare '"a b"' --run o
	is_offered tracepipe.bash tp-report --run t
}

# bats test_tags=rest
@test "completion: those of zsh and fish hold every option, with its text" {
	for t in $(tools); do
		$t --help=zsh >zsh
		[ "$(head -n 1 zsh)" = "#compdef $t" ] || fail "$t"
		# every line but the last goes on
		[ "$(sed 1d zsh | grep -c '\\$')" -eq $(($(wc -l <zsh) - 2)) ] ||
		    fail "$t: $(cat zsh)"
		[ "$(sed -n "/^  '1:/d; s/^\(  '[^[]*\)\[.*/\1/; s/^  '.*\(--[a-z0-9-]*\).*/\1/p" zsh |
		    sort)" = "$(options_of $t)" ] || fail "$t: $(cat zsh)"
		$t --help=fish | sed '/^complete -c [^ ]* -n /d' >fish
		! grep -v "^complete -c $t -l [a-z0-9-]*\( -s [a-zA-Z]\)\?\( -[rx]\)\?\( -a '[^']*'\)\? -d '\([^'\\\\]\|\\\\.\)*'\$" fish ||
		    fail "$t"
		[ "$(sed 's/.* -l \([a-z0-9-]*\) .*/--\1/' fish | sort)" = \
		    "$(options_of $t)" ] || fail "$t: $(cat fish)"
	done
}

@test "completion: zsh loads its completions" {
	skip_unless zsh
	for t in $(tools); do
		$t --help=zsh >"_$t"
		zsh -n "_$t" || fail "$t"
		# with the arguments as zsh sees them, one to an option
		zsh -f -c "_arguments() { print -l -- \"\$@\"; }; . ./_$t" >out ||
		    fail "$t"
		[ "$(grep -c -- '--' out)" -ge "$(options_of $t | wc -l)" ] ||
		    fail "$t: $(cat out)"
	done
}

@test "completion: fish loads its completions" {
	skip_unless fish
	for t in $(tools); do
		$t --help=fish >$t.fish
		fish --no-config -c "source $t.fish; complete -C '$t --'" |
		    cut -f 1 | sed 's/=$//' | sort -u >offered || fail "$t"
		options_of $t | diff - offered || fail "$t"
	done
	touch 'my file.csv'
	while IFS='|' read -r line want; do
		got=$(fish --no-config -c "source ${line%% *}.fish
		    complete -C '$line'" | cut -f 1 | tr '\n' '|')
		[ "$got" = "$want|" ] || fail "$line: $got"
	done <<-'END'
	tp-render bund|bundle-verdict
	tp-render gpu my|my file.csv
	tp-track -r me|metal
	tp-trace --platform=H1|--platform=H100|--platform=H100 PCIe
	tp-mem --only m|mem.growth|mem.jump|mem.step|mem.summary
	END
}

@test "schema: every kind names its keys, one per line, out of those there are" {
	cd "$TP_ROOT/share/schema"
	# tp-record(5) is made with awk: it sees what jq sees
	jq -r 'input_filename + " " + (.properties | keys_unsorted[])' \
	    [a-z]*.json >"$BATS_TEST_TMPDIR/jq"
	grep -o '^    "[a-z0-9_]*": {' [a-z]*.json |
	    sed 's/: *"\([a-z0-9_]*\)": {$/ \1/' >"$BATS_TEST_TMPDIR/sed"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/jq")" -gt 500 ]
	diff "$BATS_TEST_TMPDIR/jq" "$BATS_TEST_TMPDIR/sed"
	jq -r --slurpfile keys _keys.json 'select((
	    .title + ".json" == input_filename and .type == "object" and
	    (.properties | to_entries | all(
	    (.key | in($keys[0]["$defs"])) and
	    .value["$ref"] == "_keys.json#/$defs/" + .key and
	    (.value | keys - ["$ref", "enum", "from"]) == [])) and
	    (.required - (.properties | keys)) == []) | not) |
	    input_filename' [a-z]*.json >"$BATS_TEST_TMPDIR/wrong"
	[ ! -s "$BATS_TEST_TMPDIR/wrong" ] ||
	    fail "$(cat "$BATS_TEST_TMPDIR/wrong")"
}

@test "schema: a key stands once, has a type and a meaning, and is in some kind" {
	cd "$TP_ROOT/share/schema"
	jq -e '.["$defs"] | all(.[]; (.type | IN("string", "integer", "number", "boolean"))
	    and (.description | length > 0) and
	    (keys - ["type", "description", "enum"]) == [])' _keys.json
	sed -n 's/^    "\([a-z0-9_]*\)": {.*/\1/p' _keys.json \
	    >"$BATS_TEST_TMPDIR/keys"
	LC_ALL=C sort -u "$BATS_TEST_TMPDIR/keys" |
	    diff - "$BATS_TEST_TMPDIR/keys"
	jq -r '.properties | keys[]' [a-z]*.json | LC_ALL=C sort -u |
	    diff - "$BATS_TEST_TMPDIR/keys"
}

@test "schema: the unit at the end of a key fits its type" {
	jq -r '.["$defs"] | to_entries[] | select(
	    (.key | test("_(ns|bytes|count|cycles)$")) and
	    .value.type != "integer" or
	    (.key | test("_(ratio|factor|per_s|mb)$")) and
	    .value.type != "number") | .key' \
	    "$TP_ROOT/share/schema/_keys.json" >"$BATS_TEST_TMPDIR/out"
	[ ! -s "$BATS_TEST_TMPDIR/out" ] || fail "$(cat "$BATS_TEST_TMPDIR/out")"
}

@test "schema: every kind a filter says it writes has one" {
	for t in $(filters); do
		for kind in $($t --help=row | cut -d '|' -f 5); do
			kind=${kind%[,)]}
			case $kind in
			row.TABLE | *.\*) continue ;;
			*.*) ;;
			*) continue ;;
			esac
			[ -e "$TP_ROOT/share/schema/$kind.json" ] ||
			    fail "$t writes $kind, which has no schema"
		done
	done
}

@test "schema: every key and kind is in tp-record(5)" {
	skip_unless mandoc
	jq -r '.title as $kind | $kind, "\($kind) \(.properties |
	    keys_unsorted[] | select(. != "kind" and . != "src"))"' \
	    "$TP_ROOT"/share/schema/[a-z]*.json |
	    sort -s -k 1,1 >"$BATS_TEST_TMPDIR/schema"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/schema")" -gt 500 ]
	awk 'NR == FNR { if (NF == 1) kinds[$1]; next }
	    /^\.S[sh] / { kind = $1 == ".Ss" && $2 in kinds && NF == 2 ? $2 : ""
		if (kind != "") print kind }
	    kind != "" && /^\.It Va [a-z0-9_]* / { print kind, $3 }' \
	    "$BATS_TEST_TMPDIR/schema" "$TP_BUILD/man/tp-record.5" |
	    sort -s -k 1,1 | diff "$BATS_TEST_TMPDIR/schema" -
}

@test "schema: note codes are those of the sources, and explained" {
	jq -r '.["$defs"].code.enum[]' "$TP_ROOT/share/schema/_keys.json" |
	    sort >"$BATS_TEST_TMPDIR/schema"
	# Errors that end a program never become a note.
	cat "$TP_ROOT"/lib/*.c "$TP_ROOT"/lib/*/*.c "$TP_ROOT"/tools/*.c |
	    tr '\n\t' '  ' |
	    grep -o -E '(tp_fail|tp_[a-z]*_note|tp_look_(re[a-z]*|say[a-z_]*)|pass_over|note|note_[a-z]+)\([^"();]*"[a-z]+\.[a-z-]+"' |
	    sed 's/.*"\(.*\)"/\1/' | sort -u |
	    grep -v -E '^(limit|share|rule|mapping|output|times|segment)\.' |
	    grep -v -x -e condition.damaged -e template.damaged -e picture.damaged \
	    -e merge.twice -e merge.limit >"$BATS_TEST_TMPDIR/code"
	diff "$BATS_TEST_TMPDIR/schema" "$BATS_TEST_TMPDIR/code"
	sed -n '/^\.Sh NOTES/,/^\.Sh EXAMPLES/s/^\.It Li //p' \
	    "$TP_ROOT/share/man/tp-record.5.in" |
	    diff "$BATS_TEST_TMPDIR/schema" -
}

@test "schema: every record of the golden cases fits" {
	# what these hand on is not ours
	find "$TP_BUILD/want" -name out \
	    ! -path '*/tp-render/*' ! -path '*/tp-csv/*' \
	    ! -path '*/tp-query/*' ! -path '*/tp-json/*' \
	    -exec grep -a -h '^{"kind":' {} + >"$BATS_TEST_TMPDIR/records" || :
	[ "$(wc -l <"$BATS_TEST_TMPDIR/records")" -gt 5000 ]
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" \
	    <"$BATS_TEST_TMPDIR/records" >"$BATS_TEST_TMPDIR/out" ||
	    fail "$(sort "$BATS_TEST_TMPDIR/out" | uniq -c)"
}

@test "schema: every record of the example fits" {
	"$TP_BUILD/mkflux" "$BATS_TEST_TMPDIR" >/dev/null
	cd "$BATS_TEST_TMPDIR"/flux_example/*/Attachments
	for t in tp-rows 'tp-cmdbuf --gpu' tp-mem tp-cpu-top; do
		$t -q ./*.xml || fail "$t: $?"
	done >records
	tp-bench ./*.json >>records
	tp-inventory records >inventory
	tp-findings records inventory >findings
	for kind in gpu.summary gap.class mem.jump cpu.bucket bench.run \
	    export trace.info verdict finding.evidence proposal source; do
		cat records inventory findings |
		    grep -q "^{\"kind\":\"$kind\"" || fail "no $kind"
	done
	cat records inventory findings |
	    "$TP_BUILD/check-schema" "$TP_ROOT/share/schema" >out ||
	    fail "$(sort out | uniq -c)"
}

@test "schema: a record that does not fit is refused" {
	check() {
		printf '%s\n' "$1" |
		    "$TP_BUILD/check-schema" "$TP_ROOT/share/schema"
	}
	good='{"kind":"gpu.gap","src":"a","scope":"all","rank":1,"start_ns":1,"duration_ns":2}'
	run check "$good"
	[ "$status" -eq 0 ]
	run check "${good%\}},\"colour\":1}"
	[ "$status" -eq 1 ]
	run check "${good%\}},\"rank\":1}"
	[ "$status" -eq 1 ]
	run check "$(printf '%s' "$good" | sed 's/"rank":1/"rank":"1"/')"
	[ "$status" -eq 1 ]
	run check "$(printf '%s' "$good" | sed 's/"rank":1/"rank":1.5/')"
	[ "$status" -eq 1 ]
	run check "$(printf '%s' "$good" | sed 's/"rank":1,//')"
	[ "$status" -eq 1 ]
	run check "$(printf '%s' "$good" | sed 's/"all"/"some"/')"
	[ "$status" -eq 1 ]
	run check "$(printf '%s' "$good" | sed 's/gpu.gap/gpu.gape/')"
	[ "$status" -eq 1 ]
	run check ''
	[ "$status" -eq 1 ]
}

@test "docs: the README is short, and what it shows is what comes out" {
	cd "$TP_ROOT"
	[ "$(wc -l <README.md)" -lt 130 ]
	# each command of the console block with the lines below it
	sed -n '/^```console$/,/^```$/p' README.md | sed '/^```/d' \
	    >"$BATS_TEST_TMPDIR/shown"
	grep '^\$ ' "$BATS_TEST_TMPDIR/shown" | while IFS= read -r line; do
		printf '%s\n' "$line"
		bash -eu -o pipefail -c "${line#* }" || fail "$line"
	done | diff "$BATS_TEST_TMPDIR/shown" -
	# the verdict is that of the example's report
	[ "$(grep -c '^> ' README.md)" -eq 3 ]
	sed -n 's/^> //p' README.md | while IFS= read -r line; do
		grep -q -x -F -e "$line" examples/metal/report.md || fail "$line"
	done
	# and the table it reads is the generator's
	"$TP_BUILD/mkflux" --format csv "$BATS_TEST_TMPDIR/csv" >/dev/null
	cmp examples/metal/gpu.csv \
	    "$BATS_TEST_TMPDIR"/csv/flux_example/*/*/*metal_gpu_intervals.csv
	# links lead somewhere
	grep -o '](\([^)]*\))' README.md | tr -d '()]' | while read -r to; do
		[ -e "$to" ] || fail "no $to" || exit 1
	done
}

@test "docs: all records of a report are read by DuckDB, pandas and polars" {
	"$TP_BUILD/mkflux" xml >/dev/null
	tp-report --records xml/flux_example >r.jsonl
	n=0
	for by in duckdb pandas polars; do
		case $by in
		duckdb) command -v duckdb >/dev/null || continue ;;
		*) python3 -c "import $by" 2>/dev/null || continue ;;
		esac
		grep -e "^duckdb .*'r.jsonl'" -e '^python3 .*r.jsonl' \
		    "$TP_ROOT/README.md" | grep -w $by >line
		bash -eu ./line >out || fail "$(cat line)"
		[ -s out ]
		n=$((n + 1))
	done
	[ $n -gt 0 ] || skip "no DuckDB, pandas or polars"
}

# The one-liners of the README that use PROGRAM, into "lines"; and what they
# read.
one_liners() {
	sed -n "/^Single metrics for scripts/,/^\`\`\`\$/p" \
	    "$TP_ROOT/README.md" | grep -w -e "$1" >lines ||
	    fail "the README has no line with $1"
	"$TP_BUILD/mkflux" xml >/dev/null
	cp xml/flux_example/*/*/*metal_gpu_intervals.xml gpu.xml
	cp xml/flux_example/*/*/*wired_sysmem.xml wired.xml
	cp xml/flux_example/*/*/*time_profile.xml time_profile.xml
}

# Run the line of "lines" that holds $1.
run_line() {
	grep -e "$1" lines >line || fail "no line with $1"
	bash -eu -o pipefail ./line >out || fail "$(cat line)"
	[ -s out ] || fail "prints nothing: $(cat line)"
}

@test "docs: the README's one-liners run" {
	one_liners tp-query
	run_line busy_ns
	[ "$(cat out)" = 9927246116 ]
	run_line peak_bytes
	[ "$(cat out)" = '23.6 GiB' ]
	one_liners tp-rows
	run_line 'process~python'
	grep -q '"kind":"gpu.summary"' out
	one_liners tp-csv
	bash -eu ./lines
	[ "$(head -n 1 functions.csv | cut -d , -f 1)" = src ]
	one_liners tp-pprof
	bash -eu ./lines
	[ -s cpu.pb ]
	one_liners tp-perfetto
	bash -eu ./lines
	[ -s run.pftrace ]
}

@test "docs: the README's one-liner with jq runs" {
	skip_unless jq
	one_liners jq
	run_line jq
	grep -q "^python3.11	[0-9]*\$" out
}

@test "docs: the README's one-liner with DuckDB runs" {
	skip_unless duckdb
	one_liners duckdb
	run_line duckdb
	grep -q 'libmlx.dylib.*[0-9]' out
}
