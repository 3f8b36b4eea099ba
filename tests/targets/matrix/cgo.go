// SPDX-License-Identifier: Apache-2.0

package main

// static int twice(int n) { return 2 * n; }
import "C"

func init() {
	if C.twice(2) != 4 {
		panic("C cannot count")
	}
}
