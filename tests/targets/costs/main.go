// SPDX-License-Identifier: Apache-2.0

// Command costs is a server that measures itself: GET /go?n=N creates N goroutines, GET
// /client?n=N makes N requests; the answer is the nanoseconds of CPU that each took in
// this process. It prints "ready ADDRESS" once it listens, and GET /backend gives the
// address that the requests go to, which answers whoever asks.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measured is a handler that runs f n times and tells what each took.
func measured(f func(n int) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.URL.Query().Get("n"))
		if err != nil || n < 1 {
			http.Error(w, "n", http.StatusBadRequest)
			return
		}
		before := cpu()
		if err := f(n); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprintln(w, int64(cpu()-before)/int64(n))
	}
}

func goroutines(n int) error {
	const atOnce = 64
	for i := 0; i < n; i += atOnce {
		var wg sync.WaitGroup
		wg.Add(atOnce)
		for j := 0; j < atOnce; j++ {
			go wg.Done()
		}
		wg.Wait()
	}
	return nil
}

func answer(conn net.Conn) {
	defer conn.Close()
	rd := bufio.NewReader(conn)
	for {
		if _, err := http.ReadRequest(rd); err != nil {
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")
	}
}

func listen(addr string) net.Listener {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		log.Fatal(err)
	}
	return l
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	l, back := listen(*addr), listen("127.0.0.1:0")
	go func() {
		for {
			conn, err := back.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go answer(conn)
		}
	}()
	http.HandleFunc("/backend", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, back.Addr())
	})
	http.HandleFunc("/go", measured(goroutines))
	http.HandleFunc("/client", measured(func(n int) error {
		for i := 0; i < n; i++ {
			resp, err := http.Get("http://" + back.Addr().String() + "/")
			if err != nil {
				return err
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		return nil
	}))
	fmt.Println("ready", l.Addr())
	log.Fatal(http.Serve(l, nil))
}
