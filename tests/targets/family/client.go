// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"time"
)

// The ways of a client that are not the usual one.

// certificate is made for this run, and trusted by nobody.
func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

var tunnelled = &tls.Config{Certificates: []tls.Certificate{certificate()}}

// proxied is a client whose proxy is the answering side.
var proxied = &http.Client{Transport: &http.Transport{
	Proxy: func(*http.Request) (*url.URL, error) {
		return &url.URL{Scheme: "http", Host: backend}, nil
	},
	TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
	MaxIdleConnsPerHost: 256,
}}

func request(ctx context.Context, method, url string, body io.Reader) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		panic(err)
	}
	return req
}

func drain(resp *http.Response, err error) {
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func init() {
	// The server closes the connection that the second request is sent on first: the
	// Transport sends it once more.
	handlers["/stale"] = func(w http.ResponseWriter, r *http.Request, me who) {
		t := &http.Transport{}
		defer t.CloseIdleConnections()
		c := &http.Client{Transport: t}
		first, second := newID(), newID()
		note("c", first, me)
		get(c, r.Context(), fmt.Sprintf("http://%s/drop/%d", backend, first))
		note("c", second, me)
		note("c", second, me)
		req := request(r.Context(), "PUT", fmt.Sprintf("http://%s/c/%d", backend, second),
			bytes.NewReader([]byte("once, and once more")))
		req.Header.Set("Idempotency-Key", "1")
		drain(c.Do(req))
		call(nil, me)
	}
	// The answer's body comes, and is read, when the caller has long done other things; a
	// part of it when the request is over.
	handlers["/later"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		ctx := detached(r.Context())
		resp, err := client.Do(request(ctx, "GET", fmt.Sprintf("http://%s/halves/%d", backend, id), nil))
		if err != nil {
			panic(err)
		}
		call(nil, me)
		within(me, func(me who) { call(r.Context(), me) })
		pending.Add(1)
		go func() {
			defer pending.Done()
			drain(resp, nil)
			call(nil, me)
		}()
	}
	handlers["/by-proxy"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		get(proxied, r.Context(), fmt.Sprintf("http://proxied.invalid/c/%d", id))
		call(nil, me)
	}
	handlers["/by-tunnel"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		get(proxied, r.Context(), fmt.Sprintf("https://tunnelled.invalid:8443/c/%d", id))
		call(nil, me)
	}
	// Called directly it is inlined.
	handlers["/round-trip"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		t := client.Transport.(*http.Transport)
		drain(t.RoundTrip(request(r.Context(), "GET", fmt.Sprintf("http://%s/c/%d", backend, id), nil)))
	}
	// Of what is never sent: there is nobody who speaks that.
	handlers["/unsent"] = func(w http.ResponseWriter, r *http.Request, me who) {
		id := newID()
		note("c", id, me)
		get(client, r.Context(), fmt.Sprintf("gopher://%s/c/%d", backend, id))
		call(nil, me)
	}
}
