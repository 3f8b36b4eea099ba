#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh [KERNEL…]: boots Debian's kernels in an emulated machine and traces there; a
# KERNEL is a series (5.10), or "newest", with ":arm64" behind it for that machine. What the
# archive no longer has is replaced by the next series that it has. BUILD is the build
# directory. Leaves a table of kernels and of what was checked in BUILD/vm/table.
set -eu

cd "$(dirname "$0")/../.."
top=$(pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$top/$build ;; esac
VM=$build/vm
mkdir -p "$VM"
# shellcheck source-path=SCRIPTDIR/../.. source=tests/vm/packages.sh
. "$top/tests/vm/packages.sh"
[ $# -gt 0 ] || set -- 5.10 5.15 6.1 6.12 6.18 newest 6.12:arm64

# plan KERNEL…: a line "NAME ARCH IMAGE" for each; NAME is the kernel's version.
plan() {
	for want; do
		arch=${want#*:}
		[ "$arch" != "$want" ] || arch=amd64
		series=${want%:*}
		found=$(kernel_like "$series" "$arch")
		if [ -z "$found" ]; then
			echo "vm: no kernel like $want in the archive" >&2
			continue
		fi
		case $found in
		"$series".* | "$series"-*) ;;
		*) [ "$series" = newest ] || echo "vm: no $series in the archive: ${found% *} instead" >&2 ;;
		esac
		echo "${found% *} $arch ${found#* }"
	done | awk '!seen[$0]++'
}

# vmlinux IMAGE OUT: the kernel within a compressed one for amd64, whose header says where
# it is (Documentation/arch/x86/boot.rst: setup_sects, payload_offset, payload_length).
number() { # FILE OFFSET BYTES
	od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}
vmlinux() {
	at=$((($(number "$1" 497 1) + 1) * 512 + $(number "$1" 584 4)))
	payload() {
		# Behind it are four bytes of its size.
		tail -c +$((at + 1)) "$1" | head -c $(($(number "$1" 588 4) - 4))
	}
	case $(payload "$1" | od -An -tx1 -N 3 | tr -d ' ') in
	1f8b*) how='gzip -dc' ;;
	fd377a) how='xz -dc' ;;
	28b52f) how='zstd -dc' ;;
	02214c) how='lz4 -dc' ;;
	*)
		echo "vm: $1: not known how this is compressed" >&2
		return 1
		;;
	esac
	payload "$1" | $how >"$2"
}

# btf IMAGE OUT: the kernel's type information within a kernel that is not compressed: of all
# that begins as such (include/uapi/linux/btf.h: magic, version, flags, length of the header;
# then where types and strings are, from its end) what is longest.
btf() {
	longest=0
	# shellcheck disable=SC2046  # one an argument
	set -- "$1" "$2" $(LC_ALL=C grep -abo -P '\x9f\xeb\x01\x00\x18\x00\x00\x00' "$1" | cut -d: -f1)
	image=$1 out=$2
	shift 2
	for at; do
		length=$((24 + $(number "$image" $((at + 16)) 4) + $(number "$image" $((at + 20)) 4)))
		[ $length -gt $longest ] && longest=$length found=$at
	done
	[ $longest -gt 1000000 ] || {
		echo "vm: $image: no type information is found" >&2
		return 1
	}
	tail -c +$((found + 1)) "$image" | head -c $longest >"$out"
}

packages_update
plan "$@" >"$VM/plan"

# machine_files ARCH DIR: the file system of the machines of this architecture.
machine_files() {
	arch=$1 dir=$2 root='' busybox=/bin/busybox flavour=plain pie=pie-stripped
	if [ "$arch" != amd64 ]; then
		flavour=arm64 pie=pie-arm64
		# shellcheck disable=SC2046  # a list of packages
		root=$(sysroot "$arch" $(sh tests/deps.sh libraries) zlib1g-dev)
		[ -e "$VM/busybox-$arch" ] || package "busybox-static:$arch" "$VM/busybox-$arch"
		busybox=$(find "$VM/busybox-$arch" -path '*/bin/busybox' | head -n 1)
		make -s -j"$(nproc)" BUILD="$dir" CC="aarch64-linux-gnu-gcc --sysroot=$root" BPF_ARCH="$arch" \
			"$dir/bin/gofind" "$dir/bin/goresolve" "$dir/bin/goattach" "$dir/tests/vm/xlated"
	fi
	set -- "bin/server=$(tests/build-target.sh server $flavour)" \
		"bin/load=$(tests/build-target.sh load $flavour)" \
		"bin/server-pie=$(tests/build-target.sh server $pie)"
	set -- "$@" "btf/oldest=$VM/oldest.btf" "btf/newest=$VM/newest.btf"
	more=
	if [ "$arch" = amd64 ]; then
		cp "$(command -v setpriv)" "$VM/setpriv-full"
		more=$VM/setpriv-full
	else
		while read -r name of package; do
			[ "$of" = "$arch" ] || continue
			btf "$(kernel_image "$package" "$arch")" "$VM/vmlinux"
			make -s min-btf BUILD="$dir" KERNEL_BTF="$VM/vmlinux" MIN_BTF="$VM/$name.btf"
			rm "$VM/vmlinux"
			set -- "$@" "btf/$name=$VM/$name.btf"
		done <"$VM/plan"
	fi
	# shellcheck disable=SC2086  # none, or one
	sh tests/vm/initramfs.sh "$VM/$arch.gz" "$busybox" "$root" "$dir/bin/gofind" "$dir/bin/goresolve" \
		"$dir/bin/goattach" "$dir/tests/vm/xlated" $more -- "$@"
}

# The oldest and the newest kernel for amd64, and those for other machines, are traced
# without their own BTF too, with just what the program uses of it, cut out here; the oldest
# has the newest's as a wrong one, and all others the other way round.
for which in oldest newest; do
	end="head"
	[ $which = oldest ] || end="tail"
	# shellcheck disable=SC2046  # a line of words
	set -- $(grep ' amd64 ' "$VM/plan" | $end -n 1)
	vmlinux "$(kernel_image "$3" amd64)" "$VM/vmlinux"
	make -s min-btf BUILD="$build" KERNEL_BTF="$VM/vmlinux" MIN_BTF="$VM/$which.btf"
	rm "$VM/vmlinux"
	eval "$which=\$1"
done

cut -d' ' -f2 "$VM/plan" | sort -u | while read -r arch; do
	dir=$build
	[ "$arch" = amd64 ] || dir=$VM/$arch
	machine_files "$arch" "$dir"
done

# Two at a time: each keeps a core busy.
# shellcheck disable=SC2154  # oldest and newest are set above by eval
export VM oldest newest
while read -r name arch image; do
	echo "$name $arch $(kernel_image "$image" "$arch")"
done <"$VM/plan" >"$VM/boot"
xargs -P 2 -L 1 sh tests/vm/boot.sh <"$VM/boot"

status=0
prove --exec sh tests/vm/kernels.t || status=$?
cat "$VM/table"
exit $status
