// SPDX-License-Identifier: Apache-2.0

// Command sdkexport reads the spans of a gotap stream on standard input, makes
// spans of the OpenTelemetry SDK of them, and then sends these with the SDK's own
// exporter, 512 at a time, to OTEL_EXPORTER_OTLP_ENDPOINT. It prints what CPU the
// sending alone took for each, for the benchmarks.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
)

type record struct {
	Type, Name, Scope, Start, End string
	TraceID                       string         `json:"trace_id"`
	SpanID                        string         `json:"span_id"`
	Attributes                    map[string]any `json:"attributes"`
}

func nanoseconds(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return time.Unix(0, n)
}

func spanOf(r record, res *resource.Resource) trace.ReadOnlySpan {
	tid, _ := oteltrace.TraceIDFromHex(r.TraceID)
	sid, _ := oteltrace.SpanIDFromHex(r.SpanID)
	s := tracetest.SpanStub{
		Name:                 r.Name,
		SpanContext:          oteltrace.NewSpanContext(oteltrace.SpanContextConfig{TraceID: tid, SpanID: sid, TraceFlags: 1}),
		SpanKind:             oteltrace.SpanKindServer,
		StartTime:            nanoseconds(r.Start),
		EndTime:              nanoseconds(r.End),
		Resource:             res,
		InstrumentationScope: instrumentation.Scope{Name: r.Scope},
	}
	for k, v := range r.Attributes {
		switch v := v.(type) {
		case string:
			s.Attributes = append(s.Attributes, attribute.String(k, v))
		case float64:
			s.Attributes = append(s.Attributes, attribute.Int64(k, int64(v)))
		}
	}
	return s.Snapshot()
}

func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		log.Fatal(err)
	}
	res := resource.NewSchemaless(attribute.String("service.name", "shop"))
	var spans []trace.ReadOnlySpan
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		var r record
		if json.Unmarshal(in.Bytes(), &r) == nil && r.Type == "span" {
			spans = append(spans, spanOf(r, res))
		}
	}
	before := cpu()
	for i := 0; i < len(spans); i += 512 {
		if err := exporter.ExportSpans(ctx, spans[i:min(i+512, len(spans))]); err != nil {
			log.Fatal(err)
		}
	}
	took := cpu() - before
	fmt.Printf("%d %.2f\n", len(spans), float64(took.Microseconds())/float64(len(spans)))
}
