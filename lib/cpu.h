/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * cpu.h - facts about the processor and the few operations that each architecture gives the portable code.
 *
 * Facts only: whether something is slow here is a judgement, made in policy.c from these facts or from the measured profile.
 */
#ifndef CLP_CPU_H
#define CLP_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variant.h"

struct clp_cpu {
	unsigned usable;     /* CLP_NEED_* that a program may use now */
	unsigned present;    /* CLP_NEED_* that the processor has, be it that the system does not enable their state */
	char vendor[16];     /* x86: CPUID leaf 0; elsewhere the architecture's name */
	char hypervisor[16]; /* x86: CPUID leaf 0x40000000; "none" without one */
	unsigned family, model, stepping;
	bool fast_stosb; /* x86: ERMS */
	size_t line;	 /* cache line, bytes */
	/* What only people ask for: by clp_cpu_describe(). */
	char model_name[64];	/* as the processor calls itself; "" where it does not */
	bool counter_invariant; /* the time stamp counter runs at one rate in all power states */
	size_t l1d, l2, l3;	/* as claimed, bytes of one instance; 0 = not known. In a VM these are often wrong */
};

/*
 * Fill *cpu. Pure: no state, callable from any context and at any time. The first leaves out what only people ask for: each
 * question to CPUID takes some microseconds in a virtual machine, where it traps, and every process that has the library asks at
 * its start.
 */
void clp_cpu_detect(struct clp_cpu *cpu);
void clp_cpu_describe(struct clp_cpu *cpu);

/* The name a person knows a single CLP_NEED_* bit by. */
const char *clp_cpu_need_name(unsigned need);

/* Why a routine that wants these can't run here; NULL if it can. */
const char *clp_cpu_missing(const struct clp_cpu *cpu, unsigned wanted);

/* Order all earlier stores, also weakly ordered ones, before later ones; and: complete every store and load before going on.
 */
static inline void clp_cpu_drain(void);
static inline void clp_cpu_fence(void);

/* The cycle counter, not serialising; 0 where there is none that user space may read. */
static inline uint64_t clp_cpu_ticks(void);

/* The base page, bytes. */
static inline size_t clp_cpu_page(void);
#define CLP_HAVE_PROBE 0

#if defined(__x86_64__)
#include "arch/x86/cpu_x86.h"
#else
#include "arch/generic/cpu_generic.h"
#endif

#endif
