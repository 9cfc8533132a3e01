#!/usr/bin/env bats
# What tp-redact leaves of secrets: nothing; and of numbers: all.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	# put together here, so that no scanner of repositories takes them for
	# what they look like
	A=abcdefghijklmnopqrstuvwxyz0123456789ABCDEF
	TOKENS=(
		"ghp_${A:0:36}" "gho_${A:1:36}" "github_pat_${A:2:36}"
		"hf_${A:0:34}" "sk-proj-${A:3:38}" "sk-ant-api03-${A:4:38}"
		"AKIA""IOSFODNN7EXAMPLE" "xoxb-${A:26:10}-${A:0:12}"
		"glpat-${A:5:20}" "npm_${A:0:36}" "AIza${A:0:35}"
		"eyJ${A:0:20}.eyJ${A:5:20}.${A:9:20}"
	)
	# what is left of them may not be in the output
	WORDS=("${TOKENS[@]}" wJalrXUtnFEMI hunter22 zipporah quagmire \
	    balthazar somnambule MIIEpAIBAAK 192.168.77.5 fe80::1ff:fe23 \
	    aa:bb:cc:dd:ee:01 "a question of mine" plover27 8f14e45fceea167a)
}

# Nothing of WORDS is in FILE.
clean() {
	for w in "${WORDS[@]}"; do
		! grep -aqF -- "$w" "$1" || fail "'$w' is left in $1"
	done
}

# The text of all secrets, for a place where '"' and '\' are escaped by SED.
all_text() {
	printf '%s ' "${TOKENS[@]}"
	printf '%s' "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfi " \
	    "https://zipporah:hunter22@example.com/x " \
	    "Authorization: Bearer plover27.aa /home/zipporah/x " \
	    "zipporah@quagmire-7.example.com quagmire-7 " \
	    "192.168.77.5 fe80::1ff:fe23:4567:890a aa:bb:cc:dd:ee:01 " \
	    "WANDB_API_KEY=8f14e45fceea167a5a36dedd4bea2543"
}

make_json() {
	printf '{"before": "zipporah, balthazar and quagmire-7",\n'
	printf '"text": "%s",\n' "$(all_text)"
	printf '"user": "balthazar", "hostname": "quagmire-7", '
	printf '"env": {"MINE": "somnambule", "RANK": "3"}, '
	printf '"environ": ["OTHER=somnambule", "RANK=3"], '
	printf '"prompt": "a question of mine", "argv": ["a question of mine"],'
	printf '"key": "-----BEGIN RSA PRIVATE KEY-----\\nMIIEpAIBAAK\\n-----END RSA PRIVATE KEY-----",\n'
	printf '"win": "C:\\\\Users\\\\zipporah\\\\x", "deep": "{\\"a\\": \\"\\\\\\/home\\\\\\/balthazar\\"}",\n'
	printf '"password": "hunter22", "n": [1.25, 1e9, 1767189312000123]}\n'
}

make_xml() {
	printf '<?xml version="1.0"?>\n<!-- zipporah -->\n<a user="balthazar" '
	printf 'hostname="quagmire-7" password="hunter22" n="1.25">\n'
	printf '<text>%s</text>\n' "$(all_text)"
	printf '<env><v name="MINE" value="somnambule"/></env>'
	printf '<p arguments="a question of mine" path="&#47;home&#x2f;zipporah"/>'
	printf '<k>-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAK\n-----END RSA PRIVATE KEY-----</k>'
	printf '<![CDATA[%s]]></a>\n' "$(all_text)"
}

make_csv() {
	printf 'start,user,hostname,text,password\n'
	printf '10,balthazar,quagmire-7,"%s",hunter22\n' "$(all_text)"
	printf '20,balthazar,quagmire-7,"HF_TOKEN=""%s"" zipporah",x\n' \
	    "${TOKENS[3]}"
	printf '30,balthazar,quagmire-7,zipporah balthazar,hunter22\n'
}

make_log() {
	printf 'zipporah says %s\nhostname=quagmire-7\n' "$(all_text)"
	printf -- '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAK\n-----END RSA PRIVATE KEY-----\n'
	printf 'password: hunter22x7\ncmd --api-key plover27\n'
}

make_all() {
	make_json >in.json
	make_xml >in.xml
	make_csv >in.csv
	make_log >in.log
}

@test "redact: nothing of a secret is left, in any format" {
	make_all
	for f in in.*; do
		run -0 --separate-stderr tp-redact -o "out.$f" "$f"
		clean "out.$f"
		printf '%s\n' "$stderr" >err
		clean err
	done
	jq -e '.n == [1.25, 1e9, 1767189312000123] and .env.RANK == "3" and
	    .user == (.before | split(", ")[1] | split(" ")[0])' out.in.json
	xmllint --noout out.in.xml 2>/dev/null || ! command -v xmllint
	[ "$(cut -d, -f1 <out.in.csv | tr '\n' ' ')" = 'start 10 20 30 ' ]
}

@test "redact: behind each escape a secret is found" {
	for t in "${TOKENS[@]}"; do
		# each character in turn as \uXXXX and as &#NN;
		for ((i = 0; i < 4; i++)); do
			c=$(printf '%d' "'${t:i:1}")
			printf '["%s\\u%04x%s"]\n' "${t:0:i}" "$c" "${t:i+1}"
		done >in.json
		for ((i = 0; i < 4; i++)); do
			c=$(printf '%d' "'${t:i:1}")
			printf '<a>%s&#%d;%s</a>' "${t:0:i}" "$c" "${t:i+1}"
		done >in.xml
		tp-redact -q in.json >out
		! grep -qF "${t:4}" out || fail "$(cat out)"
		[ "$(grep -c token-1 out)" -eq 4 ] || fail "$(cat out)"
		tp-redact -q in.xml >out
		! grep -qF "${t:4}" out || fail "$(cat out)"
	done
}

# bats test_tags=rest
@test "redact: where a block ends makes no difference" {
	make_all
	for f in in.json in.xml in.csv in.log; do
		# what was looked at first is one block
		case $f in
		*.json) { printf '{"p": ['; yes 12345678, | head -n 7400
		    printf '1],\n'; tail -c +2 $f; } >long ;;
		*.xml) { printf '<r>'; yes '<b>12345</b>' | head -n 5500
		    cat $f; } >long ;;
		*.csv) { head -n 1 $f; yes 1,a,b,c, | head -n 7000
		    tail -n +2 $f; } >long ;;
		*) { yes 'a word and none' | head -n 4500; cat $f; } >long ;;
		esac
		tp-redact -q long >want
		clean want
		for b in 1 2 3 5 7 11 13 64 97 1000; do
			TP_BLOCK=$b tp-redact -q long | cmp - want ||
			    fail "$f in blocks of $b"
		done
	done
	# each token at each place around the end of a block of 64 KiB
	for t in "${TOKENS[0]}" "${TOKENS[6]}" /home/zipporah/x; do
		for ((at = 0; at < ${#t} + 4; at++)); do
			{ head -c $((65536 - 2 - at)) /dev/zero | tr '\0' ' '
			    printf '["%s"]\n' "$t"; } |
			    TP_BLOCK=65536 tp-redact -q | tr -d ' ' >out
			! grep -qF "${t:4}" out || fail "$at: $(cat out)"
		done
	done
}

@test "redact: twice is once; input, file and gzip data are the same" {
	make_all
	for f in in.json in.xml in.csv in.log; do
		tp-redact -q $f >once
		run -0 --separate-stderr tp-redact -o twice once
		cmp once twice
		[ "$stderr" = 'tp-redact: nothing looks like a secret or a name' ] ||
		    fail "$stderr"
		tp-redact -q <$f | cmp - once
		cat $f | tp-redact -q | cmp - once
		gzip -k $f
		tp-redact -q $f.gz | cmp - once
		tp-redact -q - <$f.gz | cmp - once
	done
}

@test "redact: numbers of a trace stay, names do not" {
	"$TP_BUILD/mktorch" . >/dev/null
	trace=$(find . -name '*.json*' -size +8k | head -n 1)
	(gzip -dc "$trace" 2>/dev/null || cat "$trace") |
	    sed '1s/{/{"hostname": "quagmire-7", "username": "zipporah", "env": {"MINE": "somnambule"},/' >in.json
	tp-redact -q in.json >out.json
	clean out.json
	for t in tp-trace tp-timeline tp-ops tp-gaps; do
		$t -q -l x in.json >before
		$t -q -l x out.json >after
		[ -s before ]
		# the sizes and times of the files are theirs
		for f in before after; do
			jq -c 'del(.file_bytes, .path, .file, .bytes_read)' $f |
			    grep -v '"kind":"source"' >$f.cut
		done
		cmp before.cut after.cut || fail "$t differs"
	done
	make_example
	gpu=$(table xml metal_gpu_intervals)
	tp-redact -q "$gpu" >out.xml
	tp-gpu-intervals -q -l x "$gpu" | grep -v '"kind":"source"' >before
	tp-gpu-intervals -q -l x out.xml | grep -v '"kind":"source"' >after
	cmp before after
}

@test "redact: a file that ends early is redacted, and is status 3 when packed" {
	{ printf '{"username": "zipporah", "user": "balthazar", '
	    printf '"hostname": "quagmire-7",\n'; make_json | tail -c +2
	} >in.json
	for n in 10 100 300 500 700 900 1100 1300; do
		# what is cut in a token is no token
		head -c $n in.json >cut.json
		tp-redact -q cut.json >out
		clean out
	done
	# hard to pack, so that some of it is there
	{ make_json; head -c 300000 /dev/urandom | base64 |
	    sed 's/.*/"&"/'; } | gzip >in.json.gz
	head -c 200000 in.json.gz >cut.json.gz
	run -3 --separate-stderr tp-redact -o out cut.json.gz
	[ -s out ]
	clean out
	run -3 --separate-stderr sh -c 'tp-redact <cut.json.gz >out2'
	cmp out out2
}

@test "redact: what is no text is refused, and nothing is written" {
	printf 'ED00\0\0\0\0' >a.bin
	printf '\377\376h\0i\0' >c.txt
	printf '{"a": "/home/zipporah", "b": "\0"}' >d.json
	for f in a.bin c.txt d.json; do
		run -3 --separate-stderr tp-redact $f
		[ -z "$output" ] || fail "$f: $output"
		[[ $stderr = *'cannot be redacted'* ]] || fail "$f: $stderr"
		echo old >out
		run -3 tp-redact -o out $f
		[ "$(cat out)" = old ]
	done
}

# octal BYTE...
octal() {
	printf "$(printf '\\%03o' "$@")"
}

# field NUMBER TEXT: a field of a message, of less than 16384 bytes
field() {
	octal $(($1 << 3 | 2))
	if [ ${#2} -gt 127 ]; then
		octal $((${#2} & 127 | 128)) $((${#2} >> 7))
	else
		octal ${#2}
	fi
	printf %s "$2"
}

# A plane whose stat 1 is called NAME, with OWN stats
plane() {
	field 1 "$(field 2 "/host:CPU of zipporah")$(field 5 "$(printf '\010\001'
	    field 2 "$(field 2 "$1")")")$3$(field 6 "$(printf '\010\001'; printf %s "$2")")"
}

@test "redact: an xplane.pb keeps its structure, at every depth" {
	export LC_ALL=C
	one=$(field 5 quagmire-7)
	# a text in a message of another kind, with what shows that it is one
	hlo=$(printf '\010\001'; field 1 "$(printf '\010\001'; field 7 /home/zipporah/a.py)")
	kind=$(field 4 "$(printf '\010\001'; field 2 "$(field 2 "${TOKENS[0]}"; field 3 "$hlo")")")
	{ plane hostname "$one" "$kind"
	  plane note "$(field 5 "by zipporah")" ""
	  # a text that is written as bytes
	  plane password "$(field 6 balthazar)" ""
	  # bytes that are no message and no text: as many as before
	  plane blob "$(field 6 "$(printf '\377\001')/home/zipporah/b.py$(printf '\377')")" ""
	  # a value that is the name of another stat
	  plane password "$(printf '\070\002')" "$(field 5 "$(printf '\010\002'
	      field 2 "$(field 2 hunter22)")")"
	  field 4 quagmire-7
	  field 3 "slow: quagmire-7"; } >in.pb
	run -0 --separate-stderr tp-redact -o out.pb in.pb
	clean out.pb
	[[ $stderr = *"1 token in 1 place"*"1 user name"*"1 host name"* ]] ||
	    fail "$stderr"
	"$TP_BUILD/wire" <in.pb >in.txt
	"$TP_BUILD/wire" <out.pb >out.txt
	# the path is as many x
	sed -e "s/${TOKENS[0]}/token-1/" -e 's/quagmire-7/host-1/' \
	    -e 's/balthazar/secret-1/' -e 's/hunter22/secret-2/' -e 's/zipporah/user-1/' \
	    -e 's/ff012f.*/ff01'"$(printf '78%.0s' {1..19})"'ff/' in.txt |
	    diff -u - out.txt
	tp-redact -q out.pb | cmp - out.pb
	tp-redact -q <in.pb | cmp - out.pb
	run -0 tp-look in.pb
	[[ $output = *'"code":"secret.found"'*"a GitHub token"* ]] || fail "$output"
	[[ $output != *"line 0"* ]]
}

@test "redact: the numbers of a redacted capture are the same" {
	sed 's/fusion/zipporah-fusion/g; s#"m.py#"/home/zipporah/m.py#g' \
	    "$TP_BUILD/cases/tp-trace/jax-folded-stacks/in.json" >in.json
	grep -q zipporah in.json
	mkxplane in.json >in.pb
	mkdir a b
	mv in.pb a
	tp-redact -q -o b/in.pb a/in.pb
	clean b/in.pb
	for d in a b; do
		(cd $d && tp-trace in.pb |
		    jq -c 'del(.bytes)' | sed 's/user-1/zipporah/g') >$d.jsonl
	done
	diff a.jsonl b.jsonl
}

# bats test_tags=rest
@test "redact: an xplane.pb that is cut off or damaged keeps what can be read" {
	export LC_ALL=C
	{ plane hostname "$(field 5 quagmire-7)" ""; plane a "$(field 5 "of quagmire-7")" ""
	  field 4 zipporah; } >in.pb
	size=$(wc -c <in.pb)
	for ((n = 1; n < size; n++)); do
		head -c $n in.pb >cut.pb
		run --separate-stderr tp-redact -o out.pb cut.pb
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		[ "$status" -eq 3 ] || "$TP_BUILD/wire" <out.pb >out.txt
		! grep -aq quagmire-7 out.pb
	done
	{ cat in.pb; printf '\007rest of zipporah'; } >bad.pb
	run -3 --separate-stderr tp-redact -o out.pb bad.pb
	clean out.pb
	[[ $stderr = *"left out"* ]]
	mkxplane --repeat 9000 "$TP_BUILD/cases/tp-trace/jax-folded-stacks/in.json" >large.pb
	run -5 --separate-stderr tp-redact --max-line 1MiB large.pb
	[[ $stderr = *"a plane of more than 1 MiB"* ]]
	# all but the name of the host, which comes last
	tp-redact -q -o out.pb large.pb
	cmp -n 3600000 out.pb large.pb
}

# bats test_tags=rest
@test "redact: long lines, deep nesting and endless strings" {
	# one line of 100 MB, in memory that does not grow with it
	{ printf '{"username": "zipporah", "a": ['
	  yes '"zipporah was here",1,' | head -n 4500000 | tr -d '\n'
	  printf '0]}'; } >in.json
	(ulimit -v 200000 2>/dev/null; tp-redact -q in.json) | tail -c 40 >out
	clean out
	yes '[' | head -n 2000000 | tr -d '\n' >deep.json
	tp-redact -q deep.json | cmp - deep.json
	{ printf '["'; head -c 3000000 /dev/zero | tr '\0' a; printf '"]'; } >s.json
	run -5 --separate-stderr tp-redact --max-line 1MiB s.json
	tp-redact -q s.json | cmp - s.json
	yes '"' | head -n 300001 | tr -d '\n' | sed 's/^/[/' >q.json
	tp-redact -q q.json | cmp - q.json
	head -c 200000 /dev/zero | tr '\0' '\\' | sed 's/^/["/' >b.json
	tp-redact -q b.json | cmp - b.json
	yes '@=:/home/' | head -n 100000 | tr -d '\n' | sed 's/^/["/' >t.json
	tp-redact -q t.json >out
}

@test "redact: many names take no more than their time" {
	awk 'BEGIN { for (i = 0; i < 60000; i++)
	    printf "{\"username\": \"name%dx\", \"hostname\": \"h-%dy\"}\n",
	    i, i }' >in.json
	tp-redact -q in.json >out
	! grep -q 'name[0-9]*x\|h-[0-9]*y' out
	[ "$(sort -u out | wc -l)" -eq 60000 ]
}

@test "redact: tp-look and a report say that there is a secret, not which" {
	mkdir in
	printf '{"meta": {"HF_TOKEN": "%s"},\n"traceEvents": [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}\n' \
	    "${TOKENS[3]}" >in/t.json
	run -0 --separate-stderr tp-look in
	[[ $output = *'"code":"secret.found"'*'key HF_TOKEN'* ]] || fail "$output"
	[[ $stderr = *"'t.json' holds what looks like a secret (line 1, key HF_TOKEN): tp-redact replaces it"* ]] ||
	    fail "$stderr"
	printf '%s\n%s\n' "$output" "$stderr" >all
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" < <(printf '%s\n' "$output")
	clean all
	tp-redact -q in/t.json >t && mv t in/t.json
	run -0 --separate-stderr tp-look in
	[[ $output$stderr != *secret* ]] || fail "$output$stderr"
}

@test "look: five files with a secret are named, the others counted" {
	mkdir run
	for i in 1 2 3 4 5 6 7; do
		echo "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":$i,\"ts\":1,\"dur\":2,\"args\":{\"HF_TOKEN\":\"hf_$(printf '%026d' "$i")\"}}]}" >run/$i.json
	done
	run --separate-stderr tp-look run
	[ "$(grep -c "looks like a secret (line 1" <<<"$stderr")" -eq 5 ]
	grep -q "^tp-look: 'run' has 2 more files with what looks like a secret" <<<"$stderr"
	[[ $stderr != *hf_0* ]]
}
