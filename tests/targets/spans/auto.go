// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go.opentelemetry.io/auto/sdk"
	"go.opentelemetry.io/otel"
)

func installAuto() { otel.SetTracerProvider(sdk.TracerProvider()) }
