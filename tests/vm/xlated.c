// SPDX-License-Identifier: Apache-2.0
/*
 * xlated BTF: reads gotap's program back from the kernel, as the verifier left it, and
 * counts for each kernel field that it uses the instructions with this field's place
 * in BTF: "@@ field STRUCT.MEMBER OFFSET COUNT".
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const fields[][2] = {
	{ "task_struct", "group_leader" },   { "task_struct", "mm" },
	{ "task_struct", "start_boottime" }, { "task_struct", "self_exec_id" },
	{ "mm_struct", "start_code" },
};

struct program {
	struct bpf_insn *insns;
	size_t n;
};

/* Bytes from the start of struct @id to @name, also within unnamed members; or -1. */
static long offset_of(const struct btf *btf, int id, const char *name)
{
	const struct btf_type *t = btf__type_by_id(btf, (__u32)id);
	const struct btf_member *m = btf_members(t);

	for (int i = 0; i < btf_vlen(t); i++) {
		const char *called = btf__name_by_offset(btf, m[i].name_off);
		long at = btf_member_bit_offset(t, (__u32)i) / 8, inner;
		const struct btf_type *type = btf__type_by_id(btf, m[i].type);

		if (!strcmp(called, name))
			return at;
		if (*called || !btf_is_composite(type))
			continue;
		inner = offset_of(btf, (int)m[i].type, name);
		if (inner >= 0)
			return at + inner;
	}
	return -1;
}

/* A descriptor of the loaded program of this name, or -1. */
static int find_program(const char *name, struct bpf_prog_info *info)
{
	__u32 id = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		int fd = bpf_prog_get_fd_by_id(id);
		__u32 len = sizeof(*info);

		memset(info, 0, sizeof(*info));
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, info, &len) &&
		    !strncmp(info->name, name, sizeof(info->name) - 1))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static int read_program(struct program *p)
{
	struct bpf_prog_info info;
	__u32 len = sizeof(info), bytes;
	int ret, fd = find_program("gotap_site_hit", &info);

	if (fd < 0)
		return -ENOENT;
	bytes = info.xlated_prog_len;
	p->insns = malloc(bytes);
	p->n = bytes / sizeof(*p->insns);
	memset(&info, 0, sizeof(info));
	info.xlated_prog_insns = (__u64)(uintptr_t)p->insns;
	info.xlated_prog_len = bytes;
	ret = p->insns ? bpf_obj_get_info_by_fd(fd, &info, &len) : -ENOMEM;
	close(fd);
	return ret;
}

/* How often a register is set to, or moved on by, this offset. */
static unsigned int uses_of(const struct program *p, long offset)
{
	unsigned int n = 0;

	for (size_t i = 0; i < p->n; i++) {
		__u8 code = p->insns[i].code;

		if ((code == (BPF_ALU64 | BPF_MOV | BPF_K) ||
		     code == (BPF_ALU64 | BPF_ADD | BPF_K)) &&
		    p->insns[i].imm == offset)
			n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	struct program p = { 0 };
	struct btf *btf;
	int ret;

	if (argc != 2)
		return 2;
	btf = btf__parse(argv[1], NULL);
	ret = btf ? read_program(&p) : -errno;
	if (ret) {
		fprintf(stderr, "xlated: %s\n", strerror(-ret));
		return 1;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		int id = btf__find_by_name_kind(btf, fields[i][0], BTF_KIND_STRUCT);
		long at = id < 0 ? -1 : offset_of(btf, id, fields[i][1]);

		printf("@@ field %s.%s %ld %u\n", fields[i][0], fields[i][1], at, uses_of(&p, at));
	}
	free(p.insns);
	btf__free(btf);
	return 0;
}
