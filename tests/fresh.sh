#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# fresh.sh RELEASE…: runs the README's commands, as they stand there, in a new
# Debian of each release with nothing installed, so that a missing package shows:
# those of "Try it", then those of "A first trace" with the demo's backend as the
# server. With FRESH_RUN, that command instead. The roots are build/fresh-RELEASE, made
# by debootstrap and kept until make clean; the mounts live in a mount namespace
# of their own and end with it. The machine's apt and Go proxies are used inside.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || {
	echo "fresh.sh: needs root, for debootstrap" >&2
	exit 1
}

# The README's commands, without sudo: there is none in a new root.
commands() {
	sed -n '/^## Try it/,/^## /s/^    sudo //p' README.md
}

# What "A first trace" says, for a server that there is. The curl is another
# terminal's, and the Ctrl-C is timeout's.
first_trace() {
	lines=$(sed -n '/^## A first trace/,/^and to/s/^    //p' README.md |
		sed "s/ *#.*//; /^\$/d; s/^sudo //; s,/path/to/server,$server,; s/8080/$port/")
	curl=$(echo "$lines" | grep '^curl')
	pipeline=$(echo "$lines" | grep '^sh -c')
	cat <<-END
		apt-get -q install -y curl >/dev/null
		$server -addr 127.0.0.1:$port >/dev/null &
		trap "kill \$!" EXIT
		$(echo "$lines" | grep -Ev '^(curl|sh -c)')
		make install DESTDIR=/tmp/installed PREFIX=/usr
		/tmp/installed/usr/bin/gofind --version
		(for i in 1 2 3 4 5; do sleep 2; $curl; done >/dev/null 2>&1) &
		timeout -s INT 12 $pipeline || [ \$? -eq 124 ]
	END
}
server=build/targets/backend-local-plain port=18080

mirror() {
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list \
		2>/dev/null | grep -Eo 'https?://[^ ]*/debian/?( |$)' | head -n 1
}

make_root() { # RELEASE ROOT
	[ ! -e "$2/.made" ] || return 0
	rm -rf "$2"
	debootstrap --variant=minbase "$1" "$2" "$(mirror)" >"$2.log" 2>&1 || {
		tail -n 5 "$2.log" >&2
		return 1
	}
	apt-config dump | grep -E '^Acquire::(http|https|Retries)' \
		>"$2/etc/apt/apt.conf.d/90machine" || true
	if [ -d /usr/local/share/ca-certificates ]; then
		cp -R /usr/local/share/ca-certificates "$2/usr/local/share/"
	fi
	touch "$2/.made"
}

run_in() { # ROOT COMMANDS
	export ROOT="$1" COMMANDS="$2"
	unshare --mount --propagation private sh -eu -c '
		mount -t proc proc "$ROOT/proc"
		mount --rbind /sys "$ROOT/sys"
		mount --rbind /dev "$ROOT/dev"
		mount -t tmpfs tmpfs "$ROOT/tmp"
		cp /etc/resolv.conf /etc/hosts "$ROOT/etc/"
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
			${GOPROXY:+"GOPROXY=$GOPROXY"} ${GOSUMDB:+"GOSUMDB=$GOSUMDB"} \
			${http_proxy:+"http_proxy=$http_proxy"} \
			${https_proxy:+"https_proxy=$https_proxy"} ${no_proxy:+"no_proxy=$no_proxy"} \
			chroot "$ROOT" sh -e -c "cd /root/gotap; $COMMANDS" </dev/null'
}

failed=0
# try ROOT COMMANDS REGEX…: runs them, and is content if each regex is in what they say.
try() {
	root=$1 commands=$2
	shift 2
	echo "fresh: $release: $(echo "$commands" | tr '\n' ';')"
	status=good
	if run_in "$root" "$commands" >"$root.out" 2>&1; then
		for regex; do
			grep -Eq -- "$regex" "$root.out" || status="FAILED: no $regex in $root.out"
		done
	else
		status="FAILED: see $root.out"
	fi
	echo "fresh: $release: $status"
	[ "$status" = good ] || {
		tail -n 15 "$root.out"
		failed=1
	}
}

for release; do
	root=$(pwd)/build/fresh-$release
	mkdir -p build
	echo "fresh: $release: making the root"
	make_root "$release" "$root"
	rm -rf "$root/root/gotap"
	mkdir "$root/root/gotap"
	git archive HEAD | tar -x -C "$root/root/gotap"
	run_in "$root" "apt-get -q update >/dev/null"
	if [ -n "${FRESH_RUN:-}" ]; then
		try "$root" "$FRESH_RUN"
		continue
	fi
	# The demo has worked if it shows spans of both services.
	try "$root" "$(commands)" frontend backend /product
	[ "$status" = good ] || continue
	span='404 backend +GET /'
	! grep -q "This machine cannot trace" "$root.out" || span='cannot trace'
	try "$root" "$(first_trace)" '"type":"process".*backend' 'functions of' '^gofind' "$span"
done
exit "$failed"
