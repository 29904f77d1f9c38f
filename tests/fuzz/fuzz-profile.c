// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-profile.c - any bytes as a profile: damaged, foreign, or a tuning that the policy can use as it stands.
 */
#include <errno.h>

#include "../../lib/lib.h"
#include "fuzz.h"

/* The processor that the seeds speak of. */
static const struct clp_cpu cpu = { .vendor = "Vendor", .hypervisor = "none", .family = 6, .model = 207, .stepping = 2 };

static void usable(const struct clp_tuning *t)
{
	for (unsigned hint = 0; hint < 2; hint++) {
		MUST(t->probe_min[hint] <= t->probe_max[hint]);
		MUST(!t->probe_max[hint] || t->probe_min[hint] > 4096);
	}
	for (unsigned p = 0; p < CLP_PLANS; p++) {
		uint64_t before = 0;

		for (unsigned r = 0; r < CLP_RULES; r++) {
			uint64_t upto = CLP_RULE_UPTO(t->plan[p][r]);
			unsigned row = CLP_RULE_ROW(t->plan[p][r]);

			MUST(upto > before || (upto == CLP_RULE_MAX && before == CLP_RULE_MAX));
			MUST(row < clp_variants_total);
			MUST(clp_variants[row].op == clp_plan_op((enum clp_plan)p));
			before = upto;
		}
		MUST(before == CLP_RULE_MAX);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long as the input and without an end mark, so that one byte too many is seen. */
	char *text = malloc(size ? size : 1);
	struct clp_tuning tuning;
	int err;

	MUST(text != NULL);
	if (size)
		memcpy(text, data, size);
	memset(&tuning, 0xff, sizeof(tuning));
	err = clp_profile_parse(text, size, &cpu, &tuning);
	MUST(err == 0 || err == -EINVAL || err == -ESTALE);
	if (!err)
		usable(&tuning);
	free(text);
	return 0;
}
