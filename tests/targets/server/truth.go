// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"net/http"
	"sync"
)

// truth counts handled requests by "METHOD PATH OUTCOME", where the outcome is
// the status sent, or "panic", "abort", "goexit" or "hijack".
var truth = struct {
	sync.Mutex
	counts map[string]int
}{counts: map[string]int{}}

func count(r *http.Request, outcome string) {
	key := r.Method + " " + r.URL.Path + " " + outcome
	truth.Lock()
	truth.counts[key]++
	truth.Unlock()
}

func serveTruth(w http.ResponseWriter, r *http.Request) {
	truth.Lock()
	defer truth.Unlock()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(truth.counts)
}
