// SPDX-License-Identifier: Apache-2.0

// Command load sends a known number of HTTP/1.1 requests over a known number of
// connections, checks every answer, and prints what it saw as one line of JSON.
// It never retries, so a request that it counts is a request that was sent.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type headers []string

func (h *headers) String() string     { return strings.Join(*h, ", ") }
func (h *headers) Set(s string) error { *h = append(*h, s); return nil }

type config struct {
	addr, host, method string
	paths              []string
	header             headers
	body               int
	close              bool
	total              int64
	conns              int
	rate               float64
	length             time.Duration
}

func options() *config {
	c := &config{}
	paths := flag.String("paths", "/hello", "paths, separated by commas, taken in turn")
	flag.StringVar(&c.addr, "addr", "", "HOST:PORT to send to")
	flag.StringVar(&c.host, "host", "", "Host header, if not the address")
	flag.StringVar(&c.method, "method", "GET", "method")
	flag.Var(&c.header, "H", "header line to add (repeatable)")
	flag.IntVar(&c.body, "body", 0, "bytes of request body")
	flag.BoolVar(&c.close, "close", false, "a new connection for each request")
	flag.Int64Var(&c.total, "n", 1000, "requests; 0 is no limit")
	flag.IntVar(&c.conns, "c", 16, "connections")
	flag.Float64Var(&c.rate, "rate", 0, "requests a second; 0 is as fast as it goes")
	flag.DurationVar(&c.length, "for", 0, "stop after this time; 0 is no limit")
	flag.Parse()
	c.paths = strings.Split(*paths, ",")
	if c.host == "" {
		c.host = c.addr
	}
	if c.addr == "" || c.conns < 1 || (c.total == 0 && c.length == 0) {
		flag.Usage()
		os.Exit(2)
	}
	return c
}

func main() {
	c := options()
	var next int64 = -1
	start := time.Now()
	res := make([]*result, c.conns)
	var wg sync.WaitGroup
	for i := range res {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			w := newWorker(c)
			defer w.hangUp()
			for {
				n := atomic.AddInt64(&next, 1)
				if c.total > 0 && n >= c.total {
					break
				}
				if c.rate > 0 {
					time.Sleep(time.Until(start.Add(time.Duration(float64(n) / c.rate * 1e9))))
				}
				if c.length > 0 && time.Since(start) >= c.length {
					break
				}
				w.send(c.paths[int(n)%len(c.paths)])
			}
			res[i] = w.res
		}(i)
	}
	wg.Wait()
	if err := json.NewEncoder(os.Stdout).Encode(sum(res, time.Since(start))); err != nil {
		log.Fatal(err)
	}
}

// result is what one worker saw, and in the end what all did.
type result struct {
	Requests int            `json:"requests"`
	Good     int            `json:"good"`   // answered as the server should
	Wrong    int            `json:"wrong"`  // another status or body
	Errors   int            `json:"errors"` // no answer
	Status   map[string]int `json:"status"`
	Seconds  float64        `json:"seconds"`
	Rate     float64        `json:"rate"`
	Example  string         `json:"example,omitempty"` // of what was wrong
}

func sum(parts []*result, took time.Duration) *result {
	all := &result{Status: map[string]int{}, Seconds: took.Seconds()}
	for _, p := range parts {
		all.Requests += p.Requests
		all.Good += p.Good
		all.Wrong += p.Wrong
		all.Errors += p.Errors
		for k, v := range p.Status {
			all.Status[k] += v
		}
		if p.Example != "" {
			all.Example = p.Example
		}
	}
	all.Rate = float64(all.Requests) / all.Seconds
	return all
}

func (r *result) wrong(format string, args ...interface{}) {
	r.Wrong++
	r.Example = fmt.Sprintf(format, args...)
}
