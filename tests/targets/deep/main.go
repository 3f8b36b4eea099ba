// SPDX-License-Identifier: Apache-2.0

// Command deep nests calls of one function. It prints "ready", then for each line
// "HOW N" on stdin lets Down call itself N times on a goroutine of its own, and
// leaves by return, panic or exit (runtime.Goexit), or parks there for "park". It
// answers each line with "done", and ends at the end of stdin.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

//go:noinline
func Down(how string, n int) int {
	if n > 0 {
		return Down(how, n-1) + 1
	}
	switch how {
	case "panic":
		panic("at the bottom")
	case "exit":
		runtime.Goexit()
	case "park":
		parked.Done()
		select {}
	}
	return 0
}

var parked sync.WaitGroup

func run(how string, n int, done chan<- bool) {
	defer func() { done <- true }()
	defer func() { _ = recover() }()
	Down(how, n)
}

func main() {
	var how string
	var n int
	fmt.Println("ready")
	for {
		if _, err := fmt.Scan(&how, &n); err != nil {
			return
		}
		done := make(chan bool, 1)
		if how == "park" {
			parked.Add(1)
			go run(how, n, done)
			parked.Wait()
		} else {
			go run(how, n, done)
			<-done
		}
		fmt.Println("done")
	}
}
