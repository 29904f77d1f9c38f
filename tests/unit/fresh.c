// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fresh.c - on memory that was never touched, AUTO costs what memset costs: the same page faults, the same huge pages. A probe that
 * read first would map the zero page, fault twice and could lose a huge page.
 */
#include <sys/resource.h>

#include "unit.h"

#define HUGE_PAGE (2 * MiB)

struct cost {
	long faults;
	long huge; /* KiB of AnonHugePages */
};

typedef int clear_fn(void *addr, size_t len);

static int by_memset(void *addr, size_t len)
{
	memset(addr, 0, len);
	return 0;
}

static int by_auto(void *addr, size_t len)
{
	return clp_clear(addr, len, 0);
}

static long huge_kib(const void *addr)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long from, to;
	bool inside = false;
	long kib = -1, n;
	char line[512];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2 && strchr(line, '-') < strchr(line, ' '))
			inside = (uintptr_t)addr >= from && (uintptr_t)addr < to;
		else if (inside && sscanf(line, "AnonHugePages: %ld", &n) == 1)
			kib = n;
	}
	if (smaps)
		fclose(smaps);
	return kib;
}

/* A fresh mapping each time, at a 2 MiB boundary plus `offset`. */
static struct cost measure(clear_fn *clear, size_t len, int advice, size_t offset)
{
	size_t room = ((offset + len + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1)) + HUGE_PAGE;
	char *map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *at = (char *)(((uintptr_t)map + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1)) + offset;
	struct rusage before, after;
	struct cost cost;
	int err;

	assert_true(map != MAP_FAILED);
	assert_int_equal(madvise(map, room, advice), 0);
	getrusage(RUSAGE_THREAD, &before);
	err = clear(at, len);
	getrusage(RUSAGE_THREAD, &after);
	assert_int_equal(err, 0);
	cost.faults = after.ru_minflt - before.ru_minflt;
	cost.huge = huge_kib(at);
	assert_true(all(at, len, 0));
	munmap(map, room);
	return cost;
}

static void compare(int advice)
{
	static const size_t lengths[] = { 4 * KiB, 16 * KiB, 32 * KiB, 64 * KiB, 100 * KiB, 128 * KiB, 256 * KiB, 512 * KiB, 1 * MiB,
					  2 * MiB, 3 * MiB, 4 * MiB, 8 * MiB };
	static const size_t offsets[] = { 0, 4096, 12288 + 100 };

	/* Faults of the code and the stack itself happen here. */
	for (unsigned i = 0; i < 3; i++) {
		measure(by_memset, 64 * KiB, advice, 0);
		measure(by_auto, 64 * KiB, advice, 0);
	}
	for (size_t i = 0; i < COUNT(lengths); i++) {
		for (size_t o = 0; o < COUNT(offsets); o++) {
			struct cost expected, got;
			bool same = false;

			/* A huge page can be refused for the moment: a difference has to repeat. */
			for (unsigned try = 0; try < 5 && !same; try++) {
				expected = measure(by_memset, lengths[i], advice, offsets[o]);
				got = measure(by_auto, lengths[i], advice, offsets[o]);
				same = got.faults == expected.faults && got.huge == expected.huge;
			}
			if (!same)
				fail_msg("%zu bytes at offset %zu: %ld faults, %ld KiB huge; memset: %ld, %ld", lengths[i], offsets[o],
					 got.faults, got.huge, expected.faults, expected.huge);
		}
	}
}

static void small_pages(void **state)
{
	(void)state;
	compare(MADV_NOHUGEPAGE);
}

static void huge_pages(void **state)
{
	char line[64] = "";
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	struct cost cost;

	(void)state;
	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		fclose(f);
	}
	if (!f || strstr(line, "[never]"))
		SKIP("transparent huge pages are off");
	cost = measure(by_memset, 2 * MiB, MADV_HUGEPAGE, 0);
	if (!cost.huge)
		SKIP("the kernel gives no transparent huge page now");
	compare(MADV_HUGEPAGE);
}

/* Without this the two above would prove nothing. */
static void a_probe_was_made(void **state)
{
	int probed;

	(void)state;
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 64 * KiB, 0, 0, NULL, &probed), 0);
	if (!probed)
		SKIP("no residency probe on this machine");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_pages),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(a_probe_was_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
