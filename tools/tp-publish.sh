#!/usr/bin/env bash
# tp-publish - put a summary and its report, or a capture, into a store
#
# Makes a version of an artifact aside, gives it the next number by a rename
# that fails when another has it, and then moves the aliases under a lock.
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
exits='0 done, 2 usage, 3 the summary is none, or the folder holds no capture,
4 the store cannot be written, or there is no wandb command'

options="
summary|s|FILE|the profile_summary.v1 document to publish
report|r|FILE|its report
capture|c|DIR|publish the capture in DIR, as the profile of the run
meta|m|KEY=VALUE|say of a capture the git_sha, config_hash, hardware_type or mesh_or_topology of the run; repeatable
name|n|NAME|the artifact (default: by the run)
alias|a|NAME|call the version so; repeatable (default: latest)
dry-run|||print what would be published, publish nothing
$(printf '%s\n' "$target_options" | grep -v -e ^alias -e ^artifact \
    -e ^download)
help|h||print this, then exit
version|V||print the version, then exit"

examples='tp-publish --store /srv/profiles -s summary.json -r report.md
tp-publish --dry-run --summary summary.json --report report.md
tp-publish --store . --run-target ENTITY/PROJECT/RUN --capture profile'

#@ options.sh

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
		v[0-9]*) die 2 "'$(shown "$value")' is the name of a version" ;;
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
	die_usage 'a summary or a capture, not both'
[ -z "$capture" ] || [ -z "$report" ] || die_usage '--report is of a summary'
[ -z "$summary" ] || [ ${#metas[@]} -eq 0 ] ||
	die_usage '--meta is of a capture: a summary says it itself'
[ -z "$summary" ] || [ -n "$report" ] ||
	die_usage 'the --report of the summary is missing'
for f in "$summary" "$report"; do
	[ -z "$f" ] || { [ -f "$f" ] && [ -r "$f" ]; } ||
		die 4 "cannot open '$(shown "$f")'"
done
[ -z "$capture" ] || [ -d "$capture" ] ||
	die 4 "there is no folder '$(shown "$capture")'"
[ -z "$capture" ] || [ -n "$(find "$capture/" -name '*.trace.json*' -o \
    -name 'perfetto_trace.json*' -o -name '*.xplane.pb')" ] ||
	die 3 "'$(shown "$capture")' holds no capture: no *.trace.json.gz, \
perfetto_trace.json.gz or *.xplane.pb"

# What the summary says of its run; a value that it lacks is empty.
said() {	# KEY
	printf '%s\n' "$records" | tp-query -q -r "profile.document.$1" 2>/dev/null
}

if [ -n "$summary" ]; then
	records=$(tp-from-summary -q --only profile.document -- "$summary") ||
		die 3 "'$(shown "$summary")' is no profile_summary.v1 document"
	run=$(said run_id)
	if [ -z "$target" ]; then
		target=$(said run_path)
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
	[ -n "$run" ] || run_or_time=$(said made_at | cut -c 1-19 |
	    tr -d ':-' | tr T -)
	name=profile-summary-${run:-${run_or_time:-unknown}}
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
stage= lock= place= version=
clean() {
	[ -z "$lock" ] || rmdir "$lock"
	[ -z "$stage" ] || rm -rf "$stage"
	# a name without a version is none
	[ -z "$place" ] || [ -n "$version" ] ||
		rmdir "$place/aliases" "$place" 2>/dev/null
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What is published, without its manifest, in stage/files
fill_stage() {
	mkdir "$stage/files" || die 4 "cannot write to '$(shown "$stage")'"
	if [ -n "$capture" ]; then
		cp -RPp "$capture/." "$stage/files/" &&
		    rm -f "$stage/files/artifact.json"
	else
		cp -p "$summary" "$stage/files/summary.json" &&
		    cp -p "$report" "$stage/files/report.md"
	fi || die 4 "cannot write to '$(shown "$stage")'"
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

# The highest number that a version has, or is about to have
highest() {
	local v n most=-1
	for v in "$1"/v*; do
		n=${v##*/v}
		case $n in
		*[!0-9]* | '' | ??????????*) continue ;;
		esac
		[ "$n" -le "$most" ] || most=$n
	done
	printf '%s' "$most"
}

# Number what is in stage/files: a folder that is not empty is not replaced by
# a rename, so that of two publishers one gets the next number.
number_it() {
	local n had=files
	n=$(highest "$place")
	while :; do
		n=$((n + 1))
		mv "$stage/$had" "$stage/v$n" || exit 4
		had=v$n
		write_manifest "$stage/$had" "$had"
		mv "$stage/$had" "$place/" 2>/dev/null && break
		[ -e "$place/$had" ] ||
			die 4 "cannot write to '$(shown "$place")'"
	done
	version=$n
}

take_lock() {
	local try=0
	until mkdir "$place/.lock" 2>/dev/null; do
		try=$((try + 1))
		[ $try -le "${TP_LOCK_TRIES:-100}" ] || die 4 "v$version is published, without alias:
'$(shown "$place/.lock")' is held; remove it when no other publishes"
		sleep 0.1
	done
	lock=$place/.lock
}

# point ALIAS: to the new version, and "latest" never back to an older one
point() {
	local now=
	[ ! -e "$place/aliases/$1" ] || read -r now <"$place/aliases/$1"
	now=${now#v}
	case $now in
	*[!0-9]* | '') now=-1 ;;
	esac
	if [ "$1" = latest ] && [ "$now" -gt "$version" ]; then
		return 0
	fi
	printf 'v%d\n' "$version" >"$stage/alias" &&
	    mv -f "$stage/alias" "$place/aliases/$1" ||
		die 4 "v$version is published; its alias '$(shown "$1")' cannot
be written"
}

to_store() {
	local a
	place=$store/$entity/$project/$name
	mkdir -p "$place/aliases" && stage=$(mktemp -d "$place/.part.XXXXXX") ||
		die 4 "cannot write to the store '$(shown "$store")'"
	fill_stage
	number_it
	take_lock
	for a in "${aliases[@]}"; do
		point "$a"
	done
	printf '%s\n' "$entity/$project/$name:v$version" || exit 4
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
	printf '%s\n' "$ref:${aliases[0]}" || exit 4
}

if [ -n "$store" ]; then
	to_store
else
	to_wandb
fi
