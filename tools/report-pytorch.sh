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
	[ -n "$torch" ] || return 0
	[ -z "$process$from$to$last" ] || die_usage '--process, --from, --to and
--last are for exports of Instruments'
	for f in "$links"/*; do
		case ${f##*/} in
		torch-* | bench-* | records-* | other-*) ;;
		*)
			printf '%s: %s\n' "$me" "'$first' holds traces of PyTorch
beside other exports: they are not in this report; name them alone" >&2
			rm -f "$links"/torch-*
			return 0
			;;
		esac
	done
}
