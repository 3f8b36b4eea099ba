// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

func fetch(c *http.Client, url string) (string, error) {
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// load makes n requests with numbers of their own and prints how many were answered; those
// of paths that end a connection on purpose need not be.
func load(addr string, n, c int, only string) int {
	base := "http://" + addr
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: c}}
	if only == "" {
		all, err := fetch(client, base+"/paths")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		only = strings.TrimSpace(all)
	}
	paths := strings.Split(only, ",")
	ids := make(chan int, c)
	var wg sync.WaitGroup
	var mu sync.Mutex
	good := 0
	for i := 0; i < c; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for id := range ids {
				path := paths[id%len(paths)]
				sep := "?"
				if strings.Contains(path, "?") {
					sep = "&"
				}
				_, err := fetch(client, fmt.Sprintf("%s%s%sid=%d", base, path, sep, id))
				if err == nil || strings.HasPrefix(path, "/dies") {
					mu.Lock()
					good++
					mu.Unlock()
				} else {
					fmt.Fprintln(os.Stderr, path, err)
				}
			}
		}()
	}
	for id := 0; id < n; id++ {
		ids <- id
	}
	close(ids)
	wg.Wait()
	fmt.Println(good)
	if good != n {
		return 1
	}
	return 0
}
