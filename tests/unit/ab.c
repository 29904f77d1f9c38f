/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ab.c - the statistics of ab against values from R 4.2 (t.test, wilcox.test, p.adjust), its units, and its rows.
 */
#include <math.h>

#include "unit.h"

#include "../../cli/ab/row.h"
#include "../../cli/ab/verdict.h"

static void near(double got, double wanted)
{
	if (fabs(got - wanted) > 1e-8 * fmax(1e-3, fabs(wanted)))
		fail_msg("%.12g, not %.12g", got, wanted);
}

static const double x[] = { 0.1, 0.4, 0.2, 0.7, 0.3, 0.9, 0.5, 0.6 };
static const double y[] = { 0.95, 1.3, 0.8, 1.9, 0.75, 1.2, 1.15, 1.7 };

/* t.test(y, x); wilcox.test(x, y): there are no ties. */
static void test_welch(void **state)
{
	struct effect e;
	double low, high;

	(void)state;
	effect_unpaired(&e, x, COUNT(x), y, COUNT(y));
	near(e.mean, 0.75625);
	near(e.df, 12.0362535368);
	near(e.p, 0.000898262627951);
	effect_interval(&e, 0.95, &low, &high);
	near(low, 0.379732126032);
	near(high, 1.13276787397);
	near(e.wilcoxon_p, 0.000621600621601);
	near(e.wilcoxon_least, 2.0 / 12870);
}

/* wilcox.test(y, x, paired = TRUE): the smallest p of 8 blocks, for all are positive. */
static void test_blocks(void **state)
{
	struct effect e;

	(void)state;
	effect_paired(&e, x, y, COUNT(x));
	near(e.mean, 0.75625);
	near(e.wilcoxon_p, 2.0 / 256);
	near(e.wilcoxon_least, 2.0 / 256);
	assert_true(wilcoxon_can_reject(&e, 6));
	assert_false(wilcoxon_can_reject(&e, 7));
	/* Between the paired test's degrees of freedom and Welch's. */
	assert_true(e.df > 7 && e.df < 14);
}

/* Two blocks: there is but one pair of neighbours, and this is Welch's test. */
static void test_two_blocks(void **state)
{
	struct effect blocks, welch;

	(void)state;
	effect_paired(&blocks, x, y, 2);
	effect_unpaired(&welch, x, 2, y, 2);
	near(blocks.p, welch.p);
	near(blocks.df, welch.df);
}

/* A drift that is the same for both leaves the effect alone, and makes the test hardly weaker. */
static void test_drift(void **state)
{
	double a[8], b[8], before;
	struct effect e;

	(void)state;
	effect_paired(&e, x, y, 8);
	before = e.p;
	for (unsigned i = 0; i < 8; i++) {
		a[i] = x[i] + 0.2 * i;
		b[i] = y[i] + 0.2 * i;
	}
	effect_paired(&e, a, b, 8);
	near(e.mean, 0.75625);
	assert_true(e.p < 10 * before);
	effect_unpaired(&e, a, 8, b, 8);
	assert_true(e.p > 0.05);
	/* Blocks that jump: the paired test. */
	for (unsigned i = 0; i < 8; i++) {
		a[i] = x[i] + (i & 1 ? 100 : 0);
		b[i] = y[i] + (i & 1 ? 100 : 0);
	}
	effect_paired(&e, a, b, 8);
	near(e.df, 7);
	near(e.p, 0.000241586839974);
}

static void test_no_spread(void **state)
{
	static const double a[] = { 1, 1, 1 }, b[] = { 2, 2, 2 };
	struct effect e;

	(void)state;
	effect_paired(&e, a, a, 3);
	assert_true(e.p == 1 && judge(&e, e.p, 0.01, true) == VERDICT_SAME);
	effect_paired(&e, a, b, 3);
	assert_true(e.p == 0 && judge(&e, e.p, 0.01, true) == VERDICT_IMPROVEMENT);
	assert_true(judge(&e, e.p, 0.01, false) == VERDICT_REGRESSION);
	effect_unpaired(&e, a, 3, b, 3);
	assert_true(e.p == 0);
}

/* p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.04), "holm") */
static void test_holm(void **state)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005, 0.04 }, wanted[] = { 0.04, 0.09, 0.09, 0.025, 0.09 };
	double adjusted[5];

	(void)state;
	holm(p, adjusted, 5);
	for (unsigned i = 0; i < 5; i++)
		near(adjusted[i], wanted[i]);
	holm(p, adjusted, 0);
}

/* As large as it must be: at the number that is asked for, an effect of the threshold has 90% power; below, less. */
static void test_needed(void **state)
{
	struct effect e = { .n_base = 8, .n_cand = 8, .variance = 2e-4, .df = 12 };
	unsigned long one = sessions_needed(&e, 0.01, 1), ten = sessions_needed(&e, 0.01, 10);

	(void)state;
	assert_true(one > 20 && one < 30);
	assert_true(ten > one && ten < 2 * one);
	e.variance *= 4;
	assert_true(sessions_needed(&e, 0.01, 1) > 3 * one);
	e.variance = 0;
	assert_int_equal(sessions_needed(&e, 0.01, 1), 9);
	e.variance = 1e12;
	assert_int_equal(sessions_needed(&e, 0.01, 1), 1000000000);
}

static void test_units(void **state)
{
	static const struct {
		const char *after, *name;
		double factor;
		enum better better;
	} cases[] = {
		{ " GB/sec", "bytes/sec", 0x1p30, BETTER_HIGHER },
		{ "GB/s\n", "bytes/sec", 1e9, BETTER_HIGHER },
		{ " bytes/sec (x)", "bytes/sec", 1, BETTER_HIGHER },
		{ " cycles/byte", "cycles/byte", 1, BETTER_LOWER },
		{ " ns/op", "s/op", 1e-9, BETTER_LOWER },
		{ " requests/sec", "requests/sec", 1, BETTER_HIGHER },
		{ "ms, of which", "s", 1e-3, BETTER_LOWER },
		{ " seconds time elapsed", "s", 1, BETTER_LOWER },
		{ "", "", 1, BETTER_UNKNOWN },
		{ " per cent", "per", 1, BETTER_UNKNOWN },
		{ " a-very-long-word-that-goes-on-and-on-and-on", "a", 1, BETTER_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct unit unit;
		double factor;

		read_unit(cases[i].after, &unit, &factor);
		assert_string_equal(unit.name, cases[i].name);
		near(factor, cases[i].factor);
		assert_int_equal(unit.better, cases[i].better);
	}
}

static void test_figures(void **state)
{
	static const struct {
		const char *text, *end;
		double value;
	} good[] = {
		{ "12.5 ms", " ms", 12.5 }, { "  7", "", 7 },	     { "1,234,567.8x", "x", 1234567.8 },
		{ "3.5GB/s", "GB/s", 3.5 }, { "1e3 s", " s", 1000 }, { "12,34", ",34", 12 },
		{ "5, 6", ", 6", 5 },	    { "-1.5", "", -1.5 },
	};
	static const char *const bad[] = { "", "x", ".", "-", "nan", "inf", "1e999" };
	const char *end;
	double value;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_true(read_figure(good[i].text, &value, &end));
		near(value, good[i].value);
		assert_string_equal(end, good[i].end);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(read_figure(bad[i], &value, &end));
}

static void test_format(void **state)
{
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {
		{ 63.93e9, "bytes/sec", "63.93 GB/s" },
		{ 0.0123456, "s", "12.35 ms" },
		{ 204800, "ticks", "204.8 kticks" },
		{ 5000, "s", "5000 s" },
		{ 0.1234, "cycles/byte", "0.1234 cycles/byte" },
		{ 999.96, "", "1.000 k" },
		{ 3e-10, "s", "0.3000 ns" },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(figure_text(cases[i].value, cases[i].unit, text, sizeof(text)), cases[i].text);
}

static void test_rows(void **state)
{
	json_t *sample = json_loads(
	    "{\"type\":\"sample\",\"bench\":\"clear\",\"operation\":\"clear\",\"variant\":\"a b\",\"size\":4096,"
	    "\"extent\":4096,\"bystander\":false,\"threads\":2,\"round\":7,\"ticks\":300,\"bytes\":12288,\"faults\":3,"
	    "\"given\":5}",
	    0, NULL);
	char row[ROW_SIZE], words[ROW_SIZE], bench[] = "bench", size[] = "size";
	char *const keys[] = { bench, size };
	struct row_parts parts;
	struct unit unit;
	double value;

	(void)state;
	assert_true(row_of_sample(sample, row, &unit, &value));
	assert_string_equal(row, "bench=clear operation=clear variant=a_b size=4096 extent=4096 bystander=no threads=2");
	/* Three destinations' ticks. */
	near(value, 100);
	row_split(&parts, row);
	assert_string_equal(row_field(&parts, "variant"), "a_b");
	assert_null(row_field(&parts, "delay"));
	row_words(&parts, NULL, NULL, words, sizeof(words));
	assert_string_equal(words, "clear a_b 4 KiB threads 2");
	row_without(row, keys, 2, words);
	assert_string_equal(words, "operation=clear variant=a_b extent=4096 bystander=no threads=2");
	json_decref(sample);
	row_split(&parts, "wall");
	row_words(&parts, NULL, NULL, words, sizeof(words));
	assert_string_equal(words, "wall");
	sample = json_loads("{\"type\":\"sample\",\"bench\":\"clear\",\"size\":4096,\"ticks\":300,\"gbps\":2.5}", 0, NULL);
	assert_true(row_of_sample(sample, row, &unit, &value));
	near(value, 2.5e9);
	assert_string_equal(unit.name, "bytes/sec");
	assert_int_equal(unit.better, BETTER_HIGHER);
	json_decref(sample);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch),  cmocka_unit_test(test_blocks),	 cmocka_unit_test(test_two_blocks),
		cmocka_unit_test(test_drift),  cmocka_unit_test(test_no_spread), cmocka_unit_test(test_holm),
		cmocka_unit_test(test_needed), cmocka_unit_test(test_units),	 cmocka_unit_test(test_figures),
		cmocka_unit_test(test_format), cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
