/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.c - what of `clearpages kernel` a tree of plain files can't show: why writes are refused, and counting over
 * sessions.
 */
#include "unit.h"

#include <sys/stat.h>

#include "kernel/kernel.h"

static char root[] = "/tmp/clearpages-kernel-XXXXXX";

static void put(const char *file, const char *text)
{
	char *path = text_of("%s%s", root, file), *slash = strrchr(path, '/');
	FILE *f;

	*slash = '\0';
	assert_true(make_folders(path));
	*slash = '/';
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

static void refused(const char *file, const char *value, int err, const char *said, const char *words)
{
	char *text = explain_write(file, value, err, said);

	if (!strstr(text, words))
		fail_msg("'%s' lacks '%s'", text, words);
	assert_non_null(strstr(text, value));
	assert_null(strchr(text, '\n'));
	free(text);
}

static void test_refusals(void **state)
{
	(void)state;
	refused("enabled", "1", EBUSY, "", "livepatch");
	refused("enabled", "1", ENOENT, "", "clear_huge_page");
	refused("enabled", "1", EALREADY, "", "so already");
	refused("order0", "mov", EOPNOTSUPP, "", "init_on_alloc");
	refused("op_far", "clzero", EOPNOTSUPP, "", "can't do that");
	refused("radius", "600", EINVAL, "", "does not take it");
	refused("radius", "6", EIO, "", "Input/output error");
	/* What the module says of this write goes before what we think of the errno; what it says of another is shown
	 * beside. */
	refused("radius", "600", EINVAL, "radius: '600': 0 to 512 pages", "refused: 0 to 512 pages");
	refused("radius", "600", EINVAL, "radius: '60': other words",
		"does not take it (the kernel's log: radius: '60': other words)");
}

static void test_chosen(void **state)
{
	char list[] = "kernel mov [stosb] movnti", plain[] = "65536", broken[] = "kernel [mov";

	(void)state;
	assert_string_equal(chosen(list), "stosb");
	assert_string_equal(chosen(plain), "65536");
	assert_string_equal(chosen(broken), "kernel [mov");
}

/* By a shell, which has to give back each word. */
static void test_quoting(void **state)
{
	static const char *const words[] = { "plain", "", "two words", "it's", "''", "$HOME", "a\nb", "\\", "--x=1" };
	char *line = copy_text("printf '[%s]'"), *expected = copy_text(""), *more, got[256];
	FILE *shell;

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		line = add_quoted(line, words[i]);
		more = text_of("%s[%s]", expected, words[i]);
		free(expected);
		expected = more;
	}
	shell = popen(line, "r");
	assert_non_null(shell);
	got[fread(got, 1, sizeof(got) - 1, shell)] = '\0';
	assert_int_equal(pclose(shell), 0);
	assert_string_equal(got, expected);
	free(line);
	free(expected);
}

static void test_counts(void **state)
{
	struct counts before, now, added;

	(void)state;
	put("/sys/kernel/clearpages/routines", "kernel: ok\nmov: ok\nstosb: ok\n");
	put("/sys/kernel/clearpages/stats/mov/order-9/calls", "10\n");
	put("/sys/kernel/clearpages/stats/mov/order-9/pages", "5120\n");
	put("/sys/kernel/clearpages/stats/mov/order-9/cycles", "1000000\n");
	put("/sys/kernel/clearpages/stats/mov/order-10/calls", "1\n");
	put("/sys/kernel/clearpages/stats/kernel/order-9/calls", "7\n");
	counts_read(&before);
	assert_int_equal(before.n, 3);
	assert_string_equal(before.at[0].routine, "kernel");
	assert_false(before.at[0].timed);
	assert_int_equal(before.at[1].order, 9);
	assert_int_equal(before.at[2].order, 10);
	put("/sys/kernel/clearpages/stats/mov/order-9/calls", "12\n");
	put("/sys/kernel/clearpages/stats/mov/order-9/pages", "6144\n");
	/* As after a reset. */
	put("/sys/kernel/clearpages/stats/kernel/order-9/calls", "3\n");
	counts_read(&now);
	counts_since(&added, &now, &before);
	assert_int_equal(counts_find(&added, "mov", 9)->calls, 2);
	assert_int_equal(counts_find(&added, "mov", 9)->pages, 1024);
	assert_int_equal(counts_find(&added, "kernel", 9)->calls, 3);
	assert_int_equal(counts_find(&added, "mov", 10)->calls, 0);
	assert_null(counts_find(&added, "stosb", 9));
	counts_free(&before);
	counts_free(&now);
	counts_free(&added);
}

static void test_sessions(void **state)
{
	struct setting kept = { .value = { [KEY_OP_FAR] = "movnti", [KEY_OP_NEAR] = "mov" } };
	struct routines routines;
	struct tally t[3];
	struct ops ops;

	(void)state;
	put("/sys/kernel/clearpages/routines", "kernel: ok\nmov: ok\nstosb: ok\nmovnti: ok\n");
	routines_read(&routines);
	ops_parse(&ops, "stosb/batch=page,movnti/near=stosb,kernel", &routines);
	assert_string_equal(ops.at[0].label, "base");
	assert_string_equal(ops.at[1].label, "movnti+near-stosb");
	put("/run/clearpages/kernel-sessions", "base kernel:0:0 mov:0:0 stosb:100:100 movnti:5:5\n"
					       "movnti+near-stosb kernel:0:0 mov:10:50 stosb:110:5100 movnti:5:5\n"
					       "base kernel:0:0 mov:10:50 stosb:118:5140 movnti:13:4005\n"
					       "kernel kernel:0:0 mov:10:50 stosb:118:5140 movnti:13:4005\n"
					       "- kernel:4:2048 mov:10:50 stosb:118:5140 movnti:20:4012\n");
	sessions_tally(&ops, &kept, t);
	/* Ten calls with both routines; and a second session with none. */
	assert_int_equal(t[0].calls, 10);
	assert_int_equal(t[0].pages, 5050);
	assert_int_equal(t[0].sessions, 2);
	assert_int_equal(t[0].empty, 1);
	assert_int_equal(t[1].calls, 8);
	assert_int_equal(t[1].pages, 4040);
	assert_int_equal(t[2].calls, 4);
	assert_int_equal(t[2].pages, 2048);
	assert_int_equal(t[2].empty, 0);
	/* Small pages too. */
	strcpy(kept.value[KEY_ORDER0], "movnti");
	sessions_tally(&ops, &kept, t);
	assert_int_equal(t[1].calls, 8);
	assert_int_equal(t[2].calls, 4 + 7);
	assert_int_equal(t[2].pages, 2048 + 7);
	ops_free(&ops);
	routines_free(&routines);
}

static int make_root(void **state)
{
	(void)state;
	return !mkdtemp(root) || setenv("CLEARPAGES_KERNEL_ROOT", root, 1);
}

static int remove_root(void **state)
{
	char *command = text_of("rm -rf '%s'", root);
	int status = system(command);

	(void)state;
	free(command);
	return status;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_chosen),	  cmocka_unit_test(test_quoting),
		cmocka_unit_test(test_counts),	 cmocka_unit_test(test_sessions),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
