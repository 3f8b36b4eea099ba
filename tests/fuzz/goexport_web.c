// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as what somebody sends to the port of the page with the traces: the server
 * answers with HTTP or hangs up, and lives. What it calls JSON is JSON, whatever spans
 * came in. Input: lines of spans and processes, an empty line, what is sent.
 */
#include "../../cmd/goexport/sink_web.h"
#include "httpsink.h"
#include "jsonv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(const char *answer, size_t len)
{
	const char *body = strstr(answer, "\r\n\r\n");
	struct jsonv_doc doc = { 0 };
	struct errinfo e;

	check(body && !strncmp(answer + 9, "200 ", 4) &&
	      strstr(answer, "Content-Type: application/json"));
	body += 4;
	check(!jsonv_parse(&doc, body, len - (size_t)(body - answer), &e));
	jsonv_release(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "traces", "routes", "graph", "health" };
	const char *p = (const char *)data, *end = p + size;
	char request[128], *answer;
	size_t len;

	start(sink_web_open);
	p = take_lines(p, end);
	talk(p, (size_t)(end - p), &answer, &len, 1);
	check(!len || (len > 12 && !strncmp(answer, "HTTP/1.", 7) && answer[8] == ' '));
	free(answer);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int n = snprintf(request, sizeof(request),
				 "GET /api/%s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n", paths[i]);

		check(talk(request, (size_t)n, &answer, &len, 100));
		check_json(answer, len);
		free(answer);
	}
	stop();
	return 0;
}
