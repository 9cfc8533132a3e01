# shellcheck shell=bash
# A folder that one run at a time works in, for tp-*.sh; the Makefile puts it
# in the place of "#@ stage.sh".

stage= alone=
clean() {
	[ -z "$stage" ] || rm -rf -- "$stage"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Run COMMAND.  What it printed is in why; when it fails, the last line of
# that, as a terminal may show it.
try() {
	why=$("$@" 2>&1) && return
	why=${why##*$'\n'}
	why=$(shown "$why")
	why=${why:+: $why}
	return 1
}

# make_stage FOLDER PREFIX: a new folder in FOLDER, in stage.  Until we and all
# that we started have ended, no other run works in FOLDER (then alone is set),
# so that the stages there are of runs that died.  A lock may not reach other
# machines: their stages are called otherwise, and stay.
make_stage() {
	local host
	host=$(uname -n)
	host=${host//[!A-Za-z0-9-]/_}
	try mkdir -p "$1" && { exec 9<"$1/."; } 2>/dev/null ||
		die 4 "cannot use the folder '$(shown "$1")'$why"
	tp-put --as "$me" --lock 9 --name "$1" || exit
	# a file system without locks lets anybody have it
	(exec 8<"$1/." && tp-put --lock 8 --wait 0) 2>/dev/null || alone=1
	[ -z "$alone" ] || rm -rf "$1/$2.$host".*
	try mktemp -d "$1/$2.$host.XXXXXX" ||
		die 4 "cannot write to '$(shown "$1")'$why"
	stage=$why
}

# All of FOLDER is on disk before it is renamed.
settle() {
	try find "$1" -exec sync {} + ||
		die 4 "cannot write to '$(shown "$1")'$why"
}
