/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * cpu.c - facts on an architecture that has no file of its own yet: none are known, the portable routines need none.
 */
#include <string.h>

#include "../../cpu.h"

void clp_cpu_detect(struct clp_cpu *cpu)
{
	memset(cpu, 0, sizeof(*cpu));
	strcpy(cpu->vendor, "generic");
	strcpy(cpu->hypervisor, "none");
	cpu->line = 64;
}

void clp_cpu_describe(struct clp_cpu *cpu)
{
	clp_cpu_detect(cpu);
}

const char *clp_cpu_need_name(unsigned need)
{
	(void)need;
	return "nothing";
}

const char *clp_cpu_missing(const struct clp_cpu *cpu, unsigned wanted)
{
	(void)cpu;
	return wanted ? "not written for this architecture" : NULL;
}
