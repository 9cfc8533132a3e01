#!/bin/sh
# install.sh [-u] BINDIR MANDIR SHAREDIR BUILD: install, or -u uninstall
#
# Removes exactly what it would install, so that files a user has added to
# SHAREDIR stay.  The completions go beside SHAREDIR, where the shells look
# for them, made from the option tables.
set -eu

remove=no
if [ "$1" = -u ]; then
	remove=yes
	shift
fi
bin=$1 man=$2 share=$3 build=$4
beside=$(dirname "$share")
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

# complete TOOL SHELL TO
complete() {
	if [ $remove = no ]; then
		mkdir -p "$build/completions"
		"$build/$1" --help="$2" >"$build/completions/$1.$2"
	fi
	put 644 "$build/completions/$1.$2" "$3"
}

complete_all() {
	complete "$1" bash "$beside/bash-completion/completions/$1"
	complete "$1" zsh "$beside/zsh/site-functions/_$1"
	complete "$1" fish "$beside/fish/vendor_completions.d/$1.fish"
}

for source in tools/tp-*.c tools/tp-*.sh; do
	[ -e "$source" ] || continue
	tool=$(basename "$source")
	tool=${tool%.*}
	put 755 "$build/$tool" "$bin/$tool"
	complete_all "$tool"
done
# a program under another name is a link to it
while read -r tool program; do
	rm -f "$bin/$tool"
	[ $remove = yes ] || ln -s "$program" "$bin/$tool"
	complete_all "$tool"
done <tools/links
for source in share/man/*.in; do
	page=$(basename "$source" .in)
	put 644 "$build/man/$page" "$man/man${page##*.}/$page"
done
find share -type f ! -path 'share/man/*' | while IFS= read -r source; do
	put 644 "$source" "$share/${source#share/}"
done
if [ $remove = yes ]; then
	# the folders that are ours, and those that hold nothing now
	find "$share" -depth -type d -exec rmdir {} \; 2>/dev/null || :
	for folder in bash-completion/completions bash-completion \
	    zsh/site-functions zsh fish/vendor_completions.d fish; do
		rmdir "$beside/$folder" 2>/dev/null || :
	done
fi
