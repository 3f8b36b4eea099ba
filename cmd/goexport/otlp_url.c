// SPDX-License-Identifier: Apache-2.0
#include "otlp_url.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const http_paths[] = { "/v1/traces", "/v1/metrics" };
static const char *const grpc_paths[] = {
	"/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
};

static char *get(CURLU *u, CURLUPart part)
{
	char *part_text = NULL, *copy;

	if (curl_url_get(u, part, &part_text, 0))
		return NULL;
	copy = strdup(part_text);
	curl_free(part_text);
	return copy;
}

static int add_path(CURLU *u, const char *suffix)
{
	char *path = get(u, CURLUPART_PATH), *longer;
	size_t len, suffix_len = strlen(suffix);
	int ret;

	if (!path)
		return -ENOMEM;
	len = strlen(path);
	while (len && path[len - 1] == '/')
		path[--len] = '\0';
	if (asprintf(&longer, "%s%s", path,
		     len >= suffix_len && !strcmp(path + len - suffix_len, suffix) ? "" : suffix) <
	    0) {
		free(path);
		return -ENOMEM;
	}
	ret = curl_url_set(u, CURLUPART_PATH, longer, 0) ? -ENOMEM : 0;
	free(longer);
	free(path);
	return ret;
}

/* @text without what may be secret in it: name and password, a query. */
static const char *masked(const char *text, char shown[256])
{
	const char *at = strrchr(text, '@'), *colon = strstr(text, "://");
	size_t len = strcspn(text, "?#"), head = colon ? (size_t)(colon + 3 - text) : 0;

	if (!at)
		snprintf(shown, 256, "%.*s", (int)len, text);
	else /* one in the query, or a password with a '?': only what it begins with is sure */
		snprintf(shown, 256, "%.*s...%.*s", colon && colon < at ? (int)head : 0, text,
			 (size_t)(at - text) < len ? (int)(len - (size_t)(at - text)) : 0, at);
	return shown;
}

static int parse(CURLU *u, const char *text, struct errinfo *e)
{
	char shown[256], *host;
	CURLUcode code;
	int ret = 0;

	if (strncasecmp(text, "http://", 7) && strncasecmp(text, "https://", 8))
		return errinfo_set(e, -EINVAL,
				   "otlp: '%s': an URL with http:// or https:// expected",
				   masked(text, shown));
	code = curl_url_set(u, CURLUPART_URL, text, 0);
	if (code)
		return errinfo_set(e, -EINVAL, "otlp: '%s': %s", masked(text, shown),
				   curl_url_strerror(code));
	host = get(u, CURLUPART_HOST);
	if (!host || !*host)
		ret = errinfo_set(e, -EINVAL, "otlp: '%s': no host", masked(text, shown));
	free(host);
	return ret;
}

/* A gRPC endpoint may be a host and a port alone. */
static int parse_grpc(CURLU *u, const char *text, bool insecure, struct errinfo *e)
{
	char *longer;
	int ret;

	if (strstr(text, "://"))
		return parse(u, text, e);
	if (asprintf(&longer, "%s%s", insecure ? "http://" : "https://", text) < 0)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ret = parse(u, longer, e);
	free(longer);
	return ret;
}

static int finish(CURLU *u, char **url, char **shown)
{
	*url = get(u, CURLUPART_URL);
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	curl_url_set(u, CURLUPART_QUERY, NULL, 0); /* may hold a key */
	*shown = get(u, CURLUPART_URL);
	if (*url && *shown)
		return 0;
	free(*url);
	free(*shown);
	*url = *shown = NULL;
	return -ENOMEM;
}

int otlp_url(const char *text, bool exact, enum otlp_signal signal, const struct otlp_choice *c,
	     char **url, char **shown, struct errinfo *e)
{
	bool grpc = c->protocol == OTLP_GRPC;
	CURLU *u = curl_url();
	int ret;

	*url = *shown = NULL;
	if (!u)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ret = grpc ? parse_grpc(u, text, c->insecure, e) : parse(u, text, e);
	if (!ret) {
		if (grpc)
			ret = curl_url_set(u, CURLUPART_PATH, grpc_paths[signal], 0) ? -ENOMEM : 0;
		else if (!exact)
			ret = add_path(u, http_paths[signal]);
		if (!ret)
			ret = finish(u, url, shown);
		if (ret)
			errinfo_set(e, ret, "out of memory");
	}
	curl_url_cleanup(u);
	return ret;
}
