// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parallel.c - clp_clear_parallel() and clp_populate_parallel(): every byte and none beside, from many threads at once, across fork, with
 * no thread to be had; what can't be populated is an error that says how far it got, never a signal.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "unit.h"

#define FILL 0x5a

static const struct clp_parallel_options two = { .sz = sizeof(two), .threads = 2 };

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

static void fork_meanwhile(void **state)
{
	struct looper busy = { .room = guarded(24 * MiB), .size = 24 * MiB, .rounds = 40 };
	struct looper mine = { .room = guarded(12 * MiB), .size = 12 * MiB };
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, loop, &busy), 0);
	for (int i = 0; i < 25; i++)
		assert_int_equal(in_child(child_clears, &mine), 0);
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
	unguard(l.room, l.size);
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
	/* Read-only. */
	assert_int_equal(mprotect(p, PAGE, PROT_READ), 0);
	assert_true(clp_populate_parallel(p, 4 * MiB, &two, &done) < 0);
	assert_int_equal(errno, 12345);
	munmap(p - PAGE, size + 2 * PAGE);
}

static void populate_refuses(void **state)
{
	unsigned char *p = guarded(2 * PAGE);
	size_t done = 1;

	(void)state;
	assert_int_equal(clp_populate_parallel(p + 1, PAGE, NULL, &done), -EINVAL);
	assert_int_equal(done, 0);
	assert_int_equal(clp_populate_parallel(p, PAGE + 1, NULL, NULL), -EINVAL);
	assert_int_equal(clp_populate_parallel(p, SIZE_MAX & ~(PAGE - 1), NULL, NULL), -EINVAL);
	unguard(p, 2 * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clears_all_and_no_more),
		cmocka_unit_test(threads_are_used),
		cmocka_unit_test(from_many_threads),
		cmocka_unit_test(fork_meanwhile),
		cmocka_unit_test(fewer_threads),
		cmocka_unit_test(signals_stay_with_the_program),
		cmocka_unit_test(clear_refuses),
		cmocka_unit_test(populates),
		cmocka_unit_test(populate_says_how_far),
		cmocka_unit_test(populate_refuses),
	};

	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
