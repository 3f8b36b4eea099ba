// SPDX-License-Identifier: Apache-2.0

// Package asm is in assembly: ABI0, with wrappers that Go code calls.
package asm

// Words of runtime.g that are looked at: it is longer in every version.
const Words = 50

func Getg() *[Words]uint64
func Wide(p *byte)
func Plain(n int) int
