# What the bats files share.  TP_BUILD is the build folder; the programs under
# test come first on PATH.

TP_ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
: "${TP_BUILD:=$TP_ROOT/build}"
PATH=$TP_BUILD:$PATH
LC_ALL=C
export TP_BUILD PATH LC_ALL
unset NO_COLOR TP_BLOCK TP_INFLATE TP_FAIL SOURCE_DATE_EPOCH
# rules of whoever runs the tests are none of theirs
export XDG_CONFIG_HOME=/nonexistent
unset TP_MAX_BYTES TP_MAX_LINE TP_MAX_DEPTH TP_MAX_EXPAND
if [ ! -e "$TP_BUILD/../share/tables" ]; then
	export TP_SHARE=$TP_ROOT/share
fi

# Names of all programs, without folder.
tools() {
	local f
	for f in "$TP_ROOT"/tools/tp-*; do
		f=${f##*/}
		echo "${f%.*}"
	done
	sed 's/ .*//' "$TP_ROOT/tools/links"
}

# Of all that are compiled, read a stream (tp-manifest reads folders) and write
# one (tp-put writes a file), but for what this build cannot do.
filters() {
	local f
	for f in "$TP_ROOT"/tools/tp-*.c; do
		f=${f##*/} f=${f%.c}
		[ "$f" != tp-put ] || continue
		[ "$f" != tp-xlsx ] || tp-xlsx --check || continue
		echo "$f"
	done
	sed 's/ .*//; /^tp-manifest$/d' "$TP_ROOT/tools/links"
}

# Fail with a message, which bats shows.
fail() {
	echo "$*"
	return 1
}

# The example trace, made once per file: as XML and as CSV.
make_example() {
	"$TP_BUILD/mkflux" "$BATS_FILE_TMPDIR/xml" >/dev/null &&
	    "$TP_BUILD/mkflux" --format csv "$BATS_FILE_TMPDIR/csv" >/dev/null
}

# table FORMAT NAME: file of a table of the example.
table() {
	echo "$BATS_FILE_TMPDIR/$1"/flux_example/*/*/flux_example_"$2.$1"
}

toc() {
	echo "$BATS_FILE_TMPDIR/$1"/flux_example/*/*/flux_example_toc.xml
}

# A small trace of GPU intervals on standard output.
small_gpu() {
	printf 'start,duration,channel-name,process,cmdbuffer-id\n'
	printf '0,100,Compute,python3.11 (7),1\n'
	printf '300,100,Compute,python3.11 (7),2\n'
}

# Records without what names their input.
plain() {
	grep -v -e '"kind":"source"' -e '"kind":"note"' | sed 's/"src":"[^"]*",//'
}

# skip_unless PROGRAM: skip where a program is not installed.
skip_unless() {
	command -v "$1" >/dev/null || skip "no $1"
}

# on_terminal COLUMNS COMMAND: run it on a pseudo-terminal of that width;
# "typed" then holds the output.
on_terminal() {
	skip_unless script
	skip_unless stty
	script -qec true /dev/null >/dev/null 2>&1 ||
	    skip "no pseudo-terminal"
	script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r' >typed
}

# Lines of "typed" that are wider than $1, each character one column.
wide_lines() {
	sed $'s/[\300-\377][\200-\277]*/./g' typed |
	    awk -v most="$1" 'length($0) > most'
}

# A report without its pictures, how to look into one, and the budget, which is
# a picture where the report is kept and a table where it is printed.
printed() {
	sed -e '/^!\[/{N;d;}' -e '/^To zoom in, /{N;d;}' \
	    -e '/ | if removed |$/,/^$/d' -e '/^If removed: /d' "$1" | cat -s
}

# same_with_san: skip what proves scripts, which are no other beside programs
# with sanitizers; "make check" has run it.
same_with_san() {
	[ -z "${SAN-}" ] || skip "the same with SAN"
}

# limited PROGRAM...: run with memory for no more than it should need, KIB.
# Under a sanitizer, which takes address space of its own, without that limit.
limited() {
	if nm "$(command -v "$1")" 2>/dev/null | grep -q __asan_init; then
		timeout 120 "$@"
	else
		(ulimit -v "${KIB:-600000}" && exec timeout 60 "$@")
	fi
}
