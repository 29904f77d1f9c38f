/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * lib.h - what the library's files share with each other: the table, the policy's words, the probe, the profile, the counters.
 *
 * The policy is a handful of words that are each read and written atomically (relaxed). Any mix of old and new words is
 * a correct policy, if not the best one: every routine they can name runs here. So no call ever waits for another.
 */
#ifndef CLP_LIB_H
#define CLP_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "clearpages.h"
#include "cpu.h"
#include "variant.h"

#define CLP_HINTS (CLP_HOT | CLP_COLD)
#define CLP_FLAGS (CLP_HINTS | CLP_NODRAIN | CLP_NOPROBE)
#define CLP_VARIANTS_MAX 64u
#define CLP_PROBED_MOST ((size_t)8 << 20) /* no machine's probe reaches further */
#define CLP_RADIUS_MAX 512u /* pages: as in the kernel module */

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define load(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define store(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)

/* variants.c. A row is an index into the whole table, an index (public) counts within one operation. */
extern const struct clp_variant clp_variants[];
extern const unsigned clp_variants_total;
extern clp_clear_fn clp_generic_clear;
extern clp_copy_fn clp_generic_copy;
int clp_variant_row(unsigned op, unsigned index);
unsigned clp_variant_index(unsigned row);
int clp_variant_lookup(unsigned op, const char *name, size_t len);

/*
 * A plan maps lengths to routines: rules in ascending order, each a length up to which (inclusive) its routine serves; the last
 * rule's length is CLP_RULE_MAX. One 64-bit word a rule, so that it is read whole.
 */
enum clp_plan {
	CLP_PLAN_HOT,          /* HOT where no probe was made, or it found the destination in cache */
	CLP_PLAN_HOT_UNCACHED, /* HOT where the probe did not */
	CLP_PLAN_COLD,
	CLP_PLAN_AUTO,     /* AUTO where no probe was made */
	CLP_PLAN_CACHED,   /* AUTO where the probe found the destination in cache */
	CLP_PLAN_UNCACHED, /* AUTO where it did not */
	CLP_PLAN_COPY_HOT,
	CLP_PLAN_COPY_COLD,
	CLP_PLAN_COPY_AUTO,
	CLP_PLANS
};

#define CLP_RULES 8u
#define CLP_RULE_MAX ((uint64_t)1 << 56)
#define CLP_RULE(upto, row) ((uint64_t)((upto) - 1) << 8 | (uint8_t)(row))
#define CLP_RULE_UPTO(rule) (((rule) >> 8) + 1)
#define CLP_RULE_ROW(rule) ((unsigned)((rule) & 0xff))

/* What measuring (or the defaults) decided. Only 64-bit words: see above. */
struct clp_tuning {
	uint64_t plan[CLP_PLANS][CLP_RULES];
	/* Of AUTO [0] and HOT [1], bytes, inclusive, below 4 GiB; 0, 0: never probe. */
	uint64_t probe_min[2], probe_max[2];
	uint64_t probe_limit; /* counter ticks: probes that take longer found memory that is not in cache */
};

extern const char *const clp_plan_names[CLP_PLANS];
unsigned clp_plan_op(enum clp_plan plan);

/*
 * What the calls read: a first cache line for all of them, and one line for each plan. A call that has not run for a while
 * finds them out of cache, and a miss costs as much as clearing a page.
 */
struct clp_policy {
	clp_clear_fn *fast; /* a temporal routine for any length and alignment: short clears, heads and tails */
	uint32_t fast_max[4];   /* by hint bits: up to this length nothing but *fast is needed; 0: always the long way */
	uint32_t cached_max[2]; /* AUTO, HOT: the same where the probe found the destination in cache */
	uint32_t probe_min[2], probe_max[2]; /* AUTO, HOT: bytes, inclusive; min 0: never probe */
	uint32_t probe_limit;   /* ticks */
	uint32_t slow;          /* a copy, or a clear the long way, has more to do: CLP_SLOW_* */
	uint64_t plan[CLP_PLANS][CLP_RULES] __attribute__((aligned(64)));
} __attribute__((aligned(64)));

#define CLP_SLOW_UNSELECTED 0x1u /* first use */
#define CLP_SLOW_COUNTERS   0x2u
#define CLP_SLOW_SANITIZER  0x4u
#define CLP_SLOW_TICKS      0x8u /* with COUNTERS: the time stamp counter may be read */

extern struct clp_policy clp_policy;
void clp_policy_select(void);
void clp_policy_set(const struct clp_tuning *to);
bool clp_policy_usable(unsigned row);
const char *clp_policy_missing(unsigned row); /* why it is not usable, else NULL */

/* defaults.c: the tuning built in for this processor. */
void clp_defaults(const struct clp_cpu *cpu, struct clp_tuning *tuning);

/* probe.c: may user space read the counter; can the probe be used; ticks of up to 4 overlapped loads, one a page. Without a probe: false, UINT64_MAX. */
bool clp_ticks_readable(void);
bool clp_probe_usable(void);
uint64_t clp_probe_ticks(void *addr, size_t len);

/* profile.c: 0, -EINVAL damaged, -ESTALE of another machine. On an error *tuning is undefined. */
int clp_profile_parse(const char *text, size_t len, const struct clp_cpu *cpu, struct clp_tuning *tuning);
#define CLP_PROFILE_SIZE_MAX 8192u
#define CLP_PROFILE_PATH "/etc/clearpages/profile"
void clp_profile_init(void);
void clp_warn(const char *variable, const char *value, size_t len, const char *what);

/* counters.c: begin gives the ticks, or 0 where nothing counts; add ends what begin began. */
uint64_t clp_counters_begin(uint32_t slow);
void clp_counters_add(uint32_t slow, unsigned row, size_t len, uint64_t start);

/* sanitizer.c: true where a sanitizer's runtime is in this process. */
bool clp_sanitizer_present(void);
void clp_sanitizer_write(void *addr, size_t len);
void clp_sanitizer_copy(void *dst, const void *src, size_t len);

static inline bool clp_wraps(const void *addr, size_t len)
{
	return (uintptr_t)addr > UINTPTR_MAX - len;
}

/* What no call that clears accepts. */
static inline bool clp_refused(const void *addr, size_t len, unsigned flags)
{
	return flags & ~CLP_FLAGS || (flags & CLP_HINTS) == CLP_HINTS || clp_wraps(addr, len);
}

static inline uint64_t clp_nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
