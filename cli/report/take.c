/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take.c - what becomes of a record: the chart, the curve and the place that a sample belongs to.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

/* What a record says of its situation; two with the same belong into one chart. */
struct situation {
	enum section section;
	const char *bench, *operation, *state, *touch, *use, *page, *profile;
	json_int_t extent, delay, threads; /* extent 0: whole */
	bool bystander;
};

static enum section section_of(const char *bench, const char *operation, const char *touch)
{
	if (!strcmp(bench, "tune"))
		return SECTION_TUNE;
	if (!strcmp(bench, "use"))
		return SECTION_USE;
	/* The half of `bench quick` that uses what it has cleared. */
	if (strcmp(touch, "none") != 0)
		return SECTION_USE;
	return strcmp(operation, "copy") ? SECTION_CLEAR : SECTION_COPY;
}

static void situation_read(struct situation *s, const struct report *r, const json_t *record)
{
	const json_t *header = r->runs[r->run].header;
	json_int_t size = result_whole(record, "size", 0);

	s->bench = result_text(record, "bench", "");
	s->operation = result_text(record, "operation", "clear");
	s->state = result_text(record, "state", "uncached");
	s->touch = result_text(record, "touch", "none");
	/* Where nothing is used the record does not say how it would have been; but the curve begins there. */
	s->use = result_text(record, "use", strstr(result_text(header, "arguments", ""), " --w") ? "write" : "read");
	s->page = result_text(header, "page", "");
	s->profile = result_text(header, "profile", "");
	s->extent = result_whole(record, "extent", 0);
	if (s->extent == size)
		s->extent = 0;
	s->delay = result_whole(record, "delay", 0);
	s->threads = result_whole(record, "threads", 0);
	s->bystander = result_truth(record, "bystander");
	s->section = section_of(s->bench, s->operation, s->touch);
}

/* What is said of a situation beside its title: only what is not usual. */
static char *detail_of(const struct situation *s)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		die(EXIT_FAILED, "out of memory");
	fputs(*s->bench ? s->bench : "unknown benchmark", f);
	if (strcmp(s->bench, "tune") != 0 && *s->bench)
		fprintf(f, " benchmark");
	if (*s->page)
		fprintf(f, ", %s pages", !strcmp(s->page, "thp") ? "transparent huge" : s->page);
	if (s->threads)
		fprintf(f, ", %s thread%s", show_count((double)s->threads), s->threads == 1 ? "" : "s");
	if (s->bystander)
		fprintf(f, ", with half an L2 of other data read before and after");
	if (s->delay)
		fprintf(f, ", %s of other traffic before the use", show_size((double)s->delay));
	if (*s->profile)
		fprintf(f, ", profile %s", s->profile);
	fclose(f);
	return text;
}

static char *title_of(const struct situation *s, double size)
{
	bool copy = !strcmp(s->operation, "copy");
	char what[64];

	snprintf(what, sizeof(what), "%s%s%s%s", copy ? "Copying" : "Clearing", s->extent ? ", " : "",
		 s->extent ? show_size((double)s->extent) : "", s->extent ? " a call" : "");
	if (!strcmp(s->bench, "use"))
		return text_of("Clear %s, then %s a share of it, %s", show_size(size), s->use, s->state);
	if (!strcmp(s->touch, "none"))
		return text_of("%s, %s", what, s->state);
	if (!strcmp(s->touch, "all"))
		return text_of("%s, %s, then %s all of it", what, s->state, s->use);
	return text_of("%s, %s, then %s %s of its lines", what, s->state, s->use, s->touch);
}

static struct chart *chart_of(struct report *r, const struct situation *s, double size)
{
	bool use = !strcmp(s->bench, "use");
	char *family, *key;
	struct chart *c;

	family = text_of("%s|%s|%s|%s|%s|%s|%lld|%lld|%lld|%d|%.17g", s->bench, s->operation, use ? "" : s->touch, s->use,
			 s->page, s->profile, (long long)s->extent, (long long)s->delay, (long long)s->threads, s->bystander,
			 use ? size : 0.0);
	key = text_of("%s|%s", family, s->state);
	c = chart_get(r, s->section, key);
	free(key);
	if (!c || c->title) {
		free(family);
		return c;
	}
	c->family = family;
	c->title = title_of(s, size);
	c->detail = detail_of(s);
	c->unit = copy_text("GB/s");
	c->state = copy_text(s->state);
	c->size = use ? size : 0;
	return c;
}

static struct point *point_of(struct report *r, const json_t *record)
{
	double size = result_real(record, "size", 0);
	const char *variant = result_text(record, "variant", NULL);
	struct situation s;
	struct chart *c;
	struct point *p;

	situation_read(&s, r, record);
	c = chart_of(r, &s, size);
	if (!c)
		return NULL;
	p = chart_point(c, variant, !strcmp(s.bench, "use") ? read_share(s.touch) : size);
	if (p)
		p->ghz = result_real(r->runs[r->run].header, "tsc_ghz", 0);
	return p;
}

static bool point_known(const json_t *record)
{
	return result_text(record, "variant", NULL) && result_real(record, "size", 0) >= 1 &&
	       result_real(record, "gbps", 0) > 0 && !isnan(read_share(result_text(record, "touch", "none")));
}

enum taken take_sample(struct report *r, json_t *record)
{
	struct point *p;

	if (!point_known(record))
		return UNUSABLE;
	p = point_of(r, record);
	if (!p)
		return SURPLUS;
	point_add(p, result_real(record, "gbps", 0));
	return TAKEN;
}

/* Samples come before their summary; one without them is a file that was made smaller. */
enum taken take_summary(struct report *r, json_t *record)
{
	const char *bench = result_text(record, "bench", "");
	struct point *p;

	if (result_truth(record, "interrupted"))
		r->runs[r->run].interrupted = true;
	if (strcmp(bench, "clear") != 0 && strcmp(bench, "copy") != 0 && strcmp(bench, "use") != 0)
		return PASSED;
	if (!point_known(record))
		return PASSED;
	p = point_of(r, record);
	if (!p)
		return SURPLUS;
	if (p->n)
		return PASSED;
	point_give(p, result_real(record, "gbps_min", NAN), result_real(record, "gbps", NAN),
		   result_real(record, "gbps_max", NAN), (size_t)result_whole(record, "samples", 1));
	return TAKEN;
}
