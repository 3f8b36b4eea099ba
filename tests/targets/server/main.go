// SPDX-License-Identifier: Apache-2.0

// Command server is an HTTP/1 server with a handler for each thing that is hard
// to trace. It prints "ready ADDRESS" once it listens, and keeps count of what
// its handlers did: GET /truth gives the counts, itself not among them.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready", l.Addr())
	srv := &http.Server{
		Handler:  http.HandlerFunc(dispatch),
		ErrorLog: log.New(io.Discard, "", 0), // panics are wanted here
	}
	if err := srv.Serve(l); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
