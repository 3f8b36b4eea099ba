// SPDX-License-Identifier: Apache-2.0

//go:build cgo
// +build cgo

package main

// static int twice(int n) { return 2 * n; }
import "C"

import (
	"fmt"
	"net/http"
)

func init() {
	mux.HandleFunc("/cgo", func(w http.ResponseWriter, r *http.Request) {
		count(r, "200")
		fmt.Fprintf(w, "twice %d\n", int(C.twice(C.int(number(r, "n", 21)))))
	})
}
