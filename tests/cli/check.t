#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goattach --check, with all rights and with some of them missing; and the same
# reasons when tracing cannot start.
. "$(dirname "$0")/../lib.sh"
require_command jq setpriv python3

"$BIN/goattach" --json </dev/null >"$TMP/out" 2>"$TMP/err"
is "$?" 2 "--json alone: status 2"
[ "$(id -u)" -eq 0 ] || skip_all "not root"

# A copy, because the tree may be where nobody else may go.
cp "$BIN/goattach" "$TMP/goattach"
chmod 755 "$TMP" "$TMP/goattach"


# check COMMAND…: goattach --check --json by way of a command; leaves $status, $TMP/out.
check() {
	"$@" "$TMP/goattach" --check --json </dev/null >"$TMP/out" 2>"$TMP/err"
	status=$?
}
# verdict NAME: of the last check.
verdict() {
	jq -r "select(.name == \"$1\") | .verdict" "$TMP/out"
}
# missing_here: what is needed and not there.
missing_here() {
	jq -r 'select(.needed and .verdict == "no") | .name' "$TMP/out" | tr '\n' ' '
}
# why COMMAND…: what goattach says when it is to trace.
why() {
	"$@" "$TMP/goattach" </dev/null 2>&1 >/dev/null
}
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"

check env
is "$(jq -r .type "$TMP/out" | sort -u)" check "check records"
is "$(jq -r .name "$TMP/out" | sort | uniq -d)" "" "each name once"
is "$(jq -r 'select(.verdict == "no" and ((.lost and .advice) | not)) | .name' "$TMP/out")" "" \
	"what is missing has a loss and an advice"
can=$status
is "$(verdict program)" "$([ "$can" -eq 0 ] && echo yes || echo no)" "the verdict on gotap's own program"
ok "$([ "$can" -eq 0 ] || [ "$can" -eq 4 ]; echo $?)" "status 0 or 4 ($can)"
"$BIN/goattach" --check >"$TMP/table" </dev/null
is "$?" "$can" "the table: the same status"
is "$(awk '/^[a-z]/ { print $1 }' "$TMP/table")" "$(jq -r .name "$TMP/out")" "the table: the same names"
"$BIN/goattach" --check >/dev/full </dev/null 2>&1
is "$?" 1 "the table to a full disk: status 1"
"$BIN/goattach" --check --json >/dev/full </dev/null 2>&1
is "$?" 1 "records to a full disk: status 1"

is "$(missing_here)" "$([ "$can" -eq 0 ] || missing_here)" "root: nothing is missing, or it cannot trace"
is "$(verdict kernel)" info "nothing to judge about the kernel"

# shellcheck disable=SC2086  # a list
check $nobody
is "$status" 4 "nobody: status 4"
like "$(missing_here)" 'bpf .*cap_bpf cap_perfmon .*attach .*program' "nobody: what is missing"
is "$(jq -r 'select(.name == "program") | .advice' "$TMP/out" | grep -c 'missing: CAP_BPF and CAP_PERFMON')" 1 \
	"nobody: the reason is the capabilities"

is "$(jq -r 'select(.name == "ring_buffer") | .advice' "$TMP/out")" \
	"CAP_BPF, and no filter that refuses the bpf system call" "nobody: that is no matter of the kernel's age"
is "$(verdict one_process)" unknown "nobody: what could not be tried is unknown"
echo "not BTF" >"$TMP/btf"
for btf in btf missing; do
	"$TMP/goattach" --check --json --btf "$TMP/$btf" </dev/null >"$TMP/out" 2>"$TMP/err"
	is "$? $(verdict btf) $(verdict program)" "4 no no" "--btf $btf: status 4, and the file is to blame"
done
like "$(jq -r 'select(.name == "btf") | .detail' "$TMP/out")" "missing: No such file" "--btf missing: said"

if [ "$can" -ne 0 ]; then
	[ "${GOTAP_REQUIRE:-}" != bpf ] || ok 1 "tracing is required here"
	done_testing
fi
# Each capability by itself is not enough, both are.
for cap in bpf perfmon; do
	# shellcheck disable=SC2086
	check $nobody --inh-caps "+$cap" --ambient-caps "+$cap"
	is "$status $(verdict cap_$cap)" "4 yes" "CAP_${cap}: not enough"
	other=$([ $cap = bpf ] && echo CAP_PERFMON || echo CAP_BPF)
	# shellcheck disable=SC2086
	like "$(why $nobody --inh-caps "+$cap" --ambient-caps "+$cap")" "missing: $other\)" \
		"CAP_${cap}: the other one is missing"
done
# shellcheck disable=SC2086
check $nobody --inh-caps +bpf,+perfmon --ambient-caps +bpf,+perfmon
if [ "$(verdict uprobe_multi)" = yes ]; then
	is "$status $(missing_here)" "0 " "CAP_BPF and CAP_PERFMON: enough"
	is "$(verdict memory_write) $(verdict sk_msg)" "no no" "but not for writes and sockets"
fi
# shellcheck disable=SC2086
check $nobody --inh-caps +sys_admin --ambient-caps +sys_admin
is "$status $(verdict cap_bpf) $(verdict cap_perfmon)" "0 yes yes" "CAP_SYS_ADMIN holds both"

# Nothing is left of all that was tried.
is "$(find /sys/fs/cgroup -maxdepth 2 -name 'gotap-check-*' 2>/dev/null)" "" "no control group is left"
is "$(bpftool prog list 2>/dev/null | grep -c gotap_try)" 0 "no program is left"

# A container's filter, and a user namespace.
check python3 "$TOP/tests/no_bpf.py"
is "$status $(verdict bpf)" "4 no" "bpf refused by seccomp: status 4"
like "$(why python3 "$TOP/tests/no_bpf.py")" 'bpf system call is refused.*seccomp filter' \
	"bpf refused by seccomp: said"
if unshare --user --map-root-user true 2>/dev/null; then
	check unshare --user --map-root-user
	is "$status $(verdict user_namespace)" "4 no" "a user namespace: status 4"
	like "$(why unshare --user --map-root-user)" 'user namespace' "a user namespace: said"
fi
# A small limit of locked memory, where it does not count.
if [ "$(verdict locked_memory)" = yes ]; then
	check prlimit --memlock=4096:4096
	is "$status $(verdict locked_memory)" "0 yes" "locked memory: a small limit, which does not count"
fi

done_testing
