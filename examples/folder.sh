# shellcheck shell=sh
# folder.sh: how the run.sh of an example begins; sourced by it
#
# $generator is the program that makes the example and $variable what names
# another one.  The first parameter, if there is one, becomes $folder, which is
# made; without it a temporary folder is.  Parameters left are for the generator.
# quote TEXT prints TEXT as a word of the shell.

quote() {
	printf "'%s'\n" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")"
}

if [ ! -x "$generator" ]; then
	echo "run.sh: no '$generator': run make first, or set $variable" >&2
	exit 2
fi
if [ $# -gt 0 ]; then
	folder=$1
	shift
	mkdir -p -- "$folder" || exit 4
else
	folder=$(mktemp -d) || exit 4
fi
case $folder in
-*)	folder=./$folder ;;
esac
