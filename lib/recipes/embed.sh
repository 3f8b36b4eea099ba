#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints C source that holds the recipe files named as operands, byte for byte.
set -eu
echo '/* Made by lib/recipes/embed.sh; not to be edited. */'
echo '#include "recipe.h"'
echo 'const struct recipe_file recipe_builtin[] = {'
for f in "$@"; do
	printf '\t{ "%s",\n' "$(basename "$f")"
	sed 's/[\\"]/\\&/g; s/\t/\\t/g; s/.*/\t  "&\\n"/' "$f"
	echo '	},'
done
echo '	{ 0, 0 },'
echo '};'
