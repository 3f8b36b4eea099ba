// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stdint.h>

extern void fromC(uintptr_t n);

static void callBack(uintptr_t n)
{
	fromC(n);
}

static void *run(void *n)
{
	fromC((uintptr_t)n);
	return 0;
}

static void callBackFromThread(uintptr_t n)
{
	pthread_t t;

	if (!pthread_create(&t, 0, run, (void *)n))
		pthread_join(t, 0);
}
*/
import "C"

import (
	"net/http"
	"sync"
)

// What C is to call back, by number.
var callbacks struct {
	sync.Mutex
	f    map[C.uintptr_t]func()
	last C.uintptr_t
}

//export fromC
func fromC(n C.uintptr_t) {
	callbacks.Lock()
	f := callbacks.f[n]
	delete(callbacks.f, n)
	callbacks.Unlock()
	f()
}

func callback(f func()) C.uintptr_t {
	callbacks.Lock()
	defer callbacks.Unlock()
	if callbacks.f == nil {
		callbacks.f = map[C.uintptr_t]func(){}
	}
	callbacks.last++
	callbacks.f[callbacks.last] = f
	return callbacks.last
}

func init() {
	handlers["/cgo"] = func(w http.ResponseWriter, r *http.Request, me who) {
		C.callBack(callback(func() {
			both(r.Context(), me)
			within(me, func(me who) { C.callBack(callback(func() { call(nil, me) })) })
		}))
		// A thread of C's own has a goroutine that nobody created for this.
		C.callBackFromThread(callback(func() {
			call(r.Context(), me)
			call(nil, nil)
			withContext(r.Context(), me, func(me who) { call(nil, me) })
		}))
	}
}
