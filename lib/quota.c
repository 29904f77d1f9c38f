/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * quota.c - how many processors this thread may keep busy.
 *
 * Control groups: cpu.max of version 2 ("QUOTA PERIOD" or "max PERIOD"), cpu.cfs_quota_us of version 1, of the group and of each one above
 * it (Documentation/admin-guide/cgroup-v2.rst). Reading them takes tens of microseconds, so what was read holds for a second.
 */
#define _GNU_SOURCE
#include "quota.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "lib.h"

#define FRESH_NS 1000000000u

/* Processors that a quota is worth, rounded up: half of one still needs one thread. */
static unsigned worth(long long quota, long long period)
{
	if (quota <= 0 || period <= 0)
		return UINT_MAX;
	return (unsigned)((quota + period - 1) / period);
}

/* "PATH/NAME" with an ending; false where it does not fit. */
static bool join(char *to, size_t size, const char *root, const char *path, const char *name)
{
	size_t a = strlen(root), b = strlen(path), c = strlen(name);

	if (a + b + c + 1 > size)
		return false;
	memcpy(to, root, a);
	memcpy(to + a, path, b);
	memcpy(to + a + b, name, c + 1);
	return true;
}

static unsigned quota_v2(const char *path)
{
	char file[PATH_MAX], text[64], *end;
	long long quota;

	if (!join(file, sizeof(file), "/sys/fs/cgroup", path, "/cpu.max") || !clp_read_file(file, text, sizeof(text)))
		return UINT_MAX;
	quota = strtoll(text, &end, 10);
	return end == text ? UINT_MAX : worth(quota, strtoll(end, NULL, 10));
}

static unsigned quota_v1(const char *path)
{
	char file[PATH_MAX], quota[32], period[32];

	if (!join(file, sizeof(file), "/sys/fs/cgroup/cpu", path, "/cpu.cfs_quota_us") || !clp_read_file(file, quota, sizeof(quota)) ||
	    !join(file, sizeof(file), "/sys/fs/cgroup/cpu", path, "/cpu.cfs_period_us") || !clp_read_file(file, period, sizeof(period)))
		return UINT_MAX;
	return worth(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/* The smallest of the group at `path` and of those above it. */
static unsigned smallest(char *path, unsigned (*quota)(const char *path))
{
	unsigned least = UINT_MAX;

	for (;;) {
		unsigned n = quota(path);
		char *slash = strrchr(path, '/');

		if (n < least)
			least = n;
		if (!slash || !*path)
			return least;
		*slash = '\0';
	}
}

/* Lines of /proc/self/cgroup: "0::PATH" of version 2; "N:cpu,cpuacct:PATH" of version 1. */
static unsigned quota_now(void)
{
	char text[4096], *line, *rest = text;
	unsigned least = UINT_MAX;

	if (!clp_read_file("/proc/self/cgroup", text, sizeof(text)))
		return least;
	while ((line = strsep(&rest, "\n"))) {
		char *kinds = strchr(line, ':'), *path = kinds ? strchr(kinds + 1, ':') : NULL;
		unsigned n = UINT_MAX;

		if (!path)
			continue;
		*path++ = '\0';
		kinds++;
		if (!*kinds)
			n = smallest(path, quota_v2);
		else if (!strncmp(kinds, "cpu,", 4) || strstr(kinds, ",cpu,") || !strcmp(kinds, "cpu"))
			n = smallest(path, quota_v1);
		if (n < least)
			least = n;
	}
	return least;
}

static unsigned quota(void)
{
	static uint64_t read_at; /* nanoseconds; 0: never */
	static uint32_t last;
	uint64_t now = clp_nanoseconds(CLOCK_MONOTONIC_COARSE) + 1;

	if (!load(read_at) || now - load(read_at) > FRESH_NS) {
		store(last, quota_now());
		store(read_at, now);
	}
	return load(last);
}

unsigned clp_cpu_limit(void *mask, unsigned long size)
{
	unsigned limit = quota();
	int cpus;

	/* It fails where the mask is too small for this kernel's processors: one thread is always right. */
	if (sched_getaffinity(0, size, mask))
		return 1;
	cpus = CPU_COUNT_S(size, (cpu_set_t *)mask);
	if (cpus > 0 && (unsigned)cpus < limit)
		limit = (unsigned)cpus;
	return limit && limit != UINT_MAX ? limit : 1;
}
