//go:build web

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"reflect"
	"strings"
)

// What recipes read: types of net/http, those within it by way of a request.
func init() {
	served := make(chan interface{}, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served <- w
	})
	roots = append(roots, http.Request{}, http.Response{}, http.Server{}, http.Transport{},
		http.Client{}, handler, inside(handler, served))
}

// inside returns the http.ResponseWriter that the server of net/http makes.
func inside(handler http.Handler, served chan interface{}) interface{} {
	l := &listener{in: make(chan *pipe, 1)}
	go http.Serve(l, handler)
	l.in <- newPipe("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	w := <-served
	if !strings.HasPrefix(reflect.TypeOf(w).String(), "*http.") {
		panic(w)
	}
	return w
}
