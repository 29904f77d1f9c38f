/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.c - the arithmetic behind a page: spreads, the crossing of hot and cold; and text that can be nothing but text.
 */
#include "../../cli/cli.h"
#include "../../cli/report/report.h"

#include <math.h>

#include "unit.h"

static char *escaped(const char *text)
{
	char *out = NULL;
	size_t len;
	FILE *f = open_memstream(&out, &len);

	html_text(f, text);
	fclose(f);
	return out;
}

static void assert_escaped(const char *text, const char *wanted)
{
	char *out = escaped(text);

	assert_string_equal(out, wanted);
	free(out);
}

static void test_text(void **state)
{
	(void)state;
	assert_escaped("a<b>&\"'", "a&lt;b&gt;&amp;&quot;&#39;");
	assert_escaped("é€😀", "é€😀");
	/* Not UTF-8, too long forms, surrogates, beyond Unicode: each byte that is no character. */
	assert_escaped("\xff", "\xef\xbf\xbd");
	assert_escaped("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");
	assert_escaped("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_escaped("\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_escaped("x\xe2\x82", "x\xef\xbf\xbd\xef\xbf\xbd");
	/* What HTML does not allow: control characters and noncharacters. */
	assert_escaped("\x01\x7f\xc2\x85\xef\xbf\xbe", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	assert_escaped("\t\n", "\t\n");
}

static void test_numbers(void **state)
{
	(void)state;
	assert_string_equal(show_number(0), "0.00");
	assert_string_equal(show_number(1.234), "1.23");
	assert_string_equal(show_number(-12.34), "-12.3");
	assert_string_equal(show_number(1234.5), "1234");
	assert_string_equal(show_number(1e308), "1.00e+308");
	assert_string_equal(show_number(1e-9), "1.00e-09");
	assert_string_equal(show_number(NAN), "–");
	assert_string_equal(show_size(1), "1");
	assert_string_equal(show_size(4096), "4K");
	assert_string_equal(show_size(10344), "10.1K");
	assert_string_equal(show_size(2097152), "2M");
	assert_string_equal(show_size(1e300), "1.00e+300");
	assert_string_equal(show_count(0), "0");
	assert_string_equal(show_count(999), "999");
	assert_string_equal(show_count(1234567), "1,234,567");
	assert_string_equal(show_count(-1), "-1.00");
}

static void test_shares(void **state)
{
	(void)state;
	assert_true(read_share("none") == 0 && read_share("all") == 1 && read_share("1/64") == 1.0 / 64);
	assert_true(isnan(read_share("1/0")) && isnan(read_share("most")) && isnan(read_share("")));
	assert_string_equal(show_share(0), "none");
	assert_string_equal(show_share(1), "all");
	assert_string_equal(show_share(1.0 / 64), "1/64");
}

/* A report with one run and one chart. */
static struct chart *chart_new(struct report *r)
{
	struct chart *c;

	*r = (struct report){ .n_runs = 1 };
	r->runs = calloc(1, sizeof(*r->runs));
	c = chart_get(r, SECTION_USE, "key");
	c->title = copy_text("title");
	c->detail = copy_text("");
	c->unit = copy_text("GB/s");
	c->family = copy_text("family");
	c->state = copy_text("");
	c->size = 4096;
	return c;
}

static void test_spread(void **state)
{
	struct report r;
	struct chart *c = chart_new(&r);
	struct point *p = chart_point(c, "b", 2);

	(void)state;
	for (int i = 5; i > 0; i--)
		point_add(p, i);
	point_add(chart_point(c, "b", 1), 7);
	point_give(chart_point(c, "libc", 1), 1, 3, 9, 100);
	store_settle(&r);
	/* libc first; places ascend. */
	assert_string_equal(c->series[0].name, "libc");
	p = &c->series[0].points[0];
	assert_true(p->min == 1 && p->median == 3 && p->max == 9 && isnan(p->q1) && isnan(p->q3));
	assert_true(c->series[1].points[0].x == 1);
	p = &c->series[1].points[1];
	assert_true(p->x == 2 && p->min == 1 && p->q1 == 2 && p->median == 3 && p->q3 == 4 && p->max == 5);
	store_free(&r);
}

static void test_limits(void **state)
{
	struct report r;
	struct chart *c = chart_new(&r);
	char name[16];

	(void)state;
	for (int i = 0; i < SERIES_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_non_null(chart_point(c, name, 1));
	}
	assert_null(chart_point(c, "one more", 1));
	for (int i = 2; i <= POINTS_MAX; i++)
		assert_non_null(chart_point(c, "0", i));
	assert_null(chart_point(c, "0", 0));
	for (int i = 1; i < CHARTS_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		assert_non_null(chart_get(&r, SECTION_CLEAR, name));
	}
	assert_null(chart_get(&r, SECTION_CLEAR, "one more"));
	store_free(&r);
}

/* Rates of two methods at shares 0, 1/4, 1 from their times: a fixed part and a part for each line. */
static json_t *crossing(double hot_fixed, double hot_each, double cold_fixed, double cold_each, const char *hot,
			const char *cold)
{
	static const double shares[] = { 0, 0.25, 1 };
	struct report r;
	struct chart *c = chart_new(&r);
	json_t *mark;

	for (size_t i = 0; i < 3; i++) {
		point_add(chart_point(c, hot, shares[i]), 1 / (hot_fixed + hot_each * shares[i]));
		point_add(chart_point(c, cold, shares[i]), 1 / (cold_fixed + cold_each * shares[i]));
	}
	store_settle(&r);
	mark = crossover_json(c);
	store_free(&r);
	return mark;
}

static void assert_crossing(json_t *mark, double share, const char *text)
{
	assert_true(json_is_object(mark));
	assert_true(fabs(json_real_value(json_object_get(mark, "x")) - share) < 1e-9);
	assert_string_equal(json_string_value(json_object_get(mark, "text")), text);
	json_decref(mark);
}

static void test_crossover(void **state)
{
	(void)state;
	/* 2 + s = 1 + 3 s at s = 1/2. */
	assert_crossing(crossing(2, 1, 1, 3, "hot", "cold"), 0.5, "hot from 50% of lines");
	/* Without policies: who is best at either end. */
	assert_crossing(crossing(2, 1, 1, 3, "stosb", "avx2_nt"), 0.5, "stosb from 50% of lines");
	/* The other way round. */
	assert_crossing(crossing(1, 3, 2, 1, "hot", "cold"), 0.5, "cold from 50% of lines");
	/* One is always ahead; or they are the same but for noise, in which nothing crosses. */
	assert_true(json_is_null(crossing(1, 1, 2, 2, "hot", "cold")));
	assert_true(json_is_null(crossing(1, 1, 1.005, 0.99, "hot", "cold")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),   cmocka_unit_test(test_numbers), cmocka_unit_test(test_shares),
		cmocka_unit_test(test_spread), cmocka_unit_test(test_limits),  cmocka_unit_test(test_crossover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
