// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// call makes a request for whoever parent is, with ctx if there is one.
func call(ctx context.Context, parent who) {
	id := newID()
	note("c", id, parent)
	get(client, ctx, fmt.Sprintf("http://%s/c/%d", backend, id))
}

func get(c *http.Client, ctx context.Context, url string) {
	if ctx == nil {
		ctx = context.Background()
	}
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		panic(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		return // wanted by some
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// lookup is a function that is traced by name; its number is what tells its spans apart.
//
//go:noinline
func lookup(id int, f func()) int {
	f()
	return id + 1
}

// lookupWith is given a context, which tells where it belongs wherever it runs.
//
//go:noinline
func lookupWith(ctx context.Context, id int, f func()) int {
	f()
	return id + len(fmt.Sprint(ctx == nil))
}

// withContext runs f in a call of lookupWith.
func withContext(ctx context.Context, parent who, f func(me who)) {
	id := newID()
	note("f", id, parent)
	lookupWith(ctx, id, func() { f(parent.in("f", id)) })
}

// within runs f in a call of lookup.
func within(parent who, f func(me who)) {
	id := newID()
	note("f", id, parent)
	lookup(id, func() { f(parent.in("f", id)) })
}

// nested runs f at the bottom of n calls of lookup.
func nested(n int, parent who, f func(me who)) {
	if n == 0 {
		f(parent)
		return
	}
	within(parent, func(me who) { nested(n-1, me, f) })
}
