// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * environment.c - CLEARPAGES_VARIANT, CLEARPAGES_DISABLE and CLEARPAGES_PROFILE: obeyed when good, one line of warning and the
 * default when not, ignored in a process with raised privileges. argv: the child linked shared, the child linked static.
 */
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>

#include "../../lib/lib.h"
#include "unit.h"

static const char *shared_child, *static_child;
static char directory[] = "/tmp/clearpages-env-XXXXXX";

struct result {
	char out[8192], err[8192];
	int status;
};

static void slurp(int fd, char *to, size_t size)
{
	ssize_t n, len = 0;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, to + len, size - 1 - (size_t)len)) > 0)
		len += n;
	to[len] = '\0';
	close(fd);
}

/* Run a child with one variable set (NULL: none) beside PATH, as user `uid` (0: as we are). */
static void run_as(struct result *r, const char *program, const char *variable, uid_t uid)
{
	char *argv[] = { argument(program), NULL };
	/* Leaks are not this test's subject, and LeakSanitizer can't trace a process with raised privileges. */
	char *envp[] = { argument("PATH=/usr/bin:/bin"), argument("ASAN_OPTIONS=detect_leaks=0"), argument(variable), NULL };
	int out = memfd_create("out", 0), err = memfd_create("err", 0);
	pid_t pid;

	assert_true(out >= 0 && err >= 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		if (uid && (setgroups(0, NULL) || setgid(uid) || setuid(uid)))
			_exit(98);
		execve(program, argv, envp);
		_exit(97);
	}
	assert_int_equal(waitpid(pid, &r->status, 0), pid);
	slurp(out, r->out, sizeof(r->out));
	slurp(err, r->err, sizeof(r->err));
}

static void run(struct result *r, const char *variable)
{
	run_as(r, shared_child, variable, 0);
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status))
		fail_msg("the child ended with status %#x under %s: %s", r->status, variable ? variable : "nothing", r->err);
}

/* The word after `key`, in a static buffer. */
static const char *word_of(const struct result *r, const char *key)
{
	static char words[4][128];
	static unsigned next;
	char *word = words[next++ % 4];
	size_t len = strlen(key);

	for (const char *at = r->out; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		if (strncmp(at, key, len) != 0 || at[len] != ' ')
			continue;
		snprintf(word, sizeof(words[0]), "%.*s", (int)strcspn(at + len + 1, "\n"), at + len + 1);
		return word;
	}
	fail_msg("the child did not say '%s'", key);
	return "";
}

static void assert_one_warning(const struct result *r, const char *value)
{
	const char *newline = strchr(r->err, '\n');

	if (strncmp(r->err, "libclearpages: ", 15) != 0 || !strstr(r->err, value) || !newline || newline[1])
		fail_msg("not one line of warning that names '%s': %s", value, r->err);
}

static void assert_silent(const struct result *r)
{
	assert_string_equal(r->err, "");
}

static void assert_same_choices(const struct result *a, const struct result *b)
{
	static const char *const keys[] = { "clear0", "clear1", "clear2", "copy0", "copy1", "copy2" };

	for (size_t i = 0; i < COUNT(keys); i++)
		assert_string_equal(word_of(a, keys[i]), word_of(b, keys[i]));
	assert_string_equal(word_of(a, "clears"), "yes");
	assert_string_equal(word_of(b, "clears"), "yes");
}

static struct result plain;

static void nothing_set(void **state)
{
	(void)state;
	assert_silent(&plain);
	assert_string_equal(word_of(&plain, "secure"), "0");
	assert_string_equal(word_of(&plain, "clears"), "yes");
	if (access(CLP_PROFILE_PATH, F_OK))
		assert_int_equal(atoi(word_of(&plain, "status")), CLP_PROFILE_NONE);
}

static void good_variant(void **state)
{
	struct result r;

	(void)state;
	run(&r, "CLEARPAGES_VARIANT=stosb");
	assert_silent(&r);
	assert_string_equal(word_of(&r, "clear0"), "stosb");
	assert_string_equal(word_of(&r, "clear1"), "stosb");
	assert_string_equal(word_of(&r, "clear2"), "stosb");
	assert_string_equal(word_of(&r, "copy0"), word_of(&plain, "copy0"));
	run(&r, "CLEARPAGES_VARIANT=mov");
	assert_silent(&r);
	assert_string_equal(word_of(&r, "clear2"), "mov");
	assert_string_equal(word_of(&r, "copy2"), "mov");
	assert_string_equal(word_of(&r, "clears"), "yes");
}

static void bad_variant(void **state)
{
	static const char *const names[] = { "nosuch", "STOSB", "stosb ", "mov,stosb", "%s%n", "a-name-that-is-much-longer-than-any" };
	char variable[128];
	struct result r;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(variable, sizeof(variable), "CLEARPAGES_VARIANT=%s", names[i]);
		run(&r, variable);
		assert_one_warning(&r, variable);
		assert_same_choices(&r, &plain);
	}
}

static void unavailable_variant(void **state)
{
	const char *missing = NULL;
	char variable[128];
	struct result r;

	(void)state;
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++)
		if (variant_info(CLP_OP_CLEAR, i).missing)
			missing = variant_info(CLP_OP_CLEAR, i).name;
	if (!missing)
		SKIP("every routine is available on this processor");
	snprintf(variable, sizeof(variable), "CLEARPAGES_VARIANT=%s", missing);
	run(&r, variable);
	assert_one_warning(&r, variable);
	assert_same_choices(&r, &plain);
}

static void disable(void **state)
{
	struct result r;

	(void)state;
	run(&r, "CLEARPAGES_DISABLE=stosb,stosq");
	assert_silent(&r);
	assert_string_not_equal(word_of(&r, "has-stosb"), "yes");
	assert_string_not_equal(word_of(&r, "has-stosq"), "yes");
	assert_string_equal(word_of(&r, "has-mov"), "yes");
	assert_non_null(strstr(word_of(&r, "has-stosb"), "disabled"));
	/* By feature: every routine that needs it. */
	run(&r, "CLEARPAGES_DISABLE=sse2,avx2,avx512f,clzero,movdir64b");
	assert_silent(&r);
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		char key[64];
		const char *name = variant_info(CLP_OP_CLEAR, i).name;

		snprintf(key, sizeof(key), "has-%s", name);
		if (!strcmp(name, "generic") || !strcmp(name, "mov") || !strcmp(name, "stosb") || !strcmp(name, "stosq"))
			assert_string_equal(word_of(&r, key), "yes");
		else
			assert_string_not_equal(word_of(&r, key), "yes");
	}
	assert_string_equal(word_of(&r, "clears"), "yes");
	/* What is disabled can't be what is chosen: take each default away. */
	for (unsigned hint = 0; hint < 3; hint++) {
		char key[16], variable[128];

		snprintf(key, sizeof(key), "clear%u", hint);
		if (!strcmp(word_of(&plain, key), "generic"))
			continue;
		snprintf(variable, sizeof(variable), "CLEARPAGES_DISABLE=%s", word_of(&plain, key));
		run(&r, variable);
		assert_silent(&r);
		assert_string_not_equal(word_of(&r, key), word_of(&plain, key));
		assert_string_equal(word_of(&r, "clears"), "yes");
	}
}

static void disable_everything(void **state)
{
	char variable[512] = "CLEARPAGES_DISABLE=";
	struct result r;

	(void)state;
	for (unsigned op = 0; op < 2; op++) {
		for (unsigned i = 0; i < clp_variant_count(op); i++) {
			strcat(variable, i + op ? "," : "");
			strcat(variable, variant_info(op, i).name);
		}
	}
	run(&r, variable);
	assert_silent(&r);
	assert_string_equal(word_of(&r, "clear0"), "generic");
	assert_string_equal(word_of(&r, "clear1"), "generic");
	assert_string_equal(word_of(&r, "clear2"), "generic");
	assert_string_equal(word_of(&r, "copy0"), "generic");
	assert_string_equal(word_of(&r, "clears"), "yes");
}

static void disable_unknown(void **state)
{
	struct result r;

	(void)state;
	run(&r, "CLEARPAGES_DISABLE=nosuch");
	assert_one_warning(&r, "nosuch");
	assert_same_choices(&r, &plain);
	/* The known ones beside it are obeyed. */
	run(&r, "CLEARPAGES_DISABLE=stosb,nosuch");
	assert_one_warning(&r, "nosuch");
	assert_string_not_equal(word_of(&r, "has-stosb"), "yes");
}

static void disabled_and_asked_for(void **state)
{
	/* The child runs with one variable; here both are needed. */
	char *argv[] = { argument(shared_child), NULL };
	char *envp[] = { argument("CLEARPAGES_DISABLE=stosb"), argument("CLEARPAGES_VARIANT=stosb"), NULL };
	int err = memfd_create("err", 0), status;
	struct result r = { .out = "" };
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		dup2(err, STDERR_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execve(shared_child, argv, envp);
		_exit(97);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	slurp(err, r.err, sizeof(r.err));
	assert_one_warning(&r, "CLEARPAGES_VARIANT=stosb");
}

static const char *write_profile(const char *name, const char *text, size_t len)
{
	static char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	return path;
}

static size_t compose(char *to, size_t size, unsigned stepping)
{
	struct clp_cpu cpu;
	size_t len;

	clp_cpu_detect(&cpu);
	len = (size_t)snprintf(to, size, "clearpages-profile 1\ncpu %s %u %u %u\nhypervisor %s\nprobe auto 0 0\nprobe hot 0 0\nlimit 0\n", cpu.vendor, cpu.family,
			       cpu.model, cpu.stepping + stepping, cpu.hypervisor);
	for (unsigned p = 0; p < CLP_PLANS; p++)
		len += (size_t)snprintf(to + len, size - len, "plan %s max mov\n", clp_plan_names[p]);
	return len + (size_t)snprintf(to + len, size - len, "end\n");
}

static void run_with_profile(struct result *r, const char *path)
{
	char variable[256];

	snprintf(variable, sizeof(variable), "CLEARPAGES_PROFILE=%s", path);
	run(r, variable);
}

static void good_profile(void **state)
{
	char text[2048];
	struct result r;
	const char *path = write_profile("good", text, compose(text, sizeof(text), 0));

	(void)state;
	run_with_profile(&r, path);
	assert_silent(&r);
	assert_int_equal(atoi(word_of(&r, "status")), CLP_PROFILE_USED);
	assert_string_equal(word_of(&r, "path"), path);
	assert_string_equal(word_of(&r, "clear0"), "mov");
	assert_string_equal(word_of(&r, "clear2"), "mov");
	assert_string_equal(word_of(&r, "copy1"), "mov");
	assert_string_equal(word_of(&r, "clears"), "yes");
}

static void bad_profiles(void **state)
{
	char text[2048];
	struct result r;
	const char *path;
	size_t len = compose(text, sizeof(text), 0);

	(void)state;
	path = write_profile("damaged", text, len - 10);
	run_with_profile(&r, path);
	assert_one_warning(&r, path);
	assert_int_equal(atoi(word_of(&r, "status")), CLP_PROFILE_DAMAGED);
	assert_string_equal(word_of(&r, "path"), path);
	assert_same_choices(&r, &plain);

	path = write_profile("foreign", text, compose(text, sizeof(text), 1));
	run_with_profile(&r, path);
	assert_one_warning(&r, path);
	assert_int_equal(atoi(word_of(&r, "status")), CLP_PROFILE_FOREIGN);
	assert_same_choices(&r, &plain);

	run_with_profile(&r, "/nonexistent/profile");
	assert_one_warning(&r, "/nonexistent/profile");
	assert_same_choices(&r, &plain);

	run_with_profile(&r, directory);
	assert_one_warning(&r, directory);
	assert_int_equal(atoi(word_of(&r, "status")), CLP_PROFILE_DAMAGED);
	assert_same_choices(&r, &plain);
}

static void profile_switched_off(void **state)
{
	struct result r;

	(void)state;
	run_with_profile(&r, "");
	assert_silent(&r);
	assert_int_equal(atoi(word_of(&r, "status")), CLP_PROFILE_OFF);
}

/* A fifo without a writer must not hang the start of every program. */
static void profile_is_a_fifo(void **state)
{
	char path[128];
	struct result r;

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", directory);
	assert_int_equal(mkfifo(path, 0600), 0);
	run_with_profile(&r, path);
	assert_one_warning(&r, path);
	assert_same_choices(&r, &plain);
}

static void copy_file(const char *from, const char *to, mode_t mode)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	char block[65536];
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, block, sizeof(block))) > 0)
		assert_int_equal(write(out, block, (size_t)n), n);
	assert_int_equal(fchmod(out, mode), 0);
	close(in);
	close(out);
}

static void ignored_with_raised_privileges(void **state)
{
	static const char *const variables[] = { "CLEARPAGES_VARIANT=mov", "CLEARPAGES_VARIANT=nosuch", "CLEARPAGES_DISABLE=avx2,sse2",
						 "CLEARPAGES_DISABLE=nosuch", "CLEARPAGES_PROFILE=/nonexistent",
						 "CLEARPAGES_PROFILE=" };
	char program[128];
	struct result r;

	(void)state;
	if (geteuid())
		SKIP("setting the user id of a program needs root");
	snprintf(program, sizeof(program), "%s/setuid", directory);
	assert_int_equal(chmod(directory, 0755), 0);
	copy_file(static_child, program, 04755);
	run_as(&r, program, NULL, 65534);
	if (WIFEXITED(r.status) && WEXITSTATUS(r.status) == 98)
		SKIP("this container does not let a process change its user");
	assert_int_equal(r.status, 0);
	if (strcmp(word_of(&r, "secure"), "1") != 0)
		SKIP("%s is on a file system without set-user-id", directory);
	for (size_t i = 0; i < COUNT(variables); i++) {
		run_as(&r, program, variables[i], 65534);
		assert_int_equal(r.status, 0);
		assert_string_equal(word_of(&r, "secure"), "1");
		assert_silent(&r);
		assert_same_choices(&r, &plain);
		assert_string_equal(word_of(&r, "status"), word_of(&plain, "status"));
	}
}

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	run(&plain, NULL);
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { "good", "damaged", "foreign", "fifo", "setuid" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	return rmdir(directory);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_set),
		cmocka_unit_test(good_variant),
		cmocka_unit_test(bad_variant),
		cmocka_unit_test(unavailable_variant),
		cmocka_unit_test(disable),
		cmocka_unit_test(disable_everything),
		cmocka_unit_test(disable_unknown),
		cmocka_unit_test(disabled_and_asked_for),
		cmocka_unit_test(good_profile),
		cmocka_unit_test(bad_profiles),
		cmocka_unit_test(profile_switched_off),
		cmocka_unit_test(profile_is_a_fifo),
		cmocka_unit_test(ignored_with_raised_privileges),
	};

	if (argc != 3)
		return 2;
	shared_child = argv[1];
	static_child = argv[2];
	return cmocka_run_group_tests(tests, setup, teardown);
}
