/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * broken.h - the routines of broken_x86.S.
 */
#ifndef TEST_BROKEN_H
#define TEST_BROKEN_H

#include "../../lib/variant.h"

extern clp_clear_fn broken_direction, broken_rbx, broken_rbp, broken_r12, broken_r15, broken_stack, broken_alignment_check,
	broken_mxcsr, broken_x87, broken_mmx, broken_result, broken_instruction, broken_upper_dirty, broken_upper_changed,
	broken_aligned_store, broken_aligned_zmm, broken_aligned_movdir64b, broken_zmm_part, broken_clzero_below;
extern clp_copy_fn broken_zmm_dirty;

#endif
