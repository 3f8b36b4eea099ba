// SPDX-License-Identifier: Apache-2.0

//go:build go1.21

package main

import (
	"context"
	"net/http"
)

func detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }

func init() {
	handlers["/afterfunc"] = func(w http.ResponseWriter, r *http.Request, me who) {
		ctx, cancel := context.WithCancel(r.Context())
		done := make(chan struct{})
		context.AfterFunc(ctx, func() { call(detached(ctx), me); close(done) })
		cancel()
		<-done
	}
	handlers["/cause"] = func(w http.ResponseWriter, r *http.Request, me who) {
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
		defer cancel(nil)
		give(early, job{ctx: ctx, me: me})
	}
}
