#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Containers of one image: overlays over the same lower directory. Their files have one
# inode number on different devices, and really are one inode, which the kernel puts the
# probes on. Each process is traced, once.
. "$(dirname "$0")/../pipeline.sh"
require_bpf
require_go
require_command jq
grep -q overlay /proc/filesystems || missing bpf "no overlayfs here"

for flavour in plain pie; do
	server=$(build_target server $flavour) || bail "no server"
	mkdir -p "$TMP/fs.$flavour"
	mount -t tmpfs none "$TMP/fs.$flavour" || bail "no tmpfs"
	on_exit "umount $TMP/fs.$flavour"
	base=$TMP/fs.$flavour
	mkdir "$base/lower"
	cp "$server" "$base/lower/server"
	for i in 1 2; do
		mkdir "$base/upper$i" "$base/work$i" "$base/root$i"
		mount -t overlay -o "lowerdir=$base/lower,upperdir=$base/upper$i,workdir=$base/work$i" none "$base/root$i" ||
			bail "no overlay"
		on_exit "umount $base/root$i"
	done
	start_target "$base/root1/server"
	first=$TARGET_PID first_addr=$TARGET_ADDR
	start_target "$base/root2/server"
	second=$TARGET_PID
	is "$(stat -c %i "$base/root1/server")" "$(stat -c %i "$base/root2/server")" "$flavour: one inode number"
	ATTACH_ARGS=--attach=auto
	start_pipeline --pid "$first" --pid "$second" --watch
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${second}[,}]'" 10
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${first}[,}]'" 10
	ok $? "$flavour: both are attached"
	is "$(load -n 300 -addr "$first_addr" | jq .good)" 300 "$flavour: the first answers"
	is "$(load -n 200 | jq .good)" 200 "$flavour: the second answers"
	stop_pipeline
	is "$(spans ".pid == $first") $(spans ".pid == $second")" "300 200" "$flavour: each is traced once"
	is "$(spans .incomplete) $(lost)" "0 0" "$flavour: nothing is incomplete or lost"
	stop "$first"
	stop "$second"
done
done_testing
