# shellcheck shell=bash disable=SC2154
# Traces of PyTorch, each of one rank: the recipe is share/report-pytorch.mk.

# What was sniffed, as the caller's loop has it in LINK and NUMBER.
pytorch_place() {
	place "$link" "torch-$number" && use='trace of PyTorch'
}

# A report is of one source.
pytorch_check() {
	local f torch=
	for f in "$links"/torch-*; do
		[ -e "$f" ] && torch=1
	done
	if [ -z "$torch" ]; then
		[ -z "$tier" ] || die_usage '--tier is for traces of PyTorch'
		return 0
	fi
	[ -z "$process$from$to$last" ] || die_usage '--process, --from, --to and
--last are for exports of Instruments'
	for f in "$links"/*; do
		case ${f##*/} in
		torch-* | bench-* | records-* | other-*) ;;
		*)
			printf '%s: %s\n' "$me" "'$first' holds traces of PyTorch
beside other exports: they are not in this report; name them alone" >&2
			rm -f "$links"/torch-*
			[ -z "$tier" ] || die_usage '--tier is for traces of PyTorch'
			return 0
			;;
		esac
	done
	[ -z "$etdump" ] || printf '%s: %s\n' "$me" "'$first' also holds tables \
of ExecuTorch: they are not in this report; name them alone" >&2
}
