// SPDX-License-Identifier: Apache-2.0

// Command shapes has functions with parameters of many types. It prints, as JSON,
// where the compiler put the fields, and ends at the end of stdin.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unsafe"
)

type Label string

type Inner struct {
	A    int32
	Name string
}

type Base struct {
	Pad [3]byte
	ID  uint16
	Inner
}

type Far struct {
	X, Y  int64
	Title string
}

type Pair struct{ X, Y int }

type Request struct {
	Base
	*Far
	Tags []string
	Raw  []byte
	M    map[string]Inner
	N    map[int]string
	Arr  [4]Inner
	Any  interface{}
	W    io.Writer
	F    float64
	OK   bool
	Next *Request
	Fn   func()
	Ch   chan int
	L    Label
	P    *int32
}

type Sink struct{ Total, Last int }

//go:noinline
func (s *Sink) Write(p []byte) (int, error) {
	s.Total += len(p)
	return len(p), nil
}

// Handle uses up the nine integer registers of amd64.
//
//go:noinline
func Handle(w io.Writer, r *Request, s string, raw []byte, n int) (total int, err error) {
	total, err = w.Write(append(raw, s...))
	return total + n + len(r.Tags), err
}

// Spill has a last parameter that does not fit into registers.
//
//go:noinline
func Spill(a, b string, c []byte, d string, p Pair) int {
	fmt.Fprint(io.Discard, a, b, c, d)
	return p.X + p.Y
}

//go:noinline
func Small(p Pair, f float64, ok bool) (bool, string) { return ok && f > float64(p.X), fmt.Sprint(p.Y) }

// Big has a frame that takes both branches of the stack check to tell.
//
//go:noinline
func Big(n int) int {
	var pad [70000]byte
	pad[n] = 1
	return int(pad[n/2]) + len(fmt.Sprint(n))
}

// Deferred recovers.
//
//go:noinline
func Deferred(n int) (out int) {
	defer func() { recover() }()
	if n > 3 {
		return n
	}
	panic(fmt.Sprint(n))
}

//go:noinline
func Forever() {
	for {
		fmt.Println("never called")
	}
}

//go:noinline
func Empty() {}

// What is here is allocated on the heap, so that its types' descriptors are kept.
var heap []interface{}

func main() {
	r := &Request{Far: &Far{}, W: &Sink{}, Any: &Pair{}, M: map[string]Inner{}, N: map[int]string{}}
	r.M["key"] = Inner{Name: "value"}
	heap = append(heap, r, r.M, r.N, r.Far, r.W, r.Any, &r.Arr[0])
	total, _ := Handle(&Sink{}, r, "s", nil, 1)
	total += Spill("a", "b", nil, "d", Pair{1, 2}) + Big(3) + Deferred(total)
	Small(Pair{1, 2}, 3, true)
	Empty()
	if total < 0 {
		Forever()
	}
	json.NewEncoder(os.Stdout).Encode(map[string]uintptr{
		"ID": unsafe.Offsetof(r.Base.ID), "Name": unsafe.Offsetof(r.Base.Inner) + unsafe.Offsetof(r.Base.Inner.Name),
		"Far": unsafe.Offsetof(r.Far), "Title": unsafe.Offsetof(r.Far.Title), "Tags": unsafe.Offsetof(r.Tags),
		"Raw": unsafe.Offsetof(r.Raw), "M": unsafe.Offsetof(r.M), "Arr": unsafe.Offsetof(r.Arr),
		"InnerName": unsafe.Offsetof(r.Arr[0].Name), "InnerSize": unsafe.Sizeof(r.Arr[0]),
		"Any": unsafe.Offsetof(r.Any), "W": unsafe.Offsetof(r.W), "F": unsafe.Offsetof(r.F), "OK": unsafe.Offsetof(r.OK),
		"Next": unsafe.Offsetof(r.Next), "Fn": unsafe.Offsetof(r.Fn), "Ch": unsafe.Offsetof(r.Ch), "L": unsafe.Offsetof(r.L), "P": unsafe.Offsetof(r.P),
		"Last": unsafe.Offsetof(Sink{}.Last), "Y": unsafe.Offsetof(Pair{}.Y),
	})
	io.Copy(io.Discard, os.Stdin)
}
