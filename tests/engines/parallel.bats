#!/usr/bin/env bats
# examples/scale with GNU parallel: the bytes of one process.  Of "make
# check-engines"; each test says what it lacks.

load ranks

setup_file() {
	make_ranks
}

setup() {
	parallel --version 2>/dev/null | grep -q '^GNU' ||
		skip 'no GNU parallel (make proof-deps)'
	here
}

teardown() {
	nothing_read
	cd "$BATS_TEST_TMPDIR"
	[ ! -e sshd.pid ] || kill "$(cat sshd.pid)"
	[ ! -e made ] || rmdir /run/sshd
}

recipe() {
	sh "$scale/parallel.sh" "$label" "$1" got
}

over_ssh() {
	sh "$scale/parallel.sh" "$label" "$1" got hosts
}

# Two hosts, which are this one.
hosts() {
	# no test makes a machine one that others log in to
	PATH=$PATH:/usr/sbin command -v sshd >/dev/null ||
		skip 'no sshd of openssh-server'
	local port at=$BATS_TEST_TMPDIR
	port=$(python3 -c 'import socket as s
x = s.socket()
x.bind(("127.0.0.1", 0))
print(x.getsockname()[1])')
	ssh-keygen -q -t ed25519 -N '' -f "$at/host"
	ssh-keygen -q -t ed25519 -N '' -f "$at/user"
	cat >"$at/sshd.conf" <<-END
	ListenAddress 127.0.0.1:$port
	HostKey $at/host
	AuthorizedKeysFile $at/user.pub
	PidFile none
	StrictModes no
	AuthenticationMethods publickey
	SetEnv PATH=$PATH TP_SHARE=${TP_SHARE-$TP_ROOT/share}
	END
	cat >"$at/ssh.conf" <<-END
	Host one two
	HostName 127.0.0.1
	Port $port
	IdentityFile $at/user
	IdentitiesOnly yes
	UserKnownHostsFile $at/known
	StrictHostKeyChecking no
	LogLevel ERROR
	END
	printf '2/ssh -F %s one\n2/ssh -F %s two\n' "$at/ssh.conf" \
	    "$at/ssh.conf" >hosts
	# where sshd that root starts goes to
	if [ "$(id -u)" -eq 0 ] && [ ! -d /run/sshd ]; then
		mkdir /run/sshd
		touch "$at/made"
	fi
	"$(PATH=$PATH:/usr/sbin command -v sshd)" -D -e -f "$at/sshd.conf" \
	    >"$at/sshd.log" 2>&1 3>&- &
	echo $! >"$at/sshd.pid"
	for _ in {1..50}; do
		! ssh -F "$at/ssh.conf" one true 2>/dev/null || return 0
		sleep 0.1
	done
	cat "$at/sshd.log"
	! grep -q 'not allowed because account is locked' "$at/sshd.log" ||
		skip "the account of $(id -un) is locked"
	return 1
}

@test "parallel: 64 ranks, whose names are no words of a shell, are the bytes of one process" {
	same_bytes recipe
	RANKS=1 same_bytes recipe
}

@test "parallel: goes on behind a trace that ends early, and tells of it" {
	goes_on recipe
}

@test "parallel: a rank that was lost is told" {
	tells_lost recipe
}

@test "parallel: a trace that is not there is an error, and nothing of an earlier job is left" {
	touch got
	fails_missing recipe
}

@test "parallel over ssh: the same bytes, and an error of another host is one here" {
	hosts
	same_bytes over_ssh
	goes_on over_ssh
	rm got
	fails_missing over_ssh
	# 8 lists each, and whatever parallel asks the hosts
	[ "$(grep -c '^Accepted publickey' "$BATS_TEST_TMPDIR/sshd.log")" -ge 24 ]
}
