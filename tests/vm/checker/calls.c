// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - which ways to huge pages come to the hook: hugetlbfs fallocate and shared hugetlb do, with a call a page; huge
 * pages of shmem, copy on write after fork, and collapse do not. Each way proves that it got huge pages at all.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checker.h"

#define HUGE (PAGE << 9)
#define COUNT 3

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef MAP_HUGE_2MB
#define MAP_HUGE_2MB (21 << 26)
#endif

/* Kilobytes that smaps gives for the mapping with this address, such as "AnonHugePages". */
static unsigned long smaps(const void *address, const char *field)
{
	unsigned long from, to, value = 0;
	FILE *file = fopen("/proc/self/smaps", "r");
	char line[512];
	bool inside = false;

	if (!file)
		die("/proc/self/smaps");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = (unsigned long)address >= from && (unsigned long)address < to;
		else if (inside && !strncmp(line, field, strlen(field)))
			value = strtoul(line + strlen(field) + 1, NULL, 10);
	}
	fclose(file);
	return value;
}

/* Write at a random place, then look at each byte. */
static bool fresh(unsigned char *folio, size_t touch, uint64_t *seed)
{
	struct area area = { .base = folio, .size = HUGE, .stride = HUGE, .folios = 1 };

	return fault_and_verify(&area, 0, touch, seed) == ALL_RIGHT;
}

static unsigned char *aligned(void *whole)
{
	return (unsigned char *)(((uintptr_t)whole + HUGE - 1) & -HUGE);
}

static void *mapped(size_t size, int flags, int fd)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		die("can't map %zu bytes", size);
	return at;
}

static bool fallocated(void)
{
	int fd = open("/mnt/huge/fallocated", O_RDWR | O_CREAT, 0600);
	uint64_t seed = 5;
	unsigned char *at;
	bool good;

	if (fd < 0 || fallocate(fd, 0, 0, COUNT * HUGE))
		die("fallocate on hugetlbfs");
	at = mapped(COUNT * HUGE, MAP_SHARED, fd);
	good = true;
	for (size_t i = 0; i < COUNT; i++) {
		good = fresh(at + i * HUGE, i * 255, &seed) && good;
		fill(at + i * HUGE, HUGE, DIRT);
	}
	munmap(at, COUNT * HUGE);
	close(fd);
	unlink("/mnt/huge/fallocated");
	return good;
}

static bool shared_hugetlb(void)
{
	unsigned char *at = mapped(COUNT * HUGE, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB | MAP_HUGE_2MB, -1);
	uint64_t seed = 6;
	bool good = true;

	for (size_t i = 0; i < COUNT; i++) {
		good = fresh(at + i * HUGE, 511 - i * 255, &seed) && good;
		fill(at + i * HUGE, HUGE, DIRT);
	}
	munmap(at, COUNT * HUGE);
	return good;
}

static bool shmem(void)
{
	int fd = open("/mnt/tmp/shmem", O_RDWR | O_CREAT, 0600);
	unsigned char *whole, *at;
	uint64_t seed = 7;
	bool good = true;

	if (fd < 0 || ftruncate(fd, (COUNT + 1) * HUGE))
		die("a file on tmpfs");
	/* A huge page of a file is mapped as one where file and address are aligned alike. */
	whole = mapped((COUNT + 2) * HUGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	at = aligned(whole);
	if (mmap(at, COUNT * HUGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != at)
		die("can't map the file on tmpfs");
	for (size_t i = 0; i < COUNT; i++)
		good = fresh(at + i * HUGE, i * 200, &seed) && good;
	if (smaps(at, "ShmemPmdMapped:") != COUNT * HUGE / 1024) {
		printf("# shmem: %lu kB in huge pages\n", smaps(at, "ShmemPmdMapped:"));
		good = false;
	}
	munmap(whole, (COUNT + 2) * HUGE);
	close(fd);
	unlink("/mnt/tmp/shmem");
	return good;
}

/* Parent and child each have their own data after the child has written. */
static bool copied(int flags)
{
	size_t size = (COUNT + 1) * HUGE;
	unsigned char *whole = mapped(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1), *at = aligned(whole);
	uint64_t calls;
	int status;
	pid_t child;
	bool good;

	if (!flags && madvise(whole, size, MADV_HUGEPAGE))
		die("MADV_HUGEPAGE");
	fill(at, COUNT * HUGE, DIRT);
	good = flags || smaps(at, "AnonHugePages:") >= COUNT * HUGE / 1024;
	calls = hook_calls();
	fflush(stdout);
	child = fork();
	if (!child) {
		for (size_t i = 0; i < COUNT; i++)
			at[i * HUGE + 12345] = 1;
		for (size_t i = 0; i < COUNT; i++) {
			size_t wrong = verify_fill(at + i * HUGE, HUGE, DIRT);

			if (wrong != 12345 / 8 * 8)
				_exit(1);
		}
		_exit(0);
	}
	good = child > 0 && waitpid(child, &status, 0) == child && !status && good;
	good = good && verify_fill(at, COUNT * HUGE, DIRT) == ALL_RIGHT && hook_calls() == calls;
	munmap(whole, size);
	return good;
}

static bool copied_thp(void)
{
	return copied(0);
}

static bool copied_hugetlb(void)
{
	return copied(MAP_HUGETLB | MAP_HUGE_2MB);
}

static bool collapsed(void)
{
	size_t size = (COUNT + 1) * HUGE;
	unsigned char *whole = mapped(size, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1), *at = aligned(whole);
	bool good = true;

	madvise(whole, size, MADV_NOHUGEPAGE);
	fill(at, COUNT * HUGE, DIRT);
	madvise(whole, size, MADV_HUGEPAGE);
	if (madvise(at, COUNT * HUGE, MADV_COLLAPSE)) {
		printf("# MADV_COLLAPSE failed\n");
		good = false;
	}
	if (smaps(at, "AnonHugePages:") != COUNT * HUGE / 1024)
		good = false;
	good = good && verify_fill(at, COUNT * HUGE, DIRT) == ALL_RIGHT;
	munmap(whole, size);
	return good;
}

static const struct {
	const char *name;
	bool (*run)(void);
	long calls;	/* -1: the way itself compares, since its setting up makes calls */
} ways[] = {
	{ "hugetlbfs fallocate", fallocated, COUNT },
	{ "shared hugetlb", shared_hugetlb, COUNT },
	{ "shmem huge pages", shmem, 0 },
	{ "copy of a THP after fork", copied_thp, -1 },
	{ "copy of a hugetlb page after fork", copied_hugetlb, -1 },
	{ "MADV_COLLAPSE", collapsed, 0 },
};

int cmd_calls(char **argv)
{
	(void)argv;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		uint64_t before = hook_calls(), made;
		bool right = ways[i].run();

		made = hook_calls() - before;
		if (ways[i].calls < 0)
			say(right, "%s: right bytes, no call of the hook", ways[i].name);
		else if (say(right && made == (uint64_t)ways[i].calls, "%s: right bytes, %ld calls of the hook", ways[i].name, ways[i].calls))
			continue;
		else
			printf("# bytes %s, %llu calls\n", right ? "right" : "wrong or not huge", (unsigned long long)made);
	}
	return 0;
}
