#!/usr/bin/env bash
# tp-fetch - fetch an artifact: the profile of a run, by its name
#
# Copies a version of an artifact from a store, or has wandb download it, holds
# it to its SHA-256 and prints the folder it is in now.
set -u
LC_ALL=C
export LC_ALL

#@ store.sh

me=tp-fetch
does='fetch the profile of a run, or any artifact, by its name'
group=artifacts
operands='[RUN|ARTIFACT]'
reads='a store of artifacts: a folder, or Weights & Biases'
writes='the name of the folder that now holds it'
exits='0 done, 2 usage, 3 the artifact is incomplete or damaged,
4 no such run, artifact or store, or no wandb command'

options="$target_options
type||TYPE|type of the artifact to fetch for a run (default: jax_profile)
help|h||print this, then exit
version|V||print the version, then exit"

examples='tp-fetch --store /srv/profiles ENTITY/PROJECT/RUN
tp-fetch --run-target https://wandb.ai/ENTITY/PROJECT/runs/RUN
tp-report "$(tp-fetch --artifact ENTITY/PROJECT/run-RUN-profiler:v0)"'

#@ options.sh
#@ stage.sh

type=jax_profile operand=
while [ $# -gt 0 ]; do
	case $1 in
	--help=*) help "${1#*=}" ;;
	--)
		[ $# -le 2 ] && [ -z "$operand" ] || die_usage 'one at a time'
		operand=${2-}
		break
		;;
	-?*) take_option "$@" ;;
	*)
		[ -z "$operand" ] || die_usage 'one at a time'
		operand=$1
		shift
		continue
		;;
	esac
	shift "$shifts"
	case $opt in
	type) type=$value ;;
	*) take_target ;;
	esac
done
case $operand in
'') ;;
*://*) target=$operand ;;
*:*) artifact=$operand ;;
*) target=$operand ;;
esac
[ -n "$target$artifact" ] || no_operand 'name a run or an artifact'
[ -z "$target" ] || [ -z "$artifact" ] ||
	die_usage 'give a run or an artifact, not both'
beside

# What is asked for, as entity, project, name and alias.
if [ -n "$artifact" ]; then
	name=${artifact##*/}
	case $name in
	*:*)
		[ -z "$alias" ] ||
			die_usage "'$(shown "$name")' already names its version; omit --alias"
		alias=${name#*:} name=${name%%:*}
		;;
	esac
	case $artifact in
	*/*/*)
		entity=${artifact%%/*} artifact=${artifact#*/}
		project=${artifact%/*}
		;;
	*/*) die 2 "an artifact is named ENTITY/PROJECT/NAME:VERSION" ;;
	esac
	plain_name 'an entity' "$entity"
	plain_name 'a project' "$project"
	case $name in
	run-?*-profiler) run=${name#run-} run=${run%-profiler} ;;
	esac
else
	split_target
	case $type in
	jax_profile) name=run-$run-profiler ;;
	profile_summary) name=profile-summary-$run ;;
	*) die 2 "--type of a run is jax_profile or profile_summary; for any other
name the artifact" ;;
	esac
fi
plain_name 'an artifact' "$name"
: "${alias:=latest}"
plain_name 'a version' "$alias"
open_store

: "${root:=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/tracepipe}"
as_path root
find_place "$root" "$entity" "$project" "$name"
parent=$place

# What is in the stage takes its place, or another's of the same content.
keep() {
	settle "$stage/$version"
	if [ -e "$parent/$version" ]; then
		try tp-put --swap "$stage/$version" "$parent/$version" ||
			die 4 "cannot replace '$(shown "$parent/$version")'$why"
	else
		try mv "$stage/$version" "$parent/" ||
		    whole "$parent/$version" ||
			die 4 "cannot write to '$(shown "$parent")'$why"
	fi
}

# die unless FOLDER is what its artifact.json says
hold() {
	only_files "$1"
	whole "$1" >&2 && return
	local status=$?
	[ $status -le 3 ] || exit $status
	die 3 "$version of '$(shown "$name")' differs from its artifact.json: publish it again"
}

# Up to five names of what FOLDER holds
others() {	# FOLDER
	local f n=0
	for f in "$1"/*/; do
		[ -d "$f" ] || continue
		f=${f%/}
		printf '%s%s' "${sep-}" "$(shown "${f##*/}")"
		sep=', '
		n=$((n + 1))
		[ $n -lt 5 ] || break
	done
}

# The version that the alias stands for, in version; its folder, in from
find_version() {
	local has
	find_place "$store" "$entity" "$project" "$name"
	if [ ! -d "$place" ]; then
		has=$(others "${place%/*}")
		die 4 "the store has no '$(shown "$name")' in" \
		    "$(shown "$entity/$project")${has:+; it has $has}"
	fi
	case $alias in
	v[0-9]*) version=$alias ;;
	*)
		real -d "$place/aliases"
		real -f "$place/aliases/$alias"
		[ -e "$place/aliases/$alias" ] ||
			die 4 "'$(shown "$name")' has no version with the" \
			    "alias '$(shown "$alias")'"
		version=
		read -r version <"$place/aliases/$alias"
		;;
	esac
	is_version "$version" ||
		die 3 "the alias '$(shown "$alias")' names no version"
	from=$place/$version
	real -d "$from"
	[ -d "$from" ] || die 4 "'$(shown "$name")' has no version $version"
	real -f "$from/artifact.json"
	[ -e "$from/artifact.json" ] ||
		die 3 "$version of '$(shown "$name")' is half written: it has no
artifact.json; try again later, and publish it again if that does not help"
	only_files "$from"
}

# Whether what is asked for is there, so that nothing has to be fetched
have() {
	real -d "$parent/$version"
	whole "$parent/$version" 2>/dev/null || return
	if [ -n "$store" ]; then
		cmp -s "$from/artifact.json" "$parent/$version/artifact.json"
	else
		is_version "$version"
	fi
}

from_store() {
	# with its times: documents are dated by them
	try cp -RPp "$from" "$stage/" && return
	local copying=$why
	hold "$from"
	die 4 "cannot copy $version of '$(shown "$name")'$copying"
}

from_wandb() {
	local ref=$entity/$project/$name:$alias into=$stage/$version of=()
	mkdir "$into" || exit 4
	[ -z "$run" ] || of=(--type "$type")
	run_wandb "$stage/log" "cannot fetch '$ref'" artifact get "$ref" \
	    --root "$into" ${of[@]+"${of[@]}"}
	only_files "$into"
	[ -n "$(find "$into/" -type f | head -n 1)" ] ||
		die 3 "'$ref' contains no file"
	if [ ! -e "$into/artifact.json" ]; then
		tp-manifest --set artifact_name="$name:$alias" \
		    --set artifact_ref="$ref" --set run_id="$run" \
		    --set run_path="${run:+$entity/$project/$run}" \
		    -o "$stage/json" -- "$into" &&
		    mv "$stage/json" "$into/artifact.json" || exit 4
	fi
}

version=$alias get=from_wandb
if [ -n "$store" ]; then
	find_version
	get=from_store
fi
if ! have; then
	make_stage "$parent" .part
	# another may have fetched it, while we waited for it
	if ! have; then
		$get
		hold "$stage/$version"
		keep
	fi
fi
put "$parent/$version"
