/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gain.c - tests what `stats` makes of the counters: means, intervals and sums, against figures worked out by hand (t quantiles
 * from a table).
 */
#include <math.h>

#include "../../cli/run/run.h"
#include "unit.h"

/* cmocka compares floats, not doubles. */
#define assert_near(value, wanted, most) assert_true(fabs((value) - (wanted)) <= (most))

/* A cell with these pairs: libc's times and ours, in ns. */
static struct preload_cell cell_of(const int64_t (*pairs)[2], size_t n, unsigned class)
{
	struct preload_cell cell = { 0 };

	for (size_t i = 0; i < n; i++) {
		int64_t gain = pairs[i][0] - pairs[i][1];

		cell.pairs.n++;
		cell.pairs.libc_ns += (uint64_t)pairs[i][0];
		cell.pairs.sum += (uint64_t)gain;
		cell.pairs.squares += (uint64_t)(gain * gain) >> (class & ~1u);
	}
	return cell;
}

static void pairs_of_a_class(void **state)
{
	static const int64_t pairs[][2] = { { 3000, 1000 }, { 5000, 2000 }, { 4000, 3000 }, { 3000, 1000 } };
	struct gain g;

	(void)state;
	for (unsigned class = 0; class < 8; class++) {
		struct preload_cell cell = cell_of(pairs, COUNT(pairs), class);

		gain_of(&g, &cell, class);
		/* Gains of 2000, 3000, 1000, 2000: mean 2000, variance 2000000 / 3. */
		assert_true(g.known);
		assert_near(g.libc, 3750, 1e-9);
		assert_near(g.each, 2000, 1e-9);
		assert_near(g.se, 408.248, 0.1);
		assert_near(g.df, 3, 1e-9);
		if (isfinite(t_quantile(0.975, 3)))
			assert_near(gain_margin(&g), 3.182446 * 408.248, 1);
		else
			assert_true(isnan(gain_margin(&g)));
	}
}

static void losses(void **state)
{
	static const int64_t pairs[][2] = { { 1000, 3000 }, { 1000, 4000 }, { 1000, 2000 } };
	struct preload_cell cell = cell_of(pairs, COUNT(pairs), 4);
	struct gain g;

	(void)state;
	gain_of(&g, &cell, 4);
	assert_near(g.each, -2000, 1e-9);
	assert_near(g.se, 577.350, 0.1);
}

static void too_few(void **state)
{
	static const int64_t pairs[][2] = { { 3000, 1000 } };
	struct gain_sum sum = { 0 };
	struct gain g;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		struct preload_cell cell = cell_of(pairs, n, 4);

		gain_of(&g, &cell, 4);
		assert_false(g.known);
		assert_true(isnan(gain_margin(&g)) && isnan(g.each));
		gain_add(&sum, &g, 7);
	}
	assert_int_equal(sum.calls, 14);
	assert_int_equal(sum.missed, 14);
	assert_true(isnan(gain_sum_margin(&sum)));
}

static void sums(void **state)
{
	const struct gain a = { .known = true, .each = 100, .se = 10, .df = 9 };
	const struct gain b = { .known = true, .each = -20, .se = 4, .df = 5 };
	struct gain_sum sum = { 0 };

	(void)state;
	gain_add(&sum, &a, 1000);
	gain_add(&sum, &b, 2000);
	assert_near(sum.ns, 60000, 1e-6);
	assert_near(sum.variance, 1e8 + 6.4e7, 1);
	/* (1.64e8)^2 / (1e16 / 9 + 4.096e15 / 5) = 13.93 degrees of freedom. */
	if (isfinite(t_quantile(0.975, 3)))
		assert_near(gain_sum_margin(&sum) / sqrt(1.64e8), 2.1458, 1e-3);
}

/* A quarter of the pairs at the memory's first touch: as many calls have gained nothing. */
static void first_touches(void **state)
{
	static const int64_t pairs[][2] = { { 3000, 1000 }, { 3001, 1000 }, { 2999, 1000 } };
	struct preload_cell cell = cell_of(pairs, COUNT(pairs), 0);
	struct gain_sum sum = { 0 };
	struct gain g;

	(void)state;
	cell.pairs.faulted = 1;
	gain_of(&g, &cell, 0);
	assert_near(g.faulted, 0.25, 1e-9);
	assert_near(g.each, 2000, 1e-9);
	gain_add(&sum, &g, 100);
	assert_near(sum.ns, 75 * 2000, 1e-6);
	assert_near(sum.variance, 75.0 * 75 / 3, 1e-6);
	assert_int_equal(sum.faulted, 25);
}

static void no_spread(void **state)
{
	static const int64_t pairs[][2] = { { 3000, 1000 }, { 3000, 1000 }, { 3000, 1000 } };
	struct preload_cell cell = cell_of(pairs, COUNT(pairs), 0);
	struct gain_sum sum = { 0 };
	struct gain g;

	(void)state;
	gain_of(&g, &cell, 0);
	gain_add(&sum, &g, 3);
	assert_near(g.se, 0, 1e-9);
	assert_near(gain_sum_margin(&sum), 0, 1e-9);
}

static void cells_added(void **state)
{
	static struct preload_file to, from;
	static const int64_t pairs[][2] = { { 3000, 1000 }, { 1000, 3000 } };

	(void)state;
	for (unsigned call = 0; call < PRELOAD_CALLS; call++)
		for (unsigned class = 0; class < PRELOAD_CLASSES; class++) {
			struct preload_cell *cell = &from.cells[call][class];

			*cell = cell_of(pairs, COUNT(pairs), class);
			cell->bytes = 10 * call + class;
			cell->pairs.faulted = 1;
			cell->side[PRELOAD_OURS].calls = 3;
			cell->side[PRELOAD_LIBC].ns = 4;
		}
	from.adopted = 2;
	counted_add(&to, &from);
	counted_add(&to, &from);
	assert_int_equal(to.adopted, 4);
	for (unsigned call = 0; call < PRELOAD_CALLS; call++)
		for (unsigned class = 0; class < PRELOAD_CLASSES; class++) {
			const struct preload_cell *cell = &to.cells[call][class];

			assert_int_equal(cell->bytes, 2 * (10 * call + class));
			assert_int_equal(cell->side[PRELOAD_OURS].calls, 6);
			assert_int_equal(cell->side[PRELOAD_LIBC].ns, 8);
			assert_int_equal(cell->pairs.n, 4);
			assert_int_equal(cell->pairs.faulted, 2);
			assert_int_equal(cell->pairs.libc_ns, 8000);
			assert_int_equal(cell->pairs.sum, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_a_class), cmocka_unit_test(losses),	 cmocka_unit_test(too_few),
		cmocka_unit_test(sums),		    cmocka_unit_test(no_spread), cmocka_unit_test(cells_added),
		cmocka_unit_test(first_touches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
