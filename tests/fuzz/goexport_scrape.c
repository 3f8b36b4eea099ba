// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as what somebody sends to the port that Prometheus scrapes: the server
 * answers with HTTP or hangs up, and lives. What it answers to /metrics is a page
 * that Prometheus takes, whatever spans came in. Input: lines of spans and processes,
 * an empty line, what is sent.
 */
#include "../../cmd/goexport/sink_prometheus.h"
#include "exposition.h"
#include "httpsink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_answer(const char *answer, size_t len)
{
	const char *body = strstr(answer, "\r\n\r\n"), *version = "version=0.0.4";

	if (!len)
		return;
	check(!strncmp(answer, "HTTP/1.", 7) && len > 12 && answer[8] == ' ');
	if (strncmp(answer + 9, "200 ", 4) != 0 || !body || !strstr(answer, version))
		return;
	body += 4;
	/* Not what is for people, nor the beginning of two answers. */
	if (*body == '#' && !strstr(body, "HTTP/1."))
		check(exposition_valid(body, len - (size_t)(body - answer)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char request[] = "GET /metrics HTTP/1.0\r\n\r\n";
	const char *p = (const char *)data, *end = p + size;
	char *answer;
	size_t len;

	start(sink_prometheus_open);
	p = take_lines(p, end);
	/* What a busy machine has not said within a second is no answer to judge. */
	if (talk(p, (size_t)(end - p), &answer, &len, 1))
		check_answer(answer, len);
	free(answer);
	check(talk(request, sizeof(request) - 1, &answer, &len, 100));
	check(!strncmp(answer + 9, "200 ", 4));
	check_answer(answer, len);
	free(answer);
	stop();
	return 0;
}
