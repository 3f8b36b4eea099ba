// SPDX-License-Identifier: Apache-2.0
#include "binary.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "debug_section.h"
#include "goversion.h"
#include "upx.h"

static bool is_packed(int fd, const char *path)
{
	int own = fd < 0 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool packed = upx_packed_fd(fd < 0 ? own : fd);

	if (own >= 0)
		close(own);
	return packed;
}

/* That there is no debug file, or a wrong one, is no error: the binary does without. */
static int find_debug_file(struct binary *b, const struct debug_places *where)
{
	int ret;

	if (debug_section_any(b->bin) && gobin_section(b->bin, ".symtab"))
		return 0;
	ret = debug_file_attach(b->bin, where, b->debug_path, sizeof(b->debug_path),
				&b->debug_error);
	if (!ret) /* another one may have been wrong */
		b->debug_error.text[0] = '\0';
	return ret == -ENOMEM ? ret : 0;
}

int binary_open(int fd, const char *path, const struct debug_places *where, struct binary *b,
		struct errinfo *e)
{
	int ret;

	memset(b, 0, sizeof(*b));
	b->path = path;
	ret = fd < 0 ? gobin_open(path, &b->bin, e) : gobin_open_fd(fd, &b->bin, e);
	if ((ret == -ENODATA || ret == -EPROTONOSUPPORT || ret == -EBADMSG) && is_packed(fd, path))
		ret = errinfo_set(e, -ENOTSUP,
				  "packed by UPX: what runs is not what is in the file");
	/* Obfuscators hide the version first: nothing but it tells that names are wrong. */
	if (!ret && !strcmp(gobin_buildinfo(b->bin)->go, "unknown"))
		ret = errinfo_set(e, -ENOKEY,
				  "its names and tables are obfuscated, as garble does it");
	if (!ret && where)
		ret = find_debug_file(b, where);
	if (!ret)
		ret = gofuncs_load(b->bin, &b->funcs, e);
	if (!ret)
		ret = gotypes_open(b->bin, &b->types, e);
	if (!ret) {
		b->inlining = inlining_new(b->bin, b->funcs);
		ret = b->inlining ? 0 : -ENOMEM;
	}
	if (ret && ret != -ENOMEM && b->bin && gobin_changed(b->bin))
		ret = errinfo_set(e, -ESTALE, "the file was changed while it was read");
	if (ret)
		binary_release(b);
	return ret;
}

void binary_release(struct binary *b)
{
	inlining_free(b->inlining);
	gotypes_free(b->types);
	gofuncs_free(b->funcs);
	gobin_free(b->bin);
	memset(b, 0, sizeof(*b));
}

/* For the disassembler: what function begins at an address. */
static const char *name_at(const void *ctx, uint64_t addr)
{
	const struct gofunc *f = gofuncs_at(ctx, addr);

	return f && f->entry == addr ? f->name : NULL;
}

int binary_code(const struct binary *b, const struct gofunc *f, struct code **out,
		struct errinfo *e)
{
	const uint8_t *text;

	if (f->end <= f->entry)
		return errinfo_set(e, -EILSEQ, "the function is empty");
	text = gobin_at(b->bin, f->entry, f->end - f->entry);
	if (!text)
		return errinfo_set(e, -EILSEQ, "the function is not in the file");
	return code_new(gobin_arch(b->bin), text, f->entry, f->end - f->entry, f->deferreturn,
			name_at, b->funcs, out, e);
}

bool binary_go_at_least(const struct binary *b, const char *version)
{
	struct goversion have, want;

	return goversion_parse(gobin_buildinfo(b->bin)->go, &have) ||
	       goversion_parse(version, &want) || goversion_compare(&have, &want) >= 0;
}
