# shellcheck shell=sh
# browser.sh: what tests that need a browser begin with, sourced by them with
# "build", the folder of the programs, set; sets "chromium".  A test whose
# programs are not installed ends here, and says which.
PATH=${build:?}:$PATH
TP_SHARE=$PWD/share
LC_ALL=C
export PATH TP_SHARE LC_ALL

for chromium in ${CHROMIUM:-chromium chromium-browser google-chrome}; do
	command -v "$chromium" >/dev/null && break
done

# need TEST PROGRAM...
need() {
	test=$1
	shift
	for program in "$@" "$chromium"; do
		command -v "$program" >/dev/null || {
			echo "ok $test: everything # skip no $program (make proof-deps)"
			exit 0
		}
	done
}
