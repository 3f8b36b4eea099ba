#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build-target.sh NAME [FLAVOUR [VERSION]]
# build-target.sh --go VERSION
#
# Builds the Go program tests/targets/NAME once, keeps it under build/targets/,
# and prints its path. FLAVOUR is plain (the default), or some of these words, put
# together with '-':
#
#	stripped, nosyms, nodwarf	-s -w, -s, -w
#	dwarf		debugging information that is not compressed
#	pie, cshared, plugin	that build mode; the last two need cgo
#	cgo		linked by the C linker; lld: by LLVM's
#	relr		a pie of the C linker, with packed relocations
#	arm64		for that machine; with cgo, by Debian's cross compiler
#	tramp		(arm64) calls go through trampolines, as in huge programs
#	noopt		not optimised, nothing inlined: for a debugger
#	race		with the race detector, which needs cgo
#	v4		(amd64) for new processors: AVX-512, BMI and so on
#	web		build tag "web"
#
# VERSION is a Go version such as 1.19.13, or "oldest", "newest" (the default) or
# "local" (the go in PATH, whatever it is). A toolchain that is not there comes
# through go itself, from the module proxy and checked by the checksum database,
# into the module cache; the user's own configuration stays as it is. --go prints
# the path of that version's go, and builds nothing.
set -eu

oldest=1.19.13
newest=1.27.3

name=$1 flavour=${2:-plain} version=${3:-newest}
top=$(cd "$(dirname "$0")/.." && pwd)
[ "$name" != --go ] || version=$flavour
case $version in
oldest) version=$oldest ;;
newest) version=$newest ;;
esac

dir=$top/build/targets
mkdir -p "$dir"
src=$top/tests/targets/$name
out=$dir/$name-$version-$flavour

# The Go command of version $version: a machine's go that knows toolchains would
# fetch it by itself, but one way for all is simpler, and 1.20 and older do not.
find_go() {
	if [ "$version" = local ] || [ "$(go env GOVERSION)" = "go$version" ]; then
		command -v go
		return
	fi
	os_arch=$(go env GOOS)-$(go env GOARCH)
	module=golang.org/toolchain@v0.0.1-go$version.$os_arch
	(cd "$dir" && GOFLAGS=-mod=mod GO111MODULE=on go mod download "$module") >&2
	root=$(go env GOMODCACHE)/$module
	# Zip files of modules carry no permissions.
	chmod u+w "$root/bin" "$root/pkg/tool/"* 2>/dev/null || true
	chmod +x "$root/bin/"* "$root/pkg/tool/"*/* 2>/dev/null || true
	echo "$root/bin/go"
}
if [ "$name" = --go ]; then
	exec 9>"$dir/go-$version.lock"
	flock 9
	find_go
	exit
fi

# up_to_date: it is there, no source is newer, and it is of the go in PATH now.
up_to_date() {
	[ -x "$out" ] && [ -z "$(find "$src" -newer "$out" -type f | head -n 1)" ] || return 1
	[ "$version" != local ] || [ "$(go version "$out")" = "$out: $(go env GOVERSION)" ]
}
# One build of a target at a time, also from tests that run side by side.
exec 9>"$out.lock"
flock 9
if up_to_date; then
	echo "$out"
	exit 0
fi
go=$(find_go)

vcs=-buildvcs=false
case $version in 1.17*) vcs=-mod=mod ;; esac # knows no -buildvcs
cgo=0 arch=$(go env GOARCH) mode='' tags='' ld='' ext='' gc='' race='' level=''
external() {
	cgo=1
	case " $ld " in *' -linkmode=external '*) ;; *) ld="$ld -linkmode=external" ;; esac
}
for word in $(echo "$flavour" | tr - ' '); do
	case $word in
	plain) ;;
	stripped) ld="$ld -s -w" ;;
	nosyms) ld="$ld -s" ;;
	nodwarf) ld="$ld -w" ;;
	dwarf) ld="$ld -compressdwarf=false" ;;
	pie) mode=pie ;;
	cshared) cgo=1 mode=c-shared ;;
	plugin) cgo=1 mode=plugin ;;
	cgo) external ;;
	lld) external && ext="$ext -fuse-ld=lld" ;;
	relr) external && mode=pie ext="$ext -Wl,-z,pack-relative-relocs" ;;
	arm64) arch=arm64 ;;
	tramp) ld="$ld -debugtramp=2" ;;
	noopt) gc='all=-N -l' ;;
	race) cgo=1 race=-race ;;
	v4) level=v4 ;;
	web) tags=web ;;
	*)
		echo "build-target.sh: no flavour $flavour" >&2
		exit 2
		;;
	esac
done
[ -z "$ext" ] || ld="$ld '-extldflags=${ext# }'"
set -- -trimpath
[ -z "$mode" ] || set -- "$@" -buildmode="$mode"
[ -z "$tags" ] || set -- "$@" -tags="$tags"
[ -z "$gc" ] || set -- "$@" -gcflags="$gc"
[ -z "$race" ] || set -- "$@" "$race"
[ -z "$level" ] || export GOAMD64="$level"
[ -z "$ld" ] || set -- "$@" -ldflags="${ld# }"
if [ $cgo = 1 ] && [ "$arch" != "$(go env GOARCH)" ]; then
	CC=aarch64-linux-gnu-gcc
	export CC
fi

cd "$src"
# The program of another module is its tool.
what=.
! grep -q '^tool ' go.mod || what=tool
# Two cores are shared with the tests: be nice. To a new name and then renamed,
# so that what runs is never written to.
env -u GOROOT GOTOOLCHAIN=local GOFLAGS="$vcs" CGO_ENABLED=$cgo GOARCH="$arch" \
	nice "$go" build "$@" -o "$out.new" "$what" >&2
mv "$out.new" "$out"
echo "$out"
