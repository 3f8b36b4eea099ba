// SPDX-License-Identifier: Apache-2.0

// Command backend knows prices and stock, and takes payments, of which every
// seventh fails. The frontend of the demo asks it.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

func price(w http.ResponseWriter, r *http.Request) {
	item := r.URL.Query().Get("item")
	time.Sleep(time.Duration(len(item)) * time.Millisecond)
	fmt.Fprintf(w, "%d.99", 10*(len(item)+1))
}

func stock(w http.ResponseWriter, r *http.Request) {
	time.Sleep(2 * time.Millisecond)
	fmt.Fprint(w, "42")
}

var payments int64

func pay(w http.ResponseWriter, r *http.Request) {
	n := atomic.AddInt64(&payments, 1)
	time.Sleep(8 * time.Millisecond)
	if n%7 == 0 {
		http.Error(w, "card refused", http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w, "receipt %d", n)
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	mux := http.NewServeMux()
	mux.HandleFunc("/price", price)
	mux.HandleFunc("/stock", stock)
	mux.HandleFunc("/pay", pay)
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready", l.Addr())
	log.Fatal(http.Serve(l, mux))
}
