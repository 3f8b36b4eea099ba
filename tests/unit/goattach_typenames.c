// SPDX-License-Identifier: Apache-2.0
/* Names of types in an image made for the test; those of real programs are tested end to end. */
#include "../../cmd/goattach/typenames.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "minigo.h"
#include "tap.h"

/* A descriptor to a temporary file with @m in it. */
static int file_of(const struct minigo *m)
{
	char path[] = "/tmp/gotap-typenames.XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	return write(fd, m->p, m->n) == (ssize_t)m->n ? fd : -1;
}

static void test_names(void)
{
	static struct minigo m;
	struct typenames *t;
	uint64_t types, type_t, type_ptr;
	int fd;

	minigo_build(&m, 0);
	types = MINIGO_BASE + m.types;
	type_t = MINIGO_BASE + m.type_t;
	type_ptr = MINIGO_BASE + m.type_ptr;
	fd = file_of(&m);
	t = typenames_new(fd);
	is(typenames_find(t, types, type_t), "main.T", "a struct, whose name is kept with a star");
	is(typenames_find(t, types, type_ptr), "*main.T", "a pointer, whose name is not");
	is(typenames_find(t, types, type_t), "main.T", "asked again");
	ok(!typenames_find(t, types, MINIGO_BASE + m.n), "past the end of the file");
	ok(!typenames_find(t, types, 8), "outside of the program");
	ok(!typenames_find(t, UINT64_MAX - 4, type_t + 1), "no type there");
	typenames_free(t);
	t = typenames_new(fd);
	ok(!typenames_find(t, UINT64_MAX - 4, type_t), "a section that is not there");
	typenames_free(t);
	close(fd);
}

int main(void)
{
	int null = open("/dev/null", O_RDONLY);
	struct typenames *t = typenames_new(null);

	test_names();
	ok(t && !typenames_find(t, 0x1000, 0x2000), "a file that is no program has no types");
	ok(t && !typenames_find(t, 0x1000, 0), "nor is there one at 0");
	typenames_free(t);
	typenames_free(NULL);
	close(null);
	return done();
}
