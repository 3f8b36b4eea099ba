// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"
)

var seen = map[reflect.Type]bool{}

// roots of the walk; files with build tags add theirs.
var roots = []interface{}{
	bufio.Writer{}, bufio.Reader{}, os.File{}, os.Process{}, runtime.Frames{}, runtime.MemStats{},
	strings.Builder{}, sync.Pool{}, sync.Once{}, sync.Map{}, time.Timer{}, time.Time{},
	fmt.Errorf("%w", os.ErrNotExist), reflect.ValueOf(0), os.PathError{}, reflect.TypeOf(0),
}

func walkAll(v interface{}) {
	walk(v)
	for _, r := range roots {
		walk(r)
	}
}

func walk(v interface{}) { visit(reflect.TypeOf(v)) }

// visit prints the fields of all structs with a name that can be reached from t.
func visit(t reflect.Type) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Ptr, reflect.Slice, reflect.Array, reflect.Chan:
		visit(t.Elem())
	case reflect.Map:
		visit(t.Key())
		visit(t.Elem())
	case reflect.Func:
		for i := 0; i < t.NumIn(); i++ {
			visit(t.In(i))
		}
		for i := 0; i < t.NumOut(); i++ {
			visit(t.Out(i))
		}
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			if t.Name() != "" && f.Name != "_" {
				fmt.Println("field", t.PkgPath()+"."+strings.ReplaceAll(t.Name(), " ", ""),
					f.Name, f.Offset)
			}
			visit(f.Type)
		}
		if t.Name() != "" {
			fmt.Println("size", t.PkgPath()+"."+strings.ReplaceAll(t.Name(), " ", ""), t.Size())
		}
	}
}
