#!/usr/bin/env bats
# bats file_tags=rest
# tp-fetch, tp-publish and bundles: a folder as the store, a stub as wandb.
bats_require_minimum_version 1.5.0

load helper
load hostile

REFERENCE=${TP_SHARED:-$TP_ROOT/../shared}/expected/jax/publish.dry_run.json
DATA=${TP_DATA:-$TP_ROOT/../shared/data}

# Two captures, and a store that has both as profiles of two runs.
setup_file() {
	local s
	cd "$BATS_FILE_TMPDIR"
	mkjax --steps 30 before >/dev/null
	mkjax --steps 30 --seed 7 after >/dev/null
	touch -d 2026-01-15T11:00:00Z before/plugins/profile/*/*
	touch -d 2026-01-16T11:00:00Z after/plugins/profile/*/*
	mkdir store
	for s in before after; do
		tp-publish --store store --run-target "lab/llm/$s" \
		    --capture $s --meta git_sha=abc123 >/dev/null
		tp-summary -q $s >$s.json
		tp-report $s.json >$s.md
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MFLAGS MAKELEVEL WANDB_API_KEY WANDB_ENTITY \
	    WANDB_PROJECT WANDB_BASE_URL TP_STORE
	B=$BATS_FILE_TMPDIR/before A=$BATS_FILE_TMPDIR/after
	STORE=$BATS_FILE_TMPDIR/store
	export XDG_CACHE_HOME=$PWD/cache
}

teardown() {
	! mountpoint -q "$BATS_TEST_TMPDIR/disk" 2>/dev/null ||
		umount "$BATS_TEST_TMPDIR/disk"
}

# fetch WORD...: from the store, below here
fetch() {
	tp-fetch --store "$STORE" --download-root root "$@"
}

# A wandb that notes its words and serves what is in served/.
stub() {
	mkdir bin
	export WORDS=$PWD/words SERVED=$PWD/served PATH=$PWD/bin:$PATH
	cat >bin/wandb <<-'END'
	#!/bin/sh
	for w; do
		printf '<%s>' "$w"
	done >>"$WORDS"
	echo >>"$WORDS"
	last=
	while [ $# -gt 0 ]; do
		case $1 in
		--root) root=$2 ;;
		esac
		last=$1
		shift
	done
	[ ! -e "$SERVED.fails" ] || { cat "$SERVED.fails" >&2; exit 1; }
	[ -n "${root-}" ] || { cp -R "$last" "$SERVED.got"; exit; }
	echo 'Downloading large artifact'
	cp -R "$SERVED/." "$root/"
	END
	chmod +x bin/wandb
}

# The whole of the recipe in seeds: from runs in a store to results in it.
workflow() {
	mkdir "$1" && cd "$1" || return
	cp -Rp "$STORE" store
	export TP_STORE=$PWD/store
	tp-summary -q --run-target lab/llm/before --download-root profiles \
	    -o before.json
	tp-summary -q --run-target https://wandb.ai/lab/llm/runs/after \
	    --alias latest --download-root profiles -o after.json
	tp-report before.json >before.md
	tp-query --summary before.json -Q 'What should we try next?' >answer
	tp-compare --json before.json after.json >compare.json
	SOURCE_DATE_EPOCH=0 tp-track --json --label try-3 --history h.jsonl \
	    before.json after.json >track.json
	tp-history h.jsonl >history
	SOURCE_DATE_EPOCH=0 tp-report --bundle -o bundle --history h.jsonl \
	    --label try-3 --download-root profiles lab/llm/before \
	    lab/llm/run-after-profiler:v0 >manifest
	tp-publish -s bundle/after.summary.json -r bundle/after.report.md \
	    --alias latest >published
	tp-fetch --type profile_summary --download-root results \
	    lab/llm/after >fetched
	unset TP_STORE
	cd ..
}

@test "artifacts: the recipe from fetch to publish, twice, gives the same bytes" {
	workflow one
	workflow two
	diff -r one two
	[ "$(cat one/published)" = lab/llm/profile-summary-after:v0 ]
	cmp one/bundle/after.summary.json \
	    "one/$(cat one/fetched)/summary.json"
	[ "$(wc -l <one/h.jsonl)" -eq 2 ]
	# by hand and in the bundle it is one comparison
	[ "$(uniq one/h.jsonl | wc -l)" -eq 1 ]
	cmp one/compare.json one/bundle/compare.json
	cmp one/track.json one/bundle/track.json
	tp-manifest --check one/bundle/manifest.json --except manifest.json \
	    one/bundle
	cmp one/manifest one/bundle/manifest.json
	jq -e '.status == "pass" and .label == "try-3" and
	    (.verdict | startswith("**"))' one/manifest
	# of which run and artifact, and how that was read, stands in it
	jq -e '.run_metadata == {artifact_name: "run-after-profiler:v0",
	    artifact_ref: "lab/llm/run-after-profiler:v0", run_id: "after",
	    run_path: "lab/llm/after", git_sha: "abc123", config_hash: null,
	    hardware_type: null, mesh_or_topology: null, num_devices: null,
	    num_hosts: null}' one/after.json
	jq -e '.source_path | startswith("plugins/profile/")' one/after.json
	jq -e '.provenance.options.warmup == 5 and .run_id == "after" and
	    (.provenance.trace_sha256 | length) == 64' \
	    "one/$(cat one/fetched)/artifact.json"
	grep -q 'artifact lab/llm/run-after-profiler:v0' \
	    one/bundle/after.report.md
	grep -q '| trace | `before:v0` | `after:v0` |' one/bundle/comparison.md
	! grep -n -E 'tp-[a-z]' one/bundle/*.md
}

@test "tp-fetch: a run by its id, path or URL, and an artifact, are one folder" {
	want=root/lab/llm/run-before-profiler/v0
	[ "$(fetch lab/llm/before)" = $want ]
	[ "$(fetch lab/llm/runs/before)" = $want ]
	[ "$(fetch --entity lab --project llm --run-target before)" = $want ]
	[ "$(WANDB_ENTITY=lab WANDB_PROJECT=llm fetch before)" = $want ]
	[ "$(fetch 'https://me:key@wandb.ai/lab/llm/runs/before/files?nw=1#x')" \
	    = $want ]
	[ "$(fetch --artifact lab/llm/run-before-profiler:v0)" = $want ]
	[ "$(fetch lab/llm/run-before-profiler:latest)" = $want ]
	[ "$(fetch --alias v0 lab/llm/before)" = $want ]
	[ "$(TP_STORE=file://$STORE tp-fetch --download-root root \
	    lab/llm/before)" = $want ]
	ln -s "$STORE" 's t'
	[ "$(tp-fetch --store "file://localhost$PWD/s%20t" \
	    --download-root root lab/llm/before)" = $want ]
	[ "$(tp-fetch --store "$STORE" lab/llm/before)" = \
	    "$PWD/cache/tracepipe/lab/llm/run-before-profiler/v0" ]
	diff -r -x artifact.json "$B" $want
	[ -z "$(find root -name '.part*')" ]
}

@test "tp-fetch: what is there and whole is kept, what was changed is fetched again" {
	f=$(fetch lab/llm/before)
	touch -d 2000-01-01 "$f"
	fetch lab/llm/before
	[ "$(date -r "$f" +%Y)" -eq 2000 ]
	echo x >>"$f"/plugins/profile/*/host.trace.json
	fetch lab/llm/before
	diff -r -x artifact.json "$B" "$f"
	[ -z "$(find root -name '.part*')" ]
}

@test "tp-fetch: what is not there is named, with what there is: 4" {
	run -4 fetch lab/llm/nobody
	[[ $output = *"has no 'run-nobody-profiler' in lab/llm; it has run-after-profiler, run-before-profiler"* ]]
	run -4 fetch lab/other/before
	run -4 fetch --alias best lab/llm/before
	[[ $output = *"'run-before-profiler' has no version with the alias 'best'"* ]]
	run -4 fetch lab/llm/run-before-profiler:v7
	[[ $output = *"has no version v7"* ]]
	run -4 tp-fetch --store none lab/llm/before
	[[ $output = *"there is no store 'none'"* ]]
	run -4 tp-summary --store "$STORE" --run-target lab/llm/nobody
	run -4 tp-report --store "$STORE" --run-target lab/llm/nobody
	run -4 tp-report --bundle -o out --store "$STORE" lab/llm/nobody "$A"
	[[ $output = *"'lab/llm/nobody': it was taken as the name of a run"* ]]
	[ ! -e out ]
}

@test "tp-fetch: usage" {
	run -2 tp-fetch
	run -2 fetch before
	[[ $output = *'--entity and --project'* ]]
	run -2 fetch a b
	run -2 fetch --run-target lab/llm/before --artifact lab/llm/x:v0
	run -2 fetch --alias v0 lab/llm/run-before-profiler:v0
	run -2 fetch --type other lab/llm/before
	run -2 fetch lab/before
	run -2 tp-fetch --store ftp://x lab/llm/before
	run -2 tp-fetch --store file://host/x lab/llm/before
	run -2 fetch https://wandb.ai/lab/llm
	run -2 tp-summary --run-target lab/llm/before "$B"
	run -2 tp-report --run-target lab/llm/before "$B"
	run -2 tp-report --history h "$B"
	run -2 tp-report --bundle "$B" "$A"
	[[ $output = *'-o DIR'* ]]
	run -2 tp-report --bundle -o out "$B"
	run -2 tp-report --bundle --compare -o out "$B" "$A"
	[ ! -e out ]
}

@test "tp-fetch: a version that is half written, damaged or holds links: 3, and nothing is kept" {
	cp -R "$STORE" s
	v=s/lab/llm/run-before-profiler
	mkdir $v/v1
	cp -R "$B/plugins" $v/v1/
	run -3 tp-fetch --store s --download-root root --alias v1 lab/llm/before
	[[ $output = *'v1 of '*'is half written: it has no'* ]]
	echo v1 >$v/aliases/latest
	run -3 tp-fetch --store s --download-root root lab/llm/before
	echo '../../x' >$v/aliases/latest
	run -3 tp-fetch --store s --download-root root lab/llm/before
	[[ $output = *"the alias 'latest' names no version"* ]]
	: >$v/aliases/latest
	run -3 tp-fetch --store s --download-root root lab/llm/before
	cp -R $v/v0 $v/v2
	echo x >$v/v2/extra
	run -3 tp-fetch --store s --download-root root --alias v2 lab/llm/before
	[[ $output = *"'extra' is not in the manifest"* ]]
	rm $v/v2/extra
	f=$(echo $v/v2/plugins/profile/*/host.trace.json)
	mv "$f" there && ln -s "$PWD/there" "$f"
	run -3 tp-fetch --store s --download-root root --alias v2 lab/llm/before
	[[ $output = *'is neither a file nor a folder'* ]]
	rm "$f"
	run -3 tp-fetch --store s --download-root root --alias v2 lab/llm/before
	[[ $output = *'is missing'* ]]
	echo '{' >$v/v0/artifact.json
	run -3 tp-fetch --store s --download-root root --alias v0 lab/llm/before
	[ -z "$(find root -type f)" ]
	[ -z "$(find root -name '.part*')" ]
}

@test "artifacts: names are data: with quotes, blanks and \$( ) they work, or are refused" {
	n='a $(touch x) `touch y` "q" '"'s'"' ; touch z'
	mkdir "$n"
	tp-publish --store "$n" --entity "$n" --project "$n" --name "$n" \
	    --capture "$B" --alias "$n"
	d=$(tp-fetch --store "$n" --download-root "r $n" \
	    --artifact "$n/$n/$n:$n")
	[ "$d" = "r $n/$n/$n/$n/v0" ]
	tp-report --bundle -o "o $n" --store "$n" --download-root "r $n" \
	    --label "$n" --history "h $n" "$n/$n/$n:$n" "$A" >/dev/null
	jq -e --arg n "$n" '.label == $n' "o $n/manifest.json"
	cp "$BATS_FILE_TMPDIR/after.json" "s $n"
	tp-publish --dry-run -s "s $n" -r "s $n" | jq -e --arg n "s $n" \
	    '.summary_path == $n'
	for bad in ../x . .. .x -x 'a\b' "$(printf 'a\nb')" \
	    "$(printf 'a\033b')" 'a:b'; do
		run -2 tp-fetch --store "$n" --download-root root --entity e \
		    --project p --alias "$bad" r
		run -2 tp-publish --store "$n" --entity e --project p \
		    --name "$bad" --capture "$B"
		run -2 tp-publish --store "$n" --entity "$bad" --project p \
		    --name x --capture "$B"
		run -2 tp-publish --store "$n" --entity e --project p \
		    --name x --alias "$bad" --capture "$B"
	done
	run -2 fetch 'https://wandb.ai/lab/llm/runs/%2e%2e'
	run -2 fetch 'https://wandb.ai/lab/llm/runs/a%2fb'
	run -2 fetch 'https://wandb.ai/%00/%0a/runs/a'
	run -2 fetch lab/llm/../before
	run -2 fetch --entity e --project p --run-target ''
	# nothing was executed, nothing stands where it should not
	[ ! -e x ] && [ ! -e y ] && [ ! -e z ] && [ ! -e root ]
	[ "$(ls -A | wc -l)" -eq 5 ] || fail "$(ls -A)"
}

@test "artifacts: no value of an option is run, or reaches the terminal as it is" {
	local each_of=6
	s=$BATS_FILE_TMPDIR/before
	canary
	cp -R "$STORE" store
	for opt in $(valued tp-fetch) ''; do
		set -- lab/llm/before
		case $opt in
		'' | run-target | artifact) set -- ;;
		esac
		harmless tp-fetch "$opt" --store store --download-root root "$@"
	done
	for opt in $(valued tp-publish); do
		set -- -s $s.json -r $s.md
		case $opt in
		capture | meta) set -- --capture "$B" ;;
		esac
		harmless tp-publish "$opt" --store store --entity e \
		    --project p --name n "$@"
	done
	for opt in summary report name; do
		harmless tp-publish "$opt" --dry-run -s $s.json -r $s.md
	done
	holds store/e/p/n
}

@test "artifacts: no text of a summary, an alias or a manifest is run or reaches the terminal" {
	s=$BATS_FILE_TMPDIR/before
	canary
	mkdir -p st/e/p/n/v0 st/e/p/n/aliases
	n=0
	for v in "${HOSTILE[@]}"; do
		n=$((n + 1))
		turn $n 4 $BATS_TEST_NUMBER || continue
		jq --arg v "$v" '.run_metadata.run_id = $v |
		    .run_metadata.run_path = "a/b/" + $v' $s.json >s.json
		quietly tp-publish --store st -s s.json -r $s.md
		jq -n --arg v "$v" '{files: [{path: $v, bytes: 1,
		    sha256: $v}]}' >st/e/p/n/v0/artifact.json
		quietly tp-fetch --store st --download-root root e/p/n:v0
		printf '%s' "$v" >st/e/p/n/aliases/latest
		quietly tp-fetch --store st --download-root root e/p/n:latest
		# as the name of a file that is published, or copied
		case $v in
		'' | .. | */* | *xxx*) continue ;;
		esac
		rm -rf capture
		cp -R "$B" capture
		: >"capture/$v"
		quietly tp-publish --store st --entity e --project p --name f \
		    --capture capture
		ln -s x "capture/l$v"
		quietly tp-publish --store st --entity e --project p --name f \
		    --capture capture
	done
	holds st/e/p/f
}

@test "tp-publish: of eight at once none is lost, and latest is the last of them" {
	s=$BATS_FILE_TMPDIR/before
	mkdir st
	for i in 1 2 3 4 5 6 7 8; do
		tp-publish --store st --entity e --project p --name n \
		    -s $s.json -r $s.md --alias "a$i" --alias latest \
		    >out.$i 3>&- &
	done
	wait
	[ "$(cat out.* | sort -u | wc -l)" -eq 8 ]
	[ "$(cat st/e/p/n/aliases/latest)" = v7 ]
	for i in 1 2 3 4 5 6 7 8; do
		d=$(tp-fetch --store st --download-root root "e/p/n:a$i")
		[ "e/p/n:$(basename "$d")" = "$(cat out.$i)" ]
		cmp "$d/summary.json" $s.json
	done
	[ "$(ls -A st/e/p/n | wc -l)" -eq 9 ]
}

# publish WORD...: a version of e/p/n into st
publish() {
	tp-publish --store st --entity e --project p --name n \
	    -s "$BATS_FILE_TMPDIR/before.json" \
	    -r "$BATS_FILE_TMPDIR/before.md" "$@"
}

# What is in the store has its number, is whole, and is what is pointed to.
holds() {	# FOLDER
	local v a
	for v in "$1"/v*; do
		[ ! -e "$v" ] || tp-manifest --except artifact.json \
		    --check "$v/artifact.json" "$v" || return
		[ ! -e "$v" ] || jq -e --arg n "${1##*/}:${v##*/}" \
		    '.artifact_name == $n' "$v/artifact.json" >/dev/null ||
			return
	done
	for a in "$1"/aliases/*; do
		[ ! -e "$a" ] || [ -e "$1/$(cat "$a")/artifact.json" ] ||
			fail "$a leads nowhere" || return
	done
}

@test "tp-publish: what died before is passed over" {
	mkdir -p st/e/p/n/v3/half st/e/p/n/v08 st/e/p/n/.part.other.x/v4 \
	    st/e/p/n/.lock "st/e/p/n/.part.$(uname -n | tr -c 'A-Za-z0-9\n-' _).x/v4" \
	    st/e/p/n/aliases
	echo half >st/e/p/n/aliases/.latest.abc
	echo v9 >st/e/p/n/aliases/latest
	run -0 publish --alias best --alias latest
	[ "$output" = e/p/n:v4 ]
	[ "$(cat st/e/p/n/aliases/best)" = v4 ]
	# latest never moves back to an older one
	[ "$(cat st/e/p/n/aliases/latest)" = v9 ]
	# who works on another machine is left alone
	[ "$(ls -A st/e/p/n | tr '\n' ' ')" = \
	    '.lock .part.other.x aliases v08 v3 v4 ' ]
	[ "$(ls -A st/e/p/n/aliases | tr '\n' ' ')" = 'best latest ' ]
}

@test "tp-publish: it waits for who is at work there and says so, until that one is dead" {
	mkdir -p st/e/p/n
	bash -c 'exec 9<st/e/p/n && tp-put --as holder --lock 9 &&
	    : >held && exec sleep 60' 3>&- &
	holder=$!
	until [ -e held ]; do sleep 0.1; done
	publish >out 2>err 3>&- &
	for i in $(seq 100); do
		! grep -q '^tp-publish: waiting for .*st/e/p/n' err || break
		sleep 0.1
	done
	[ "$i" -lt 100 ]
	[ "$(ls -A st/e/p/n)" = '' ]
	kill -9 $holder
	wait $!
	[ "$(cat out)" = e/p/n:v0 ]
	[ "$(wc -l <err)" -eq 1 ]
}

@test "tp-publish: killed at any moment, the next one goes on, and nothing stays behind" {
	s=$BATS_FILE_TMPDIR/before
	before() {
		:
	}
	after() {
		[ $(($1 % 5)) -ne 0 ] || holds st/e/p/n
	}
	mkdir st
	killed 30 tp-publish --store st --entity e --project p --name n \
	    -s $s.json -r $s.md
	publish --alias latest --alias best >out
	holds st/e/p/n
	last=$(sed 's/.*://' out)
	[ "$(cat st/e/p/n/aliases/latest)" = $last ]
	[ "$(cat st/e/p/n/aliases/best)" = $last ]
	# no number is missing; some got so far, others did not
	n=$(ls -d st/e/p/n/v* | wc -l)
	[ $last = v$((n - 1)) ]
	[ "$n" -gt 2 ] && [ "$n" -lt 32 ] || fail "$n versions"
	[ -z "$(find st -name '.*')" ] || fail "$(find st -name '.*')"
}

@test "tp-fetch: killed at any moment, it can be run again, and nothing stays behind" {
	d=root/lab/llm/run-before-profiler
	before() {
		case $(($1 % 3)) in
		0) rm -rf $d/v0 ;;
		1) [ ! -d $d/v0 ] || : >$d/v0/extra ;;
		esac
	}
	after() {
		[ ! -e $d/v0 ] || [ -e $d/v0/extra ] ||
			diff -r "$STORE/lab/llm/run-before-profiler/v0" $d/v0
	}
	killed 30 tp-fetch --store "$STORE" --download-root root lab/llm/before
	rm -rf $d/v0
	[ "$(fetch lab/llm/before)" = $d/v0 ]
	diff -r "$STORE/lab/llm/run-before-profiler/v0" $d/v0
	[ "$(ls -A $d)" = v0 ]
}

@test "tp-fetch: of two and of eight at once all print the folder, and it is whole" {
	for n in 2 8; do
		rm -rf root
		for i in $(seq $n); do
			fetch lab/llm/before >out.$i 2>err.$i 3>&- &
		done
		wait
		for i in $(seq $n); do
			[ "$(cat out.$i)" = \
			    root/lab/llm/run-before-profiler/v0 ] ||
				fail "$(cat err.$i)"
			grep -v '^tp-fetch: waiting for ' err.$i &&
				fail "$(cat err.$i)"
		done
		diff -r "$STORE/lab/llm" root/lab/llm -x aliases \
		    -x run-after-profiler
		[ "$(ls -A root/lab/llm/run-before-profiler)" = v0 ]
	done
}

@test "tp-fetch: what changes or vanishes while it is copied is told: 3" {
	mkdir bin
	export REAL=$(command -v cp) PATH=$PWD/bin:$PATH
	cp -R "$STORE" s
	for how in 'rm -rf "$2"' 'rm "$2/artifact.json"' \
	    'rm -r "$2/plugins"' 'echo x | tee -a "$2"/plugins/profile/*/*.json'; do
		rm -rf s root
		"$REAL" -R "$STORE" s
		printf '#!/bin/sh\n%s\nexec "$REAL" "$@"\n' "$how" >bin/cp
		chmod +x bin/cp
		run -3 tp-fetch --store s --download-root root lab/llm/before
		[[ $output = *"differs from its artifact.json: publish it again" ]]
		[ -z "$(find root -type f)" ]
		[ -z "$(find root -name '.part*')" ]
	done
}

# odd KIND PATH: PATH is that now; what it was is in aside
odd() {
	rm -rf aside
	[ ! -e "$2" ] || mv "$2" aside
	case $1 in
	link) ln -s "$PWD/aside" "$2" ;;
	dangling) ln -s "$PWD/nowhere" "$2" ;;
	FIFO) mkfifo "$2" ;;
	socket)
		perl -MSocket -e 'chdir $ARGV[0] or die;
		    socket(S, PF_UNIX, SOCK_STREAM, 0) or die;
		    bind(S, sockaddr_un($ARGV[1])) or die' \
		    "$(dirname "$2")" "$(basename "$2")"
		;;
	esac
}

# Of each kind in the place of PATH, or of every second in turn, COMMAND is
# refused at once, and nothing is changed.
places=0
refused() {	# PATH COMMAND...
	local path=$1 kind kinds='link dangling FIFO' n=0
	shift
	places=$((places + 1))
	! command -v perl >/dev/null || kinds="$kinds socket"
	for kind in $kinds; do
		n=$((n + 1))
		turn $n 1 $((places / 2)) || continue
		rm -rf st root
		cp -RPp kept st
		cp -RPp kept-root root
		odd $kind "$path"
		[ -e aside ] || mkdir aside
		ls -lRA st root aside >before.ls
		run -3 timeout 20 "$@"
		[[ $output = *": '$path"*' '*'links and special files'* ]] ||
			[[ $output = *"'$path' is neither a file nor a folder"* ]] ||
			fail "$kind at $path: $output"
		ls -lRA st root aside | diff before.ls - ||
			fail "$kind at $path"
		[ ! -e nowhere ]
	done
}

@test "artifacts: a link, a FIFO or a socket in a store or where it is fetched to is refused at once" {
	cp -RPp "$STORE" st
	mv st/lab st/e
	mv st/e/llm st/e/p
	mv st/e/p/run-before-profiler st/e/p/n
	rm -r st/e/p/run-after-profiler
	tp-fetch --store st --download-root root e/p/n:v0
	mv st kept
	mv root kept-root
	publish=(tp-publish --store st --entity e --project p --name n
	    --capture "$B")
	file=$(cd kept && find e/p/n/v0 -name '*.json' ! -name artifact.json)
	for at in e e/p e/p/n e/p/n/aliases e/p/n/aliases/latest e/p/n/v0; do
		refused st/$at "${publish[@]}"
		refused st/$at tp-fetch --store st --download-root root \
		    e/p/n:latest
	done
	for at in e/p/n/v0/artifact.json "$file"; do
		rm -rf kept-root
		mkdir kept-root
		refused "st/$at" tp-fetch --store st --download-root root \
		    e/p/n:latest
	done
	refused st/e/p/n/v7 "${publish[@]}"
	tp-fetch --store kept --download-root kept-root e/p/n:v0
	for at in e e/p e/p/n e/p/n/v0; do
		refused root/$at tp-fetch --store st --download-root root \
		    e/p/n:latest
	done
	# what is odd in a version that was fetched is replaced, not followed
	for at in artifact.json plugins extra; do
		for kind in link FIFO; do
			rm -rf root
			cp -RPp kept-root root
			odd $kind root/e/p/n/v0/$at
			[ ! -e aside ] || cp -RPp aside aside.was
			run -0 timeout 20 tp-fetch --store st \
			    --download-root root e/p/n:v0
			diff -r kept/e/p/n/v0 root/e/p/n/v0
			[ ! -e aside ] || diff -r aside aside.was
			rm -rf aside.was
		done
	done
	# the store itself may be behind a link, and so may what is published
	ln -s kept 's t'
	tp-fetch --store 's t' --download-root r2 e/p/n:latest
	ln -s "$BATS_FILE_TMPDIR/before.json" s.json
	ln -s "$B" b
	tp-publish --store 's t' --entity e --project p --name n --capture b
	cp -RPp b/. odd
	mkfifo odd/x.trace.json
	run -3 timeout 20 tp-publish --store 's t' --entity e --project p \
	    --name n --capture odd
	[[ $output = *"'odd/x.trace.json' is neither a file nor a folder; remove it" ]]
	[ ! -e kept/e/p/n/v2 ]
}

@test "artifacts: a full and a read-only disk are told, and leave nothing half done" {
	mkdir disk
	mount -t tmpfs -o size=300k none disk 2>/dev/null || skip 'no mount'
	mkdir disk/st
	ln -s disk/st st
	publish
	# too large
	run -4 tp-publish --store st --entity e --project p --name n \
	    --capture "$B"
	[[ $output = *'No space left on device'* ]]
	run -4 tp-fetch --store "$STORE" --download-root disk/root \
	    lab/llm/before
	[[ $output = *'No space left on device'* ]]
	[ -z "$(find disk -name '.*')" ]
	[ -z "$(find disk/root -type f)" ]
	# not a byte is left
	cat /dev/zero >disk/zero 2>/dev/null || :
	run -4 publish
	[[ $output = *'No space left on device'* ]]
	run -4 publish --alias other
	holds st/e/p/n
	[ "$(ls -A st/e/p/n | tr '\n' ' ')" = 'aliases v0 ' ]
	rm disk/zero
	[ "$(publish)" = e/p/n:v1 ]
	holds st/e/p/n
	mount -o remount,ro disk
	run -4 publish
	[[ $output = *'Read-only file system'* ]]
	run -4 tp-fetch --store "$STORE" --download-root disk/root \
	    lab/llm/before
	# it can be read from
	tp-fetch --store st --download-root root e/p/n:latest
	tp-fetch --store st --download-root root e/p/n:v0
	[ "$(tp-fetch --store root --download-root st e/p/n:v0)" = st/e/p/n/v0 ] ||
		[ "$(tp-fetch --store st --download-root st e/p/n:v0)" = \
		    st/e/p/n/v0 ]
}

@test "tp-publish: --dry-run prints the metadata that readers know, and publishes nothing" {
	s=$BATS_FILE_TMPDIR/before
	tp-publish --dry-run -s $s.json -r $s.md --entity lab --project llm \
	    --store "$PWD" >out.json
	[ "$(ls -A)" = out.json ]
	[ "$(jq -r .artifact_name out.json)" = \
	    profile-summary-20260115-110000 ]
	[ "$(jq '.metadata | length' out.json)" -eq 21 ]
	[ -e "$REFERENCE" ] || skip 'no reference'
	keys='[paths(type != "object")] | map(map(strings) | join("."))'
	diff <(jq "$keys | unique" "$REFERENCE") <(jq "$keys | unique" out.json)
	# the same document gives the same values
	f=$(dirname "$REFERENCE")/$(jq -r .summary_path "$REFERENCE")
	diff <(jq -S .metadata "$REFERENCE") <(tp-publish --dry-run -s "$f" \
	    -r $s.md | jq -S .metadata)
}

@test "tp-publish: usage, and what is no summary" {
	s=$BATS_FILE_TMPDIR/before
	run -2 tp-publish
	run -2 tp-publish --store . -s $s.json
	run -2 tp-publish --store . -s $s.json -r $s.md
	[[ $output = *'an entity (--entity)'* ]]
	run -2 tp-publish --store . -s $s.json -r $s.md --alias v3
	run -2 tp-publish --store . -s $s.json -r $s.md --meta git_sha=x
	run -2 tp-publish --store . --capture "$B"
	run -2 tp-publish --store . --capture "$B" --name n --meta x=y
	run -2 tp-publish --store . operand
	run -4 tp-publish --store . -s none -r $s.md
	run -4 tp-publish --store none --entity e --project p -s $s.json \
	    -r $s.md
	run -3 tp-publish --store . --entity e --project p -s $s.md -r $s.md
	[[ $output = *'is not a profile_summary.v1 document'* ]]
	[ -z "$(ls -A)" ]
	mkdir store linked
	ln -s /etc/passwd linked/host.trace.json
	run -3 tp-publish --store store --entity e --project p --name n \
	    --capture linked
	[[ $output = *'is neither a file nor a folder'* ]]
	[ -z "$(find store -type f)" ] && [ ! -e store/e/p/n ]
	mkdir files
	run -3 tp-publish --store store --entity e --project p --name n \
	    --capture files
	[[ $output = *"'files' holds no capture"* ]]
}

@test "wandb: fetched by its own words, once where the version is fixed" {
	stub
	cp -R "$B" served
	d=$(tp-fetch --download-root root lab/llm/r1)
	[ "$d" = root/lab/llm/run-r1-profiler/latest ]
	diff -r -x artifact.json "$B" "$d"
	grep -q '^<artifact><get><lab/llm/run-r1-profiler:latest><--root><root/lab/llm/run-r1-profiler/.part.[^/]*/latest><--type><jax_profile>$' words
	tp-fetch --download-root root lab/llm/r1
	tp-fetch --download-root root lab/llm/r1 --alias v2
	tp-fetch --download-root root lab/llm/r1 --alias v2
	[ "$(wc -l <words)" -eq 3 ]
	# two at once: one downloads it
	tp-fetch --download-root root lab/llm/r1 --alias v3 >one 3>&- &
	tp-fetch --download-root root lab/llm/r1 --alias v3 >two 2>/dev/null
	wait $!
	cmp one two
	[ "$(wc -l <words)" -eq 4 ]
	tp-summary -q --run-target lab/llm/r1 --alias v2 --download-root root |
	    jq -e '.run_metadata.artifact_ref == "lab/llm/run-r1-profiler:v2"
	    and .run_metadata.run_path == "lab/llm/r1"'
	tp-fetch --download-root root --artifact 'lab/llm/a $(touch x) b:v0'
	tail -n 1 words | grep -q -F '<lab/llm/a $(touch x) b:v0>'
	[ ! -e x ]
	rm -r served/*
	run -3 tp-fetch --download-root root lab/llm/r2
	[[ $output = *'contains no file'* ]]
}

@test "wandb: published by its own words, with the metadata in a file" {
	stub
	s=$BATS_FILE_TMPDIR/before
	run -0 tp-publish --entity lab --project llm -s $s.json -r $s.md \
	    --alias latest --alias best
	[ "$output" = lab/llm/profile-summary-20260115-110000:latest ]
	grep -q '^<artifact><put><--name><lab/llm/profile-summary-20260115-110000><--type><profile_summary><--alias><latest><--alias><best><.*/files>$' words
	[ "$(ls served.got | tr '\n' ' ')" = 'artifact.json report.md summary.json ' ]
	tp-manifest --except artifact.json --check served.got/artifact.json \
	    served.got
	jq -e '(.metadata | length) == 21' served.got/artifact.json
	# what was published so can be fetched
	mv served.got served
	tp-fetch --download-root root lab/llm/profile-summary-x:latest
}

@test "wandb: a failure is told in its last words, without the key" {
	stub
	export WANDB_API_KEY=sesame0123456789
	printf 'first\nno permission for sesame0123456789 \033[31mhere\n' \
	    >served.fails
	run -4 tp-fetch --download-root root lab/llm/r1
	[[ $output = *"cannot fetch 'lab/llm/run-r1-profiler:latest': no permission for *** [31mhere" ]]
	s=$BATS_FILE_TMPDIR/before
	run -4 tp-publish --entity lab --project llm -s $s.json -r $s.md
	[[ $output = *'cannot publish '*'*** [31mhere' ]]
	# who is in a URL goes nowhere, and a key never to another server
	run -2 tp-fetch https://me:sesame@evil.example/lab/llm/runs/r1
	[[ $output = *"on 'evil.example', which is not the server"* ]]
	[[ $output != *sesame* ]]
	rm served.fails
	cp -R "$B" served
	WANDB_BASE_URL=https://my.example/ tp-fetch --download-root root \
	    https://me:sesame@my.example/lab/llm/runs/r1
	! grep -r sesame words root
}

@test "wandb: where it is not installed, 4 with what to install" {
	! command -v wandb || skip 'wandb is installed'
	s=$BATS_FILE_TMPDIR/before
	run -4 tp-fetch lab/llm/r1
	[[ $output = *'pip install wandb'*'--store'* ]]
	run -4 tp-publish --entity e --project p -s $s.json -r $s.md
	[[ $output = *'pip install wandb'* ]]
	run -4 tp-summary --run-target lab/llm/r1
	[[ $output = *'pip install wandb'* ]]
}

@test "tp-manifest: a full disk, a file to write to, and how it is called" {
	mkdir d && echo x >d/f
	tp-manifest d >want
	tp-manifest -o out d/
	cmp want out
	if [ -e /dev/full ]; then
		run sh -c 'tp-manifest d 2>&1 >/dev/full'
		[ "$status" -eq 4 ]
	fi
	run -2 tp-manifest
	[[ $output = *'for example: '* ]]
	run -2 tp-manifest d d
	run -2 tp-manifest --check want
	run -2 tp-manifest --check want --summary want d
	run -2 tp-manifest --provenance d
	run -4 tp-manifest none
	run -4 tp-manifest --check none d
}

@test "tp-report: a run by its name is reported on as its folder is" {
	tp-report --store "$STORE" --download-root root \
	    --run-target lab/llm/before >one.md
	tp-report --store "$STORE" --download-root root \
	    https://wandb.ai/lab/llm/runs/before | cmp - one.md
	tp-report root/lab/llm/run-before-profiler/v0 | cmp - one.md
	grep -q 'artifact lab/llm/run-before-profiler:v0' one.md
}

@test "bundle: of captures, of summaries and of both, with and without an interval" {
	J=$BATS_FILE_TMPDIR
	tp-report --bundle -o c "$B" "$A" >c.json
	tp-report --bundle -o s "$J/before.json" "$J/after.json" >s.json
	gzip -c "$J/before.json" >b.gz
	tp-report --bundle -o m b.gz "$A" >m.json
	for d in c s m; do
		tp-manifest --except manifest.json --check $d/manifest.json $d
		[ "$(jq -r .status $d.json)" = pass ]
		jq -r '.files[].path' $d.json | sort >paths
		printf '%s\n' after.report.md after.summary.json \
		    before.report.md before.summary.json compare.json \
		    changes.svg comparison.md track.json verdict.md \
		    waterfall.svg >expected
		# two summaries hold no parts of a run to draw
		[ $d = s ] || printf '%s\n' compare.svg >>expected
		! tp-page --check || printf '%s\n' comparison.html >>expected
		sort expected | diff - paths
		[ "$(jq -r .verdict $d.json)" = "$(head -n 1 $d/verdict.md)" ]
	done
	[[ $(head -n 1 c/verdict.md) = *'95 % interval'* ]]
	# summaries keep the time of each step
	[[ $(head -n 1 s/verdict.md) = *'95 % interval'* ]]
	cmp s/before.summary.json "$J/before.json"
	cmp m/before.summary.json "$J/before.json"
	cmp <(tp-report "$A") c/after.report.md
}

@test "bundle: it says by how much throughput is better, or what took the time" {
	T=$DATA/jax/synth
	[ -d "$T" ] || skip 'no ../shared/data/jax/synth'
	fast=$T/tpu_100k.trace.json.gz slow=$T/tpu_100k_slow.trace.json.gz
	tp-report --bundle -o w $fast $slow >w.json
	tp-report --bundle -o b $slow $fast >b.json
	[ "$(jq -r .status w.json)" = fail ]
	[ "$(jq -r .verdict w.json)" = '**Worse: throughput 0.893x (95 % interval 0.859x to 0.929x).** step, start to start (median) 6.95 ms before, 7.78 ms after. Everything takes 1.12x as long: look at the clock, the device and the inputs, not at one operation.' ]
	# one slowdown is one limit
	grep -q '^- limits: exceeded (1 of 1)' w/verdict.md
	[ "$(grep -c '^- limit exceeded' w/verdict.md)" -eq 1 ]
	grep -q '^- limit exceeded: Median time from one step to the next' w/verdict.md
	# each kind took 1.12 times as long, so none is named
	run grep 'kind of operation' w/verdict.md
	[ "$status" -eq 1 ]
	grep -q '^- what limits the run after: Exposed collectives.*Evidence: ' w/verdict.md
	[ "$(jq -r .status b.json)" = pass ]
	[[ $(jq -r .verdict b.json) = '**Better: throughput 1.12x (95 % interval 1.08x to 1.16x).**'*'Everything takes 0.893x as long: '* ]]
}

@test "bundle: a failure leaves the bundle that was there, and nothing beside it" {
	tp-report --bundle -o out "$B" "$A" >/dev/null
	cp -R out kept
	run -3 tp-report --bundle -o out "$B" "$B"
	[[ $output = *'are one trace'* ]]
	mkdir empty
	run -3 tp-report --bundle -o out "$B" empty
	run -4 tp-report --bundle -o out "$B" none
	"$TP_BUILD/mktorch" torch >/dev/null
	run -3 tp-report --bundle -o out "$B" torch/rank0.json
	[[ $output = *"'torch/rank0.json' is no capture of JAX"* ]]
	diff -r kept out
	tp-report --bundle --allow-same -o same "$B" "$B" >/dev/null
	grep -q '^- both are one trace, compared with itself$' same/verdict.md
	# a cut capture is bundled, told, and 3
	head -c 300000 "$A"/plugins/profile/*/*.json >cut.trace.json
	run -3 --separate-stderr tp-report --bundle -o cut "$B" cut.trace.json
	tp-manifest --except manifest.json --check cut/manifest.json cut
	grep -q '^- data were lost: numbers may be too low$' cut/verdict.md
}

@test "examples/artifacts/run.sh goes from runs in a store to a published result" {
	MKJAX=$TP_BUILD/mkjax sh "$TP_ROOT/examples/artifacts/run.sh" \
	    "it's" >out
	grep -q -x lab/llm/run-candidate-profiler:v0 out
	grep -q -x lab/llm/profile-summary-candidate:v0 out
	grep -q '^\*\*.*: throughput .*\*\*' out
	tail -n +4 out | cmp - "it's/bundle/verdict.md"
}
