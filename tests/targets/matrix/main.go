// SPDX-License-Identifier: Apache-2.0

// Matrix is a small program with one function of each kind that a reader of
// binaries must tell apart, built by tests/matrix/ with many versions of Go in
// many ways. It prints where the fields of its types are: reflect's word, and
// that of its own memory.
package main

import (
	"fmt"
	"os"
	"unsafe"

	"example.com/matrix.v2/asm"
	sub "example.com/matrix.v2/sub.v3"
)

type Outer struct {
	flag bool
	sub.Inner
	next *Outer
	m    map[string][]string
	f    func(int) int
	x    complex128
	_    [3]byte
	last error
}

type Sizer interface{ Len() int }
type Twicer interface{ Twice() int }

//go:noinline
func deferred(n int) (r int) {
	defer func() {
		if recover() != nil {
			r = -1
		}
	}()
	if n > 3 {
		panic(n)
	}
	return n + 1
}

//go:noinline
func closure(n int) func(int) int {
	return func(m int) int {
		inner := func() int { return n * m }
		return inner() + n
	}
}

//go:noinline
func big(n int) int {
	var a [20000]byte
	for i := range a {
		a[i] = byte(i * n)
	}
	return int(a[n%len(a)])
}

//go:noinline
func table(n int) string {
	switch n {
	case 0:
		return "zero"
	case 1:
		return "one"
	case 2:
		return "two"
	case 3:
		return "three"
	case 4:
		return "four"
	case 5:
		return "five"
	case 6:
		return "six"
	case 7:
		return "seven"
	case 8:
		return "eight"
	case 9:
		return "nine"
	}
	return "many"
}

//go:noinline
func forever(c chan int) {
	for {
		<-c
	}
}

func init() { deferred(1) }
func init() { deferred(2) }

func offsetsOfOuter(o *Outer) {
	fmt.Println("offsetof main.Outer Inner", unsafe.Offsetof(o.Inner))
	fmt.Println("offsetof example.com/matrix.v2/sub.v3.Inner B", unsafe.Offsetof(o.B))
	fmt.Println("offsetof main.Outer last", unsafe.Offsetof(o.last))
}

func main() {
	o := &Outer{m: map[string][]string{}, f: closure(len(os.Args))}
	var s Sizer = o
	var t Twicer = sub.New(3)
	var buf [64]byte

	if len(os.Args) > 1 && os.Args[1] == "wide" {
		asm.Wide(&buf[0])
	}
	n := s.Len() + t.Twice() + o.f(2) + deferred(9) + big(7) + asm.Plain(1) + len(table(len(os.Args)))
	method := sub.New(n).Twice
	defer fmt.Println("end", method(), generic())
	if n == -1 {
		go forever(nil)
	}
	offsetsOfOuter(o)
	walkAll(*o)
	self()
}
