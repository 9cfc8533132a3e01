# Ranks for the recipes of examples/scale.  Names and label are what a shell
# must not read: whatever did would leave a file "read".

bats_require_minimum_version 1.5.0
TP_ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
: "${TP_BUILD:=$TP_ROOT/build}"
PATH=$TP_BUILD:$PATH
LC_ALL=C
export TP_ROOT TP_BUILD PATH LC_ALL
if [ ! -e "$TP_BUILD/../share/tables" ]; then
	export TP_SHARE=$TP_ROOT/share
fi
scale=$TP_ROOT/examples/scale
label='job "17" $(>read), `>read`'
folder=$'a \'b\' "c" $(>read) `>read` %s\\n;>read;&#*{}'

# one_process NAMES OUTPUT: what all of them have to give
one_process() {
	tp-trace -q --ranks --only @ranks --label "$label" --ok 3 \
	    --files-from "$1" | tp-ranks >"$2"
}

# 64 ranks in the folder of the file; lists of all, of all with one that ends
# early, and of all with one that is not there; what one process makes of them.
make_ranks() {
	local i all
	cd "$BATS_FILE_TMPDIR"
	"$TP_BUILD/mktorch" two >/dev/null
	mkdir "$folder"
	all=$(seq -s ', ' 0 63)
	for i in {0..63}; do
		sed "s/\"rank\": [01], \"world_size\": 2/\"rank\": $i, \"world_size\": 64/
		    s/\[0, 1\]/[$all]/; s/\"Group size\": 2/\"Group size\": 64/" \
		    two/rank$((i % 2)).json >"$folder/rank$i.json"
	done
	head -c 60000 "$folder/rank17.json" >"$folder/rank17-cut.json"
	printf '%s\n' "$folder"/rank?.json "$folder"/rank??.json >names
	sed 's/rank17/rank17-cut/' names >names.cut
	sed 's/rank17/rank17-missing/' names >names.missing
	one_process names whole
	! one_process names.cut whole.cut
	# a tp-trace that is content without rank 17
	mkdir lossy
	cat >lossy/tp-trace <<-'END'
	#!/bin/bash
	options=()
	while [ $# -gt 0 ]; do
		case $1 in
		--files-from) list=$2; shift ;;
		-o) options+=(-o "$2"); shift ;;
		*) options+=("$1") ;;
		esac
		shift
	done
	cat "$list" | grep -v rank17 |
	    "$TP_BUILD/tp-trace" "${options[@]}" --files-from -
	END
	chmod +x lossy/tp-trace
}

# here [NAME]: a folder for what a recipe leaves, whose name is like theirs
here() {
	mkdir "$BATS_TEST_TMPDIR/${1-$folder}"
	cd "$BATS_TEST_TMPDIR/${1-$folder}"
	ln -s "$BATS_FILE_TMPDIR"/{"$folder",whole,whole.cut,lossy} .
	cp "$BATS_FILE_TMPDIR"/names* .
}

fail() {
	echo "$*"
	return 1
}

# Each of these runs a recipe, which leaves "got": COMMAND NAMES
same_bytes() {
	run -0 "$1" names
	cmp got whole
}

goes_on() {
	run -3 "$1" names.cut
	cmp got whole.cut
	jq -e -s 'any(.[]; .kind == "note" and .status == 3 and
	    (.src == $ARGS.positional[0]))' got --args "$label"
}

tells_lost() {
	PATH=$PWD/lossy:$PATH
	run -3 "$1" names
	jq -e -s '[.[] | select(.code == "rank.missing") | [.status, .count]] ==
	    [[3, 1]]' got
}

fails_missing() {
	run "$1" names.missing
	[ "$status" -ne 0 ] && [ "$status" -ne 3 ]
	[ ! -e got ]
}

# nothing that was data became a command
nothing_read() {
	[ -z "$(find "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" -name read)" ]
}
