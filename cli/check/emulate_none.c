/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * emulate_none.c - no emulation on this architecture.
 */
#include "emulate.h"

const char *emulate_missing(const struct clp_cpu *cpu, unsigned needs)
{
	(void)cpu;
	(void)needs;
	return "there is no emulation on this architecture";
}

enum emulated emulate_step(void *context, uintptr_t *address)
{
	(void)context;
	(void)address;
	return EMULATE_UNKNOWN;
}

void emulate_begin(uint8_t (*before)[64])
{
	(void)before;
}

void emulate_end(uint8_t (*after)[64])
{
	(void)after;
}
