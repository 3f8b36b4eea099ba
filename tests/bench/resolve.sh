#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# goresolve's time and memory on the largest Go binary at hand, the Collector's,
# with symbols and debug information and without.
. "$(dirname "$0")/common.sh"
require_go
require_command python3

for flavour in plain stripped; do
	binary=$(build_target otelcol "$flavour") || bail "no Collector"
	python3 - "$BIN/goresolve" "$binary" "$flavour" <<-'END'
		import os, resource, subprocess, sys, time
		best = 1e9
		for _ in range(3):
		    start = time.monotonic()
		    out = subprocess.run([sys.argv[1], sys.argv[2]], stdout=subprocess.PIPE)
		    best = min(best, time.monotonic() - start)
		rss = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
		print("goresolve, %s, %d MB file: %.3f s (best of 3), %.1f MB at most, %d records, status %d" %
		      (sys.argv[3], os.path.getsize(sys.argv[2]) >> 20, best, rss,
		       out.stdout.count(b"\n"), out.returncode))
	END
done
