// SPDX-License-Identifier: Apache-2.0

// Command hits calls one function as often as it is told on standard input, a number a
// line, and prints the CPU time that a call took, in nanoseconds, the kernel's part of it
// too. For tests/bench/hits.sh.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

//go:noinline
func leaf(n int) int {
	return n + 1
}

// Work has a frame, and so a check of the stack.
//
//go:noinline
func Work(n int) int {
	return leaf(n) + leaf(n+1)
}

// threadTime is what this thread has used, in nanoseconds.
func threadTime() int64 {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0)
	if e != 0 {
		panic(e)
	}
	return t.Nano()
}

func main() {
	runtime.LockOSThread()
	fmt.Println("ready", os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, err := strconv.Atoi(in.Text())
		if err != nil || n < 1 {
			fmt.Fprintln(os.Stderr, "hits: no number:", in.Text())
			os.Exit(2)
		}
		sum, began := 0, threadTime()
		for i := 0; i < n; i++ {
			sum = Work(sum)
		}
		fmt.Printf("%.1f\n", float64(threadTime()-began)/float64(n))
	}
}
