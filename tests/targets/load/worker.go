// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// worker has one connection at a time and one request in flight.
type worker struct {
	c       *config
	conn    net.Conn
	rd      *bufio.Reader
	res     *result
	body    []byte
	answer  bytes.Buffer
	request map[string][]byte // by path: the same bytes every time
	forHead *http.Request
}

func newWorker(c *config) *worker {
	return &worker{
		c:       c,
		res:     &result{Status: map[string]int{}},
		body:    bytes.Repeat([]byte("x"), c.body),
		request: map[string][]byte{},
		forHead: &http.Request{Method: c.method},
	}
}

func (w *worker) hangUp() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

func (w *worker) bytesOf(path string) []byte {
	if b, ok := w.request[path]; ok {
		return b
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", w.c.method, path, w.c.host)
	for _, h := range w.c.header {
		fmt.Fprintf(&b, "%s\r\n", h)
	}
	if w.c.close {
		b.WriteString("Connection: close\r\n")
	}
	if len(w.body) > 0 {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(w.body))
	}
	b.WriteString("\r\n")
	b.Write(w.body)
	w.request[path] = b.Bytes()
	return w.request[path]
}

// send sends one request and judges its answer.
func (w *worker) send(path string) {
	w.res.Requests++
	resp, err := w.roundTrip(path)
	if err != nil {
		w.hangUp()
		w.res.Errors++
		w.res.Status["none"]++
		if endsUnanswered(path) {
			w.res.Good++
		} else {
			w.res.Example = err.Error()
		}
		return
	}
	w.res.Status[strconv.Itoa(resp.StatusCode)]++
	if resp.Close || w.c.close {
		w.hangUp()
	}
	status, body, known := w.want(path)
	if w.c.method == http.MethodHead {
		body = ""
	}
	switch {
	case endsUnanswered(path):
		w.res.wrong("%s: an answer", path)
	case known && (resp.StatusCode != status || w.answer.String() != body):
		w.res.wrong("%s: %d %.60q", path, resp.StatusCode, w.answer.String())
	default:
		w.res.Good++
	}
}

func (w *worker) roundTrip(path string) (*http.Response, error) {
	if w.conn == nil {
		conn, err := net.DialTimeout("tcp", w.c.addr, 10*time.Second)
		if err != nil {
			return nil, err
		}
		w.conn, w.rd = conn, bufio.NewReader(conn)
	}
	w.conn.SetDeadline(time.Now().Add(90 * time.Second))
	if _, err := w.conn.Write(w.bytesOf(path)); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(w.rd, w.forHead)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	w.answer.Reset()
	_, err = io.Copy(&w.answer, resp.Body)
	return resp, err
}

// endsUnanswered tells the paths whose handler ends the connection without a word.
func endsUnanswered(path string) bool {
	for _, p := range []string{"/panic", "/abort", "/goexit", "/goexit-locked"} {
		if path == p || strings.HasPrefix(path, p+"?") || path == "/panic-deep" {
			return true
		}
	}
	return false
}

// want is what the target "server" must answer, where that is known here.
func (w *worker) want(path string) (status int, body string, known bool) {
	name := path
	if i := strings.IndexByte(path, '?'); i >= 0 {
		name = path[:i]
	}
	switch name {
	case "/hello":
		return 200, "hello\n", true
	case "/empty":
		return 200, "", true
	case "/echo":
		return 200, string(w.body), true
	case "/go":
		return 200, "done\n", true
	case "/recovered":
		return 200, "recovered\n", true
	case "/sleep":
		return 200, "slept\n", true
	case "/gate":
		return 200, "through\n", true
	case "/hijack":
		return 200, "hijacked\n", true
	case "/garbage":
		return 200, "garbage 52425\n", true
	case "/cgo":
		return 200, "twice 42\n", true
	case "/deep":
		return 200, "depth 800\n", true
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "/status/")); err == nil {
		if n == 204 || n == 304 {
			return n, "", true
		}
		return n, fmt.Sprintf("status %d\n", n), true
	}
	return 0, "", false
}
