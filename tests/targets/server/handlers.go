// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

var mux = http.NewServeMux()

func init() {
	mux.HandleFunc("/truth", serveTruth)
	mux.HandleFunc("/hello", hello)
	mux.HandleFunc("/text", text)
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) { count(r, "200") })
	mux.HandleFunc("/status/", status)
	mux.HandleFunc("/deep", deep)
	mux.HandleFunc("/go", goroutines)
	mux.HandleFunc("/panic", func(w http.ResponseWriter, r *http.Request) {
		count(r, "panic")
		panic("boom")
	})
	mux.HandleFunc("/panic-deep", func(w http.ResponseWriter, r *http.Request) {
		count(r, "panic")
		fmt.Fprintln(w, recurse(300, func() { panic("deep boom") }))
	})
	mux.HandleFunc("/recovered", recovered)
	mux.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) {
		count(r, "abort")
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/goexit", func(w http.ResponseWriter, r *http.Request) {
		count(r, "goexit")
		runtime.Goexit()
	})
	// Takes its thread along.
	mux.HandleFunc("/goexit-locked", func(w http.ResponseWriter, r *http.Request) {
		count(r, "goexit")
		runtime.LockOSThread()
		runtime.Goexit()
	})
	// The same program again, in the same process; it prints its new address.
	mux.HandleFunc("/exec", func(w http.ResponseWriter, r *http.Request) {
		again()
	})
	mux.HandleFunc("/hijack", hijack)
	mux.HandleFunc("/sleep", sleep)
	mux.HandleFunc("/gate", gate)
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/request", request)
	mux.HandleFunc("/garbage", garbage)
	// With the mux of Go 1.22 (GODEBUG=httpmuxgo121=0) the first is a pattern; with
	// the one before it is the name of a host that nobody has.
	mux.HandleFunc("GET /items/{id}", hello)
	mux.HandleFunc("/items/", hello)
}

// dispatch answers paths below /any itself, and such as ServeMux would
// redirect; all else goes through the mux.
func dispatch(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	if p == "" || p == "*" || strings.HasPrefix(p, "/any/") {
		count(r, "200")
		fmt.Fprintf(w, "%d bytes\n", len(p))
		return
	}
	mux.ServeHTTP(w, r)
}

func number(r *http.Request, key string, otherwise int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get(key)); err == nil {
		return n
	}
	return otherwise
}

func hello(w http.ResponseWriter, r *http.Request) {
	count(r, "200")
	io.WriteString(w, "hello\n")
}

// status answers /status/NNN with that status.
func status(w http.ResponseWriter, r *http.Request) {
	code, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/status/"))
	if err != nil || code < 200 || code > 999 {
		code = 400
	}
	count(r, strconv.Itoa(code))
	w.WriteHeader(code)
	if code != 204 && code != 304 {
		fmt.Fprintf(w, "status %d\n", code)
	}
}

//go:noinline
func recurse(n int, last func()) int {
	var pad [512]byte
	pad[n%512] = byte(n)
	if n <= 0 {
		last()
		return int(pad[0])
	}
	return recurse(n-1, last) + 1 + int(pad[(n+1)%512])
}

// deep grows the stack, here and on a fresh goroutine.
func deep(w http.ResponseWriter, r *http.Request) {
	n := number(r, "n", 400)
	ch := make(chan int)
	go func() { ch <- recurse(n, func() {}) }()
	here := recurse(n, func() {})
	count(r, "200")
	fmt.Fprintf(w, "depth %d\n", here+<-ch)
}

// goroutines starts some that end before the answer, and one that outlives it.
func goroutines(w http.ResponseWriter, r *http.Request) {
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func(n int) {
			defer wg.Done()
			recurse(n, func() {})
		}(i * 20)
	}
	go time.Sleep(5 * time.Millisecond)
	wg.Wait()
	count(r, "200")
	io.WriteString(w, "done\n")
}

// recovered panics and recovers inside the handler: an ordinary answer.
func recovered(w http.ResponseWriter, r *http.Request) {
	func() {
		defer func() { recover() }()
		recurse(20, func() { panic("caught") })
	}()
	count(r, "200")
	io.WriteString(w, "recovered\n")
}

func sleep(w http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Duration(number(r, "ms", 100)) * time.Millisecond)
	count(r, "200")
	io.WriteString(w, "slept\n")
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		count(r, "400")
		http.Error(w, err.Error(), 400)
		return
	}
	count(r, "200")
	w.Write(body)
}

// request answers with what it saw of the request, a line for each thing.
func request(w http.ResponseWriter, r *http.Request) {
	count(r, "200")
	fmt.Fprintf(w, "method %s\nhost %s\nremote %s\nproto %s\npath %q\nquery %q\n",
		r.Method, r.Host, r.RemoteAddr, r.Proto, r.URL.Path, r.URL.RawQuery)
	for _, k := range []string{"User-Agent", "Traceparent"} {
		fmt.Fprintf(w, "%s %q\n", strings.ToLower(k), r.Header.Get(k))
	}
}

// garbage allocates, so that collections run all the time.
func garbage(w http.ResponseWriter, r *http.Request) {
	total := 0
	for i := 0; i < 50; i++ {
		b := make([]byte, 1024+i)
		total += len(b)
	}
	count(r, "200")
	fmt.Fprintf(w, "garbage %d\n", total)
}
