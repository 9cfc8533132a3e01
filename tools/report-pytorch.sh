# shellcheck shell=bash disable=SC2154
# Traces of PyTorch, each of one rank: the recipe is share/report-pytorch.mk.

# What was sniffed, as the caller's loop has it in NUMBER.
pytorch_place() {
	place "torch-$number" && use='trace of PyTorch'
}

# What no other source has.
pytorch_only() {
	[ -z "$tier" ] || die_usage '--tier is for traces of PyTorch'
	[ ${#replays[@]} -eq 0 ] || die_usage '--replay is for traces of PyTorch'
}

# A report is of one source.
pytorch_check() {
	local f torch=
	for f in "$links"/torch-*; do
		[ -e "$f" ] && torch=1
	done
	if [ -z "$torch" ]; then
		pytorch_only
		return 0
	fi
	[ ${#replays[@]} -eq 0 ] || [ -n "$out" ] ||
		die_usage '--replay writes scripts: it needs -o DIR'
	[ -z "$out" ] || { tp-xlsx --check 2>/dev/null && xlsx=1; } ||
		printf '%s: %s\n' "$me" 'no perf_report.xlsx: this build was made
without libxlsxwriter; the same tables are in perf_report_csvs' >&2
	[ -z "$process$from$to$last" ] || die_usage '--process, --from, --to and
--last are for exports of Instruments'
	for f in "$links"/*; do
		case ${f##*/} in
		torch-* | bench-* | records-* | other-*) ;;
		*)
			printf '%s: %s\n' "$me" "'$first' holds traces of PyTorch
beside other exports: they are not in this report; name them alone" >&2
			rm -f "$links"/torch-*
			pytorch_only
			return 0
			;;
		esac
	done
	[ -z "$etdump" ] || printf '%s: %s\n' "$me" "'$first' also holds tables \
of ExecuTorch: they are not in this report; name them alone" >&2
}

# What was made of other traces of PyTorch, beside their records: no other
# report writes over all of it.
pytorch_forget() {
	local f
	[ -e "$work/torch.jsonl" ] || return 0
	for f in "$work"/{category_data,metadata}/*.json \
	    "$work"/{category_data,perf_report_csvs}/*.csv \
	    "$work"/{category,system}_findings/*_findings.md \
	    "$work"/replay_packages/*.py "$work"/priority_data.json \
	    "$work"/perf_report.xlsx "$work"/{tables,data,pages,replay}.made \
	    "$work"/{standalone_analysis,validation,system,compute}.md; do
		[ ! -e "$f" ] || rm -f "$f"
	done
	for f in category_data metadata perf_report_csvs category_findings \
	    system_findings replay_packages; do
		[ ! -d "$work/$f" ] || rmdir "$work/$f" 2>/dev/null
	done
	return 0
}
