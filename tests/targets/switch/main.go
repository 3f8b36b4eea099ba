// SPDX-License-Identifier: Apache-2.0

// switch answers requests until SIGUSR1 comes; then it executes the program that its
// arguments name, in its place.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		<-asked
		log.Fatal(syscall.Exec(os.Args[1], os.Args[1:], os.Environ()))
	}()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready", l.Addr())
	log.Fatal(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "before")
	})))
}
