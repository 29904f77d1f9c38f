// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan.c - whatever was measured, tune makes a profile that parses, with rules that ascend.
 */
#include <string.h>

#include "unit.h"

#include "../../cli/tune/tune.h"

#define KiB ((size_t)1 << 10)
#define MiB ((size_t)1 << 20)

/* The sizes that tune measures, and closer ones. */
static const size_t sizes[] = {
	1 * KiB, 2 * KiB, 4 * KiB, 6 * KiB, 8 * KiB, 12 * KiB, 16 * KiB, 32 * KiB, 64 * KiB, 128 * KiB, 256 * KiB, 512 * KiB,
	MiB, 2 * MiB, 4 * MiB, 8 * MiB, 16 * MiB, 32 * MiB, 64 * MiB, 128 * MiB, 512 * MiB,
};

static void fill(struct matrix *m, struct random *random, unsigned op)
{
	memset(m, 0, sizeof(*m));
	m->op = op;
	m->n_sizes = sizeof(sizes) / sizeof(sizes[0]);
	memcpy(m->sizes, sizes, sizeof(sizes));
	m->n_methods = methods_parse("test", "all", op, m->methods) - 1;
	for (size_t s = 0; s < m->n_sizes; s++)
		for (unsigned cached = 0; cached < (sizes[s] <= 8 * MiB ? 2 : 1); cached++)
			for (unsigned t = 0; t < TOUCHES; t++)
				for (size_t i = 0; i < m->n_methods; i++)
					m->ticks[s][cached][t][i] =
						(double)sizes[s] * (1 + (double)random_below(random, 1000) / 100);
}

static void assert_parses(const struct clp_tuning *tuning)
{
	static const struct caches caches = { .l1d = 32 * KiB, .l2 = 512 * KiB, .l3 = 8 * MiB };
	struct clp_tuning again;
	char text[CLP_PROFILE_SIZE_MAX];
	struct clp_cpu cpu;
	size_t len = profile_text(text, sizeof(text), tuning, &caches);

	clp_cpu_detect(&cpu);
	if (clp_profile_parse(text, len, &cpu, &again))
		fail_msg("does not parse:\n%.*s", (int)len, text);
	assert_true(!memcmp(tuning, &again, sizeof(again)));
}

static void any_measurement_parses(void **state)
{
	static struct matrix clears, copies;
	struct random random = { 7 };

	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		struct scope scope = { .l2 = 512 * KiB, .l3 = 8 * MiB };
		double price[2] = { (double)random_below(&random, 800), (double)random_below(&random, 300) };
		struct clp_tuning tuning = { .probe_limit = round % 3 ? 250 : 0 };

		fill(&clears, &random, CLP_OP_CLEAR);
		fill(&copies, &random, CLP_OP_COPY);
		plan_clears(&clears, &scope, &tuning, price);
		for (unsigned p = 0; p < CLP_PLANS; p++)
			if (clp_plan_op(p) == CLP_OP_COPY)
				plan_make(&copies, p, &scope, tuning.plan[p]);
		assert_parses(&tuning);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_measurement_parses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
