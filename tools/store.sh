# shellcheck shell=bash
# Where artifacts are, for tp-*.sh; the Makefile puts it in the place of
# "#@ store.sh".
#
# A store is a folder, ENTITY/PROJECT/NAME/vN (share/doc/artifacts.md); without
# one it is Weights & Biases, through its own command, wandb.  Names are words
# of others: they are quoted, and never more than one part of a path.

target_options='
run-target||RUN|a run: ENTITY/PROJECT/RUN, its URL, or its id alone
entity||NAME|entity of the run, if RUN is only an id (default: $WANDB_ENTITY)
project||NAME|project of the run, if RUN is only an id (default: $WANDB_PROJECT)
artifact||NAME|an artifact: ENTITY/PROJECT/NAME:VERSION
alias||NAME|version of the artifact: an alias, or v0, v1 (default: latest)
store||DIR|the store, a folder or file:// URL (default: $TP_STORE, else W&B)
download-root||DIR|keep fetched files below DIR'

target= artifact= alias= store=${TP_STORE-} root=
entity=${WANDB_ENTITY-} project=${WANDB_PROJECT-} run=

# take_target: OPT, which take_option found, when it is one of these
take_target() {
	case $opt in
	run-target) target=$value ;;
	entity) entity=$value ;;
	project) project=$value ;;
	artifact) artifact=$value ;;
	alias) alias=$value ;;
	store) store=$value ;;
	download-root) root=$value ;;
	esac
}

# die unless VALUE can be one part of a path, and of a name of an artifact
plain_name() {	# WHAT VALUE
	case $2 in
	'') die 2 "$1 is missing" ;;
	[.-]* | *[/:\\]*) die 2 "'$(shown "$2")' is no name of $1" ;;
	esac
	[ ${#2} -le 128 ] || die 2 "the name of $1 is longer than 128 bytes"
	[ "$(shown "$2")" = "$2" ] ||
		die 2 "'$(shown "$2")' is no name of $1"
}

# Make the path in VARIABLE one that no command takes for an option.
as_path() {	# VARIABLE
	case ${!1} in
	[-\(!]*) printf -v "$1" './%s' "${!1}" ;;
	esac
}

# die when PATH is there and a link, or of another kind.  It is not opened: a
# link leads elsewhere, and a FIFO keeps its reader waiting.
real() {	# -d|-f PATH
	local kind=folder
	[ "$1" = -d ] || kind=file
	[ ! -L "$2" ] && { [ ! -e "$2" ] || test "$1" "$2"; } ||
		die 3 "'$(shown "$2")' is not a $kind; links and special files
are refused here"
}

# In place, the path of PARTs below FOLDER, which alone may be behind a link
find_place() {	# FOLDER PART...
	place=$1
	while [ $# -gt 1 ]; do
		shift
		place=$place/$1
		real -d "$place"
	done
}

# die when FOLDER, where there is one, holds links, FIFOs and the like
only_files() {
	[ -e "$1" ] || return 0
	try find "$1/" ! -type f ! -type d ||
		die 4 "cannot read '$(shown "$1")'$why"
	why=${why%%$'\n'*}
	[ -z "$why" ] ||
		die 3 "'$(shown "$why")' is neither a file nor a folder; remove it"
}

# Whether NAME is that of a version
is_version() {
	case $1 in
	v0) ;;
	v0* | v*[!0-9]* | v | [!v]* | '' | v??????????*) return 1 ;;
	esac
}

# URL-encoded TEXT; what it is in the end is checked by plain_name
decoded() {
	local s=${1//\\/\\\\}
	printf '%b' "${s//%/\\x}"
}

# The path of a file:// URL
file_url() {
	local path=${1#file://}
	path=${path#localhost}
	case $path in
	/*) decoded "$path" ;;
	*) die 2 "'$(shown "$1")' is not of the form file:///FOLDER" ;;
	esac
}

# A run by its URL: who may be in front of the host, and what is behind a "?",
# can be a secret and is forgotten here.
split_url() {
	local url=${1%%[?#]*} host base
	url=${url#*://}
	host=${url%%/*} url=${url#*/}
	host=${host##*@}
	base=${WANDB_BASE_URL:-https://wandb.ai}
	base=${base#*://} base=${base%%/*} base=${base##*@}
	[ -n "$store" ] || [ "$host" = "$base" ] ||
	    [ "www.$host" = "$base" ] || [ "$host" = "api.$base" ] ||
	    [ "api.$host" = "$base" ] ||
		die 2 "the run is on '$(shown "$host")', which is not the server
of the wandb command; set WANDB_BASE_URL to it"
	case $url in
	*/*/runs/*) ;;
	*) die 2 "the URL names no run; give https://HOST/ENTITY/PROJECT/runs/RUN" ;;
	esac
	entity=$(decoded "${url%%/*}") url=${url#*/}
	project=$(decoded "${url%%/*}") url=${url#*/runs/}
	run=$(decoded "${url%%/*}")
}

# Take target apart into entity, project and run.
split_target() {
	local rest
	case $target in
	*://*) split_url "$target" ;;
	*/*)
		entity=${target%%/*} rest=${target#*/}
		project=${rest%%/*} run=${rest#*/}
		run=${run#runs/}
		[ "$rest" != "$project" ] || die 2 "'$(shown "$target")' is not
ENTITY/PROJECT/RUN"
		;;
	*)
		run=$target
		[ -n "$entity" ] && [ -n "$project" ] ||
			die_usage "the id of a run needs --entity and --project"
		;;
	esac
	plain_name 'an entity' "$entity"
	plain_name 'a project' "$project"
	plain_name 'a run' "$run"
}

# The store as a folder, in store; empty: Weights & Biases.
open_store() {
	case $store in
	'') ;;
	file://*) store=$(file_url "$store") || exit ;;
	*://*) die 2 "a store is a folder or a file:// URL" ;;
	*) as_path store ;;
	esac
	[ -z "$store" ] || [ -d "$store" ] ||
		die 4 "there is no store '$(shown "$store")'"
	[ -n "$store" ] || command -v wandb >/dev/null ||
		die 4 "the wandb command is missing: pip install wandb, then wandb login;
or name a folder with --store"
}

# Run wandb with ARGUMENTs; what it says is kept from the output, and told
# without the key when it fails.
run_wandb() {	# LOG WHAT ARGUMENT...
	local log=$1 what=$2 why
	shift 2
	wandb "$@" >"$log" 2>&1 </dev/null && return
	why=$(tail -n 1 "$log" | tr -d '\000-\037\177' | cut -c 1-200)
	[ -z "${WANDB_API_KEY-}" ] || why=${why//"$WANDB_API_KEY"/***}
	die 4 "$what${why:+: $(shown "$why")}"
}

# Whether FOLDER is what its artifact.json says it is
whole() {
	[ -f "$1/artifact.json" ] && [ ! -L "$1/artifact.json" ] &&
	    tp-manifest --except artifact.json \
	    --check "$1/artifact.json" -- "$1"
}
