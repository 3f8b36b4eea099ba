// SPDX-License-Identifier: Apache-2.0

// Command args calls functions with parameters and results of many types and
// prints, as JSON, what each call was given and gave back. It begins at a line on stdin.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

type (
	inner  struct{ ID, Spare int32 }
	record struct {
		Name  string
		Age   uint8
		Score float64
		In    *inner
		Val   inner
		Tags  []string
	}
	store struct {
		base
		name string
		hits map[string]int
	}
	base  struct{ region string }
	level int16
)

var calls int

// truth prints what a span of function must have.
func truth(function string, attributes map[string]interface{}) {
	attributes["function"] = function
	line, _ := json.Marshal(attributes)
	fmt.Println(string(line))
}

//go:noinline
func Numbers(a int, b int8, c uint16, d bool, e uint64, f level, d2 time.Duration) (int, uint8) {
	calls += a + int(b) + int(c) + int(e) + int(f) + int(d2)
	if d {
		calls++
	}
	return a * 2, uint8(b)
}

//go:noinline
func Texts(s string, raw []byte, many []string, nums []int, arr [2]int) (out string, err error) {
	calls += len(s) + len(raw) + len(many) + len(nums) + arr[0] + arr[1]
	switch {
	case len(s) == 0:
		return "", errors.New("no text")
	case len(s) > 5:
		return s, fmt.Errorf("long: %w", errors.New("text"))
	}
	return s + s, nil
}

//go:noinline
func (s *store) Get(key string, r *record, v record) *record {
	s.hits[key]++
	if r == nil {
		return nil
	}
	calls += int(v.Age) + len(v.Name) + len(v.Tags)
	return &record{Name: r.Name + key, Age: r.Age + 1, In: &inner{ID: 7}}
}

//go:noinline
func Blank(_ int, a string, _ string, b int) int {
	calls += len(a) + b
	return b
}

//go:noinline
func When(d time.Duration, at time.Time) time.Time {
	return at.Add(d - 5)
}

//go:noinline
func Any(v interface{}, w io.Writer) {
	fmt.Fprint(io.Discard, v, w)
}

//go:noinline
func Floats(f float64, n int, g float32) float64 {
	return f*float64(n) + float64(g)
}

//go:noinline
func Generic[T any](v T, n int) (T, int) {
	calls += n
	fmt.Fprint(os.Stderr, v)
	return v, n + 1
}

//go:noinline
func Unused(a, b int, c string) int {
	return len(c)
}

type big struct {
	Sides [3]int
	Name  string
	Score float64
}

//go:noinline
func Pair(n int, s string) (out [2]int32, err error) {
	calls += n
	if n > 3 {
		return [2]int32{int32(n), int32(len(s))}, errors.New("large")
	}
	return [2]int32{-1, int32(n)}, nil
}

//go:noinline
func Grow(b big, by int) (big, bool) {
	b.Sides[1] += by
	b.Name += "!"
	b.Score *= 1.5
	defer func() { recover() }()
	if by > 5 {
		panic(by)
	}
	return b, true
}

//go:noinline
func Many(a, b, c, d, e, f, g, h, i, j, k int, u float32, v big) (int, int, int, int, int, int, int, int, uint8, float64, int, string, float32) {
	return k, j, i, h, g, f, e, d, uint8(c), float64(u), b - 100, v.Name, u * 2
}

//go:noinline
func Other(f func() int, c complex128, p *int, r record) float32 {
	calls += f() + *p + int(real(c)) + int(r.Score)
	return 2
}

func main() {
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadString('\n')
	s := &store{base: base{"eu"}, name: "main", hits: map[string]int{}}

	n, u := Numbers(-5, -3, 65535, true, 1<<63, -300, time.Second)
	truth("main.Numbers", map[string]interface{}{"arg.a": -5, "arg.b": -3, "arg.c": 65535,
		"arg.d": true, "arg.f": -300, "arg.d2": 1000000000, "ret.0": n, "ret.1": u})

	for _, text := range []string{"", "abc", "abcdefgh"} {
		out, err := Texts(text, []byte("raw"), []string{"x", "y"}, []int{3, 4, 5, 6}, [2]int{8, 9})
		want := map[string]interface{}{"arg.s": text, "arg.raw": "raw", "arg.many.len": 2,
			"arg.many[0]": "x", "arg.many[1]": "y", "arg.nums[0]": 3, "arg.nums[2]": 5, "arg.nums.len": 4, "arg.arr[1]": 9,
			"ret.out": out, "ret.err.set": err != nil}
		if err != nil {
			want["ret.err"] = err.Error()
			want["ret.err.type"] = fmt.Sprintf("%T", err)
		}
		truth("main.Texts", want)
	}

	r := &record{Name: "ann", Age: 41, In: &inner{ID: 3}}
	got := s.Get("k1", r, record{Name: "val", Age: 9, Val: inner{1, 2}})
	truth("main.(*store).Get", map[string]interface{}{"arg.key": "k1", "arg.s.name": "main", "arg.s.hits.len": 0,
		"arg.r.Name": "ann", "arg.r.Age": 41, "arg.v.Name": "val", "arg.v.Age": 9,
		"ret.0.Name": got.Name, "ret.0.Age": got.Age})
	s.Get("k2", nil, record{Name: "none"})
	truth("main.(*store).Get", map[string]interface{}{"arg.key": "k2", "arg.v.Name": "none"})

	truth("main.Blank", map[string]interface{}{"ret.0": Blank(1, "a", "b", 77), "arg.b": 77, "arg.a": "a"})
	loc := time.FixedZone("x", 3600)
	for _, at := range []time.Time{time.Now(), time.Date(2021, 2, 3, 4, 5, 6, 7, loc), {}} {
		text := at.UTC().Format("2006-01-02T15:04:05.000000000Z")
		if at.Nanosecond() == 0 {
			text = at.UTC().Format("2006-01-02T15:04:05Z")
		}
		When(5, at)
		truth("main.When", map[string]interface{}{"arg.d": 5, "arg.at": text, "ret.0": text})
	}
	for _, v := range []interface{}{1, "a", r, errors.New("e"), nil, []string{"x"}, level(3)} {
		Any(v, os.Stdout)
		want := map[string]interface{}{"arg.w.type": "*os.File"}
		if v != nil {
			want["arg.v.type"] = fmt.Sprintf("%T", v)
		}
		truth("main.Any", want)
	}
	Floats(2.5, 3, 1)
	truth("main.Floats", map[string]interface{}{"arg.n": 3})
	Generic("text", 5)
	truth("main.Generic[...]", map[string]interface{}{"arg.v": "text", "arg.n": 5, "ret.0": "text", "ret.1": 6})
	Generic(17, 6)
	truth("main.Generic[...]", map[string]interface{}{"arg.v": 17, "arg.n": 6, "ret.0": 17, "ret.1": 7})
	for n := 3; n < 5; n++ {
		pair, err := Pair(n, "xyz")
		truth("main.Pair", map[string]interface{}{"arg.n": n, "arg.s": "xyz",
			"ret.out[0]": pair[0], "ret.out[1]": pair[1], "ret.err.set": err != nil})
	}
	for by := 5; by < 7; by++ {
		b := big{[3]int{7, 8, 9}, "cube", 0.5}
		grown, good := Grow(b, by)
		truth("main.Grow", map[string]interface{}{"arg.b.Sides[1]": 8, "arg.b.Name": "cube", "arg.b.Score": 0.5,
			"arg.by": by, "ret.0.Sides[0]": grown.Sides[0], "ret.0.Sides[1]": grown.Sides[1],
			"ret.0.Name": grown.Name, "ret.0.Score": grown.Score, "ret.1": good})
	}
	k, j, _, _, _, _, _, _, c, _, less, name, _ := Many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1.25, big{Name: "last"})
	truth("main.Many", map[string]interface{}{"arg.a": 1, "arg.i": 9, "arg.j": 10, "arg.k": 11, "arg.v.Name": "last",
		"ret.0": k, "ret.1": j, "ret.8": c, "ret.10": less, "ret.11": name})
	Other(func() int { return 1 }, 1i, &calls, record{Name: "r"})
	truth("main.Other", map[string]interface{}{"arg.r.Name": "r"})
	truth("main.Unused", map[string]interface{}{"length": Unused(1, 2, "four"),
		"system": "sql", "count": -7})
}
