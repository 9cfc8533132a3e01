#!/bin/sh
# Records of many ranks by Slurm, and what they say together: an array job, and
# a job behind it.
#
#	submit.sh LABEL NAMES FOLDER
#
# NAMES has the path of a trace in each line.  FOLDER is made, on a disk that
# all nodes see.  RANKS is how many a task of the array reads (64).  Prints the
# numbers of both jobs; the second leaves FOLDER/job.jsonl.
set -eu

if [ $# -ne 3 ]; then
	echo 'usage: submit.sh LABEL NAMES FOLDER' >&2
	exit 2
fi
here=$(dirname "$0")
label=$1 names=$2 folder=$3 ranks=${RANKS:-64}
count=$(awk 'NF { n++ } END { print n + 0 }' <"$names")
if [ "$count" -eq 0 ]; then
	echo "submit.sh: no names in '$names'" >&2
	exit 2
fi
case $PWD/$folder in
*[%\\]*)
	echo "submit.sh: Slurm takes % and \\ in '$PWD/$folder' for its own" >&2
	exit 2
	;;
esac

# one that is new has no part of another job
mkdir "$folder"
awk NF <"$names" | split -l "$ranks" -d -a 4 - "$folder/names."
map=$(sbatch --parsable --array="0-$(((count - 1) / ranks))" \
    --output="$folder/map.%a.log" "$here/map.sbatch" "$label" "$folder")
echo "$map"
# of another cluster it is "number;cluster"
sbatch --parsable --dependency="afterok:${map%%;*}" \
    --kill-on-invalid-dep=yes --output="$folder/reduce.log" \
    "$here/reduce.sbatch" "$folder" "$count"
