#!/bin/sh
# install.sh install|uninstall|header BUILD: what BUILD holds, to where it goes
#
# The environment says where: TO_PREFIX, TO_DESTDIR in front of all, and the
# folders that are not as usual below PREFIX, TO_BINDIR and so on.  TO_STRIP
# takes from programs what only debuggers read; empty, it stays.  "header" prints
# where share is, for C.
#
# SHAREDIR/.installed lists what install put there, the folders that it made
# too (with a "/" at the end): uninstall removes just that, and install what
# an older one put there and this one does not.
set -eu
umask 022
LC_ALL=C
export LC_ALL

# path NAME VALUE: VALUE as a path from the root
path() {
	case $2 in
	*'
'*) ;;
	'' | /*)
		printf '%s\n' "$2" | sed 's|//*|/|g; s|/$||'
		return
		;;
	esac
	echo "make install: $1 is no path from the root: '$2'" >&2
	return 2
}
prefix=$(path PREFIX "$TO_PREFIX") || exit
bin=$(path BINDIR "${TO_BINDIR:-$prefix/bin}") || exit
man=$(path MANDIR "${TO_MANDIR:-$prefix/share/man}") || exit
share=$(path SHAREDIR "${TO_SHAREDIR:-$prefix/share/tracepipe}") || exit
libexec=$(path LIBEXECDIR "${TO_LIBEXECDIR:-$prefix/libexec/tracepipe}") || exit
doc=$(path DOCDIR "${TO_DOCDIR:-$prefix/share/doc/tracepipe}") || exit
# where the shells look for completions
data=$prefix/share
strip=${TO_STRIP-}

if [ "$1" = header ]; then
	# a "?" may begin a trigraph
	printf '#define TP_SHAREDIR "%s"\n' \
	    "$(printf '%s\n' "$share" | sed 's/[\\"?]/\\&/g')"
	exit
fi

case $TO_DESTDIR in
'' | /*) dest=$(path DESTDIR "$TO_DESTDIR") || exit ;;
*) dest=$(path DESTDIR "$PWD/$TO_DESTDIR") || exit ;;
esac
list=$dest$share/.installed

# there COMMAND...: run it for paths on standard input, below DESTDIR
there() {
	(
		cd "$dest/" 2>/dev/null || exit 0
		sed 's/^/./' | tr '\n' '\0' | xargs -0 "$@"
	)
}
# remove_files, remove_folders: of paths on standard input, what is there
remove_files() {
	grep -v '/$' | there rm -f
}
# one is left where something else is in it; nobody stands in the last
remove_folders() {
	folders=$(grep '/$' | sort -r)
	printf '%s\n' "$folders" | grep -v '^/$' |
	    there rmdir 2>/dev/null || :
	case $folders in
	*/) [ "${folders##*
}" != / ] || rmdir "$dest/" 2>/dev/null || : ;;
	esac
}

if [ "$1" = uninstall ]; then
	if [ ! -e "$list" ]; then
		echo "make uninstall: nothing is installed: no '$list'"
		exit
	fi
	were=$(cat "$list")
	printf '%s\n' "$were" | remove_files
	rm "$list"
	printf '%s\n' "$were" | remove_folders
	exit
fi

cd "$(dirname "$0")/../.."
build=$2
# apart from that of another install of the same build
work=$(mktemp -d) || exit 4
new=$work/installed
old=$work/installed.old
: >"$new"
cat "$list" >"$old" 2>/dev/null || :

# Also when it was stopped half way, the list names all that is there.
finish() {
	status=$?
	trap - EXIT
	if [ $status -eq 0 ]; then
		grep -v -x -F -f "$new" "$old" >"$old.only" || :
		remove_files <"$old.only"
		remove_folders <"$old.only"
		grep '/$' "$old.only" | while IFS= read -r path; do
			[ ! -d "$dest$path" ] || printf '%s\n' "$path"
		done >>"$new"
	else
		cat "$old" >>"$new"
	fi
	[ ! -d "$dest$share" ] || sort -u "$new" >"$list" || status=4
	rm -rf "$work"
	exit $status
}
trap finish EXIT
trap 'exit 4' HUP INT TERM

# folder PATH: make it and those it is in
folder() {
	[ ! -d "$dest$1/" ] || return 0
	if [ -n "$1" ]; then
		folder "${1%/*}"
		mkdir "$dest$1"
	else
		mkdir -p "$dest"
	fi
	printf '%s/\n' "$1" >>"$new"
}

# put MODE FOLDER FILE...: a command for all of them, as there are hundreds;
# names of our files have no blanks
put() {
	mode=$1 to=$2 names=
	shift 2
	folder "$to"
	for file in "$@"; do
		names="$names ${file##*/}"
		printf '%s\n' "$to/${file##*/}" >>"$new"
	done
	(cd "$dest$to" && rm -f $names)
	cp "$@" "$dest$to"
	(cd "$dest$to" && chmod "$mode" $names)
}

# programs FOLDER NAME...: compiled ones
programs() {
	to=$1
	shift
	for name in "$@"; do
		set -- "$@" "$build/$name"
		shift
	done
	put 755 "$to" "$@"
	[ -z "$strip" ] || (cd "$dest$to" && $strip $names)
}

# tree FROM TO: the files in the folder FROM and below it
tree() {
	tree=$1 into=$2
	for at in $(find "$tree" -type d ! -path share/man \
	    ! -path share/completions ! -path 'share/package*'); do
		plain='' runs=''
		for file in "$at"/*; do
			if [ -f "$file" ] && [ -x "$file" ]; then
				runs="$runs $file"
			elif [ -f "$file" ]; then
				plain="$plain $file"
			fi
		done
		[ -z "$plain" ] || put 644 "$into${at#"$tree"}" $plain
		[ -z "$runs" ] || put 755 "$into${at#"$tree"}" $runs
	done
}

# link TARGET AT
link() {
	folder "${2%/*}"
	printf '%s\n' "$2" >>"$new"
	rm -f "$dest$2"
	ln -s "$1" "$dest$2"
}

# way FROM TO: TO as a link in the folder FROM has it
way() {
	from=$1/ to=$2/
	while [ -n "$from" ] && [ "${from%%/*}" = "${to%%/*}" ]; do
		from=${from#*/} to=${to#*/}
	done
	while [ -n "$from" ]; do
		from=${from#*/} to=../$to
	done
	printf '%s\n' "${to%/}"
}

# complete TOOL: for zsh and fish from its option table, for bash as all do
complete() {
	"$build/$1" --help=zsh >"$work/zsh/_$1"
	"$build/$1" --help=fish >"$work/fish/$1.fish"
	[ "$1" = tracepipe ] ||
		link tracepipe "$data/bash-completion/completions/$1"
}

# The programs are of use without it, only larger.
if [ -n "$strip" ] && ! command -v "${strip%% *}" >/dev/null; then
	echo "make install: no '$strip': programs keep what only debuggers read" >&2
	strip=
fi

folder "$share"
mkdir "$work/zsh" "$work/fish"
compiled=$(ls tools/tp-*.c | sed 's|.*/||; s/\..*//')
scripts=$(echo tracepipe; ls tools/tp-*.sh | sed 's|.*/||; s/\..*//')
links=$(sed 's/ .*//' tools/links)
sed "s/@PROGRAMS@/$(echo $scripts $links $compiled)/" \
    share/completions/tracepipe.bash >"$work/tracepipe"
put 644 "$data/bash-completion/completions" "$work/tracepipe"
programs "$bin" $compiled
for script in $scripts; do
	put 755 "$bin" "$build/$script"
done
# a program under another name is a link to it
while read -r tool target; do
	link "$target" "$bin/$tool"
done <tools/links
for tool in $compiled $scripts $links; do
	complete "$tool"
done
put 644 "$data/zsh/site-functions" "$work/zsh"/*
put 644 "$data/fish/vendor_completions.d" "$work/fish"/*
for section in 1 5 7; do
	set --
	for source in share/man/*.$section.in; do
		source=${source#share/}
		set -- "$@" "$build/${source%.in}"
	done
	put 644 "$man/man$section" "$@"
done
tree share "$share"
put 644 "$share/sql" "$build/sql"/*.sql

# Documents and examples stand as in the source tree, where they name what is
# in share and the generators in build.
put 644 "$doc" README.md CHANGELOG.md LICENSE
tree examples "$doc/examples"
programs "$libexec" $(ls examples/*/mk*.c | sed 's|.*/||; s/\..*//')
link "$(way "$doc" "$share")" "$doc/share"
[ "$libexec" = "$doc/build" ] || link "$(way "$doc" "$libexec")" "$doc/build"
