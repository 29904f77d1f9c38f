// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fill.c - memset and memcpy: the same work as perf's for the functions that it has too, and the library's routines beside.
 *
 * perf's functions store the number of the loop, loop after loop within one timed stretch. Ours clear (or copy over) memory
 * that is not zero, so it is filled again before each loop, outside the timed part.
 */
#include <string.h>

#include "mem.h"

#define STEP ((size_t)64 << 20)

static void *(*volatile libc_memset)(void *, int, size_t) = memset;
static void *(*volatile libc_memcpy)(void *, const void *, size_t) = memcpy;

/* The C library's, through a pointer that no compiler sees through. */
static void *set_default(void *at, int value, size_t len)
{
	return libc_memset(at, value, len);
}

static void *copy_default(void *to, const void *from, size_t len)
{
	return libc_memcpy(to, from, len);
}

static size_t add_ours(struct function *f, unsigned op)
{
	static const struct {
		const char *name, *description;
	} hints[] = {
		{ "auto", "policy of the library, without a hint" },
		{ "hot", "policy of the library, used at once" },
		{ "cold", "policy of the library, used later" },
	};
	struct clp_variant_info info = { .sz = sizeof(info) };
	size_t n = 0;

	for (unsigned i = 0; i < clp_variant_count(op) && n < FUNCTIONS_MAX - 8; i++, n++) {
		clp_variant_get(op, i, &info);
		f[n] = (struct function){ .name = info.name, .description = info.description, .missing = info.missing };
		method_find(info.name, op, &f[n].method);
	}
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++, n++) {
		f[n] = (struct function){ .name = hints[i].name, .description = hints[i].description };
		method_find(hints[i].name, op, &f[n].method);
	}
	return n;
}

static size_t add_table(struct function *f, const struct function *table)
{
	size_t n = 0;

	for (; table[n].name; n++)
		f[n] = table[n];
	return n;
}

size_t memset_functions(struct function *f)
{
	size_t n = 1;

	f[0] = (struct function){ .name = "default", .description = "memset() of the C library", .set = set_default };
	n += add_table(f + n, x86_set_functions);
	return n + add_ours(f + n, CLP_OP_CLEAR);
}

size_t memcpy_functions(struct function *f)
{
	size_t n = 1;

	f[0] = (struct function){ .name = "default", .description = "memcpy() of the C library", .copy = copy_default };
	n += add_table(f + n, x86_copy_functions);
	return n + add_ours(f + n, CLP_OP_COPY);
}

/* Buffers of the run: the source only where it copies. */
struct buffers {
	struct region to_region, from_region;
	unsigned char *to, *from;
};

static bool copies(const struct mem *m)
{
	return !strcmp(m->bench, "mem/memcpy");
}

/* The policy copies pages by its interface, clp_copy_pages(). */
static const char *not_whole_pages(const struct mem *m, const struct function *f)
{
	if (!copies(m) || f->copy || f->method.kind != METHOD_POLICY ||
	    (m->size % 4096 == 0 && m->chunk % 4096 == 0 && m->offset % 4096 == 0))
		return NULL;
	return "it copies whole pages; give --size, --chunk and --offset as multiples of 4KB";
}

void fill_check(struct mem *m)
{
	size_t room = m->size + m->offset;

	if (m->chunk > m->size)
		die(EXIT_USAGE, "--chunk: %s is more than the size, %s", page_name(m->chunk), m->size_text);
	if (room < m->size)
		die(EXIT_USAGE, "--offset: %zu is too large", m->offset);
	if (!m->chunk)
		m->chunk = m->size;
	for (size_t i = 0; i < m->n_functions; i++) {
		m->functions[i].missing = not_whole_pages(m, &m->functions[i]);
		if (m->functions[i].missing && !m->all)
			die(EXIT_USAGE, "--function: '%s': %s", m->functions[i].name, m->functions[i].missing);
	}
	pages_need(&m->page, room, copies(m) ? 2 : 1, false, m->reserve);
}

static void get(const struct mem *m, struct region *r, unsigned char **at, int value)
{
	size_t room = m->size + m->offset;
	int err = region_map(r, room, &m->page, 0, -1);

	if (err)
		die(EXIT_FAILED, "--size: can't map %s on pages of %s: %s", m->size_text, page_name(m->page.size),
		    strerror(err));
	*at = r->at + m->offset;
	for (size_t done = 0; done < room && !interrupted; done += STEP) {
		libc_memset(r->at + done, value, room - done < STEP ? room - done : STEP);
		progress((double)done, (double)room, "touching memory for the first time");
	}
}

static inline size_t chunk_at(const struct mem *m, size_t done)
{
	return m->size - done < m->chunk ? m->size - done : m->chunk;
}

/* Where a loop is so long that it does not count within the timed stretch. */
static void tell(const struct mem *m, const struct function *f, unsigned loop)
{
	if (m->size >= STEP)
		progress(loop + 1, m->loops, f->name);
}

static void set_loops(const struct mem *m, const struct function *f, const struct buffers *b, struct meter *meter,
		      struct lap *lap)
{
	f->set(b->to, -1, m->size);
	meter_start(meter);
	for (unsigned i = 0; i < m->loops && !interrupted; i++) {
		for (size_t done = 0; done < m->size; done += m->chunk)
			f->set(b->to + done, (int)i, chunk_at(m, done));
		tell(m, f, i);
	}
	meter_stop(meter, lap);
}

static void copy_loops(const struct mem *m, const struct function *f, const struct buffers *b, struct meter *meter,
		       struct lap *lap)
{
	f->copy(b->to, b->from, m->size);
	meter_start(meter);
	for (unsigned i = 0; i < m->loops && !interrupted; i++) {
		for (size_t done = 0; done < m->size; done += m->chunk)
			f->copy(b->to + done, b->from + done, chunk_at(m, done));
		tell(m, f, i);
	}
	meter_stop(meter, lap);
}

static void method_loops(const struct mem *m, const struct function *f, const struct buffers *b, struct meter *meter,
			 struct lap *lap)
{
	for (unsigned i = 0; i < m->loops && !interrupted; i++) {
		/* Not the byte that is going to be there. */
		libc_memset(b->to, b->from && m->source == FILL ? ~FILL : FILL, m->size);
		meter_start(meter);
		for (size_t done = 0; done < m->size; done += m->chunk) {
			if (b->from)
				method_copy(&f->method, b->to + done, b->from + done, chunk_at(m, done));
			else
				method_clear(&f->method, b->to + done, chunk_at(m, done));
		}
		meter_stop(meter, lap);
		tell(m, f, i);
	}
}

/* Untimed: the bytes are those of the last loop. */
static void verify(const struct mem *m, const struct function *f, const struct buffers *b)
{
	unsigned char value = f->set ? (unsigned char)(m->loops - 1) : b->from ? (unsigned char)m->source : 0;

	if (b->to[0] != value || memcmp(b->to, b->to + 1, m->size - 1) != 0)
		die(EXIT_FAILED, "%s left a wrong byte in %s", f->name, m->size_text);
}

void fill_run(struct mem *m, const struct function *f)
{
	struct buffers b = { 0 };
	struct meter meter;

	m->used = m->page;
	format_function(m, f);
	get(m, &b.to_region, &b.to, 0);
	if (copies(m))
		get(m, &b.from_region, &b.from, m->source);
	meter_open(&meter, m->cycles);
	for (unsigned repeat = 0; repeat < m->repeat && !interrupted; repeat++) {
		struct result result = { .bytes = (uint64_t)m->size * m->loops, .faults = -1 };

		if (f->set)
			set_loops(m, f, &b, &meter, &result.lap);
		else if (f->copy)
			copy_loops(m, f, &b, &meter, &result.lap);
		else
			method_loops(m, f, &b, &meter, &result.lap);
		if (interrupted)
			break;
		verify(m, f, &b);
		format_sample(m, f, &result);
		progress(repeat + 1, m->repeat, f->name);
	}
	meter_close(&meter);
	region_unmap(&b.to_region);
	region_unmap(&b.from_region);
	format_figure(m, f);
}
