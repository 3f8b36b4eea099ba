// SPDX-License-Identifier: Apache-2.0
#include "webauth.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "promtls.h"

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

static int choose_token(struct webauth *a, bool needed, struct errinfo *e)
{
	const char *env = getenv("GOTAP_WEB_TOKEN");
	size_t len = env ? strlen(env) : 0;

	if (!len)
		return needed ? random_token(a->token, e) : 0;
	if (len < WEBAUTH_MIN || len > WEBAUTH_MAX || strspn(env, ALLOWED) != len)
		return errinfo_set(e, -EINVAL,
				   "web: GOTAP_WEB_TOKEN: not %d to %d letters, digits, - _ or .",
				   WEBAUTH_MIN, WEBAUTH_MAX);
	snprintf(a->token, sizeof(a->token), "%s", env);
	return 0;
}

int webauth_init(struct webauth *a, const char *config, bool loopback, const char *url,
		 struct errinfo *e)
{
	int ret = 0;

	memset(a, 0, sizeof(*a));
	a->basic.web = &a->config;
	snprintf(a->cookie, sizeof(a->cookie), "gotap_%s", strrchr(url, ':') + 1);
	if (config)
		ret = webconfig_read(&a->config, config, e);
	if (!ret)
		ret = choose_token(a, !loopback && !a->config.n_users && !a->config.client_ca, e);
	if (ret)
		webauth_release(a);
	return ret;
}

void webauth_release(struct webauth *a)
{
	promauth_release(&a->basic);
	webconfig_release(&a->config);
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

static bool is_user(struct webauth *a, struct MHD_Connection *c)
{
	char *password = NULL, *user = MHD_basic_auth_get_username_password(c, &password);
	bool good = user && password && promauth_knows(&a->basic, user, password);

	MHD_free(user);
	MHD_free(password);
	return good;
}

bool webauth_allows(struct webauth *a, struct MHD_Connection *c)
{
	const char *bearer = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");
	bool users = a->config.n_users > 0;

	if (a->config.client_ca && !promtls_verified(c))
		return false;
	if (users && is_user(a, c))
		return true;
	if (!a->token[0] && (users || a->config.client_ca))
		return !users;
	if (!a->token[0])
		return is_this_machine(MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host"));
	if (bearer && !strncmp(bearer, "Bearer ", 7) && is_token(a, bearer + 7))
		return true;
	return is_token(a, MHD_lookup_connection_value(c, MHD_COOKIE_KIND, a->cookie));
}
