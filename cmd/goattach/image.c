// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "records.h"
#include "verify.h"

/* --- opening ---------------------------------------------------------------- */

static int check_binary(struct image *im, const char **reason, struct errinfo *e)
{
	const struct gobin_segment *seg;
	struct gobin *b;
	size_t n;
	int ret = gobin_open_fd(im->fd, &b, e);

	*reason = "unreadable";
	if (ret)
		return ret;
	*reason = "binary-differs";
	if (strcmp(gobin_id(b), im->binary->id)) {
		ret = errinfo_set(e, -ESTALE, "the file is another build: %s", gobin_id(b));
		goto out;
	}
	im->pie = gobin_is_pie(b);
	for (n = gobin_segments(b, &seg); n && !seg->exec; n--)
		seg++;
	if (!n) {
		ret = errinfo_set(e, -EINVAL, "the file has no text");
		goto out;
	}
	im->text = *seg;
out:
	gobin_free(b);
	return ret;
}

static char *exe_path(int pid)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	return strdup(path);
}

static int open_exe(struct image *im, int pid, const char **reason, struct errinfo *e)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	im->fd = open(name, O_RDONLY | O_CLOEXEC);
	if (im->fd < 0) {
		*reason = errno == ENOENT || errno == ESRCH ? NULL : "unreadable";
		return errinfo_set(e, -errno, "%s: %s", name, strerror(errno));
	}
	*reason = "unreadable";
	im->types = typenames_new(im->fd);
	if (!im->types)
		return errinfo_set(e, -ENOMEM, "out of memory");
	if (fstat(im->fd, &st))
		return errinfo_set(e, -errno, "%s: %s", name, strerror(errno));
	*reason = "binary-differs";
	if (st.st_dev != im->dev || st.st_ino != im->inode)
		return errinfo_set(e, -ESTALE, "the process runs another file now");
	im->path = exe_path(pid);
	return im->path ? 0 : errinfo_set(e, -ENOMEM, "out of memory");
}

int image_open(int pid, dev_t dev, ino_t inode, struct binary *b, struct image **out,
	       const char **reason, struct errinfo *e)
{
	struct image *im = calloc(1, sizeof(*im));
	int ret;

	*out = NULL;
	*reason = "attach-refused";
	if (!im)
		return errinfo_set(e, -ENOMEM, "out of memory");
	im->fd = -1;
	im->dev = dev;
	im->inode = inode;
	im->binary = b;
	ret = open_exe(im, pid, reason, e);
	if (!ret)
		ret = check_binary(im, reason, e);
	if (ret)
		image_free(im);
	else
		*out = im;
	return ret;
}

void image_free(struct image *im)
{
	if (!im)
		return;
	typenames_free(im->types);
	if (im->fd >= 0)
		close(im->fd);
	free(im->attached);
	free(im->path);
	free(im);
}

/* --- attaching --------------------------------------------------------------- */

/* Probes that are to be attached together; NULL where one was left out. */
struct batch {
	struct image *im;
	struct slots *slots;
	struct jsonw *w;
	int pid;
	struct probe **probes;
	bool *taken; /* has its place in the maps */
	size_t n;
	uint64_t *offsets, *cookies; /* room for all sites */
};

static void leave_out(struct batch *b, size_t i, const struct site *site, const char *reason,
		      const char *detail)
{
	record_skip(b->w, &(struct skip){ .binary = b->im->binary->id,
					  .path = b->im->path,
					  .pid = b->pid,
					  .probe = b->probes[i],
					  .site = site,
					  .reason = reason,
					  .detail = detail });
	diag(DIAG_WARNING, "pid %d: %s left out: %s", b->pid, b->probes[i]->symbol, detail);
	if (b->taken[i])
		slots_give(b->slots, b->probes[i]);
	b->taken[i] = false;
	b->probes[i] = NULL;
}

static bool self_contained(const struct probe *p)
{
	return probe_has(p, GOTAP_BEGIN) && probe_has(p, GOTAP_END);
}

/* Whether @p, being left out, leaves other probes of its span without begin or end. */
static bool breaks_span(const struct probe *p)
{
	return !self_contained(p) && (probe_has(p, GOTAP_BEGIN) || probe_has(p, GOTAP_END));
}

/* Leaves out probe @i, and those that make no sense without it. */
static void leave_out_span(struct batch *b, size_t i, const struct site *site, const char *reason,
			   const char *detail)
{
	struct probe *p = b->probes[i];
	char why[160];

	leave_out(b, i, site, reason, detail);
	if (!breaks_span(p))
		return;
	snprintf(why, sizeof(why), "%.100s, of the same span, was left out", p->symbol);
	for (size_t j = 0; j < b->n; j++)
		if (b->probes[j] && b->probes[j]->span_class == p->span_class &&
		    breaks_span(b->probes[j]))
			leave_out(b, j, NULL, reason, why);
}

static void check_sites(struct batch *b)
{
	const struct site *site = NULL;
	struct gobin *bin;
	struct errinfo e;
	int ret = gobin_open_fd(b->im->fd, &bin, &e);

	for (size_t i = 0; i < b->n; i++) {
		if (!b->probes[i])
			continue;
		if (ret)
			leave_out(b, i, NULL, "unreadable", e.text);
		else if (verify_probe(bin, b->probes[i], &site, &e))
			leave_out_span(b, i, site, "bytes-differ", e.text);
	}
	if (!ret)
		gobin_free(bin);
}

static void take_slots(struct batch *b)
{
	struct errinfo e;

	for (size_t i = 0; i < b->n; i++) {
		int ret = b->probes[i] ? slots_take(b->slots, b->probes[i], &e) : 0;

		b->taken[i] = b->probes[i] && !ret;
		if (ret)
			leave_out_span(b, i, NULL, ret == -ENOSPC ? "limit" : "attach-refused",
				       e.text);
	}
}

/* Sites of probes [@from, @to) into the arrays; how many. */
static size_t gather(struct batch *b, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		struct probe *p = b->probes[i];

		for (uint32_t j = 0; p && j < p->n_sites; j++, n++) {
			b->offsets[n] = p->sites[j].offset;
			b->cookies[n] = p->first_site + j;
		}
	}
	return n;
}

/* Attaches at the sites of probes [@from, @to), as one link where the kernel can. */
static int attach_some(struct batch *b, size_t from, size_t to, struct fdset *set,
		       struct errinfo *e)
{
	size_t n = gather(b, from, to);

	memset(set, 0, sizeof(*set));
	return n ? links_open(b->slots->kernel, b->im->fd, b->offsets, b->cookies, n, set, e) : 0;
}

/* The kernel refused them together: finds out by trying which it does not want. */
static void find_refused(struct batch *b)
{
	struct errinfo e;
	struct fdset set;

	for (size_t i = 0; i < b->n; i++) {
		if (!b->probes[i])
			continue;
		if (attach_some(b, i, i + 1, &set, &e))
			leave_out_span(b, i, NULL, "attach-refused", e.text);
		else
			fdset_close(&set);
	}
}

static void attach_all(struct batch *b)
{
	struct errinfo e;
	struct fdset set;
	int ret = attach_some(b, 0, b->n, &set, &e);

	if (ret) {
		find_refused(b);
		ret = attach_some(b, 0, b->n, &set, &e);
	}
	if (!ret && fdset_join(&b->im->links, &set)) {
		fdset_close(&set);
		ret = errinfo_set(&e, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; ret && i < b->n; i++)
		if (b->probes[i])
			leave_out(b, i, NULL, "attach-refused", e.text);
}

static int batch_init(struct batch *b)
{
	struct image *im = b->im;
	size_t n = im->binary->n - im->considered, sites = 0;
	struct probe **more = realloc(im->attached, (im->n_attached + n) * sizeof(struct probe *));

	if (!more)
		return -ENOMEM;
	im->attached = more;
	for (size_t i = im->considered; i < im->binary->n; i++)
		sites += im->binary->probes[i]->n_sites;
	b->n = n;
	b->probes = calloc(n, sizeof(struct probe *));
	b->taken = calloc(n, sizeof(*b->taken));
	b->offsets = calloc(sites + 1, sizeof(*b->offsets));
	b->cookies = calloc(sites + 1, sizeof(*b->cookies));
	if (!b->probes || !b->taken || !b->offsets || !b->cookies)
		return -ENOMEM;
	memcpy(b->probes, im->binary->probes + im->considered, n * sizeof(struct probe *));
	im->considered = im->binary->n;
	return 0;
}

/* What is left in the batch is attached now. */
static void batch_keep(struct batch *b)
{
	struct image *im = b->im;

	for (size_t i = 0; i < b->n; i++) {
		if (!b->probes[i])
			continue;
		im->attached[im->n_attached++] = b->probes[i];
		im->n_sites += b->probes[i]->n_sites;
	}
}

void image_attach(struct image *im, struct slots *slots, int pid, struct jsonw *w)
{
	struct batch b = { .im = im, .slots = slots, .w = w, .pid = pid };
	uint64_t us, start = now_ns();

	if (im->considered == im->binary->n)
		return;
	if (batch_init(&b)) {
		diag(DIAG_ERROR, "pid %d: out of memory", pid);
	} else {
		check_sites(&b);
		take_slots(&b);
		attach_all(&b);
		batch_keep(&b);
	}
	us = (now_ns() - start) / 1000;
	im->ms = (double)us / 1000;
	free(b.cookies);
	free(b.offsets);
	free(b.taken);
	free(b.probes);
}

/* --- where it is loaded -------------------------------------------------------- */

int image_bias(const struct image *im, int pid, uint64_t *bias, struct errinfo *e)
{
	uint64_t start, offset, inode, page = (uint64_t)sysconf(_SC_PAGESIZE);
	char name[64], perms[8], line[4352];
	int ret = -ESRCH;
	FILE *f;

	*bias = 0;
	if (!im->pie)
		return 0;
	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	f = fopen(name, "re");
	if (!f)
		return errinfo_set(e, -errno, "%s: %s", name, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%*x %7s %" SCNx64 " %*s %" SCNu64, &start, perms,
			   &offset, &inode) != 4)
			continue;
		if (inode != im->inode || perms[2] != 'x' ||
		    offset != (im->text.offset & ~(page - 1)))
			continue;
		*bias = start - (im->text.addr & ~(page - 1));
		ret = 0;
		break;
	}
	fclose(f);
	return ret ? errinfo_set(e, ret, "%s: the program's text is not there", name) : 0;
}
