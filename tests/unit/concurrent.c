// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * concurrent.c - clearing where it is least expected: first calls raced by many threads, in a signal handler that interrupts a clear,
 * after fork and vfork, and while another thread changes the policy.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include "../../lib/lib.h"
#include "unit.h"

#define THREADS 8u
#define ROUNDS 60u
#define LEN (48 * KiB)

static pthread_barrier_t barrier;
static int wrong;

/* The policy as the loader leaves it, before any constructor: what a first call meets. A handler must not meet a part of it. */
static void forget(void)
{
	sigset_t every, before;

	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	clp_policy = (struct clp_policy){ .fast = clp_generic_clear, .slow = CLP_SLOW_UNSELECTED };
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void *first_call(void *arg)
{
	unsigned char *p = arg;
	unsigned flags = (unsigned)((uintptr_t)p >> 12) % 3;
	size_t len = (uintptr_t)p >> 13 & 1 ? LEN : 200;

	memset(p, 0xcd, LEN + 1);
	pthread_barrier_wait(&barrier);
	if (clp_clear(p, len, flags) || !all(p, len, 0) || p[len] != 0xcd)
		__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void race(void *arg)
{
	unsigned char *buffer = arg;
	pthread_t threads[THREADS];

	forget();
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		CHILD_CHECK(!pthread_create(&threads[i], NULL, first_call, buffer + i * (LEN + PAGE)));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHILD_CHECK(!wrong);
	CHILD_CHECK(!(load(clp_policy.slow) & CLP_SLOW_UNSELECTED));
}

static void first_use_raced(void **state)
{
	unsigned char *buffer = guarded(THREADS * (LEN + PAGE));

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++)
		assert_int_equal(in_child(race, buffer), 0);
	unguard(buffer, THREADS * (LEN + PAGE));
}

/* Each entry point may be the first one called. */
static void first_call_of_each_kind(void **state)
{
	unsigned char *p = guarded(4 * PAGE);
	unsigned index;

	(void)state;
	for (unsigned kind = 0; kind < 8; kind++) {
		memset(p, 0xcd, 4 * PAGE);
		forget();
		switch (kind) {
		case 0:
			assert_int_equal(clp_clear_pages(p, 2, 0), 0);
			break;
		case 1:
			assert_int_equal(clp_clear_explicit(p, 2 * PAGE), 0);
			break;
		case 2:
			assert_int_equal(clp_clear_with(variant_index(CLP_OP_CLEAR, "generic"), p, 2 * PAGE, 0), 0);
			break;
		case 3:
			assert_int_equal(clp_choice(CLP_OP_CLEAR, 100, 0, 0, &index, NULL), 0);
			assert_null(variant_info(CLP_OP_CLEAR, index).missing);
			break;
		case 4:
			assert_int_equal(clp_variant_force(CLP_OP_CLEAR, 0, NULL), 0);
			break;
		case 5:
			clp_counters_enable(0);
			break;
		case 6:
			memset(p + 2 * PAGE, 0, 2 * PAGE);
			assert_int_equal(clp_copy_pages(p, p + 2 * PAGE, 2, 0), 0);
			break;
		default:
			assert_int_equal(clp_profile_load(NULL), 0);
			break;
		}
		if (kind < 3 || kind == 6)
			assert_true(all(p, 2 * PAGE, 0));
		assert_int_equal(clp_clear(p + 1, 3 * PAGE, CLP_COLD), 0);
		assert_true(all(p + 1, 3 * PAGE, 0));
	}
	unguard(p, 4 * PAGE);
}

static unsigned char *handler_buffer;
static volatile sig_atomic_t handled, handler_wrong;

static void clear_in_handler(int signal)
{
	static const size_t lengths[] = { 1, 100, 4096, 20000, 70000 };
	size_t len = lengths[(unsigned)handled % COUNT(lengths)];
	int saved = errno;

	(void)signal;
	memset(handler_buffer, 0xab, len + 1);
	if (clp_clear(handler_buffer, len, (unsigned)handled % 3) || !all(handler_buffer, len, 0) || handler_buffer[len] != 0xab ||
	    errno != saved)
		handler_wrong = 1;
	handled++;
}

/* A timer interrupts whatever the body does, some thousand times. */
static void interrupted_while(void (*body)(unsigned char *buffer, unsigned turn))
{
	struct sigaction action = { .sa_handler = clear_in_handler };
	struct itimerval every = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned char *buffer = guarded(256 * KiB);

	handler_buffer = guarded(128 * KiB);
	handled = handler_wrong = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned turn = 0; handled < 1000 && turn < 2000000; turn++)
		body(buffer, turn);
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_int_equal(handler_wrong, 0);
	assert_true(handled > 100);
	unguard(buffer, 256 * KiB);
	unguard(handler_buffer, 128 * KiB);
}

static void clear_body(unsigned char *buffer, unsigned turn)
{
	size_t len = turn * 7919u % (200 * KiB);

	memset(buffer, 0xab, len + 1);
	assert_int_equal(clp_clear(buffer, len, turn % 3), 0);
	assert_true(all(buffer, len, 0) && buffer[len] == 0xab);
}

static void policy_body(unsigned char *buffer, unsigned turn)
{
	static const char *const names[] = { "generic", NULL, "stosb", NULL, "mov" };

	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, turn % 4, names[turn % COUNT(names)]), 0);
	if (turn % 16 == 0)
		forget();
	clear_body(buffer, turn % 100);
}

static void signal_interrupts_a_clear(void **state)
{
	(void)state;
	interrupted_while(clear_body);
}

static void signal_interrupts_a_choice(void **state)
{
	(void)state;
	interrupted_while(policy_body);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_HOT | CLP_COLD, NULL), 0);
}

static void signal_while_counting(void **state)
{
	(void)state;
	clp_counters_enable(1);
	interrupted_while(clear_body);
	clp_counters_enable(0);
}

static int stop;

static void *clear_all_the_time(void *buffer)
{
	for (unsigned i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		size_t len = i * 7919u % LEN;

		memset(buffer, 0xab, len + 1);
		if (clp_clear(buffer, len, i % 3) || !all(buffer, len, 0) || ((unsigned char *)buffer)[len] != 0xab)
			__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void clear_in_child(void *arg)
{
	unsigned char *p = arg;

	for (unsigned i = 0; i < 50; i++) {
		memset(p, 1, LEN);
		CHILD_CHECK(!clp_clear(p, LEN, i % 3) && all(p, LEN, 0));
	}
}

static void with_busy_thread(void (*body)(unsigned char *))
{
	unsigned char *buffer = guarded(2 * LEN);
	pthread_t thread;

	stop = wrong = 0;
	assert_int_equal(pthread_create(&thread, NULL, clear_all_the_time, buffer), 0);
	body(buffer + LEN);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_int_equal(wrong, 0);
	unguard(buffer, 2 * LEN);
}

static void fork_body(unsigned char *p)
{
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(in_child(clear_in_child, p), 0);
}

static void after_fork_of_a_threaded_program(void **state)
{
	(void)state;
	with_busy_thread(fork_body);
}

static void force_body(unsigned char *p)
{
	(void)p;
	for (unsigned i = 0; i < 400; i++) {
		for (unsigned v = 0; v < clp_variant_count(CLP_OP_CLEAR); v++) {
			struct clp_variant_info info = variant_info(CLP_OP_CLEAR, v);

			assert_int_equal(clp_variant_force(CLP_OP_CLEAR, i % 4, info.missing ? NULL : info.name), 0);
			clp_counters_enable(i % 2);
		}
	}
	clp_counters_enable(0);
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_HOT | CLP_COLD, NULL), 0);
}

static void policy_changes_beside_clearing(void **state)
{
	(void)state;
	with_busy_thread(force_body);
}

static void after_vfork(void **state)
{
	static unsigned char secret[4096];
	pid_t pid;
	int status;

	(void)state;
	memset(secret, 0x99, sizeof(secret));
	pid = vfork();
	if (!pid)
		_exit(clp_clear(secret, sizeof(secret), CLP_COLD) != 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(all(secret, sizeof(secret), 0));
}

/* A thread on the smallest stack: no large frame hides on the clearing path. */
static void *clear_on_small_stack(void *p)
{
	forget();
	if (clp_clear(p, LEN, 0) || clp_clear(p, 100, CLP_HOT))
		__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void on_a_small_stack(void **state)
{
	unsigned char *p = guarded(LEN);
	pthread_attr_t attr;
	pthread_t thread;

	(void)state;
	if (SANITIZED)
		SKIP("sanitizers enlarge frames");
	wrong = 0;
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, 16384), 0);
	assert_int_equal(pthread_create(&thread, &attr, clear_on_small_stack, p), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	assert_int_equal(wrong, 0);
	assert_true(all(p, LEN, 0));
	unguard(p, LEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_use_raced),
		cmocka_unit_test(first_call_of_each_kind),
		cmocka_unit_test(signal_interrupts_a_clear),
		cmocka_unit_test(signal_interrupts_a_choice),
		cmocka_unit_test(signal_while_counting),
		cmocka_unit_test(after_fork_of_a_threaded_program),
		cmocka_unit_test(policy_changes_beside_clearing),
		cmocka_unit_test(after_vfork),
		cmocka_unit_test(on_a_small_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
