// SPDX-License-Identifier: Apache-2.0

// Command forked forks without an exec, as only such Go programs do that call the kernel
// themselves. Each line of its stdin is a command: "work" calls work in the program itself,
// "fork" makes a child that waits, "go" has the child call work, and end with what that
// returned. Each has an answer on stdout.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

//go:noinline
func work(n uintptr) uintptr {
	return n*2 + 1
}

// fork returns the child's process id. The child has one thread and no scheduler: it
// calls nothing of the runtime, waits for a byte, and ends with the status work(20).
func fork(wait int) uintptr {
	var b [1]byte
	pid, _, _ := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	if pid == 0 {
		syscall.RawSyscall(syscall.SYS_READ, uintptr(wait), uintptr(unsafe.Pointer(&b[0])), 1)
		status := uintptr(0)
		for i := 0; i < 100; i++ {
			status = work(20)
		}
		syscall.RawSyscall(syscall.SYS_EXIT_GROUP, status, 0, 0)
	}
	return pid
}

func main() {
	runtime.LockOSThread()
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	wait := int(r.Fd())
	child := uintptr(0)
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "work":
			fmt.Println("work", work(20))
		case "fork":
			child = fork(wait)
			fmt.Println("child", child)
		case "go":
			w.Write([]byte{0})
			var status syscall.WaitStatus
			_, err := syscall.Wait4(int(child), &status, 0, nil)
			fmt.Println("ended", status.ExitStatus(), status.Signal(), err)
		}
	}
}
