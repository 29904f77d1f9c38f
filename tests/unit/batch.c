// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch.c - clp_clear_batched(): what it says is clear is, and the rest untouched, wherever it is told to stop; and it is told in time.
 */
#include <time.h>

#include "unit.h"

#define FILL 0x5a

struct watch {
	unsigned calls, stop_at; /* 0: never */
	size_t done, len, largest;
	unsigned char *at;
};

static int between(void *arg, size_t done, size_t len)
{
	struct watch *w = arg;

	w->calls++;
	if (done - w->done > w->largest)
		w->largest = done - w->done;
	w->done = done;
	w->len = len;
	return w->stop_at && w->calls == w->stop_at;
}

static struct clp_batch_options watched(struct watch *w, size_t batch)
{
	return (struct clp_batch_options){ .sz = sizeof(struct clp_batch_options), .batch = batch, .between = between, .arg = w };
}

static void clears_all(void **state)
{
	const size_t lens[] = { 0, 1, 100, PAGE, 3 * PAGE + 5, 1 * MiB, 5 * MiB + 77, 20 * MiB };
	const size_t batches[] = { 0, PAGE, 64 * KiB, 1 * MiB + 3, 64 * MiB };
	size_t room = 21 * MiB;
	unsigned char *p = guarded(room);

	(void)state;
	for (size_t l = 0; l < COUNT(lens); l++) {
		for (size_t b = 0; b < COUNT(batches); b++) {
			unsigned flags = all_hints[(l + b) % COUNT(all_hints)];
			struct watch w = { 0 };
			struct clp_batch_options o = watched(&w, batches[b]);

			memset(p, FILL, room);
			assert_int_equal(clp_clear_batched(p + 1, lens[l], flags, &o), lens[l]);
			assert_true(p[0] == FILL && all(p + 1, lens[l], 0) && all(p + 1 + lens[l], room - 1 - lens[l], FILL));
			assert_true(w.largest <= (batches[b] ? batches[b] : 8 * MiB));
			assert_true(!w.calls || (w.len == lens[l] && w.done < lens[l]));
		}
	}
	memset(p, FILL, room);
	assert_int_equal(clp_clear_batched(p, room, CLP_COLD, NULL), room);
	assert_true(all(p, room, 0));
	unguard(p, room);
}

static void stops_where_it_says(void **state)
{
	size_t room = 16 * MiB;
	unsigned char *p = guarded(room);

	(void)state;
	for (unsigned stop = 1; stop < 8; stop++) {
		struct watch w = { .stop_at = stop };
		struct clp_batch_options o = watched(&w, 1 * MiB);
		ptrdiff_t clear;

		memset(p, FILL, room);
		clear = clp_clear_batched(p, room, 0, &o);
		assert_true(clear > 0 && (size_t)clear == w.done && (size_t)clear <= stop * MiB);
		assert_int_equal(w.calls, stop);
		assert_true(all(p, (size_t)clear, 0) && all(p + clear, room - (size_t)clear, FILL));
	}
	unguard(p, room);
}

/* The callback clears in batches itself. */
static int recursive(void *arg, size_t done, size_t len)
{
	struct watch *w = arg, inner = { 0 };
	struct clp_batch_options o = watched(&inner, PAGE);

	(void)done;
	(void)len;
	w->calls++;
	memset(w->at, FILL, 4 * PAGE);
	assert_int_equal(clp_clear_batched(w->at, 4 * PAGE, CLP_HOT, &o), 4 * PAGE);
	assert_int_equal(inner.calls, 3);
	assert_true(all(w->at, 4 * PAGE, 0));
	/* And with threads. */
	memset(w->at, FILL, 9 * MiB);
	assert_int_equal(clp_clear_parallel(w->at, 9 * MiB, CLP_COLD, NULL), 0);
	assert_true(all(w->at, 9 * MiB, 0));
	return 0;
}

static void callback_clears(void **state)
{
	size_t room = 4 * MiB;
	unsigned char *p = guarded(room), *other = guarded(9 * MiB);
	struct watch w = { .at = other };
	struct clp_batch_options o = { .sz = sizeof(o), .batch = 512 * KiB, .between = recursive, .arg = &w };

	(void)state;
	memset(p, FILL, room);
	assert_int_equal(clp_clear_batched(p, room, CLP_COLD | CLP_NOPROBE, &o), room);
	assert_int_equal(w.calls, 7);
	assert_true(all(p, room, 0));
	unguard(p, room);
	unguard(other, 9 * MiB);
}

/* Memory that was never touched is slow: steps get short there, so that the caller is asked often. */
static void fresh_memory_in_steps(void **state)
{
	size_t room = 256 * MiB;
	unsigned char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct watch w = { .stop_at = 12 };
	struct clp_batch_options o = watched(&w, 64 * MiB);
	ptrdiff_t clear;

	(void)state;
	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, room, MADV_NOHUGEPAGE);
	clear = clp_clear_batched(p, room, 0, &o);
	/* Whatever the batch, and however fast this machine is. */
	assert_true(clear > 0 && (size_t)clear == w.done);
	assert_int_equal(w.calls, 12);
	assert_true(w.largest <= 2 * MiB);
	assert_true(all(p, (size_t)clear, 0));
	munmap(p, room);
}

/* What was fast until here is no reason for a long step into memory that is not there. */
static int fresh_steps(void *arg, size_t done, size_t len)
{
	struct watch *w = arg;

	(void)len;
	if (done > 64 * MiB && done - w->done > w->largest)
		w->largest = done - w->done;
	w->done = done;
	w->calls++;
	return 0;
}

static void fresh_memory_after_resident(void **state)
{
	size_t room = 80 * MiB;
	unsigned char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct watch w = { 0 };
	struct clp_batch_options o = { .sz = sizeof(o), .between = fresh_steps, .arg = &w };

	(void)state;
	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, room, MADV_NOHUGEPAGE);
	memset(p, FILL, 64 * MiB);
	errno = 12345;
	assert_int_equal(clp_clear_batched(p, room, CLP_COLD, &o), room);
	assert_int_equal(errno, 12345);
	assert_true(w.largest > 0 && w.largest <= 2 * MiB);
	assert_true(all(p, room, 0));
	munmap(p, room);
}

static void refuses(void **state)
{
	unsigned char *p = guarded(PAGE);
	struct clp_batch_options o = { .sz = sizeof(o) };

	(void)state;
	memset(p, FILL, PAGE);
	errno = 12345;
	assert_int_equal(clp_clear_batched(p, PAGE, CLP_HOT | CLP_COLD, &o), -EINVAL);
	assert_int_equal(clp_clear_batched(p, PAGE, 0x10, NULL), -EINVAL);
	assert_int_equal(clp_clear_batched(p, SIZE_MAX, 0, NULL), -EINVAL);
	assert_int_equal(clp_clear_batched((void *)16, SIZE_MAX / 2 + 1, 0, NULL), -EINVAL);
	o.batch = PAGE - 1;
	assert_int_equal(clp_clear_batched(p, PAGE, 0, &o), -EINVAL);
	o.batch = 0;
	o.sz = sizeof(o) - 1;
	assert_int_equal(clp_clear_batched(p, PAGE, 0, &o), -EINVAL);
	assert_true(all(p, PAGE, FILL));
	assert_int_equal(errno, 12345);
	unguard(p, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clears_all),		cmocka_unit_test(stops_where_it_says),
		cmocka_unit_test(callback_clears),	cmocka_unit_test(fresh_memory_in_steps),
		cmocka_unit_test(fresh_memory_after_resident), cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
