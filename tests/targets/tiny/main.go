// SPDX-License-Identifier: Apache-2.0

// A program without any package but the runtime, to be taken apart by the fuzz
// targets: some types, arguments, a map, an interface and inlined calls.
package main

type Inner struct {
	N    int
	Name string
}

type Shape interface {
	Area(scale float64) (float64, error)
}

type T struct {
	Inner
	next *T
	tags map[string][]string
	raw  [3]uint16
	any  interface{}
}

type failure string

func (f failure) Error() string { return string(f) }

func (i Inner) twice() int { return i.N * 2 }

//go:noinline
func (t *T) Area(scale float64) (float64, error) {
	if t == nil {
		return 0, failure("no T")
	}
	return scale * float64(t.twice()), nil
}

//go:noinline
func Lookup(key string, t *T, b []byte) (out string, ok bool) {
	defer func() { recover() }()
	v := t.tags[key]
	if len(v) == 0 {
		return string(b), false
	}
	return v[0], true
}

func main() {
	t := &T{Inner: Inner{3, "x"}, tags: map[string][]string{"a": {"b"}}}
	t.any = t
	var s Shape = t
	area, err := s.Area(2)
	v, ok := Lookup("a", t, []byte("c"))
	println(area, err == nil, v, ok)
}
