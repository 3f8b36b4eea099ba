#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goresolve over real binaries: plans, offsets, sites, errors.
. "$(dirname "$0")/../lib.sh"
require_go
require_command jq

goresolve=$BIN/goresolve
plain=$(sh "$TOP/tests/build-target.sh" shapes plain local) || exit 1
stripped=$(sh "$TOP/tests/build-target.sh" shapes stripped local) || exit 1
server=$(sh "$TOP/tests/build-target.sh" server plain local) || exit 1
server_pie=$(sh "$TOP/tests/build-target.sh" server pie-stripped local) || exit 1

# run ARG…: goresolve into $TMP/out and $TMP/err, its exit status into $status.
run() {
	"$goresolve" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
}
# plan FILTER: jq over the last output.
plan() {
	jq -rc "$1" "$TMP/out"
}
err() {
	cat "$TMP/err"
}

# --- the plan of an HTTP server ---

check_server() { # BINARY SOURCE
	name=$(basename "$1")
	run "$1"
	is "$status" 0 "$name: status 0"
	is "$(err)" "" "$name: nothing on stderr"
	is "$(plan 'select(.type == "skip")')" "" "$name: nothing is left out"
	is "$(plan 'select(.role == null) | [.recipe, .span, .kind, .scope, .symbol]')" \
		'["net-http","http.server","server","net/http","net/http.(*conn).serve"]' \
		"$name: one span"
	is "$(plan 'select(.role == null).sites[] | [.at, .event, .emulated, .depth_adjust]')" \
		'["call","begin",true,8]
["call","end",true,8]' "$name: it begins and ends at two cheap calls"
	is "$(plan 'select(.role == "unwind") | [.symbol, .sites[0].event, ([.captures[].name] | unique[])]')" \
		'["net/http.(*conn).serve.func1","unwind","exception.message","exception.type","gotap.goexit"]' \
		"$name: what closes it, and why"
	is "$(plan 'select(.role == null).captures[].name' | sort | tr '\n' ' ')" \
		'go.hijacked go.host go.proto go.remote_addr go.tls go.tracestate gotap.keep0 gotap.keep1 gotap.traceparent http.request.body.size http.request.method http.response.body.size http.response.status_code http.route url.path url.query user_agent.original ' \
		"$name: what is captured"
	is "$(plan '.fields[].source' | sort -u)" "$2" "$name: offsets come from $2"
	is "$(plan 'select(.role == null).captures[] | select(.name == "gotap.keep0") | .ops')" \
		'[["arg",2]]' "$name: the response is the interface's second word"
	is "$(plan '[.captures[].on] | group_by(.)[] | length | . <= 16' | sort -u)" true \
		"$name: no more captures than goattach takes at one site"
	is "$(plan '.captures[].ops | length | . <= 16' | sort -u)" true \
		"$name: nor more operations"
	plan '.sites[] | [.offset, .bytes] | @tsv' | while read -r offset bytes; do
		n=$((${#bytes} / 2))
		got=$(od -An -v -tx1 -j "$((offset))" -N "$n" "$1" | tr -d ' \n')
		[ "$got" = "$bytes" ] || echo "at $offset: $got, not $bytes"
	done >"$TMP/differ"
	is "$(cat "$TMP/differ")" "" "$name: the bytes at every site are the file's"
}
check_server "$server" dwarf
check_server "$server_pie" rtype

run "$server"
cp "$TMP/out" "$TMP/first"
run "$server"
cmp -s "$TMP/out" "$TMP/first"
ok $? "the same binary gives the same plan, byte for byte"
run "$server" "$server"
cmp -s "$TMP/out" "$TMP/first"
ok $? "a binary named twice is planned once"
is "$(plan '.probe | test("^[0-9a-f]{16}$")' | sort -u)" true "probe ids have 16 digits"
is "$(plan .probe | sort | uniq -d)" "" "and differ"

run --site first "$server"
is "$(plan 'select(.role == null) | [.symbol, .sites[0].at, .sites[0].repeats]')" \
	'["net/http.serverHandler.ServeHTTP","entry",true]' "--site first: the first instruction"
is "$(plan 'select(.role == null).sites[1:][] | .at' | sort -u)" ret "and returns"
like "$(plan 'select(.role == null).captures[] | select(.name == "gotap.keep0") | .ops')" \
	'^\[\["arg",1\],\["itab","0x[0-9a-f]+"\],\["arg",2\]\]$' \
	"where HTTP/2 passes too the response's type is tested"
run --site ret "$server"
is "$(plan 'select(.role == null).sites[0] | [.at, .repeats]')" '["entry",null]' \
	"--site ret: after the stack check"

# A second line for the same value is never reached: the first one that compiles wins.
is "$(awk '$1 == "recipe" || $1 == "span" || $1 == "try" { part++ }
	$1 == "capture" {
		sub(/^[ \t]*/, "")
		sub(/ (max|optional|since|before) .*| optional$/, "")
		if (seen[FILENAME, part, $0]++) print FILENAME ": " $0
	}' "$TOP"/lib/recipes/*.recipe)" "" "no built-in recipe captures the same thing twice"

# --- any function ---

run --no-recipes --func 'main.*' "$plain"
is "$status" 0 "--func: status 0"
like "$(plan 'select(.symbol == "main.(*Sink).Write") | [.recipe, .span, .kind, .scope, .name]')" \
	'^\["func","function","internal","main","main.\(\*Sink\).Write"\]$' "a method's probe"
is "$(plan 'select(.symbol == "main.Deferred").sites[] | select(.event == "end").recovered' |
	sort | uniq -c | sed 's/  *//')" '1 null
1 true' "the return after a recovered panic is marked"
is "$(plan 'select(.type == "skip" and (.symbol | test("Forever|Empty"))) | [.symbol, .reason]' |
	sort)" '["main.Empty","empty"]
["main.Forever","no-return"]' "what cannot be timed is said"
is "$(plan 'select(.recipe == "runtime") | [.symbol, .role, .g.ops, .sites[].event]')" \
	'["runtime.recovery","unwind",[["arg",0]],"unwind"]' "with functions come the runtime's unwind probes"
is "$(plan 'select(.symbol == "runtime.recovery").captures[:4][] | [.name, .path]')" \
	'["gotap.unwind_sp","gp._panic.sp"]
["gotap.goexit","gp._panic.goexit"]
["exception.type","typeof(gp._panic.arg)"]
["exception.message","gp._panic.arg.(string)"]' "with the frame that goes on, and the panic's value"
is "$(plan 'select(.role == "lineage" and .sites[].event == "create") |
	[.symbol, .g.ops[0], (.g.ops | length), .sites[].at, .sites[].emulated]')" \
	'["runtime.newproc.func1",["g"],3,"call",true]' \
	"and one cheap site that sees each goroutine's creation, by m.curg"
is "$(plan 'select(.sites[]?.event == "disown").symbol' | grep -c '^runtime\.run[fF]in')" 1 \
	"but finalizers are not called for who created their goroutine"
run "$server"
unlike "$(plan .symbol)" '^runtime' "without functions the runtime's are not planned"

# Clients: the usual way out is a branch, which is cheap, and its return has no probe.
client='select(.span == "http.client")'
frontend=$(sh "$TOP/tests/build-target.sh" frontend plain local) || exit 1
run "$frontend"
is "$(plan "$client | .symbol, (.sites[] | select(.at != \"ret\") | [.at, .event, .emulated, .when])")" \
	'net/http.(*Transport).roundTrip
["entry","begin",true,null]
["after","end",true,{"arg":1,"size":8,"zero":true}]
["call","point",true,null]
["after","again",true,{"arg":0,"size":1,"zero":false}]' "a client's request has cheap sites"
is "$(plan "$client | .sites[1:][] | select(.at != \"ret\").depth_adjust" | sort -u | grep -c '^-[0-9]')" 1 \
	"which fit the frame that they are in"
less=$(plan "$client | [.sites[] | select(.at == \"ret\")] | length")
run --site ret "$frontend"
is "$(plan "$client | [.sites[] | select(.at == \"after\" and .event == \"end\")] | length")" 0 \
	"with --site ret it has returns"
is "$(plan "$client | [.sites[] | select(.at == \"ret\")] | length")" $((less + 1)) "one more of them"

run --no-recipes --no-args --func main.nosuch --func main.Small "$plain"
is "$status" 0 "a pattern that matches nothing beside one that does: status 0"
like "$(err)" "warning: .*--func 'main.nosuch' matches no function" "with a warning"
is "$(plan 'select(.type == "skip") | [.symbol, .reason]')" '["main.nosuch","not-found"]' \
	"and a skip"
run --no-recipes --func main.nosuch "$plain"
is "$status" 1 "nothing to trace at all: status 1"
run --no-recipes --no-args --func 'main.Sma?l' --func 'main.S*' --func main.Small "$plain"
is "$(plan 'select(.symbol == "main.Small").symbol')" main.Small \
	"a function that three patterns match is planned once"

# --- every function, against Go's own disassembler ---

run --no-recipes --func '*' "$plain"
plan 'select(.recipe == "func" and .type == "probe") | .sites[0].addr' | sort >"$TMP/entries"
plan 'select(.recipe == "func" and .type == "probe").sites[] |
	select(.event == "end" and (.insn | test("^ret"))).addr' | sort >"$TMP/rets"
# Of every instruction of compiled code: address, start of its function, whether
# that calls morestack, the instruction and the one before. (Assembly is left out:
# go tool objdump decodes AVX instructions wrong and finds returns inside them.)
go tool objdump "$plain" | awk '
	/^TEXT/ { start = ""; before = "-"; next }
	NF < 4 || $1 ~ /\.s:/ { next }
	{ if (start == "") start = $2
	  at[++n] = $2; of[n] = start; op[n] = $4; prev[n] = before; before = $4 }
	/CALL runtime.morestack/ { more[start] = 1 }
	END { for (i = 1; i <= n; i++) print at[i], of[i], more[of[i]] + 0, op[i], prev[i] }' |
	sort >"$TMP/insns"
join "$TMP/entries" "$TMP/insns" >"$TMP/begins"
[ "$(wc -l <"$TMP/begins")" -gt 1500 ]
ok $? "a plan for every function of a whole program ($(wc -l <"$TMP/begins"))"
awk 'NR == FNR { planned[$2] = 1; next } $2 in planned && $4 ~ /^RET/ { print $1 }' \
	"$TMP/begins" "$TMP/insns" >"$TMP/want"
join "$TMP/rets" "$TMP/insns" | cut -d ' ' -f 1 >"$TMP/got"
cmp -s "$TMP/want" "$TMP/got"
ok $? "every RET agrees with go tool objdump ($(wc -l <"$TMP/want"))" ||
	diag "$(diff "$TMP/want" "$TMP/got")"
is "$(awk '$3 && $5 !~ /^(JBE|JB|JLS|JCS)$/' "$TMP/begins")" "" \
	"every entry stands right behind the stack check"
is "$(awk '!$3 && $1 != $2 && $5 !~ /^NOP/' "$TMP/begins")" "" \
	"or at the first instruction where there is none"
is "$(plan 'select(.type == "skip").reason' | sort -u | tr '\n' ' ')" \
	"abi0 attach-refused empty inlined no-return " "what is left out has a reason"

# --- recipes of one's own ---

cat >"$TMP/shapes.recipe" <<'END'
recipe shapes
func main.Handle (w interface, r *main.Request, s string, raw []byte, n int) (total int, err error)
func main.Spill (a string, b string, c []byte, d string, p main.Pair) (n int)
func main.Small (p main.Pair, f float64, ok bool) (yes bool, text string)
span shapes.handle
	kind client
	scope example.com/shapes
	name handle it
	begin entry main.Handle
	end ret main.Handle
	capture begin ID r.ID
	capture begin Name r.Name max 7
	capture begin Title r.Title
	capture begin Tag r.Tags[2]
	capture begin Tags len(r.Tags)
	capture begin Raw r.Raw
	capture begin M r.M["key"].Name
	capture begin Arr r.Arr[3].Name
	capture begin Any r.Any.(*main.Pair).Y
	capture begin W r.W.(*main.Sink).Last
	capture begin L r.L
	capture begin OK r.OK
	capture begin F r.Next.Next.F
	capture begin s s
	capture begin sink w.(*main.Sink).Last
	capture end total total
	capture end err err nonzero
	# Not there: left out.
	capture point never r.ID
	capture end gone r.Gone
	capture end maybe r.Gone optional
	capture end which r.Gone
	capture end which total
span shapes.more
	kind internal
	scope example.com/shapes
	require module std 1.17
	require no module example.com/nosuch
	begin entry main.Handle
	end ret main.Handle
	capture begin byte raw[1]
	capture begin maplen len(r.M)
	capture begin deref *r.P
	capture begin dyn typeof(r.Any)
	capture begin dynw typeof(w)
	capture begin system "some system"
	capture begin number -17
	capture begin flag true
	capture begin version "old" before 1.19
	capture begin version "new" since 1.19
	capture begin both "never" before 1.19
span shapes.stack
	kind internal
	scope example.com/shapes
	pair goroutine
	begin call main.Spill in main.main
	end after main.Small in main.main
	capture begin y p.Y
	capture end text text
span shapes.try
	kind internal
	scope example.com/shapes
	try
		require func main.nosuch
		begin entry main.Handle
	try
		require no field main.Request L
		begin entry main.Handle
	try
		require go 1.99
		begin entry main.Handle
	try
		require call main.Spill in main.Handle
		begin entry main.Handle
	try
		require call main.Spill in main.main
		require no type main.Nosuch
		require go 1.19
		begin entry main.Spill
		end ret main.Spill
span shapes.missing
	kind internal
	scope example.com/shapes
	begin entry main.Handle
	end call main.Handle in main.Small
END
"$plain" </dev/null >"$TMP/offsets"
at() { # NAME: the offset that the compiler says
	jq -r ".$1" "$TMP/offsets"
}
check_shapes() { # BINARY SOURCE
	run --recipe "$TMP/shapes.recipe" --no-recipe net-http "$1"
	is "$status" 0 "a recipe of one's own, offsets from $2"
	ops() { # NAME WANT WHAT
		is "$(plan ".captures[]? | select(.name == \"$1\") | [.kind, .ops]")" "$2" "  $3"
	}
	ops ID "[\"uint\",[[\"arg\",2],[\"add\",$(at ID)]]]" "a field of an embedded struct"
	ops Name "[\"string\",[[\"arg\",2],[\"add\",$(at Name)]]]" "one embedded twice"
	ops Title "[\"string\",[[\"arg\",2],[\"load\",$(at Far)],[\"add\",$(at Title)]]]" \
		"one embedded by pointer"
	ops Tag "[\"string\",[[\"arg\",2],[\"add\",$(at Tags)],[\"slice\",2,16]]]" "an element"
	ops Tags "[\"int\",[[\"arg\",2],[\"add\",$(($(at Tags) + 8))]]]" "a length"
	ops Raw "[\"bytes\",[[\"arg\",2],[\"add\",$(at Raw)]]]" "bytes"
	ops Arr "[\"string\",[[\"arg\",2],[\"add\",$(($(at Arr) + 3 * $(at InnerSize) + $(at InnerName)))]]]" \
		"an array's element"
	ops L "[\"string\",[[\"arg\",2],[\"add\",$(at L)]]]" "a named string"
	ops OK "[\"bool\",[[\"arg\",2],[\"add\",$(at OK)]]]" "a boolean"
	ops F "[\"float\",[[\"arg\",2],[\"load\",$(at Next)],[\"load\",$(at Next)],[\"add\",$(at F)]]]" \
		"a field behind two pointers"
	ops s '["reg_string",[["arg",3]]]' "a string in registers"
	ops total '["reg_int",[["arg",0]]]' "a result"
	ops err '["reg_nonzero",[["arg",1]]]' "whether there is an error"
	ops which '["reg_int",[["arg",0]]]' "the first alternative that compiles"
	ops byte '["uint",[["arg",5],["elem",1,1,6]]]' "an element of a slice in registers"
	ops deref "[\"int\",[[\"arg\",2],[\"load\",$(at P)]]]" "what a pointer points to"
	ops dyn "[\"type\",[[\"arg\",2],[\"load\",$(at Any)]]]" "the type in an empty interface"
	ops dynw "[\"type\",[[\"arg\",0],[\"load\",8]]]" "the type in an interface"
	ops maplen "[\"int\",[[\"arg\",2],[\"load\",$(at M)]]]" "how many elements a map has"
	is "$(plan '.captures[]? | select(.kind == "const") | [.name, .value, .ops]')" \
		'["system","some system",null]
["number",-17,null]
["flag",true,null]
["version","new",null]' "  constants, also by version"
	ops y '["int",[["sp",0],["add",8]]]' "a parameter on the stack, seen from the caller"
	ops text '["reg_string",[["arg",1]]]' "a result after a call"
	like "$(plan '.captures[]? | select(.name == "M").ops')" \
		"^\[\[\"arg\",2\],\[\"load\",$(at M)\],\[\"map\",\{\"key\":\"key\",.*\[\"add\",$(at InnerName)\]\]$" \
		"  a map's element"
	like "$(plan '.captures[]? | select(.name == "Any").ops')" \
		"^\[\[\"arg\",2\],\[\"load\",$(at Any)\],\[\"eface\",\"0x[0-9a-f]+\"\],\[\"arg\",2\],\[\"load\",$(($(at Any) + 8))\],\[\"add\",$(at Y)\]\]$" \
		"  an empty interface in memory"
	like "$(plan '.captures[]? | select(.name == "W").ops')" \
		"^\[\[\"arg\",2\],\[\"load\",$(at W)\],\[\"itab\",\"0x[0-9a-f]+\"\],\[\"arg\",2\],\[\"load\",$(($(at W) + 8))\],\[\"add\",$(at Last)\]\]$" \
		"  an interface in memory"
	is "$(plan '.captures[]? | select(.name == "Name").max')" 7 "  the most bytes of text"
	is "$(plan 'select(.type == "skip" and .field).detail' | sed 's/ is left out.*//')" gone \
		"  what is not there is left out with a skip, an optional one without"
	is "$(plan 'select(.span == "shapes.try" and .type == "probe").symbol')" main.Spill \
		"  the first alternative whose requirements hold"
	is "$(plan 'select(.span == "shapes.missing") | [.type, .symbol, .reason]')" \
		'["skip","main.Handle","not-found"]' "  a span without all its sites is a skip"
	is "$(plan 'select(.span == "shapes.handle" and .type == "probe") | [.kind, .name]')" \
		'["client","handle it"]' "  kind and name"
	is "$(plan 'select(.span == "shapes.stack").pair' | sort -u)" goroutine "  pairing"
	is "$(plan '.fields[]? | select(.field == "main.Request.Tags") | [.offset, .source]' | sort -u)" \
		"[$(at Tags),\"$2\"]" "  a field with its source"
}
check_shapes "$plain" dwarf
check_shapes "$stripped" rtype

printf 'recipe mine\nspan s\n\tkind server\n\tscope p\n\tbegin entry p.F\n\tcapture begin x a..b\n' \
	>"$TMP/bad.recipe"
run --recipe "$TMP/bad.recipe" "$plain"
is "$status" 3 "a recipe with an error: status 3"
is "$(err)" "goresolve: $TMP/bad.recipe:6:20: a field's name is expected after '.'" \
	"with its file, line and column"
is "$(cat "$TMP/out")" "" "and no output"
run --recipe "$TMP/nosuch.recipe" "$plain"
is "$status" 1 "a recipe that is not there: status 1"
like "$(err)" "nosuch.recipe: No such file" "by name"
printf 'recipe mine\nuse nosuch\n' >"$TMP/use.recipe"
run --recipe "$TMP/use.recipe" "$plain"
is "$status" 3 "a recipe that uses one that is not there: status 3"
like "$(err)" "use.recipe: uses 'nosuch', which is no recipe" "by name"

# Over the limits of goattach.
{
	printf 'recipe big\nfunc main.Small (p main.Pair, f float64, ok bool)\n'
	printf 'span big\nkind internal\nscope main\nbegin entry main.Small\nend ret main.Small\n'
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
		echo "capture begin n$i p.Y"
	done
	printf 'span bytes\nkind internal\nscope main\nfunc main.Spill (a string, b string)\n'
	printf 'begin entry main.Spill\nend ret main.Spill\n'
	printf 'capture begin a a max 4096\ncapture begin b a max 1\n'
} >"$TMP/big.recipe"
run --recipe "$TMP/big.recipe" --no-recipe net-http "$plain"
is "$(plan 'select(.span == "big" and .type == "probe").captures | length')" 16 \
	"no more than 16 captures of one event"
is "$(plan 'select(.span == "bytes" and .type == "probe").captures | length')" 1 \
	"no more than 4096 bytes"
is "$(plan 'select(.type == "skip").reason' | sort | uniq -c | sed 's/  *//')" "3 limit" \
	"the rest is said"

# --- for people ---

run --dry-run --func main.Small "$server"
is "$status" 0 "--dry-run: status 0"
like "$(cat "$TMP/out")" 'begin +call +0x[0-9a-f]+ +emulated call' "shows the sites and their cost"
like "$(cat "$TMP/out")" 'offset +[0-9]+ +dwarf +net/http.Request.Method' "and offsets with sources"
unlike "$(cat "$TMP/out")" '^\{' "and no records"
run --explain main.Big "$plain"
like "$(cat "$TMP/out")" '^begin +> 0x[0-9a-f]+ +e push rbp' "--explain marks the sites"
like "$(cat "$TMP/out")" 'call 0x[0-9a-f]+ +; runtime.morestack' "and names what is called"
[ "$(grep -n '> 0x' "$TMP/out" | head -n 1 | cut -d : -f 1)" -gt 4 ]
ok $? "in a huge frame behind both branches of the check"
run --explain main.nosuch "$plain"
is "$status" 1 "--explain of what is not there: status 1"
run --list 'main.(*Sink).*' "$stripped"
like "$(cat "$TMP/out")" '^0x[0-9a-f]+ +[0-9]+ +1 way +out +main.\(\*Sink\).Write$' "--list"

# --- processes ---

mkfifo "$TMP/hold"
sleep 300 >"$TMP/hold" &
hold=$!
on_exit "kill $hold"
cp "$plain" "$TMP/target"
for i in 1 2 3; do
	"$TMP/target" <"$TMP/hold" >/dev/null &
	on_exit "kill $!"
	echo $! >"$TMP/pid$i"
done
read -r pid1 <"$TMP/pid1"
read -r pid2 <"$TMP/pid2"
read -r pid3 <"$TMP/pid3"
binary=$(go tool buildid "$TMP/target")
process() { # PID [EXE [BINARY]]
	dev=$(stat -Lc '%Hd:%Ld' "$TMP/target" 2>/dev/null)
	jq -nc --argjson pid "$1" --arg exe "${2:-$TMP/target}" --arg binary "${3:-$binary}" \
		--arg dev "$dev" --arg inode "$(stat -Lc %i "$TMP/target")" \
		'{type:"process",v:1,pid:$pid,start:"1",exe:$exe,dev:$dev,inode:$inode,binary:$binary,"more":[1]}'
}
feed() { # ARG…: records from $TMP/in
	"$goresolve" "$@" <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
	status=$?
}
for pid in "$pid1" "$pid2" "$pid3"; do
	wait_for "[ \"\$(readlink /proc/$pid/exe)\" = '$TMP/target' ]" 5
done
{
	process "$pid1"
	echo '{"type":"other","v":1}'
	process "$pid2"
	process "$pid3"
	echo '{"type":"exit","v":1,"pid":7,"start":"1"}'
} >"$TMP/in"
feed --no-recipes --no-args --func main.Small
is "$status" 0 "processes on stdin: status 0"
is "$(plan .type | uniq | tr '\n' ' ')" "probe process other process exit " \
	"probes once, before the binary's first process; all else in order"
jq -c 'select(.type != "probe")' "$TMP/out" >"$TMP/rest"
grep -v '^{"type":"probe"' "$TMP/out" | cmp -s - "$TMP/in"
ok $? "every line that came in goes out unchanged"

process "$pid1" "" other >"$TMP/in"
feed
is "$status" 1 "another binary than the record says: status 1"
is "$(err)" "goresolve: pid $pid1: $TMP/target: another binary than the record says" "one message"
is "$(plan .reason | head -n 1)" binary-differs "and a skip"
{
	process 4194303
	process "$pid1"
} >"$TMP/in"
feed --no-recipes --no-args --func main.Small
is "$status" 0 "a process that has ended is no failure"
is "$(err)" "" "and worth no message"
is "$(plan '[.type, .reason, .pid]' | head -n 1)" '["skip","unreadable",4194303]' "but a skip"
is "$(plan 'select(.type == "probe" and .role == null).symbol')" main.Small "and the next process of the binary has its plan"
process "$hold" >"$TMP/in"
feed
is "$status" 1 "a process of a C program: status 1"
like "$(err)" "^goresolve: pid $hold: " "a message"
is "$(err | wc -l)" 1 "one"
is "$(plan '[.type, .reason]' | tr '\n' ' ')" '["skip","not-go"] ["process",null] ' "and a skip"
printf '{"type":"process","v":1}\n{"type":"process"\n{"type":"exit","v":1}\n' >"$TMP/in"
feed
is "$status" 1 "malformed records: status 1"
is "$(err)" 'goresolve: stdin:1: process without a "pid"
goresolve: stdin:2: '"$(err | sed -n '2s/.*stdin:2: //p')" "each with its line"
is "$(plan .type)" exit "what was good goes on"
feed --strict
is "$(plan .type)" "" "--strict stops at the first"
printf 'x\n' >"$TMP/in"
feed
is "$status" 3 "nothing good at all: status 3"

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$TMP"
	cp "$goresolve" "$TMP/goresolve"
	process "$pid1" >"$TMP/in"
	as_nobody() {
		setpriv --reuid=65534 --regid=65534 --clear-groups "$TMP/goresolve" --no-recipes \
			--no-args --func main.Small <"$TMP/in" >"$TMP/out" 2>"$TMP/err"
		status=$?
	}
	as_nobody
	is "$status" 0 "as nobody, of a process of root: by the path" || diag "$(err)"
	is "$(plan .type | uniq | tr '\n' ' ')" "probe process " "the same plan"
	cp "$plain" "$TMP/new" && mv "$TMP/new" "$TMP/target"
	as_nobody
	is "$status" 1 "unless the path leads to another file by now"
	is "$(plan .reason | head -n 1)" unreadable "and a skip"
	process "$pid1" "$TMP/nowhere" >"$TMP/in"
	as_nobody
	is "$status" 1 "or nowhere: the process is there, so status 1"
	like "$(err)" "^goresolve: pid $pid1: /proc/$pid1/exe: Permission denied, $TMP/nowhere: No such" \
		"a message"
	is "$(err | wc -l)" 1 "one"
	is "$(plan .reason | head -n 1)" unreadable "and a skip"
	process "$pid1" >"$TMP/in"
	jq -c '.inode = "1"' "$TMP/in" >"$TMP/in2" && mv "$TMP/in2" "$TMP/in"
	feed --no-recipes --no-args --func main.Small
	is "$status" 0 "with the right to it /proc/PID/exe is the file, also when replaced"
fi

# --- what is no Go binary ---

bad() { # FILE STATUS REGEX NAME
	run "$1"
	is "$status" "$2" "$4: status $2"
	like "$(err)" "$3" "$4: a message"
	is "$(err | wc -l)" 1 "$4: one"
}
bad /bin/sh 3 'goresolve: /bin/sh: ' "a C program"
bad "$TOP/README.md" 3 'README.md: ' "a text"
bad "$TMP/nosuch" 1 'nosuch: No such file' "a file that is not there"
bad / 1 'goresolve: /: ' "a directory"
run /bin/sh "$plain"
is "$status" 1 "a C program beside a Go program: status 1"
for size in 0 3 16 63 64 100 200 1000 4096 100000 1000000; do
	head -c "$size" "$plain" >"$TMP/cut"
	run "$TMP/cut"
	case $status in
	1 | 3) ok 0 "cut to $size bytes: status $status" ;;
	*) ok 1 "cut to $size bytes: status $status" ;;
	esac
done

# --- usage ---

for args in "--nosuch" "-x" "--func" "--func=" "--site=never" "--no-recipe=nosuch" \
	"--dry-run --list=x" "--strict=1"; do
	# shellcheck disable=SC2086  # several arguments
	run $args
	is "$status" 2 "goresolve $args: status 2"
done
run --help
is "$status" 0 "--help: status 0"
like "$(cat "$TMP/out")" '^Usage: goresolve' "on stdout"
run --version
like "$(cat "$TMP/out")" '^goresolve \(gotap\) ' "--version"
if [ -w /dev/full ]; then
	"$goresolve" "$plain" --no-recipes --func main.Small >/dev/full 2>"$TMP/err"
	is $? 1 "a full disk: status 1"
	like "$(err)" 'goresolve: stdout: No space left' "and a message"
	"$goresolve" "$plain" --dry-run --func main.Small >/dev/full 2>"$TMP/err"
	is $? 1 "also for --dry-run"
	is "$(err)" "goresolve: stdout: No space left on device" "with the reason"
	"$goresolve" "$plain" --list '*' >/dev/full 2>"$TMP/err"
	is $? 1 "also for much text"
	is "$(err)" "goresolve: stdout: No space left on device" "with the reason"
	for name in gofind goresolve goattach gospan goexport; do
		"$BIN/$name" --help >/dev/full 2>"$TMP/err"
		is "$?,$(err)" "1,$name: stdout: No space left on device" "$name --help"
	done
fi

done_testing
