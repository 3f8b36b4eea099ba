// SPDX-License-Identifier: Apache-2.0

// Spans is a server whose handlers make spans by the OpenTelemetry API: with the
// SDK installed, and then it prints each span that the SDK would export, or with
// none (-sdk=false), as most programs are that only link libraries with spans.
//
//	/otel/ID	a server and a client of otelhttp, a span in between
//	/bare/ID	no instrumentation but a span of its own around a client call
//	/both/ID	otelhttp's server, behind something that has a span first
//	/leaf/ID	answers
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

var (
	tracer = otel.Tracer("example.com/spans")
	addr   string
	traced = http.Client{Transport: otelhttp.NewTransport(http.DefaultTransport)}
)

// printer is an exporter that says what it was given.
type printer struct{ mu sync.Mutex }

func (p *printer) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range spans {
		sc, parent := s.SpanContext(), "-"
		if s.Parent().HasSpanID() {
			parent = s.Parent().SpanID().String()
		}
		fmt.Printf("sdk %s %s %s %s %q\n", sc.TraceID(), sc.SpanID(), parent,
			s.SpanKind(), s.Name())
	}
	return nil
}

func (p *printer) Shutdown(context.Context) error { return nil }

// leaf asks this server with the client c.
func leaf(ctx context.Context, c *http.Client, id string) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+addr+"/leaf/"+id, nil)
	if err != nil {
		log.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		log.Print(err)
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// inner makes a span, and a request in it that nothing instruments.
func inner(ctx context.Context, id string) {
	ctx, span := tracer.Start(ctx, "inner "+id)
	defer span.End()
	leaf(ctx, http.DefaultClient, id)
}

func handle(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	if strings.HasPrefix(r.URL.Path, "/otel/") {
		leaf(r.Context(), &traced, id)
	}
	inner(r.Context(), id)
	fmt.Fprintln(w, id)
}

// guard is what stands before otelhttp, and asks somebody.
//
//go:noinline
func guard(ctx context.Context, id string) {
	leaf(ctx, http.DefaultClient, id)
}

func main() {
	sdk := flag.Bool("sdk", true, "install the SDK")
	names := flag.Bool("propagate", true, "install the propagator")
	auto := flag.Bool("auto", false, "install the SDK for tracers outside")
	flag.Parse()
	if *sdk {
		otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(&printer{})))
	}
	if *auto {
		installAuto()
	}
	if *names {
		otel.SetTextMapPropagator(propagation.TraceContext{})
	}
	instrumented := otelhttp.NewHandler(http.HandlerFunc(handle), "server")
	mux := http.NewServeMux()
	mux.Handle("/otel/", instrumented)
	mux.HandleFunc("/bare/", handle)
	mux.HandleFunc("/both/", func(w http.ResponseWriter, r *http.Request) {
		guard(r.Context(), "guard")
		instrumented.ServeHTTP(w, r)
	})
	mux.HandleFunc("/leaf/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.Header.Get("Traceparent"))
	})
	mux.HandleFunc("/manual/", manual)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	addr = l.Addr().String()
	fmt.Println("ready", addr)
	go http.Serve(l, mux)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	<-stop
}
