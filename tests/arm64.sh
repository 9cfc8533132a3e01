#!/bin/sh
# arm64.sh FOLDER: libtp and its unit tests for arm64, run by qemu
#
# The libraries come as Debian's packages for arm64, unpacked into FOLDER and
# not installed: apt gets lists of its own there.  Prints TAP.
set -u
out=$1
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
root=$out/arm64-root
for program in aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg; do
	command -v $program >/dev/null || {
		echo "ok portable: arm64 # skip no $program (make proof-deps)"
		exit 0
	}
done

# get: headers and libraries of Debian's arm64 below $root.
get() {
	[ -e "$root/ok" ] && return
	mkdir -p "$out/apt/lists/partial" "$out/apt/archives/partial" \
	    "$out/debs" "$root"
	: >"$out/apt/status"
	options="-o APT::Architecture=arm64 -o APT::Architectures=arm64 \
	    -o Dir::State::status=$out/apt/status \
	    -o Dir::State::lists=$out/apt/lists \
	    -o Dir::Cache=$out/apt -o APT::Sandbox::User=root"
	# shellcheck disable=SC2086 # a list
	apt-get $options -q update >"$out/apt.log" 2>&1 || return 1
	# shellcheck disable=SC2086
	(cd "$out/debs" && apt-get $options -q download libcsv-dev libcsv3 \
	    libcjson-dev libcjson1 libexpat1-dev libexpat1 zlib1g-dev zlib1g \
	    libssl-dev libssl3) >>"$out/apt.log" 2>&1 || return 1
	for deb in "$out"/debs/*.deb; do
		dpkg -x "$deb" "$root" || return 1
	done
	touch "$root/ok"
}

get || {
	echo 'ok portable: arm64 # skip no packages of Debian for arm64'
	tail -n 3 "$out/apt.log" | sed 's/^/# /'
	exit 0
}
lib=$root/usr/lib/aarch64-linux-gnu
units=$(ls tests/unit/*.c | sed "s|.*/\(.*\)\.c|$out/arm64/unit/\1|")
# shellcheck disable=SC2086
if make -s -j2 B="$out/arm64" CC=aarch64-linux-gnu-gcc WITHOUT_ISAL=1 \
    CPPFLAGS="-I$root/usr/include -I$root/usr/include/aarch64-linux-gnu" \
    CFLAGS='-O2 -Werror' LDFLAGS="-L$lib -L$root/lib/aarch64-linux-gnu \
    -Wl,-rpath-link,$lib:$root/lib/aarch64-linux-gnu" \
    $units "$out/arm64/tp-gpu-intervals" "$out/arm64/tp-rows" \
    "$out/arm64/tp-trace" >"$out/log" 2>&1; then
	echo 'ok portable: arm64 builds'
else
	echo 'not ok portable: arm64 builds'
	head -n 20 "$out/log" | sed 's/^/# /'
	exit 1
fi

TP_SHARE=${TP_SHARE-$PWD/share}
export TP_SHARE
# A program as if it were one of this machine.
mkdir -p "$out/arm64/run"
for program in $units "$out"/arm64/tp-*; do
	[ -f "$program" ] && [ -x "$program" ] || continue
	cat >"$out/arm64/run/$(basename "$program")" <<END
#!/bin/sh
exec qemu-aarch64 -L /usr/aarch64-linux-gnu \
    -E LD_LIBRARY_PATH="$lib:$root/lib/aarch64-linux-gnu" "$program" "\$@"
END
done
chmod +x "$out"/arm64/run/*
# Cases hand records on to other filters: those are of this machine.
for program in build/tp-*; do
	[ -e "$out/arm64/run/$(basename "$program")" ] ||
	    ln -s "$PWD/$program" "$out/arm64/run/"
done
failed=0
for test in "$out"/arm64/run/test_*; do
	name=$(basename "$test")
	if "$test" >"$out/log" 2>&1; then
		echo "ok portable: arm64, $name ($(grep -c '^ok' "$out/log"))"
	else
		echo "not ok portable: arm64, $name"
		grep -v '^ok' "$out/log" | head -n 20 | sed 's/^/# /'
		failed=1
	fi
done
for filter in tp-gpu-intervals tp-rows tp-trace; do
	if sh tests/golden.sh "$out/arm64/run" $filter \
	    >"$out/log" 2>&1; then
		echo "ok portable: arm64, golden cases of $filter"
	else
		echo "not ok portable: arm64, golden cases of $filter"
		grep -v '^ok' "$out/log" | head -n 20 |
		    sed 's/^/# /'
		failed=1
	fi
done
exit $failed
