// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quiet.c - the clearing path makes no system call and allocates nothing: under a seccomp filter that kills at the first one, all of
 * it still works, also as a first use. Hence it can't read a file, take a sleeping lock or ask for memory.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../../lib/lib.h"
#include "unit.h"

#define LEN (3 * MiB)

static unsigned char *buffer, *source;

/* From here on only exit_group() and write() to report. */
static void lock_down(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_write, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { COUNT(filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
}

static void clear_everything(void)
{
	static const size_t lengths[] = { 0, 1, 15, 100, 4096, 4097, 20000, 100000, 1048576, 3 * 1048576 - 64 };

	for (unsigned flags = 0; flags < 16; flags++) {
		if ((flags & 3) == 3)
			continue;
		for (size_t i = 0; i < COUNT(lengths); i++)
			CHILD_CHECK(!clp_clear(buffer + i, lengths[i], flags));
		CHILD_CHECK(!clp_clear_pages(buffer, 16, flags));
		CHILD_CHECK(!clp_copy_pages(buffer, source, 300, flags));
	}
	CHILD_CHECK(!clp_clear_explicit(buffer, 100000));
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		int err = clp_clear_with(i, buffer, 100000, 0);

		CHILD_CHECK(!err || err == -ENOTSUP);
	}
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_COPY); i++) {
		int err = clp_copy_with(i, buffer, source, 100000, 0);

		CHILD_CHECK(!err || err == -ENOTSUP);
	}
	clp_drain();
}

static void under_seccomp(void *first_use)
{
	struct clp_counters counters = { .sz = sizeof(counters) };
	unsigned index;

	if (first_use)
		clp_policy = (struct clp_policy){ .fast = clp_generic_clear, .slow = CLP_SLOW_UNSELECTED };
	lock_down();
	clear_everything();
	CHILD_CHECK(!clp_counters_enable(1));
	clear_everything();
	CHILD_CHECK(!clp_choice(CLP_OP_CLEAR, 4096, CLP_HOT, 0, &index, NULL));
	CHILD_CHECK(!clp_counters_read(CLP_OP_CLEAR, index, &counters));
	CHILD_CHECK(counters.calls[0] > 0);
	clp_counters_reset();
	CHILD_CHECK(!clp_variant_force(CLP_OP_CLEAR, CLP_COLD, "generic"));
	CHILD_CHECK(!clp_clear(buffer, 100000, CLP_COLD));
	CHILD_CHECK(clp_strerror(-EINVAL) && clp_version());
}

static void expect_quiet(void *first_use)
{
	int status;

	if (SANITIZED)
		SKIP("a sanitizer's runtime makes system calls");
	status = in_child(under_seccomp, first_use);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		SKIP("no seccomp filters here");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		fail_msg("a system call was made");
	assert_int_equal(status, 0);
}

static void no_system_calls(void **state)
{
	(void)state;
	expect_quiet(NULL);
}

static void no_system_calls_at_first_use(void **state)
{
	(void)state;
	expect_quiet(buffer);
}

static void no_allocation(void **state)
{
	struct mallinfo2 before, after;

	(void)state;
	if (SANITIZED)
		SKIP("a sanitizer replaces malloc");
	clp_counters_enable(1);
	before = mallinfo2();
	clear_everything();
	after = mallinfo2();
	clp_counters_enable(0);
	assert_true(before.uordblks == after.uordblks && before.arena == after.arena && before.hblks == after.hblks);
}

static int setup(void **state)
{
	(void)state;
	buffer = guarded(LEN);
	source = guarded(LEN);
	/* A fault is not a system call, but mapped memory keeps the test to its subject. */
	memset(buffer, 1, LEN);
	memset(source, 1, LEN);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_system_calls),
		cmocka_unit_test(no_system_calls_at_first_use),
		cmocka_unit_test(no_allocation),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
