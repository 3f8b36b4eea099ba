// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as OTLP/JSON that others wrote, as one line and as a file: each span that
 * comes out must be one that can be exported.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmd/goexport/otlpin.h"
#include "diag.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(void *arg, const struct spanrec *sp)
{
	++*(size_t *)arg;
	if (!sp->resource || sp->end < sp->start ||
	    utf8_valid(sp->name.p, sp->name.len) != sp->name.len)
		abort();
	for (size_t i = 0; i < sp->n_attrs; i++)
		if (utf8_valid(sp->attrs[i].key.p, sp->attrs[i].key.len) != sp->attrs[i].key.len)
			abort();
}

static void read_line(const char *text, size_t len)
{
	struct errinfo e = { "" };
	size_t spans = 0;
	struct otlpin *in = otlpin_new(take, &spans);

	if (in && otlpin_request(in, text, len, &e) && !e.text[0])
		abort();
	otlpin_free(in);
}

static void read_file(const char *text, size_t len)
{
	struct errinfo e = { "" };
	size_t spans = 0;
	unsigned long good = 0;
	struct otlpin *in = otlpin_new(take, &spans);
	int fd = memfd_create("otlp", 0);

	if (in && fd >= 0 && write(fd, text, len) == (ssize_t)len && !lseek(fd, 0, SEEK_SET) &&
	    otlpin_is_file(fd))
		otlpin_file(in, fd, &good, &e);
	close(fd);
	otlpin_free(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	diag_init("goexport");
	read_line((const char *)data, size);
	read_file((const char *)data, size);
	return 0;
}
