#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deps.sh build|demo|check|bench|fuzz|vm|libraries: installs from Debian's packages what is missing
# to build gotap, to run the demo, the tests, or the fuzzers. The only list of
# what gotap needs. a|b means that either will do. Needs root, but only when
# something is missing; tested on Debian 12 and 13.
set -eu

build='gcc libc6-dev make clang bpftool libbpf-dev libelf-dev libdw-dev zlib1g-dev libzstd-dev libseccomp-dev
	libcapstone-dev libjansson-dev libprotobuf-c-dev protobuf-c-compiler
	libcurl4-openssl-dev|libcurl4-gnutls-dev libmicrohttpd-dev libncurses-dev libgnutls28-dev libsqlite3-dev libcrypt-dev'
demo='procps util-linux'
check='ca-certificates chromium chromium-driver clang-format clang-tidy cppcheck curl debootstrap gcc-aarch64-linux-gnu git
	iproute2 jq libc6-dev-arm64-cross lld mandoc perl openssl procps python3 python3-prometheus-client
	qemu-user|qemu-user-static shellcheck tmux util-linux'
vm='binutils busybox-static gcc-aarch64-linux-gnu jq lz4 perl qemu-system-arm qemu-system-x86 xz-utils zstd'

top=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PATH:/usr/local/go/bin:/usr/sbin:/sbin

case ${1:-} in
build) want=$build ;;
demo) want="$build $demo" ;;
check) want="$build $demo $check" ;;
vm) want="$build $vm" ;;
bench) want="$build $demo $check bpftrace" ;;
libraries) # prints what the programs link, to build them for another machine
	for p in $build; do
		case $p in lib*-dev*) echo "${p%%|*}" ;; esac
	done
	exit
	;;
fuzz) want="$build ca-certificates libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev" ;;
*)
	echo "usage: deps.sh build|demo|check|bench|fuzz|vm|libraries" >&2
	exit 2
	;;
esac

installed() {
	for p in $(echo "$1" | tr '|' ' '); do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" != installed ] || return 0
	done
	return 1
}

if ! command -v apt-get >/dev/null; then
	echo "deps: no apt-get here; gotap needs what these Debian packages hold:" "$want" >&2
	exit 0
fi

missing=
for p in $want; do
	installed "$p" || missing="$missing ${p%%|*}"
done
if [ "$1" != build ]; then
	command -v go >/dev/null || missing="$missing golang-go"
fi

apt() {
	DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
need_root() {
	[ "$(id -u)" -eq 0 ] && return
	echo "deps: missing:$1; run this as root" >&2
	exit 1
}

if [ -n "$missing" ]; then
	need_root "$missing"
	echo "deps: installing$missing"
	apt update
	# shellcheck disable=SC2086  # a list of words
	apt install -y --no-install-recommends $missing
fi

# Debian's Prometheus is unpacked, not installed: its package starts a service.
# promtool is in a package of its own since Debian 13.
if [ "$1" = check ] && ! command -v promtool >/dev/null &&
	[ ! -x "$top/build/prometheus/usr/bin/promtool" ]; then
	need_root " prometheus"
	packages=prometheus
	[ -n "$missing" ] || apt update
	! apt-cache show promtool >/dev/null 2>&1 || packages="prometheus promtool"
	mkdir -p "$top/build/prometheus"
	cd "$top/build/prometheus"
	# shellcheck disable=SC2086  # a list of words
	apt -o APT::Sandbox::User=root download $packages
	for deb in *.deb; do
		dpkg-deb -x "$deb" .
		rm "$deb"
	done
fi
