// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counters.c - calls, bytes and cycles: nothing is counted when off, everything exactly when on, also from two threads and by whom.
 */
#include <pthread.h>

#include "unit.h"

#define CALLS 20000u

static unsigned char *buffer;
#define BUFFER (2 * MiB)

static struct clp_counters total(unsigned op)
{
	struct clp_counters sum = { .sz = sizeof(sum) };

	for (unsigned i = 0; i < clp_variant_count(op); i++) {
		struct clp_counters c = counters_of(op, i);

		for (unsigned r = 0; r < 2; r++) {
			sum.calls[r] += c.calls[r];
			sum.bytes[r] += c.bytes[r];
			sum.cycles[r] += c.cycles[r];
		}
	}
	return sum;
}

static void off_counts_nothing(void **state)
{
	struct clp_counters c;

	(void)state;
	clp_counters_enable(0);
	clp_counters_reset();
	for (size_t len = 1; len < BUFFER; len *= 3)
		clp_clear(buffer, len, len % 2 ? CLP_HOT : CLP_COLD);
	clp_copy_pages(buffer, buffer + MiB, 16, 0);
	c = total(CLP_OP_CLEAR);
	assert_true(!c.calls[0] && !c.calls[1] && !c.bytes[0] && !c.bytes[1]);
	c = total(CLP_OP_COPY);
	assert_true(!c.calls[0] && !c.calls[1]);
}

static void state_is_returned(void **state)
{
	(void)state;
	assert_int_equal(clp_counters_enable(1), 0);
	assert_int_equal(clp_counters_enable(7), 1);
	assert_int_equal(clp_counters_enable(0), 1);
	assert_int_equal(clp_counters_enable(0), 0);
}

static void exact_and_in_the_right_class(void **state)
{
	struct clp_counters c;
	uint64_t bytes[2] = { 0, 0 }, calls[2] = { 0, 0 };

	(void)state;
	clp_counters_reset();
	clp_counters_enable(1);
	for (size_t len = 0; len < 3 * PAGE; len += 97) {
		assert_int_equal(clp_clear(buffer, len, len % 2 ? CLP_HOT : CLP_COLD), 0);
		calls[len > PAGE] += len != 0;
		bytes[len > PAGE] += len;
	}
	clp_clear_pages(buffer, 1, 0);
	clp_clear_pages(buffer, 2, 0);
	clp_clear(buffer, PAGE + 1, 0);
	clp_clear_explicit(buffer, 10);
	calls[0] += 2;
	bytes[0] += PAGE + 10;
	calls[1] += 2;
	bytes[1] += 3 * PAGE + 1;
	/* Refused calls do not count. */
	clp_clear(buffer, 64, CLP_HOT | CLP_COLD);
	clp_clear_pages(buffer + 1, 1, 0);
	c = total(CLP_OP_CLEAR);
	for (unsigned r = 0; r < 2; r++) {
		assert_true(c.calls[r] == calls[r]);
		assert_true(c.bytes[r] == bytes[r]);
#if defined(__x86_64__)
		assert_true(c.cycles[r] > 0);
#endif
	}
	c = total(CLP_OP_COPY);
	assert_true(!c.calls[0] && !c.calls[1]);
	clp_copy_pages(buffer, buffer + MiB, 1, 0);
	clp_copy_pages(buffer, buffer + MiB, 7, CLP_COLD);
	c = total(CLP_OP_COPY);
	assert_true(c.calls[0] == 1 && c.calls[1] == 1 && c.bytes[0] == PAGE && c.bytes[1] == 7 * PAGE);
	clp_counters_enable(0);
}

static void by_routine(void **state)
{
	(void)state;
	clp_counters_enable(1);
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		if (variant_info(CLP_OP_CLEAR, i).missing)
			continue;
		clp_counters_reset();
		assert_int_equal(clp_clear_with(i, buffer, 1000, 0), 0);
		assert_int_equal(clp_clear_with(i, buffer, 3 * PAGE, 0), 0);
		for (unsigned j = 0; j < clp_variant_count(CLP_OP_CLEAR); j++) {
			struct clp_counters c = counters_of(CLP_OP_CLEAR, j);

			assert_true(c.calls[0] == (i == j) && c.calls[1] == (i == j));
			assert_true(c.bytes[0] == (i == j ? 1000 : 0) && c.bytes[1] == (i == j ? 3 * PAGE : 0));
		}
	}
	clp_counters_enable(0);
}

static void values_outlive_switching_off(void **state)
{
	struct clp_counters c;

	(void)state;
	clp_counters_reset();
	clp_counters_enable(1);
	clp_clear(buffer, 100, 0);
	clp_counters_enable(0);
	clp_clear(buffer, 100, 0);
	c = total(CLP_OP_CLEAR);
	assert_true(c.calls[0] == 1 && c.bytes[0] == 100);
	clp_counters_reset();
	c = total(CLP_OP_CLEAR);
	assert_true(!c.calls[0] && !c.bytes[0] && !c.cycles[0]);
}

static void *clear_often(void *at)
{
	for (unsigned i = 0; i < CALLS; i++)
		clp_clear(at, i % 2 ? 64 : 3 * PAGE, i % 4 < 2 ? CLP_HOT : CLP_COLD);
	return NULL;
}

static void two_threads(void **state)
{
	struct clp_counters c, last = { 0 };
	pthread_t threads[2];

	(void)state;
	clp_counters_reset();
	clp_counters_enable(1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, clear_often, buffer + i * MiB), 0);
	/* Reading meanwhile: never backwards. */
	for (unsigned i = 0; i < 200; i++) {
		c = total(CLP_OP_CLEAR);
		assert_true(c.calls[0] >= last.calls[0] && c.bytes[1] >= last.bytes[1]);
		last = c;
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	clp_counters_enable(0);
	c = total(CLP_OP_CLEAR);
	assert_true(c.calls[0] == CALLS && c.calls[1] == CALLS);
	assert_true(c.bytes[0] == CALLS * (uint64_t)64 && c.bytes[1] == CALLS * (uint64_t)(3 * PAGE));
}

static void reading_refuses(void **state)
{
	struct clp_counters c = { .sz = sizeof(c) };

	(void)state;
	assert_int_equal(clp_counters_read(CLP_OP_CLEAR, 0, NULL), -EINVAL);
	assert_int_equal(clp_counters_read(CLP_OP_CLEAR, clp_variant_count(CLP_OP_CLEAR), &c), -ENOENT);
	assert_int_equal(clp_counters_read(2, 0, &c), -ENOENT);
	c.sz = sizeof(c) - 8;
	assert_int_equal(clp_counters_read(CLP_OP_CLEAR, 0, &c), -EINVAL);
}

static int setup(void **state)
{
	(void)state;
	buffer = guarded(BUFFER);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_counts_nothing),
		cmocka_unit_test(state_is_returned),
		cmocka_unit_test(exact_and_in_the_right_class),
		cmocka_unit_test(by_routine),
		cmocka_unit_test(values_outlive_switching_off),
		cmocka_unit_test(two_threads),
		cmocka_unit_test(reading_refuses),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
