// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// hijack takes the connection over, answers by hand and closes it.
func hijack(w http.ResponseWriter, r *http.Request) {
	conn, rw, err := w.(http.Hijacker).Hijack()
	if err != nil {
		count(r, "500")
		http.Error(w, err.Error(), 500)
		return
	}
	defer conn.Close()
	time.Sleep(time.Duration(number(r, "ms", 0)) * time.Millisecond)
	count(r, "hijack")
	fmt.Fprint(rw, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 9\r\n\r\nhijacked\n")
	rw.Flush()
}

var gates = struct {
	sync.Mutex
	waiting int
	open    chan struct{}
}{open: make(chan struct{})}

// gate holds requests back until ?n= of them are in flight at once, and then
// answers all.
func gate(w http.ResponseWriter, r *http.Request) {
	n := number(r, "n", 1)
	gates.Lock()
	gates.waiting++
	open := gates.open
	if gates.waiting >= n {
		gates.waiting = 0
		gates.open = make(chan struct{})
		close(open)
	}
	gates.Unlock()
	select {
	case <-open:
		count(r, "200")
		fmt.Fprint(w, "through\n")
	case <-time.After(60 * time.Second):
		count(r, "503")
		http.Error(w, "gate never opened", 503)
	}
}
