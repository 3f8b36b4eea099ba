// SPDX-License-Identifier: Apache-2.0

// Flight is a server with a flight recorder (runtime/trace, Go 1.25 and later).
//
//	/fast		answers
//	/slow		answers after 300 milliseconds
//	/dump		answers with what the recorder has
//	/busy		waits a little again and again, until /release
//	/chan, /mutex, /select, /sleep, /read
//			blocks in this way until /release
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/trace"
	"sync"
	"time"
)

var (
	released = make(chan struct{})
	never    = make(chan struct{})
	mutex    sync.Mutex
)

func main() {
	fr := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Minute, MaxBytes: 64 << 20})
	if err := fr.Start(); err != nil {
		log.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		log.Fatal(err)
	}
	mutex.Lock()
	answer := func(w http.ResponseWriter) { fmt.Fprintln(w, "done") }
	http.HandleFunc("/fast", func(w http.ResponseWriter, _ *http.Request) { answer(w) })
	http.HandleFunc("/slow", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(300 * time.Millisecond)
		answer(w)
	})
	http.HandleFunc("/chan", func(w http.ResponseWriter, _ *http.Request) {
		<-released
		answer(w)
	})
	http.HandleFunc("/select", func(w http.ResponseWriter, _ *http.Request) {
		select {
		case <-released:
		case <-never:
		}
		answer(w)
	})
	http.HandleFunc("/mutex", func(w http.ResponseWriter, _ *http.Request) {
		mutex.Lock()
		defer mutex.Unlock()
		answer(w)
	})
	http.HandleFunc("/sleep", func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Hour)
		answer(w)
	})
	http.HandleFunc("/read", func(w http.ResponseWriter, _ *http.Request) {
		r.Read(make([]byte, 1))
		answer(w)
	})
	http.HandleFunc("/release", func(rw http.ResponseWriter, _ *http.Request) {
		close(released)
		mutex.Unlock()
		w.Write([]byte{0})
		answer(rw)
	})
	http.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) {
		for {
			select {
			case <-released:
				answer(w)
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	http.HandleFunc("/dump", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := fr.WriteTo(w); err != nil {
			log.Print(err)
		}
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready", l.Addr())
	go http.Serve(l, nil)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	<-stop
}
