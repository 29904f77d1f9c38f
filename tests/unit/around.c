// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * around.c - clp_clear_around(): every byte of the region and none beside it, whatever is touched; its order; what it refuses.
 */
#include "unit.h"

#define FILL 0x5a
#define ROOM (24 * PAGE)

static void expect_cleared(unsigned char *room, size_t from, size_t len, size_t touch, unsigned flags, unsigned radius)
{
	memset(room, FILL, ROOM);
	assert_int_equal(clp_clear_around(room + from, len, room + from + touch, flags, radius), 0);
	if (flags & CLP_NODRAIN)
		clp_drain();
	assert_true(all(room, from, FILL));
	assert_true(all(room + from, len, 0));
	assert_true(all(room + from + len, ROOM - from - len, FILL));
}

static void clears_all_and_no_more(void **state)
{
	static const unsigned flags[] = { 0, CLP_HOT, CLP_COLD, CLP_NODRAIN, CLP_NOPROBE, CLP_COLD | CLP_NODRAIN | CLP_NOPROBE };
	static const unsigned radii[] = { 0, 1, 2, 7, 512 };
	const size_t froms[] = { 0, 1, 8, 63, 64, 100, PAGE - 1, PAGE, PAGE + 17 };
	const size_t lens[] = { 1, 2, 63, 200, PAGE - 1, PAGE, PAGE + 1, 5 * PAGE, 5 * PAGE + 33, 11 * PAGE, 20 * PAGE + 1 };
	unsigned char *room = guarded(ROOM);

	(void)state;
	for (size_t f = 0; f < COUNT(froms); f++) {
		for (size_t l = 0; l < COUNT(lens); l++) {
			const size_t touches[] = { 0, lens[l] / 3, lens[l] / 2, lens[l] - 1 };

			for (size_t t = 0; t < COUNT(touches); t++)
				for (size_t r = 0; r < COUNT(radii); r++)
					expect_cleared(room, froms[f], lens[l], touches[t],
						       flags[(f + l + t + r) % COUNT(flags)], radii[r]);
		}
	}
	unguard(room, ROOM);
}

/* At the very end of the room, before an inaccessible page, and at its very start. */
static void at_the_edges(void **state)
{
	unsigned char *room = guarded(ROOM);

	(void)state;
	for (size_t len = 1; len <= ROOM; len = len * 3 + 1) {
		expect_cleared(room, ROOM - len, len, len - 1, 0, 2);
		expect_cleared(room, ROOM - len, len, 0, 0, 512);
		expect_cleared(room, 0, len, 0, 0, 2);
	}
	unguard(room, ROOM);
}

/* What is counted shows which routines cleared how much: the far parts as a cold clear does, the neighbourhood as a hot one. */
static uint64_t bytes_by(unsigned flags, size_t len)
{
	unsigned index;

	assert_int_equal(clp_choice(CLP_OP_CLEAR, len, flags, 1, &index, NULL), 0);
	return counters_of(CLP_OP_CLEAR, index).bytes[1];
}

static void far_is_cold_and_near_is_hot(void **state)
{
	size_t len = 2 * MiB;
	unsigned char *p = guarded(len);
	unsigned cold;

	(void)state;
	assert_int_equal(clp_choice(CLP_OP_CLEAR, len, CLP_COLD, 1, &cold, NULL), 0);
	if (cold == variant_index(CLP_OP_CLEAR, "generic"))
		SKIP("cold clears are served by the portable routine here");
	clp_variant_force(CLP_OP_CLEAR, CLP_HOT, "generic");
	clp_counters_enable(1);
	clp_counters_reset();
	assert_int_equal(clp_clear_around(p, len, p + len / 2, 0, 2), 0);
	assert_int_equal(bytes_by(CLP_HOT, 5 * PAGE), 5 * PAGE);
	clp_counters_reset();
	assert_int_equal(clp_clear_around(p, len, p + len - 1, 0, 2), 0);
	assert_int_equal(bytes_by(CLP_HOT, 3 * PAGE), 3 * PAGE);
	clp_counters_reset();
	assert_int_equal(clp_clear_around(p, len, p + len - 1, 0, 0), 0);
	assert_int_equal(bytes_by(CLP_HOT, 3 * PAGE), 0);
	clp_counters_reset();
	assert_int_equal(clp_clear_around(p, len, p, CLP_HOT, 2), 0);
	assert_int_equal(bytes_by(CLP_HOT, 3 * PAGE), len);
	clp_counters_enable(0);
	clp_variant_force(CLP_OP_CLEAR, CLP_HOT, NULL);
	unguard(p, len);
}

static void refuses(void **state)
{
	unsigned char *p = guarded(ROOM);

	(void)state;
	memset(p, FILL, ROOM);
	errno = 12345;
	assert_int_equal(clp_clear_around(p, PAGE, p + PAGE, 0, 2), -EINVAL);
	assert_int_equal(clp_clear_around(p + PAGE, PAGE, p, 0, 2), -EINVAL);
	assert_int_equal(clp_clear_around(p, PAGE, p, CLP_HOT | CLP_COLD, 2), -EINVAL);
	assert_int_equal(clp_clear_around(p, PAGE, p, 0x10, 2), -EINVAL);
	assert_int_equal(clp_clear_around(p, PAGE, p, 0, 513), -EINVAL);
	assert_int_equal(clp_clear_around(p, SIZE_MAX, p, 0, 2), -EINVAL);
	assert_int_equal(clp_clear_around(p, 0, NULL, 0, 2), 0);
	assert_int_equal(clp_clear_around(p, 0, NULL, CLP_HOT | CLP_COLD, 2), -EINVAL);
	assert_true(all(p, ROOM, FILL));
	assert_int_equal(errno, 12345);
	unguard(p, ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clears_all_and_no_more),
		cmocka_unit_test(at_the_edges),
		cmocka_unit_test(far_is_cold_and_near_is_hot),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests_name("around", tests, NULL, NULL);
}
