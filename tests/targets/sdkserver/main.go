// SPDX-License-Identifier: Apache-2.0

// Command sdkserver is the benchmarks' HTTP hello server, instrumented by hand
// as the OpenTelemetry documentation says: otelhttp around the handler, a batch
// processor, OTLP over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT. GET /client?n=N&to=ADDRESS
// makes N requests with otelhttp's Transport, and answers how many nanoseconds of CPU
// each took.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
)

func cpu() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

func clients(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("n"))
	if err != nil || n < 1 {
		http.Error(w, "n", http.StatusBadRequest)
		return
	}
	client := http.Client{}
	if r.URL.Query().Get("plain") == "" {
		client.Transport = otelhttp.NewTransport(http.DefaultTransport)
	}
	before := cpu()
	for i := 0; i < n; i++ {
		req, err := http.NewRequestWithContext(r.Context(), "GET",
			"http://"+r.URL.Query().Get("to")+"/", nil)
		if err != nil {
			log.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	fmt.Fprintln(w, (cpu()-before)/int64(n))
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	exporter, err := otlptracehttp.New(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithBatcher(exporter)))
	otel.SetTextMapPropagator(propagation.TraceContext{})
	mux := http.NewServeMux()
	mux.HandleFunc("/client", clients)
	mux.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello\n")
	})
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready", l.Addr())
	log.Fatal(http.Serve(l, otelhttp.NewHandler(mux, "http.server")))
}
