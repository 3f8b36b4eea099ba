# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Packages of other Debian releases and of arm64, unpacked and never installed: a
# private configuration of apt, whose lists and files are all under $VM. What the
# system's apt uses is only read, to find the mirror.

export LC_ALL=C
: "${VM:?}"

# _site LABEL: where the system's apt gets the archive of this label from.
_site() {
	apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n "s/^$1|//p" | sort -u | head -n 1
}

# _sources: what there may be; a release that the mirror no longer has is left out.
_sources() {
	_main=$(_site Debian) _security=$(_site Debian-Security)
	[ -n "$_main" ] || return 1
	_key=/usr/share/keyrings/debian-archive-keyring.gpg
	for _suite in bullseye bookworm bookworm-backports trixie trixie-backports; do
		echo "deb [signed-by=$_key] $_main $_suite main"
	done
	[ -z "$_security" ] || echo "deb [signed-by=$_key] $_security bullseye-security main"
}

# vm_apt PROGRAM ARGUMENT…: apt-get or apt-cache, with everything of ours.
vm_apt() {
	_program=$1
	shift
	"$_program" -q -o "Dir::State=$VM/apt/state" -o "Dir::Cache=$VM/apt/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o "Dir::Etc::SourceList=$VM/apt/sources.list" -o Dir::Etc::SourceParts=- \
		-o "Dir::Etc::Preferences=$VM/apt/none" -o "Dir::Etc::PreferencesParts=$VM/apt/none" \
		-o APT::Sandbox::User=root -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 \
		-o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
		-o Acquire::Retries=3 "$@"
}

# packages_update: fetches the lists, unless they are of today.
packages_update() {
	[ -z "$(find "$VM/apt/updated" -mtime -1 2>/dev/null)" ] || return 0
	mkdir -p "$VM/apt/state/lists/partial" "$VM/apt/cache/archives/partial" "$VM/apt/none"
	: >"$VM/apt/status"
	[ -n "$(_site Debian)" ] || apt-get -q update >/dev/null
	_sources >"$VM/apt/sources.list" || {
		echo "vm: apt knows no Debian archive here" >&2
		return 1
	}
	vm_apt apt-get update >"$VM/apt/log" 2>&1 || :
	# Once more without what is not there.
	sed -n "s/^E: The repository '\([^ ]*\) \([^ ]*\) .*/\1 \2/p" "$VM/apt/log" >"$VM/apt/gone"
	if [ -s "$VM/apt/gone" ]; then
		grep -vFf "$VM/apt/gone" "$VM/apt/sources.list" >"$VM/apt/rest"
		mv "$VM/apt/rest" "$VM/apt/sources.list"
		vm_apt apt-get update >"$VM/apt/log" 2>&1 || {
			cat "$VM/apt/log" >&2
			return 1
		}
	fi
	touch "$VM/apt/updated"
}

# package NAME[:ARCH][=VERSION] DIR: unpacks it into DIR.
package() {
	mkdir -p "$2" "$VM/debs"
	(
		_dir=$(mktemp -d "$VM/debs/XXXXXX")
		cd "$_dir" || exit 1
		if ! vm_apt apt-get download "$1" >log 2>&1; then
			cat log >&2
			exit 1
		fi
		dpkg-deb -x ./*.deb "$2"
		rm -r "$_dir"
	)
}

# kernels ARCH: the kernels for virtual machines that the archive has, as
# "VERSION PACKAGE", the oldest first. Since 7.2 the image is in a package of its own.
kernels() {
	vm_apt apt-cache pkgnames linux- | sed -n \
		"s/^linux-\(image\|binary\)-\([0-9][^-]*\(-[0-9]*\)\?\)-cloud-$1\$/\2 \1 linux-\1-\2-cloud-$1/p" |
		sort -k1,1V -k2,2 | awk '!($1 in seen) { seen[$1]; print $1, $3 }'
}

# kernel_like SERIES ARCH: the newest of this series (5.10), or of the next one that
# there is; with "newest" as the series, of all.
kernel_like() {
	kernels "$2" | awk -v want="$1" '
		function number(v) { split(v, p, "."); return p[1] * 1000 + p[2] }
		{
			n = number($1)
			if (want == "newest" || n == least) { least = n; found = $0 }
			else if (n >= number(want) && (!least || n < least)) { least = n; found = $0 }
		}
		END { if (found) print found }'
}

# kernel_image PACKAGE ARCH: the path of the kernel itself.
kernel_image() {
	_at=$VM/kernels/$1
	if [ -z "$(find "$_at" -name 'vmlinuz*' 2>/dev/null)" ]; then
		rm -rf "$_at"
		package "$1:$2" "$_at.new" || return 1
		mv "$_at.new" "$_at"
		# Modules: none of them is needed.
		find "$_at" -name '*.ko*' -delete
	fi
	find "$_at" -name 'vmlinuz*' | head -n 1
}

# sysroot ARCH PACKAGE…: the path of a directory with these packages of this machine's
# own release and all that they need, as if for a machine of this architecture.
sysroot() {
	_arch=$1 _root=$VM/sysroot-$1
	shift
	if [ "$(cat "$_root.list" 2>/dev/null)" != "$*" ]; then
		rm -f "$VM/apt/cache/archives"/*.deb
		# shellcheck source=/dev/null
		vm_apt apt-get install -y --download-only --no-install-recommends \
			-o "APT::Architecture=$_arch" -o "Dir::State::status=$VM/apt/status" \
			-t "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$@" >"$VM/apt/log" 2>&1 || {
			cat "$VM/apt/log" >&2
			return 1
		}
		rm -rf "$_root.new"
		for _deb in "$VM/apt/cache/archives"/*.deb; do
			dpkg-deb -x "$_deb" "$_root.new"
		done
		# Links to the root of a file system are to this one's.
		find "$_root.new" -type l -lname '/*' | while read -r _link; do
			ln -sf "$_root$(readlink "$_link")" "$_link"
		done
		rm -rf "$_root"
		mv "$_root.new" "$_root"
		echo "$*" >"$_root.list"
	fi
	echo "$_root"
}
