#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints C source that holds the page's files named as operands, byte for byte.
set -eu
echo '/* Made by cmd/goexport/web/embed.sh; not to be edited. */'
echo '#include "webassets.h"'
echo 'const struct webasset webassets[] = {'
for f in "$@"; do
	name=/$(basename "$f")
	case $name in
	/index.html) name=/ type='text/html; charset=utf-8' ;;
	*.css) type='text/css; charset=utf-8' ;;
	*.js) type='text/javascript; charset=utf-8' ;;
	*.svg) type=image/svg+xml ;;
	esac
	printf '\t{ "%s", "%s",\n' "$name" "$type"
	sed 's/[\\"]/\\&/g; s/\t/\\t/g; s/??/?\\?/g; s/.*/\t  "&\\n"/' "$f"
	echo '	},'
done
echo '	{ 0, 0, 0 },'
echo '};'
