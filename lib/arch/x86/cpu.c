/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * cpu.c - what CPUID and XCR0 say about an x86-64 processor.
 *
 * Leaf numbers and bits: Intel SDM vol. 2A "CPUID", vol. 1 ch. 14 (XCR0); AMD64 APM vol. 3 appendix E.
 */
#include <cpuid.h>
#include <string.h>

#include "../../cpu.h"

#define XCR0_YMM 0x06u /* XMM and YMM state */
#define XCR0_ZMM 0xe6u /* and opmask, ZMM_Hi256, Hi16_ZMM */

static uint64_t read_xcr0(void)
{
	uint32_t lo, hi;

	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return (uint64_t)hi << 32 | lo;
}

static void copy_words(char *to, const unsigned *words, size_t n)
{
	memcpy(to, words, n * sizeof(*words));
	to[n * sizeof(*words)] = '\0';
}

static void detect_model(struct clp_cpu *cpu, unsigned signature)
{
	unsigned base = signature >> 8 & 0xf;

	cpu->stepping = signature & 0xf;
	cpu->family = base == 0xf ? base + (signature >> 20 & 0xff) : base;
	cpu->model = signature >> 4 & 0xf;
	if (base == 0x6 || base == 0xf)
		cpu->model |= signature >> 12 & 0xf0;
}

/* Deterministic cache parameters: leaf 4 (Intel), 0x8000001d (AMD, the same layout). */
static void detect_caches(struct clp_cpu *cpu, unsigned leaf)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned a, b, c, d;
		unsigned level, type;
		size_t size;

		__cpuid_count(leaf, i, a, b, c, d);
		(void)d;
		type = a & 0x1f;
		level = a >> 5 & 0x7;
		if (!type)
			return;
		size = ((size_t)(b >> 22) + 1) * ((b >> 12 & 0x3ff) + 1) * ((b & 0xfff) + 1) * ((size_t)c + 1);
		if (level == 1 && type == 1)
			cpu->l1d = size;
		else if (level == 2)
			cpu->l2 = size;
		else if (level == 3)
			cpu->l3 = size;
	}
}

void clp_cpu_detect(struct clp_cpu *cpu)
{
	unsigned max, a, b, c, d, words[3];
	uint64_t xcr0 = 0;

	memset(cpu, 0, sizeof(*cpu));
	cpu->line = 64;
	__cpuid(0, max, words[0], words[2], words[1]);
	copy_words(cpu->vendor, words, 3);

	__cpuid(1, a, b, c, d);
	detect_model(cpu, a);
	if (d >> 26 & 1)
		cpu->present |= CLP_NEED_SSE2;
	if (c >> 27 & 1) /* OSXSAVE: the system uses XSAVE, XGETBV works */
		xcr0 = read_xcr0();
	strcpy(cpu->hypervisor, "none");
	if (c >> 31 & 1) {
		__cpuid(0x40000000u, a, words[0], words[1], words[2]);
		copy_words(cpu->hypervisor, words, 3);
		/* Some hypervisors pad with spaces; the profile's key is one word. */
		for (char *p = cpu->hypervisor; *p; p++)
			if (*p <= ' ' || *p > '~')
				*p = '_';
		if (!cpu->hypervisor[0])
			strcpy(cpu->hypervisor, "unnamed");
	}
	if (max >= 7) {
		__cpuid_count(7, 0, a, b, c, d);
		cpu->fast_stosb = b >> 9 & 1;
		if (b >> 5 & 1)
			cpu->present |= CLP_NEED_AVX2;
		if (b >> 16 & 1)
			cpu->present |= CLP_NEED_AVX512;
		if (c >> 28 & 1)
			cpu->present |= CLP_NEED_MOVDIR64B;
	}
	if (__get_cpuid(0x80000008u, &a, &b, &c, &d) && b & 1)
		cpu->present |= CLP_NEED_CLZERO;

	cpu->usable = cpu->present;
	if ((xcr0 & XCR0_YMM) != XCR0_YMM)
		cpu->usable &= ~(CLP_NEED_AVX2 | CLP_NEED_AVX512);
	if ((xcr0 & XCR0_ZMM) != XCR0_ZMM)
		cpu->usable &= ~CLP_NEED_AVX512;
}

void clp_cpu_describe(struct clp_cpu *cpu)
{
	unsigned r[12], max, a, b, c, d;

	clp_cpu_detect(cpu);
	if (__get_cpuid_max(0, NULL) >= 4)
		detect_caches(cpu, 4);
	max = __get_cpuid_max(0x80000000u, NULL);
	if (max >= 0x80000004u) {
		for (unsigned i = 0; i < 3; i++)
			__cpuid(0x80000002u + i, r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]);
		copy_words(cpu->model_name, r, 12);
	}
	if (max >= 0x80000007u) {
		__cpuid(0x80000007u, a, b, c, d);
		cpu->counter_invariant = d >> 8 & 1;
	}
	if (max >= 0x8000001du && !cpu->l1d)
		detect_caches(cpu, 0x8000001du);
}

static const struct {
	unsigned need;
	const char *name;
	const char *lacking;
	const char *disabled;
} needs[] = {
	{ CLP_NEED_SSE2, "sse2", "CPU lacks sse2", "system does not enable sse2" },
	{ CLP_NEED_AVX2, "avx2", "CPU lacks avx2", "system does not enable the AVX state (XCR0)" },
	{ CLP_NEED_AVX512, "avx512f", "CPU lacks avx512f", "system does not enable the AVX-512 state (XCR0)" },
	{ CLP_NEED_MOVDIR64B, "movdir64b", "CPU lacks movdir64b", "system does not enable movdir64b" },
	{ CLP_NEED_CLZERO, "clzero", "CPU lacks clzero", "system does not enable clzero" },
};

const char *clp_cpu_need_name(unsigned need)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (needs[i].need == need)
			return needs[i].name;
	return "nothing";
}

const char *clp_cpu_missing(const struct clp_cpu *cpu, unsigned wanted)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (!(wanted & needs[i].need & ~cpu->usable))
			continue;
		return cpu->present & needs[i].need ? needs[i].disabled : needs[i].lacking;
	}
	return NULL;
}
