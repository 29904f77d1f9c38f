/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * variant.h - one routine of the table: its name, what it needs of the processor, and the shape of its function.
 *
 * The rows are in arch/<arch>/variants.def; library, tests, benchmarks and kernel module all expand them.
 */
#ifndef CLP_VARIANT_H
#define CLP_VARIANT_H

/* Facts about the processor that a row may need; cpu.c of each architecture finds them. */
#define CLP_NEED_NONE      0x00u
#define CLP_NEED_SSE2      0x01u
#define CLP_NEED_AVX2      0x02u
#define CLP_NEED_AVX512    0x04u
#define CLP_NEED_MOVDIR64B 0x08u
#define CLP_NEED_CLZERO    0x10u

#ifndef __ASSEMBLER__

/* A clear returns 0, always: so that the entry point of short clears can jump to it. */
typedef int clp_clear_fn(void *addr, unsigned long len);
typedef void clp_copy_fn(void *dst, const void *src, unsigned long len);

/* A row fills a cache line and no more than one. */
struct clp_variant {
	const char *name;
	const char *description;
	unsigned op;
	unsigned needs;
	unsigned traits;
	unsigned granule;
	unsigned alignment;
	union {
		clp_clear_fn *clear;
		clp_copy_fn *copy;
	} fn;
} __attribute__((aligned(64)));

#endif
#endif
