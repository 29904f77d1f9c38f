// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recycle.c - clp_recycle() without tracking: all of the region is zero and nothing else, whatever is mapped there; what it says it did is so; and
 * it refuses what it can't do before it writes. Tracking is in track.c.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "filter.h"
#include "unit.h"

#define FILL 0x5a

static struct clp_recycler recycler(void)
{
	return (struct clp_recycler){ .sz = sizeof(struct clp_recycler) };
}

static unsigned char *filled(size_t len, int flags, int fd)
{
	unsigned char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, fd, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	memset(p, FILL, len);
	return p;
}

static size_t resident(void *p, size_t len)
{
	unsigned char *in_memory = calloc(len / PAGE, 1);
	size_t n = 0;

	assert_int_equal(mincore(p, len, in_memory), 0);
	for (size_t i = 0; i < len / PAGE; i++)
		n += in_memory[i] & 1;
	free(in_memory);
	return n * PAGE;
}

static void any_region(void **state)
{
	const size_t lens[] = { 0, 1, 100, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE + 5, 1 * MiB, 5 * MiB + 77 };
	const size_t offsets[] = { 0, 1, 64, PAGE - 1, PAGE, PAGE + 7 };
	size_t room = 6 * MiB;
	unsigned char *p = guarded(room);

	(void)state;
	for (size_t l = 0; l < COUNT(lens); l++) {
		for (size_t o = 0; o < COUNT(offsets); o++) {
			struct clp_recycler r = recycler();
			unsigned char *at = p + offsets[o];
			bool told = (l + o) % 2;
			int did;

			r.threshold = (l + o) % 3 ? 64 * KiB : 0;
			r.keep = (l + o) % 5 ? 0 : 100000;
			memset(p, FILL, room);
			errno = 77;
			did = clp_recycle(at, lens[l], all_hints[(l + o) % COUNT(all_hints)], told ? &r : NULL);
			assert_true(did >= 0 && errno == 77);
			assert_true(all(p, offsets[o], FILL) && all(at, lens[l], 0));
			assert_true(all(at + lens[l], room - offsets[o] - lens[l], FILL));
			assert_int_equal(did, told && r.dropped ? (r.cleared ? CLP_DID_CLEAR | CLP_DID_DROP : CLP_DID_DROP) :
						       lens[l] ? CLP_DID_CLEAR : 0);
			assert_true(!told || r.cleared + r.dropped + r.skipped == lens[l]);
		}
	}
	unguard(p, room);
}

/* The end of a region is the end of what is mapped; and its last page is the last one below it. */
static void up_to_the_edge(void **state)
{
	unsigned char *p = guarded(2 * PAGE);
	struct clp_recycler r = recycler();

	(void)state;
	memset(p, FILL, 2 * PAGE);
	assert_int_equal(clp_recycle(p + 100, 2 * PAGE - 100, 0, &r), CLP_DID_CLEAR);
	assert_true(all(p, 100, FILL) && all(p + 100, 2 * PAGE - 100, 0));
	unguard(p, 2 * PAGE);
}

static void what_is_not_there_stays_so(void **state)
{
	size_t len = 32 * MiB;
	unsigned char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct clp_recycler r = recycler();

	(void)state;
	madvise(p, len, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < len; i += 37 * PAGE)
		p[i] = FILL;
	size_t there = resident(p, len);
	assert_int_equal(clp_recycle(p, len, CLP_COUNT, &r), CLP_DID_CLEAR | CLP_DID_SKIP);
	assert_true(r.cleared == there && r.skipped == len - there && !r.dropped);
	assert_true(r.resident_before == there && r.resident_after == there && resident(p, len) == there);
	assert_true(all(p, len, 0));
	munmap(p, len);
}

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

static void what_was_swapped_out_is_discarded(void **state)
{
	size_t len = 4 * MiB;
	unsigned char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct clp_recycler r = recycler();
	size_t there;

	(void)state;
	madvise(p, len, MADV_NOHUGEPAGE);
	memset(p, FILL, len);
	madvise(p + 1 * MiB, 2 * MiB, MADV_PAGEOUT);
	there = resident(p, len);
	if (there == len) {
		munmap(p, len);
		SKIP("no swap");
	}
	assert_int_equal(clp_recycle(p, len, CLP_COUNT, &r), CLP_DID_CLEAR | CLP_DID_SKIP);
	assert_true(r.resident_before <= there && r.resident_after <= there && r.skipped >= len - there);
	assert_true(all(p, len, 0));
	munmap(p, len);
}

static void gives_back_above_the_threshold(void **state)
{
	size_t len = 8 * MiB;
	unsigned char *p = filled(len, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct clp_recycler r = recycler();

	(void)state;
	r.threshold = len + 1;
	assert_int_equal(clp_recycle(p, len, CLP_COUNT, &r), CLP_DID_CLEAR);
	assert_true(r.resident_after == len && all(p, len, 0));
	r.threshold = len;
	r.keep = 1 * MiB;
	memset(p, FILL, len);
	assert_int_equal(clp_recycle(p, len, CLP_COUNT, &r), CLP_DID_CLEAR | CLP_DID_DROP);
	assert_true(r.cleared == 1 * MiB && r.dropped == 7 * MiB && r.resident_before == len && r.resident_after == 1 * MiB);
	assert_int_equal(resident(p, len), 1 * MiB);
	assert_true(all(p, len, 0));
	r.keep = SIZE_MAX;
	memset(p, FILL, len);
	assert_int_equal(clp_recycle(p, len, CLP_COUNT, &r), CLP_DID_CLEAR);
	assert_true(r.resident_after == len && all(p, len, 0));
	munmap(p, len);
}

static void locked_memory_is_cleared_in_place(void **state)
{
	size_t len = 64 * PAGE;
	unsigned char *p = filled(len, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct clp_recycler r = recycler();

	(void)state;
	/* Not through the C library: sanitizers make that do nothing. */
	if (syscall(SYS_mlock, p, len))
		SKIP("mlock: %s", strerror(errno));
	r.threshold = 1;
	assert_int_equal(clp_recycle(p, len, CLP_COUNT, &r), CLP_DID_CLEAR);
	assert_true(r.cleared == len && r.resident_after == len && all(p, len, 0));
	munmap(p, len);
}

/* Where giving back would bring a file's bytes again, or where others see the memory. */
static void other_mappings_are_cleared_whole(void **state)
{
	static const struct {
		const char *what;
		int flags;
		bool file;
	} kinds[] = { { "private file", MAP_PRIVATE, true }, { "shared file", MAP_SHARED, true }, { "shared", MAP_SHARED | MAP_ANONYMOUS, false } };
	size_t len = 64 * PAGE;

	(void)state;
	for (size_t k = 0; k < COUNT(kinds); k++) {
		int fd = kinds[k].file ? memfd_create("recycle", 0) : -1;
		struct clp_recycler r = recycler();
		unsigned char *p, *second;

		assert_true(!kinds[k].file || !ftruncate(fd, (off_t)len));
		p = filled(len, kinds[k].flags, fd);
		second = kinds[k].file ? mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : p;
		memset(second, FILL, len);
		r.threshold = 1;
		print_message("%s\n", kinds[k].what);
		assert_int_equal(clp_recycle(p, len, 0, &r), CLP_DID_CLEAR);
		assert_true(r.cleared == len && all(p, len, 0));
		assert_true(all(second, len, kinds[k].flags & MAP_PRIVATE ? FILL : 0));
		munmap(p, len);
		if (second != p)
			munmap(second, len);
		if (fd >= 0)
			close(fd);
	}
}

/* Three mappings in one region: anonymous, a file's, anonymous. */
static void mixed_mappings(void **state)
{
	size_t len = 48 * PAGE;
	unsigned char *p = filled(len, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int fd = memfd_create("recycle", 0);
	struct clp_recycler r = recycler();

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	assert_ptr_equal(mmap(p + 16 * PAGE, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0), p + 16 * PAGE);
	memset(p, FILL, len);
	r.threshold = 1;
	assert_int_equal(clp_recycle(p + 1, len - 2, 0, &r), CLP_DID_CLEAR | CLP_DID_DROP);
	assert_int_equal(r.dropped, 30 * PAGE);
	assert_true(p[0] == FILL && all(p + 1, len - 2, 0) && p[len - 1] == FILL);
	munmap(p, len);
	close(fd);
}

static void huge_pages(void **state)
{
	unsigned char *p = mmap(NULL, 2 * MiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	struct clp_recycler r = recycler();

	(void)state;
	if (p == MAP_FAILED)
		SKIP("no huge pages are reserved");
	memset(p, FILL, 2 * MiB);
	r.threshold = 1;
	assert_int_equal(clp_recycle(p, 2 * MiB, CLP_COUNT, &r), CLP_DID_CLEAR);
	assert_true(all(p, 2 * MiB, 0) && (r.huge_after == 2 * MiB || r.huge_after == SIZE_MAX));
	munmap(p, 2 * MiB);
}

static void refuses(void **state)
{
	struct clp_recycler r = recycler(), small = { .sz = sizeof(small) - 1 };
	unsigned char *p = filled(8 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	(void)state;
	assert_int_equal(clp_recycle((void *)1, 0, 0, NULL), 0);
	assert_int_equal(clp_recycle((void *)UINTPTR_MAX, 0, 0, NULL), 0);
	assert_int_equal(clp_recycle(p, PAGE, CLP_HOT | CLP_COLD, NULL), -EINVAL);
	assert_int_equal(clp_recycle(p, PAGE, CLP_NODRAIN, NULL), -EINVAL);
	assert_int_equal(clp_recycle(p, PAGE, 0x80, NULL), -EINVAL);
	assert_int_equal(clp_recycle(p, PAGE, CLP_TRACKED, NULL), -EINVAL);
	assert_int_equal(clp_recycle(p, PAGE, CLP_COUNT, NULL), -EINVAL);
	assert_int_equal(clp_recycle(p, PAGE, CLP_SPLIT_OK, &r), -EINVAL);
	assert_int_equal(clp_recycle(p, PAGE, 0, &small), -EINVAL);
	assert_int_equal(clp_recycle(p, SIZE_MAX - 100, 0, NULL), -EINVAL);
	assert_int_equal(clp_recycle((void *)(UINTPTR_MAX - 100), 100, 0, NULL), -ENOMEM);
	assert_int_equal(clp_recycle(NULL, 1, 0, NULL), -ENOMEM);
	assert_int_equal(clp_clear(p, PAGE, CLP_TRACKED), -EINVAL);
	for (size_t hole = 0; hole < 8; hole += 7) {
		mprotect(p + hole * PAGE, PAGE, PROT_READ);
		assert_int_equal(clp_recycle(p, 8 * PAGE, 0, &r), -EACCES);
		mprotect(p + hole * PAGE, PAGE, PROT_READ | PROT_WRITE);
	}
	mprotect(p + 3 * PAGE, PAGE, PROT_NONE);
	assert_int_equal(clp_recycle(p, 8 * PAGE, 0, &r), -EACCES);
	mprotect(p + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE);
	assert_true(all(p, 8 * PAGE, FILL));
	munmap(p + 3 * PAGE, PAGE);
	assert_int_equal(clp_recycle(p, 8 * PAGE, 0, &r), -ENOMEM);
	munmap(p + 7 * PAGE, PAGE);
	assert_int_equal(clp_recycle(p + 4 * PAGE, 3 * PAGE + 1, 0, &r), -ENOMEM);
	assert_true(all(p, 3 * PAGE, FILL) && all(p + 4 * PAGE, 3 * PAGE, FILL));
	munmap(p, 8 * PAGE);
}

/* /proc/self/maps read line by line, as on kernels before 6.11. */
static void by_text(void *unused)
{
	filter_fs_ioctl(17, ENOTTY);
	any_region(unused);
	mixed_mappings(unused);
	refuses(unused);
	what_is_not_there_stays_so(unused);
}

static void kernels_without_the_query(void **state)
{
	(void)state;
	assert_int_equal(in_child(by_text, NULL), 0);
}

static void no_proc(void *unused)
{
	unsigned char *p = filled(PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	(void)unused;
	CHILD_CHECK(!chroot("/sys"));
	CHILD_CHECK(clp_recycle(p, PAGE, 0, NULL) == -ENOENT);
	CHILD_CHECK(p[0] == FILL);
}

static void without_proc(void **state)
{
	(void)state;
	if (geteuid())
		SKIP("only root may chroot");
	assert_int_equal(in_child(no_proc, NULL), 0);
}

/* A userfaultfd of the program's own, whose missing pages are full of something: they are not zero because they are missing. */
struct server {
	int faults, stop[2];
};

static void *serve(void *arg)
{
	const struct server *s = arg;
	struct pollfd fds[] = { { .fd = s->faults, .events = POLLIN }, { .fd = s->stop[0], .events = POLLIN } };
	unsigned char *page = malloc(PAGE);
	struct uffd_msg msg;

	memset(page, FILL, PAGE);
	while (poll(fds, 2, -1) > 0 && !fds[1].revents) {
		struct uffdio_copy copy = { .src = (uintptr_t)page, .len = PAGE };

		if (read(s->faults, &msg, sizeof(msg)) != (ssize_t)sizeof(msg))
			continue;
		copy.dst = msg.arg.pagefault.address & ~(PAGE - 1);
		ioctl(s->faults, UFFDIO_COPY, &copy);
	}
	free(page);
	return NULL;
}

static void another_userfaultfd(void **state)
{
	struct server s = { .faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK) };
	struct uffdio_api api = { .api = UFFD_API };
	size_t len = 32 * PAGE;
	pthread_t server;

	(void)state;
	if (s.faults < 0 || ioctl(s.faults, UFFDIO_API, &api))
		SKIP("userfaultfd: %s", strerror(errno));
	assert_int_equal(pipe(s.stop), 0);
	assert_int_equal(pthread_create(&server, NULL, serve, &s), 0);
	for (unsigned dropping = 0; dropping < 2; dropping++) {
		unsigned char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct uffdio_register reg = { .range = { (uintptr_t)p, len }, .mode = UFFDIO_REGISTER_MODE_MISSING };
		struct clp_recycler r = recycler();

		assert_int_equal(ioctl(s.faults, UFFDIO_REGISTER, &reg), 0);
		r.threshold = dropping;
		assert_int_equal(p[5 * PAGE], FILL);
		assert_int_equal(clp_recycle(p, len, 0, &r), CLP_DID_CLEAR);
		assert_true(r.cleared == len && all(p, len, 0));
		munmap(p, len);
	}
	assert_int_equal(write(s.stop[1], "", 1), 1);
	pthread_join(server, NULL);
	close(s.faults);
	close(s.stop[0]);
	close(s.stop[1]);
}

/* With a descriptor for /proc/self/maps and none to ask whether there is such a userfaultfd. */
static void can_not_ask(void *unused)
{
	struct server s = { 0 };
	struct uffdio_api api = { .api = UFFD_API };
	size_t len = 32 * PAGE;
	unsigned char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register reg = { .range = { (uintptr_t)p, len }, .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct clp_recycler r = recycler();
	pthread_t server;

	(void)unused;
	s.faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	CHILD_CHECK(!ioctl(s.faults, UFFDIO_API, &api) && !ioctl(s.faults, UFFDIO_REGISTER, &reg));
	CHILD_CHECK(!pipe(s.stop) && !pthread_create(&server, NULL, serve, &s));
	CHILD_CHECK(p[5 * PAGE] == FILL);
	leave_descriptors(1);
	CHILD_CHECK(clp_recycle(p, len, 0, NULL) == CLP_DID_CLEAR && all(p, len, 0));
	r.threshold = 1;
	CHILD_CHECK(clp_recycle(p, len, 0, &r) == CLP_DID_CLEAR && all(p, len, 0));
}

static void another_userfaultfd_and_no_descriptors(void **state)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	(void)state;
	if (fd < 0)
		SKIP("userfaultfd: %s", strerror(errno));
	close(fd);
	assert_int_equal(in_child(can_not_ask, NULL), 0);
}

/* /proc/self is the first thread's: when that has ended there is nothing in it. */
static bool first_has_ended(void)
{
	int fd = open("/proc/self/maps", O_RDONLY);
	char byte;
	bool ended = fd < 0 || read(fd, &byte, 1) <= 0;

	close(fd);
	return ended;
}

static void *outlive(void *unused)
{
	unsigned char *p = filled(8 * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	while (!first_has_ended())
		usleep(1000);
	_exit(clp_recycle(p, 8 * PAGE, 0, NULL) != CLP_DID_CLEAR || !all(p, 8 * PAGE, 0));
	return unused;
}

static void end_first(void *unused)
{
	pthread_t other;

	CHILD_CHECK(!pthread_create(&other, NULL, outlive, unused));
	/* Not pthread_exit(), which wants libgcc_s. */
	syscall(SYS_exit, 0);
}

static void the_first_thread_has_ended(void **state)
{
	(void)state;
	assert_int_equal(in_child(end_first, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_region),
		cmocka_unit_test(up_to_the_edge),
		cmocka_unit_test(what_is_not_there_stays_so),
		cmocka_unit_test(what_was_swapped_out_is_discarded),
		cmocka_unit_test(gives_back_above_the_threshold),
		cmocka_unit_test(locked_memory_is_cleared_in_place),
		cmocka_unit_test(other_mappings_are_cleared_whole),
		cmocka_unit_test(mixed_mappings),
		cmocka_unit_test(huge_pages),
		cmocka_unit_test(refuses),
		cmocka_unit_test(kernels_without_the_query),
		cmocka_unit_test(without_proc),
		cmocka_unit_test(another_userfaultfd),
		cmocka_unit_test(another_userfaultfd_and_no_descriptors),
		cmocka_unit_test(the_first_thread_has_ended),
	};

	return cmocka_run_group_tests_name("recycle", tests, NULL, NULL);
}
