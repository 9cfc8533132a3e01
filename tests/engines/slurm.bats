#!/usr/bin/env bats
# examples/scale with Slurm: the bytes of one process.  A munged, slurmctld and
# slurmd of their own run on this machine as long as the file does.  Of "make
# check-engines"; each test says what it lacks.

load ranks

# daemon COMMAND...: start it; its process is in PROGRAM.pid
daemon() {
	"$@" >"$1.log" 2>&1 3>&- &
	echo $! >"$1.pid"
}

can_run() {
	local program
	lacks=
	for program in slurmctld slurmd sbatch munged; do
		command -v $program >/dev/null ||
			lacks="no $program of slurm-wlm (make proof-deps)"
	done
	[ "$(id -u)" -eq 0 ] || lacks='slurmd wants root'
	[ -z "$lacks" ]
}

setup_file() {
	PATH=$PATH:/usr/sbin
	export SLURM_CONF=$BATS_FILE_TMPDIR/slurm/slurm.conf
	can_run || return 0
	make_ranks
	mkdir slurm
	cd slurm
	set -- $(python3 -c 'import socket as s
xs = [s.socket(), s.socket()]
for x in xs:
	x.bind(("127.0.0.1", 0))
	print(x.getsockname()[1])')
	mkdir state spool
	(umask 077 && head -c 1024 /dev/urandom >key)
	cat >slurm.conf <<-END
	ClusterName=one
	SlurmctldHost=localhost
	SlurmctldPort=$1
	SlurmdPort=$2
	CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
	AuthType=auth/munge
	AuthInfo=socket=$PWD/socket
	CredType=cred/munge
	SlurmUser=root
	SlurmdUser=root
	StateSaveLocation=$PWD/state
	SlurmdSpoolDir=$PWD/spool
	SlurmctldPidFile=$PWD/slurmctld.own
	SlurmdPidFile=$PWD/slurmd.own
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	MpiDefault=none
	SwitchType=switch/none
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=sched_interval=1,batch_sched_delay=0
	PlugStackConfig=/dev/null
	NodeName=one NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=4
	PartitionName=all Nodes=ALL Default=YES State=UP
	END
	# the folders above are of one user; who lacks the key is told nothing
	daemon munged -F -f --socket="$PWD/socket" --key-file="$PWD/key" \
	    --pid-file="$PWD/munged.own" --seed-file="$PWD/seed" \
	    --log-file="$PWD/munged.log"
	until [ -S socket ]; do
		kill -0 "$(cat munged.pid)"
		sleep 0.1
	done
	daemon slurmctld -D
	daemon slurmd -D -N one
	for _ in {1..100}; do
		[ "$(sinfo -h -o %t 2>/dev/null)" != idle ] || return 0
		sleep 0.1
	done
	cat ./*.log
	return 1
}

setup() {
	can_run || skip "$lacks"
	here "${folder//[%\\]/}"
	unset ${!SBATCH_*} ${!SLURM_*}
	export SLURM_CONF=$BATS_FILE_TMPDIR/slurm/slurm.conf
}

teardown() {
	nothing_read
}

teardown_file() {
	local pid
	cd "$BATS_FILE_TMPDIR/slurm" 2>/dev/null || return 0
	scancel -u root || :
	done_all || :
	for pid in slurmd slurmctld munged; do
		[ ! -e $pid.pid ] || kill "$(cat $pid.pid)" || :
	done
	wait
}

# done_all: wait until no job is left
done_all() {
	for _ in {1..300}; do
		[ -n "$(squeue -h -o %i)" ] || return 0
		sleep 0.2
	done
	squeue
	return 1
}

# status_of JOB: as it exited; "cancelled" when it did not run
status_of() {
	scontrol show job -o "$1" | sed -n '
	    s/.*JobState=CANCELLED.*/cancelled/p
	    s/.*ExitCode=\([0-9]*\):.*/\1/p' | head -n 1
}

recipe() {
	local reduce status
	rm -rf out
	reduce=$(sh "$scale/submit.sh" "$label" "$1" out | tail -n 1)
	done_all
	cat out/*.log
	rm -f got
	[ ! -e out/job.jsonl ] || mv out/job.jsonl got
	status=$(status_of "$reduce")
	[ "$status" != cancelled ] || return 1
	return "$status"
}

@test "slurm: 64 ranks, whose names are no words of a shell, are the bytes of one process" {
	# the last task has fewer
	RANKS=20 same_bytes recipe
	[ "$(ls out/part.* | wc -l)" -eq 4 ]
}

@test "slurm: goes on behind a trace that ends early, and tells of it" {
	RANKS=16 goes_on recipe
}

@test "slurm: a shard that was lost is told" {
	RANKS=16 same_bytes recipe
	rm out/part.0001.jsonl
	sbatch --output=log "$scale/reduce.sbatch" out 64
	done_all
	grep 'there are 48 ranks' log
	jq -e -s '[.[] | select(.code == "rank.missing") | [.status, .count]] ==
	    [[3, 16]]' out/job.jsonl
}

@test "slurm: a rank that was lost in a task is told" {
	tells_lost recipe
}

@test "slurm: a trace that is not there is an error, and its task alone can be run again" {
	RANKS=16 fails_missing recipe
	[ "$(ls out/part.* | wc -l)" -eq 3 ]
	sed -i 's/rank17-missing/rank17/' out/names.*
	sbatch --array="$(basename "$(grep -l rank17 out/names.*)" |
	    sed 's/names\.0*//; s/^$/0/')" --output=log "$scale/map.sbatch" \
	    "$label" out
	done_all
	sbatch --output=log "$scale/reduce.sbatch" out 64
	done_all
	cmp out/job.jsonl whole
}

@test "slurm: a folder that Slurm would read otherwise is refused, and one that is there" {
	run -2 sh "$scale/submit.sh" "$label" names 'a%j'
	run -1 sh "$scale/submit.sh" "$label" names .
	run -2 sh "$scale/submit.sh" "$label" /dev/null out
	[ ! -e out ]
}
