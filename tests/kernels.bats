#!/usr/bin/env bats
# tp-kernels on a large log, and beside what the kit that made the data says.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	DATA=$TP_ROOT/../shared/data/executorch/synth_flat/runs
	PEER=$TP_ROOT/../shared/expected/executorch/peer
}

needs_shared() {
	[ -d "$DATA" ] && [ -d "$PEER" ] || skip "no ../shared"
}

# The kit's list without CR and its model, with what we mean to differ in put
# right: of a name with two data types both are, and the tile of a transpose
# is no part of the instructions.
put_right() {
	tr -d '\r' <"$1" | cut -d, -f2- | sed \
	    -e 's/,qp8,f32,qc4w,/,qp8_f32_qc4w,gemm,minmax,/' \
	    -e 's/,transposec,,,4x4_/,transposec,,4x4,/'
}

@test "kernels: the columns of the kit's list, but for two names" {
	needs_shared
	for run in mac_sme2_on mac_sme2_off android_sme2_on; do
		tp-kernels "$DATA/${run%%_*}"/*_"$run"_t1_xnntrace.log |
		    tp-csv kernel --as kernels | cut -d, -f2- >ours
		put_right "$PEER/${run}_kernels.csv" >theirs
		diff theirs ours || fail "$run"
		diff <(tr -d '\r' <"$PEER/${run}_kernels.csv" | cut -d, -f2-) \
		    ours >differ || :
		[ "$(grep -c '^<' differ)" -le 3 ]
	done
}

@test "kernels: a list that the kit made gives the same kernels as the log" {
	needs_shared
	run=mac_sme2_on
	tp-kernels "$DATA"/mac/*_"$run"_t1_xnntrace.log | plain >log
	tp-kernels "$PEER/${run}_kernels.csv" | plain >list
	diff log list
}

@test "kernels: present and absent as in the kit's view, all and gemm" {
	needs_shared
	# theirs has the run with SME2 first, marks, and a constant column
	view() {
		sed -n 's/^| \(`[^|]*\)|\([^|]*\)|\([^|]*\)|\([^|]*\)|.*/\1|\2|\3|\4/p' |
		    sed -e 's/[^ -~]//g' -e 's/\*\*//g' -e 's/  */ /g'
	}
	for match in '*' '*gemm*'; do
		name=kernel_view_mac.md
		[ "$match" = '*' ] || name=kernel_view_gemm_mac.md
		tp-kernels -m "$match" "$DATA"/mac/*_xnntrace.log |
		    tp-render kernel_view | view |
		    awk -F'|' '{ print $1 "|" $3 "|" $2 "|" $4 }' >ours
		view <"$PEER/$name" >theirs
		[ "$(wc -l <ours)" -gt 5 ]
		diff theirs ours || fail "$match"
	done
}

@test "kernels: operators of the run with SME2 prove it, those without do not" {
	needs_shared
	tp-kernels "$DATA"/mac/*_ops_stats.csv >records
	[ "$(grep on_t1 records | tp-query -r \
	    kernel.summary.proof_operator_count)" = 4 ]
	[ "$(grep off_t1 records | tp-query -r \
	    kernel.summary.proof_operator_count)" = 0 ]
	# and the timeline has the same names
	tp-kernels "$DATA"/mac/*_exec_all_runs_timeline.csv >timeline
	diff <(grep evidence records | grep -o '"operator":"[^"]*"' | sort) \
	    <(grep evidence timeline | grep -o '"operator":"[^"]*"' | sort)
}

# bats test_tags=rest
@test "kernels: a log of 1 GB takes no more memory than its names" {
	line="I XNNPACK : Using gemm microkernel 'xnn_f32_gemm__neon'."
	yes "$line" | head -c 1073741824 | limited tp-kernels >out 2>err ||
	    [ $? -eq 3 ]
	grep -q '"kernel_name":"xnn_f32_gemm__neon"' out || fail "$(cat err)"
}

# bats test_tags=rest
@test "kernels: a line without end is cut, and what follows is read" {
	{
		head -c 1000000000 /dev/zero
		echo
		echo "Using gemm microkernel 'xnn_f32_gemm__neon'."
	} >log
	limited tp-kernels log >out
	grep -q '"kernel_name":"xnn_f32_gemm__neon"' out
	grep -q '"code":"line.long"' out
}

@test "kernels: damaged words of names are told" {
	mkdir share
	cp -R "$TP_ROOT/share/." share/
	echo '{}' >share/ops/xnnpack.json
	TP_SHARE=$PWD/share run tp-kernels /dev/null
	[ "$status" -eq 3 ]
	[[ $output = *"share/ops/xnnpack.json: 'dtypes': no pattern"* ]]
	jq '.arch[0].name = "SME3"' "$TP_ROOT/share/ops/xnnpack.json" \
	    >share/ops/xnnpack.json
	TP_SHARE=$PWD/share run tp-kernels /dev/null
	[ "$status" -eq 3 ]
	[[ $output = *"'arch', row 1: there is no class 'SME3'"* ]]
}
