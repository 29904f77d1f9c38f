// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * variants.c - the table of routines: listing, finding, calling one by its index, forcing one; and clp_choice(), which must foretell
 * what the counters then say has run.
 */
#include "unit.h"

#define FILL 0x3c

static const unsigned operations[] = { CLP_OP_CLEAR, CLP_OP_COPY };
static const unsigned hints[] = { 0, CLP_HOT, CLP_COLD };
static const size_t lengths[] = { 1, 63, 64, 511, 1024, 1025, 4096, 4097, 16384, 65536, 100000, 1048576, 4194304 };

static unsigned char *buffer, *source;
#define BUFFER (5 * MiB)

static void listing(void **state)
{
	(void)state;
	for (size_t o = 0; o < COUNT(operations); o++) {
		unsigned op = operations[o];
		unsigned n = clp_variant_count(op);

		assert_true(n > 0);
		for (unsigned i = 0; i < n; i++) {
			struct clp_variant_info info = variant_info(op, i);

			assert_true(info.name && info.name[0] && info.description && info.description[0]);
			assert_true(!info.missing || info.missing[0]);
			assert_int_equal(info.op, op);
			assert_true(info.granule && !(info.granule & (info.granule - 1)));
			assert_true(info.alignment && !(info.alignment & (info.alignment - 1)));
			assert_int_equal(info.traits & ~7u, 0);
			assert_int_equal(info.sz, sizeof(info));
			/* The name finds the row, so names are unique. */
			assert_int_equal(clp_variant_find(op, info.name), i);
		}
		assert_null(variant_info(op, variant_index(op, "generic")).missing);
	}
	assert_int_equal(clp_variant_count(2), 0);
	assert_int_equal(clp_variant_count(~0u), 0);
}

static void listing_refuses(void **state)
{
	struct clp_variant_info info = { .sz = sizeof(info) };

	(void)state;
	assert_int_equal(clp_variant_get(CLP_OP_CLEAR, 0, NULL), -EINVAL);
	assert_int_equal(clp_variant_get(CLP_OP_CLEAR, clp_variant_count(CLP_OP_CLEAR), &info), -ENOENT);
	assert_int_equal(clp_variant_get(CLP_OP_COPY, ~0u, &info), -ENOENT);
	assert_int_equal(clp_variant_get(2, 0, &info), -ENOENT);
	info.sz = 0;
	assert_int_equal(clp_variant_get(CLP_OP_CLEAR, 0, &info), -EINVAL);
	info.sz = sizeof(info) - 1;
	assert_int_equal(clp_variant_get(CLP_OP_CLEAR, 0, &info), -EINVAL);
	assert_int_equal(clp_variant_find(CLP_OP_CLEAR, NULL), -EINVAL);
	assert_int_equal(clp_variant_find(CLP_OP_CLEAR, ""), -ENOENT);
	assert_int_equal(clp_variant_find(CLP_OP_CLEAR, "nosuch"), -ENOENT);
	assert_int_equal(clp_variant_find(CLP_OP_CLEAR, "generi"), -ENOENT);
	assert_int_equal(clp_variant_find(CLP_OP_CLEAR, "generic "), -ENOENT);
	assert_int_equal(clp_variant_find(2, "generic"), -ENOENT);
}

static void a_larger_struct_is_accepted(void **state)
{
	struct {
		struct clp_variant_info info;
		unsigned char later[32];
	} newer = { .info = { .sz = sizeof(newer) } };

	(void)state;
	memset(newer.later, FILL, sizeof(newer.later));
	assert_int_equal(clp_variant_get(CLP_OP_CLEAR, 0, &newer.info), 0);
	assert_int_equal(newer.info.sz, sizeof(newer));
	assert_true(all(newer.later, sizeof(newer.later), FILL));
}

static void clear_with_each(void **state)
{
	(void)state;
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		struct clp_variant_info info = variant_info(CLP_OP_CLEAR, i);

		for (size_t l = 0; l < COUNT(lengths); l++) {
			size_t len = lengths[l];
			size_t at = 64 + l * 5 % 64;
			int expected = info.missing ? -ENOTSUP : 0;

			memset(buffer, FILL, at + len + 64);
			assert_int_equal(clp_clear_with(i, buffer + at, len, l & 1 ? CLP_NODRAIN : 0), expected);
			clp_drain();
			if (!all(buffer, at, FILL) || !all(buffer + at, len, expected ? FILL : 0) || !all(buffer + at + len, 64, FILL))
				fail_msg("%s: wrong bytes at length %zu, alignment %zu", info.name, len, at % 64);
		}
		assert_int_equal(clp_clear_with(i, NULL, 0, 0), info.missing ? -ENOTSUP : 0);
		assert_int_equal(clp_clear_with(i, buffer, 64, CLP_HOT), -EINVAL);
		assert_int_equal(clp_clear_with(i, buffer, 64, CLP_COLD | CLP_NODRAIN), -EINVAL);
		assert_int_equal(clp_clear_with(i, buffer, SIZE_MAX, 0), -EINVAL);
		assert_int_equal(clp_clear_with(i, buffer, 64, 0x10), -EINVAL);
	}
	assert_int_equal(clp_clear_with(clp_variant_count(CLP_OP_CLEAR), buffer, 64, 0), -ENOENT);
	assert_int_equal(clp_clear_with(~0u, buffer, 64, 0), -ENOENT);
}

static void copy_with_each(void **state)
{
	(void)state;
	for (size_t i = 0; i < BUFFER; i++)
		source[i] = (unsigned char)(i * 31 >> 3 | 1);
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_COPY); i++) {
		struct clp_variant_info info = variant_info(CLP_OP_COPY, i);

		for (size_t l = 0; l < COUNT(lengths); l++) {
			size_t len = lengths[l];
			size_t at = 64 + l * 5 % 64, from = l * 3 % 64;
			int expected = info.missing ? -ENOTSUP : 0;

			memset(buffer, 0, at + len + 64);
			assert_int_equal(clp_copy_with(i, buffer + at, source + from, len, CLP_NOPROBE), expected);
			if (!all(buffer, at, 0) || !all(buffer + at + len, 64, 0) ||
			    (expected ? !all(buffer + at, len, 0) : memcmp(buffer + at, source + from, len) != 0))
				fail_msg("%s: wrong bytes at length %zu, alignments %zu, %zu", info.name, len, at % 64, from);
		}
		assert_int_equal(clp_copy_with(i, buffer, source, 64, CLP_COLD), -EINVAL);
		assert_int_equal(clp_copy_with(i, buffer, buffer + 10, 64, 0), -EINVAL);
		assert_int_equal(clp_copy_with(i, buffer + 63, buffer, 64, 0), -EINVAL);
		assert_int_equal(clp_copy_with(i, buffer, source, SIZE_MAX, 0), -EINVAL);
	}
	assert_int_equal(clp_copy_with(clp_variant_count(CLP_OP_COPY), buffer, source, 64, 0), -ENOENT);
}

/* Which routine of an operation has counted since the last reset; -1 for none, -2 for several. */
static int who_ran(unsigned op, size_t len)
{
	int who = -1;

	for (unsigned i = 0; i < clp_variant_count(op); i++) {
		struct clp_counters c = counters_of(op, i);

		if (!c.calls[0] && !c.calls[1])
			continue;
		who = who == -1 && c.calls[len > PAGE] == 1 && c.bytes[len > PAGE] == len ? (int)i : -2;
	}
	clp_counters_reset();
	return who;
}

static void run(unsigned op, size_t len, unsigned flags)
{
	if (op == CLP_OP_CLEAR)
		assert_int_equal(clp_clear(buffer, len, flags), 0);
	else
		assert_int_equal(clp_copy_pages(buffer, source, len / PAGE, flags), 0);
}

static void forced_is_what_runs(void **state)
{
	(void)state;
	clp_counters_enable(1);
	clp_counters_reset();
	for (size_t o = 0; o < COUNT(operations); o++) {
		unsigned op = operations[o];

		for (unsigned i = 0; i < clp_variant_count(op); i++) {
			struct clp_variant_info info = variant_info(op, i);

			if (info.missing)
				continue;
			for (size_t h = 0; h < COUNT(hints); h++) {
				assert_int_equal(clp_variant_force(op, hints[h], info.name), 0);
				for (size_t l = 0; l < COUNT(lengths); l++) {
					size_t len = op == CLP_OP_COPY ? (lengths[l] / PAGE + 1) * PAGE : lengths[l];
					unsigned index = ~0u;
					int probed = 1;

					run(op, len, hints[h]);
					assert_int_equal(who_ran(op, len), i);
					assert_int_equal(clp_choice(op, len, hints[h], 1, &index, &probed), 0);
					assert_int_equal(index, i);
					assert_int_equal(probed, 0);
				}
				assert_int_equal(clp_variant_force(op, hints[h], NULL), 0);
			}
			assert_int_equal(clp_variant_force(op, CLP_HOT | CLP_COLD, info.name), 0);
			for (size_t h = 0; h < COUNT(hints); h++) {
				run(op, 4 * PAGE, hints[h]);
				assert_int_equal(who_ran(op, 4 * PAGE), i);
			}
			assert_int_equal(clp_variant_force(op, CLP_HOT | CLP_COLD, NULL), 0);
		}
	}
	clp_counters_enable(0);
}

static void force_counts_off(void **state)
{
	/* With counters off the short way is open again: the bytes must be right all the same. */
	(void)state;
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		struct clp_variant_info info = variant_info(CLP_OP_CLEAR, i);

		if (info.missing)
			continue;
		assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_HOT | CLP_COLD, info.name), 0);
		for (size_t len = 0; len < 700; len++) {
			memset(buffer, FILL, 1024);
			assert_int_equal(clp_clear(buffer + 64 + len % 64, len, hints[len % 3]), 0);
			assert_true(all(buffer, 64 + len % 64, FILL) && all(buffer + 64 + len % 64, len, 0) &&
				    all(buffer + 64 + len % 64 + len, 1024 - 64 - len % 64 - len, FILL));
		}
	}
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_HOT | CLP_COLD, NULL), 0);
}

static void force_refuses(void **state)
{
	unsigned before, after;

	(void)state;
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 4096, 0, 0, &before, NULL), 0);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, 0, "nosuch"), -ENOENT);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, 0, ""), -ENOENT);
	assert_int_equal(clp_variant_force(CLP_OP_COPY, 0, "stosb"), -ENOENT);
	assert_int_equal(clp_variant_force(2, 0, "generic"), -EINVAL);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_NODRAIN, "generic"), -EINVAL);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, 0x100, NULL), -EINVAL);
	for (size_t o = 0; o < COUNT(operations); o++) {
		for (unsigned i = 0; i < clp_variant_count(operations[o]); i++) {
			struct clp_variant_info info = variant_info(operations[o], i);

			if (info.missing)
				assert_int_equal(clp_variant_force(operations[o], 0, info.name), -ENOTSUP);
		}
	}
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 4096, 0, 0, &after, NULL), 0);
	assert_int_equal(before, after);
}

static void forcing_one_hint_leaves_the_others(void **state)
{
	unsigned generic = variant_index(CLP_OP_CLEAR, "generic");

	(void)state;
	for (size_t h = 0; h < COUNT(hints); h++) {
		unsigned before[3], after[3];

		for (size_t i = 0; i < COUNT(hints); i++)
			clp_choice(CLP_OP_CLEAR, 8 * MiB, hints[i], 0, &before[i], NULL);
		assert_int_equal(clp_variant_force(CLP_OP_CLEAR, hints[h], "generic"), 0);
		for (size_t i = 0; i < COUNT(hints); i++) {
			clp_choice(CLP_OP_CLEAR, 8 * MiB, hints[i], 0, &after[i], NULL);
			assert_int_equal(after[i], i == h ? generic : before[i]);
		}
		assert_int_equal(clp_variant_force(CLP_OP_CLEAR, hints[h], NULL), 0);
		for (size_t i = 0; i < COUNT(hints); i++) {
			clp_choice(CLP_OP_CLEAR, 8 * MiB, hints[i], 0, &after[i], NULL);
			assert_int_equal(after[i], before[i]);
		}
	}
}

static void choice_foretells(void **state)
{
	(void)state;
	clp_counters_enable(1);
	clp_counters_reset();
	for (size_t o = 0; o < COUNT(operations); o++) {
		for (size_t h = 0; h < COUNT(hints); h++) {
			for (size_t l = 0; l < COUNT(lengths); l++) {
				size_t len = o ? (lengths[l] / PAGE + 1) * PAGE : lengths[l];
				unsigned cached, uncached;
				int probed, who;

				assert_int_equal(clp_choice(operations[o], len, hints[h], 1, &cached, &probed), 0);
				assert_int_equal(clp_choice(operations[o], len, hints[h], 0, &uncached, NULL), 0);
				assert_null(variant_info(operations[o], cached).missing);
				assert_null(variant_info(operations[o], uncached).missing);
				if (!probed)
					assert_int_equal(cached, uncached);
				if (hints[h] == CLP_COLD || operations[o] == CLP_OP_COPY)
					assert_int_equal(probed, 0);
				run(operations[o], len, hints[h]);
				who = who_ran(operations[o], len);
				assert_true(who == (int)cached || who == (int)uncached);
			}
		}
	}
	clp_counters_enable(0);
}

static void choice_limits(void **state)
{
	unsigned index = 77;
	int probed = 77;

	(void)state;
	assert_int_equal(clp_choice(2, 4096, 0, 0, &index, &probed), -EINVAL);
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 4096, CLP_HOT | CLP_COLD, 0, &index, &probed), -EINVAL);
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 4096, 0x10, 0, &index, &probed), -EINVAL);
	assert_true(index == 77 && probed == 77);
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 4096, 0, 0, NULL, NULL), 0);
	for (size_t len = 1; len; len = len << 1 | 1) {
		assert_int_equal(clp_choice(CLP_OP_CLEAR, len, CLP_NOPROBE, 0, &index, &probed), 0);
		assert_true(index < clp_variant_count(CLP_OP_CLEAR));
		assert_int_equal(probed, 0);
		if (len == SIZE_MAX)
			break;
	}
}

/* A length of 0 does nothing, so it does not probe either. */
static void choice_of_nothing(void **state)
{
	int probed = 77;

	(void)state;
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 0, 0, 0, NULL, &probed), 0);
	assert_int_equal(probed, 0);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, 0, "generic"), 0);
	assert_int_equal(clp_choice(CLP_OP_CLEAR, 0, 0, 0, NULL, &probed), 0);
	assert_int_equal(probed, 0);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, 0, NULL), 0);
}

static void words(void **state)
{
	char version[32];

	(void)state;
	snprintf(version, sizeof(version), "%d.%d.%d", CLP_VERSION_MAJOR, CLP_VERSION_MINOR, CLP_VERSION_PATCH);
	assert_string_equal(clp_version(), version);
	for (int e = -4096; e <= 4096; e++) {
		const char *text = clp_strerror(e);

		assert_true(text && text[0] && text[strlen(text) - 1] != '.');
		assert_ptr_equal(text, clp_strerror(-e));
	}
	assert_non_null(clp_strerror(INT32_MIN));
	assert_non_null(clp_strerror(INT32_MAX));
	assert_string_not_equal(clp_strerror(-EINVAL), clp_strerror(-ENOTSUP));
	assert_string_not_equal(clp_strerror(-ENOENT), clp_strerror(-ENOTSUP));
	assert_string_not_equal(clp_strerror(-ESTALE), clp_strerror(-12345));
	assert_string_not_equal(clp_strerror(-EOVERFLOW), clp_strerror(-12345));
}

static int setup(void **state)
{
	(void)state;
	buffer = guarded(BUFFER);
	source = guarded(BUFFER);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listing),
		cmocka_unit_test(listing_refuses),
		cmocka_unit_test(a_larger_struct_is_accepted),
		cmocka_unit_test(clear_with_each),
		cmocka_unit_test(copy_with_each),
		cmocka_unit_test(forced_is_what_runs),
		cmocka_unit_test(force_counts_off),
		cmocka_unit_test(force_refuses),
		cmocka_unit_test(forcing_one_hint_leaves_the_others),
		cmocka_unit_test(choice_foretells),
		cmocka_unit_test(choice_limits),
		cmocka_unit_test(choice_of_nothing),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
