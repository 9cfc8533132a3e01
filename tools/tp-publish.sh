#!/usr/bin/env bash
# tp-publish - put a summary and its report, or a capture, into a store
#
# Under a lock, makes a version of an artifact aside, gives it the next number
# by a rename that fails when another has it, and then moves the aliases.
set -u
LC_ALL=C
export LC_ALL

#@ store.sh

me=tp-publish
does='put a summary and its report, or a capture, into a store'
group=artifacts
operands='--summary FILE --report FILE'
reads='a profile_summary.v1 document and a report; or a capture of JAX'
writes='the name of the new version; with --dry-run a JSON document'
exits='0 done, 2 usage, 3 not a summary, or no capture in the folder,
4 the store cannot be written, or there is no wandb command'

options="
summary|s|FILE|the profile_summary.v1 document to publish
report|r|FILE|its report
capture|c|DIR|publish the capture in DIR as the profile of the run
meta|m|KEY=VALUE|with --capture: git_sha, config_hash, hardware_type or mesh_or_topology of the run; repeatable
name|n|NAME|name of the artifact (default: from the run)
alias|a|NAME|give the version this alias; repeatable (default: latest)
dry-run|||print what would be published, publish nothing
$(printf '%s\n' "$target_options" | grep -v -e ^alias -e ^artifact \
    -e ^download)
help|h||print this, then exit
version|V||print the version, then exit"

examples='tp-publish --store /srv/profiles -s summary.json -r report.md
tp-publish --dry-run --summary summary.json --report report.md
tp-publish --store . --run-target ENTITY/PROJECT/RUN --capture profile'

#@ options.sh
#@ stage.sh

summary= report= capture= name= dry=
aliases=() metas=()
while [ $# -gt 0 ]; do
	case $1 in
	--help=*) help "${1#*=}" ;;
	-?*) take_option "$@" ;;
	*) die_usage "'$(shown "$1")' is no option" ;;
	esac
	shift "$shifts"
	case $opt in
	summary) summary=$value ;;
	report) report=$value ;;
	capture) capture=$value ;;
	name) name=$value ;;
	alias)
		plain_name 'an alias' "$value"
		case $value in
		v[0-9]*) die 2 "--alias '$(shown "$value")': v1, v2, ... are versions, not aliases" ;;
		esac
		aliases+=("$value")
		;;
	meta)
		case $value in
		git_sha=?* | config_hash=?* | hardware_type=?* | \
		mesh_or_topology=?*) metas+=(--set "$value") ;;
		*) die 2 "--meta takes git_sha=, config_hash=, hardware_type= or
mesh_or_topology=, not '$(shown "$value")'" ;;
		esac
		;;
	dry-run) dry=1 ;;
	*) take_target ;;
	esac
done
[ ${#aliases[@]} -gt 0 ] || aliases=(latest)
beside

[ -n "$summary$capture" ] || no_operand 'name a --summary, or a --capture'
[ -z "$summary" ] || [ -z "$capture" ] ||
	die_usage 'give --summary or --capture, not both'
[ -z "$capture" ] || [ -z "$report" ] || die_usage '--report needs --summary'
[ -z "$summary" ] || [ ${#metas[@]} -eq 0 ] ||
	die_usage '--meta needs --capture: a summary has these values already'
[ -z "$summary" ] || [ -n "$report" ] ||
	die_usage 'the --report of the summary is missing'
as_path summary
as_path report
as_path capture
for f in "$summary" "$report"; do
	[ -z "$f" ] || { [ -f "$f" ] && [ -r "$f" ]; } ||
		die 4 "cannot open '$(shown "$f")'"
done
[ -z "$capture" ] || [ -d "$capture" ] ||
	die 4 "there is no folder '$(shown "$capture")'"
[ -z "$capture" ] || only_files "$capture"
[ -z "$capture" ] || [ -n "$(find "$capture/" -name '*.trace.json*' -o \
    -name 'perfetto_trace.json*' -o -name '*.xplane.pb')" ] ||
	die 3 "'$(shown "$capture")' holds no capture: no *.trace.json.gz, \
perfetto_trace.json.gz or *.xplane.pb"

# What the summary says of its run, in VARIABLE; a value that it lacks is empty.
said() {	# VARIABLE KEY
	ask "$1" -r "profile.document.$2" <(printf '%s\n' "$records")
}

if [ -n "$summary" ]; then
	records=$(tp-from-summary -q --only profile.document -- "$summary") ||
		die 3 "'$(shown "$summary")' is not a profile_summary.v1 document"
	said run run_id
	if [ -z "$target" ]; then
		said target run_path
		case $target in
		*/*/*) ;;
		*) target= ;;
		esac
	fi
	type=profile_summary
else
	type=jax_profile
	[ -n "$target$name" ] ||
		die_usage 'name the run with --run-target, or the artifact with --name'
fi
[ -z "$target" ] || split_target
if [ -z "$name" ] && [ -n "$capture" ]; then
	name=run-$run-profiler
elif [ -z "$name" ]; then
	# when it was made, for what is of no run
	said made_at made_at
	made_at=${made_at:0:19} made_at=${made_at//[:-]/}
	made_at=${made_at//T/-}
	name=profile-summary-${run:-${made_at:-unknown}}
fi
plain_name 'an artifact' "$name"

# document ARGUMENT...: what is said of the artifact
document() {
	tp-manifest -q --set artifact_type="$type" \
	    ${summary:+--summary "$summary"} ${metas[@]+"${metas[@]}"} "$@"
}
with_aliases=()
for a in "${aliases[@]}"; do
	with_aliases+=(--add "aliases=$a")
done

if [ -n "$dry" ]; then
	document --set artifact_name="$name" --set entity="$entity" \
	    --set project="$project" --set status=dry_run \
	    --set report_path="$report" \
	    --set summary_path="${summary:-$capture}" "${with_aliases[@]}"
	exit
fi

plain_name 'an entity (--entity)' "$entity"
plain_name 'a project (--project)' "$project"
open_store

# What is published, without its manifest, in stage/files
fill_stage() {
	try mkdir "$stage/files" &&
	    if [ -n "$capture" ]; then
		try cp -RPp "$capture/." "$stage/files/" &&
		    try rm -f "$stage/files/artifact.json"
	else
		try cp -p "$summary" "$stage/files/summary.json" &&
		    try cp -p "$report" "$stage/files/report.md"
	fi || die 4 "cannot write to '$(shown "$stage")'$why"
}

# write_manifest FOLDER VERSION: artifact.json, the last file there is
write_manifest() {
	document ${summary:+--provenance} --except artifact.json \
	    --set artifact_name="$name${2:+:$2}" \
	    --set artifact_ref="${2:+$entity/$project/$name:$2}" \
	    --set run_id="$run" \
	    --set run_path="${run:+$entity/$project/$run}" \
	    -o "$stage/json" -- "$1" || exit
	mv "$stage/json" "$1/artifact.json" || exit 4
}

# The highest number that a version has, in version
find_highest() {
	local v
	version=-1
	for v in "$place"/v*; do
		is_version "${v##*/}" || continue
		real -d "$v"
		v=${v##*/v}
		[ "$v" -le "$version" ] || version=$v
	done
}

# Number what is in stage/files: a folder that is not empty is not replaced by
# a rename, so that of publishers on two machines one gets the next number.
number_it() {
	local had=files
	while :; do
		version=$((version + 1))
		mv "$stage/$had" "$stage/v$version" || exit 4
		had=v$version
		write_manifest "$stage/$had" "$had"
		settle "$stage/$had"
		try mv "$stage/$had" "$place/" && break
		[ -e "$place/$had" ] ||
			die 4 "cannot write to '$(shown "$place")'$why"
	done
}

# point ALIAS: to the new version, and "latest" never back to an older one
point() {
	local now=
	real -f "$place/aliases/$1"
	[ ! -e "$place/aliases/$1" ] || read -r now <"$place/aliases/$1"
	if [ "$1" = latest ] && is_version "$now" &&
	    [ "${now#v}" -gt "$version" ]; then
		return 0
	fi
	printf 'v%d\n' "$version" |
	    tp-put --as "$me" "$place/aliases/$1" ||
		die 4 "v$version is published; its alias '$(shown "$1")' cannot
be written"
}

to_store() {
	local a
	find_place "$store" "$entity" "$project" "$name"
	find_place "$place" aliases
	for a in "${aliases[@]}"; do
		real -f "$place/$a"
	done
	place=${place%/*}
	# before anything is made, and when no other makes versions
	find_highest
	make_stage "$place" .part
	find_highest
	fill_stage
	number_it
	try mkdir -p "$place/aliases" ||
		die 4 "cannot write to '$(shown "$place")'$why"
	# of runs that died
	[ -z "$alone" ] || rm -f "$place"/aliases/.[!.]*
	for a in "${aliases[@]}"; do
		point "$a"
	done
	put "$entity/$project/$name:v$version"
}

to_wandb() {
	local ref=$entity/$project/$name a words=()
	stage=$(mktemp -d) || die 4 "cannot make a temporary folder"
	fill_stage
	write_manifest "$stage/files" ''
	for a in "${aliases[@]}"; do
		words+=(--alias "$a")
	done
	run_wandb "$stage/log" "cannot publish '$ref'" artifact put \
	    --name "$ref" --type "$type" "${words[@]}" "$stage/files"
	put "$ref:${aliases[0]}"
}

if [ -n "$store" ]; then
	to_store
else
	to_wandb
fi
