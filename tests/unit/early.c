// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * early.c - clearing before the library's own constructor has run: from a constructor of higher priority (static library) and from
 * .preinit_array, which runs before any shared object's constructors. Linked three ways: shared, with -z now, and -static.
 */
#include <stdio.h>
#include <string.h>

#include "clearpages.h"

static char buffer[3][40000];
static int errors[3];

static int is_clear(const char *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

static int use(unsigned turn)
{
	char *p = buffer[turn];
	int bad = 0;

	for (unsigned flags = 0; flags < 3; flags++) {
		memset(p, 0x42, sizeof(buffer[0]));
		bad |= clp_clear(p, sizeof(buffer[0]), flags) != 0 || !is_clear(p, sizeof(buffer[0]));
		memset(p, 0x42, 100);
		bad |= clp_clear(p + 1, 50, flags) != 0 || !is_clear(p + 1, 50) || p[0] != 0x42 || p[51] != 0x42;
	}
	bad |= clp_clear_explicit(p, 1000) != 0;
	return bad;
}

#ifdef PREINIT
static void preinit(void)
{
	errors[0] = use(0);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit_pointer)(void) = preinit;
#endif

static __attribute__((constructor(101))) void early(void)
{
	errors[1] = use(1);
}

int main(void)
{
	errors[2] = use(2);
	for (unsigned i = 0; i < 3; i++)
		if (errors[i])
			printf("turn %u went wrong\n", i);
	return errors[0] | errors[1] | errors[2];
}
