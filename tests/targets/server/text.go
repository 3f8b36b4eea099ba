// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"strings"
	"unsafe"
)

// text answers with a hash of the program's own instructions, as they are in memory.
func text(w http.ResponseWriter, r *http.Request) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	defer maps.Close()
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	sum := sha256.New()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to uintptr
		var perms string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &perms); err != nil {
			panic(err)
		}
		if perms[2] != 'x' || !strings.HasSuffix(lines.Text(), exe) {
			continue
		}
		var start *byte
		*(*uintptr)(unsafe.Pointer(&start)) = from // no pointer into Go's heap
		sum.Write(unsafe.Slice(start, int(to-from)))
	}
	fmt.Fprintf(w, "%x", sum.Sum(nil))
}
