// SPDX-License-Identifier: Apache-2.0

package main

// // Text in more sections than one, as C code may have it.
// __attribute__((noinline, section("more_text"))) static int twice(int n) { return 2 * n; }
// __attribute__((noinline, cold)) static int thrice(int n) { return 3 * n; }
import "C"

func init() {
	if C.twice(2) != 4 || C.thrice(2) != 6 {
		panic("C cannot count")
	}
}
