/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * variants.c - the table of routines, expanded from the architectures' variants.def, and the calls that list and find them.
 */
#include <errno.h>
#include <string.h>

#include "lib.h"

#define ROW_FN_clear(function) .clear = function
#define ROW_FN_copy(function) .copy = function
#define NONTEMPORAL CLP_TRAIT_NONTEMPORAL
#define WEAK CLP_TRAIT_WEAK
#define STRING CLP_TRAIT_STRING
#define VECTOR 0 /* uses vector registers: of interest to the kernel module alone */
#define OP_clear CLP_OP_CLEAR
#define OP_copy CLP_OP_COPY

/* First the functions' declarations, then the rows. */
#define VARIANT(name, op, ...) extern clp_##op##_fn clp_generic_##op;
#include "arch/generic/variants.def"
#undef VARIANT
#if defined(__x86_64__)
#define VARIANT(name, op, ...) extern clp_##op##_fn clp_x86_##op##_##name;
#include "arch/x86/variants.def"
#undef VARIANT
#endif

#define ROW(function, row_name, row_op, row_needs, row_traits, row_granule, row_alignment, row_description) \
	{ .name = #row_name, .description = row_description, .op = OP_##row_op, .needs = CLP_NEED_##row_needs, \
	  .traits = row_traits, .granule = row_granule, .alignment = row_alignment, .fn = { ROW_FN_##row_op(function) } },

const struct clp_variant clp_variants[] = {
#define VARIANT(name, op, ...) ROW(clp_generic_##op, name, op, __VA_ARGS__)
#include "arch/generic/variants.def"
#undef VARIANT
#if defined(__x86_64__)
#define VARIANT(name, op, ...) ROW(clp_x86_##op##_##name, name, op, __VA_ARGS__)
#include "arch/x86/variants.def"
#undef VARIANT
#endif
};

const unsigned clp_variants_total = sizeof(clp_variants) / sizeof(clp_variants[0]);

_Static_assert(sizeof(clp_variants) / sizeof(clp_variants[0]) <= CLP_VARIANTS_MAX, "raise CLP_VARIANTS_MAX");

/* The table mixes the operations; a public index counts within one. */
int clp_variant_row(unsigned op, unsigned index)
{
	for (unsigned row = 0; row < clp_variants_total; row++)
		if (clp_variants[row].op == op && index-- == 0)
			return (int)row;
	return -ENOENT;
}

unsigned clp_variant_index(unsigned row)
{
	unsigned index = 0;

	for (unsigned i = 0; i < row; i++)
		index += clp_variants[i].op == clp_variants[row].op;
	return index;
}

int clp_variant_lookup(unsigned op, const char *name, size_t len)
{
	for (unsigned row = 0; row < clp_variants_total; row++) {
		const struct clp_variant *v = &clp_variants[row];

		if (v->op == op && strlen(v->name) == len && !memcmp(v->name, name, len))
			return (int)row;
	}
	return -ENOENT;
}

unsigned clp_variant_count(unsigned op)
{
	unsigned n = 0;

	for (unsigned row = 0; row < clp_variants_total; row++)
		n += clp_variants[row].op == op;
	return n;
}

int clp_variant_find(unsigned op, const char *name)
{
	int row;

	if (!name)
		return -EINVAL;
	row = clp_variant_lookup(op, name, strlen(name));
	return row < 0 ? row : (int)clp_variant_index((unsigned)row);
}

int clp_variant_get(unsigned op, unsigned index, struct clp_variant_info *info)
{
	const struct clp_variant *v;
	int row;

	if (!info || info->sz < sizeof(*info))
		return -EINVAL;
	row = clp_variant_row(op, index);
	if (row < 0)
		return row;
	v = &clp_variants[row];
	info->name = v->name;
	info->description = v->description;
	info->missing = clp_policy_missing((unsigned)row);
	info->op = v->op;
	info->traits = v->traits;
	info->granule = v->granule;
	info->alignment = v->alignment;
	return 0;
}
