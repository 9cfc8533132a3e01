#!/bin/sh
# install.sh [-u] BINDIR MANDIR SHAREDIR BUILD: install, or -u uninstall
#
# Removes exactly what it would install, so that files a user has added to
# SHAREDIR stay.  The bash completions go beside SHAREDIR, where the shell
# looks for them, made from the option tables.
set -eu

remove=no
if [ "$1" = -u ]; then
	remove=yes
	shift
fi
bin=$1 man=$2 share=$3 build=$4
complete=$(dirname "$share")/bash-completion/completions
cd "$(dirname "$0")/.."

# put MODE FROM TO
put() {
	if [ $remove = yes ]; then
		rm -f "$3"
		return
	fi
	mkdir -p "$(dirname "$3")"
	rm -f "$3"
	cp "$2" "$3"
	chmod "$1" "$3"
}

[ $remove = yes ] || mkdir -p "$build/completions"
for source in tools/tp-*.c tools/tp-*.sh; do
	[ -e "$source" ] || continue
	tool=$(basename "$source")
	tool=${tool%.*}
	if [ $remove = no ]; then
		"$build/$tool" --help=bash >"$build/completions/$tool"
	fi
	put 755 "$build/$tool" "$bin/$tool"
	put 644 "$build/completions/$tool" "$complete/$tool"
done
# a program under another name is a link to it
while read -r tool program; do
	if [ $remove = yes ]; then
		rm -f "$bin/$tool"
	else
		"$build/$tool" --help=bash >"$build/completions/$tool"
		ln -sf "$program" "$bin/$tool"
	fi
	put 644 "$build/completions/$tool" "$complete/$tool"
done <tools/links
for source in share/man/*.in; do
	page=$(basename "$source" .in)
	put 644 "$build/man/$page" "$man/man${page##*.}/$page"
done
find share -type f ! -path 'share/man/*' | while IFS= read -r source; do
	put 644 "$source" "$share/${source#share/}"
done
if [ $remove = yes ]; then
	find "$share" -depth -type d -exec rmdir {} \; 2>/dev/null || :
	rmdir "$complete" "$(dirname "$complete")" 2>/dev/null || :
fi
