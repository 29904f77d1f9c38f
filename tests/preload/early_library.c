/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * early_library.c - a library that clears before the preloaded one is set up: in its constructor, and in an IFUNC resolver, which
 * the loader calls when the preloaded library has not even been relocated.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "early.h"

static char resolver_buffer[200000], constructor_buffer[200000];
static int resolver_bad = -1;
int early_constructor_bad = -1;
char *early_memory;

static int is_filled(const char *p, size_t len, char value)
{
	while (len && *p == value) {
		p++;
		len--;
	}
	return !len;
}

static int use(char *p, size_t len)
{
	int bad = 0;

	memset(p, 0x42, len);
	bad |= !is_filled(p, len, 0x42);
	memset(p + 1, 0, len - 2);
	bad |= !is_filled(p + 1, len - 2, 0) || p[0] != 0x42 || p[len - 1] != 0x42;
	memset(p, 1, 100);
	bad |= !is_filled(p, 100, 1);
	bzero(p, 50);
	bad |= !is_filled(p, 50, 0) || p[50] != 1;
	return bad;
}

static int answer(void)
{
	return resolver_bad;
}

/* Used by its name in the attribute below, which clang 14 does not see. */
static __attribute__((used)) int (*resolve(void))(void)
{
	resolver_bad = use(resolver_buffer, sizeof(resolver_buffer));
	return answer;
}

int early_resolver_bad(void) __attribute__((ifunc("resolve")));

static __attribute__((constructor)) void construct(void)
{
	early_constructor_bad = use(constructor_buffer, sizeof(constructor_buffer));
	/* Once more, for whoever comes first to hold. */
	early_constructor_bad |= early_resolver_bad();
	early_memory = calloc(1000, 1000);
	early_constructor_bad |= !early_memory || !is_filled(early_memory, 1000000, 0);
}
