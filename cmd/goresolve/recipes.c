// SPDX-License-Identifier: Apache-2.0
#include "recipes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(struct recipe_set *set, struct recipe *r)
{
	struct recipe **recipe;
	bool *off;

	for (size_t i = 0; i < set->n; i++) {
		if (strcmp(set->recipe[i]->name, r->name))
			continue;
		recipe_free(set->recipe[i]);
		set->recipe[i] = r;
		set->off[i] = false;
		return 0;
	}
	recipe = realloc(set->recipe, (set->n + 1) * sizeof(struct recipe *));
	if (recipe)
		set->recipe = recipe;
	off = realloc(set->off, (set->n + 1) * sizeof(*off));
	if (off)
		set->off = off;
	if (!recipe || !off) {
		recipe_free(r);
		return -ENOMEM;
	}
	set->recipe[set->n] = r;
	set->off[set->n++] = false;
	return 0;
}

int recipe_set_init(struct recipe_set *set, struct errinfo *e)
{
	int ret = 0;

	memset(set, 0, sizeof(*set));
	for (const struct recipe_file *f = recipe_builtin; !ret && f->name; f++) {
		struct recipe *r;

		ret = recipe_parse(f->name, f->text, strlen(f->text), &r, e);
		if (!ret)
			ret = add(set, r);
	}
	if (ret)
		recipe_set_release(set);
	return ret;
}

void recipe_set_release(struct recipe_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		recipe_free(set->recipe[i]);
	free(set->recipe);
	free(set->off);
	memset(set, 0, sizeof(*set));
}

/* The whole file, at most one byte more than a recipe may have. */
static int read_file(const char *path, char **text, size_t *len, struct errinfo *e)
{
	FILE *f = fopen(path, "re");
	int ret = 0;

	if (!f)
		return errinfo_set(e, -errno, "%s: %s", path, strerror(errno));
	*text = malloc(RECIPE_MAX_SIZE + 1);
	if (*text)
		*len = fread(*text, 1, RECIPE_MAX_SIZE + 1, f);
	if (!*text)
		ret = -ENOMEM;
	else if (ferror(f))
		ret = errinfo_set(e, -EIO, "%s: %s", path, strerror(errno));
	fclose(f);
	return ret;
}

int recipe_set_add_file(struct recipe_set *set, const char *path, struct errinfo *e)
{
	struct recipe *r;
	char *text = NULL;
	size_t len = 0;
	int ret = read_file(path, &text, &len, e);

	if (!ret)
		ret = recipe_parse(path, text, len, &r, e);
	if (!ret)
		ret = add(set, r);
	free(text);
	return ret;
}

int recipe_set_disable(struct recipe_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++) {
		if (strcmp(set->recipe[i]->name, name))
			continue;
		set->off[i] = true;
		return 0;
	}
	return -ENOENT;
}

static bool is_builtin(const struct recipe *r)
{
	for (const struct recipe_file *f = recipe_builtin; f->name; f++)
		if (!strcmp(f->name, r->file))
			return true;
	return false;
}

void recipe_set_disable_builtin(struct recipe_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (is_builtin(set->recipe[i]) && !set->recipe[i]->on_demand)
			set->off[i] = true;
}

const struct recipe *recipe_set_find(const struct recipe_set *set, const char *name)
{
	for (size_t i = 0; i < set->n; i++)
		if (!strcmp(set->recipe[i]->name, name))
			return set->recipe[i];
	return NULL;
}

int recipe_set_check(const struct recipe_set *set, struct errinfo *e)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct recipe *r = set->recipe[i];

		for (size_t j = 0; j < r->n_uses; j++)
			if (!recipe_set_find(set, r->uses[j]))
				return errinfo_set(e, -ENOENT, "%s: uses '%s', which is no recipe",
						   r->file, r->uses[j]);
	}
	return 0;
}
