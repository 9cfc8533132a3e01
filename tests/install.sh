#!/bin/sh
# install.sh install|uninstall|header BUILD: what BUILD holds, to where it goes
#
# The environment says where: TO_PREFIX, TO_DESTDIR in front of all, and the
# folders that are not as usual below PREFIX, TO_BINDIR and so on.  With
# TO_STRIP programs are stripped.  "header" prints where share is, for C.
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

# remove_files, remove_folders: of paths on standard input, what is there
remove_files() {
	grep -v '/$' | while IFS= read -r path; do
		rm -f "$dest$path"
	done
}
remove_folders() {
	grep '/$' | sort -r | while IFS= read -r path; do
		rmdir "$dest$path" 2>/dev/null || :
	done
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

cd "$(dirname "$0")/.."
build=$2
new=$build/installed
old=$build/installed.old
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

# put MODE FROM TO
put() {
	folder "${3%/*}"
	printf '%s\n' "$3" >>"$new"
	rm -f "$dest$3"
	cp "$2" "$dest$3"
	chmod "$1" "$dest$3"
}

# program NAME TO: a compiled one
program() {
	put 755 "$build/$1" "$2"
	[ -z "${TO_STRIP-}" ] || $TO_STRIP "$dest$2"
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
	for shell in zsh fish; do
		"$build/$1" --help=$shell >"$build/completions/$1.$shell"
	done
	[ "$1" = tracepipe ] ||
		link tracepipe "$data/bash-completion/completions/$1"
	put 644 "$build/completions/$1.zsh" "$data/zsh/site-functions/_$1"
	put 644 "$build/completions/$1.fish" \
	    "$data/fish/vendor_completions.d/$1.fish"
}

folder "$share"
mkdir -p "$build/completions"
programs=$(echo tracepipe; sed 's/ .*//' tools/links; ls tools/tp-* | sed 's|.*/||; s/\..*//')
sed "s/@PROGRAMS@/$(echo $programs)/" share/completions/tracepipe.bash \
    >"$build/completions/tracepipe.bash"
put 644 "$build/completions/tracepipe.bash" \
    "$data/bash-completion/completions/tracepipe"
for source in tools/tp-*.c tools/tp-*.sh; do
	tool=${source#tools/}
	tool=${tool%.*}
	case $source in
	*.c) program "$tool" "$bin/$tool" ;;
	*) put 755 "$build/$tool" "$bin/$tool" ;;
	esac
	complete "$tool"
done
# a program under another name is a link to it
while read -r tool target; do
	link "$target" "$bin/$tool"
	complete "$tool"
done <tools/links
put 755 "$build/tracepipe" "$bin/tracepipe"
complete tracepipe
for source in share/man/*.in; do
	page=$(basename "$source" .in)
	put 644 "$build/man/$page" "$man/man${page##*.}/$page"
done
find share -type f ! -path 'share/man/*' ! -path 'share/completions/*' |
    while IFS= read -r source; do
	put 644 "$source" "$share/${source#share/}"
done

# Documents and examples stand as in the source tree, where they name what is
# in share and the generators in build.
for source in README.md CHANGELOG.md LICENSE; do
	put 644 $source "$doc/$source"
done
find examples -type f | while IFS= read -r source; do
	mode=644
	[ ! -x "$source" ] || mode=755
	put $mode "$source" "$doc/$source"
done
for source in examples/*/mk*.c; do
	name=$(basename "$source" .c)
	program "$name" "$libexec/$name"
done
link "$(way "$doc" "$share")" "$doc/share"
link "$(way "$doc" "$libexec")" "$doc/build"
