#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh PROGRAM VERSION ARCH
#
# Builds tests/offsets/PROGRAM with Go VERSION for ARCH, with debugging information,
# keeps it under build/offsets/, and prints its path. A toolchain that is not there
# comes through go itself, as in build-target.sh.
set -eu

prog=$1 version=$2 arch=$3
top=$(cd "$(dirname "$0")/../.." && pwd)
src=$top/tests/offsets/$prog
dir=$top/build/offsets
out=$dir/$prog-$version-$arch
mkdir -p "$dir"
if [ -x "$out" ] && [ -z "$(find "$src" -newer "$out" -name '*.go')" ]; then
	echo "$out"
	exit 0
fi

if [ "$(go env GOVERSION)" = "go$version" ]; then
	go=go
else
	module=golang.org/toolchain@v0.0.1-go$version.$(go env GOOS)-$(go env GOARCH)
	(cd "$dir" && GOFLAGS=-mod=mod GO111MODULE=on go mod download "$module") >&2
	root=$(go env GOMODCACHE)/$module
	# Zip files of modules carry no permissions.
	chmod u+w "$root/bin" "$root/pkg/tool/"* 2>/dev/null || true
	chmod +x "$root/bin/"* "$root/pkg/tool/"*/* 2>/dev/null || true
	go=$root/bin/go
fi
flags=-buildvcs=false
case $version in 1.17*) flags=-mod=mod ;; esac # does not know it
cd "$src"
env -u GOROOT GOTOOLCHAIN=local GOFLAGS=$flags CGO_ENABLED=0 GOARCH="$arch" \
	nice "$go" build -trimpath -o "$out.new" . >&2
mv "$out.new" "$out"
echo "$out"
