// SPDX-License-Identifier: Apache-2.0

// Command frontend is the shop that the demo traces: it serves pages and asks
// the backend for what is on them.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

var (
	backend string
	client  = &http.Client{Timeout: 5 * time.Second}
)

// ask returns the backend's answer, or sends an error and reports false.
func ask(w http.ResponseWriter, path string) (string, bool) {
	resp, err := client.Get("http://" + backend + path)
	if err != nil {
		http.Error(w, "backend: "+err.Error(), http.StatusBadGateway)
		return "", false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		http.Error(w, "backend: "+resp.Status, http.StatusBadGateway)
		return "", false
	}
	return string(body), true
}

func home(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	fmt.Fprintln(w, "welcome")
}

func product(w http.ResponseWriter, r *http.Request) {
	price, ok := ask(w, "/price?item="+r.URL.Query().Get("item"))
	if !ok {
		return
	}
	stock, ok := ask(w, "/stock")
	if !ok {
		return
	}
	fmt.Fprintf(w, "price %s, stock %s\n", price, stock)
}

func checkout(w http.ResponseWriter, r *http.Request) {
	if receipt, ok := ask(w, "/pay"); ok {
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintln(w, receipt)
	}
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.StringVar(&backend, "backend", "", "HOST:PORT of the backend")
	flag.Parse()
	mux := http.NewServeMux()
	mux.HandleFunc("/", home)
	mux.HandleFunc("/product", product)
	mux.HandleFunc("/checkout", checkout)
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready", l.Addr())
	log.Fatal(http.Serve(l, mux))
}
