// SPDX-License-Identifier: Apache-2.0

//go:build go1.23

package main

import (
	"iter"
	"net/http"
)

func init() {
	handlers["/pull"] = func(w http.ResponseWriter, r *http.Request, me who) {
		next, stop := iter.Pull(func(yield func(int) bool) {
			call(nil, me)
			if yield(1) {
				call(nil, me)
			}
		})
		defer stop()
		next()
		next()
	}
}
