// SPDX-License-Identifier: Apache-2.0

// Command family is an HTTP server whose handlers make calls in every way in which the
// caller can get lost: in goroutines, pools, timers, callbacks, through contexts. Each
// call has a number that goes with it as an ordinary argument, and GET /log gives what
// the true parents are, a line for each call: itself, and who made it, nearest first
// (c call, f function, s request; "-" nobody). It prints "ready ADDRESS" once it listens.
//
// With -load ADDRESS it is the client instead: -n requests, -c at a time, one path after
// the other.
package main

import (
	"bufio"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A who is a call's place: the function or request that it is in, nearest first.
type who []string

func (w who) in(kind string, id int) who {
	return append(who{kind + strconv.Itoa(id)}, w...)
}

func (w who) String() string {
	if len(w) == 0 {
		return "-"
	}
	return strings.Join(w, " ")
}

var (
	backend string // HOST:PORT of the answering side
	lastID  int64
	truth   struct {
		sync.Mutex
		lines []string
	}
	pending sync.WaitGroup // what goes on after its request
	client  = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
)

func newID() int {
	return int(atomic.AddInt64(&lastID, 1))
}

func note(kind string, id int, parent who) {
	truth.Lock()
	truth.lines = append(truth.lines, fmt.Sprintf("%s%d %v", kind, id, parent))
	truth.Unlock()
}

// handlers by path; each gets the request's place.
var handlers = map[string]func(w http.ResponseWriter, r *http.Request, me who){}

func dispatch(w http.ResponseWriter, r *http.Request) {
	h := handlers[r.URL.Path]
	id, err := strconv.Atoi(r.URL.Query().Get("id"))
	switch {
	case r.URL.Path == "/log":
		pending.Wait()
		truth.Lock()
		defer truth.Unlock()
		for _, l := range truth.lines {
			fmt.Fprintln(w, l)
		}
	case r.URL.Path == "/paths":
		names := make([]string, 0, len(handlers))
		for name := range handlers {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintln(w, strings.Join(names, ","))
	case err == nil && many[r.URL.Path] != nil:
		handleMany(w, r, who{}.in("s", id))
	case h == nil || err != nil:
		http.NotFound(w, r)
	default:
		h(w, r, who{}.in("s", id))
	}
}

// answer is a server of its own, so that there are no spans but those that are meant:
// /c/N is answered with 200, /redirect/N/M leads to /c/M, /slow/N takes its time, of
// /halves/N one half comes at once. After /drop/N it closes the connection at the next
// request. It is a proxy to itself, too.
func answer(conn net.Conn) {
	defer conn.Close()
	rd := bufio.NewReader(conn)
	for dropped := false; ; {
		req, err := http.ReadRequest(rd)
		if err != nil || dropped {
			return
		}
		if req.Method == "CONNECT" {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
			answer(tls.Server(conn, tunnelled))
			return
		}
		io.Copy(io.Discard, req.Body)
		path := strings.Split(req.URL.Path, "/")
		switch path[1] {
		case "redirect":
			fmt.Fprintf(conn, "HTTP/1.1 302 Found\r\nLocation: /c/%s\r\nContent-Length: 0\r\n\r\n", path[3])
			continue
		case "halves":
			io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
			time.Sleep(20 * time.Millisecond)
			io.WriteString(conn, "half")
			continue
		case "slow":
			time.Sleep(200 * time.Millisecond)
		case "drop":
			dropped = true
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

func serve(addr string) {
	l, back := listen(addr), listen("127.0.0.1:0")
	backend = back.Addr().String()
	go func() {
		for {
			conn, err := back.Accept()
			if err != nil {
				log.Fatal(err)
			}
			go answer(conn)
		}
	}()
	startPools()
	fmt.Println("ready", l.Addr())
	srv := &http.Server{
		Handler:  http.HandlerFunc(dispatch),
		ErrorLog: log.New(io.Discard, "", 0), // panics are wanted here
	}
	log.Fatal(srv.Serve(l))
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	target := flag.String("load", "", "be the client of this address")
	n := flag.Int("n", 100, "requests")
	c := flag.Int("c", 8, "requests at a time")
	only := flag.String("paths", "", "comma-separated paths; all of them")
	flag.Parse()
	if *target == "" {
		serve(*addr)
	}
	os.Exit(load(*target, *n, *c, *only))
}
