// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clear.c - clp_clear() and clp_clear_explicit(): every byte of the region and no other, for any alignment and length; bad
 * arguments are refused before anything is written.
 */
#include <signal.h>

#include "unit.h"

#define MARGIN 256u
#define FILL 0xa5

/* Clear buffer[at..at+len) in a buffer of non-zero bytes; the margins must stay. */
static void clear_and_look(unsigned char *buffer, size_t size, size_t at, size_t len, unsigned flags)
{
	memset(buffer, FILL, size);
	assert_int_equal(clp_clear(buffer + at, len, flags), 0);
	if (flags & CLP_NODRAIN)
		clp_drain();
	if (all(buffer, at, FILL) && all(buffer + at, len, 0) && all(buffer + at + len, size - at - len, FILL))
		return;
	fail_msg("length %zu, alignment %zu, flags %#x: wrong bytes", len, at % 64, flags);
}

static void every_length_to_4096(void **state)
{
	size_t size = 4096 + 2 * MARGIN;
	unsigned char *buffer = aligned_alloc(64, size);

	(void)state;
	for (size_t len = 0; len <= 4096; len++)
		for (size_t i = 0; i < COUNT(all_hints); i++)
			clear_and_look(buffer, size, MARGIN / 2 + (i ? len * 7 % 64 : 0), len, all_hints[i]);
	free(buffer);
}

static void every_alignment(void **state)
{
	static const size_t lengths[] = { 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257,
					  511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097, 8191, 8193, 12288 };
	size_t size = 12288 + 2 * MARGIN;
	unsigned char *buffer = aligned_alloc(64, size);

	(void)state;
	for (size_t at = 64; at < 64 + 128; at++)
		for (size_t i = 0; i < COUNT(lengths); i++)
			clear_and_look(buffer, size, at, lengths[i], all_hints[(at + i) % COUNT(all_hints)]);
	free(buffer);
}

static void long_regions(void **state)
{
	static const size_t lengths[] = { 16 * KiB - 1, 16 * KiB, 16 * KiB + 1, 64 * KiB, 100001, 256 * KiB + 8, 1 * MiB - 63,
					  2 * MiB, 2 * MiB + 1, 3 * MiB + 17, 9 * MiB + 4095 };
	size_t size = 9 * MiB + 4096 + 2 * MARGIN;
	unsigned char *buffer = aligned_alloc(64, size);

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		for (size_t h = 0; h < COUNT(all_hints); h++) {
			clear_and_look(buffer, lengths[i] + 2 * MARGIN, MARGIN, lengths[i], all_hints[h]);
			clear_and_look(buffer, lengths[i] + 2 * MARGIN, MARGIN + 1 + 9 * i, lengths[i], all_hints[h] | CLP_NODRAIN);
		}
	}
	free(buffer);
}

/* A routine that stores, loads or prefetches into the neighbouring page dies here. */
static void up_to_unmapped_pages(void **state)
{
	size_t size = 8 * PAGE;
	unsigned char *p = guarded(size);

	(void)state;
	for (size_t len = 0; len <= size; len += len < 600 ? 1 : 509) {
		for (size_t h = 0; h < COUNT(all_hints); h++) {
			memset(p, FILL, size);
			assert_int_equal(clp_clear(p, len, all_hints[h]), 0);
			assert_true(all(p, len, 0) && all(p + len, size - len, FILL));
			memset(p, FILL, size);
			assert_int_equal(clp_clear(p + size - len, len, all_hints[h]), 0);
			assert_true(all(p + size - len, len, 0) && all(p, size - len, FILL));
		}
	}
	unguard(p, size);
}

static void bad_flags_write_nothing(void **state)
{
	unsigned char buffer[8192];

	(void)state;
	memset(buffer, FILL, sizeof(buffer));
	errno = 12345;
	for (unsigned bit = 4; bit < 32; bit++) {
		for (unsigned other = 0; other <= 15; other++) {
			assert_int_equal(clp_clear(buffer, sizeof(buffer), 1u << bit | other), -EINVAL);
			assert_int_equal(clp_clear(buffer, 0, 1u << bit | other), -EINVAL);
		}
	}
	for (unsigned other = 0; other <= 15; other += 4) {
		assert_int_equal(clp_clear(buffer, sizeof(buffer), CLP_HOT | CLP_COLD | other), -EINVAL);
		assert_int_equal(clp_clear(buffer, 1, CLP_HOT | CLP_COLD | other), -EINVAL);
		assert_int_equal(clp_clear(buffer, 0, CLP_HOT | CLP_COLD | other), -EINVAL);
		assert_int_equal(clp_clear(NULL, 0, CLP_HOT | CLP_COLD | other), -EINVAL);
	}
	assert_true(all(buffer, sizeof(buffer), FILL));
	assert_int_equal(errno, 12345);
}

static void good_flags(void **state)
{
	unsigned char buffer[512];

	(void)state;
	for (unsigned flags = 0; flags <= 15; flags++) {
		if ((flags & 3) == 3)
			continue;
		clear_and_look(buffer, sizeof(buffer), 100, 300, flags);
		assert_int_equal(clp_clear(NULL, 0, flags), 0);
		assert_int_equal(clp_clear((void *)UINTPTR_MAX, 0, flags), 0);
	}
}

static void wrap_around(void **state)
{
	unsigned char buffer[64];

	(void)state;
	memset(buffer, FILL, sizeof(buffer));
	errno = 12345;
	for (size_t h = 0; h < COUNT(all_hints); h++) {
		assert_int_equal(clp_clear(buffer, SIZE_MAX, all_hints[h]), -EINVAL);
		assert_int_equal(clp_clear(buffer, SIZE_MAX - 63, all_hints[h]), -EINVAL);
		assert_int_equal(clp_clear((void *)(UINTPTR_MAX - 15), 17, all_hints[h]), -EINVAL);
		assert_int_equal(clp_clear((void *)UINTPTR_MAX, 2, all_hints[h]), -EINVAL);
		assert_int_equal(clp_clear((void *)(UINTPTR_MAX - 4095), 8192, all_hints[h]), -EINVAL);
	}
	assert_int_equal(clp_clear_explicit(buffer, SIZE_MAX), -EINVAL);
	assert_int_equal(clp_clear_explicit((void *)UINTPTR_MAX, 2), -EINVAL);
	assert_true(all(buffer, sizeof(buffer), FILL));
	assert_int_equal(errno, 12345);
}

static void explicit_clears_every_byte(void **state)
{
	size_t size = 4096 + 2 * MARGIN;
	unsigned char *buffer = aligned_alloc(64, size);
	unsigned char *large = guarded(3 * MiB);

	(void)state;
	for (size_t len = 0; len <= 4096; len += len < 300 ? 1 : 37) {
		size_t at = MARGIN / 2 + len * 11 % 64;

		memset(buffer, FILL, size);
		assert_int_equal(clp_clear_explicit(buffer + at, len), 0);
		assert_true(all(buffer, at, FILL) && all(buffer + at, len, 0) && all(buffer + at + len, size - at - len, FILL));
	}
	memset(large, FILL, 3 * MiB);
	assert_int_equal(clp_clear_explicit(large + 1, 3 * MiB - 2), 0);
	assert_true(large[0] == FILL && all(large + 1, 3 * MiB - 2, 0) && large[3 * MiB - 1] == FILL);
	assert_int_equal(clp_clear_explicit(NULL, 0), 0);
	unguard(large, 3 * MiB);
	free(buffer);
}

/* The stores go to the mapping: a second mapping of the same pages sees them, and nothing was given back to the system. */
static void explicit_keeps_the_mapping(void **state)
{
	int fd = memfd_create("explicit", MFD_CLOEXEC);
	unsigned char resident[4];
	unsigned char *a, *b;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(4 * PAGE)), 0);
	a = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	b = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(a != MAP_FAILED && b != MAP_FAILED);
	memset(a, FILL, 4 * PAGE);
	assert_int_equal(clp_clear_explicit(a, 4 * PAGE), 0);
	assert_true(all(b, 4 * PAGE, 0));
	assert_int_equal(mincore(a, 4 * PAGE, resident), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_true(resident[i] & 1);
	munmap(a, 4 * PAGE);
	munmap(b, 4 * PAGE);
	close(fd);
}

static void write_to(void *p)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	clp_clear(p, PAGE, 0);
}

static void unwritable_memory_raises_sigsegv(void **state)
{
	unsigned char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;

	(void)state;
	status = in_child(write_to, p);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	munmap(p, PAGE);
}

static void drain_alone_is_harmless(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		clp_drain();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_length_to_4096),
		cmocka_unit_test(every_alignment),
		cmocka_unit_test(long_regions),
		cmocka_unit_test(up_to_unmapped_pages),
		cmocka_unit_test(bad_flags_write_nothing),
		cmocka_unit_test(good_flags),
		cmocka_unit_test(wrap_around),
		cmocka_unit_test(explicit_clears_every_byte),
		cmocka_unit_test(explicit_keeps_the_mapping),
		cmocka_unit_test(unwritable_memory_raises_sigsegv),
		cmocka_unit_test(drain_alone_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
