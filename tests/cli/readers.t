#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The readers of Go binaries against Go's own word: functions and ends against
# `go tool nm`, fields against what the program itself prints, on one program
# built in each way; functions of a stripped file against the whole one's.
. "$(dirname "$0")/../lib.sh"
require_go
unit=${BIN%/bin}/tests/unit
for p in gobin gofuncs gotypes; do
	[ -x "$unit/$p" ] || skip_all "no $unit/$p: make unit-tests"
done

mkdir -p "$TMP/src/sub.v3"
cat >"$TMP/src/go.mod" <<'END'
module example.com/mini.v2

go 1.18
END
cat >"$TMP/src/sub.v3/sub.go" <<'END'
package sub

type Inner struct {
	A byte
	B string
}

//go:noinline
func (i *Inner) Len() int { return len(i.B) }
END
cat >"$TMP/src/main.go" <<'END'
package main

import (
	"fmt"
	"net/http"
	"reflect"
	"unsafe"

	sub "example.com/mini.v2/sub.v3"
)

type Outer struct {
	flag bool
	sub.Inner
	next *Outer
	m    map[string][]string
}

type Named interface{ Len() int }

//go:noinline
func Map[K comparable, V any](m map[K]V, f func(V) V) int {
	defer func() { recover() }()
	for k, v := range m {
		m[k] = f(v)
	}
	return len(m)
}

func fields(name string, v any) {
	t := reflect.TypeOf(v)
	for i := 0; i < t.NumField(); i++ {
		if f := t.Field(i); f.Name != "_" {
			fmt.Println(name, f.Name, f.Offset)
		}
	}
}

func main() {
	o := &Outer{m: map[string][]string{}}
	var n Named = o
	n.Len()
	Map(o.m, func(v []string) []string { return v })
	Map(map[int]int{}, func(v int) int { return v })
	fmt.Println("main.Outer", "B", unsafe.Offsetof(o.B))
	fields("main.Outer", *o)
	fields("example.com/mini.v2/sub.v3.Inner", o.Inner)
	fields("net/http.Request", http.Request{})
	fields("net/http.Server", http.Server{})
	http.Handle("/", http.NotFoundHandler())
	if o.flag {
		http.ListenAndServe("", nil)
	}
}
END

build() { # NAME CGO ARGUMENT…
	out=$TMP/$1
	cgo=$2
	shift 2
	(cd "$TMP/src" && GOFLAGS=-mod=mod GOWORK=off CGO_ENABLED=$cgo \
		nice go build -o "$out" "$@" . 2>&1)
}
# "ADDRESS SIZE NAME" of what Go wrote; '.' for its middle dots.
go_names() {
	sed 's/·/./g; s/\.abi0$//' | awk '$3 ~ /\./ && $3 !~ /\.(cold|part|isra|constprop)(\.|$)/' |
		sort
}
nm_functions() {
	go tool nm -size "$1" | awk '$3 == "T" || $3 == "t" {
		addr = $1; size = $2; sub(/^ *[0-9a-f]+ +[0-9]+ +[Tt] +/, ""); if (size) print addr, size, $0
	}' | go_names
}
our_functions() {
	"$unit/gofuncs" --list "$1" | go_names
}
our_fields() { # FILE < "TYPE FIELD OFFSET"
	awk '$1 != last { printf "%s%s", last ? "\n" : "", last = $1 } { printf " %s", $2 }
		END { print "" }' |
		while read -r type list; do
			# shellcheck disable=SC2086  # names of fields
			"$unit/gotypes" --field "$1" "$type" $list
		done | awk '{ print $1, $2 }'
}

# What the program says of itself is asked once: the layout is the same in all.
build plain 0 || skip_all "go cannot build here"
"$TMP/plain" >"$TMP/says"
awk '{ print $1 "." $2, $3 }' "$TMP/says" >"$TMP/want-fields"
ok "$([ "$(wc -l <"$TMP/says")" -gt 50 ]; echo $?)" "the program prints its fields"

for how in plain stripped pie pie-stripped cgo; do
	case $how in
	plain) ;;
	stripped) build $how 0 -ldflags='-s -w' ;;
	pie) build $how 0 -buildmode=pie ;;
	pie-stripped) build $how 0 -buildmode=pie -ldflags='-s -w' ;;
	cgo) build $how 1 -ldflags=-linkmode=external ;;
	esac
	[ -x "$TMP/$how" ] || {
		diag "no $how build here"
		continue
	}
	for p in gobin gofuncs gotypes; do
		out=$("$unit/$p" "$TMP/$how")
		ok $? "$how: $p's own test" || diag "$(echo "$out" | grep -A 3 '^not')"
	done
	our_fields "$TMP/$how" <"$TMP/says" >"$TMP/fields"
	is "$(diff "$TMP/want-fields" "$TMP/fields")" "" "$how: fields are where the program says"
	case $how in
	*stripped) continue ;;
	esac
	nm_functions "$TMP/$how" >"$TMP/nm"
	our_functions "$TMP/$how" >"$TMP/ours"
	ok "$([ "$(wc -l <"$TMP/nm")" -gt 2000 ]; echo $?)" "$how: go tool nm has functions"
	is "$(diff "$TMP/nm" "$TMP/ours" | head -n 20)" "" "$how: the same as ours"
	is "$("$unit/gofuncs" --list "$TMP/$how" | grep -c ' main\.Map\[')" \
		"$(go tool nm "$TMP/$how" | grep -ci ' t main\.Map\[')" "$how: type arguments"
done

if command -v strip >/dev/null && strip -o "$TMP/bare" "$TMP/plain"; then
	"$unit/gofuncs" --list "$TMP/plain" | awk '{ $2 = ""; print }' >"$TMP/ours"
	"$unit/gofuncs" --list "$TMP/bare" | awk '{ $2 = ""; print }' >"$TMP/bare-ours"
	is "$(diff "$TMP/ours" "$TMP/bare-ours")" "" "strip(1) takes no function"
fi
done_testing
