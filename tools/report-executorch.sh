# shellcheck shell=bash
# What tp-report does with a run folder of ExecuTorch; the Makefile puts it in
# the place of "#@ report-executorch.sh".  Uses first, links, work, sniffed.

# The name that files of one experiment share, of the base name $1; kind is
# what this one is, by how it ends.
executorch_stem() {
	local e
	stem=${1%.gz} kind=
	stem=${stem%.csv} stem=${stem%.tsv} stem=${stem%.log}
	for e in _exec_all_runs_timeline _exec_run0_timeline _exec_ops_stats \
	    _xtrace_all_runs_timeline _xtrace_run0_timeline _xtrace_ops_stats \
	    _all_runs_timeline _run0_timeline _ops_stats _xnntrace _kernels \
	    _latency; do
		case $stem in
		*?"$e") stem=${stem%"$e"} kind=$e && break ;;
		esac
	done
}

# One file of an experiment, as run-NNN and what it is.  Experiments are
# counted in the order of their files.
lost=
keys=()
labels=()
executorch_link() {	# PATH KIND
	local n=0 dir base key to seen
	split_path "$1"
	key=$dir/$stem
	for seen in ${keys[@]+"${keys[@]}"}; do
		[ "$seen" != "$key" ] || break
		n=$((n + 1))
	done
	if [ "$n" -eq ${#keys[@]} ]; then
		keys+=("$key")
		for seen in ${labels[@]+"${labels[@]}"}; do
			[ "$seen" != "$stem" ] || stem="${dir##*/}/$stem"
		done
		labels+=("$stem")
		# a link to what is no file: a name that no one parses
		printf -v to '%s/name-%03d' "$links" $((n + 1))
		ln -s -- "$stem" "$to"
	fi
	printf -v to '%s/run-%03d%s' "$links" $((n + 1)) "$2"
	[ ! -L "$to" ] || return 1
	ln -s -- "$1" "$to"
}

# Sort what was found by what it is for, when it is a run of ExecuTorch and
# nothing else.  Logs are told apart by what is in them.
executorch_sort() {
	local f file format table path name
	[ -z "$exported" ] || return 0
	for f in "$links"/*; do
		case ${f##*/} in
		all | other-* | records-*) ;;
		*) return ;;
		esac
	done
	# records that someone left there are not those of this report
	rm -f "$links"/other-* "$links"/records-*
	et=1 listing= recognised=0 at=0
	while IFS='	' read -r file format table; do
		[ -n "$file" ] || continue
		find_file "$file"
		path=$target
		name=${path##*/}
		executorch_stem "$name"
		use=
		case $format/$table in
		csv/etdump-*)
			case $kind in
			*_ops_stats | *_timeline) ;;
			*) kind= ;;
			esac
			use="table $table"
			executorch_link "$path" "$kind" ||
				use='a second one of these, not used'
			;;
		csv/xnnpack-kernels)
			use='list of kernels'
			executorch_link "$path" _kernels || use='a second list, not used' ;;
		json/*)
			case $name in
			*_robust_stats.json | *_comparison.json | \
			operator_analysis.json | analysis_summary.json)
				use='result of an analysis, not used' ;;
			*)
				use=document
				ln -s -- "$path" "$links/doc-$number" ;;
			esac
			;;
		empty/* | lfs-pointer/* | html/* | utf-16/*)
			# lost on the way: the filters say so, and the report
			case $name in
			*.json | *.json.gz)
				printf '%s: %s\n' "$me" \
				    "'${path//[[:cntrl:]]/?}': $format instead of a document" >&2
				lost=3 ;;
			*.csv | *.tsv | *.csv.gz)
				[ -z "$kind" ] || executorch_link "$path" "$kind" ;;
			*.log) executorch_log "$path" ;;
			esac
			: "${use:=$format instead of a file of the run}"
			;;
		*)
			case $name in
			*.log | *.txt | *.log.gz)
				executorch_log "$path" ;;
			esac
			;;
		esac
		[ -z "$use" ] || recognised=$((recognised + 1))
		listing+="${name//[[:cntrl:]]/?}	${use:-not recognised}
"
	done <<-END
	$sniffed
	END
}

executorch_log() {	# PATH
	if gzip -cdf <"$1" 2>/dev/null | grep -a -i -q "Using .* microkernel"
	then
		use='log of kernels'
		executorch_link "$1" _xnntrace || use='a second log, not used'
	elif gzip -cdf <"$1" 2>/dev/null | grep -a -q 'executed successfully'
	then
		use='log of a runner'
		ln -s -- "$1" "$links/log-$number"
	elif [ "$kind" = _xnntrace ]; then
		# its emptiness says that the runner logs no kernels
		use='log of kernels'
		executorch_link "$1" _xnntrace || use='a second log, not used'
	fi
}

# What the recipe made, without what it made it from.
executorch_made() {
	local f
	for f in "$work"/run-[0-9]*.jsonl "$work"/kernels-[pr]*.jsonl \
	    "$work"/experiments.jsonl "$work"/pair-[0-9]*.jsonl; do
		[ ! -e "$f" ] || printf '%s\n' "$f"
	done
}

executorch_forget() {
	local f
	while IFS= read -r f; do
		[ -z "$f" ] || rm -f "$f"
	done <<-END
	$(executorch_made)
	END
	rm -f "$work"/pairs.mk "$work"/findings-[pr]*.jsonl
}

# Of one experiment alone its own records, of one trace: to compare it.
executorch_records() {
	local f
	while IFS= read -r f; do
		case $f in
		*/pair-*) ;;
		*/experiments.jsonl)
			[ ${#keys[@]} -eq 1 ] || cat "$f" || return 1 ;;
		?*) cat "$f" || return 1 ;;
		esac
	done <<-END
	$(executorch_made)
	END
}

# The report and what else is to be read, into FOLDER; statistics are called
# by the timeline they are of.
executorch_put() {	# FOLDER
	local f n
	for f in "$work"/report.md "$work"/kernel_view.md \
	    "$work"/operator_analysis.json; do
		[ ! -e "$f" ] || executorch_copy "$f" "$1/${f##*/}"
	done
	for f in "$work"/robust-[0-9]*.json; do
		[ -e "$f" ] || continue
		n=${f##*/robust-}
		n=$(readlink "$work/in/name-${n%.json}")
		case $n in
		*/* | .* | '') continue ;;
		esac
		executorch_copy "$f" "$1/${n}_robust_stats.json"
	done
}

# 1 when documents and tables disagree.
executorch_valid() {
	! grep -q '^{"kind":"validation.summary".*"verdict":"fail"' \
	    "$work/experiments.jsonl"
}

# One report of several run folders, each made in a folder of its own.
executorch_combine() {
	local n=0 o s numbers=
	worst=0 et=1
	for o in "${traces[@]}"; do
		case $work/ in
		"$(absolute "$o")"/*) die 2 "-o must be outside of '$o'" ;;
		esac
		n=$((n + 1)) numbers="$numbers $n"
		"$here/$me" -j "$jobs" -o "$work/$n" ${validate:+--validate} \
		    ${limits[@]+"${limits[@]}"} -- "$o"
		s=$?
		[ $s -le 3 ] || exit $s
		[ -e "$work/$n/experiments.jsonl" ] ||
			die 3 "'$o' holds no run of ExecuTorch"
		[ $s -le "$worst" ] || worst=$s
	done
	mkdir -p "$work/in" && rm -f "$work/failed" "$work"/in/* \
	    "$work/combined.md" "$work"/[0-9]*/p[0-9]*.md ||
		die 4 "cannot write to '$work'"
	[ -z "$title" ] || printf '%s\0' "title=$title" >"$work/in/meta"
	[ -z "$notes" ] || ln -s "$(absolute "$notes")" "$work/in/notes"
	run_make "$work" COMBINED="$numbers" ./combined_report.md ||
		die_made "$work" report
	if [ -n "$report" ]; then
		executorch_copy "$work/combined_report.md" "$report"
	elif [ -z "$out" ]; then
		cat "$work/combined_report.md" || exit 4
	fi
	exit "$worst"
}

# FILE as TO, whole or not at all.
executorch_copy() {
	cp -- "$1" "$2.part" && mv -- "$2.part" "$2" ||
		die 4 "cannot write '$2'"
}
