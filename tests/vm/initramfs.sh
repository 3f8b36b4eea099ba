#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# initramfs.sh OUT BUSYBOX SYSROOT PROGRAM… [-- NAME=FILE…]: a file system of busybox,
# the programs with the shared libraries that they need (from SYSROOT, "" for this
# machine's), and other files under the given names, that starts tests/vm/init.sh.
set -eu

out=$1 busybox=$2 sysroot=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp"
cp "$busybox" "$root/bin/busybox"
cp "$here/init.sh" "$root/init"

# find_library NAME: its path.
find_library() {
	for dir in lib usr/lib; do
		for at in "$sysroot/$dir"/*-linux-gnu*/"$1" "$sysroot/$dir/$1" "$sysroot/${dir}64/$1"; do
			case $at in */"$machine"-linux-gnu/* | */lib64/* | "$sysroot/$dir/$1") ;; *) continue ;; esac
			[ ! -e "$at" ] || { echo "$at" && return; }
		done
	done
	echo "initramfs: $1 is not there" >&2
	return 1
}

# libraries FILE: what it needs, with what that needs, into the file system.
libraries() {
	readelf -ld "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p
		s,.*interpreter: .*/\(.*\)\],\1,p' | while read -r name; do
		[ ! -e "$root/lib/$name" ] || continue
		cp -L "$(find_library "$name")" "$root/lib/$name"
		libraries "$root/lib/$name"
	done
}

machine=$(readelf -h "$busybox" | sed -n 's/.*Machine: *//p')
case $machine in
*X86-64*) machine=x86_64 ;;
*) machine=aarch64 ;;
esac
mkdir -p "$root/lib"
ln -s lib "$root/lib64"
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	cp "$1" "$root/bin/"
	libraries "$1"
	shift
done
[ $# -eq 0 ] || shift
for pair; do
	mkdir -p "$root/$(dirname "${pair%%=*}")"
	cp "${pair#*=}" "$root/${pair%%=*}"
done
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) | gzip -1 >"$out.new"
mv "$out.new" "$out"
