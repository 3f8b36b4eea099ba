#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The sites of every function of whole programs, against other disassemblers.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq objdump python3

goresolve=$BIN/goresolve
local=$(sh "$TOP/tests/build-target.sh" server plain local) || exit 1
arm=$(sh "$TOP/tests/build-target.sh" shapes arm64 newest) || exit 1
old_arm=$(sh "$TOP/tests/build-target.sh" shapes arm64 oldest) || exit 1

functions() { # BINARY: its functions into $TMP/functions, returns into $TMP/got
	"$goresolve" --list '*' --json "$1" >"$TMP/functions" 2>"$TMP/err" </dev/null
	ok $? "$(basename "$1"): --list '*' --json: status 0"
	is "$(cat "$TMP/err")" "" "nothing on stderr"
	[ "$(jq -r 'select(.type == "function").addr' "$TMP/functions" | wc -l)" -gt 1500 ]
	ok $? "every function of a whole program"
	jq -r '.sites[]? | select(.at == "ret").addr' "$TMP/functions" | sort >"$TMP/got"
}
# depth BINARY: the stack pointer is the same at every entry, return and tail jump.
depth() {
	python3 "$TOP/tests/cli/spdelta.py" "$1" <"$TMP/functions" >"$TMP/count" 2>"$TMP/deltas"
	[ "$(cat "$TMP/count")" -gt 4000 ]
	ok $? "the runtime knows the stack pointer at $(cat "$TMP/count") sites of compiled code"
	is "$(cat "$TMP/deltas")" "" "and it is what the function was entered with"
}
reasons() { # REASON: the functions that have it
	jq -r --arg reason "$1" 'select(.reason == $reason).symbol' "$TMP/functions"
}
same() { # WANT NAME
	cmp -s "$TMP/got" "$1"
	ok $? "$2 ($(wc -l <"$1"))" || diag "$(diff "$TMP/got" "$1")"
}

# --- amd64, against GNU objdump, which knows AVX-512 ---

functions "$local"
objdump -d -j .text --no-show-raw-insn "$local" | awk '/^ +[0-9a-f]+:/ {
	sub(":", "", $1); op = $2 ~ /^(rep|repz|bnd|notrack)$/ ? $3 : $2; print "0x" $1, op }' |
	sort >"$TMP/insns"
# A signature of 29 bytes that is jumped over (crypto/internal/boring/sig): no
# disassembler can tell, and GNU's finds a return in it.
is "$(reasons undecodable)" "crypto/internal/boring/sig.StandardCrypto" \
	"one function has data in its text, and no other is given up"
jq -r 'select(.reason == "undecodable").detail' "$TMP/functions" >"$TMP/why"
like "$(cat "$TMP/why")" '^0x[0-9a-f]+ jumps into the middle of an instruction$' "which is said"
jq -r 'select(.reason == "undecodable") | [.addr, .size] | @tsv' "$TMP/functions" >"$TMP/data"
read -r data size <"$TMP/data"
awk '$2 ~ /^l?ret/ { print $1 }' "$TMP/insns" | while read -r at; do
	[ $((at)) -ge $((data)) ] && [ $((at)) -lt $((data + size)) ] || echo "$at"
done | sort >"$TMP/want"
same "$TMP/want" "every return agrees with objdump"
jq -r '.sites[]?.addr' "$TMP/functions" | sort -u >"$TMP/sites"
cut -d ' ' -f 1 "$TMP/insns" | sort -u | comm -23 "$TMP/sites" - >"$TMP/off"
is "$(cat "$TMP/off")" "" "every site is where an instruction begins ($(wc -l <"$TMP/sites"))"
jq -r '.sites[]? | select(.at == "call").addr' "$TMP/functions" | sort >"$TMP/got"
[ "$(wc -l <"$TMP/got")" -gt 20000 ]
ok $? "calls ($(wc -l <"$TMP/got"))"
is "$(join "$TMP/got" "$TMP/insns" | cut -d ' ' -f 2 | sort -u)" call "which are calls"
is "$(jq -r 'select(.symbol == "net/http.serverHandler.ServeHTTP").sites[]? |
	select(.at == "call" and (.target // "" | endswith("serverHandler.ServeHTTP"))).target' \
	"$TMP/functions")" "" "with the functions that are called"
like "$(jq -r 'select(.symbol == "net/http.(*conn).serve").sites[]? |
	select(.at == "call").target // empty' "$TMP/functions")" 'finishRequest$' "by name"
jq -r '.sites[]? | select(.at == "tail") | .addr' "$TMP/functions" | sort >"$TMP/got"
is "$(join "$TMP/got" "$TMP/insns" | cut -d ' ' -f 2 | sort -u)" jmp "tail jumps are jumps"
jq -r '.sites[]? | select(.at == "tail" and (.insn | test("jmp r"))).insn' "$TMP/functions" |
	grep -q .
ok $? "also those to what a register holds (methods of embedded interfaces)"
is "$(reasons tail-jump)" "" "none is in doubt"

depth "$local"

# --- assembly, with what compilers do not make ---

mkdir "$TMP/asm"
printf 'module example.com/asm\n\ngo 1.17\n' >"$TMP/asm/go.mod"
cat >"$TMP/asm/main.go" <<'END'
package main

func wide(p *byte)
func landing()
func trap(n int)
func data() int
func tail()
func away(n int)

func main() {
	var b [64]byte
	wide(&b[0])
	landing()
	trap(0)
	println(data())
	tail()
	away(0)
}
END
cat >"$TMP/asm/asm_amd64.s" <<'END'
#include "textflag.h"

TEXT ·wide(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), AX
	VPXORQ Z0, Z0, Z0
	VPTERNLOGD $0x96, Z1, Z2, Z3
	VMOVDQU64 Z0, (AX)
	KMOVW K1, AX
	VZEROUPPER
	RET

TEXT ·landing(SB), NOSPLIT, $0-0
	BYTE $0xf3; BYTE $0x0f; BYTE $0x1e; BYTE $0xfa // ENDBR64
	RET

TEXT ·trap(SB), NOSPLIT, $0-8
	CMPQ n+0(FP), $0
	JEQ over
	INT $3
over:
	RET

TEXT ·data(SB), NOSPLIT, $0-8
	MOVQ $1, ret+0(FP)
	BYTE $0xeb; BYTE $0x03 // over three bytes, which look like code and swallow the return
	BYTE $0x48; BYTE $0xb8; BYTE $0xc3
	RET

TEXT ·tail(SB), NOSPLIT, $0-0
	MOVQ $·landing(SB), AX
	JMP AX

TEXT ·away(SB), NOSPLIT, $0-8
	MOVQ n+0(FP), AX
	ADDQ $8, AX
	JMP AX
END
(cd "$TMP/asm" && GOARCH=amd64 CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -o "$TMP/asm/bin" .)
ok $? "a program with assembly"
"$goresolve" --list 'main.*' --json "$TMP/asm/bin" >"$TMP/functions"
of() { # NAME: its ways out, or why there are none
	jq -rc "select(.symbol == \"main.$1\" and .wrapper == null) |
		.reason // [.sites[]? | select(.at == \"ret\" or .at == \"tail\") | .at]" "$TMP/functions"
}
is "$(of wide)" '["ret"]' "AVX-512"
is "$(of landing)" '["ret"]' "ENDBR64"
is "$(of trap)" '["ret"]' "int3 inside"
is "$(of data)" undecodable "data that is jumped over"
is "$(of tail)" '["tail"]' "a jump to a function's address"
is "$(of away)" tail-jump "a jump to who knows where"

"$goresolve" --no-recipes --no-args --func 'main.*' "$TMP/asm/bin" >"$TMP/functions" 2>"$TMP/err"
is "$(jq -r 'select(.symbol == "main.data").type' "$TMP/functions")" skip \
	"in a plan such a function is one skip"
is "$(jq -r 'select(.type == "probe" and .role == null).symbol' "$TMP/functions")" main.main \
	"and the function that calls it has its probe"

# --- the same for arm64, where no unknown instruction hides the next ---

mkdir "$TMP/asm64"
cp "$TMP/asm/go.mod" "$TMP/asm64"
cat >"$TMP/asm64/main.go" <<'END'
package main

func landing()
func scalable(p *byte)
func data(n int) int
func literal() int
func trap(n int)
func tail()
func indirect(f *func())
func away(n int)

func main() {
	landing()
	scalable(nil)
	println(data(1), literal())
	trap(0)
	tail()
	indirect(nil)
	away(0)
}
END
cat >"$TMP/asm64/asm_arm64.s" <<'END'
#include "textflag.h"

TEXT ·landing(SB), NOSPLIT, $0-0
	WORD $0xd503245f // BTI C
	WORD $0xd503233f // PACIASP
	WORD $0xd50323bf // AUTIASP
	RET

TEXT ·scalable(SB), NOSPLIT, $0-8
	MOVD p+0(FP), R0
	WORD $0x04e0e3e1 // CNTD X1, of SVE
	WORD $0x25b8c000 // DUP Z0.S, #0
	RET

TEXT ·data(SB), NOSPLIT, $0-16
	MOVD n+0(FP), R0
	B over
	WORD $0xffffffff
	WORD $0x00000003
	WORD $0xd65f03c0 // looks like RET
over:
	MOVD R0, ret+8(FP)
	RET

TEXT ·literal(SB), NOSPLIT, $0-8
	MOVD $0x123456789abcdef1, R1
	MOVD R1, ret+0(FP)
	RET

TEXT ·trap(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	CBZ R0, over
	BRK $1
over:
	RET

TEXT ·tail(SB), NOSPLIT, $0-0
	MOVD $·landing(SB), R0
	JMP (R0)

TEXT ·indirect(SB), NOSPLIT, $0-8
	MOVD f+0(FP), R26
	MOVD (R26), R0
	JMP (R0)

TEXT ·away(SB), NOSPLIT, $0-8
	MOVD n+0(FP), R0
	ADD $8, R0
	JMP (R0)
END
(cd "$TMP/asm64" && GOARCH=arm64 CGO_ENABLED=0 GOFLAGS=-buildvcs=false \
	go build -o "$TMP/asm64/bin" .)
ok $? "a program with assembly for arm64"
"$goresolve" --list 'main.*' --json "$TMP/asm64/bin" >"$TMP/functions"
is "$(of landing)" '["ret"]' "BTI and pointer authentication"
is "$(of scalable)" '["ret"]' "SVE"
is "$(of data)" '["ret"]' "data that is jumped over, and its return is none"
is "$(of literal)" '["ret"]' "a literal"
is "$(of trap)" '["ret"]' "brk inside"
is "$(of tail)" '["tail"]' "a jump to a function's address"
is "$(of indirect)" '["tail"]' "a jump to what memory holds"
is "$(of away)" tail-jump "a jump behind what a register holds"

# --- arm64, against go tool objdump ---

check_arm64() { # BINARY
	functions "$1"
	go tool objdump "$1" | awk '/^ / { print $2, $4 }' | sort >"$TMP/insns"
	awk '$2 == "RET" { print $1 }' "$TMP/insns" >"$TMP/want"
	same "$TMP/want" "every return agrees with go tool objdump"
	depth "$1"
	is "$(reasons undecodable)" "" "no function is undecodable, literals and all"
	is "$(reasons tail-jump)" runtime.debugCallV2 "one jumps to what it was told"
	is "$(jq -r '.sites[]? | select(.at == "ret" or .at == "call").emulated' "$TMP/functions" |
		sort -u)" true "all returns and calls are cheap"
	is "$(jq -r '.sites[]?.depth_adjust // 0' "$TMP/functions" | sort -u)" 0 \
		"the depth is the same at all of them"
	jq -r 'select(.check) | .sites[0].addr' "$TMP/functions" | sort >"$TMP/got"
	go tool objdump "$1" | awk '/^TEXT/ { before = "" } /^ / { print $2, before; before = $4 }' |
		sort >"$TMP/before"
	is "$(join "$TMP/got" "$TMP/before" | cut -d ' ' -f 2 | sort -u)" BLS \
		"every entry is right behind the stack check ($(wc -l <"$TMP/got"))"
}
check_arm64 "$arm"
check_arm64 "$old_arm"

"$goresolve" --no-recipes --func 'main.*' "$arm" >"$TMP/out" 2>"$TMP/err" </dev/null
ok $? "a plan for arm64" || diag "$(cat "$TMP/err")"
is "$(jq -r 'select(.type == "probe").arch' "$TMP/out" | sort -u)" arm64 "says so"
is "$(jq -r 'select(.symbol == "main.Deferred").sites[]? | select(.event == "end").recovered' \
	"$TMP/out" | sort | uniq -c | sed 's/  *//')" '1 null
1 true' "the return after a recovered panic is marked"
is "$(jq -rc 'select(.symbol == "main.Big").sites[0] | [.at, .emulated, .repeats]' "$TMP/out")" \
	'["entry",false,null]' "an entry behind the check"

done_testing
