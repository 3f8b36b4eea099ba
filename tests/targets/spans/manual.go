// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// manual makes spans with all that the API has.
func manual(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	ctx, span := tracer.Start(r.Context(), "order "+id,
		trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("order.id", id), attribute.Int("order.items", 3)))
	span.SetAttributes(attribute.Bool("order.gift", true), attribute.Float64("order.price", 12.5),
		attribute.StringSlice("order.names", []string{"a", "b"}))
	span.AddEvent("reserved", trace.WithAttributes(attribute.String("shelf", "7b")))
	trace.SpanFromContext(ctx).SetAttributes(attribute.String("from", "context"))

	done := make(chan trace.Span)
	go func() { // a span that another goroutine ends
		_, s := tracer.Start(ctx, "hand over "+id)
		done <- s
	}()
	other := <-done
	if l, ok := other.(interface{ AddLink(trace.Link) }); ok { // since 1.25
		l.AddLink(trace.Link{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{1, 2, 3}, SpanID: trace.SpanID{4, 5, 6}}),
			Attributes: []attribute.KeyValue{attribute.String("why", "example")}})
	}
	other.SetStatus(codes.Ok, "")
	other.End()

	func() {
		ctx, s := tracer.Start(ctx, "pay")
		defer s.End()
		s.SetName("pay " + id)
		s.RecordError(errors.New("card refused"))
		s.SetStatus(codes.Error, "no money")
		leaf(ctx, http.DefaultClient, id)
	}()
	_, early := tracer.Start(context.Background(), "detached "+id,
		trace.WithTimestamp(time.Now().Add(-time.Second)), trace.WithNewRoot())
	early.End()
	span.End()
	span.SetAttributes(attribute.String("too", "late"))
	fmt.Fprintln(w, id)
}
