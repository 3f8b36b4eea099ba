// SPDX-License-Identifier: Apache-2.0
#include "emit.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "record.h"
#include "service.h"

/* A reader takes at most 262,144 values in a line. */
#define MAX_ARGS 4096

static void put_cmdline(struct jsonw *w, const struct target *t)
{
	const char *arg = t->cmdline;
	size_t left = t->cmdline_len;

	if (!left)
		return;
	jsonw_arr(w, K_CMDLINE);
	for (int i = 0; left && i < MAX_ARGS; i++) {
		size_t n = strnlen(arg, left);

		jsonw_str(w, NULL, arg, n);
		n += n < left; /* the NUL */
		arg += n;
		left -= n;
	}
	jsonw_end_arr(w);
}

static void put_ports(struct jsonw *w, const struct target *t)
{
	if (!t->n_ports)
		return;
	jsonw_arr(w, K_PORTS);
	for (size_t i = 0; i < t->n_ports; i++)
		jsonw_uint(w, NULL, t->ports[i]);
	jsonw_end_arr(w);
}

static void put_service(struct jsonw *w, const struct service *s)
{
	jsonw_str(w, K_SERVICE, s->name.s, s->name.len);
	jsonw_cstr(w, K_SERVICE_FROM, s->from);
	if (!s->n_resource)
		return;
	jsonw_obj(w, K_RESOURCE);
	for (size_t i = 0; i < s->n_resource; i++)
		jsonw_str_key(w, s->resource[i].key.s, s->resource[i].key.len,
			      s->resource[i].value.s, s->resource[i].value.len);
	jsonw_end_obj(w);
}

int emit_process(struct jsonw *w, const struct target *t)
{
	struct service service;
	char dev[32];
	int ret = service_find(t->env, t->env_len, t->bin->module, t->exe, &service);

	if (ret)
		return ret;
	snprintf(dev, sizeof(dev), "%u:%u", major(t->image.dev), minor(t->image.dev));
	jsonw_record(w, T_PROCESS);
	jsonw_int(w, K_PID, t->pid);
	jsonw_u64(w, K_START, t->image.start);
	jsonw_cstr(w, K_EXE, t->exe);
	jsonw_cstr(w, K_DEV, dev);
	jsonw_u64(w, K_INODE, t->image.ino);
	jsonw_raw(w, NULL, t->bin->record, t->bin->record_len);
	put_cmdline(w, t);
	put_ports(w, t);
	put_service(w, &service);
	jsonw_end_record(w);
	service_release(&service);
	return jsonw_flush(w);
}

int emit_exit(struct jsonw *w, int pid, uint64_t start)
{
	jsonw_record(w, T_EXIT);
	jsonw_int(w, K_PID, pid);
	jsonw_u64(w, K_START, start);
	jsonw_end_record(w);
	return jsonw_flush(w);
}
