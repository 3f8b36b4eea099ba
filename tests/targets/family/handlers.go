// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"runtime"
	"sync"
	"time"
)

// both makes a call with the request's context and one without any.
func both(ctx context.Context, me who) {
	call(ctx, me)
	call(nil, me)
}

// wait runs f in a goroutine and waits for it.
func wait(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// generations runs f in the n-th generation of goroutines, when the creators have ended.
func generations(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	go generations(n-1, f)
}

type bufferPool struct{ sync.Pool }

var buffers = bufferPool{sync.Pool{New: func() interface{} { return new([]byte) }}}

// A wrapped RoundTripper makes a call of its own before the one that it is for.
type wrapped struct{ me who }

func (t wrapped) RoundTrip(r *http.Request) (*http.Response, error) {
	call(r.Context(), t.me)
	return client.Transport.RoundTrip(r)
}

func init() {
	handlers["/direct"] = func(w http.ResponseWriter, r *http.Request, me who) { both(r.Context(), me) }
	handlers["/none"] = func(w http.ResponseWriter, r *http.Request, me who) {}
	handlers["/go"] = func(w http.ResponseWriter, r *http.Request, me who) {
		wait(func() { both(r.Context(), me) })
	}
	handlers["/generations"] = func(w http.ResponseWriter, r *http.Request, me who) {
		done := make(chan struct{})
		generations(10, func() { call(nil, me); close(done) })
		<-done
	}
	handlers["/fan"] = func(w http.ResponseWriter, r *http.Request, me who) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		var wg sync.WaitGroup
		for i := 0; i < 4; i++ {
			wg.Add(1)
			go func() { defer wg.Done(); call(ctx, me) }()
		}
		wg.Wait()
	}
	handlers["/late"] = func(w http.ResponseWriter, r *http.Request, me who) {
		pending.Add(1)
		go func() {
			defer pending.Done()
			time.Sleep(20 * time.Millisecond)
			call(nil, me)
		}()
	}
	handlers["/locked"] = func(w http.ResponseWriter, r *http.Request, me who) {
		wait(func() {
			runtime.LockOSThread() // its thread ends with it
			call(nil, me)
		})
	}
	handlers["/syncpool"] = func(w http.ResponseWriter, r *http.Request, me who) {
		b := buffers.Get().(*[]byte)
		wait(func() { call(r.Context(), me) })
		buffers.Put(b)
	}
	handlers["/timer"] = func(w http.ResponseWriter, r *http.Request, me who) {
		var wg sync.WaitGroup
		wg.Add(2)
		time.AfterFunc(time.Millisecond, func() { defer wg.Done(); call(r.Context(), me) })
		time.AfterFunc(time.Millisecond, func() { defer wg.Done(); call(nil, nil) })
		wg.Wait()
	}
	handlers["/final"] = func(w http.ResponseWriter, r *http.Request, me who) {
		done := make(chan struct{})
		garbage(done)
		for {
			runtime.GC()
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	handlers["/func"] = func(w http.ResponseWriter, r *http.Request, me who) {
		within(me, func(me who) {
			both(r.Context(), me)
			wait(func() { both(r.Context(), me) })
			within(me, func(me who) { wait(func() { call(r.Context(), me) }) })
		})
		call(nil, me)
		wait(func() { within(me, func(me who) { call(nil, me) }) })
		nested(20, me, func(me who) { call(nil, me) })
	}
	handlers["/redirect"] = func(w http.ResponseWriter, r *http.Request, me who) {
		first, second := newID(), newID()
		note("c", first, me)
		note("c", second, me)
		get(client, r.Context(), fmt.Sprintf("http://%s/redirect/%d/%d", backend, first, second))
	}
	handlers["/proxy"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		to := &url.URL{Scheme: "http", Host: backend, Path: fmt.Sprintf("/c/%d", id)}
		p := httputil.ReverseProxy{
			Director:  func(out *http.Request) { out.URL = to },
			Transport: client.Transport,
		}
		p.ServeHTTP(w, r)
	}
	handlers["/wrapped"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		get(&http.Client{Transport: wrapped{me}}, r.Context(),
			fmt.Sprintf("http://%s/c/%d", backend, id))
	}
	handlers["/refused"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		get(client, r.Context(), fmt.Sprintf("http://127.0.0.1:1/c/%d", id))
	}
	handlers["/cancelled"] = func(w http.ResponseWriter, r *http.Request, me who) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Millisecond)
		defer cancel()
		id := newID()
		note("c", id, me)
		get(client, ctx, fmt.Sprintf("http://%s/slow/%d", backend, id))
		call(nil, me)
	}
	handlers["/recovered"] = func(w http.ResponseWriter, r *http.Request, me who) {
		func() {
			defer func() {
				recover()
				call(nil, me)
			}()
			nested(5, me, func(me who) {
				call(nil, me)
				panic(errors.New("wanted"))
			})
		}()
		within(me, func(me who) { call(nil, me) })
		call(nil, me)
	}
	handlers["/dies-panic"] = func(w http.ResponseWriter, r *http.Request, me who) {
		within(me, func(me who) {
			call(nil, me)
			panic("wanted")
		})
	}
	handlers["/goexit"] = func(w http.ResponseWriter, r *http.Request, me who) {
		wait(func() {
			within(me, func(me who) {
				call(nil, me)
				runtime.Goexit()
			})
		})
		call(nil, me)
	}
	handlers["/timeout"] = func(w http.ResponseWriter, r *http.Request, me who) {
		http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			both(r.Context(), me)
		}), time.Minute, "").ServeHTTP(w, r)
	}
}

//go:noinline
func garbage(done chan struct{}) {
	p := &struct{ b [64]byte }{}
	runtime.SetFinalizer(p, func(p *struct{ b [64]byte }) { call(nil, nil); close(done) })
}
