/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attributes that metrics look at, found in one walk over a span instead of one
 * for each. The names are those of the semantic conventions 1.44.0, here and nowhere
 * else: those of RPC and messaging still move.
 */
#ifndef GOEXPORT_KNOWN_H
#define GOEXPORT_KNOWN_H

#include "attr.h"

/* X(ID, "name") */
#define KNOWN_ATTRS(X)                                                                             \
	X(HTTP_METHOD, "http.request.method")                                                      \
	X(HTTP_STATUS, "http.response.status_code")                                                \
	X(HTTP_ROUTE, "http.route")                                                                \
	X(HTTP_REQUEST_SIZE, "http.request.body.size")                                             \
	X(HTTP_RESPONSE_SIZE, "http.response.body.size")                                           \
	X(URL_SCHEME, "url.scheme")                                                                \
	X(URL_PATH, "url.path")                                                                    \
	X(URL_FULL, "url.full")                                                                    \
	X(URL_TEMPLATE, "url.template")                                                            \
	X(PROTOCOL_NAME, "network.protocol.name")                                                  \
	X(PROTOCOL_VERSION, "network.protocol.version")                                            \
	X(PEER_ADDRESS, "network.peer.address")                                                    \
	X(ERROR_TYPE, "error.type")                                                                \
	X(SERVER_ADDRESS, "server.address")                                                        \
	X(SERVER_PORT, "server.port")                                                              \
	X(PEER_SERVICE, "service.peer.name")                                                       \
	X(RPC_SYSTEM, "rpc.system.name")                                                           \
	X(RPC_METHOD, "rpc.method")                                                                \
	X(RPC_STATUS, "rpc.response.status_code")                                                  \
	X(DB_SYSTEM, "db.system.name")                                                             \
	X(DB_COLLECTION, "db.collection.name")                                                     \
	X(DB_NAMESPACE, "db.namespace")                                                            \
	X(DB_OPERATION, "db.operation.name")                                                       \
	X(DB_STATUS, "db.response.status_code")                                                    \
	X(DB_SUMMARY, "db.query.summary")                                                          \
	X(DB_PROCEDURE, "db.stored_procedure.name")                                                \
	X(MSG_SYSTEM, "messaging.system")                                                          \
	X(MSG_OPERATION, "messaging.operation.name")                                               \
	X(MSG_OPERATION_TYPE, "messaging.operation.type")                                          \
	X(MSG_DESTINATION, "messaging.destination.name")                                           \
	X(MSG_TEMPLATE, "messaging.destination.template")                                          \
	X(MSG_PARTITION, "messaging.destination.partition.id")                                     \
	X(MSG_GROUP, "messaging.consumer.group.name")                                              \
	X(MSG_COUNT, "messaging.batch.message_count")                                              \
	/* of the service graph, no attributes of spans */                                         \
	X(GRAPH_CLIENT, "client")                                                                  \
	X(GRAPH_SERVER, "server")                                                                  \
	X(GRAPH_TYPE, "connection_type")

enum known {
	KNOWN_NONE = -1,
#define X(id, name) KNOWN_##id,
	KNOWN_ATTRS(X)
#undef X
		KNOWN_COUNT,
};

/* The span's attribute of each id, NULL where it has none; borrowed. */
struct known_attrs {
	const struct attr *at[KNOWN_COUNT];
};

/* Call once before known_find(), from any thread that no other runs beside. */
void known_init(void);
void known_find(struct known_attrs *k, const struct attr *attrs, size_t n);
const char *known_name(enum known id);

/* The value where it is a string, else an empty one. */
struct text known_text(const struct known_attrs *k, enum known id);

#endif
