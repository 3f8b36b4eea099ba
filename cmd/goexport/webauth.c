// SPDX-License-Identifier: Apache-2.0
#include "webauth.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define ALLOWED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."

static int random_token(char token[WEBAUTH_MAX + 1], struct errinfo *e)
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return errinfo_set(e, -EIO, "web: no random numbers for a token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int webauth_init(struct webauth *a, bool loopback, const char *url, struct errinfo *e)
{
	const char *env = getenv("GOTAP_WEB_TOKEN");
	size_t len = env ? strlen(env) : 0;

	snprintf(a->cookie, sizeof(a->cookie), "gotap_%s", strrchr(url, ':') + 1);
	a->token[0] = '\0';
	if (!len)
		return loopback ? 0 : random_token(a->token, e);
	if (len < WEBAUTH_MIN || len > WEBAUTH_MAX || strspn(env, ALLOWED) != len)
		return errinfo_set(e, -EINVAL,
				   "web: GOTAP_WEB_TOKEN: not %d to %d letters, digits, - _ or .",
				   WEBAUTH_MIN, WEBAUTH_MAX);
	snprintf(a->token, sizeof(a->token), "%s", env);
	return 0;
}

/* In a time that does not tell how much of it was right. */
static bool is_token(const struct webauth *a, const char *given)
{
	size_t len = strlen(a->token);
	unsigned char differ = 0;

	if (!given || strlen(given) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		differ |= (unsigned char)(given[i] ^ a->token[i]);
	return !differ;
}

/* "localhost", "127.…" or "[::1]", with any port. */
static bool is_this_machine(const char *host)
{
	size_t len;

	if (!host)
		return true; /* HTTP/1.0: no browser */
	if (!strncmp(host, "[::1]", 5))
		return !host[5] || host[5] == ':';
	len = strcspn(host, ":");
	if (len == 9 && !strncmp(host, "localhost", 9))
		return true;
	return !strncmp(host, "127.", 4) && strspn(host, "0123456789.") == len;
}

bool webauth_in_query(const struct webauth *a, struct MHD_Connection *c)
{
	return a->token[0] &&
	       is_token(a, MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"));
}

bool webauth_allows(const struct webauth *a, struct MHD_Connection *c)
{
	const char *bearer = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");

	if (!a->token[0])
		return is_this_machine(MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"));
	if (bearer && !strncmp(bearer, "Bearer ", 7) && is_token(a, bearer + 7))
		return true;
	return is_token(a, MHD_lookup_connection_value(c, MHD_COOKIE_KIND, a->cookie));
}
