//go:build go1.18

// SPDX-License-Identifier: Apache-2.0

package main

type Pair[K comparable, V any] struct {
	Key K
	Val V
	n   int
}

//go:noinline
func (p *Pair[K, V]) Set(k K, v V) *Pair[K, V] {
	p.Key, p.Val = k, v
	p.n++
	return p
}

//go:noinline
func Map[K comparable, V any](m map[K]V, f func(V) V) int {
	defer func() { _ = recover() }()
	for k, v := range m {
		m[k] = f(v)
	}
	return len(m)
}

// Called through an interface, a method of a generic type has a wrapper in front,
// which adds the dictionary.
type adder interface{ Add(n int) int }

//go:noinline
func (p *Pair[K, V]) Add(n int) int {
	if p.n += n; p.n > 1<<40 {
		panic(p)
	}
	return p.n
}

var adders = []adder{&Pair[string, int]{}, &Pair[int, *Outer]{}, &Pair[int, []byte]{}}

func generic() int {
	for _, a := range adders {
		a.Add(len(adders))
	}
	p := (&Pair[string, *Outer]{}).Set("a", nil)
	walk(*p)
	n := Map(map[string]int{"a": p.n}, func(v int) int { return v + 1 })
	return n + Map(map[int]Outer{}, func(v Outer) Outer { return v })
}
