// SPDX-License-Identifier: Apache-2.0

//go:build !go1.21

package main

import "context"

// A detached context is like that of context.WithoutCancel, which is not there yet.
type notCancelled struct{ context.Context }

func (notCancelled) Done() <-chan struct{} { return nil }
func (notCancelled) Err() error            { return nil }

func detached(ctx context.Context) context.Context { return &notCancelled{ctx} }
