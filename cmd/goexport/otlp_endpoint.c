// SPDX-License-Identifier: Apache-2.0
#include "otlp_endpoint.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "otlp_url.h"

static int check_file(const char *path, struct errinfo *e)
{
	if (path && access(path, R_OK))
		return errinfo_set(e, -EINVAL, "otlp: %s: %s", path, strerror(errno));
	return 0;
}

int otlp_endpoint_init(struct otlp_endpoint *to, const struct sink_choice *c,
		       enum otlp_signal signal, struct errinfo *e)
{
	int ret;

	*to = (struct otlp_endpoint){ .how = c->otlp };
	if (curl_global_init(CURL_GLOBAL_DEFAULT))
		return errinfo_set(e, -ENOMEM, "otlp: libcurl does not start");
	to->curl = true;
	ret = check_file(to->how.ca, e);
	if (!ret)
		ret = check_file(to->how.cert, e);
	if (!ret)
		ret = check_file(to->how.key, e);
	return ret ? ret : otlp_url(c->target, c->exact, signal, &to->how, &to->url, &to->shown, e);
}

void otlp_endpoint_release(struct otlp_endpoint *to)
{
	free(to->url);
	free(to->shown);
	if (to->curl)
		curl_global_cleanup();
}
