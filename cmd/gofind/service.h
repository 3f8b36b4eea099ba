/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service name of a process and its further resource attributes, from its
 * environment as OpenTelemetry's "Resource SDK" and "Environment variables"
 * specifications have it, else from its main module or executable.
 */
#ifndef GOFIND_SERVICE_H
#define GOFIND_SERVICE_H

#include <stddef.h>

struct text {
	const char *s; /* any bytes, not terminated; NULL if absent */
	size_t len;
};

struct attribute {
	struct text key, value;
};

struct service {
	struct text name;
	const char *from;	    /* "env", "resource-env", "module", "exe" */
	struct attribute *resource; /* without service.name; each key once */
	size_t n_resource;
	char *decoded; /* what the attributes point into */
};

/*
 * Finds all of it. @env is the text of /proc/PID/environ (strings, each ended by
 * NUL), @module the main module's path or "", @exe the executable's path. The
 * result borrows all three until service_release(). 0 or -ENOMEM.
 *
 * OTEL_RESOURCE_ATTRIBUTES is read as the Go SDK does: pairs without '=' or
 * without a key are left out, a value with a wrong %-escape is taken as it is,
 * of several values for a key the last counts. Past 64 KiB or 1,000 attributes
 * the rest is left out.
 */
int service_find(const char *env, size_t env_len, const char *module, const char *exe,
		 struct service *out);
void service_release(struct service *s);

/* The last element of a module path that is a name: not a major version. */
struct text module_name(const char *module);

#endif
