// SPDX-License-Identifier: Apache-2.0

// Package bubble is a test in a bubble of testing/synctest, whose goroutines and clock are
// its own. It prints "ready -", and goes on at SIGUSR1.
package bubble

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

//go:noinline
func lookup(id int, f func()) int {
	f()
	return id + 1
}

func TestMain(m *testing.M) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	fmt.Println("ready -")
	<-asked
	os.Exit(m.Run())
}

func TestBubble(t *testing.T) {
	lookup(1, func() {
		synctest.Test(t, func(t *testing.T) {
			lookup(2, func() {})
			time.Sleep(time.Hour)
			done := make(chan int)
			go func() {
				lookup(3, func() {})
				close(done)
			}()
			<-done
		})
	})
}
