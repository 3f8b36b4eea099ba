// SPDX-License-Identifier: Apache-2.0
#include "otlp_url.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SUFFIX "/v1/traces"

static char *get(CURLU *u, CURLUPart part)
{
	char *part_text = NULL, *copy;

	if (curl_url_get(u, part, &part_text, 0))
		return NULL;
	copy = strdup(part_text);
	curl_free(part_text);
	return copy;
}

static int add_path(CURLU *u)
{
	char *path = get(u, CURLUPART_PATH), *longer;
	size_t len;
	int ret;

	if (!path)
		return -ENOMEM;
	len = strlen(path);
	while (len && path[len - 1] == '/')
		path[--len] = '\0';
	longer = malloc(len + sizeof(SUFFIX));
	if (!longer) {
		free(path);
		return -ENOMEM;
	}
	sprintf(longer, "%s%s", path,
		len >= strlen(SUFFIX) && !strcmp(path + len - strlen(SUFFIX), SUFFIX) ? ""
										      : SUFFIX);
	ret = curl_url_set(u, CURLUPART_PATH, longer, 0) ? -ENOMEM : 0;
	free(longer);
	free(path);
	return ret;
}

static int parse(CURLU *u, const char *text, struct errinfo *e)
{
	CURLUcode code;
	char *host;
	int ret = 0;

	if (strncasecmp(text, "http://", 7) && strncasecmp(text, "https://", 8))
		return errinfo_set(e, -EINVAL,
				   "otlp: '%s': an URL with http:// or https:// expected", text);
	code = curl_url_set(u, CURLUPART_URL, text, 0);
	if (code)
		return errinfo_set(e, -EINVAL, "otlp: '%s': %s", text, curl_url_strerror(code));
	host = get(u, CURLUPART_HOST);
	if (!host || !*host)
		ret = errinfo_set(e, -EINVAL, "otlp: '%s': no host", text);
	free(host);
	return ret;
}

int otlp_url(const char *text, bool exact, char **url, char **shown, struct errinfo *e)
{
	CURLU *u = curl_url();
	int ret;

	*url = *shown = NULL;
	if (!u)
		return errinfo_set(e, -ENOMEM, "out of memory");
	ret = parse(u, text, e);
	if (!ret && !exact && add_path(u))
		ret = errinfo_set(e, -ENOMEM, "out of memory");
	if (!ret)
		*url = get(u, CURLUPART_URL);
	if (!ret) {
		curl_url_set(u, CURLUPART_USER, NULL, 0);
		curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
		curl_url_set(u, CURLUPART_QUERY, NULL, 0); /* may hold a key */
		*shown = get(u, CURLUPART_URL);
	}
	if (!ret && (!*url || !*shown))
		ret = errinfo_set(e, -ENOMEM, "out of memory");
	if (ret) {
		free(*url);
		free(*shown);
		*url = *shown = NULL;
	}
	curl_url_cleanup(u);
	return ret;
}
