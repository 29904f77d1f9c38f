/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * large.c - the long way of each function: large calls go to the library, and where they are counted, one of 16 to libc. Calls that come
 * before the setup are served by loops that need nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "preload.h"

typedef uint64_t word __attribute__((aligned(1), may_alias));

/* What libc calls where a fortified program would write past its buffer: ends the process. */
extern void __chk_fail(void) __attribute__((weak));

static _Noreturn void overflow(void)
{
	if (__chk_fail)
		__chk_fail();
	abort();
}

static void early_fill(void *at, int byte, size_t len)
{
	uint64_t pattern = (unsigned char)byte * UINT64_C(0x0101010101010101);
	unsigned char *p = at;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word))
		*(word *)p = pattern;
	while (len--)
		*p++ = (unsigned char)byte;
}

static void early_move(void *to, const void *from, size_t len)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if ((uintptr_t)to - (uintptr_t)from >= len) {
		clp_generic_copy(to, from, len);
		return;
	}
	while (len--)
		d[len] = s[len];
}

/* What a call of a kind is, done by us (false: it is none of ours, and nothing has been written) and by libc. */
static bool our_clear(void *at, const void *from, size_t len)
{
	(void)from;
	return !clp_clear(at, len, 0);
}

static bool our_erase(void *at, const void *from, size_t len)
{
	(void)from;
	return !clp_clear_explicit(at, len);
}

/* Regions that overlap are refused, and so end up in libc's memmove. */
static bool our_copy(void *to, const void *from, size_t len)
{
	unsigned index;

	return !clp_choice(CLP_OP_COPY, len, 0, 0, &index, NULL) && !clp_copy_with(index, to, from, len, 0);
}

static void libc_clear(void *at, const void *from, size_t len)
{
	(void)from;
	preload_next.memset(at, 0, len);
}

static void libc_copy(void *to, const void *from, size_t len)
{
	preload_next.memmove(to, from, len);
}

static const struct {
	bool (*ours)(void *to, const void *from, size_t len);
	void (*libc)(void *to, const void *from, size_t len);
} calls[] = {
	[PRELOAD_CLEAR] = { our_clear, libc_clear },
	[PRELOAD_ERASE] = { our_erase, libc_clear },
	[PRELOAD_COPY] = { our_copy, libc_copy },
};

static unsigned class_of(size_t len)
{
	unsigned log2 = 63 - (unsigned)__builtin_clzll(len | (size_t)1 << PRELOAD_CLASS_SHIFT);
	unsigned class = log2 - PRELOAD_CLASS_SHIFT;

	return class < PRELOAD_CLASSES ? class : PRELOAD_CLASSES - 1;
}

static void add(uint64_t *to, uint64_t n)
{
	__atomic_fetch_add(to, n, __ATOMIC_RELAXED);
}

/*
 * One of each 16 calls is libc's, but not always the first of them: a program that clears 16 buffers in turn would have libc clear
 * the same one for ever.
 */
static bool is_libcs(uint64_t turn)
{
	return turn % 16 == ((turn / 16 + 1) * UINT64_C(0x9e3779b97f4a7c15)) >> 60;
}

/*
 * What is compared lies side by side in time, since programs change. In every other 16 the partner of libc's call is ours before
 * it, in the rest ours after it, so that a drift favours neither.
 */
enum role { ROLE_NONE, ROLE_BEFORE, ROLE_LIBC_AFTER, ROLE_LIBC_BEFORE, ROLE_AFTER };

static enum role role_of(uint64_t turn)
{
	if (is_libcs(turn))
		return turn / 16 % 2 ? ROLE_LIBC_AFTER : ROLE_LIBC_BEFORE;
	if (is_libcs(turn + 1) && (turn + 1) / 16 % 2)
		return ROLE_BEFORE;
	return turn && is_libcs(turn - 1) && (turn - 1) / 16 % 2 == 0 ? ROLE_AFTER : ROLE_NONE;
}

/* What makes a call's time none of its own: pages that it faulted in, and times at which another thread had the processor. */
struct disturbance {
	long faults, switches;
};

static struct disturbance disturbances(void)
{
	struct disturbance d = { 0 };
	struct rusage usage;

	if (!getrusage(RUSAGE_THREAD, &usage)) {
		d.faults = usage.ru_minflt + usage.ru_majflt;
		d.switches = usage.ru_nvcsw + usage.ru_nivcsw;
	}
	return d;
}

/* The time by which a call is compared. A fault costs as much as clearing the page; of a call that was interrupted nothing is known. */
static uint64_t undisturbed(uint64_t ns, struct disturbance before)
{
	struct disturbance after = disturbances();

	if (after.faults != before.faults)
		return PRELOAD_FAULTED;
	return after.switches == before.switches ? ns : 0;
}

static void add_pair(struct preload_cell *cell, unsigned class, uint64_t libc_ns, uint64_t our_ns)
{
	double gain = (double)libc_ns - (double)our_ns, square = gain * gain / (double)(UINT64_C(1) << (class & ~1u));

	if (libc_ns == PRELOAD_FAULTED || our_ns == PRELOAD_FAULTED) {
		add(&cell->pairs.faulted, 1);
		return;
	}
	add(&cell->pairs.n, 1);
	add(&cell->pairs.libc_ns, libc_ns);
	add(&cell->pairs.sum, libc_ns - our_ns);
	/* What stood still for hours must not make it run over. */
	add(&cell->pairs.squares, square < 0x1p56 ? (uint64_t)square : UINT64_C(1) << 56);
}

/* With threads a partner may be late, and another takes its place, or it is missed. */
static void compare(struct preload_cell *cell, enum role role, unsigned class, uint64_t ns)
{
	uint64_t other;

	switch (role) {
	case ROLE_BEFORE:
		store(cell->before, ns);
		break;
	case ROLE_LIBC_AFTER:
		other = __atomic_exchange_n(&cell->before, 0, __ATOMIC_RELAXED);
		if (ns && other)
			add_pair(cell, class, ns, other);
		break;
	case ROLE_LIBC_BEFORE:
		store(cell->after, ns);
		break;
	case ROLE_AFTER:
		other = __atomic_exchange_n(&cell->after, 0, __ATOMIC_RELAXED);
		if (ns && other)
			add_pair(cell, class, other, ns);
		break;
	default:
		break;
	}
}

/* One call, by us or by libc: which of both it was in the end. */
static enum preload_side do_timed(enum preload_call call, void *to, const void *from, size_t len, bool ours, uint64_t *ns)
{
	uint64_t start = clp_nanoseconds(CLOCK_MONOTONIC);

	ours = ours && calls[call].ours(to, from, len);
	if (!ours)
		calls[call].libc(to, from, len);
	*ns = clp_nanoseconds(CLOCK_MONOTONIC) - start;
	return ours ? PRELOAD_OURS : PRELOAD_LIBC;
}

static void do_counted(struct preload_cell *cell, enum preload_call call, unsigned class, void *to, const void *from, size_t len)
{
	enum role role = role_of(__atomic_fetch_add(&cell->turn, 1, __ATOMIC_RELAXED));
	struct disturbance before = role ? disturbances() : (struct disturbance){ 0 };
	enum preload_side side;
	uint64_t ns;

	side = do_timed(call, to, from, len, role != ROLE_LIBC_AFTER && role != ROLE_LIBC_BEFORE, &ns);
	if (role)
		compare(cell, role, class, undisturbed(ns, before));
	add(&cell->bytes, len);
	add(&cell->side[side].calls, 1);
	add(&cell->side[side].ns, ns);
}

/* False: nothing is counted. errno: opening a forked child's file may change it, and memset() may not. */
static __attribute__((noinline)) bool counted(enum preload_call call, void *to, const void *from, size_t len)
{
	unsigned class = class_of(len);
	struct preload_file *file;
	int saved = errno;

	file = preload_counts();
	if (file)
		do_counted(&file->cells[call][class], call, class, to, from, len);
	errno = saved;
	return file;
}

static void do_large(enum preload_call call, void *to, const void *from, size_t len)
{
	if (preload_next.counting && counted(call, to, from, len))
		return;
	if (!calls[call].ours(to, from, len))
		calls[call].libc(to, from, len);
}

void *preload_memset(void *at, int byte, size_t len)
{
	if (unlikely(!preload_next.large))
		early_fill(at, byte, len);
	else if ((unsigned char)byte)
		preload_next.memset(at, byte, len);
	else
		do_large(PRELOAD_CLEAR, at, NULL, len);
	return at;
}

void *preload_memset_checked(void *at, int byte, size_t len, size_t room)
{
	if (len > room)
		overflow();
	return preload_memset(at, byte, len);
}

void preload_erase(void *at, size_t len)
{
	if (unlikely(!preload_next.large))
		early_fill(at, 0, len);
	else
		do_large(PRELOAD_ERASE, at, NULL, len);
}

void preload_erase_checked(void *at, size_t len, size_t room)
{
	if (len > room)
		overflow();
	preload_erase(at, len);
}

void *preload_copy(void *to, const void *from, size_t len)
{
	if (unlikely(!preload_next.large))
		early_move(to, from, len);
	else
		do_large(PRELOAD_COPY, to, from, len);
	return to;
}

void *preload_copy_checked(void *to, const void *from, size_t len, size_t room)
{
	if (len > room)
		overflow();
	return preload_copy(to, from, len);
}

/*
 * Before the setup calloc is malloc and a clear: whoever provides malloc in this process also frees what it gave, so that no
 * memory of our own comes into the program's hands.
 */
static void *early_calloc(size_t n, size_t size)
{
	size_t len;
	void *at;

	if (__builtin_mul_overflow(n, size, &len)) {
		errno = ENOMEM;
		return NULL;
	}
	at = malloc(len);
	if (at)
		early_fill(at, 0, len);
	return at;
}

void *preload_calloc(size_t n, size_t size)
{
	struct preload_cell *cell;
	struct preload_file *file;
	size_t len;

	if (unlikely(!preload_next.calloc_large))
		return early_calloc(n, size);
	file = preload_next.counting ? preload_counts() : NULL;
	if (file && !__builtin_mul_overflow(n, size, &len)) {
		cell = &file->cells[PRELOAD_CALLOC][class_of(len)];
		add(&cell->turn, 1);
		add(&cell->bytes, len);
		add(&cell->side[PRELOAD_LIBC].calls, 1);
	}
	return preload_next.calloc(n, size);
}
