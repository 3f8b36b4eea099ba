// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"time"
)

// The ways in which a handler ends that are not the usual one.

// try runs f and recovers from its panic.
func try(f func()) {
	defer func() { recover() }()
	f()
}

func init() {
	// The connection is the handler's own, also after the request has ended.
	handlers["/hijack"] = func(w http.ResponseWriter, r *http.Request, me who) {
		call(r.Context(), me)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		both(r.Context(), me)
		ctx := detached(r.Context())
		pending.Add(1)
		go func() {
			defer pending.Done()
			defer conn.Close()
			both(ctx, me)
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}()
		within(me, func(me who) { call(nil, me) })
	}
	handlers["/dies-abort"] = func(w http.ResponseWriter, r *http.Request, me who) {
		within(me, func(me who) {
			call(nil, me)
			panic(http.ErrAbortHandler)
		})
	}
	// The answer is given while the handler goes on.
	handlers["/timed-out"] = func(w http.ResponseWriter, r *http.Request, me who) {
		pending.Add(1)
		http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer pending.Done()
			<-r.Context().Done()
			both(detached(r.Context()), me)
		}), time.Millisecond, "").ServeHTTP(w, r)
	}
	// Deferred functions make calls when what they are of has been left.
	handlers["/goexit-deferred"] = func(w http.ResponseWriter, r *http.Request, me who) {
		wait(func() {
			defer within(me, func(me who) { call(nil, me) })
			within(me, func(me who) {
				within(me, func(me who) {
					call(nil, me)
					runtime.Goexit()
				})
			})
		})
	}
	// Panics of deferred functions, while others are on their way, recovered or not.
	handlers["/panics"] = func(w http.ResponseWriter, r *http.Request, me who) {
		try(func() {
			within(me, func(me who) {
				defer func() {
					within(me, func(me who) {
						try(func() {
							within(me, func(me who) {
								call(nil, me)
								panic(fmt.Errorf("inner: %w", errors.New("wanted")))
							})
						})
						call(nil, me)
					})
				}()
				within(me, func(me who) { panic("outer") })
			})
		})
		call(nil, me)
		try(func() {
			within(me, func(me who) {
				defer func() { panic("another") }()
				within(me, func(me who) { panic("wanted") })
			})
		})
		try(func() {
			within(me, func(me who) {
				defer func() { panic(recover()) }()
				within(me, func(me who) { panic(errors.New("once more")) })
			})
		})
		for i := 0; i < 3; i++ {
			try(func() {
				nested(3, me, func(me who) {
					call(nil, me)
					var none *who
					_ = *none
				})
			})
		}
		call(nil, me)
	}
}
