// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
)

// jsonFile stands for the Collector's receiver of this name, whose module the build
// cannot have: it reads each line of a file with the Collector's own JSONUnmarshaler,
// as that does. What it cannot read is an error at the start.
type jsonFile struct {
	Include string `mapstructure:"include"`
	next    consumer.Traces
}

func jsonFileFactory() receiver.Factory {
	return receiver.NewFactory(component.MustNewType("otlpjsonfile"),
		func() component.Config { return &jsonFile{} },
		receiver.WithTraces(func(_ context.Context, _ receiver.Settings, c component.Config, next consumer.Traces) (receiver.Traces, error) {
			f := *c.(*jsonFile)
			f.next = next
			return &f, nil
		}, component.StabilityLevelDevelopment))
}

func (f *jsonFile) Start(ctx context.Context, _ component.Host) error {
	file, err := os.Open(f.Include)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(lines.Bytes())
		if err != nil {
			return err
		}
		if err := f.next.ConsumeTraces(ctx, traces); err != nil {
			return err
		}
	}
	return lines.Err()
}

func (f *jsonFile) Shutdown(context.Context) error { return nil }
