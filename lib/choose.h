/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * choose.h - what each call asks of the published policy: does it probe, which plan, which routine. Inline, as run.h.
 */
#ifndef CLP_CHOOSE_H
#define CLP_CHOOSE_H

#include "lib.h"

/* On first use, where no constructor has run yet. */
static inline void clp_policy_ensure(void)
{
	if (unlikely(load(clp_policy.slow) & CLP_SLOW_UNSELECTED))
		clp_policy_select();
}

/* Would this call probe? */
static inline bool clp_policy_probes(size_t len, unsigned flags)
{
	unsigned hint = flags & CLP_HOT;
	uint32_t min = load(clp_policy.probe_min[hint]);

	return min && !(flags & (CLP_COLD | CLP_NOPROBE)) && len >= min && len <= load(clp_policy.probe_max[hint]);
}

/* The plan that a call follows. */
static inline enum clp_plan clp_policy_plan(unsigned op, unsigned flags, bool probed, bool resident)
{
	bool copy = op == CLP_OP_COPY;

	if (flags & CLP_HOT && copy)
		return CLP_PLAN_COPY_HOT;
	if (flags & CLP_HOT)
		return probed && !resident ? CLP_PLAN_HOT_UNCACHED : CLP_PLAN_HOT;
	if (flags & CLP_COLD)
		return copy ? CLP_PLAN_COPY_COLD : CLP_PLAN_COLD;
	if (copy)
		return CLP_PLAN_COPY_AUTO;
	if (probed)
		return resident ? CLP_PLAN_CACHED : CLP_PLAN_UNCACHED;
	return CLP_PLAN_AUTO;
}

/* The routine that a plan gives a length. */
static inline unsigned clp_policy_row(enum clp_plan plan, size_t len)
{
	uint64_t rule = 0;

	for (unsigned r = 0; r < CLP_RULES; r++) {
		rule = load(clp_policy.plan[plan][r]);
		if (len <= CLP_RULE_UPTO(rule))
			break;
	}
	return CLP_RULE_ROW(rule);
}

#endif
