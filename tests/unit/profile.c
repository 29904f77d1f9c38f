// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profile.c - reading a measured profile: the good one is used, the damaged one and the one of another machine are refused, and a
 * refusal leaves what was in use.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "../../lib/lib.h"
#include "unit.h"

static struct clp_cpu cpu;
static char good[2048];
static size_t good_len;
static char path[] = "/tmp/clearpages-profile-XXXXXX";

/* A profile as `clearpages tune` would write it, with `text` (if any) in place of line `index`. */
static size_t compose(char *to, size_t size, int index, const char *text)
{
	char lines[CLP_PLANS + 7][160];
	size_t n = 0, len = 0;

	snprintf(lines[n++], sizeof(lines[0]), "clearpages-profile 1");
	snprintf(lines[n++], sizeof(lines[0]), "cpu %s %u %u %u", cpu.vendor, cpu.family, cpu.model, cpu.stepping);
	snprintf(lines[n++], sizeof(lines[0]), "hypervisor %s", cpu.hypervisor);
	snprintf(lines[n++], sizeof(lines[0]), "probe auto 16384 1048576");
	for (unsigned p = 0; p < CLP_PLANS; p++)
		snprintf(lines[n++], sizeof(lines[0]), "plan %s 1000 generic 65536 mov max generic", clp_plan_names[p]);
	snprintf(lines[n++], sizeof(lines[0]), "probe hot 65536 524288");
	snprintf(lines[n++], sizeof(lines[0]), "limit 300");
	snprintf(lines[n++], sizeof(lines[0]), "end");
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(to + len, size - len, "%s\n", text && (int)i == index ? text : lines[i]);
	return len;
}

/* A text of exactly its length, so that a read past the end is seen by valgrind and ASan. */
static int parse(const char *text, size_t len, struct clp_tuning *tuning)
{
	char *copy = malloc(len + !len);
	int err;

	memcpy(copy, text, len);
	memset(tuning, 0, sizeof(*tuning));
	err = clp_profile_parse(copy, len, &cpu, tuning);
	free(copy);
	return err;
}

static void assert_sound(const struct clp_tuning *t)
{
	for (unsigned hint = 0; hint < 2; hint++) {
		assert_true(t->probe_min[hint] <= t->probe_max[hint]);
		assert_true(!t->probe_max[hint] || t->probe_min[hint] > 4096);
	}
	for (unsigned p = 0; p < CLP_PLANS; p++) {
		uint64_t before = 0;

		for (unsigned r = 0; r < CLP_RULES; r++) {
			uint64_t upto = CLP_RULE_UPTO(t->plan[p][r]);
			unsigned row = CLP_RULE_ROW(t->plan[p][r]);

			assert_true(upto > before || (before == CLP_RULE_MAX && upto == CLP_RULE_MAX));
			assert_true(row < clp_variants_total && clp_variants[row].op == clp_plan_op((enum clp_plan)p));
			before = upto;
		}
		assert_true(before == CLP_RULE_MAX);
	}
}

static void good_profile(void **state)
{
	struct clp_tuning t;

	(void)state;
	assert_int_equal(parse(good, good_len, &t), 0);
	assert_sound(&t);
	assert_true(t.probe_min[0] == 16384 && t.probe_max[0] == 1048576 && t.probe_limit == 300);
	assert_true(t.probe_min[1] == 65536 && t.probe_max[1] == 524288);
	for (unsigned p = 0; p < CLP_PLANS; p++) {
		assert_true(CLP_RULE_UPTO(t.plan[p][0]) == 1000 && CLP_RULE_UPTO(t.plan[p][1]) == 65536);
		assert_string_equal(clp_variants[CLP_RULE_ROW(t.plan[p][0])].name, "generic");
		assert_string_equal(clp_variants[CLP_RULE_ROW(t.plan[p][1])].name, "mov");
	}
}

static void comments_and_blanks(void **state)
{
	char text[4096];
	struct clp_tuning t;
	size_t len;

	(void)state;
	len = (size_t)snprintf(text, sizeof(text), "# measured by hand\n\n  \t\n%s# the end\n\n", good);
	assert_int_equal(parse(text, len, &t), 0);
	len = compose(text, sizeof(text), 3, "\tprobe   auto 0\t0   # never");
	assert_int_equal(parse(text, len, &t), 0);
	assert_sound(&t);
	/* The last newline may be missing. */
	assert_int_equal(parse(good, good_len - 1, &t), 0);
}

static void truncated(void **state)
{
	struct clp_tuning t;

	(void)state;
	for (size_t len = 0; len < good_len - 1; len++)
		if (parse(good, len, &t) != -EINVAL)
			fail_msg("accepted when cut to %zu of %zu bytes", len, good_len);
}

/* A flipped bit may leave a valid profile, with another number; never an unsound one, and never a crash. */
static void flipped_bits(void **state)
{
	struct clp_tuning t;
	char text[sizeof(good)];

	(void)state;
	for (size_t i = 0; i < good_len; i++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			int err;

			memcpy(text, good, good_len);
			text[i] ^= (char)(1u << bit);
			err = parse(text, good_len, &t);
			if (!err)
				assert_sound(&t);
			else
				assert_true(err == -EINVAL || err == -ESTALE);
		}
	}
}

static void damaged_lines(void **state)
{
	static const struct {
		int line;
		const char *text;
	} cases[] = {
		{ 0, "" }, { 0, "clearpages-profile" }, { 0, "clearpages-profile 2" }, { 0, "clearpages-profile 1 1" },
		{ 0, "profile 1" }, { 0, "clearpages-profile one" }, { 1, "" }, { 1, "cpu" }, { 1, "cpu GenuineIntel" },
		{ 1, "cpu GenuineIntel 6 x 1" }, { 1, "cpu GenuineIntel 6 1 -1" }, { 2, "" }, { 2, "cpu" },
		{ 3, "" }, { 3, "probe" }, { 3, "probe auto" }, { 3, "probe auto 16384" }, { 3, "probe 16384 32768" },
		{ 3, "probe auto 65536 16384" }, { 3, "probe auto 0 65536" }, { 3, "probe auto 4096 65536" }, { 3, "probe cold 16384 65536" },
		{ 3, "probe auto 16384 4294967296" }, { 3, "probe auto 16384 65536 300" }, { 3, "probe hot 16384 65536" /* twice */ },
		{ 3, "probe auto 16K 64K" }, { 3, "probe auto -1 65536" }, { 14, "" }, { 14, "limit" }, { 14, "limit -1" }, { 14, "limit 4294967296" },
		{ 14, "limit 99999999999999999999" }, { 14, "limit 300 1" }, { 13, "" }, { 13, "limit 300" /* twice */ },
		{ 4, "" }, { 4, "plan" }, { 4, "plan hot" }, { 4, "plan hot max" }, { 4, "plan hot max nosuch" },
		{ 4, "plan warm max generic" }, { 4, "plan hot 4096 generic" }, { 4, "plan hot 4096 generic 4096 generic max generic" },
		{ 4, "plan hot 65536 generic 4096 generic max generic" }, { 4, "plan hot 0 generic max generic" },
		{ 4, "plan hot max generic 4096 generic" }, { 4, "plan hot max generic max generic" },
		{ 4, "plan hot -4096 generic max generic" }, { 4, "plan hot 4096 movsb max generic" /* a copy */ },
		{ 4, "plan hot 100000000000000000000 mov max mov" },
		{ 4, "plan cold max generic" /* twice */ }, { 4, "PLAN hot max generic" }, { 10, "plan copy-hot max stosb" /* a clear */ },
		{ 15, "" }, { 15, "end end" }, { 15, "end\nend" }, { 15, "end\nplan hot max generic" }, { 15, "End" },
		{ 15, "end\r" }, { 5, "unknown 1" },
	};
	struct clp_tuning t;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t len = compose(text, sizeof(text), cases[i].line, cases[i].text);

		if (parse(text, len, &t) != -EINVAL)
			fail_msg("line %d as '%s' was not refused", cases[i].line, cases[i].text);
	}
}

/* As many rules as there is room for, and one more. */
static void too_many_rules(void **state)
{
	struct clp_tuning t;
	char text[4096], line[256];

	(void)state;
	for (unsigned rules = CLP_RULES; rules <= CLP_RULES + 1; rules++) {
		size_t len = (size_t)snprintf(line, sizeof(line), "plan hot");

		for (unsigned r = 1; r < rules; r++)
			len += (size_t)snprintf(line + len, sizeof(line) - len, " %u mov", r * 64);
		snprintf(line + len, sizeof(line) - len, " max generic");
		len = compose(text, sizeof(text), 4, line);
		assert_int_equal(parse(text, len, &t), rules > CLP_RULES ? -EINVAL : 0);
	}
}

static void repeated_lines(void **state)
{
	struct clp_tuning t;
	char text[4096], line[160];

	(void)state;
	for (int i = 0; i < (int)CLP_PLANS + 5; i++) {
		const char *at = good;
		size_t len;

		for (int skipped = 0; skipped < i; skipped++)
			at = strchr(at, '\n') + 1;
		snprintf(line, sizeof(line), "%.*s\n%.*s", (int)strcspn(at, "\n"), at, (int)strcspn(at, "\n"), at);
		len = compose(text, sizeof(text), i, line);
		if (parse(text, len, &t) != -EINVAL)
			fail_msg("accepted twice: %s", line);
	}
}

static void nul_bytes_and_line_ends(void **state)
{
	struct clp_tuning t;
	char text[2 * sizeof(good)];
	size_t len = 0;

	(void)state;
	for (size_t i = 0; i < good_len; i++) {
		if (good[i] == '#')
			continue;
		memcpy(text, good, good_len);
		text[i] = '\0';
		/* In place of the very last newline too: "end\0" is not "end". */
		assert_int_not_equal(parse(text, good_len, &t), 0);
	}
	for (size_t i = 0; i < good_len; i++) {
		if (good[i] == '\n')
			text[len++] = '\r';
		text[len++] = good[i];
	}
	assert_int_equal(parse(text, len, &t), -EINVAL);
}

static void foreign(void **state)
{
	struct clp_tuning t;
	char text[4096], line[128];
	size_t len;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "cpu %s %u %u %u", i == 0 ? "OtherVendor" : cpu.vendor, cpu.family + (i == 1),
			 cpu.model + (i == 2), cpu.stepping + (i == 3));
		len = compose(text, sizeof(text), 1, line);
		assert_int_equal(parse(text, len, &t), -ESTALE);
		/* Damaged comes before foreign. */
		assert_int_equal(parse(text, len - 4, &t), -EINVAL);
	}
	len = compose(text, sizeof(text), 2, "hypervisor OtherHyper");
	assert_int_equal(parse(text, len, &t), -ESTALE);
}

static void write_file(const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static const char *chosen(size_t len, unsigned flags)
{
	unsigned index;

	assert_int_equal(clp_choice(CLP_OP_CLEAR, len, flags, 0, &index, NULL), 0);
	return variant_info(CLP_OP_CLEAR, index).name;
}

static void loading(void **state)
{
	const char *at;

	(void)state;
	write_file(good, good_len);
	errno = 12345;
	assert_int_equal(clp_profile_load(path), 0);
	assert_int_equal(clp_profile_status(&at), CLP_PROFILE_USED);
	assert_string_equal(at, path);
	for (unsigned hint = 0; hint <= CLP_COLD; hint++) {
		assert_string_equal(chosen(1000, hint | CLP_NOPROBE), "generic");
		assert_string_equal(chosen(1001, hint | CLP_NOPROBE), "mov");
		assert_string_equal(chosen(65536, hint | CLP_NOPROBE), "mov");
		assert_string_equal(chosen(65537, hint | CLP_NOPROBE), "generic");
		assert_string_equal(chosen(SIZE_MAX, hint | CLP_NOPROBE), "generic");
	}
	/* A forced routine goes before the profile, and gives way to it again. */
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_COLD, "stosb"), 0);
	assert_string_equal(chosen(1001, CLP_COLD), "stosb");
	assert_int_equal(clp_variant_force(CLP_OP_CLEAR, CLP_COLD, NULL), 0);
	assert_string_equal(chosen(1001, CLP_COLD), "mov");
	assert_int_equal(errno, 12345);
}

static void a_failed_load_changes_nothing(void **state)
{
	char text[4096], *large;
	const char *at;
	size_t len;

	(void)state;
	write_file(good, good_len);
	assert_int_equal(clp_profile_load(path), 0);
	errno = 12345;
	write_file(good, good_len - 10);
	assert_int_equal(clp_profile_load(path), -EINVAL);
	write_file("", 0);
	assert_int_equal(clp_profile_load(path), -EINVAL);
	len = compose(text, sizeof(text), 2, "hypervisor OtherHyper");
	write_file(text, len);
	assert_int_equal(clp_profile_load(path), -ESTALE);
	/* Too large, though valid at its beginning. */
	large = malloc(100000);
	memset(large, '\n', 100000);
	memcpy(large, good, good_len);
	write_file(large, CLP_PROFILE_SIZE_MAX + 1);
	assert_int_not_equal(clp_profile_load(path), 0);
	write_file(large, 100000);
	assert_int_not_equal(clp_profile_load(path), 0);
	assert_int_equal(clp_profile_load("/nonexistent/profile"), -ENOENT);
	assert_int_equal(clp_profile_load("/etc/passwd/profile"), -ENOTDIR);
	assert_int_equal(clp_profile_load("/tmp"), -EISDIR);
	assert_int_equal(clp_profile_load(""), -ENOENT);
	assert_int_equal(clp_profile_load("/dev/null"), -EINVAL);
	assert_int_equal(errno, 12345);
	assert_int_equal(clp_profile_status(&at), CLP_PROFILE_USED);
	assert_string_equal(at, path);
	assert_string_equal(chosen(1001, CLP_COLD), "mov");
	/* The largest valid size. */
	write_file(large, CLP_PROFILE_SIZE_MAX);
	assert_int_equal(clp_profile_load(path), 0);
	free(large);
}

static void back_to_the_defaults(void **state)
{
	const char *before;

	(void)state;
	assert_int_equal(clp_profile_load(NULL), 0);
	before = chosen(8 * MiB, CLP_COLD);
	write_file(good, good_len);
	assert_int_equal(clp_profile_load(path), 0);
	assert_string_equal(chosen(1001, CLP_HOT), "mov");
	assert_int_equal(clp_profile_load(NULL), 0);
	assert_int_not_equal(clp_profile_status(NULL), CLP_PROFILE_USED);
	assert_string_equal(chosen(8 * MiB, CLP_COLD), before);
}

/* A profile may name a routine that this processor lacks (it was written by hand, or the routine is disabled): another serves. */
static void missing_routines_are_replaced(void **state)
{
	char text[4096], line[128];
	unsigned tried = 0;

	(void)state;
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		struct clp_variant_info info = variant_info(CLP_OP_CLEAR, i);
		unsigned index;
		size_t len;

		if (!info.missing)
			continue;
		snprintf(line, sizeof(line), "plan cold max %s", info.name);
		len = compose(text, sizeof(text), 6, line);
		write_file(text, len);
		assert_int_equal(clp_profile_load(path), 0);
		assert_int_equal(clp_choice(CLP_OP_CLEAR, 1 * MiB, CLP_COLD, 0, &index, NULL), 0);
		assert_null(variant_info(CLP_OP_CLEAR, index).missing);
		tried++;
	}
	clp_profile_load(NULL);
	if (!tried)
		SKIP("every routine is available on this processor");
}

static int stop;

static void *load_often(void *busy)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		int err = clp_profile_load(path);

		if (err == -EBUSY)
			__atomic_fetch_add((int *)busy, 1, __ATOMIC_RELAXED);
		else if (err)
			__atomic_store_n((int *)busy, -1000000, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Two threads load while this one clears: the loads succeed or say busy, and every clear is right. */
static void loading_beside_clearing(void **state)
{
	unsigned char *buffer = guarded(256 * KiB);
	pthread_t threads[2];
	int busy = 0;

	(void)state;
	write_file(good, good_len);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, load_often, &busy), 0);
	for (unsigned i = 0; i < 3000; i++) {
		size_t len = (i * 7919u) % (64 * KiB);

		memset(buffer, 0xee, len + 1);
		assert_int_equal(clp_clear(buffer, len, i % 3), 0);
		assert_true(all(buffer, len, 0) && buffer[len] == 0xee);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_true(busy >= 0);
	clp_profile_load(NULL);
	unguard(buffer, 256 * KiB);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	clp_cpu_detect(&cpu);
	good_len = compose(good, sizeof(good), -1, NULL);
	return fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_profile),
		cmocka_unit_test(comments_and_blanks),
		cmocka_unit_test(truncated),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(damaged_lines),
		cmocka_unit_test(too_many_rules),
		cmocka_unit_test(repeated_lines),
		cmocka_unit_test(nul_bytes_and_line_ends),
		cmocka_unit_test(foreign),
		cmocka_unit_test(loading),
		cmocka_unit_test(a_failed_load_changes_nothing),
		cmocka_unit_test(back_to_the_defaults),
		cmocka_unit_test(missing_routines_are_replaced),
		cmocka_unit_test(loading_beside_clearing),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
