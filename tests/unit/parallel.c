// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parallel.c - clp_clear_parallel() and clp_populate_parallel(): every byte and none beside, from many threads at once, across fork, with
 * no thread to be had; what can't be populated is an error that says how far it got, never a signal. Built a second time with
 * thread-local variables that do not fit the stacks of the library's threads (BIG_TLS).
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "filter.h"
#include "unit.h"

#define FILL 0x5a

static const struct clp_parallel_options two = { .sz = sizeof(two), .threads = 2 };

#ifdef BIG_TLS
__thread volatile char big_tls[BIG_TLS];
#endif

static void expect_cleared(unsigned char *room, size_t size, size_t from, size_t len, unsigned flags,
			   const struct clp_parallel_options *options)
{
	memset(room, FILL, size);
	assert_int_equal(clp_clear_parallel(room + from, len, flags, options), 0);
	if (flags & CLP_NODRAIN)
		clp_drain();
	assert_true(all(room, from, FILL));
	assert_true(all(room + from, len, 0));
	assert_true(all(room + from + len, size - from - len, FILL));
}

static void clears_all_and_no_more(void **state)
{
	static const unsigned flags[] = { 0, CLP_HOT, CLP_COLD, CLP_COLD | CLP_NODRAIN, CLP_NOPROBE };
	const size_t lens[] = { 1, 100, PAGE, 256 * KiB, 2 * MiB + 65, 8 * MiB - 1, 8 * MiB, 9 * MiB + 3, 16 * MiB, 33 * MiB };
	const size_t froms[] = { 0, 1, PAGE - 1, 64 * KiB };
	size_t size = 34 * MiB;
	unsigned char *room = guarded(size);

	(void)state;
	for (size_t l = 0; l < COUNT(lens); l++)
		for (size_t f = 0; f < COUNT(froms); f++)
			expect_cleared(room, size, froms[f], lens[l], flags[(l + f) % COUNT(flags)], f & 1 ? &two : NULL);
	/* To the last byte before an inaccessible page. */
	expect_cleared(room, size, size - 9 * MiB, 9 * MiB, 0, &two);
	unguard(room, size);
}

static unsigned threads_here(void)
{
	char line[128];
	unsigned n = 0;
	FILE *f = fopen("/proc/self/status", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Threads: %u", &n) == 1)
			break;
	fclose(f);
	return n;
}

static void threads_are_used(void **state)
{
	size_t size = 16 * MiB;
	unsigned char *room = guarded(size);

	(void)state;
#ifdef BIG_TLS
	big_tls[BIG_TLS - 1] = 1;
#endif
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one processor");
	expect_cleared(room, size, 0, size, 0, &two);
	assert_true(threads_here() >= 2);
	errno = 12345;
	assert_int_equal(clp_clear_parallel(room, size, 0, NULL), 0);
	assert_int_equal(errno, 12345);
	unguard(room, size);
}

struct looper {
	unsigned char *room;
	size_t size;
	unsigned rounds;
	bool bad;
};

static void *loop(void *arg)
{
	struct looper *l = arg;

	for (unsigned i = 0; i < l->rounds; i++) {
		memset(l->room, FILL, l->size);
		if (clp_clear_parallel(l->room + 1, l->size - 2, i % 2 ? CLP_COLD : 0, &two) || l->room[0] != FILL ||
		    l->room[l->size - 1] != FILL || !all(l->room + 1, l->size - 2, 0))
			l->bad = true;
	}
	return NULL;
}

static void from_many_threads(void **state)
{
	struct looper loopers[6];
	pthread_t threads[COUNT(loopers)];

	(void)state;
	for (size_t i = 0; i < COUNT(loopers); i++) {
		size_t size = 8 * MiB + i * 777 * KiB;

		loopers[i] = (struct looper){ .room = guarded(size), .size = size, .rounds = 12 };
		assert_int_equal(pthread_create(&threads[i], NULL, loop, &loopers[i]), 0);
	}
	for (size_t i = 0; i < COUNT(loopers); i++) {
		pthread_join(threads[i], NULL);
		assert_false(loopers[i].bad);
		unguard(loopers[i].room, loopers[i].size);
	}
}

/* In a child of a process that has threads at work. */
static void child_clears(void *arg)
{
	struct looper *l = arg;

	for (int i = 0; i < 3; i++) {
		memset(l->room, FILL, l->size);
		CHILD_CHECK(!clp_clear_parallel(l->room, l->size, CLP_COLD, &two));
		CHILD_CHECK(all(l->room, l->size, 0));
	}
}

/* What another thread's call had not cleared at the fork stays as it was in the child: nobody goes on with it there. */
struct held {
	struct looper *busy, *mine;
};

static void child_beside(void *arg)
{
	struct held *h = arg;
	size_t before = 0, after = 0;

	for (size_t i = 0; i < h->busy->size; i++)
		before += h->busy->room[i] == FILL;
	child_clears(h->mine);
	/* With threads of its own. */
	CHILD_CHECK(sysconf(_SC_NPROCESSORS_ONLN) < 2 || threads_here() >= 2);
	for (size_t i = 0; i < h->busy->size; i++)
		after += h->busy->room[i] == FILL;
	CHILD_CHECK(before == after);
}

static void fork_meanwhile(void **state)
{
	struct looper busy = { .room = guarded(24 * MiB), .size = 24 * MiB, .rounds = 40 };
	struct looper mine = { .room = guarded(12 * MiB), .size = 12 * MiB };
	struct held held = { &busy, &mine };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, loop, &busy), 0);
	for (int i = 0; i < 25; i++)
		assert_int_equal(in_child(child_beside, &held), 0);
	pthread_join(thread, NULL);
	assert_false(busy.bad);
	unguard(busy.room, busy.size);
	unguard(mine.room, mine.size);
}

/* No thread can be started: an unprivileged user at his limit. */
static void child_without_threads(void *arg)
{
	struct rlimit none = { 0, 0 };
	struct looper *l = arg;

	CHILD_CHECK(!setrlimit(RLIMIT_NPROC, &none));
	CHILD_CHECK(geteuid() != 0 || !setuid(65534));
	child_clears(l);
	CHILD_CHECK(threads_here() == 1);
}

/* No address space for another stack. */
static void child_without_stacks(void *arg)
{
	unsigned long pages = 0;
	struct rlimit limit;
	FILE *f = fopen("/proc/self/statm", "r");

	CHILD_CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	limit.rlim_cur = limit.rlim_max = pages * PAGE;
	CHILD_CHECK(!setrlimit(RLIMIT_AS, &limit));
	CHILD_CHECK(mmap(NULL, MiB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	child_clears(arg);
}

/* One processor is allowed: no thread is started for it. */
static void child_on_one_cpu(void *arg)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	CHILD_CHECK(!sched_setaffinity(0, sizeof(one), &one));
	child_clears(arg);
	CHILD_CHECK(threads_here() == 1);
}

static void fewer_threads(void **state)
{
	struct looper l = { .room = guarded(8 * MiB), .size = 8 * MiB };

	(void)state;
	assert_int_equal(in_child(child_without_threads, &l), 0);
	assert_int_equal(in_child(child_on_one_cpu, &l), 0);
	if (!SANITIZED)
		assert_int_equal(in_child(child_without_stacks, &l), 0);
	unguard(l.room, l.size);
}

/* A control group of this test: its directory, and whether it is of version 2. */
struct group {
	char dir[128];
	bool v2;
};

static bool write_file(const char *dir, const char *name, const char *text)
{
	char path[256];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return good;
}

/* Below the root of the hierarchy that has the controller; false where that can't be had. */
static bool group_make(struct group *g, const char *controller, const char *v2_file, const char *v2_text, const char *v1_file,
		       const char *v1_text)
{
	g->v2 = !access("/sys/fs/cgroup/cgroup.controllers", F_OK);
	if (g->v2)
		snprintf(g->dir, sizeof(g->dir), "/sys/fs/cgroup/clearpages-test-%d", getpid());
	else
		snprintf(g->dir, sizeof(g->dir), "/sys/fs/cgroup/%s/clearpages-test-%d", controller, getpid());
	if (mkdir(g->dir, 0755))
		return false;
	if (write_file(g->dir, g->v2 ? v2_file : v1_file, g->v2 ? v2_text : v1_text))
		return true;
	rmdir(g->dir);
	return false;
}

/* Its last process may still be on its way out. */
static void group_remove(const struct group *g)
{
	for (int i = 0; i < 100 && rmdir(g->dir) && errno == EBUSY; i++)
		usleep(10000);
}

struct grouped {
	struct group group;
	struct looper l;
};

static void child_with_quota(void *arg)
{
	struct grouped *g = arg;

	CHILD_CHECK(write_file(g->group.dir, "cgroup.procs", "0"));
	/* What was read before the fork holds for a second. */
	usleep(1100000);
	child_clears(&g->l);
	CHILD_CHECK(threads_here() == 1);
}

/* A quota of one processor holds for all threads together. */
static void follows_the_quota(void **state)
{
	struct grouped g = { .l = { .room = guarded(16 * MiB), .size = 16 * MiB } };
	int status;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP("one processor");
	if (!group_make(&g.group, "cpu", "cpu.max", "100000 100000", "cpu.cfs_quota_us", "100000"))
		SKIP("no control group with a CPU quota can be made here");
	status = in_child(child_with_quota, &g);
	group_remove(&g.group);
	assert_int_equal(status, 0);
	unguard(g.l.room, g.l.size);
}

/* A thread that is cancelled in a call ends it first: nothing of it is left behind for the next one to stumble over. */
static void *clear_for_ever(void *arg)
{
	struct looper *l = arg;

	for (;;) {
		clp_clear_parallel(l->room, l->size, CLP_COLD, &two);
		pthread_testcancel();
	}
	return NULL;
}

static void cancelled(void **state)
{
	struct looper l = { .room = guarded(12 * MiB), .size = 12 * MiB };
	pthread_t thread;
	void *result;

	(void)state;
	for (int i = 0; i < 30; i++) {
		assert_int_equal(pthread_create(&thread, NULL, clear_for_ever, &l), 0);
		usleep((useconds_t)(i * 100));
		pthread_cancel(thread);
		pthread_join(thread, &result);
		assert_ptr_equal(result, PTHREAD_CANCELED);
		expect_cleared(l.room, l.size, 1, l.size - 2, 0, &two);
	}
	unguard(l.room, l.size);
}

/* A program that catches its stores to protected memory catches those of the library's threads, too. */
#define PROTECTED ((size_t)64 * KiB)
static unsigned faults;

static void unprotect(int number, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr & ~(PROTECTED - 1);

	(void)number;
	(void)context;
	__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
	if (mprotect((void *)at, PROTECTED, PROT_READ | PROT_WRITE))
		_exit(98);
}

static void stores_that_are_caught(void **state)
{
	struct sigaction act = { .sa_sigaction = unprotect, .sa_flags = SA_SIGINFO }, was;
	size_t size = 32 * MiB;
	unsigned char *room = guarded(size + PROTECTED);
	unsigned char *at = room + (-(uintptr_t)room & (PROTECTED - 1));

	(void)state;
	memset(at, FILL, size);
	assert_int_equal(mprotect(at, size, PROT_READ), 0);
	sigaction(SIGSEGV, &act, &was);
	assert_int_equal(clp_clear_parallel(at, size, 0, &two), 0);
	sigaction(SIGSEGV, &was, NULL);
	assert_true(all(at, size, 0));
	/* Two threads that meet on one may both fault. */
	assert_true(faults >= size / PROTECTED);
	unguard(room, size + PROTECTED);
}

/* A program's signals are not for the library's threads. */
static volatile sig_atomic_t handled_by;

static void handler(int number)
{
	(void)number;
	handled_by = (int)syscall(SYS_gettid);
}

static void signals_stay_with_the_program(void **state)
{
	struct sigaction act = { .sa_handler = handler }, was;
	size_t size = 8 * MiB;
	unsigned char *room = guarded(size);

	(void)state;
	expect_cleared(room, size, 0, size, 0, &two);
	sigaction(SIGUSR1, &act, &was);
	for (int i = 0; i < 50; i++) {
		handled_by = 0;
		kill(getpid(), SIGUSR1);
		while (!handled_by)
			sched_yield();
		assert_int_equal(handled_by, getpid());
	}
	sigaction(SIGUSR1, &was, NULL);
	unguard(room, size);
}

static void clear_refuses(void **state)
{
	struct clp_parallel_options small = { .sz = sizeof(small) - 1 };
	unsigned char *p = guarded(PAGE);

	(void)state;
	memset(p, FILL, PAGE);
	errno = 12345;
	assert_int_equal(clp_clear_parallel(p, PAGE, CLP_HOT | CLP_COLD, NULL), -EINVAL);
	assert_int_equal(clp_clear_parallel(p, PAGE, 0x10, NULL), -EINVAL);
	assert_int_equal(clp_clear_parallel(p, SIZE_MAX, 0, NULL), -EINVAL);
	assert_int_equal(clp_clear_parallel(p, PAGE, 0, &small), -EINVAL);
	assert_int_equal(clp_clear_parallel(NULL, 0, 0, NULL), 0);
	assert_true(all(p, PAGE, FILL));
	assert_int_equal(errno, 12345);
	unguard(p, PAGE);
}

static bool resident(unsigned char *p, size_t len)
{
	for (size_t at = 0; at < len; at += PAGE) {
		unsigned char there;

		assert_int_equal(mincore(p + at, PAGE, &there), 0);
		if (!(there & 1))
			return false;
	}
	return true;
}

static bool can_populate(void)
{
	size_t done;

	return clp_populate_parallel(NULL, 0, NULL, &done) == 0 && !madvise(NULL, 0, 23);
}

static void populates(void **state)
{
	size_t size = 12 * MiB, done = 1;
	unsigned char *p = guarded(size);

	(void)state;
	if (!can_populate())
		SKIP("no MADV_POPULATE_WRITE: kernel before 5.14");
	assert_false(resident(p, size));
	p[5 * PAGE] = FILL;
	assert_int_equal(clp_populate_parallel(p, size, &two, &done), 0);
	assert_int_equal(done, size);
	assert_true(resident(p, size));
	/* Once more, of little, and alone. */
	assert_int_equal(clp_populate_parallel(p, 3 * PAGE, NULL, &done), 0);
	assert_int_equal(done, 3 * PAGE);
	assert_int_equal(clp_populate_parallel(p, 0, NULL, &done), 0);
	assert_int_equal(done, 0);
	assert_int_equal(p[5 * PAGE], FILL);
	assert_true(all(p, 5 * PAGE, 0));
	unguard(p, size);
}

static void populate_says_how_far(void **state)
{
	size_t size = 12 * MiB, hole = 7 * MiB + 3 * PAGE, done = 1;
	unsigned char *p = guarded(size);
	FILE *file = tmpfile();
	unsigned char *mapped;

	(void)state;
	if (!can_populate())
		SKIP("no MADV_POPULATE_WRITE: kernel before 5.14");
	errno = 12345;
	/* Not mapped. */
	munmap(p + hole, PAGE);
	assert_int_equal(clp_populate_parallel(p, size, &two, &done), -ENOMEM);
	assert_int_equal(done, hole);
	/* Behind the end of a file: a store would be SIGBUS. */
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)hole), 0);
	mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_int_equal(clp_populate_parallel(mapped, size, &two, &done), -EFAULT);
	assert_int_equal(done, hole);
	munmap(mapped, size);
	fclose(file);
	/* More huge pages than there are: reserved for nobody, so that the mapping itself succeeds. */
	mapped = mmap(NULL, 64 * GiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
	if (mapped != MAP_FAILED) {
		int err = clp_populate_parallel(mapped, 64 * GiB, &two, &done);

		assert_true(err == -EFAULT || err == -ENOMEM);
		assert_true(done < 64 * GiB && done % (2 * MiB) == 0);
		munmap(mapped, 64 * GiB);
	}
	/* Read-only, from the second page on: the first one is there. */
	madvise(p, 4 * MiB, MADV_DONTNEED);
	assert_int_equal(mprotect(p + PAGE, PAGE, PROT_READ), 0);
	assert_int_equal(clp_populate_parallel(p, 4 * MiB, &two, &done), -EINVAL);
	assert_int_equal(done, PAGE);
	assert_int_equal(errno, 12345);
	munmap(p - PAGE, size + 2 * PAGE);
}

/* With a few huge pages in the pool, and a mapping of more. */
static void child_short_of_huge_pages(void *arg)
{
	size_t size = 64 * MiB, done = 1;
	unsigned char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE, -1, 0);
	unsigned char there;
	int err;

	(void)arg;
	CHILD_CHECK(p != MAP_FAILED);
	err = clp_populate_parallel(p, size, &two, &done);
	CHILD_CHECK(err == -EFAULT || err == -ENOMEM);
	CHILD_CHECK(done < size && done % (2 * MiB) == 0);
	for (size_t at = 0; at < done; at += PAGE)
		CHILD_CHECK(!mincore(p + at, PAGE, &there) && there & 1);
	CHILD_CHECK(!mincore(p + done, PAGE, &there) && !(there & 1));
	CHILD_CHECK(all(p, done, 0));
}

static long read_pool(const char *path)
{
	FILE *f = fopen(path, "r");
	long n = -1;

	if (f) {
		if (fscanf(f, "%ld", &n) != 1)
			n = -1;
		fclose(f);
	}
	return n;
}

static void populate_short_of_huge_pages(void **state)
{
	const char *dir = "/sys/kernel/mm/hugepages/hugepages-2048kB";
	long before = read_pool("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
	long unused = read_pool("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages");
	char text[32];
	int status;

	(void)state;
	if (before < 0 || unused > 16)
		SKIP("no pool of 2 MiB pages, or more of them than this test wants");
	snprintf(text, sizeof(text), "%ld", before + 5);
	if (!unused && !write_file(dir, "nr_hugepages", text))
		SKIP("no huge pages are free, and none can be reserved");
	status = in_child(child_short_of_huge_pages, NULL);
	snprintf(text, sizeof(text), "%ld", before);
	if (!unused)
		write_file(dir, "nr_hugepages", text);
	assert_int_equal(status, 0);
}

/* A kernel before 5.14, to all appearances. */
static void child_without_populate(void *arg)
{
	struct looper *l = arg;
	size_t done = 1;

	filter_call(SYS_madvise, 2, ~0u, 23 /* MADV_POPULATE_WRITE */, EINVAL);
	errno = 12345;
	CHILD_CHECK(clp_populate_parallel(l->room, l->size, &two, &done) == -EOPNOTSUPP);
	CHILD_CHECK(done == 0 && errno == 12345);
	CHILD_CHECK(!l->room[0]);
}

static void populate_needs_a_kernel(void **state)
{
	struct looper l = { .room = guarded(8 * MiB), .size = 8 * MiB };

	(void)state;
	assert_int_equal(in_child(child_without_populate, &l), 0);
	unguard(l.room, l.size);
}

/* At the limit of its control group a process is the OOM killer's, if not told; never SIGBUS. */
static void child_at_memory_limit(void *arg)
{
	struct grouped *g = arg;
	size_t done = g->l.size;

	CHILD_CHECK(write_file(g->group.dir, "cgroup.procs", "0"));
	CHILD_CHECK(clp_populate_parallel(g->l.room, g->l.size, &two, &done) < 0);
	CHILD_CHECK(done < g->l.size);
}

static void populate_at_memory_limit(void **state)
{
	struct grouped g = { .l = { .room = guarded(128 * MiB), .size = 128 * MiB } };
	int status;

	(void)state;
	if (!can_populate())
		SKIP("no MADV_POPULATE_WRITE: kernel before 5.14");
	if (SANITIZED)
		SKIP("a sanitizer needs the memory itself");
	if (!group_make(&g.group, "memory", "memory.max", "33554432", "memory.limit_in_bytes", "33554432"))
		SKIP("no control group with a memory limit can be made here");
	/* No way out by swap: version 2, version 1. */
	write_file(g.group.dir, "memory.swap.max", "0");
	write_file(g.group.dir, "memory.memsw.limit_in_bytes", "33554432");
	status = in_child(child_at_memory_limit, &g);
	group_remove(&g.group);
	assert_true(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	unguard(g.l.room, g.l.size);
}

static void populate_refuses(void **state)
{
	struct clp_parallel_options small = { .sz = sizeof(small) - 1 };
	unsigned char *p = guarded(2 * PAGE);
	size_t done = 1;

	(void)state;
	assert_int_equal(clp_populate_parallel(p + 1, PAGE, NULL, &done), -EINVAL);
	assert_int_equal(done, 0);
	assert_int_equal(clp_populate_parallel(p, PAGE + 1, NULL, NULL), -EINVAL);
	assert_int_equal(clp_populate_parallel(p, SIZE_MAX & ~(PAGE - 1), NULL, NULL), -EINVAL);
	assert_int_equal(clp_populate_parallel(p, PAGE, &small, NULL), -EINVAL);
	assert_false(resident(p, PAGE));
	unguard(p, 2 * PAGE);
}

/* An argument is the only test to run. */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clears_all_and_no_more),
		cmocka_unit_test(threads_are_used),
		cmocka_unit_test(from_many_threads),
		cmocka_unit_test(fork_meanwhile),
		cmocka_unit_test(fewer_threads),
		cmocka_unit_test(follows_the_quota),
		cmocka_unit_test(cancelled),
		cmocka_unit_test(signals_stay_with_the_program),
		cmocka_unit_test(stores_that_are_caught),
		cmocka_unit_test(clear_refuses),
		cmocka_unit_test(populates),
		cmocka_unit_test(populate_says_how_far),
		cmocka_unit_test(populate_short_of_huge_pages),
		cmocka_unit_test(populate_needs_a_kernel),
		cmocka_unit_test(populate_at_memory_limit),
		cmocka_unit_test(populate_refuses),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
