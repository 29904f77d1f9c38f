/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - which row of a candidate is to be held against which row of the base.
 */
#ifndef MATCH_H
#define MATCH_H

#include "data.h"

/*
 * with[i]: the candidate's series for series i, where that is the base's and has one; else NULL. The same row first. What is
 * left: a field that has one value on each side (variant=stosb here, variant=avx2_nt there) is what is compared, and
 * passed over. Says what has no counterpart, unless quiet. Dies with status 1 where the two have nothing in common.
 */
void match_rows(const struct data *d, const struct machine *m, unsigned label, const struct series **with, bool quiet);

#endif
