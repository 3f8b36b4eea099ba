// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"
)

var flights singleflight.Group

func init() {
	handlers["/errgroup"] = func(w http.ResponseWriter, r *http.Request, me who) {
		g, ctx := errgroup.WithContext(r.Context())
		g.SetLimit(2)
		for i := 0; i < 4; i++ {
			g.Go(func() error { both(ctx, me); return nil })
		}
		g.Wait()
	}
	// Whoever comes first does it for all who wait: its calls are that one's.
	handlers["/singleflight"] = func(w http.ResponseWriter, r *http.Request, me who) {
		flights.Do("one", func() (interface{}, error) {
			time.Sleep(time.Millisecond)
			both(r.Context(), me)
			return nil, nil
		})
		<-flights.DoChan("chan", func() (interface{}, error) {
			within(me, func(me who) { call(context.Background(), me) })
			return nil, nil
		})
	}
}
