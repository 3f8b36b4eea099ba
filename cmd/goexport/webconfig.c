// SPDX-License-Identifier: Apache-2.0
#include "webconfig.h"

#include <crypt.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE (1u << 20)

enum section {
	NONE,
	TLS,
	USERS,
};

struct reader {
	struct webconfig *w;
	const char *path;
	enum section section;
	bool verify; /* client_auth_type asks for a certificate */
	unsigned line;
	struct errinfo *e;
};

static int bad(struct reader *rd, const char *what)
{
	return errinfo_set(rd->e, -EINVAL, "%s:%u: %s", rd->path, rd->line, what);
}

/* A whole file as text, which the caller frees. */
static int read_file(const char *path, char **text, struct errinfo *e)
{
	FILE *f = fopen(path, "re");
	char *buf = f ? malloc(MAX_FILE + 1) : NULL;
	size_t n;
	int err;

	*text = NULL;
	if (!buf) {
		err = errno;
		if (f)
			fclose(f);
		return errinfo_set(e, -err, "prometheus: %s: %s", path, strerror(err));
	}
	n = fread(buf, 1, MAX_FILE + 1, f);
	err = ferror(f) ? EIO : n > MAX_FILE ? EFBIG : 0;
	fclose(f);
	if (err) {
		free(buf);
		return errinfo_set(e, -err, "prometheus: %s: %s", path, strerror(err));
	}
	buf[n] = '\0';
	*text = buf;
	return 0;
}

static int read_beside(struct reader *rd, const char *name, char **text)
{
	const char *slash = *name == '/' ? NULL : strrchr(rd->path, '/');
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - rd->path) : 0,
			     rd->path, name) >= sizeof(path))
		return bad(rd, "path too long");
	free(*text);
	return read_file(path, text, rd->e);
}

static int tls_value(struct reader *rd, const char *key, const char *value)
{
	if (!strcmp(key, "cert_file"))
		return read_beside(rd, value, &rd->w->cert);
	if (!strcmp(key, "key_file"))
		return read_beside(rd, value, &rd->w->key);
	if (!strcmp(key, "client_ca_file"))
		return read_beside(rd, value, &rd->w->client_ca);
	if (strcmp(key, "client_auth_type"))
		return bad(rd, "a key of tls_server_config that is not supported");
	rd->verify = !strcmp(value, "RequireAndVerifyClientCert");
	if (!rd->verify && strcmp(value, "NoClientCert"))
		return bad(rd,
			   "client_auth_type is not NoClientCert or RequireAndVerifyClientCert");
	return 0;
}

static int user_value(struct reader *rd, const char *name, const char *hash)
{
	struct webconfig *w = rd->w;

	if (w->n_users == WEBCONFIG_MAX_USERS)
		return bad(rd, "too many users");
	if (*hash != '$')
		return bad(rd, "a password that is no hash of crypt(5), such as bcrypt's $2y$…");
	w->users[w->n_users].name = strdup(name);
	w->users[w->n_users].hash = strdup(hash);
	w->n_users++;
	return w->users[w->n_users - 1].name && w->users[w->n_users - 1].hash ? 0 : -ENOMEM;
}

/* Cuts white space, a comment and quotes off, in place. */
static char *scalar(char *s)
{
	size_t n;

	while (isspace((unsigned char)*s))
		s++;
	if (*s == '"' || *s == '\'') {
		char *end = strchr(s + 1, *s);

		if (end)
			*end = '\0';
		return s + 1;
	}
	for (char *c = s; *c; c++)
		if (*c == '#' && (c == s || isspace((unsigned char)c[-1])))
			*c = '\0';
	for (n = strlen(s); n && isspace((unsigned char)s[n - 1]); n--)
		s[n - 1] = '\0';
	return s;
}

static int read_line(struct reader *rd, char *line)
{
	bool inner = isspace((unsigned char)*line);
	char *colon, *key, *value;

	if (!*scalar(strdupa(line)) || !strcmp(line, "---"))
		return 0;
	colon = strpbrk(line, ":");
	if (!colon)
		return bad(rd, "not 'key: value'");
	*colon = '\0';
	key = scalar(line);
	value = scalar(colon + 1);
	if (!inner) {
		rd->section = !strcmp(key, "tls_server_config")	 ? TLS
			      : !strcmp(key, "basic_auth_users") ? USERS
								 : NONE;
		if (rd->section == NONE || *value)
			return bad(rd, "neither tls_server_config: nor basic_auth_users:");
		return 0;
	}
	if (rd->section == NONE || !*key || !*value)
		return bad(rd, "not understood");
	return rd->section == TLS ? tls_value(rd, key, value) : user_value(rd, key, value);
}

static int check(struct reader *rd)
{
	struct webconfig *w = rd->w;

	if (!w->cert != !w->key)
		return bad(rd, "cert_file and key_file belong together");
	if (rd->verify != (w->client_ca != NULL))
		return bad(rd, "client_ca_file and client_auth_type belong together");
	if (w->client_ca && !w->cert)
		return bad(rd, "client_ca_file without cert_file");
	return 0;
}

int webconfig_read(struct webconfig *w, const char *path, struct errinfo *e)
{
	struct reader rd = { .w = w, .path = path, .e = e };
	char *text, *rest, *line;
	int ret;

	memset(w, 0, sizeof(*w));
	ret = read_file(path, &text, e);
	rest = text;
	while (!ret && (line = strsep(&rest, "\n"))) {
		rd.line++;
		ret = read_line(&rd, line);
	}
	if (!ret)
		ret = check(&rd);
	free(text);
	if (ret)
		webconfig_release(w);
	return ret;
}

void webconfig_release(struct webconfig *w)
{
	free(w->cert);
	free(w->key);
	free(w->client_ca);
	for (size_t i = 0; i < w->n_users; i++) {
		free(w->users[i].name);
		free(w->users[i].hash);
	}
	memset(w, 0, sizeof(*w));
}

bool webconfig_same(const char *a, const char *b)
{
	size_t n = strlen(a);
	unsigned char diff = 0;

	if (n != strlen(b))
		return false;
	for (size_t i = 0; i < n; i++)
		diff |= (unsigned char)(a[i] ^ b[i]);
	return !diff;
}

bool webconfig_knows(const struct webconfig *w, const char *user, const char *password)
{
	/* An unknown user takes as long as a known one. */
	const char *hash = w->n_users ? w->users[0].hash : "", *got;
	struct crypt_data *data = calloc(1, sizeof(*data));
	bool known = false, good;

	if (!data)
		return false;
	for (size_t i = 0; i < w->n_users && !known; i++)
		if (!strcmp(w->users[i].name, user)) {
			hash = w->users[i].hash;
			known = true;
		}
	got = crypt_r(password, hash, data);
	good = known && got && *got == '$' && webconfig_same(got, hash);
	free(data);
	return good;
}
