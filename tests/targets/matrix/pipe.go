//go:build web

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net"
	"strings"
	"time"
)

// A connection without a network: one request, and what is answered is dropped.
type pipe struct {
	*strings.Reader
	end chan bool
}

func newPipe(request string) *pipe { return &pipe{strings.NewReader(request), make(chan bool)} }

func (p *pipe) Write(b []byte) (int, error)        { return len(b), nil }
func (p *pipe) Close() error                       { return nil }
func (p *pipe) LocalAddr() net.Addr                { return &net.TCPAddr{} }
func (p *pipe) RemoteAddr() net.Addr               { return &net.TCPAddr{} }
func (p *pipe) SetDeadline(t time.Time) error      { return nil }
func (p *pipe) SetReadDeadline(t time.Time) error  { return nil }
func (p *pipe) SetWriteDeadline(t time.Time) error { return nil }

type listener struct{ in chan *pipe }

func (l *listener) Accept() (net.Conn, error) {
	p, ok := <-l.in
	if !ok {
		return nil, io.EOF
	}
	return p, nil
}
func (l *listener) Close() error   { return nil }
func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }
