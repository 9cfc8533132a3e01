#!/bin/sh
# records.sh BEFORE BUILD SHARED: that two builds write the same records
#
# Every file of SHARED/data of at most 60 MB is read by each filter for its
# format, of the build in the folder BEFORE, whose share/ is beside it, and of
# BUILD, and what they write and their status compared.  Names what differs;
# the last line counts, and the status is 1 when anything does.
set -u
before=$(cd "$1" && pwd) && now=$(cd "$2" && pwd) || exit 2
if [ ! -d "$3/data" ]; then
	echo "ok # skip no $3/data"
	echo "0 the same, 0 differ, 1 skipped"
	exit 0
fi
same=0 differ=0

# what FILTER of BUILD makes of FILE, in short
said() {
	TP_SHARE=$1/../share timeout 100 "$1/$2" -q "$3" 2>&1
	echo "status $?"
}

filters_of() {
	case $1 in
	*.pb) echo rows ops trace;;
	*.sqlite | *.db | *.nsys-rep | *.etdp | *.bin) echo rows trace etdump;;
	*.xml | *.csv | *.csv.gz)
		echo rows gpu-intervals cmdbuf cpu-top mem kernels gpu-counters;;
	*) echo rows trace ops cpu-top etdump mem;;
	esac
}

list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT
find "$3/data" -type f -size -60M | LC_ALL=C sort >"$list"
while IFS= read -r file; do
	for filter in $(filters_of "$file"); do
		if [ "$(said "$before" "tp-$filter" "$file" | cksum)" = \
		    "$(said "$now" "tp-$filter" "$file" | cksum)" ]; then
			same=$((same + 1))
		else
			differ=$((differ + 1))
			echo "not ok tp-$filter ${file#"$3/data/"}"
		fi
	done
done <"$list"
echo "$same the same, $differ differ, 0 skipped"
[ $differ -eq 0 ]
