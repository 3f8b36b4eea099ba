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

for what in plain-auto plain-event plain-address pie-auto; do
	flavour=${what%-*} how=${what#*-}
	server=$(build_target server "$flavour") || bail "no server"
	mkdir -p "$TMP/fs.$what"
	mount -t tmpfs none "$TMP/fs.$what" || bail "no tmpfs"
	on_exit "umount $TMP/fs.$what"
	base=$TMP/fs.$what
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
	is "$(stat -c %i "$base/root1/server")" "$(stat -c %i "$base/root2/server")" "$what: one inode number"
	ATTACH_ARGS=--attach=$how
	start_pipeline --pid "$first" --pid "$second" --watch
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${second}[,}]'" 10
	wait_for "grep '\"type\":\"attach\"' $TMP/events | grep -q '\"pid\":${first}[,}]'" 10
	ok $? "$what: both are attached"
	is "$(load -n 300 -addr "$first_addr" | jq .good)" 300 "$what: the first answers"
	is "$(load -n 200 | jq .good)" 200 "$what: the second answers"
	stop_pipeline
	is "$(spans ".pid == $first") $(spans ".pid == $second")" "300 200" "$what: each is traced once"
	is "$(spans .incomplete) $(lost)" "0 0" "$what: nothing is incomplete or lost"
	stop "$first"
	stop "$second"
done
done_testing
