// SPDX-License-Identifier: Apache-2.0

// Command funcs calls ordinary functions in every awkward way. It prints
// "ready", and for every line on stdin does one round and prints how many calls
// each function has had since the start, as JSON. It ends at the end of stdin.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// The calls of each traced function.
var calls struct {
	Recurse, Grow, Panics, Inner, Exits, Outer, Leaf int64
}

// Recurse calls itself n times; each call is a span inside the one before.
//
//go:noinline
func Recurse(n int) int {
	atomic.AddInt64(&calls.Recurse, 1)
	if n == 0 {
		return 0
	}
	return Recurse(n-1) + 1
}

// Grow has a big frame, so that a few calls grow the stack.
//
//go:noinline
func Grow(n int) int {
	var pad [3000]byte
	atomic.AddInt64(&calls.Grow, 1)
	pad[n] = 1
	if n == 0 {
		return int(pad[1])
	}
	return Grow(n-1) + int(pad[n])
}

// Panics recovers from a panic some calls further down.
//
//go:noinline
func Panics(n int) (result string) {
	atomic.AddInt64(&calls.Panics, 1)
	defer func() {
		if r := recover(); r != nil {
			result = fmt.Sprint(r)
		}
	}()
	return fmt.Sprint(Inner(n))
}

// Inner calls itself n times and panics at the end: no call of it returns.
//
//go:noinline
func Inner(n int) int {
	atomic.AddInt64(&calls.Inner, 1)
	if n == 0 {
		panic("boom")
	}
	return Inner(n-1) + 1
}

// Exits ends its goroutine some calls further down.
//
//go:noinline
func Exits(n int) int {
	atomic.AddInt64(&calls.Exits, 1)
	if n == 0 {
		runtime.Goexit()
	}
	return Exits(n-1) + 1
}

// Outer calls Leaf three times.
//
//go:noinline
func Outer(n int) int {
	atomic.AddInt64(&calls.Outer, 1)
	return Leaf(n) + Leaf(n+1) + Leaf(n+2)
}

// Leaf calls nothing.
//
//go:noinline
func Leaf(n int) int {
	atomic.AddInt64(&calls.Leaf, 1)
	return n * n
}

func round() {
	var wg sync.WaitGroup
	for i := 0; i < 20; i++ {
		for _, f := range []func(){
			func() { Recurse(30) },
			func() { Grow(40) },
			func() { Panics(5) },
			func() { Exits(3) },
			func() { Outer(7) },
		} {
			wg.Add(1)
			go func(f func()) {
				defer wg.Done()
				f()
			}(f)
		}
	}
	wg.Wait()
}

func main() {
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		round()
		out.Encode(calls)
	}
}
