// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"unsafe"

	"example.com/matrix.v2/asm"
)

// What is known of a goroutine from outside of its g.
type known struct {
	goid, parent, startpc, gopc, sp uint64
}

// number returns what follows text in b, in the given base.
func number(b []byte, text string, base int) uint64 {
	i := bytes.Index(b, []byte(text))
	if i < 0 {
		return 0
	}
	b = b[i+len(text):]
	end := bytes.IndexAny(b, " \n")
	if end < 0 {
		end = len(b)
	}
	n, _ := strconv.ParseUint(string(b[:end]), base, 64)
	return n
}

func goid() uint64 {
	var b [64]byte
	return number(b[:runtime.Stack(b[:], false)], "goroutine ", 10)
}

//go:noinline
func spawn(f func()) { go f() }

// look compares the words of its own g with what it knows of it, and clears the bit
// of each word that is something else.
func look(k known, possible map[string]uint64) {
	var b [4096]byte
	var here byte
	g := asm.Getg()
	stack := b[:runtime.Stack(b[:], false)]
	k.goid = goid()
	if i := bytes.Index(stack, []byte("created by ")); i >= 0 {
		k.gopc = uint64(reflect.ValueOf(spawn).Pointer()) + number(stack[i:], " +0x", 16)
	}
	k.sp = uint64(uintptr(unsafe.Pointer(&here)))
	for i, w := range g {
		bit := uint64(1) << i
		for name, want := range map[string]uint64{"goid": k.goid, "parentGoid": k.parent,
			"startpc": k.startpc, "gopc": k.gopc} {
			if w != want {
				possible[name] &^= bit
			}
		}
	}
	if g[0] >= k.sp || g[1] <= k.sp || g[1]-g[0] > 1<<20 {
		possible["stack"] = 0
	}
}

// self prints where fields of runtime.g are, by what is in the memory of many.
func self() {
	const all = 1<<asm.Words - 1
	possible := map[string]uint64{"goid": all, "parentGoid": all, "startpc": all, "gopc": all,
		"stack": 1}
	var child func()
	var parent uint64
	done := make(chan bool)
	child = func() {
		look(known{parent: parent, startpc: uint64(reflect.ValueOf(child).Pointer())}, possible)
		done <- true
	}
	for i := 0; i < 200; i++ {
		go func() {
			parent = goid()
			spawn(child)
		}()
		<-done
	}
	for _, name := range []string{"goid", "parentGoid", "startpc", "gopc"} {
		for i := 0; i < asm.Words; i++ {
			if possible[name] == 1<<i {
				fmt.Println("field runtime.g", name, 8*i)
			}
		}
	}
	if possible["stack"] != 0 {
		fmt.Println("field runtime.stack lo 0")
		fmt.Println("field runtime.stack hi 8")
	}
}
