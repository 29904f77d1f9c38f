// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sizes.c - sizes and lists as people write them, and as the command writes them back.
 */
#include "cli.h"
#include "unit.h"

static void good_sizes(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} cases[] = {
		{ "0", 0 }, { "1", 1 }, { "17B", 17 }, { "17b", 17 }, { "4096", 4096 }, { "4K", 4096 }, { "4k", 4096 },
		{ "4KB", 4096 }, { "4kb", 4096 }, { "4KiB", 4096 }, { "2M", 2 * MiB }, { "2MB", 2 * MiB }, { "2MiB", 2 * MiB },
		{ "1G", GiB }, { "1gb", GiB }, { "1GiB", GiB }, { "3T", 3 * 1024 * GiB }, { "3TiB", 3 * 1024 * GiB },
		{ "0004K", 4096 }, { "9223372036854775807", INT64_MAX }, { "8388607T", UINT64_C(8388607) << 40 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value = 1234567;

		if (read_size(cases[i].text, &value) || value != cases[i].value)
			fail_msg("'%s': not %llu", cases[i].text, (unsigned long long)cases[i].value);
	}
}

static void bad_sizes(void **state)
{
	static const struct {
		const char *text;
		int error;
	} cases[] = {
		{ "", -EINVAL }, { " ", -EINVAL }, { "4X", -EINVAL }, { "-1", -EINVAL }, { "+1", -EINVAL }, { " 1", -EINVAL },
		{ "1 ", -EINVAL }, { "1.5KB", -EINVAL }, { "1,5K", -EINVAL }, { "K", -EINVAL }, { "0x10", -EINVAL },
		{ "4KBB", -EINVAL }, { "4Ki", -EINVAL }, { "4Kb", -EINVAL }, { "4kB", -EINVAL }, { "4kib", -EINVAL }, { "4BK", -EINVAL },
		{ "4P", -EINVAL }, { "1e6", -EINVAL }, { "9223372036854775808", -ERANGE }, { "99999999999999999999", -ERANGE },
		{ "18446744073709551616", -ERANGE }, { "8388608T", -ERANGE }, { "18014398509481984K", -ERANGE },
		{ "99999999999999999999999999999999999999999K", -ERANGE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t value;

		if (read_size(cases[i].text, &value) != cases[i].error)
			fail_msg("'%s': not %d", cases[i].text, cases[i].error);
	}
}

static void expect_list(const char *text, const uint64_t *expected, size_t count)
{
	const char *error;
	size_t n;
	uint64_t *list = read_size_list(text, &n, &error);

	if (!list || error || n != count || memcmp(list, expected, n * sizeof(*list)) != 0)
		fail_msg("'%s': not as expected (%s)", text, error ? error : "no error");
	free(list);
}

static void good_lists(void **state)
{
	(void)state;
	expect_list("4K", (const uint64_t[]){ 4096 }, 1);
	expect_list("4K,64K,1M", (const uint64_t[]){ 4096, 65536, 1048576 }, 3);
	expect_list("4KB..64KB", (const uint64_t[]){ 4096, 8192, 16384, 32768, 65536 }, 5);
	expect_list("4K..60K", (const uint64_t[]){ 4096, 8192, 16384, 32768 }, 4);
	expect_list("3..3", (const uint64_t[]){ 3 }, 1);
	expect_list("1,2..4,9", (const uint64_t[]){ 1, 2, 4, 9 }, 4);
	expect_list("4611686018427387904..9223372036854775807", (const uint64_t[]){ UINT64_C(1) << 62 }, 1);
}

static void bad_lists(void **state)
{
	static const char *const cases[] = {
		"", ",", "4K,", ",4K", "4K,,8K", "0", "4K,0", "64KB..4KB", "4K..", "..4K", "..", "4K...8K", "4K..8K..16K", "4K..4X",
		"-1..4K", "4K..99999999999999999999", "4K;8K",
		"1..1T,1..1T,1..1T,1..1T,1..1T,1..1T,1..1T,1..1T", /* 8 times 41: too many */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *error = NULL;
		size_t n;

		if (read_size_list(cases[i], &n, &error) || !error || !error[0])
			fail_msg("'%s' was accepted", cases[i]);
	}
}

static void words_lists(void **state)
{
	size_t n = 0;
	char **words = parse_words("--variant", "a,bc,d", &n);

	(void)state;
	assert_int_equal(n, 3);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "bc");
	assert_string_equal(words[2], "d");
	free_words(words, n);
}

struct bad {
	void (*parse)(const char *text);
	const char *text;
};

static void run_bad(void *arg)
{
	struct bad *bad = arg;

	bad->parse(bad->text);
}

/* The child must end with status 2 and exactly one line that begins with the program's name and holds the value. */
static void expect_death(void (*parse)(const char *), const char *text)
{
	struct bad bad = { parse, text };
	char line[512];
	int ends[2], saved = dup(STDERR_FILENO), status;
	ssize_t n;

	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	status = in_child(run_bad, &bad);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = read(ends[0], line, sizeof(line) - 1);
	close(ends[0]);
	assert_true(n > 0);
	line[n] = '\0';
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_USAGE);
	assert_true(!strncmp(line, "clearpages: ", 12) && strstr(line, text) && strchr(line, '\n') == line + n - 1);
}

static void die_size(const char *text)
{
	parse_size("--size", text);
}

static void die_list(const char *text)
{
	size_t n;

	free(parse_size_list("--size", text, &n));
}

static void die_count(const char *text)
{
	parse_count("--threads", text, 1, 64);
}

static void die_words(const char *text)
{
	size_t n = 0;
	char **words = parse_words("--variant", text, &n);

	free_words(words, n);
}

static void dying(void **state)
{
	static const char *const sizes[] = { "4X", "-1", "1.5KB", "", "0", "99999999999999999999" };
	static const char *const lists[] = { "4X", "", "4K,,8K", "64K..4K" };
	static const char *const counts[] = { "0", "65", "-1", "", "1x", "18446744073709551617", "99999999999999999999999" };
	static const char *const word_lists[] = { "", ",", "a,", ",a", "a,,b" };

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++)
		expect_death(die_size, sizes[i]);
	for (size_t i = 0; i < COUNT(lists); i++)
		expect_death(die_list, lists[i]);
	for (size_t i = 0; i < COUNT(counts); i++)
		expect_death(die_count, counts[i]);
	for (size_t i = 0; i < COUNT(word_lists); i++)
		expect_death(die_words, word_lists[i]);
}

static void counts(void **state)
{
	(void)state;
	assert_int_equal(parse_count("--threads", "1", 1, 64), 1);
	assert_int_equal(parse_count("--threads", "64", 1, 64), 64);
	assert_int_equal(parse_count("--threads", "007", 1, 64), 7);
	assert_true(parse_count("--seed", "18446744073709551615", 0, UINT64_MAX) == UINT64_MAX);
}

static void formats(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0 B" }, { 1, "1 B" }, { 1023, "1023 B" }, { 1024, "1 KiB" }, { 1536, "1.5 KiB" }, { 4096, "4 KiB" },
		{ 2 * MiB, "2 MiB" }, { GiB + GiB / 2, "1.5 GiB" }, { 4 * GiB, "4 GiB" }, { 1024 * GiB, "1 TiB" },
		{ 4096 * 1024 * GiB, "4096 TiB" },
	};
	const char *first;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(format_size(cases[i].bytes), cases[i].text);
	/* Several may be used in one line. */
	first = format_size(7);
	format_size(8);
	format_size(9);
	assert_string_equal(first, "7 B");
	assert_non_null(format_size(UINT64_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_sizes),
		cmocka_unit_test(bad_sizes),
		cmocka_unit_test(good_lists),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(words_lists),
		cmocka_unit_test(dying),
		cmocka_unit_test(counts),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
