/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * streams.c - trials of how to stream zeros: what was tried beside the plain loops, kept so that anyone can try it on
 * another machine.
 *
 * Not installed. Runs in the benchmarks' harness: uncached destinations, interleaved, verified. docs/policy.md has findings.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/cpu.h"
#include "bench.h"

#define PAGE ((size_t)4096)
#define LINE ((size_t)64)

#define ZERO32 __asm__ volatile("vpxor %%xmm0, %%xmm0, %%xmm0" ::: "xmm0", "memory")
#define DONE32 __asm__ volatile("vzeroupper\n\tsfence" ::: "memory")
#define NT32(p) __asm__ volatile("vmovntdq %%ymm0, (%0)\n\tvmovntdq %%ymm0, 32(%0)" ::"r"(p) : "memory")
#define TEMPORAL32(p) __asm__ volatile("vmovdqa %%ymm0, (%0)\n\tvmovdqa %%ymm0, 32(%0)" ::"r"(p) : "memory")
#define NT64(p) __asm__ volatile("vmovntdq %%zmm0, (%0)" ::"r"(p) : "memory")
#define TEMPORAL64(p) __asm__ volatile("vmovdqa64 %%zmm0, (%0)" ::"r"(p) : "memory")
#define CLZERO(p) __asm__ volatile("clzero" ::"a"(p) : "memory")
#define NOTHING
#define FENCE __asm__ volatile("sfence" ::: "memory")

#define TRIAL(name) static void name(void *at, size_t len)
#define EACH_LINE(p, from, to) for (char *p = (from); p < (to); p += LINE)

/* Line after line: the reference. */
#define PLAIN(name, begin, store, end)             \
	TRIAL(name)                                \
	{                                          \
		begin;                             \
		EACH_LINE(p, at, (char *)at + len) \
		store(p);                          \
		end;                               \
	}

/* The last line first. */
#define DESCENDING(name, begin, store, end)                                         \
	TRIAL(name)                                                                 \
	{                                                                           \
		begin;                                                              \
		for (char *p = (char *)at + len - LINE; p >= (char *)at; p -= LINE) \
			store(p);                                                   \
		end;                                                                \
	}

/* N pages side by side, line by line; what remains of the length, plainly. */
#define PAGES(name, n, begin, store, end)                                 \
	TRIAL(name)                                                       \
	{                                                                 \
		char *whole = (char *)at + len / (n * PAGE) * (n * PAGE); \
		begin;                                                    \
		for (char *page = at; page < whole; page += n * PAGE)     \
			EACH_LINE(p, page, page + PAGE)                   \
		for (size_t i = 0; i < n; i++)                            \
			store(p + i * PAGE);                              \
		EACH_LINE(p, whole, (char *)at + len)                     \
		store(p);                                                 \
		end;                                                      \
	}

/* One line in N through `other`, from a second stream at the region's end. */
#define MIXED(name, n, begin, store, other, end)                     \
	TRIAL(name)                                                  \
	{                                                            \
		size_t lines = len / LINE, apart = lines / n;        \
		char *second = (char *)at + (lines - apart) * LINE;  \
		char *p = at, *border = second;                      \
		begin;                                               \
		for (size_t i = 0; i < apart; i++, second += LINE) { \
			for (size_t k = 1; k < n; k++, p += LINE)    \
				store(p);                            \
			other(second);                               \
		}                                                    \
		for (; p < border; p += LINE)                        \
			store(p);                                    \
		end;                                                 \
	}

/* Asking for ownership ahead. Beyond the region's end the prefetch is harmless: it never faults. */
#define AHEAD(name, distance, begin, store, end)                                  \
	TRIAL(name)                                                               \
	{                                                                         \
		begin;                                                            \
		EACH_LINE(p, at, (char *)at + len)                                \
		{                                                                 \
			__asm__ volatile("prefetchw " #distance "(%0)" ::"r"(p)); \
			store(p);                                                 \
		}                                                                 \
		end;                                                              \
	}

/* A fence after every N lines. */
#define FENCED(name, n, begin, store, end)         \
	TRIAL(name)                                \
	{                                          \
		size_t i = 0;                      \
		begin;                             \
		EACH_LINE(p, at, (char *)at + len) \
		{                                  \
			store(p);                  \
			if (++i % n == 0)          \
				FENCE;             \
		}                                  \
		end;                               \
	}

PLAIN(nt32, ZERO32, NT32, DONE32)
PAGES(nt32_pages2, 2, ZERO32, NT32, DONE32)
PAGES(nt32_pages4, 4, ZERO32, NT32, DONE32)
MIXED(nt32_mix6, 6, ZERO32, NT32, TEMPORAL32, DONE32)
MIXED(nt32_mix7, 7, ZERO32, NT32, TEMPORAL32, DONE32)
MIXED(nt32_mix8, 8, ZERO32, NT32, TEMPORAL32, DONE32)
AHEAD(nt32_ahead2k, 2048, ZERO32, NT32, DONE32)
FENCED(nt32_fence64, 64, ZERO32, NT32, DONE32)
DESCENDING(nt32_descend, ZERO32, NT32, DONE32)
AHEAD(mov32_ahead512, 512, ZERO32, TEMPORAL32, DONE32)
AHEAD(mov32_ahead2k, 2048, ZERO32, TEMPORAL32, DONE32)
PLAIN(nt64, ZERO32, NT64, DONE32)
PAGES(nt64_pages2, 2, ZERO32, NT64, DONE32)
MIXED(nt64_mix6, 6, ZERO32, NT64, TEMPORAL64, DONE32)
MIXED(nt64_mix7, 7, ZERO32, NT64, TEMPORAL64, DONE32)
MIXED(nt64_mix8, 8, ZERO32, NT64, TEMPORAL64, DONE32)
PLAIN(clzero, NOTHING, CLZERO, FENCE)
PAGES(clzero_pages2, 2, NOTHING, CLZERO, FENCE)
PAGES(clzero_pages4, 4, NOTHING, CLZERO, FENCE)
MIXED(clzero_mix8, 8, ZERO32, CLZERO, TEMPORAL32, DONE32)
MIXED(clzero_nt2, 2, ZERO32, CLZERO, NT32, DONE32)
AHEAD(clzero_ahead2k, 2048, NOTHING, CLZERO, FENCE)
FENCED(clzero_fence64, 64, NOTHING, CLZERO, FENCE)
DESCENDING(clzero_descend, NOTHING, CLZERO, FENCE)

static const struct {
	const char *name;
	void (*function)(void *, size_t);
	unsigned needs;
} trials[] = {
	{ "nt32", nt32, CLP_NEED_AVX2 },
	{ "nt32_pages2", nt32_pages2, CLP_NEED_AVX2 },
	{ "nt32_pages4", nt32_pages4, CLP_NEED_AVX2 },
	{ "nt32_mix6", nt32_mix6, CLP_NEED_AVX2 },
	{ "nt32_mix7", nt32_mix7, CLP_NEED_AVX2 },
	{ "nt32_mix8", nt32_mix8, CLP_NEED_AVX2 },
	{ "nt32_ahead2k", nt32_ahead2k, CLP_NEED_AVX2 },
	{ "nt32_fence64", nt32_fence64, CLP_NEED_AVX2 },
	{ "nt32_descend", nt32_descend, CLP_NEED_AVX2 },
	{ "mov32_ahead512", mov32_ahead512, CLP_NEED_AVX2 },
	{ "mov32_ahead2k", mov32_ahead2k, CLP_NEED_AVX2 },
	{ "nt64", nt64, CLP_NEED_AVX512 },
	{ "nt64_pages2", nt64_pages2, CLP_NEED_AVX512 },
	{ "nt64_mix6", nt64_mix6, CLP_NEED_AVX512 },
	{ "nt64_mix7", nt64_mix7, CLP_NEED_AVX512 },
	{ "nt64_mix8", nt64_mix8, CLP_NEED_AVX512 },
	{ "clzero", clzero, CLP_NEED_CLZERO },
	{ "clzero_pages2", clzero_pages2, CLP_NEED_CLZERO },
	{ "clzero_pages4", clzero_pages4, CLP_NEED_CLZERO },
	{ "clzero_mix8", clzero_mix8, CLP_NEED_CLZERO | CLP_NEED_AVX2 },
	{ "clzero_nt2", clzero_nt2, CLP_NEED_CLZERO | CLP_NEED_AVX2 },
	{ "clzero_ahead2k", clzero_ahead2k, CLP_NEED_CLZERO },
	{ "clzero_fence64", clzero_fence64, CLP_NEED_CLZERO },
	{ "clzero_descend", clzero_descend, CLP_NEED_CLZERO },
};

struct options {
	struct common common;
	bool bystander;
};

enum { OPT_BYSTANDER = OPT_LONG };

static const struct argp_option argp_options[] = {
	{ "bystander", OPT_BYSTANDER, NULL, 0, "Warm half an L2 of other data before, read it again after, timed", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_BYSTANDER:
		o->bystander = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct column columns[] = {
	{ "size", "size", 9, 0, true },
	{ "variant", "trial", -15, 0, false },
	{ "gbps", "GB/s", 7, 2, false },
	{ "gbps_min", "min", 6, 2, false },
	{ "gbps_max", "max", 6, 2, false },
	{ "vs_libc", "x libc", 6, 2, false },
	{ 0 },
};

static size_t choose(struct method *methods, const char *extra)
{
	size_t n = methods_parse("--variant", extra, CLP_OP_CLEAR, methods);
	struct clp_cpu cpu;

	clp_cpu_detect(&cpu);
	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]) && n < METHODS_MAX; i++) {
		if (clp_cpu_missing(&cpu, trials[i].needs))
			continue;
		methods[n] = (struct method){ .kind = METHOD_FUNCTION, .function = trials[i].function };
		snprintf(methods[n].name, sizeof(methods[n].name), "%s", trials[i].name);
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	static const struct argp_child children[] = { { &common_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		argp_options, parse,
		NULL,	      "Trials of how to stream zeros, beside the routines named by --variant (default: libc,cold).",
		children,     NULL,
		NULL,
	};
	struct method methods[METHODS_MAX];
	struct options o = { 0 };
	struct output out;
	struct bench b;
	size_t n, n_sizes, largest;
	uint64_t *sizes;

	common_init(&o.common);
	parse_options(&argp, argc, argv, &o);
	n = choose(methods, o.common.variants ? o.common.variants : "libc,cold");
	sizes = page_sizes(&o.common, "64KB,2MB,64MB,1GB", &n_sizes, &largest);
	common_start(&o.common, &out, "streams", argc, argv);
	bench_open(&b, largest, 0, false, o.common.page, 0, o.common.seed);
	output_columns(&out, columns);
	for (size_t s = 0; s < n_sizes && !interrupted; s++) {
		struct cell c = { .size = sizes[s], .bystander = o.bystander };
		struct group g = { .cell = &c,
				   .methods = methods,
				   .n = n,
				   .samples = o.common.samples ? o.common.samples : default_samples(c.size) };
		struct record r;

		group_run(&g, &b, &out, "streams");
		for (size_t m = 0; m < n && g.taken; m++) {
			record_begin(&r, "summary");
			record_cell(&r, "streams", &c, methods[m].name);
			record_rates(&r, &g, m);
			output_record(&out, &r);
			record_end(&r);
		}
		group_free(&g);
	}
	bench_close(&b);
	free(sizes);
	return common_end(&out, "streams");
}
