// SPDX-License-Identifier: Apache-2.0
#include "meter_table.h"

#define KIND(k)	 (1u << SPAN_##k)
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static const double seconds[] = { 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25,
				  0.5,	 0.75, 1,     2.5,  5,	   7.5, 10 };
static const double db_seconds[] = { 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10 };
/* The conventions name none: those that an SDK takes then. */
static const double bytes[] = { 0,   5,	  10,	25,   50,   75,	  100,	250,
				500, 750, 1000, 2500, 5000, 7500, 10000 };
static const double graph_seconds[] = { 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8 };

#define DURATION(n, h, b)                                                                          \
	{                                                                                          \
		.name = n, .unit = "s", .help = h, .type = METER_HISTOGRAM,                        \
		.value = VALUE_SECONDS, .steps = 1e9, .bounds = b, .n_bounds = COUNT(b)            \
	}
#define SIZE(n, h, v)                                                                              \
	{                                                                                          \
		.name = n, .unit = "By", .help = h, .type = METER_HISTOGRAM, .value = v,           \
		.steps = 1, .bounds = bytes, .n_bounds = COUNT(bytes)                              \
	}
#define COUNTER(n, u, h, v, k)                                                                     \
	{                                                                                          \
		.name = n, .unit = u, .help = h, .type = METER_COUNTER, .value = v, .kinds = k     \
	}
#define ACTIVE(n, h)                                                                               \
	{                                                                                          \
		.name = n, .unit = "{request}", .help = h, .type = METER_UPDOWN,                   \
		.value = VALUE_GIVEN                                                               \
	}
#define GRAPH(n, h)                                                                                \
	{                                                                                          \
		.name = n, .unit = "s", .help = h, .type = METER_HISTOGRAM, .value = VALUE_GIVEN,  \
		.steps = 1e9, .bounds = graph_seconds, .n_bounds = COUNT(graph_seconds)            \
	}

const struct meter_family meter_families[FAMILY_COUNT] = {
	[FAMILY_MSG_CLIENT] = {
		.kinds = KIND(PRODUCER) | KIND(CLIENT),
		.needs = KNOWN_MSG_SYSTEM,
		.labels = { KNOWN_MSG_OPERATION, KNOWN_MSG_SYSTEM, KNOWN_ERROR_TYPE,
			    KNOWN_MSG_GROUP, KNOWN_MSG_DESTINATION, KNOWN_MSG_TEMPLATE,
			    KNOWN_MSG_OPERATION_TYPE, KNOWN_SERVER_ADDRESS, KNOWN_SERVER_PORT,
			    KNOWN_MSG_PARTITION, KNOWN_NONE },
		.instruments = {
			DURATION("messaging.client.operation.duration",
				 "Duration of messaging operations of producers and consumers.",
				 seconds),
			COUNTER("messaging.client.sent.messages", "{message}",
				"Messages that producers sent.", KNOWN_MSG_COUNT, KIND(PRODUCER)),
			COUNTER("messaging.client.consumed.messages", "{message}",
				"Messages that consumers received.", KNOWN_MSG_COUNT, KIND(CLIENT)),
		},
	},
	[FAMILY_MSG_PROCESS] = {
		.kinds = KIND(CONSUMER),
		.needs = KNOWN_MSG_SYSTEM,
		.labels = { KNOWN_MSG_OPERATION, KNOWN_MSG_SYSTEM, KNOWN_ERROR_TYPE,
			    KNOWN_MSG_GROUP, KNOWN_MSG_DESTINATION, KNOWN_MSG_TEMPLATE,
			    KNOWN_SERVER_ADDRESS, KNOWN_SERVER_PORT, KNOWN_MSG_PARTITION,
			    KNOWN_NONE },
		.instruments = {
			DURATION("messaging.process.duration", "Duration of processing messages.",
				 seconds),
		},
	},
	[FAMILY_DB_CLIENT] = {
		.kinds = KIND(CLIENT),
		.needs = KNOWN_DB_SYSTEM,
		.labels = { KNOWN_DB_SYSTEM, KNOWN_DB_COLLECTION, KNOWN_DB_NAMESPACE,
			    KNOWN_DB_OPERATION, KNOWN_DB_STATUS, KNOWN_ERROR_TYPE,
			    KNOWN_DB_SUMMARY, KNOWN_DB_PROCEDURE, KNOWN_SERVER_ADDRESS,
			    KNOWN_SERVER_PORT, KNOWN_NONE },
		.instruments = {
			DURATION("db.client.operation.duration",
				 "Duration of database client operations.", db_seconds),
		},
	},
	[FAMILY_RPC_SERVER] = {
		.kinds = KIND(SERVER),
		.needs = KNOWN_RPC_SYSTEM,
		.labels = { KNOWN_RPC_SYSTEM, KNOWN_RPC_METHOD, KNOWN_RPC_STATUS,
			    KNOWN_ERROR_TYPE, KNOWN_NONE },
		.instruments = {
			DURATION("rpc.server.call.duration", "Duration of incoming calls.",
				 seconds),
		},
	},
	[FAMILY_RPC_CLIENT] = {
		.kinds = KIND(CLIENT),
		.needs = KNOWN_RPC_SYSTEM,
		.labels = { KNOWN_RPC_SYSTEM, KNOWN_RPC_METHOD, KNOWN_RPC_STATUS,
			    KNOWN_ERROR_TYPE, KNOWN_SERVER_ADDRESS, KNOWN_SERVER_PORT,
			    KNOWN_NONE },
		.instruments = {
			DURATION("rpc.client.call.duration", "Duration of outgoing calls.",
				 seconds),
		},
	},
	[FAMILY_HTTP_SERVER] = {
		.kinds = KIND(SERVER),
		.needs = KNOWN_HTTP_METHOD,
		.labels = { KNOWN_HTTP_METHOD, KNOWN_HTTP_STATUS, KNOWN_HTTP_ROUTE,
			    KNOWN_URL_SCHEME, KNOWN_PROTOCOL_NAME, KNOWN_PROTOCOL_VERSION,
			    KNOWN_ERROR_TYPE, KNOWN_NONE },
		.instruments = {
			DURATION("http.server.request.duration",
				 "Duration of HTTP server requests.", seconds),
			SIZE("http.server.request.body.size",
			     "Size of HTTP server request bodies.", KNOWN_HTTP_REQUEST_SIZE),
			SIZE("http.server.response.body.size",
			     "Size of HTTP server response bodies.", KNOWN_HTTP_RESPONSE_SIZE),
		},
	},
	[FAMILY_HTTP_CLIENT] = {
		.kinds = KIND(CLIENT),
		.needs = KNOWN_HTTP_METHOD,
		.labels = { KNOWN_HTTP_METHOD, KNOWN_SERVER_ADDRESS, KNOWN_SERVER_PORT,
			    KNOWN_HTTP_STATUS, KNOWN_URL_TEMPLATE, KNOWN_PROTOCOL_NAME,
			    KNOWN_PROTOCOL_VERSION, KNOWN_URL_SCHEME, KNOWN_ERROR_TYPE,
			    KNOWN_NONE },
		.instruments = {
			DURATION("http.client.request.duration",
				 "Duration of HTTP client requests.", seconds),
			SIZE("http.client.request.body.size",
			     "Size of HTTP client request bodies.", KNOWN_HTTP_REQUEST_SIZE),
			SIZE("http.client.response.body.size",
			     "Size of HTTP client response bodies.", KNOWN_HTTP_RESPONSE_SIZE),
		},
	},
	[FAMILY_ACTIVE_SERVER] = {
		.needs = KNOWN_NONE,
		.labels = { KNOWN_HTTP_METHOD, KNOWN_URL_SCHEME, KNOWN_NONE },
		.instruments = {
			ACTIVE("http.server.active_requests",
			       "Number of active HTTP server requests."),
		},
	},
	[FAMILY_ACTIVE_CLIENT] = {
		.needs = KNOWN_NONE,
		.labels = { KNOWN_HTTP_METHOD, KNOWN_SERVER_ADDRESS, KNOWN_SERVER_PORT,
			    KNOWN_URL_SCHEME, KNOWN_NONE },
		.instruments = {
			ACTIVE("http.client.active_requests",
			       "Number of active HTTP client requests."),
		},
	},
	[FAMILY_GRAPH] = {
		.needs = KNOWN_NONE,
		.labels = { KNOWN_GRAPH_CLIENT, KNOWN_GRAPH_SERVER, KNOWN_GRAPH_TYPE,
			    KNOWN_NONE },
		.instruments = {
			[GRAPH_TOTAL] = COUNTER("traces_service_graph_request", "",
						"Requests between two services.", VALUE_GIVEN, 0),
			[GRAPH_FAILED] = COUNTER("traces_service_graph_request_failed", "",
						 "Failed requests between two services.",
						 VALUE_GIVEN, 0),
			[GRAPH_SERVER_SECONDS] =
				GRAPH("traces_service_graph_request_server",
				      "Requests between two services as the server saw them."),
			[GRAPH_CLIENT_SECONDS] =
				GRAPH("traces_service_graph_request_client",
				      "Requests between two services as the client saw them."),
		},
	},
};
