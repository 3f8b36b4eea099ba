// SPDX-License-Identifier: Apache-2.0

// Package sub has a dot in its path, which symbols escape.
package sub

type Inner struct {
	A byte
	B string
}

//go:noinline
func (i *Inner) Len() int { return len(i.B) }

type small struct{ n int }

//go:noinline
func (s small) Twice() int { return 2 * s.n }

// Outer has a method by embedding, and a wrapper around it for *Outer.
type Outer struct {
	pad bool
	small
}

func New(n int) *Outer { return &Outer{small: small{n}} }
