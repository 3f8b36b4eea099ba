// SPDX-License-Identifier: Apache-2.0

// Command signatures has a function for each rule by which Go's register ABI
// (abi-internal.md) assigns parameters: each uses all of its parameters, so that the
// compiler says in its debugging information where they are.
package main

import (
	"errors"
	"fmt"
	"io"
	"time"
	"unsafe"
)

type (
	small struct{ a, b int8 }
	mixed struct {
		b bool
		s string
		f float64
	}
	nested struct {
		m mixed
		p *int
		e struct{}
		o [1]small
	}
	arrays struct {
		one  [1]int64
		none [0]string
		x    uint16
	}
	two    struct{ a [2]int32 }
	big    struct{ a, b, c, d, e, f, g, h, i, j int }
	floats struct {
		f float32
		g [1]float64
		c complex64
	}
	padded struct {
		a int8
		b int64
		c int8
		d string
	}
	embeds struct {
		small
		*nested
		io.Reader
	}
	empty  struct{}
	named  int16
	fn     func(int) string
	single struct{ v interface{ M() } }
)

var sink []interface{}

//go:noinline
func keep(v ...interface{}) { sink = append(sink[:0], v...) }

//go:noinline
func Ints(a int, b int8, c uint16, d int32, e uint64, f uintptr, g bool, h byte, i rune) {
	keep(a, b, c, d, e, f, g, h, i)
}

//go:noinline
func TooManyInts(a, b, c, d, e, f, g, h, i, j, k int) { keep(a, b, c, d, e, f, g, h, i, j, k) }

//go:noinline
func Floats(a float64, b float32, c complex128, d int, e floats, f complex64) {
	keep(a, b, c, d, e, f)
}

//go:noinline
func ManyFloats(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q float64) {
	keep(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q)
}

//go:noinline
func Strings(a string, b []byte, c interface{}, d error) { keep(a, b, c, d) }

//go:noinline
func SliceSpills(a, b, c []int, d string, e int) { keep(a, b, c, d, e) }

//go:noinline
func WholeSpills(a, b, c, d, e, f, g int, h []string, i int, j string, k *int) {
	keep(a, b, c, d, e, f, g, h, i, j, k)
}

//go:noinline
func Small(a small, b int, c small) { keep(a, b, c) }

//go:noinline
func Mixed(a int, m mixed, b bool) { keep(a, m, b) }

//go:noinline
func Nested(n nested, a int) { keep(n, a) }

//go:noinline
func Arrays(a arrays, b [1]string, c [2]int8, d int, e two, f [0]int) { keep(a, b, c, d, e, f) }

//go:noinline
func ArrayThenInts(a [3]byte, b int, c [2]int, d byte) { keep(a, b, c, d) }

//go:noinline
func Big(a int, b big, c int) { keep(a, b, c) }

//go:noinline
func Padded(p padded, a int8, q padded) { keep(p, a, q) }

//go:noinline
func Embeds(e embeds, a int) { keep(e.a, e.nested, e.Reader, a) }

//go:noinline
func Empty(a empty, b int, c empty, d string) { keep(a, b, c, d) }

//go:noinline
func Words(m map[string]int, c chan int, f fn, u unsafe.Pointer, p **int, n named) {
	keep(m, c, f, u, p, n)
}

//go:noinline
func Single(s single, t [1]single, d time.Duration, at time.Time) { keep(s, t, d, at) }

//go:noinline
func Variadic(format string, args ...interface{}) { keep(format, args) }

func (s small) Value(a int)              { keep(s, a) }
func (m *mixed) Pointer(a string, b int) { keep(m, a, b) }
func (n named) Named(a, b float32)       { keep(n, a, b) }
func (b big) OnStack(a string)           { keep(b, a) }

// Results: their place is what main prints is checked by.

//go:noinline
func ResInts(n int) (a int, b string, err error) {
	keep(n)
	if n < 0 {
		return 0, "", errors.New("negative")
	}
	return n * 2, fmt.Sprint("n", n), nil
}

func main() {
	var s single
	Ints(1, 2, 3, 4, 5, 6, true, 8, 9)
	TooManyInts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	Floats(1, 2, 3, 4, floats{}, 5)
	ManyFloats(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
	Strings("a", nil, 1, io.EOF)
	SliceSpills(nil, nil, nil, "d", 5)
	WholeSpills(1, 2, 3, 4, 5, 6, 7, nil, 9, "j", nil)
	Small(small{1, 2}, 3, small{4, 5})
	Mixed(1, mixed{true, "s", 2}, false)
	Nested(nested{}, 1)
	Arrays(arrays{}, [1]string{"b"}, [2]int8{1, 2}, 3, two{}, [0]int{})
	ArrayThenInts([3]byte{}, 1, [2]int{}, 2)
	Big(1, big{}, 2)
	Padded(padded{}, 1, padded{})
	Embeds(embeds{nested: &nested{}}, 1)
	Empty(empty{}, 1, empty{}, "d")
	Words(nil, nil, nil, nil, nil, 1)
	Single(s, [1]single{}, time.Second, time.Now())
	Variadic("f", 1, 2)
	small{1, 2}.Value(3)
	(&mixed{}).Pointer("a", 1)
	named(1).Named(2, 3)
	big{}.OnStack("a")
	fmt.Println(ResInts(3))
	fmt.Println(ResInts(-3))
	for _, f := range []interface{}{small.Value, (*mixed).Pointer, named.Named, big.OnStack} {
		keep(f)
	}
}
