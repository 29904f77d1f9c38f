/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.c - the reader of results: whole lines are used, damaged ones named, wherever the damage is.
 */
#include "../../cli/results.h"

#include "unit.h"

static char path[] = "/tmp/results-XXXXXX";

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Reads it all; what was said on stderr goes to `said`. */
static struct results read_all(char *said, size_t size, int *types)
{
	int saved = dup(2);
	FILE *catcher = tmpfile();
	struct results r;
	json_t *record;
	size_t n;

	dup2(fileno(catcher), 2);
	results_open(&r, path);
	*types = 0;
	while ((record = results_next(&r))) {
		*types += result_is(record, "sample");
		json_decref(record);
	}
	results_close(&r);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	rewind(catcher);
	n = fread(said, 1, size - 1, catcher);
	said[n] = '\0';
	fclose(catcher);
	return r;
}

#define HEADER "{\"type\":\"header\",\"schema\":1,\"bench\":\"clear\"}\n"
#define SAMPLE "{\"type\":\"sample\",\"ticks\":12.5,\"size\":4096}\n"

static void test_whole(void **state)
{
	static const char text[] = HEADER SAMPLE "\n" SAMPLE;
	char said[512];
	struct results r;
	int samples;

	(void)state;
	write_file(text, sizeof(text) - 1);
	r = read_all(said, sizeof(said), &samples);
	assert_string_equal(said, "");
	assert_int_equal(r.records, 3);
	assert_int_equal(r.damaged, 0);
	assert_int_equal(samples, 2);
}

static void test_cut_anywhere(void **state)
{
	static const char text[] = HEADER SAMPLE SAMPLE;
	size_t header = sizeof(HEADER) - 1, sample = sizeof(SAMPLE) - 1;
	char said[512];
	int samples;

	(void)state;
	for (size_t len = 0; len < sizeof(text); len++) {
		size_t whole = len < header ? 0 : 1 + (len - header) / sample;
		size_t rest = len < header ? len : (len - header) % sample;
		struct results r;

		write_file(text, len);
		r = read_all(said, sizeof(said), &samples);
		assert_int_equal(r.records, whole);
		assert_int_equal(r.damaged, rest != 0);
		assert_int_equal(strstr(said, "cut off") != NULL, rest != 0);
	}
}

static void test_damage_inside(void **state)
{
	static const char text[] =
	    HEADER "{\"type\":\"sam\0ple\"}\n" SAMPLE "{\"type\":\n[1]\n\"\xff\xfe\"\n{\"type\":7}\n1\n2\n" SAMPLE;
	char said[2048];
	struct results r;
	int samples;

	(void)state;
	write_file(text, sizeof(text) - 1);
	r = read_all(said, sizeof(said), &samples);
	assert_int_equal(samples, 2);
	assert_int_equal(r.records, 3);
	assert_int_equal(r.damaged, 7);
	assert_non_null(strstr(said, "line 2 is damaged"));
	assert_null(strstr(said, "line 3 is damaged"));
	assert_non_null(strstr(said, "line 4 is damaged"));
	assert_non_null(strstr(said, "2 more lines are damaged"));
}

static void test_values(void **state)
{
	json_t *record = json_loads("{\"type\":\"cell\",\"a\":1,\"b\":2.5,\"c\":\"x\",\"d\":true,\"e\":null}", 0, NULL);

	(void)state;
	assert_true(result_is(record, "cell"));
	assert_false(result_is(record, "cel"));
	assert_int_equal(result_whole(record, "a", 9), 1);
	assert_int_equal(result_whole(record, "b", 9), 9);
	assert_true(result_real(record, "a", 9) == 1 && result_real(record, "b", 9) == 2.5 &&
		    result_real(record, "e", 9) == 9);
	assert_string_equal(result_text(record, "c", "y"), "x");
	assert_string_equal(result_text(record, "a", "y"), "y");
	assert_true(result_truth(record, "d"));
	assert_false(result_truth(record, "a"));
	json_decref(record);
}

/* Another schema ends the program with status 1. */
static void test_schema(void **state)
{
	static const char text[] = "{\"type\":\"header\",\"schema\":2}\n" SAMPLE;
	char said[512];
	int status, samples;
	pid_t child;

	(void)state;
	write_file(text, sizeof(text) - 1);
	child = fork();
	if (!child) {
		read_all(said, sizeof(said), &samples);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),  cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_damage_inside),
		cmocka_unit_test(test_values), cmocka_unit_test(test_schema),
	};
	int fd = mkstemp(path), failed;

	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
