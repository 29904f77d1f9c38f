/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.c - the list of what is checked, and how each is called.
 */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "emulate.h"

static void set_call(struct call *c, uintptr_t fn, uint64_t a, uint64_t b, uint64_t d, uint64_t e)
{
	c->fn = fn;
	c->args[0] = a;
	c->args[1] = b;
	c->args[2] = d;
	c->args[3] = e;
}

static unsigned free_flags(uint64_t choice)
{
	return (choice & 1 ? CLP_NODRAIN : 0) | (choice & 2 ? CLP_NOPROBE : 0);
}

static void directly(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	(void)choice;
	if (e->variant->op == CLP_OP_CLEAR)
		set_call(c, (uintptr_t)e->variant->fn.clear, (uintptr_t)dst, len, 0, 0);
	else
		set_call(c, (uintptr_t)e->variant->fn.copy, (uintptr_t)dst, (uintptr_t)src, len, 0);
}

/* Past the availability check: what is emulated is not available. */
static void run(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	(void)choice;
	if (e->variant->op == CLP_OP_CLEAR)
		set_call(c, (uintptr_t)clp_run_clear, (uintptr_t)e->variant, (uintptr_t)dst, len, 0);
	else
		set_call(c, (uintptr_t)clp_run_copy, (uintptr_t)e->variant, (uintptr_t)dst, (uintptr_t)src, len);
}

static void clear_with(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	unsigned index = clp_variant_index((unsigned)(e->variant - clp_variants));

	(void)src;
	set_call(c, (uintptr_t)clp_clear_with, index, (uintptr_t)dst, len, free_flags(choice));
}

/* A fifth argument, which struct call does not have. */
static int copy_with_flags(const struct entry *e, void *dst, const void *src, size_t len)
{
	unsigned index = clp_variant_index((unsigned)(e->variant - clp_variants));

	return clp_copy_with(index, dst, src, len, len & 1 ? CLP_NODRAIN : 0);
}

static void copy_with(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	(void)choice;
	set_call(c, (uintptr_t)copy_with_flags, (uintptr_t)e, (uintptr_t)dst, (uintptr_t)src, len);
}

static void clear(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	(void)src;
	set_call(c, (uintptr_t)clp_clear, (uintptr_t)dst, len, e->hint | free_flags(choice), 0);
}

static unsigned any_hint(uint64_t choice)
{
	static const unsigned hints[] = { 0, CLP_HOT, CLP_COLD, 0 };

	return hints[choice >> 2 & 3];
}

static void clear_pages(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	(void)src;
	set_call(c, (uintptr_t)clp_clear_pages, (uintptr_t)dst, len / e->granule, any_hint(choice) | free_flags(choice), 0);
}

static void copy_pages(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	set_call(c, (uintptr_t)clp_copy_pages, (uintptr_t)dst, (uintptr_t)src, len / e->granule,
		 any_hint(choice) | free_flags(choice));
}

static void explicit(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice)
{
	(void)e;
	(void)src;
	(void)choice;
	set_call(c, (uintptr_t)clp_clear_explicit, (uintptr_t)dst, len, 0, 0);
}

static enum call_upper upper_of(const struct clp_variant *v)
{
	if (v->needs & (CLP_NEED_AVX2 | CLP_NEED_AVX512))
		return CALL_UPPER_ZERO;
	/* Compiled code: the compiler may have been told to use AVX. */
	if (v->fn.clear == clp_generic_clear || v->fn.copy == clp_generic_copy)
		return CALL_UPPER_EITHER;
	return CALL_UPPER_KEPT;
}

void target_variant(struct target *t, const struct clp_variant *v, int index, bool emulated)
{
	bool is_clear = v->op == CLP_OP_CLEAR;

	*t = (struct target){ .op = v->op, .emulated = emulated, .entries = 2 };
	snprintf(t->name, sizeof(t->name), "%s/%s", is_clear ? "clear" : "copy", v->name);
	t->entry[0] = (struct entry){
		.how = "called directly",
		.prepare = directly,
		.variant = v,
		.granule = v->granule,
		.alignment = v->alignment,
		.source_alignment = 1,
		.returns = is_clear,
		.upper = upper_of(v),
	};
	t->entry[1] = (struct entry){
		.how = "through clp_run",
		.prepare = run,
		.variant = v,
		.granule = 1,
		.alignment = 1,
		.source_alignment = 1,
		.upper = CALL_UPPER_EITHER,
	};
	if (index >= 0) {
		t->entry[1].how = is_clear ? "through clp_clear_with" : "through clp_copy_with";
		t->entry[1].prepare = is_clear ? clear_with : copy_with;
		t->entry[1].returns = true;
	}
}

/* Disabled by the user is not for the emulator: only what the processor or system lacks. */
static void find_way(struct target *t, unsigned row, const struct clp_cpu *cpu, bool emulate)
{
	const struct clp_variant *v = &clp_variants[row];
	const char *missing = clp_policy_missing(row);
	bool lacking = clp_cpu_missing(cpu, v->needs) != NULL;

	if (missing && lacking && emulate) {
		const char *reason = emulate_missing(cpu, v->needs);

		target_variant(t, v, -1, true);
		t->skip = reason;
		return;
	}
	target_variant(t, v, (int)clp_variant_index(row), false);
	t->skip = missing;
}

static const struct {
	const char *name;
	unsigned op;
	unsigned hint;
	bool pages;
	void (*prepare)(const struct entry *e, struct call *c, void *dst, const void *src, size_t len, uint64_t choice);
	const char *how;
} policy[] = {
	{ "policy/auto", CLP_OP_CLEAR, 0, false, clear, "through clp_clear" },
	{ "policy/hot", CLP_OP_CLEAR, CLP_HOT, false, clear, "through clp_clear" },
	{ "policy/cold", CLP_OP_CLEAR, CLP_COLD, false, clear, "through clp_clear" },
	{ "policy/clear_pages", CLP_OP_CLEAR, 0, true, clear_pages, "through clp_clear_pages" },
	{ "policy/copy_pages", CLP_OP_COPY, 0, true, copy_pages, "through clp_copy_pages" },
	{ "policy/explicit", CLP_OP_CLEAR, 0, false, explicit, "through clp_clear_explicit" },
};

#define POLICIES (sizeof(policy) / sizeof(policy[0]))

struct target *target_list(bool emulate, size_t *n)
{
	struct target *list = calloc(clp_variants_total + POLICIES, sizeof(*list));
	struct clp_cpu cpu;

	if (!list)
		die(EXIT_FAILED, "out of memory");
	clp_cpu_detect(&cpu);
	*n = 0;
	for (unsigned row = 0; row < clp_variants_total; row++)
		find_way(&list[(*n)++], row, &cpu, emulate);
	for (size_t i = 0; i < POLICIES; i++) {
		size_t page = policy[i].pages ? clp_cpu_page() : 1;
		struct target *t = &list[(*n)++];

		t->op = policy[i].op;
		t->policy = true;
		t->entries = 1;
		snprintf(t->name, sizeof(t->name), "%s", policy[i].name);
		t->entry[0] = (struct entry){
			.how = policy[i].how,
			.prepare = policy[i].prepare,
			.granule = page,
			.alignment = page,
			.source_alignment = page,
			.returns = true,
			.upper = CALL_UPPER_EITHER,
			.hint = policy[i].hint,
		};
	}
	return list;
}
