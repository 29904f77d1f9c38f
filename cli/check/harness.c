/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.c - run a target on many alignments and lengths, and look at every byte and register that it may or may not
 * change.
 *
 * A case is one call. Before it the destination holds known bytes that are never zero; after it the target's part must be
 * zero (or the source's bytes), its surroundings and the source unchanged; then the destination is restored. Stages choose
 * the cases: sweep (every small length at every alignment), edges (against unmapped pages), long, random, spans (longer than
 * memory).
 */
#include "harness.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "cli.h"
#include "fault.h"
#include "rng.h"
#include "span.h"

#define ALIGNMENTS 128u
#define SMALL_MAX 600u
#define LONGEST ((size_t)320 << 10)
#define ARENA_SIZE (LONGEST + ((size_t)16 << 10))
#define WINDOW 256u /* bytes on either side that are compared after each case; the whole arena is after each stage */
#define SMALL_AT 4096u
#define NEAR ((size_t)1 << 20) /* further away, an address says more than a distance */
#define SPAN_DEFAULT_MAX ((size_t)128 << 20) /* a policy's limits beyond are left to --large */
#define FOUR_GIB ((uint64_t)4 << 30)

/* Lengths where routines change their ways, and their neighbours. */
static const size_t long_lengths[] = {
	767, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 4160, 8191, 8192, 8193, 12345, 16383, 16384, 16385,
	32768, 65535, 65536, 65537, 100003, 131072, 200001, 262144, LONGEST,
};

/* Alignments around those of registers and lines. */
static const size_t odd_alignments[] = { 0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127 };

/*
 * An emulated instruction costs a signal, some 10 us in a virtual machine: so of the small lengths one in eleven, others at
 * the next alignment, and no length of more than some hundred instructions.
 */
#define EMULATED_STEP 11u
#define EMULATED_MAX 8200u
#define EMULATED_BITS 12u
#define LONG_BITS 19u

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct plan plan;
static struct arena dst_arena, src_arena;
static struct span dst_span, src_span;

struct context {
	const struct target *target;
	const struct entry *entry;
	struct verdict *verdict;
	uint64_t rng;
	struct call call;
};

struct place {
	uint8_t *dst;
	const uint8_t *src; /* NULL for a clear */
	size_t len;
};

static bool failure(struct context *x, const struct place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Note a failure. Returns false, for the caller to return. */
static bool failure(struct context *x, const struct place *at, const char *format, ...)
{
	char *what = x->verdict->what;
	size_t size = sizeof(x->verdict->what);
	size_t n;
	va_list args;

	x->verdict->failed = true;
	va_start(args, format);
	n = (size_t)vsnprintf(what, size, format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
	va_end(args);
	if (n < size && at) {
		n += (size_t)snprintf(what + n, size - n, ", alignment %zu", (size_t)((uintptr_t)at->dst % ALIGNMENTS));
		if (n < size && at->src)
			n += (size_t)snprintf(what + n, size - n, ", source alignment %zu",
					      (size_t)((uintptr_t)at->src % ALIGNMENTS));
		if (n < size)
			n += (size_t)snprintf(what + n, size - n, ", length %zu", at->len);
	}
	if (n < size)
		snprintf(what + n, size - n, ", seed %" PRIu64 " (%s)", plan.seed, x->entry->how);
	return false;
}

/* "at offset 64 of the destination", "1 byte before the source". */
static const char *where(const struct place *at, uintptr_t address, char *text, size_t size)
{
	uintptr_t dst = (uintptr_t)at->dst, src = (uintptr_t)at->src;
	uintptr_t start = dst;
	const char *name = "destination";
	intptr_t offset;

	/* The nearer of the two. */
	if (at->src && (address > src ? address - src : src - address) < (address > dst ? address - dst : dst - address)) {
		start = src;
		name = "source";
	}
	offset = (intptr_t)(address - start);
	if (offset < -(intptr_t)NEAR || offset > (intptr_t)(at->len + NEAR))
		snprintf(text, size, "at address %#" PRIxPTR, address);
	else if (offset < 0)
		snprintf(text, size, "%" PRIdPTR " byte%s before the %s", -offset, offset == -1 ? "" : "s", name);
	else if ((size_t)offset < at->len)
		snprintf(text, size, "at offset %" PRIdPTR " of the %s", offset, name);
	else if ((size_t)offset == at->len)
		snprintf(text, size, "right past the end of the %s", name);
	else
		snprintf(text, size, "%zu bytes past the end of the %s", (size_t)offset - at->len + 1, name);
	return text;
}

static bool faulted(struct context *x, const struct place *at, const struct fault *f)
{
	char text[96];

	switch (f->kind) {
	case FAULT_ADDRESS:
		return failure(x, at, "%s: touched what is not mapped, %s", f->signal == SIGBUS ? "SIGBUS" : "SIGSEGV",
			       where(at, f->address, text, sizeof(text)));
	case FAULT_MISALIGNED:
		return failure(x, at, "alignment fault%s%s", f->address ? " " : "",
			       f->address ? where(at, f->address, text, sizeof(text)) : "");
	case FAULT_INSTRUCTION:
		return failure(x, at, "illegal instruction %02x %02x %02x %02x %02x %02x", f->bytes[0], f->bytes[1],
			       f->bytes[2], f->bytes[3], f->bytes[4], f->bytes[5]);
	default:
		return failure(x, at, "signal %d", f->signal);
	}
}

/* Make the call; look at what it returned and at the registers. */
static bool call_case(struct context *x, const struct place *at)
{
	const struct entry *e = x->entry;
	enum call_upper upper = e->upper;
	struct fault fault;
	const char *broken;
	char text[96];

	/* A short length need not take the path with AVX. */
	if (upper == CALL_UPPER_ZERO && at->len < 64)
		upper = CALL_UPPER_EITHER;
	e->prepare(e, &x->call, at->dst, at->src, at->len, rng_next(&x->rng));
	x->verdict->calls++;
	if (!fault_call(&x->call, &fault))
		return faulted(x, at, &fault);
	broken = call_broken(&x->call, upper, text, sizeof(text));
	if (broken)
		return failure(x, at, "%s", broken);
	if (e->returns && (int)x->call.result != 0)
		return failure(x, at, "returned %d, not 0", (int)x->call.result);
	return true;
}

/* Bytes [0, len) of the destination against what they should be; source NULL: zero. */
static bool compare_result(struct context *x, const struct place *at, const uint8_t *source)
{
	size_t i = source ? first_difference(at->dst, source, at->len) : first_nonzero(at->dst, at->len);

	if (i == at->len)
		return true;
	return failure(x, at, "first wrong byte at offset %zu (%#x, not %#x)", i, at->dst[i], source ? source[i] : 0);
}

/* What must be as it was: around the destination, and the source. */
static bool compare_surroundings(struct context *x, const struct place *at, const struct arena *a, size_t offset, size_t len)
{
	size_t i = first_difference(a->base + offset, a->mirror + offset, len);
	char text[96];

	if (i == len)
		return true;
	return failure(x, at, "changed the byte %s", where(at, (uintptr_t)(a->base + offset + i), text, sizeof(text)));
}

static bool compare_window(struct context *x, const struct place *at, size_t offset)
{
	size_t before = offset < WINDOW ? offset : WINDOW;
	size_t end = offset + at->len;
	size_t after = dst_arena.size - end < WINDOW ? dst_arena.size - end : WINDOW;

	return compare_surroundings(x, at, &dst_arena, offset - before, before) &&
	       compare_surroundings(x, at, &dst_arena, end, after);
}

static bool fits(const struct context *x, size_t dst, size_t src, size_t len)
{
	const struct entry *e = x->entry;

	if (dst % e->alignment || len % e->granule || dst + len > dst_arena.size)
		return false;
	return x->target->op == CLP_OP_CLEAR || (src % e->source_alignment == 0 && src + len <= src_arena.size);
}

/* One case at these offsets of the arenas. A case that the target is not made for is passed over. */
static bool one_case(struct context *x, size_t dst, size_t src, size_t len)
{
	bool copy = x->target->op == CLP_OP_COPY;
	struct place at = { dst_arena.base + dst, copy ? src_arena.base + src : NULL, len };
	bool good;

	if (!fits(x, dst, src, len))
		return true;
	good = call_case(x, &at) && compare_result(x, &at, copy ? src_arena.mirror + src : NULL) &&
	       compare_window(x, &at, dst) && (!copy || compare_surroundings(x, &at, &src_arena, src, len));
	if (good)
		arena_restore(&dst_arena, dst, len);
	return good && !interrupted;
}

/* A source offset for a small case: any alignment that the target takes. */
static size_t small_source(struct context *x)
{
	return SMALL_AT + rng_below(&x->rng, ALIGNMENTS) / x->entry->source_alignment * x->entry->source_alignment;
}

static bool sweep_alignment(struct context *x, size_t alignment)
{
	/* Of a routine's own granules there are few, which are all tried. */
	bool thin = x->target->emulated && x->entry->granule == 1;
	size_t step = thin ? EMULATED_STEP : 1;

	for (size_t len = thin ? alignment % step : 0; len <= SMALL_MAX; len += step) {
		if (plan.quick && len > 136 && (len + alignment) % 16)
			continue;
		if (!one_case(x, SMALL_AT + alignment, small_source(x), len))
			return false;
	}
	return true;
}

static bool sweep(struct context *x)
{
	if (plan.quick) {
		for (size_t i = 0; i < COUNT(odd_alignments); i++)
			if (!sweep_alignment(x, odd_alignments[i]))
				return false;
		return true;
	}
	for (size_t alignment = 0; alignment < ALIGNMENTS; alignment++)
		if (!sweep_alignment(x, alignment))
			return false;
	return true;
}

/* Ending at, and beginning at, unmapped pages; copies in all combinations. */
static bool edges_of(struct context *x, size_t len)
{
	size_t dst_end = dst_arena.size - len, src_end = src_arena.size - len;

	if (!one_case(x, dst_end, src_end, len) || !one_case(x, 0, 0, len))
		return false;
	return x->target->op == CLP_OP_CLEAR || (one_case(x, dst_end, 0, len) && one_case(x, 0, src_end, len));
}

static size_t round_down(size_t n, size_t to)
{
	return n - n % to;
}

static bool too_long(const struct context *x, size_t len)
{
	return x->target->emulated && len > EMULATED_MAX;
}

static bool edges(struct context *x)
{
	size_t step = x->target->emulated && x->entry->granule == 1 ? EMULATED_STEP / 2 : x->entry->granule;

	for (size_t len = 0; len <= SMALL_MAX; len += step)
		if (!edges_of(x, len))
			return false;
	for (size_t i = 0; i < COUNT(long_lengths); i++)
		if (!too_long(x, long_lengths[i]) && !edges_of(x, round_down(long_lengths[i], x->entry->granule)))
			return false;
	return true;
}

static bool long_cases(struct context *x)
{
	/* Quick: a third of the alignments, others for each length. */
	for (size_t i = 0; i < COUNT(long_lengths) && !too_long(x, long_lengths[i]); i++) {
		for (size_t j = plan.quick ? i % 3 : 0; j < COUNT(odd_alignments); j += plan.quick ? 3 : 1) {
			if (!one_case(x, SMALL_AT + odd_alignments[j], small_source(x),
				      round_down(long_lengths[i], x->entry->granule)))
				return false;
		}
	}
	return true;
}

/* Lengths of all magnitudes: a random number of bits first. */
static bool random_cases(struct context *x)
{
	unsigned bits = x->target->emulated ? EMULATED_BITS : LONG_BITS;
	unsigned n = plan.quick ? 64 : 400;

	while (n--) {
		size_t len = rng_below(&x->rng, ((uint64_t)1 << rng_below(&x->rng, bits)) + 1);
		size_t dst = rng_below(&x->rng, SMALL_AT), src = rng_below(&x->rng, SMALL_AT);

		if (!one_case(x, round_down(dst, x->entry->alignment), round_down(src, x->entry->source_alignment),
			      round_down(len, x->entry->granule)))
			return false;
	}
	return true;
}

/* The span's memory: front, one period, tail. */
static void span_fill(struct span *s, const struct arena *a)
{
	memcpy(s->body - SPAN_EDGE, a->mirror, SPAN_EDGE);
	for (size_t done = 0; done < SPAN_PERIOD; done += SPAN_EDGE)
		memcpy(s->body + done, a->mirror, SPAN_EDGE);
	memcpy(s->body + s->len, a->mirror, SPAN_EDGE);
}

/* In a span the destination can't be compared in one go: `from` of the front, the whole period, `to` of the tail. */
static bool compare_span(struct context *x, const struct place *at, size_t from, size_t to)
{
	const struct {
		size_t start, len;
	} parts[] = { { 0, from }, { from, SPAN_PERIOD }, { at->len - to, to } };

	for (size_t p = 0; p < COUNT(parts); p++) {
		const uint8_t *is = at->dst + parts[p].start;
		const uint8_t *be = at->src ? at->src + parts[p].start : NULL;
		size_t i = be ? first_difference(is, be, parts[p].len) : first_nonzero(is, parts[p].len);

		if (i < parts[p].len)
			return failure(x, at, "first wrong byte at offset %zu (%#x, not %#x)", parts[p].start + i, is[i],
				       be ? be[i] : 0);
	}
	if (first_difference(at->dst + at->len, dst_arena.mirror + to, SPAN_EDGE - to) < SPAN_EDGE - to)
		return failure(x, at, "changed bytes past the end of the destination");
	if (first_difference(at->dst - (SPAN_EDGE - from), dst_arena.mirror, SPAN_EDGE - from) < SPAN_EDGE - from)
		return failure(x, at, "changed bytes before the destination");
	return true;
}

/* Opening a span takes most of a case's time, so the last one is kept. */
static void span_ready(struct span *s, size_t body)
{
	if (s->map && s->len == body)
		return;
	span_close(s);
	if (!span_open(s, body))
		die(EXIT_FAILED, "%s of addresses can't be mapped: %s", format_size(body), strerror(errno));
}

/* One case of this length, from SPAN_PERIOD + SPAN_EDGE up: what is over whole edges lies in front and tail. */
static bool span_case(struct context *x, size_t len)
{
	bool copy = x->target->op == CLP_OP_COPY;
	size_t body = round_down(len, SPAN_EDGE);
	size_t from = round_down((len - body) / 2, x->entry->alignment);
	struct place at;

	span_ready(&dst_span, body);
	span_fill(&dst_span, &dst_arena);
	if (copy) {
		span_ready(&src_span, body);
		span_fill(&src_span, &src_arena);
	}
	at = (struct place){ dst_span.body - from, copy ? src_span.body - from : NULL, len };
	return call_case(x, &at) && compare_span(x, &at, from, len - body - from) && !interrupted;
}

/* On both sides of each length at which the policy changes its routine. */
static bool policy_limits(struct context *x)
{
	size_t granule = x->entry->granule;

	for (unsigned p = 0; p < CLP_PLANS; p++) {
		for (unsigned r = 0; r < CLP_RULES; r++) {
			uint64_t limit = CLP_RULE_UPTO(clp_policy.plan[p][r]);

			if (clp_plan_op((enum clp_plan)p) != x->target->op || limit < SPAN_PERIOD + SPAN_EDGE ||
			    limit > SPAN_DEFAULT_MAX)
				continue;
			if (r && limit == CLP_RULE_UPTO(clp_policy.plan[p][r - 1]))
				continue;
			if (!span_case(x, round_down((size_t)limit, granule)) ||
			    !span_case(x, round_down((size_t)limit, granule) + granule))
				return false;
		}
	}
	return true;
}

static bool over_four_gib(struct context *x)
{
#if SIZE_MAX > 0xffffffffu
	return span_case(x, round_down((size_t)FOUR_GIB + SPAN_EDGE / 2 + 4097, x->entry->granule));
#else
	(void)x;
	return true;
#endif
}

static bool spans(struct context *x)
{
	if (x->target->policy && !plan.quick && !policy_limits(x))
		return false;
	/* Emulated, 4 GiB would take minutes; the arithmetic on lengths is the same in every size. */
	return !plan.large || x->target->emulated || over_four_gib(x);
}

/* Did anything write far outside of its window during a stage? */
static bool whole_arenas(struct context *x)
{
	if (first_difference(dst_arena.base, dst_arena.mirror, dst_arena.size) == dst_arena.size &&
	    first_difference(src_arena.base, src_arena.mirror, src_arena.size) == src_arena.size)
		return true;
	return failure(x, NULL, "changed bytes far outside of the destination");
}

static bool check_entry(struct context *x)
{
	static bool (*const stages[])(struct context *x) = { sweep, edges, long_cases, random_cases, spans };

	call_init(&x->call, &x->rng);
	x->call.emulated = x->target->emulated;
	for (size_t i = 0; i < COUNT(stages); i++)
		if (!stages[i](x) || !whole_arenas(x))
			return false;
	return true;
}

void harness_open(const struct plan *p)
{
	uint64_t rng = p->seed;

	plan = *p;
	arena_open(&dst_arena, ARENA_SIZE, &rng);
	arena_open(&src_arena, ARENA_SIZE, &rng);
	fault_open();
}

void harness_check(const struct target *t, struct verdict *verdict)
{
	/* From the name, so that a target alone gets the numbers that it gets among all. */
	struct context x = { .target = t, .verdict = verdict, .rng = plan.seed };

	for (const char *c = t->name; *c; c++) {
		x.rng ^= (uint64_t)(unsigned char)*c << 24;
		rng_next(&x.rng);
	}
	*verdict = (struct verdict){ .failed = false };
	for (unsigned i = 0; i < t->entries && !verdict->failed && !interrupted; i++) {
		x.entry = &t->entry[i];
		check_entry(&x);
	}
	verdict->interrupted = interrupted && !verdict->failed;
	if (verdict->failed || verdict->interrupted) {
		arena_restore(&dst_arena, 0, dst_arena.size);
		arena_restore(&src_arena, 0, src_arena.size);
	}
}

void harness_close(void)
{
	fault_close();
	span_close(&dst_span);
	span_close(&src_span);
	arena_close(&dst_arena);
	arena_close(&src_arena);
}
