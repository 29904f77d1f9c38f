// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * huge.c - regions of more than 4 GiB are cleared and copied to their very end: nowhere is a length truncated to 32 bits.
 *
 * The address range is real, the memory is not: its middle maps one small file again and again. Both ends are files of their own,
 * so that a clear that stopped early leaves the last one dirty.
 */
#include "unit.h"

#define END_LEN (2 * MiB)
#define MIDDLE_LEN (64 * MiB)
#define SPAN (4 * GiB + 2 * MIDDLE_LEN)
#define FILL 0x77

struct range {
	unsigned char *at;
	size_t len;
};

static void map_at(void *at, int fd, size_t len, off_t offset)
{
	if (mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) != at)
		fail_msg("mmap: %s", strerror(errno));
}

static struct range make_range(void)
{
	struct range r = { NULL, END_LEN + SPAN + END_LEN };
	int fd = memfd_create("huge", MFD_CLOEXEC);
	unsigned char *p;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(MIDDLE_LEN + 2 * END_LEN)), 0);
	p = mmap(NULL, r.len + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	r.at = p + PAGE;
	map_at(r.at, fd, END_LEN, (off_t)MIDDLE_LEN);
	for (size_t at = 0; at < SPAN; at += MIDDLE_LEN)
		map_at(r.at + END_LEN + at, fd, MIDDLE_LEN, 0);
	map_at(r.at + END_LEN + SPAN, fd, END_LEN, (off_t)(MIDDLE_LEN + END_LEN));
	close(fd);
	return r;
}

static void dirty(struct range r)
{
	memset(r.at, FILL, END_LEN + MIDDLE_LEN);
	memset(r.at + r.len - END_LEN, FILL, END_LEN);
}

static bool clean(struct range r)
{
	return all(r.at, END_LEN + MIDDLE_LEN, 0) && all(r.at + r.len - END_LEN, END_LEN, 0);
}

static void clear_by_each_hint(void **state)
{
	struct range *r = *state;

	clp_counters_enable(1);
	for (unsigned hint = 0; hint <= CLP_COLD; hint++) {
		struct clp_counters before, after;
		unsigned index;

		assert_int_equal(clp_choice(CLP_OP_CLEAR, r->len, hint, 0, &index, NULL), 0);
		before = counters_of(CLP_OP_CLEAR, index);
		dirty(*r);
		assert_int_equal(clp_clear(r->at, r->len, hint), 0);
		assert_true(clean(*r));
		after = counters_of(CLP_OP_CLEAR, index);
		assert_true(after.bytes[1] - before.bytes[1] == r->len);
		assert_int_equal(after.calls[1] - before.calls[1], 1);
	}
	clp_counters_enable(0);
}

static void clear_pages_and_odd_ends(void **state)
{
	struct range *r = *state;

	dirty(*r);
	assert_int_equal(clp_clear_pages(r->at, r->len / PAGE, CLP_COLD), 0);
	assert_true(clean(*r));
	dirty(*r);
	assert_int_equal(clp_clear(r->at + 3, r->len - 8, CLP_HOT), 0);
	assert_true(all(r->at, 3, FILL) && all(r->at + 3, END_LEN - 3, 0));
	assert_true(all(r->at + r->len - 5, 5, FILL) && all(r->at + r->len - END_LEN, END_LEN - 5, 0));
}

static void clear_explicit(void **state)
{
	struct range *r = *state;

	dirty(*r);
	assert_int_equal(clp_clear_explicit(r->at, r->len), 0);
	assert_true(clean(*r));
}

static void copy(void **state)
{
	struct range *to = *state;
	struct range from = make_range();

	memset(from.at, 0x11, END_LEN);
	memset(from.at + END_LEN, 0x22, MIDDLE_LEN);
	memset(from.at + from.len - END_LEN, 0x33, END_LEN);
	dirty(*to);
	assert_int_equal(clp_copy_pages(to->at, from.at, from.len / PAGE, CLP_COLD), 0);
	assert_true(all(to->at, END_LEN, 0x11));
	assert_true(all(to->at + END_LEN, MIDDLE_LEN, 0x22));
	assert_true(all(to->at + to->len - END_LEN, END_LEN, 0x33));
	munmap(from.at - PAGE, from.len + 2 * PAGE);
}

static int setup(void **state)
{
	static struct range r;

	r = make_range();
	*state = &r;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clear_by_each_hint),
		cmocka_unit_test(clear_pages_and_odd_ends),
		cmocka_unit_test(clear_explicit),
		cmocka_unit_test(copy),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
