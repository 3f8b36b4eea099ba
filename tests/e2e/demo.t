#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demo shows both services; where the machine cannot trace it says so and
# replays a recorded stream; either way it leaves nothing running.
. "$(dirname "$0")/../pipeline.sh"
require_go

mkdir "$TMP/bin"
ln -s "$BIN"/go* "$TMP/bin/"
rm "$TMP/bin/goattach"
printf '#!/bin/sh\ncat >/dev/null\necho "goattach: no" >&2\nexit 4\n' >"$TMP/bin/goattach"
chmod 755 "$TMP/bin/goattach"
out=$(BUILD=$TMP sh "$TOP/tests/demo.sh" 2>&1)
is $? 0 "cannot trace: status 0"
like "$out" "cannot trace" "cannot trace: says so"
like "$out" "frontend GET /product" "cannot trace: shows the recorded frontend"
like "$out" "backend GET /stock" "cannot trace: and backend"

"$BIN/goattach" </dev/null >/dev/null 2>&1
if [ $? -ne 4 ]; then
	out=$(BUILD=$(dirname "$BIN") sh "$TOP/tests/demo.sh" 2>&1)
	is $? 0 "the demo: status 0"
	like "$out" "200 frontend GET /product\?item=cup" "it shows the frontend, with status, service, method and path"
	like "$out" "200 backend +GET /stock" "and the backend"
	like "$out" "(└─|.-) main.ask" "and a function below its request"
	like "$out" '"wrong":0,"errors":0' "every request was answered"
else
	ok 0 "the demo # SKIP cannot trace here"
fi
is "$(pgrep -f "^$TOP/build/targets/(frontend|backend)-local" | wc -l)" 0 "nothing is left running"
done_testing
