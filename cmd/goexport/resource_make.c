// SPDX-License-Identifier: Apache-2.0
#include "resource_make.h"

#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "cleantext.h"
#include "proctime.h"
#include "record.h"
#include "spanrec.h"
#include "utf8.h"

struct maker {
	struct resource *r;
	const struct record *rec;
	struct attr *attrs;
	size_t n;
	int err;
};

/* Adds an attribute, or replaces the value that it had. */
static void set_value(struct maker *m, struct text key, struct attr_value value)
{
	size_t i = 0;

	while (i < m->n && !text_equal(m->attrs[i].key, key))
		i++;
	if (i == RESOURCE_MAX_ATTRS)
		return;
	m->n += i == m->n;
	m->attrs[i] = (struct attr){ key, value };
}

static void set(struct maker *m, const char *key, struct text value)
{
	if (value.len)
		set_value(m, text_of(key),
			  (struct attr_value){ .type = ATTR_STRING, .str = value });
}

/* The resource outlives the record: text is copied. */
static struct text keep(struct maker *m, const char *p, size_t len)
{
	struct text t = { arena_copy(&m->r->arena, p, len), len };

	if (!t.p) {
		m->err = -ENOMEM;
		t.len = 0;
	}
	return t;
}

static struct text field(struct maker *m, const char *key)
{
	const struct jsonv *v = m->rec ? jsonv_member(m->rec->root, key) : NULL;
	struct text t;
	const char *s;
	size_t len;

	if (!v || jsonv_str(m->rec->doc, v, &s, &len))
		return (struct text){ 0 };
	if (text_clean(&m->r->arena, s, len, &t)) {
		m->err = -ENOMEM;
		return (struct text){ 0 };
	}
	return keep(m, t.p, t.len);
}

static struct text base_name(struct text path)
{
	size_t i = path.len;

	while (i && path.p[i - 1] != '/')
		i--;
	return i ? (struct text){ path.p + i, path.len - i } : path;
}

static void add_service(struct maker *m)
{
	struct text service = field(m, K_SERVICE), exe = field(m, K_EXE);
	struct text version = field(m, K_MODULE_VERSION);
	char buf[256];

	set(m, "service.name", text_of("unknown_service"));
	if (exe.len && !service.len) { /* the fallback of the conventions */
		exe = base_name(exe);
		snprintf(buf, sizeof(buf), "unknown_service:%.*s",
			 (int)utf8_valid(exe.p, exe.len < 200 ? exe.len : 200), exe.p);
		service = keep(m, buf, strlen(buf));
	}
	set(m, "service.name", service);
	if (!text_is(version, "(devel)"))
		set(m, "service.version", version);
}

static void add_process(struct maker *m)
{
	struct text exe = field(m, K_EXE);
	struct attr_value pid = { .type = ATTR_INT, .i = m->r->pid };
	char created[40];

	if (m->r->has_pid)
		set_value(m, text_of("process.pid"), pid);
	if (m->r->start && !process_creation_time(m->r->pid, m->r->start, created, sizeof(created)))
		set(m, "process.creation.time", keep(m, created, strlen(created)));
	set(m, "process.executable.name", base_name(exe));
	set(m, "process.executable.path", exe);
	set(m, "process.executable.build_id.go", field(m, K_GO_BUILD_ID));
	set(m, "process.executable.build_id.gnu", field(m, K_GNU_BUILD_ID));
	set(m, "process.runtime.name", text_of("go"));
	set(m, "process.runtime.version", field(m, K_GO));
}

static void add_host(struct maker *m)
{
	struct utsname u;
	struct text name = { 0 };

	if (!uname(&u) && !text_clean(&m->r->arena, u.nodename, strlen(u.nodename), &name))
		set(m, "host.name", keep(m, name.p, name.len));
	set(m, "host.arch", field(m, K_ARCH));
	set(m, "os.type", text_of("linux"));
}

static void add_telemetry(struct maker *m)
{
	set(m, "telemetry.sdk.language", text_of("go"));
	set(m, "telemetry.sdk.name", text_of("gotap"));
	set(m, "telemetry.sdk.version", text_of(GOTAP_VERSION));
	set(m, "telemetry.distro.name", text_of("gotap"));
	set(m, "telemetry.distro.version", text_of(GOTAP_VERSION));
}

/* What the process says of itself in OTEL_RESOURCE_ATTRIBUTES; gofind has used the name. */
static void add_own(struct maker *m)
{
	const struct jsonv *o = m->rec ? jsonv_member(m->rec->root, K_RESOURCE) : NULL, *k;

	if (!o || o->type != JSONV_OBJECT)
		return;
	k = jsonv_first(o);
	for (uint32_t i = 0; i < o->count; i++, k = jsonv_after(k + 1)) {
		struct text key = { 0 }, value = { 0 };
		const char *s;
		size_t len;

		if (jsonv_str(m->rec->doc, k, &s, &len) || text_clean(&m->r->arena, s, len, &key) ||
		    jsonv_str(m->rec->doc, k + 1, &s, &len) ||
		    text_clean(&m->r->arena, s, len, &value))
			continue;
		if (!key.len || text_is(key, "service.name") ||
		    (key.len >= 14 && !memcmp(key.p, "telemetry.sdk.", 14)))
			continue;
		key = keep(m, key.p, key.len);
		value = keep(m, value.p, value.len);
		if (key.p && value.p)
			set_value(m, key, (struct attr_value){ .type = ATTR_STRING, .str = value });
	}
}

static void add_extra(struct maker *m, const char *const *extra, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *eq = strchr(extra[i], '=');
		struct text key = { extra[i], (size_t)(eq - extra[i]) };
		struct text value = text_of(eq + 1);

		set_value(m, key, (struct attr_value){ .type = ATTR_STRING, .str = value });
	}
}

static struct text value_of(struct maker *m, const char *key)
{
	const struct attr *at = attr_find(m->attrs, m->n, key);

	return at && at->value.type == ATTR_STRING ? at->value.str : (struct text){ 0 };
}

/*
 * The same for the same process, whoever asks: host, pid and start time name a
 * process for good. Readable, because Prometheus shows it as `instance`.
 */
static void add_instance(struct maker *m)
{
	struct text host = value_of(m, "host.name");
	char buf[160];
	int len;

	if (value_of(m, "service.instance.id").len)
		return;
	len = snprintf(buf, sizeof(buf), "%.*s:%u:%llu", (int)(host.len < 100 ? host.len : 100),
		       host.p ? host.p : "", m->r->pid, (unsigned long long)m->r->start);
	if (!m->r->start)
		len = (int)(strrchr(buf, ':') - buf);
	if (m->r->has_pid)
		set(m, "service.instance.id", keep(m, buf, (size_t)len));
}

/* Prometheus' job, by OpenTelemetry's mapping. */
static struct text make_job(struct maker *m)
{
	struct text space = value_of(m, "service.namespace"), name = value_of(m, "service.name");
	char *s;

	if (!space.len || !name.len)
		return name;
	s = arena_take(&m->r->arena, space.len + name.len + 1);
	if (!s) {
		m->err = -ENOMEM;
		return name;
	}
	memcpy(s, space.p, space.len);
	s[space.len] = '/';
	memcpy(s + space.len + 1, name.p, name.len);
	return (struct text){ s, space.len + 1 + name.len };
}

/* The name that the process has in its own environment is its own. */
static void add_base(struct maker *m, const struct resource_wishes *w)
{
	struct text from = field(m, K_SERVICE_FROM), own = value_of(m, "service.name");

	add_extra(m, w->base, w->n_base);
	if (text_is(from, "env") || text_is(from, "resource-env"))
		set(m, "service.name", own);
}

/* FNV-1a */
static uint64_t hash_on(uint64_t h, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		h = (h ^ (unsigned char)t.p[i]) * 1099511628211u;
	return h;
}

int resource_fill(struct resource *r, const struct record *rec, const struct resource_wishes *w,
		  struct errinfo *e)
{
	struct maker m = { .r = r, .rec = rec };

	m.attrs = arena_array(&r->arena, RESOURCE_MAX_ATTRS, sizeof(*m.attrs));
	if (!m.attrs)
		return errinfo_set(e, -ENOMEM, "out of memory");
	add_service(&m);
	add_process(&m);
	add_host(&m);
	add_base(&m, w);
	add_telemetry(&m);
	add_own(&m);
	add_extra(&m, w->extra, w->n_extra);
	add_instance(&m);
	r->attrs = m.attrs;
	r->n_attrs = m.n;
	r->job = make_job(&m);
	r->service = value_of(&m, "service.name");
	r->instance = value_of(&m, "service.instance.id");
	r->target_hash = hash_on(hash_on(14695981039346656037u, r->job), r->instance);
	return m.err ? errinfo_set(e, m.err, "out of memory") : 0;
}
