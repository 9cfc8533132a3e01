# shellcheck shell=sh
# What the lines of tests/faults/scripts need; read by scripts.sh.
cases=$TP_BUILD/cases

# A script with one fault of its own; "careful" has none.
careless() {
	cat <<-'END'
	#!/usr/bin/env bash
	set -u
	mode=$1
	fail() {
		echo "careless: $*" >&2
		exit 4
	}
	t=
	trap '[ -z "$t" ] || rm -f "$t"' EXIT
	case $mode in
	silent)
		t=$(mktemp ./.p.XXXXXX 2>/dev/null) || exit 4
		sort in >"$t" 2>/dev/null && mv "$t" product 2>/dev/null ||
			exit 4
		;;
	forgetful)
		t=$(mktemp ./.p.XXXXXX) || fail 'no file'
		sort in >"$t"
		mv "$t" product
		;;
	half) sort in >product || fail 'cannot sort' ;;
	lost)
		rm -f product || fail 'cannot remove'
		t=$(mktemp ./.p.XXXXXX) || fail 'no file'
		sort in >"$t" && mv "$t" product || fail 'cannot sort'
		;;
	litter)
		n=$(mktemp) || fail 'no file'
		sort in >"$n" && mv "$n" product || fail 'cannot sort'
		;;
	stuck)
		mkdir .lock || fail 'another runs'
		t=$(mktemp ./.p.XXXXXX) || fail 'no file'
		sort in >"$t" && mv "$t" product || fail 'cannot sort'
		rmdir .lock || fail 'cannot unlock'
		;;
	remains)
		: >product
		n=$(sort in) || fail 'cannot sort'
		echo "$n" >product
		;;
	hang)
		until n=$(sort /dev/null /dev/null in) || [ -e gone ]; do
			cat /dev/zero >/dev/null
		done
		;;
	unbound)
		n=$(sort in) && known=1
		echo "$known" >/dev/null
		;;
	careful)
		t=$(mktemp ./.p.XXXXXX) || fail 'no file'
		sort in >"$t" && mv -f "$t" product || fail 'cannot sort'
		;;
	esac
	END
}

# tp-export: a trace, and an xctrace that serves served/TABLE
exports() {
	# what is whole may be exported again
	talk='s/  kept, /  /; s/  kept$/  exported/'
	mkdir served 'run 1.trace' &&
	    mkflux x >/dev/null && cp x/flux_example/*/*/*toc.xml served/toc ||
		return
	tp-rows -q --sniff x/flux_example/*/*/*.xml |
	    while IFS='	' read -r file format table; do
		[ "$format" != xml ] || cp "$file" "served/$table"
	done
	rm -r x
	stub xctrace <<-'END'
	#!/bin/sh
	table=toc output=
	while [ $# -gt 0 ]; do
		case $1 in
		--xpath) table=${2#*@schema=\"} table=${table%%\"*} ;;
		--output) output=$2 ;;
		esac
		shift
	done
	if [ -e "served/$table" ]; then
		exec cp "served/$table" "$output"
	fi
	printf '<?xml version="1.0"?>\n<trace-query-result>\n%s\n' \
	    '</trace-query-result>' >"$output"
	END
}

exported() {
	exports && tp-gpu-intervals --version >/dev/null &&
	    PATH=$tmp/real:$PATH tp-export 'run 1.trace'
	rm -f 'run 1'/*_time_profile.xml
}

# Two small captures of JAX
captures() {
	mkjax --steps 8 before && mkjax --steps 8 --seed 7 after &&
	    touch -t 202601151100 before/plugins/profile/*/* &&
	    touch -t 202601161100 after/plugins/profile/*/*
}

# A store with one, under a name and an alias
store() {
	captures && mkdir store && tp-publish --store store --run-target \
	    lab/llm/before --capture before && rm -r before after
}

# It was fetched, and has been changed since.
fetched() {
	store && tp-fetch --store store --download-root root lab/llm/before ||
		return
	echo x >>"$(echo root/*/*/*/*/plugins/profile/*/*.json)"
}

# The summary and report of one, and a store that has an older version
summary() {
	captures && tp-summary -q before >s.json && tp-report s.json >s.md &&
	    mkdir store && tp-publish --store store --entity lab --project llm \
	    --name n -s s.json -r s.md && rm -r before after
}

empty_store() {
	captures && mkdir store
}

# A wandb that serves served/, and takes what is put there
wandb_stub() {
	stub wandb <<-'END'
	#!/bin/sh
	last=
	while [ $# -gt 0 ]; do
		[ "$1" != --root ] || root=$2
		last=$1
		shift
	done
	[ -n "${root-}" ] || exec rm -rf nowhere
	echo 'Downloading'
	exec cp -Rp served/. "$root/"
	END
}

wandb_fetch() {
	captures && mv before served && rm -r after && wandb_stub
}

wandb_publish() {
	summary && rm -r store && wandb_stub
}

instruments() {
	mkdir trace &&
	    cp "$cases"/tp-gpu-intervals/overlap-counts-once/in.csv \
	    trace/gpu.csv &&
	    cp "$cases"/tp-cpu-top/self-and-total/in.csv trace/cpu.csv &&
	    echo 'seen by a person' >notes.txt
}

# Two recordings, by the names of their files
recordings() {
	instruments && for run in a b; do
		cp trace/gpu.csv trace/${run}_metal_gpu_intervals.csv &&
		    cp trace/cpu.csv trace/${run}_time_profile.csv || return
	done && sed 's/,100,/,130,/' trace/gpu.csv \
	    >trace/b_metal_gpu_intervals.csv && sed 's/main/other/' \
	    trace/cpu.csv >trace/b_time_profile.csv &&
	    rm trace/gpu.csv trace/cpu.csv notes.txt
}

# A report was made, and an input is another since.
made() {
	instruments && rm notes.txt && tp-report -j 1 -o out trace &&
	    sed 's/,100,/,130,/' trace/gpu.csv >new && mv new trace/gpu.csv
}

made_comparison() {
	two_instruments && tp-report -j 1 --compare -o out before after &&
	    sed 's/,130,/,170,/' after/gpu.csv >new && mv new after/gpu.csv
}

made_pytorch() {
	pytorch && tp-report -j 1 -o out --replay aten::mm trace &&
	    sed 's/"dur": *1/"dur": 2/' trace/t.json >new && mv new trace/t.json
}

jax() {
	mkdir trace && cp "$cases"/tp-trace/two-devices/in.json \
	    trace/a.trace.json
}

pytorch() {
	mkdir trace && cp "$cases"/tp-trace/torch/in.json trace/t.json
}

ranks() {
	mktorch --steps 2 trace
}

two_pytorch() {
	pytorch && cp -R trace before && mv trace after &&
	    sed 's/"dur": *1/"dur": 2/' before/t.json >after/t.json
}

executorch() {
	mketdump .
}

two_jax() {
	captures
}

two_instruments() {
	instruments && cp -R trace before && mv trace after &&
	    sed 's/,100,/,130,/' before/gpu.csv >after/gpu.csv
}
