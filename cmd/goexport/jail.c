// SPDX-License-Identifier: Apache-2.0
#include "jail.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "confine.h"
#include "diag.h"
#include "exits.h"

/* Names of hosts and users, certificates, time zones, terminals, locales; other stages. */
static const char *const system_paths[] = {
	"/etc",		 "/usr/share", "/usr/lib/ssl",	       "/usr/lib/locale",
	"/lib/terminfo", "/proc",      "/run/systemd/resolve", "/dev/urandom",
};

struct dirs {
	char *text[OPTIONS_MAX_SINKS + 3];
	size_t n;
};

/* The directory that @path is in: files there are made, renamed and removed. */
static const char *directory_of(struct dirs *d, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return NULL;
	d->text[d->n++] = copy;
	return dirname(copy);
}

static void receiver(struct confine *c, const struct otlp_choice *o)
{
	confine_may_read(c, o->ca);
	confine_may_read(c, o->cert);
	confine_may_read(c, o->key);
}

static void paths(struct confine *c, struct dirs *d, const struct options *o)
{
	for (size_t i = 0; i < sizeof(system_paths) / sizeof(system_paths[0]); i++)
		confine_may_read(c, system_paths[i]);
	confine_may_write(c, "/dev/null");
	confine_may_write(c, "/dev/tty");
	receiver(c, &o->otlp);
	for (size_t i = 0; i < o->n_sinks; i++) {
		const struct sink_choice *s = &o->sinks[i];

		receiver(c, &s->otlp);
		if (s->kind == SINK_TOP)
			c->need |= CONFINE_TERMINAL;
		if (s->kind == SINK_FILE && s->target)
			confine_may_write(c, directory_of(d, s->target));
	}
	if (o->spool) { /* which is made if it is not there */
		confine_may_write(c, o->spool);
		confine_may_write(c, directory_of(d, o->spool));
	}
	if (o->web_config)
		confine_may_read(c, directory_of(d, o->web_config));
	if (o->page_config)
		confine_may_read(c, directory_of(d, o->page_config));
}

int jail_enter(const struct options *o)
{
	struct confine c = {
		.user = o->user,
		.need = CONFINE_WRITE | CONFINE_NETWORK | CONFINE_THREADS,
	};
	struct dirs d = { .n = 0 };
	struct errinfo e;
	int ret;

	paths(&c, &d, o);
	ret = confine_enter(&c, &e);
	while (d.n)
		free(d.text[--d.n]);
	if (!ret)
		return -1;
	diag(DIAG_ERROR, "%s", e.text);
	return GOTAP_EXIT_CANNOT;
}
