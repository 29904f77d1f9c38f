// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mem.c - bench mem's arithmetic and functions: the histogram's percentiles, stores of any value, what is given back to a
 * pool.
 */
#include "unit.h"

#include "../../cli/bench/mem/mem.h"

static void buckets_cover_every_value(void **state)
{
	struct random random = { 1 };

	(void)state;
	assert_int_equal(histogram_bucket(0), 0);
	assert_int_equal(histogram_from(0), 0);
	for (unsigned b = 0; b < histogram_bucket(UINT64_MAX); b++) {
		assert_true(histogram_from(b) < histogram_from(b + 1));
		assert_int_equal(histogram_bucket(histogram_from(b)), b);
		assert_int_equal(histogram_bucket(histogram_from(b + 1) - 1), b);
		/* 1/16 of the octave, that is at most 1/16 of the value. */
		assert_true(histogram_from(b + 1) - histogram_from(b) <= histogram_from(b) / 16 + 1);
	}
	assert_true(histogram_bucket(UINT64_MAX) < BUCKETS);
	assert_true(histogram_from(histogram_bucket(UINT64_MAX) + 1) == UINT64_MAX);
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t value = random_next(&random) >> random_below(&random, 64);
		unsigned b = histogram_bucket(value);

		assert_true(histogram_from(b) <= value);
		assert_true(value < histogram_from(b + 1) || histogram_from(b + 1) == UINT64_MAX);
	}
}

static void assert_close(double value, double wanted, double share)
{
	if (value < wanted * (1 - share) || value > wanted * (1 + share))
		fail_msg("%g is not within %g of %g", value, share, wanted);
}

/* Against the values themselves, sorted. */
static void percentiles_are_right_to_a_bucket(void **state)
{
	static struct histogram h;
	static double values[100000];
	struct random random = { 2 };

	(void)state;
	memset(&h, 0, sizeof(h));
	for (size_t i = 0; i < COUNT(values); i++) {
		/* Like faults: most around 1500, one in fifty a hundred times that. */
		uint64_t value = 1000 + random_below(&random, 1000);

		if (random_below(&random, 50) == 0)
			value *= 100;
		values[i] = (double)value;
		histogram_add(&h, value);
	}
	assert_int_equal(h.n, COUNT(values));
	assert_close(histogram_percentile(&h, 0.5), percentile(values, COUNT(values), 0.5), 0.01);
	assert_close(histogram_percentile(&h, 0.9), percentile(values, COUNT(values), 0.9), 0.02);
	assert_close(histogram_percentile(&h, 0.99), percentile(values, COUNT(values), 0.99), 0.07);
	assert_int_equal(h.most, (int64_t)values[COUNT(values) - 1]);
	assert_true(histogram_percentile(&h, 1) == (double)h.most);
}

static void percentiles_of_little(void **state)
{
	static struct histogram h, other;

	(void)state;
	memset(&h, 0, sizeof(h));
	memset(&other, 0, sizeof(other));
	assert_true(histogram_percentile(&h, 0.5) == 0);
	histogram_add(&h, 1000);
	/* Never above what there was. */
	assert_true(histogram_percentile(&h, 0.99) <= 1000);
	assert_close(histogram_percentile(&h, 0.5), 1000, 0.0625);
	histogram_add(&other, 4000);
	histogram_add(&other, 9);
	histogram_merge(&h, &other);
	assert_int_equal(h.n, 3);
	assert_int_equal(h.most, 4000);
	assert_close(histogram_percentile(&h, 0.99), 4000, 0.0625);
	assert_close(histogram_percentile(&h, 0.5), 1000, 0.0625);
	assert_true(histogram_percentile(&h, 0.1) < 10);
}

/* What memset() stores, at any address and length, and not a byte besides. */
static void value_stores_are_exact(void **state)
{
	enum { ROOM = 400, LONGEST = 300, OFFSETS = 17 };
	unsigned char got[ROOM], wanted[ROOM];

	(void)state;
	if (!x86_set_functions[0].name)
		SKIP("perf's functions are for x86-64");
	for (const struct function *f = x86_set_functions; f->name; f++) {
		for (size_t len = 0; len <= LONGEST; len++) {
			for (size_t at = 0; at < OFFSETS; at++) {
				/* Also a value of more than a byte: the number of a loop. */
				int value = (int)(len * OFFSETS + at) - 1;

				memset(got, 0x5a, ROOM);
				memset(wanted, 0x5a, ROOM);
				memset(wanted + 8 + at, value, len);
				assert_ptr_equal(f->set(got + 8 + at, value, len), got + 8 + at);
				if (memcmp(got, wanted, ROOM) != 0)
					fail_msg("%s(%d) of %zu bytes at %zu", f->name, value, len, at);
			}
		}
		for (int value = -1; value < 512; value++) {
			memset(wanted, value, ROOM);
			f->set(got, value, ROOM);
			if (memcmp(got, wanted, ROOM) != 0)
				fail_msg("%s(%d)", f->name, value);
		}
	}
}

static void copies_are_exact(void **state)
{
	enum { ROOM = 400, LONGEST = 300, OFFSETS = 17 };
	unsigned char got[ROOM], wanted[ROOM], from[ROOM];

	(void)state;
	if (!x86_copy_functions[0].name)
		SKIP("perf's functions are for x86-64");
	for (size_t i = 0; i < ROOM; i++)
		from[i] = (unsigned char)(i * 7 + 1);
	for (const struct function *f = x86_copy_functions; f->name; f++) {
		for (size_t len = 0; len <= LONGEST; len++) {
			for (size_t at = 0; at < OFFSETS * OFFSETS; at++) {
				size_t to = 8 + at % OFFSETS, source = at / OFFSETS;

				memset(got, 0x5a, ROOM);
				memset(wanted, 0x5a, ROOM);
				memcpy(wanted + to, from + source, len);
				assert_ptr_equal(f->copy(got + to, from + source, len), got + to);
				if (memcmp(got, wanted, ROOM) != 0)
					fail_msg("%s of %zu bytes from %zu to %zu", f->name, len, source, to);
			}
		}
	}
}

static void pools_are_given_back(void **state)
{
	(void)state;
	/* Nobody else touched it. */
	assert_int_equal(pool_target(0, 1024, 1024), 0);
	assert_int_equal(pool_target(10, 90, 100), 10);
	/* Fewer could be had. */
	assert_int_equal(pool_target(10, 90, 60), 10);
	/* Someone added to it meanwhile: theirs stay. */
	assert_int_equal(pool_target(10, 90, 150), 60);
	/* Or took some away: not below what there was before; nor is it raised, which the caller sees to. */
	assert_int_equal(pool_target(100, 50, 80), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_cover_every_value), cmocka_unit_test(percentiles_are_right_to_a_bucket),
		cmocka_unit_test(percentiles_of_little),     cmocka_unit_test(value_stores_are_exact),
		cmocka_unit_test(copies_are_exact),	     cmocka_unit_test(pools_are_given_back),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
