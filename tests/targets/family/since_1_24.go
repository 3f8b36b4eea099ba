// SPDX-License-Identifier: Apache-2.0

//go:build go1.24

package main

import (
	"net/http"
	"runtime"
	"time"
)

//go:noinline
func rubbish(done chan struct{}) {
	p := &struct{ b [64]byte }{}
	runtime.AddCleanup(p, func(done chan struct{}) { call(nil, nil); close(done) }, done)
}

func init() {
	handlers["/cleanup"] = func(w http.ResponseWriter, r *http.Request, me who) {
		done := make(chan struct{})
		rubbish(done)
		for {
			runtime.GC()
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
}
