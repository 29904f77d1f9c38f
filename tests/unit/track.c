// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * track.c - clp_recycle() with CLP_TRACKED: whatever is done to the memory between two rounds, no byte stays that is not zero; and what was not written
 * is left alone. Rounds are made to track, rest or sample, for whether that pays is a matter of the machine.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "../../lib/learn.h"
#include "filter.h"
#include "unit.h"

#define FILL 0x5a
#define LEN (8 * MiB)

/* As if earlier rounds had said that tracking costs nothing, or that it costs all. */
static void decide(struct clp_recycler *r, bool pays)
{
	struct clp_learnt l;

	memcpy(&l, r->state, sizeof(l));
	l.whole = pays ? 1e9f : 1e-9f;
	l.watch = l.written = l.fault = pays ? 1e-9f : 1e9f;
	memcpy(r->state, &l, sizeof(l));
}

static unsigned char *region(void)
{
	unsigned char *p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, LEN, MADV_NOHUGEPAGE);
	memset(p, FILL, LEN);
	return p;
}

static int recycle(unsigned char *p, struct clp_recycler *r)
{
	r->sz = sizeof(*r);
	return clp_recycle(p, LEN, CLP_TRACKED, r);
}

/* A region all of whose pages are protected, and zero. */
static unsigned char *tracked(struct clp_recycler *r)
{
	unsigned char *p = region();

	*r = (struct clp_recycler){ 0 };
	recycle(p, r);
	if (r->tracking == CLP_TRACKING_MISSING || r->tracking == CLP_TRACKING_DENIED) {
		munmap(p, LEN);
		SKIP("this system can't track (PAGEMAP_SCAN: Linux 6.7, userfaultfd)");
	}
	assert_int_equal(r->tracking, CLP_TRACKING_SAMPLE);
	decide(r, true);
	recycle(p, r);
	assert_int_equal(r->tracking, CLP_TRACKING_ON);
	decide(r, true);
	assert_true(all(p, LEN, 0));
	return p;
}

static void only_what_was_written(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);

	(void)state;
	assert_int_equal(recycle(p, &r), CLP_DID_SKIP);
	assert_int_equal(r.skipped, LEN);
	p[0] = p[5 * PAGE + 17] = p[6 * PAGE] = p[LEN - 1] = FILL;
	assert_int_equal(recycle(p, &r), CLP_DID_CLEAR | CLP_DID_SKIP);
	assert_int_equal(r.cleared, 4 * PAGE);
	assert_true(all(p, LEN, 0));
	memset(p, FILL, LEN);
	recycle(p, &r);
	assert_true(r.cleared == LEN && all(p, LEN, 0));
	munmap(p, LEN);
}

/* Reading is no writing. */
static void reading_costs_nothing(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);

	(void)state;
	assert_true(all(p, LEN, 0));
	assert_int_equal(recycle(p, &r), CLP_DID_SKIP);
	munmap(p, LEN);
}

/* Whatever it decides, and however often that changes. */
static void many_rounds(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	unsigned seed = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		unsigned pages = round % 7 * round % 300;

		for (unsigned i = 0; i < pages; i++)
			p[((size_t)rand_r(&seed) << 12 | (size_t)rand_r(&seed) % 4096) % LEN] = FILL;
		if (round % 11 == 3)
			madvise(p + (size_t)(rand_r(&seed) % 1000) * PAGE, 500 * PAGE, MADV_DONTNEED);
		if (round % 5 == 0)
			decide(&r, round % 3);
		assert_true(recycle(p, &r) >= 0);
		assert_true(all(p, LEN, 0));
		assert_true(r.tracking == CLP_TRACKING_ON || r.tracking == CLP_TRACKING_SAMPLE || r.tracking == CLP_TRACKING_RESTS);
		assert_int_equal(r.cleared + r.skipped, LEN);
	}
	munmap(p, LEN);
}

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/* Swapped out and not written: zero still. Swapped out and written: discarded. */
static void swapped_out(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	unsigned char in_memory = 1;

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		memset(p + 100 * PAGE, FILL, 20 * PAGE);
		madvise(p, 110 * PAGE, MADV_PAGEOUT);
		mincore(p + 105 * PAGE, 1, &in_memory);
		if (in_memory & 1)
			break;
		recycle(p, &r);
		assert_int_equal(r.cleared + r.skipped, LEN);
		assert_true(all(p, LEN, 0));
		decide(&r, true);
	}
	munmap(p, LEN);
	if (in_memory & 1)
		SKIP("no swap");
}

/* By itself: nothing is written, so that it pays; then everything is, so that it does not, unless this machine's faults are cheaper than its stores. */
static void learns(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	bool on = false, rested = false;

	(void)state;
	munmap(p, LEN);
	p = region();
	r = (struct clp_recycler){ 0 };
	/* A busy machine can make it rest for a while. */
	for (unsigned round = 0; round < 40 || (!on && round < 400); round++) {
		recycle(p, &r);
		on |= r.tracking == CLP_TRACKING_ON;
	}
	assert_true(on);
	for (unsigned round = 0; round < 40; round++) {
		memset(p, FILL, LEN);
		recycle(p, &r);
		rested |= r.tracking == CLP_TRACKING_RESTS;
	}
	assert_true(rested && all(p, LEN, 0));
	munmap(p, LEN);
}

/* By calls that write for the program: they fault like it does. */
static void written_by_system_calls(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r), *other = malloc(PAGE);
	struct iovec from = { other, PAGE }, to = { p + 20 * PAGE, PAGE };
	int zero = open("/proc/self/mem", O_RDWR), pipes[2];

	(void)state;
	memset(other, FILL, PAGE);
	assert_int_equal(pwrite(zero, other, PAGE, (off_t)(uintptr_t)(p + 10 * PAGE)), PAGE);
	assert_int_equal(process_vm_writev(getpid(), &from, 1, &to, 1, 0), PAGE);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], other, PAGE), PAGE);
	assert_int_equal(read(pipes[0], p + 30 * PAGE + 5, PAGE), PAGE);
	assert_true(p[10 * PAGE] == FILL && p[20 * PAGE] == FILL && p[30 * PAGE + 5] == FILL);
	recycle(p, &r);
	assert_int_equal(r.cleared, 4 * PAGE);
	assert_true(all(p, LEN, 0));
	close(zero);
	close(pipes[0]);
	close(pipes[1]);
	free(other);
	munmap(p, LEN);
}

/* The child's own rounds, and the parent's after it. */
static void after_fork(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	int status;
	pid_t pid;

	(void)state;
	p[3 * PAGE] = FILL;
	pid = fork();
	if (!pid) {
		p[4 * PAGE] = FILL;
		for (unsigned round = 0; round < 5; round++) {
			CHILD_CHECK(recycle(p, &r) >= 0);
			CHILD_CHECK(all(p, LEN, 0));
			CHILD_CHECK(round || r.cleared == LEN);
			decide(&r, true);
			p[round * 77 * PAGE] = FILL;
		}
		CHILD_CHECK(r.tracking == CLP_TRACKING_ON);
		_exit(0);
	}
	p[5 * PAGE] = FILL;
	assert_int_equal(recycle(p, &r), CLP_DID_CLEAR | CLP_DID_SKIP);
	assert_true(r.cleared == 2 * PAGE && all(p, LEN, 0));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	p[6 * PAGE] = FILL;
	recycle(p, &r);
	assert_true(all(p, LEN, 0));
	munmap(p, LEN);
}

/* Moved away, and something else put there: neither is what was protected. */
static void after_mremap(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r), *elsewhere = mmap(NULL, LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *other;

	(void)state;
	assert_ptr_equal(mremap(p, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere), elsewhere);
	elsewhere[7 * PAGE] = FILL;
	for (unsigned round = 0; round < 5; round++) {
		recycle(elsewhere, &r);
		assert_true(all(elsewhere, LEN, 0));
		decide(&r, true);
		memset(elsewhere + round * 100 * PAGE, FILL, 50 * PAGE);
	}
	other = region();
	assert_ptr_equal(mremap(other, LEN, LEN, MREMAP_MAYMOVE | MREMAP_FIXED, elsewhere), elsewhere);
	assert_true(all(elsewhere, LEN, FILL));
	recycle(elsewhere, &r);
	assert_true(r.cleared == LEN && all(elsewhere, LEN, 0));
	munmap(elsewhere, LEN);
}

/* New mappings in the middle of it: anonymous, and a file's, whose bytes come back when its page is given away. */
static void mapped_over(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	int fd = memfd_create("track", 0);

	(void)state;
	assert_ptr_equal(mmap(p + 100 * PAGE, 50 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), p + 100 * PAGE);
	memset(p + 100 * PAGE, FILL, 50 * PAGE);
	recycle(p, &r);
	assert_true(all(p, LEN, 0));
	assert_int_equal(ftruncate(fd, (off_t)(10 * PAGE)), 0);
	assert_ptr_equal(mmap(p + 200 * PAGE, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0), p + 200 * PAGE);
	for (unsigned round = 0; round < 4; round++) {
		assert_int_equal(pwrite(fd, "stale", 5, (off_t)(round * PAGE)), 5);
		p[round * PAGE] = FILL;
		recycle(p, &r);
		assert_int_equal(r.tracking, CLP_TRACKING_MAPPING);
		assert_true(all(p, LEN, 0));
		decide(&r, true);
	}
	munmap(p, LEN);
	close(fd);
}

/* Shared memory, with a second mapping and a descriptor that write past the first one's page tables: never tracked. */
static void shared_memory_is_never_tracked(void **state)
{
	struct clp_recycler r;
	int fd = memfd_create("track", 0);
	unsigned char *p, *second;

	(void)state;
	munmap(tracked(&r), LEN);
	assert_int_equal(ftruncate(fd, (off_t)LEN), 0);
	p = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	second = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (unsigned round = 0; round < 6; round++) {
		second[round * PAGE] = FILL;
		assert_int_equal(pwrite(fd, "stale", 5, (off_t)(LEN - (round + 1) * PAGE)), 5);
		recycle(p, &r);
		assert_int_equal(r.tracking, CLP_TRACKING_MAPPING);
		assert_true(r.cleared == LEN && all(p, LEN, 0) && all(second, LEN, 0));
		decide(&r, true);
	}
	munmap(p, LEN);
	munmap(second, LEN);
	close(fd);
}

/* As a daemon does when it starts: the library's descriptor goes, and with it the protection. */
static void descriptors_closed(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	int fd;

	(void)state;
	for (fd = 3; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			close(fd);
	/* Something else gets its number. */
	for (unsigned i = 0; i < 8; i++)
		assert_true(open("/dev/null", O_RDONLY) >= 0);
	p[9 * PAGE] = FILL;
	recycle(p, &r);
	assert_true(r.cleared == LEN && all(p, LEN, 0));
	for (unsigned round = 0; round < 4; round++) {
		decide(&r, true);
		p[round * 9 * PAGE] = FILL;
		recycle(p, &r);
		assert_true(all(p, LEN, 0));
	}
	assert_int_equal(r.tracking, CLP_TRACKING_ON);
	munmap(p, LEN);
}

/* A userfaultfd that is not the library's. */
static int foreign_userfaultfd(uint64_t features)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	assert_int_equal(ioctl(fd, UFFDIO_API, &api), 0);
	return fd;
}

#define WP_ASYNC ((uint64_t)1 << 15)

/* Another userfaultfd was there first, be it one of the same kind that has protected pages which are not zero. */
static void taken(void **state)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect wp = { .mode = UFFDIO_WRITEPROTECT_MODE_WP };
	struct clp_recycler r;
	unsigned char *p;
	int fd;

	(void)state;
	munmap(tracked(&r), LEN);
	fd = foreign_userfaultfd(WP_ASYNC);
	p = region();
	reg.range = wp.range = (struct uffdio_range){ (uintptr_t)p, LEN };
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	for (unsigned round = 0; round < 4; round++) {
		memset(p, FILL, LEN);
		assert_int_equal(ioctl(fd, UFFDIO_WRITEPROTECT, &wp), 0);
		recycle(p, &r);
		assert_int_equal(r.tracking, CLP_TRACKING_TAKEN);
		assert_true(r.cleared == LEN && all(p, LEN, 0));
		decide(&r, true);
	}
	munmap(p, LEN);
	close(fd);
}

/* A round without tracking lets go of what is the library's, and of nothing else (the kernel itself sees to that from Linux 6.17 on). */
static void releases_its_own(void **state)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_WP };
	struct uffdio_writeprotect wp = { .mode = UFFDIO_WRITEPROTECT_MODE_WP };
	struct clp_recycler r;
	unsigned char *p;
	int fd;

	(void)state;
	munmap(tracked(&r), LEN);
	fd = foreign_userfaultfd(WP_ASYNC);
	p = region();
	reg.range = wp.range = (struct uffdio_range){ (uintptr_t)p + LEN / 2, LEN / 4 };
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	assert_true(recycle(p, &r) >= 0);
	assert_true(clp_recycle(p, LEN, 0, &r) >= 0);
	assert_int_equal(ioctl(fd, UFFDIO_WRITEPROTECT, &wp), 0);
	reg.range = (struct uffdio_range){ (uintptr_t)p, LEN };
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	munmap(p, LEN);
	close(fd);
}

static size_t huge_bytes(unsigned char *p, struct clp_recycler *r, unsigned flags)
{
	assert_true(clp_recycle(p, LEN, CLP_TRACKED | CLP_COUNT | flags, r) >= 0);
	return r->huge_after;
}

/* Huge pages stay huge unless the caller allows their splitting. */
static void huge_pages(void **state)
{
	struct clp_recycler r;
	unsigned char *room, *p;

	(void)state;
	munmap(tracked(&r), LEN);
	room = mmap(NULL, LEN + 2 * MiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p = (unsigned char *)(((uintptr_t)room + 2 * MiB - 1) & ~(2 * MiB - 1));
	madvise(p, LEN, MADV_HUGEPAGE);
	memset(p, FILL, LEN);
	r = (struct clp_recycler){ .sz = sizeof(r) };
	if (huge_bytes(p, &r, 0) != LEN) {
		munmap(room, LEN + 2 * MiB);
		SKIP("no transparent huge pages");
	}
	assert_int_equal(r.tracking, CLP_TRACKING_HUGE);
	for (unsigned round = 0; round < 6; round++) {
		decide(&r, true);
		memset(p + round * MiB, FILL, PAGE);
		assert_int_equal(huge_bytes(p, &r, 0), LEN);
		assert_true(all(p, LEN, 0));
	}
	for (unsigned round = 0; round < 6; round++) {
		decide(&r, true);
		memset(p + MiB, FILL, PAGE);
		huge_bytes(p, &r, CLP_SPLIT_OK);
		assert_true(all(p, LEN, 0));
	}
	assert_int_equal(r.tracking, CLP_TRACKING_ON);
	assert_true(r.huge_after < LEN && r.cleared == PAGE);
	munmap(room, LEN + 2 * MiB);
}

/* The promise broken: a buffer registered with io_uring is written past the page tables. The byte stays, as the manual says; a round without
 * CLP_TRACKED clears it. */
static void pinned_memory(void **state)
{
	struct io_uring_params params = { 0 };
	struct clp_recycler r;
	unsigned char *p = tracked(&r), *sq, *sqes_at;
	struct io_uring_sqe *sqe;
	struct iovec buffer = { p + 40 * PAGE, PAGE };
	size_t ring, sqes;
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params), file;

	(void)state;
	if (fd < 0) {
		munmap(p, LEN);
		SKIP("io_uring: %s", strerror(errno));
	}
	p[40 * PAGE] = FILL;
	assert_int_equal(syscall(SYS_io_uring_register, fd, IORING_REGISTER_BUFFERS, &buffer, 1), 0);
	decide(&r, true);
	recycle(p, &r);
	assert_true(all(p, LEN, 0) && r.tracking == CLP_TRACKING_ON);
	ring = params.sq_off.array + params.sq_entries * sizeof(unsigned);
	sqes = params.sq_entries * sizeof(*sqe);
	sq = mmap(NULL, ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	sqes_at = mmap(NULL, sqes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	assert_true(sq != MAP_FAILED && sqes_at != MAP_FAILED);
	file = open("/proc/self/exe", O_RDONLY);
	sqe = (struct io_uring_sqe *)(void *)sqes_at;
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_READ_FIXED, .fd = file, .addr = (uintptr_t)buffer.iov_base, .len = 4 };
	*(unsigned *)(void *)(sq + params.sq_off.array) = 0;
	__atomic_store_n((unsigned *)(void *)(sq + params.sq_off.tail), 1, __ATOMIC_RELEASE);
	assert_int_equal(syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0), 1);
	assert_memory_equal(p + 40 * PAGE, "\177ELF", 4);
	decide(&r, true);
	recycle(p, &r);
	assert_memory_equal(p + 40 * PAGE, "\177ELF", 4);
	assert_true(clp_recycle(p, LEN, 0, &r) == CLP_DID_CLEAR && all(p, LEN, 0));
	munmap(sq, ring);
	munmap(sqes_at, sqes);
	close(file);
	close(fd);
	munmap(p, LEN);
}

/* Asked for without CLP_TRACKED, the memory is let go of: others may have it. */
static void untracked(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);
	struct uffdio_register reg = { .range = { (uintptr_t)p, LEN }, .mode = UFFDIO_REGISTER_MODE_WP };
	int fd = foreign_userfaultfd(0);

	(void)state;
	assert_true(ioctl(fd, UFFDIO_REGISTER, &reg) && errno == EBUSY);
	assert_int_equal(clp_recycle(p, LEN, 0, &r), CLP_DID_CLEAR);
	assert_int_equal(r.tracking, CLP_TRACKING_UNASKED);
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &reg), 0);
	close(fd);
	munmap(p, LEN);
}

static void small_regions(void **state)
{
	struct clp_recycler r = { .sz = sizeof(r) };
	unsigned char *p = region();

	(void)state;
	assert_int_equal(clp_recycle(p + 1, 1024 * PAGE, CLP_TRACKED, &r), CLP_DID_CLEAR);
	assert_int_equal(r.tracking, CLP_TRACKING_SMALL);
	assert_true(p[0] == FILL && all(p + 1, 1024 * PAGE, 0) && p[1024 * PAGE + 1] == FILL);
	munmap(p, LEN);
}

/* Systems that can't, or don't allow it: cleared whole, and said why; `threshold` holds. */
static void without(void *filter)
{
	struct clp_recycler r = { .sz = sizeof(r), .threshold = 1 };
	unsigned char *p = region();
	bool scan = *(bool *)filter;

	if (scan)
		filter_fs_ioctl(16, ENOTTY);
	else
		filter_call(SYS_userfaultfd, 0, 0, 0, EPERM);
	for (unsigned round = 0; round < 3; round++) {
		memset(p, FILL, LEN);
		CHILD_CHECK(clp_recycle(p, LEN, CLP_TRACKED | CLP_COUNT, &r) == CLP_DID_DROP);
		CHILD_CHECK(r.tracking == (scan ? CLP_TRACKING_MISSING : CLP_TRACKING_DENIED));
		CHILD_CHECK((r.huge_before == SIZE_MAX) == scan);
		CHILD_CHECK(all(p, LEN, 0));
	}
}

static void systems_that_can_not(void **state)
{
	struct clp_recycler r;
	bool scan = true;

	(void)state;
	munmap(tracked(&r), LEN);
	assert_int_equal(in_child(without, &scan), 0);
	scan = false;
	assert_int_equal(in_child(without, &scan), 0);
}

/* Threads that begin at the same moment share one descriptor. */
static atomic_int ready;

static void *rounds(void *unused)
{
	struct clp_recycler r = { 0 };
	unsigned char *p = region();
	size_t wrong = 0;

	ready++;
	while (ready < 4)
		sched_yield();
	for (unsigned round = 0; round < 20; round++) {
		p[round * 13 * PAGE] = FILL;
		wrong += recycle(p, &r) < 0 || !all(p, LEN, 0);
		decide(&r, round % 4);
	}
	munmap(p, LEN);
	return wrong ? &ready : unused;
}

static void threads_at_once(void *unused)
{
	pthread_t threads[4];
	void *result;

	(void)unused;
	for (size_t i = 0; i < COUNT(threads); i++)
		CHILD_CHECK(!pthread_create(&threads[i], NULL, rounds, NULL));
	for (size_t i = 0; i < COUNT(threads); i++)
		CHILD_CHECK(!pthread_join(threads[i], &result) && !result);
}

static void threads(void **state)
{
	(void)state;
	assert_int_equal(in_child(threads_at_once, NULL), 0);
}

/* A round that is short of descriptors either fails before anything is done, or leaves nothing protected that is not zero. */
static void short_of_descriptors(void *left)
{
	struct clp_recycler r = { 0 };
	unsigned char *p = region();

	CHILD_CHECK(recycle(p, &r) >= 0);
	decide(&r, true);
	memset(p, FILL, LEN);
	leave_descriptors(*(unsigned *)left);
	if (recycle(p, &r) < 0)
		CHILD_CHECK(all(p, LEN, FILL));
	else
		CHILD_CHECK(all(p, LEN, 0));
	enough_descriptors();
	CHILD_CHECK(recycle(p, &r) >= 0 && all(p, LEN, 0));
}

static void few_descriptors(void **state)
{
	struct clp_recycler r;

	(void)state;
	munmap(tracked(&r), LEN);
	for (unsigned left = 0; left < 4; left++)
		assert_int_equal(in_child(short_of_descriptors, &left), 0);
}

/* What the program gave back since stays so, and its guard pages are not stored to. */
static void given_back(void **state)
{
	struct clp_recycler r;
	unsigned char *p = tracked(&r);

	(void)state;
	for (size_t at = 0; at < LEN / 2; at += 2 * PAGE)
		assert_int_equal(madvise(p + at, PAGE, MADV_DONTNEED), 0);
	if (madvise(p + LEN - PAGE, PAGE, 102 /* MADV_GUARD_INSTALL, Linux 6.13 */))
		assert_int_equal(errno, EINVAL);
	p[PAGE] = FILL;
	assert_int_equal(clp_recycle(p, LEN, CLP_TRACKED | CLP_COUNT, &r), CLP_DID_CLEAR | CLP_DID_SKIP);
	assert_int_equal(r.cleared, PAGE);
	assert_true(r.resident_before < LEN - LEN / 4 + PAGE && r.resident_after == r.resident_before);
	assert_true(all(p, LEN - PAGE, 0));
	munmap(p, LEN);
}

/* What is written at regular distances is not taken for more, or less, than it is. */
static void regular_places(void **state)
{
	struct clp_learnt l;

	(void)state;
	munmap(tracked(&(struct clp_recycler){ 0 }), LEN);
	for (size_t pages = 16; pages <= 64; pages *= 2) {
		struct clp_recycler r = { 0 };
		unsigned char *p = region();

		recycle(p, &r);
		for (size_t at = 0; at < LEN; at += pages * PAGE)
			p[at] = FILL;
		recycle(p, &r);
		memcpy(&l, r.state, sizeof(l));
		assert_true(l.share < 4.0f / (float)pages);
		munmap(p, LEN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_was_written),
		cmocka_unit_test(reading_costs_nothing),
		cmocka_unit_test(many_rounds),
		cmocka_unit_test(swapped_out),
		cmocka_unit_test(learns),
		cmocka_unit_test(written_by_system_calls),
		cmocka_unit_test(after_fork),
		cmocka_unit_test(after_mremap),
		cmocka_unit_test(mapped_over),
		cmocka_unit_test(shared_memory_is_never_tracked),
		cmocka_unit_test(taken),
		cmocka_unit_test(releases_its_own),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(pinned_memory),
		cmocka_unit_test(untracked),
		cmocka_unit_test(small_regions),
		cmocka_unit_test(systems_that_can_not),
		cmocka_unit_test(threads),
		cmocka_unit_test(few_descriptors),
		cmocka_unit_test(given_back),
		cmocka_unit_test(regular_places),
		cmocka_unit_test(descriptors_closed),
	};

	return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
