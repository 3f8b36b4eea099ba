// SPDX-License-Identifier: Apache-2.0

// Structs prints the fields of all structs in a binary's debugging information, as
// Go's own debug/dwarf reads it: a second opinion for goresolve's tests.
package main

import (
	"bufio"
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	f, err := elf.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	d, err := f.DWARF()
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil {
			log.Fatal(err)
		}
		if e == nil {
			return
		}
		if e.Tag == dwarf.TagSubprogram {
			r.SkipChildren()
		}
		if e.Tag != dwarf.TagStructType || !e.Children {
			continue
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		name = strings.ReplaceAll(name, " ", "")
		if size, ok := e.Val(dwarf.AttrByteSize).(int64); ok && name != "" {
			fmt.Fprintln(out, "size", name, size)
		}
		for {
			m, err := r.Next()
			if err != nil {
				log.Fatal(err)
			}
			if m == nil || m.Tag == 0 {
				break
			}
			field, _ := m.Val(dwarf.AttrName).(string)
			off, ok := m.Val(dwarf.AttrDataMemberLoc).(int64)
			if m.Tag == dwarf.TagMember && ok && name != "" && field != "_" {
				fmt.Fprintln(out, "field", name, field, off)
			}
			if m.Children {
				r.SkipChildren()
			}
		}
	}
}
