// SPDX-License-Identifier: Apache-2.0

// Command sampler asks the OpenTelemetry SDK which traces it would sample. Of each line of
// stdin, "TRACE-ID WORD", WORD is root, remote1 or remote0 (the parent's flag); it prints
// "TRACE-ID WORD 0" or 1. The sampler is that of the environment, or of an argument written
// as goattach takes it.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// ids gives the trace id that the next line is about.
type ids struct{ trace trace.TraceID }

func (i *ids) NewIDs(context.Context) (trace.TraceID, trace.SpanID) {
	return i.trace, trace.SpanID{1}
}

func (i *ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	return trace.SpanID{2}
}

func root(text string) sdk.Sampler {
	name, arg, _ := strings.Cut(text, ":")
	switch name {
	case "always_on":
		return sdk.AlwaysSample()
	case "always_off":
		return sdk.NeverSample()
	case "traceidratio":
		ratio, err := strconv.ParseFloat(arg, 64)
		if err != nil {
			log.Fatal(err)
		}
		return sdk.TraceIDRatioBased(ratio)
	}
	log.Fatalf("no sampler %q", text)
	return nil
}

func sampler(text string) sdk.Sampler {
	words := strings.Split(text, ",")
	name, follows := strings.CutPrefix(words[0], "parentbased_")
	if !follows {
		return root(name)
	}
	var options []sdk.ParentBasedSamplerOption
	for _, w := range words[1:] {
		which, value, _ := strings.Cut(w, "=")
		with := map[string]func(sdk.Sampler) sdk.ParentBasedSamplerOption{
			"remote_parent_sampled":     sdk.WithRemoteParentSampled,
			"remote_parent_not_sampled": sdk.WithRemoteParentNotSampled,
			"local_parent_sampled":      sdk.WithLocalParentSampled,
			"local_parent_not_sampled":  sdk.WithLocalParentNotSampled,
		}[which]
		options = append(options, with(root(value)))
	}
	return sdk.ParentBased(root(name), options...)
}

func main() {
	var id ids
	options := []sdk.TracerProviderOption{sdk.WithIDGenerator(&id)}
	if len(os.Args) > 1 {
		options = append(options, sdk.WithSampler(sampler(os.Args[1])))
	}
	tracer := sdk.NewTracerProvider(options...).Tracer("sampler")
	in := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		text, word, _ := strings.Cut(in.Text(), " ")
		var err error
		if id.trace, err = trace.TraceIDFromHex(text); err != nil {
			log.Fatal(err)
		}
		ctx := context.Background()
		if word != "root" {
			ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
				TraceID:    id.trace,
				SpanID:     trace.SpanID{3},
				TraceFlags: trace.FlagsSampled.WithSampled(word == "remote1"),
			}))
		}
		_, span := tracer.Start(ctx, "x")
		sampled := 0
		if span.SpanContext().IsSampled() {
			sampled = 1
		}
		span.End()
		fmt.Fprintln(out, text, word, sampled)
	}
}
