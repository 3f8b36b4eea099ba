#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2154  # oldest and newest come from run.sh
#
# boot.sh NAME ARCH IMAGE: boots this kernel, with the file system of its architecture, in
# an emulated machine. What the console said is in $VM/NAME-ARCH.log. $oldest and $newest are
# the names of the kernels for amd64 that are traced without their own BTF too.
set -eu

name=$1 arch=$2 image=$3
append="quiet loglevel=1 panic=-1 mitigations=off gotap.requests=${REQUESTS:-201}"
case $arch:$name in
amd64:"$oldest") append="$append gotap.btf=oldest gotap.wrong=newest" ;;
amd64:"$newest") append="$append gotap.btf=newest gotap.wrong=oldest" ;;
arm64:*) append="$append gotap.btf=$name gotap.wrong=oldest" ;;
esac
# Of one kernel there is no other's.
[ "$oldest" != "$newest" ] || [ "$arch" = arm64 ] || append=${append%gotap.wrong=*}
# An emulated machine that gets too little time fails the checks of its timers.
case $arch in
amd64)
	set -- qemu-system-x86_64 -cpu max,-la57
	append="$append console=ttyS0 no_timer_check tsc=reliable"
	;;
arm64)
	set -- qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on
	append="$append console=ttyAMA0"
	;;
esac
timeout "${SECONDS_EACH:-600}" "$@" -smp 1 -m 512 -display none -nodefaults -no-reboot -serial stdio \
	-kernel "$image" -initrd "$VM/$arch.gz" -append "$append" </dev/null >"$VM/$name-$arch.log" 2>&1 || :
