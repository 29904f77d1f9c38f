/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell.c - one timed sample: the destination is non-zero before and checked after, and in the cache state that was asked
 * for.
 *
 * Destinations go through an arena, each starting where the last one ended; after its sample each is filled again. So
 * a destination was last touched a whole lap of the arena ago. Small destinations are spread, so that neither the
 * prefetchers nor one cache set see them as a row; laps that made too little traffic are made up for by filling the arena.
 */
#include <string.h>

#include "bench.h"

#define SPREAD ((size_t)64 << 10)
#define PAGE ((size_t)4096)
#define LINE ((size_t)64)

static volatile uint64_t sink;

const char *touch_name(unsigned touch)
{
	static char ring[4][16];
	static unsigned next;
	char *text = ring[next++ % 4];

	if (touch <= 1)
		return touch ? "all" : "none";
	snprintf(text, sizeof(ring[0]), "1/%u", touch);
	return text;
}

void bench_open(struct bench *b, size_t largest, size_t delay, bool copies, enum page_kind kind, size_t l2, uint64_t seed)
{
	/* A destination of over 2 GiB is its own traffic. */
	size_t arena = largest >= UNCACHED_TRAFFIC ? largest : UNCACHED_TRAFFIC + largest;
	size_t other = delay;

	memset(b, 0, sizeof(*b));
	b->random.state = seed;
	/* Before anything that takes time. */
	memory_check(copies ? 2 * arena : arena, kind, "this measurement");
	memory_require(delay, "--delay");
	b->l2 = l2 ? l2 : measure_caches()->l2;
	if (other < b->l2)
		other = b->l2;
	memory_get(&b->arena, arena, kind, "the destination");
	if (copies)
		memory_get(&b->source, arena, kind, "the source");
	memory_get(&b->other, other, PAGE_THP, "other data");
	clock_overhead();
}

void bench_close(struct bench *b)
{
	memory_put(&b->arena);
	memory_put(&b->source);
	memory_put(&b->other);
}

/* The next destination. */
static size_t place(struct bench *b, size_t size)
{
	size_t step = (size + SPREAD - 1) & ~(SPREAD - 1);
	size_t at;

	if (b->cursor + step > b->arena.size) {
		b->cursor = 0;
		if (b->traffic < UNCACHED_TRAFFIC && b->arena.size > size)
			memory_fill(b->arena.at, b->arena.size);
		b->traffic = 0;
	}
	at = b->cursor;
	b->cursor += step;
	b->traffic += 2 * size;
	/* Any page of the stretch, so that small destinations do not all fall into the same cache sets. */
	return at + random_below(&b->random, (step - size) / PAGE + 1) * PAGE;
}

static void prepare(struct bench *b, const struct cell *c, unsigned char *to, const unsigned char *from)
{
	if (c->cached) {
		memory_fill(to, c->size);
		sink += memory_read(to, c->size, LINE);
		if (from)
			sink += memory_read(from, c->size, LINE);
	}
	if (c->bystander)
		sink += memory_read(b->other.at, b->l2 / 2, LINE);
}

size_t cell_extent(const struct cell *c)
{
	return c->extent && c->extent < c->size ? c->extent : c->size;
}

void cell_operate(const struct cell *c, const struct method *m, unsigned char *to, const unsigned char *from)
{
	size_t extent = cell_extent(c);

	for (size_t done = 0; done < c->size; done += extent) {
		size_t len = c->size - done < extent ? c->size - done : extent;

		if (from)
			method_copy(m, to + done, from + done, len);
		else
			method_clear(m, to + done, len);
	}
}

static void use(struct bench *b, const struct cell *c, unsigned char *to)
{
	if (c->touch && c->write)
		memory_write(to, c->size, c->touch * LINE);
	else if (c->touch)
		sink += memory_read(to, c->size, c->touch * LINE);
	if (c->bystander)
		sink += memory_read(b->other.at, b->l2 / 2, LINE);
}

static void verify(const struct cell *c, const struct method *m, const unsigned char *to, const unsigned char *from)
{
	/* What the use has written is not zero any more: check between the lines. */
	if (c->touch && c->write) {
		for (size_t line = 0; line < c->size; line += LINE) {
			size_t skip = line / LINE % c->touch ? 0 : 8;

			if (!memory_is_zero(to + line + skip, (c->size - line < LINE ? c->size - line : LINE) - skip))
				die(EXIT_FAILED, "%s left a byte that is not zero in the line at offset %zu of %zu", m->name,
				    line, c->size);
		}
	} else if (from ? memcmp(to, from, c->size) != 0 : !memory_is_zero(to, c->size)) {
		die(EXIT_FAILED, "%s left a wrong byte in %zu bytes", m->name, c->size);
	}
}

unsigned char *cell_destination(struct bench *b, const struct cell *c)
{
	unsigned char *to = b->arena.at + place(b, c->size);

	prepare(b, c, to, NULL);
	return to;
}

double cell_sample(struct bench *b, const struct cell *c, const struct method *m)
{
	size_t at = place(b, c->size);
	unsigned char *to = b->arena.at + at;
	const unsigned char *from = c->op == CLP_OP_COPY ? b->source.at + at : NULL;
	uint64_t start, ticks;

	prepare(b, c, to, from);
	start = clock_start();
	cell_operate(c, m, to, from);
	if (c->delay) {
		/* The other traffic is not what is measured: stop the clock around it. */
		ticks = clock_stop() - start;
		sink += memory_read(b->other.at, c->delay, LINE);
		start = clock_start() - ticks + clock_overhead();
	}
	use(b, c, to);
	ticks = clock_stop() - start;
	verify(c, m, to, from);
	memory_fill(to, c->size);
	return ticks > clock_overhead() ? (double)(ticks - clock_overhead()) : 1;
}
