// SPDX-License-Identifier: Apache-2.0
/*
 * Writes a stream of records as goattach does under load, for benchmarks of the
 * stages after it: processes, attached probes, clocks, and pairs of begin and end
 * events of HTTP requests. The same arguments give the same bytes.
 *
 *	gen_events [EVENTS [PROCESSES [IN_FLIGHT]]]     (1000000 2 64)
 *
 * Builds alone: cc -O2 -o gen_events gen_events.c
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MONO_START 123456789000000ull
#define REAL_START 1764510000000000000ull
#define STEP_NS	   50000ull /* between two events: 10,000 requests a second */
#define MINUTE_NS  60000000000ull

struct request {
	uint64_t goid, trace[2], span;
	unsigned route, process;
	int open;
};

static const struct {
	const char *method, *path, *query, *pattern;
	int status, request_size, response_size;
} routes[] = {
	{ "GET", "/", "", "GET /", 200, 0, 5120 },
	{ "GET", "/products/4711", "", "GET /products/{id}", 200, 0, 812 },
	{ "GET", "/search", "q=red+shoes&page=2", "GET /search", 200, 0, 20480 },
	{ "POST", "/cart/items", "", "POST /cart/items", 201, 96, 41 },
	{ "GET", "/static/app.js", "v=3", "/static/", 304, 0, 0 },
	{ "GET", "/products/9999", "", "GET /products/{id}", 404, 0, 19 },
	{ "POST", "/checkout", "", "POST /checkout", 500, 412, 22 },
	{ "GET", "/healthz", "", "/healthz", 0, 0, 0 },
};
#define ROUTES (sizeof(routes) / sizeof(routes[0]))

static uint64_t seed = 42;

/* SplitMix64. */
static uint64_t next_random(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static void write_processes(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		printf("{\"type\":\"process\",\"v\":1,\"pid\":%u,\"start\":\"%u\","
		       "\"exe\":\"/usr/bin/shop%u\",\"dev\":\"254:0\",\"inode\":\"%u\","
		       "\"binary\":\"q9kX/shop%u\",\"go_build_id\":\"q9kX/shop%u\","
		       "\"go\":\"go1.24.4\",\"arch\":\"amd64\",\"module\":\"example.com/shop%u\","
		       "\"cmdline\":[\"shop%u\",\"-v\"],\"ports\":[%u],\"service\":\"shop%u\","
		       "\"service_from\":\"module\"}\n",
		       4242 + i, 81234567 + i, i, 131072 + i, i, i, i, i, 8080 + i, i);
		printf("{\"type\":\"attach\",\"v\":1,\"probe\":\"7f03c2aa%08x\","
		       "\"binary\":\"q9kX/shop%u\",\"pid\":%u,\"recipe\":\"net-http\","
		       "\"span\":\"http.server\",\"kind\":\"server\",\"scope\":\"net/http\","
		       "\"symbol\":\"net/http.serverHandler.ServeHTTP\",\"count\":2,"
		       "\"how\":\"multi\",\"ms\":1.5}\n",
		       i, i, 4242 + i);
	}
}

static void write_clock(uint64_t t)
{
	printf("{\"type\":\"clock\",\"v\":1,\"mono\":\"%" PRIu64 "\",\"real\":\"%" PRIu64 "\"}\n",
	       t, (uint64_t)(t - MONO_START + REAL_START));
}

static void write_head(const struct request *r, uint64_t t, const char *event)
{
	printf("{\"type\":\"event\",\"v\":1,\"t\":\"%" PRIu64 "\",\"pid\":%u,\"tid\":%u,"
	       "\"goid\":\"%" PRIu64 "\",\"depth\":1136,\"probe\":\"7f03c2aa%08x\","
	       "\"span\":\"http.server\",\"event\":\"%s\","
	       "\"trace_id\":\"%016" PRIx64 "%016" PRIx64 "\",\"span_id\":\"%016" PRIx64 "\",",
	       t, 4242 + r->process, 4250 + (unsigned)(r->goid % 4), r->goid, r->process, event,
	       r->trace[0], r->trace[1], r->span);
}

static void write_begin(struct request *r, uint64_t t, unsigned processes)
{
	uint64_t random = next_random();

	r->trace[0] = next_random();
	r->trace[1] = next_random();
	r->span = next_random();
	r->route = (unsigned)(random % ROUTES);
	r->process = (unsigned)(random >> 8) % processes;
	r->open = 1;
	write_head(r, t, "begin");
	printf("\"parent_from\":\"none\",\"flags\":1,\"values\":{\"http.request.method\":\"%s\","
	       "\"url.path\":\"%s\",\"url.query\":\"%s\","
	       "\"user_agent.original\":\"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101\","
	       "\"http.request.body.size\":%d,\"go.remote_addr\":\"10.0.%u.%u:%u\","
	       "\"go.host\":\"shop.example.com:8080\",\"go.proto\":\"HTTP/1.1\",\"go.tls\":false}}\n",
	       routes[r->route].method, routes[r->route].path, routes[r->route].query,
	       routes[r->route].request_size, (unsigned)(random >> 16 & 255),
	       (unsigned)(random >> 24 & 255), 32768 + (unsigned)(random >> 32 & 16383));
}

static void write_end(struct request *r, uint64_t t)
{
	write_head(r, t, "end");
	printf("\"values\":{\"http.response.status_code\":%d,\"http.response.body.size\":%d,"
	       "\"http.route\":\"%s\"}}\n",
	       routes[r->route].status, routes[r->route].response_size, routes[r->route].pattern);
	r->open = 0;
	r->goid += 1000003; /* mostly a new goroutine for the next one */
}

static unsigned long argument(int argc, char **argv, int i, unsigned long otherwise)
{
	unsigned long n = i < argc ? strtoul(argv[i], NULL, 10) : otherwise;

	if (n)
		return n;
	fprintf(stderr, "usage: gen_events [EVENTS [PROCESSES [IN_FLIGHT]]]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	unsigned long events = argument(argc, argv, 1, 1000000);
	unsigned long processes = argument(argc, argv, 2, 2);
	unsigned long in_flight = argument(argc, argv, 3, 64);
	struct request *requests = calloc(in_flight, sizeof(*requests));
	uint64_t t = MONO_START, next_clock = t;

	if (!requests)
		return 1;
	for (unsigned long i = 0; i < in_flight; i++)
		requests[i].goid = 18 + i;
	write_processes((unsigned)processes);
	for (unsigned long i = 0; i < events; i++, t += STEP_NS) {
		struct request *r = &requests[next_random() % in_flight];

		if (t >= next_clock) {
			write_clock(t);
			next_clock = t + MINUTE_NS;
		}
		if (r->open)
			write_end(r, t);
		else
			write_begin(r, t, (unsigned)processes);
	}
	free(requests);
	return fflush(stdout) || ferror(stdout);
}
