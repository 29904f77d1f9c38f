/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * early.c - a program with a library that clears early, and that frees what the library has got from calloc then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "early.h"

int main(void)
{
	char *more;

	if (early_constructor_bad || early_resolver_bad())
		printf("constructor %d, resolver %d\n", early_constructor_bad, early_resolver_bad());
	more = realloc(early_memory, 2000000);
	if (!more)
		return 1;
	memset(more, 1, 2000000);
	free(more);
	return early_constructor_bad || early_resolver_bad();
}
