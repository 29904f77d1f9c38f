/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup.c - finds the functions behind ours and reads the environment, in a constructor. A process with raised privileges has no say in it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

struct preload_next preload_next;

/* Digits alone: `clearpages run --min` has made them. */
static size_t read_large(const char *text)
{
	const char *at = text;
	size_t value = 0;

	if (!text)
		return PRELOAD_LARGE;
	while (*at >= '0' && *at <= '9' && value <= SIZE_MAX / 16)
		value = value * 10 + (size_t)(*at++ - '0');
	if (!*at && value >= PRELOAD_LARGE_LEAST)
		return value;
	clp_warn("CLEARPAGES_PRELOAD_MIN", text, strlen(text), "not a number of bytes, 4096 at least; using 65536");
	return PRELOAD_LARGE;
}

static __attribute__((constructor)) void setup(void)
{
	size_t large = read_large(secure_getenv("CLEARPAGES_PRELOAD_MIN"));
	const char *folder = secure_getenv("CLEARPAGES_STATS"), *wrong = NULL;

	if (folder)
		wrong = preload_counts_open(folder, large);
	if (wrong)
		clp_warn("CLEARPAGES_STATS", folder, strlen(folder), wrong);

	/* Where libc comes before us nothing is found, and none of our functions is called either. */
	*(void **)&preload_next.memset = dlsym(RTLD_NEXT, "memset");
	*(void **)&preload_next.memmove = dlsym(RTLD_NEXT, "memmove");
	*(void **)&preload_next.calloc = dlsym(RTLD_NEXT, "calloc");
	preload_next.counting = folder && !wrong;
	if (preload_next.calloc)
		__atomic_store_n(&preload_next.calloc_large, preload_next.counting ? large : SIZE_MAX, __ATOMIC_RELEASE);
	if (preload_next.memset && preload_next.memmove)
		__atomic_store_n(&preload_next.large, large, __ATOMIC_RELEASE);
}

static __attribute__((destructor)) void at_exit(void)
{
	preload_counts_close();
}
