// SPDX-License-Identifier: Apache-2.0

// Command server is an HTTP/1 server with a handler for each thing that is hard
// to trace. It prints "ready ADDRESS" once it listens, and keeps count of what
// its handlers did: GET /truth gives the counts, itself not among them. SIGUSR1 and
// GET /exec make it execute itself.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func again() {
	panic(syscall.Exec("/proc/self/exe", os.Args, os.Environ()))
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on; a path is of a Unix socket")
	life := flag.Duration("for", 0, "exit after this time; 0 is never")
	flag.Parse()
	if *life > 0 {
		time.AfterFunc(*life, func() { os.Exit(0) })
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		<-asked
		again()
	}()
	network := "tcp"
	if strings.HasPrefix(*addr, "/") {
		network = "unix"
	}
	l, err := net.Listen(network, *addr)
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
