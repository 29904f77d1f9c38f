// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pages.c - clp_clear_pages() and clp_copy_pages(): whole pages and no byte beside them; misaligned, overflowing and overlapping
 * regions are refused before anything is written.
 */
#include "unit.h"

#define FILL 0x5a
#define PAGES 12u

static void clear_pages(void **state)
{
	unsigned char *p = guarded(PAGES * PAGE);

	(void)state;
	for (size_t first = 0; first <= PAGES; first++) {
		for (size_t n = 0; first + n <= PAGES; n++) {
			for (size_t h = 0; h < COUNT(all_hints); h++) {
				memset(p, FILL, PAGES * PAGE);
				assert_int_equal(clp_clear_pages(p + first * PAGE, n, all_hints[h]), 0);
				assert_true(all(p, first * PAGE, FILL));
				assert_true(all(p + first * PAGE, n * PAGE, 0));
				assert_true(all(p + (first + n) * PAGE, (PAGES - first - n) * PAGE, FILL));
			}
		}
	}
	unguard(p, PAGES * PAGE);
}

static void clear_pages_refuses(void **state)
{
	unsigned char *p = guarded(PAGES * PAGE);

	(void)state;
	memset(p, FILL, PAGES * PAGE);
	errno = 12345;
	assert_int_equal(clp_clear_pages(p + 1, 1, 0), -EINVAL);
	assert_int_equal(clp_clear_pages(p + 64, 1, CLP_COLD), -EINVAL);
	assert_int_equal(clp_clear_pages(p + PAGE / 2, 1, CLP_HOT), -EINVAL);
	assert_int_equal(clp_clear_pages(p, 1, CLP_HOT | CLP_COLD), -EINVAL);
	assert_int_equal(clp_clear_pages(p, 0, CLP_HOT | CLP_COLD), -EINVAL);
	assert_int_equal(clp_clear_pages(p, 1, 0x10), -EINVAL);
	assert_int_equal(clp_clear_pages(p, SIZE_MAX, 0), -EOVERFLOW);
	assert_int_equal(clp_clear_pages(p, SIZE_MAX / PAGE + 1, 0), -EOVERFLOW);
	assert_int_equal(clp_clear_pages(p, SIZE_MAX / PAGE, 0), -EINVAL); /* fits, but wraps around */
	assert_int_equal(clp_clear_pages(NULL, 0, 0), 0);
	assert_true(all(p, PAGES * PAGE, FILL));
	assert_int_equal(errno, 12345);
	unguard(p, PAGES * PAGE);
}

static void fill_pattern(unsigned char *p, size_t len)
{
	uint32_t x = 12345;

	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = (unsigned char)(x >> 24 | 1);
	}
}

static void copy_pages(void **state)
{
	unsigned char *src = guarded(PAGES * PAGE);
	unsigned char *dst = guarded(PAGES * PAGE);
	unsigned char *was = malloc(PAGES * PAGE);

	(void)state;
	fill_pattern(src, PAGES * PAGE);
	memcpy(was, src, PAGES * PAGE);
	for (size_t n = 0; n <= PAGES; n++) {
		for (unsigned flags = 0; flags <= 15; flags++) {
			if ((flags & 3) == 3)
				continue;
			memset(dst, FILL, PAGES * PAGE);
			assert_int_equal(clp_copy_pages(dst + (PAGES - n) * PAGE, src, n, flags), 0);
			clp_drain();
			assert_true(all(dst, (PAGES - n) * PAGE, FILL));
			assert_memory_equal(dst + (PAGES - n) * PAGE, was, n * PAGE);
		}
	}
	assert_memory_equal(src, was, PAGES * PAGE);
	free(was);
	unguard(src, PAGES * PAGE);
	unguard(dst, PAGES * PAGE);
}

static void copy_large(void **state)
{
	size_t len = 5 * MiB;
	unsigned char *src = guarded(len);
	unsigned char *dst = guarded(len);

	(void)state;
	fill_pattern(src, len);
	for (size_t h = 0; h < COUNT(all_hints); h++) {
		memset(dst, FILL, len);
		assert_int_equal(clp_copy_pages(dst, src, len / PAGE, all_hints[h]), 0);
		assert_memory_equal(dst, src, len);
	}
	unguard(src, len);
	unguard(dst, len);
}

static void copy_pages_refuses(void **state)
{
	unsigned char *p = guarded(PAGES * PAGE);
	unsigned char *was = malloc(PAGES * PAGE);
	unsigned char *other = guarded(PAGE);

	(void)state;
	fill_pattern(p, PAGES * PAGE);
	memcpy(was, p, PAGES * PAGE);
	errno = 12345;
	/* Overlap, in both directions, whole and by one page. */
	assert_int_equal(clp_copy_pages(p, p, 1, 0), -EINVAL);
	assert_int_equal(clp_copy_pages(p, p + PAGE, 2, 0), -EINVAL);
	assert_int_equal(clp_copy_pages(p + PAGE, p, 2, 0), -EINVAL);
	assert_int_equal(clp_copy_pages(p + 5 * PAGE, p, 6, CLP_COLD), -EINVAL);
	/* Misaligned, either side. */
	assert_int_equal(clp_copy_pages(p + 1, other, 1, 0), -EINVAL);
	assert_int_equal(clp_copy_pages(p, other + 64, 1, 0), -EINVAL);
	/* Flags, sizes. */
	assert_int_equal(clp_copy_pages(p, other, 1, CLP_HOT | CLP_COLD), -EINVAL);
	assert_int_equal(clp_copy_pages(p, other, 0, CLP_HOT | CLP_COLD), -EINVAL);
	assert_int_equal(clp_copy_pages(p, other, 1, 0x80000000u), -EINVAL);
	assert_int_equal(clp_copy_pages(p, other, SIZE_MAX, 0), -EOVERFLOW);
	assert_int_equal(clp_copy_pages(p, other, SIZE_MAX / PAGE + 1, 0), -EOVERFLOW);
	assert_int_equal(clp_copy_pages(p, other, SIZE_MAX / PAGE, 0), -EINVAL);
	assert_memory_equal(p, was, PAGES * PAGE);
	/* Neighbours do not overlap, and nothing overlaps nothing. */
	assert_int_equal(clp_copy_pages(p, p, 0, 0), 0);
	assert_int_equal(clp_copy_pages(NULL, NULL, 0, 0), 0);
	assert_int_equal(errno, 12345);
	assert_int_equal(clp_copy_pages(p, p + 6 * PAGE, 6, 0), 0);
	assert_memory_equal(p, was + 6 * PAGE, 6 * PAGE);
	assert_int_equal(clp_copy_pages(p + 3 * PAGE, p, 3, CLP_HOT), 0);
	assert_memory_equal(p + 3 * PAGE, was + 6 * PAGE, 3 * PAGE);
	free(was);
	unguard(p, PAGES * PAGE);
	unguard(other, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear_pages),
		cmocka_unit_test(clear_pages_refuses),
		cmocka_unit_test(copy_pages),
		cmocka_unit_test(copy_large),
		cmocka_unit_test(copy_pages_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
