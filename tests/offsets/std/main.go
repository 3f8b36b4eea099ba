// SPDX-License-Identifier: Apache-2.0

// Command std uses what the recipes for the standard library name, so that its
// debugging information describes those types.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.URL.Path)
	})
	if len(os.Args) < 2 {
		return
	}
	if db, err := sql.Open("none", ""); err == nil {
		rows, err := db.QueryContext(context.Background(), os.Args[1])
		fmt.Println(rows, err)
	}
	resp, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	io.Copy(os.Stdout, resp.Body)
	fmt.Fprintln(os.Stderr, http.ListenAndServeTLS(os.Args[1], "", "", nil))
}
