// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Only by name, not among the paths that a load takes in turn: what they do is a lot, and
// the request's n says how much.
var many = map[string]func(r *http.Request, n int, me who){
	// n goroutines live at once; each hundredth makes a call, when all are there.
	"/many-goroutines": func(r *http.Request, n int, me who) {
		var ready, done sync.WaitGroup
		gate := make(chan struct{})
		for i := 0; i < n; i++ {
			i := i
			ready.Add(1)
			done.Add(1)
			go func() {
				defer done.Done()
				ready.Done()
				<-gate
				if i%100 == 0 {
					call(nil, me)
				}
			}()
		}
		ready.Wait()
		close(gate)
		done.Wait()
	},
	// n calls within each other.
	"/many-nested": func(r *http.Request, n int, me who) {
		nested(n, me, func(me who) { call(nil, me) })
	},
	// n panics, one after the other, each through two calls.
	"/many-panics": func(r *http.Request, n int, me who) {
		for i := 0; i < n; i++ {
			func() {
				defer func() { recover() }()
				lookup(0, func() { lookup(0, func() { panic(errors.New("wanted")) }) })
			}()
		}
		call(nil, me)
	},
	// n requests in flight at once, each of which then makes a call in a goroutine.
	"/many-requests": func(r *http.Request, n int, me who) {
		crowd.Lock()
		crowd.n++
		if crowd.n%n == 0 {
			close(crowd.gate)
			crowd.gate = make(chan struct{})
			crowd.Unlock()
		} else {
			gate := crowd.gate
			crowd.Unlock()
			<-gate
		}
		few <- true // there are only so many files
		wait(func() { call(nil, me) })
		give(early, job{ctx: r.Context(), me: me})
		<-few
	},
	// A call n milliseconds after the request's end, and a last one that has its context.
	"/many-milliseconds": func(r *http.Request, n int, me who) {
		ctx := detached(r.Context())
		pending.Add(1)
		go func() {
			defer pending.Done()
			time.Sleep(time.Duration(n) * time.Millisecond)
			call(nil, me)
			call(ctx, me)
			wait(func() { call(context.TODO(), me) })
		}()
	},
}

var few = make(chan bool, 200)

var crowd = struct {
	sync.Mutex
	n    int
	gate chan struct{}
}{gate: make(chan struct{})}

func handleMany(w http.ResponseWriter, r *http.Request, me who) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < 1 {
		http.Error(w, "n", http.StatusBadRequest)
		return
	}
	many[r.URL.Path](r, n, me)
}
