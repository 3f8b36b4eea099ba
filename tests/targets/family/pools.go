// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A job for a worker: with a context, or with the request that it is for.
type job struct {
	ctx  context.Context
	r    *http.Request
	me   who
	done *sync.WaitGroup
}

func (j job) run() {
	defer j.done.Done()
	if j.ctx == nil {
		j.ctx = j.r.Context()
	}
	call(j.ctx, j.me)
	withContext(j.ctx, j.me, func(me who) { call(j.ctx, me) })
}

// Workers that are there from the start, and such as a request creates, which go on to
// work for others.
var (
	early = make(chan job)
	lazy  = make(chan job)
	sizes struct {
		sync.Mutex
		lazy int
	}
)

func worker(jobs chan job) {
	for j := range jobs {
		j.run()
	}
}

func startPools() {
	for i := 0; i < 16; i++ {
		go worker(early)
	}
}

func grow() {
	sizes.Lock()
	defer sizes.Unlock()
	if sizes.lazy < 16 {
		sizes.lazy++
		go worker(lazy)
	}
}

// give has a pool work, and waits.
func give(pool chan job, j job) {
	j.done = new(sync.WaitGroup)
	j.done.Add(1)
	pool <- j
	j.done.Wait()
}

// Contexts of a program's own: what they embed is where the standard ones have it, behind
// other fields, or behind a pointer.
type (
	named  struct{ context.Context }
	behind struct {
		name string
		n    int
		context.Context
	}
	further struct {
		n int
		*behind
	}
)

type key int

// chain makes a context in every way out of ctx.
func chain(ctx context.Context) (context.Context, context.CancelFunc) {
	for i := key(0); i < 50; i++ {
		ctx = context.WithValue(ctx, i, i)
	}
	ctx = &named{ctx}
	ctx = &behind{"x", 1, ctx}
	ctx = &further{1, &behind{"y", 2, ctx}}
	ctx = behind{"z", 3, ctx}
	ctx, cancel1 := context.WithDeadline(ctx, time.Now().Add(time.Hour))
	ctx, cancel2 := context.WithTimeout(ctx, time.Minute)
	ctx, cancel3 := context.WithCancel(ctx)
	return ctx, func() { cancel3(); cancel2(); cancel1() }
}

func init() {
	handlers["/pool-context"] = func(w http.ResponseWriter, r *http.Request, me who) {
		give(early, job{ctx: r.Context(), me: me})
	}
	handlers["/pool-request"] = func(w http.ResponseWriter, r *http.Request, me who) {
		give(early, job{r: r, me: me})
	}
	handlers["/lazy-context"] = func(w http.ResponseWriter, r *http.Request, me who) {
		grow()
		give(lazy, job{ctx: r.Context(), me: me})
	}
	handlers["/lazy-request"] = func(w http.ResponseWriter, r *http.Request, me who) {
		grow()
		give(lazy, job{r: r.WithContext(r.Context()), me: me})
	}
	handlers["/chain"] = func(w http.ResponseWriter, r *http.Request, me who) {
		ctx, cancel := chain(r.Context())
		defer cancel()
		give(early, job{ctx: ctx, me: me})
	}
	handlers["/pool-late"] = func(w http.ResponseWriter, r *http.Request, me who) {
		j := job{ctx: detached(r.Context()), me: me, done: &pending}
		pending.Add(1)
		time.AfterFunc(20*time.Millisecond, func() { lazyOrEarly() <- j })
	}
}

func lazyOrEarly() chan job {
	sizes.Lock()
	defer sizes.Unlock()
	if sizes.lazy > 0 {
		return lazy
	}
	return early
}
