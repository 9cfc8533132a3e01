# shellcheck shell=bash
# Runs by their names, and --bundle, for tp-report; the Makefile puts it in the
# place of "#@ bundle.sh", behind options.sh.

options="${options%%help|h*}bundle|||write summaries, reports and comparison of BEFORE and AFTER to -o DIR
history||FILE|with --bundle: append the comparison to FILE
label||TEXT|with --bundle: name of the change
$target_options
help|h${options#*help|h}"

bundle= history= label=

take_bundle() {
	case $opt in
	bundle) bundle=1 ;;
	history) history=$value ;;
	label) label=$value ;;
	*) take_target ;;
	esac
}

# fetch_one OPTION VALUE [OPERAND]: an artifact, into folder; tp-fetch says what
# failed
fetch_one() {
	local more=() word
	for word in entity project alias store; do
		[ -z "${!word}" ] || more+=("--$word=${!word}")
	done
	[ -z "$root" ] || more+=("--download-root=$root")
	folder=$(tp-fetch ${more[@]+"${more[@]}"} "$1=$2") && return
	local status=$?
	ended $status tp-fetch
	[ -z "${3-}" ] || printf '%s: %s\n' "$me" "there is no file '$(shown \
	    "$3")': it was taken as the name of a run" >&2
	exit $status
}

# Whether OPERAND, which is no file, is the name of a run or artifact.  A path
# may look like one: only a bundle is asked for by such names.
names_run() {
	[ ! -e "$1" ] || return 1
	case $1 in
	*://*/runs/*) return 0 ;;
	*/*/*) ;;
	*) [ -n "$entity" ] && [ -n "$project" ] || return 1 ;;
	esac
	[ -n "$bundle" ]
}

# Put the folders of runs and artifacts in the place of their names.
fetch_traces() {
	local i folder
	if [ -n "$target$artifact" ]; then
		[ ${#traces[@]} -eq 0 ] && [ -z "$bundle$compare" ] ||
			die_usage 'give a run or artifact instead of TRACE, not both'
		[ -z "$target" ] || fetch_one --run-target "$target"
		[ -z "$artifact" ] || fetch_one --artifact "$artifact"
		traces=("$folder")
	fi
	for ((i = 0; i < ${#traces[@]}; i++)); do
		names_run "${traces[i]}" || continue
		case ${traces[i]} in
		*://*) fetch_one --run-target "${traces[i]}" ;;
		*:*) fetch_one --artifact "${traces[i]}" "${traces[i]}" ;;
		*) fetch_one --run-target "${traces[i]}" "${traces[i]}" ;;
		esac
		traces[i]=$folder
	done
}

check_bundle() {
	if [ -z "$bundle" ]; then
		[ -z "$history$label" ] ||
			die_usage '--history and --label are for --bundle'
		return 0
	fi
	[ -z "$compare$list$records" ] ||
		die_usage '--bundle cannot be combined with --compare, --list or --records'
	[ -n "$out" ] || die_usage '--bundle needs a folder: -o DIR'
	[ ${#traces[@]} -eq 2 ] ||
		die_usage '--bundle takes two runs, BEFORE and AFTER'
	[ -z "$process$from$to$last" ] || die_usage '--process, --from, --to and
--last are for exports of Instruments'
}

# Of what STATUS of a program, whose FILE is whole all the same, is the worst;
# exits where there is none.
made() {	# STATUS FILE [WHY]
	if [ "$1" -ne 0 ] && { [ "$1" -ne 3 ] || [ ! -s "$2" ]; }; then
		[ -z "${3-}" ] || printf '%s: %s\n' "$me" "$3" >&2
		exit "$1"
	fi
	raise "$1"
}

# One run: its summary, as it is or of its capture, and its report.
bundle_side() {	# SIDE TRACE
	local to=$files/$1 m more=() table=
	[ ! -f "$2" ] || ask table -r input.table <(tp-look -q -- "$2")
	if [ "$table" = profile-summary ]; then
		tp-put --as "$me" "$to.summary.json" "$2" || exit
	else
		tp-summary -q --output "$to.summary.json" -- "$2"
		made $? "$to.summary.json" "'$(shown "$2")' is no capture of JAX \
and no summary of one, which a bundle is made of"
	fi
	for m in ${metas[@]+"${metas[@]}"}; do
		more+=("--meta=$m")
	done
	# a file has no pictures beside it
	again "work-$1.md" ${repo:+--repo="$repo"} ${more[@]+"${more[@]}"} \
	    -- "$2"
	made $? "$work/work-$1.md"
	tp-put --as "$me" "$to.report.md" "$work/work-$1.md" || exit
}

bundle_comparison() {
	local f
	again both --compare ${linked:+--linked} ${notes:+--notes="$notes"} \
	    ${same[@]+"${same[@]}"} -- "${traces[@]}"
	made $? "$both/comparison.md"
	for f in "$both"/{*.svg,comparison.html,report.css,report.js}; do
		[ ! -e "$f" ] || mv "$f" "$files/" || exit
	done
	mv "$both/comparison.md" "$files/" && tp-findings -q -o "$both/findings.jsonl" "$both/after.jsonl" ||
		exit
}

# compare.json, and last, as it is remembered, track.json
bundle_track() {
	local before=$files/before.summary.json after=$files/after.summary.json
	local more=()
	tp-compare -q --json ${same[@]+"${same[@]}"} \
	    -o "$files/compare.json" "$before" "$after"
	made $? "$files/compare.json"
	[ -z "$label" ] || more+=("--label=$label")
	tp-track -q --no-fail ${same[@]+"${same[@]}"} ${more[@]+"${more[@]}"} \
	    -o "$both/track.jsonl" "$before" "$after"
	made $? "$both/track.jsonl"
	[ -z "$history" ] || more+=("--history=$history")
	tp-track -q --json --no-fail ${same[@]+"${same[@]}"} \
	    ${more[@]+"${more[@]}"} -o "$files/track.json" "$before" "$after"
	made $? "$files/track.json"
}

# The manifest last: what it tells of is there then.
bundle_manifest() {
	local f outcome verdict
	ask outcome -r track.summary.outcome "$both/track.jsonl"
	tp-render bundle-verdict -o "$files/verdict.md" "$both/compare.jsonl" \
	    "$both/findings.jsonl" "$both/track.jsonl" &&
	IFS= read -r verdict <"$files/verdict.md" &&
	tp-manifest -o "$work/manifest.json" --set label="$label" \
	    --set before_summary_path=before.summary.json \
	    --set after_summary_path=after.summary.json \
	    --set before_report_path=before.report.md \
	    --set after_report_path=after.report.md \
	    --set comparison_path=compare.json \
	    --set tracking_path=track.json \
	    --set verdict_path=verdict.md \
	    --set status="$outcome" --set verdict="$verdict" -- "$files" ||
		exit
	for f in "$files"/* "$work/manifest.json"; do
		tp-put --as "$me" "$folder/${f##*/}" "$f" || exit
	done
}

bundle_traces() {
	local same=() folder=$work files both
	tmp=$(mktemp -d) && work=$tmp files=$tmp/files both=$tmp/both &&
	    mkdir "$files" || die 4 "cannot make a temporary folder"
	[ -z "$allow_same" ] || same=(--allow-same)
	bundle_side before "${traces[0]}"
	bundle_side after "${traces[1]}"
	bundle_comparison
	bundle_track
	bundle_manifest
	print "$folder/manifest.json"
	exit $worst
}
