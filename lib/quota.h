/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * quota.h - how many processors this thread may keep busy: its affinity mask and its control group's quota.
 */
#ifndef CLP_QUOTA_H
#define CLP_QUOTA_H

#define CLP_CPUS_MOST 8192 /* of a mask; the kernel's most on x86 */

/* At least 1. The mask of the calling thread goes to *mask, `size` bytes of a cpu_set_t that may be larger than the standard one. */
unsigned clp_cpu_limit(void *mask, unsigned long size);

#endif
