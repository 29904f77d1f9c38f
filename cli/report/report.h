/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - from result files to one page: what the report's files share.
 *
 * load.c, take.c and kinds.c turn records into machines, runs and charts (store.c). page.c, machine.c, section.c, figure.c,
 * cycles.c, use.c, regret.c, faults.c and effects.c write them as HTML, a table with each chart; the page's scripts draw
 * from the same figures.
 */
#ifndef REPORT_H
#define REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Beyond these, results are left out and counted: a page that nobody can read helps nobody. */
#define CHARTS_MAX 400
#define SERIES_MAX 64
#define POINTS_MAX 256
#define RUNS_MAX 1000
#define ROWS_MAX 4000

/* One place on a curve: the samples, and once all are read what is made of them. */
struct point {
	double x;   /* bytes, or a share: of the lines used, of the pages written */
	double to;  /* histogram: the end of the bucket that begins at x */
	double ghz; /* of the counter; 0: unknown */
	double *samples;
	size_t n, room;
	size_t stands_for;		 /* samples behind a summary that came without them; 0: none */
	double median, q1, q3, min, max; /* q1 and q3 are NAN where the samples are not there */
};

struct series {
	char *name;
	struct point *points;
	size_t n, room;
};

/* In the order of the page. */
enum section {
	SECTION_CLEAR,
	SECTION_COPY,
	SECTION_USE,
	SECTION_AROUND,
	SECTION_PARALLEL,
	SECTION_RECYCLE,
	SECTION_SMALL,
	SECTION_TUNE,
	SECTION_MEM,
	SECTION_PEERS,
	SECTION_FAULTS,
	SECTIONS
};

struct chart {
	size_t machine;
	enum section section;
	char *key;    /* two samples with the same key belong together */
	char *title;  /* "Clearing, uncached" */
	char *detail; /* what else is special about it; may be empty */
	char *unit;   /* of y */
	char *family; /* charts that differ in the cache state alone share it */
	char *state;
	double size; /* where x is a share: of this size; else 0 */
	struct series *series;
	size_t n, room;
};

struct run {
	const char *file;
	json_t *header; /* NULL: the file has none */
	size_t machine;
	unsigned long records, failed;
	bool interrupted;
};

struct machine {
	const char *host, *cpu, *kernel; /* live as long as the header */
	json_t *header;
	char *caches; /* "L2 2 MiB, ..." as measured, from `info`; NULL: not known */
};

struct row {
	size_t machine;
	json_t *record;
};

struct rows {
	struct row *at;
	size_t n, room;
};

struct file {
	const char *path;
	unsigned long records, damaged, unusable, unknown, surplus;
	char unknown_type[32]; /* the first */
};

struct report {
	struct file *files;
	size_t n_files;
	struct machine *machines;
	size_t n_machines, machines_room;
	struct run *runs;
	size_t n_runs, runs_room;
	struct chart *charts;
	size_t n_charts, charts_room;
	struct rows cells, policies, latencies, comparisons, fleet; /* the first two by run, not by machine */
	unsigned long results;					    /* records that the page shows */
	size_t run;						    /* of the record in hand */
	bool full;						    /* its run is one too many */
	struct file *file;
	size_t last; /* chart found last */
};

/* store.c. Each is NULL (and the record counted as surplus) where there are too many. */
struct chart *chart_get(struct report *r, enum section section, const char *key);
struct point *chart_point(struct chart *c, const char *series, double x);
bool rows_add(struct rows *rows, size_t machine, json_t *record);
void point_add(struct point *p, double value);
void point_give(struct point *p, double min, double median, double max, size_t n);
/* Once all is read: spreads, points in the order of x. */
void store_settle(struct report *r);
void store_free(struct report *r);

/* load.c: dies with status 1 where a file can't be read or is of another schema. */
void report_load(struct report *r, char **paths, size_t n);

/* take.c: what becomes of a record. */
enum taken { TAKEN, PASSED, UNUSABLE, SURPLUS };
typedef enum taken take(struct report *r, json_t *record);
take take_sample, take_summary;
/* kinds.c */
take take_around, take_recycle, take_small, take_ways, take_mem, take_peer, take_bucket;

/* html.c: everything that comes from a file goes through these. */
void html_text(FILE *to, const char *text);
/* element(f, "th scope=\"row\"", text): <th scope="row">text</th> */
void element(FILE *to, const char *tag, const char *text);
void elementf(FILE *to, const char *tag, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Texts in static rings: three significant digits or whole numbers; 64K, 2M; 1,234. */
const char *show_number(double value);
const char *show_size(double bytes);
const char *show_count(double n);
const char *show_share(double share);
/* A share of lines as the records write it: none, 1/8, all. NAN: it is no share. */
double read_share(const char *text);

/* page.c */
struct page {
	const struct report *report;
	const char *title;
	FILE *html;	/* the body */
	FILE *nav;	/* links to its sections */
	json_t *charts; /* for the script */
	unsigned ids;
};
/* The whole page as text, to be freed. */
char *page_make(const struct report *r, const char *title, const char *chart_js, size_t *len);
/* The Chart.js of the distribution; dies with status 1 where it is missing. */
#define CHART_JS "/usr/share/javascript/chart.js/chart.min.js"
char *chart_js_read(const char *path);

/* machine.c */
const char *machine_name(const struct machine *m); /* in a static buffer */
bool machine_shown(const struct report *r, size_t machine);
void write_machine(struct page *p, size_t i);
void write_notes(struct page *p);

/* figure.c: a chart: its frame, its table, its figures for the script. */
struct figure {
	const char *kind; /* which function of the script draws it */
	const char *title, *detail;
	const char *alt; /* what a person hears who does not see it */
	json_t *data;	 /* taken over */
};
/* Writes the frame up to the table, which is the caller's; then figure_end(). */
void figure_begin(struct page *p, const struct figure *f);
void figure_table(struct page *p, const char *caption); /* opens the fold with the table in it */
void figure_end(struct page *p);
void figure_of_chart(struct page *p, const struct chart *c);
json_t *series_json(const struct chart *c);
/* A scrolling frame for a wide table, reachable by keyboard. */
void table_begin(struct page *p, const char *class, const char *caption);
void table_end(struct page *p);

/* section.c */
void section_begin(struct page *p, const char *name, const char *lead);
void section_end(struct page *p);
/* The sections; each writes nothing where a machine has no such results. */
void write_charts(struct page *p, size_t machine, enum section section);
void write_cycles(struct page *p, size_t machine);
void write_crossovers(struct page *p, size_t machine);
/* Where hot overtakes cold in a chart of shares, for the script; NULL: nowhere. */
json_t *crossover_json(const struct chart *c);
void write_regret(struct page *p, size_t machine);
void write_faults(struct page *p, size_t machine);
void write_effects(struct page *p, size_t machine);
void write_fleet(struct page *p);

/* file.c: written to a new file that takes the old one's place; "-" is standard output. Dies with status 1. */
void file_check(const char *path);
void file_write(const char *path, const char *text, size_t len);
char *file_temporary(const char *text, size_t len); /* its name, to be unlinked and freed */

/* chrome.c: pictures of the page and of each chart in it. */
const char *chrome_find(void); /* dies with status 1 where there is none */
int chrome_pictures(const char *chrome, const char *page, const char *dir);

/* assets, from page.html, page.css and the scripts: meson.build */
extern const char asset_html[], asset_css[], asset_js[];

#endif
