/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.c - the page around the charts: its template filled in, machine facts, runs, notes on what was left out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../cli.h"
#include "../results.h"
#include "clearpages.h"
#include "report.h"

#define CHART_JS_MAX (8 << 20)

static FILE *memory(char **text, size_t *len)
{
	FILE *f = open_memstream(text, len);

	if (!f)
		die(EXIT_FAILED, "out of memory");
	return f;
}

char *chart_js_read(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t len = -1;

	if (f)
		len = getdelim(&text, &size, '\0', f);
	if (len < 0 || len > CHART_JS_MAX)
		die(EXIT_FAILED, "Chart.js is missing ('%s': %s); install the package libjs-chart.js, or name the file with --chart-js",
		    path, errno ? strerror(errno) : "it is empty or no text");
	fclose(f);
	if (!memmem(text, (size_t)len, "Chart.js v3", strlen("Chart.js v3")) || strcasestr(text, "</script") || strstr(text, "<!--"))
		die(EXIT_FAILED, "--chart-js: '%s' is not Chart.js 3 as one script (chart.min.js)", path);
	return text;
}

const char *machine_name(const struct machine *m)
{
	static char name[256];

	if (*m->host)
		snprintf(name, sizeof(name), "%.200s", m->host);
	else if (*m->cpu)
		snprintf(name, sizeof(name), "%.200s", m->cpu);
	else
		snprintf(name, sizeof(name), "unknown machine (no header)");
	return name;
}

/* A fact from the header; nothing where the header does not tell. */
static void fact(FILE *to, const char *name, const char *value)
{
	if (!*value)
		return;
	fputs("<div>", to);
	element(to, "dt", name);
	element(to, "dd", value);
	fputs("</div>\n", to);
}

static void size_fact(FILE *to, const char *name, json_int_t bytes)
{
	if (bytes > 0)
		fact(to, name, show_size((double)bytes));
}

static void facts(struct page *p, const struct machine *m)
{
	const json_t *h = m->header;
	char text[256];

	fputs("<dl class=\"facts\">\n", p->html);
	fact(p->html, "Processor", m->cpu);
	if (json_object_get(h, "family")) {
		snprintf(text, sizeof(text), "%.64s family %lld, model %lld, stepping %lld", result_text(h, "vendor", ""),
			 (long long)result_whole(h, "family", 0), (long long)result_whole(h, "model", 0),
			 (long long)result_whole(h, "stepping", 0));
		fact(p->html, "Type", text);
	}
	fact(p->html, "Hypervisor", result_text(h, "hypervisor", ""));
	if (result_whole(h, "cpus_online", 0) > 0)
		fact(p->html, "CPUs online", show_count((double)result_whole(h, "cpus_online", 0)));
	size_fact(p->html, "L2 claimed", result_whole(h, "l2_claimed", 0));
	size_fact(p->html, "L3 claimed", result_whole(h, "l3_claimed", 0));
	fact(p->html, "Caches measured", m->caches ? m->caches : "");
	snprintf(text, sizeof(text), "%.128s %.64s", m->kernel, result_text(h, "machine", ""));
	fact(p->html, "Kernel", *m->kernel ? text : "");
	fact(p->html, "C library", result_text(h, "libc", ""));
	fact(p->html, "Transparent huge pages", result_text(h, "thp", ""));
	fact(p->html, "Cycles are", result_text(h, "cycles", ""));
	fputs("</dl>\n", p->html);
}

static void run_row(FILE *to, const struct run *run)
{
	static const char *const keys[] = { "time", "bench", "version", "arguments", "page", "profile" };

	fputs("<tr>", to);
	element(to, "th scope=\"row\"", run->file);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		element(to, i == 3 ? "td class=\"words\"" : "td", result_text(run->header, keys[i], ""));
	elementf(to, "td", "%lld", (long long)result_whole(run->header, "seed", 0));
	element(to, "td", show_count((double)run->records));
	if (run->failed)
		elementf(to, "td class=\"words\"", "%s failed%s", show_count((double)run->failed), run->interrupted ? ", interrupted" : "");
	else
		element(to, "td class=\"words\"", run->interrupted ? "interrupted; what was measured is shown" : !run->header ? "no header" : "");
	fputs("</tr>\n", to);
}

static void runs(struct page *p, size_t machine)
{
	static const char *const headings[] = { "file", "time", "benchmark", "version", "arguments",
						"pages", "profile", "seed", "records", "note" };
	size_t n = 0;

	for (size_t i = 0; i < p->report->n_runs; i++)
		n += p->report->runs[i].machine == machine;
	if (!n)
		return;
	fputs("<details class=\"runs\">", p->html);
	elementf(p->html, "summary", "%zu run%s: arguments and versions", n, n == 1 ? "" : "s");
	table_begin(p, "figures", "Runs on this machine");
	fputs("<thead><tr>", p->html);
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		element(p->html, "th scope=\"col\"", headings[i]);
	fputs("</tr></thead>\n<tbody>\n", p->html);
	for (size_t i = 0; i < p->report->n_runs; i++)
		if (p->report->runs[i].machine == machine)
			run_row(p->html, &p->report->runs[i]);
	table_end(p);
	fputs("</details>\n", p->html);
}

static void machine(struct page *p, size_t i)
{
	const struct machine *m = &p->report->machines[i];
	unsigned id = ++p->ids;

	fprintf(p->html, "<section class=\"machine\" aria-labelledby=\"m%u\">\n<h2 id=\"m%u\">", id, id);
	html_text(p->html, machine_name(m));
	fputs("</h2>\n", p->html);
	fprintf(p->nav, "<li><a href=\"#m%u\">", id);
	html_text(p->nav, machine_name(m));
	fputs("</a>\n<ul>\n<li>", p->nav);
	html_text(p->nav, *m->kernel ? m->kernel : "facts");
	fputs("</li>\n", p->nav);
	facts(p, m);
	runs(p, i);
	write_effects(p, i);
	write_charts(p, i, SECTION_CLEAR);
	write_charts(p, i, SECTION_COPY);
	write_cycles(p, i);
	write_charts(p, i, SECTION_USE);
	write_regret(p, i);
	write_charts(p, i, SECTION_SMALL);
	write_charts(p, i, SECTION_MEM);
	write_faults(p, i);
	write_charts(p, i, SECTION_PEERS);
	write_charts(p, i, SECTION_TUNE);
	fputs("</section>\n", p->html);
	fputs("</ul></li>\n", p->nav);
}

/* A sentence for each thing that a file held and the page does not. */
static void left_out(FILE *to, const struct file *f)
{
	const struct {
		unsigned long n;
		const char *what;
	} things[] = {
		{ f->damaged, "damaged (cut off, not JSON or not a record), left out" },
		{ f->unusable, "without a usable figure (missing, zero or not a number), left out" },
		{ f->surplus, "too many for a page that can be read, left out" },
		{ f->unknown, "of a type that this version does not know, skipped" },
	};

	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (!things[i].n)
			continue;
		fputs("<li class=\"bad\"><b>", to);
		html_text(to, f->path);
		fprintf(to, "</b>: %s line%s %s", show_count((double)things[i].n), things[i].n == 1 ? "" : "s", things[i].what);
		if (i == 3) {
			fputs(" (the first: “", to);
			html_text(to, f->unknown_type);
			fputs("”)", to);
		}
		fputs("</li>\n", to);
	}
}

static void notes(struct page *p)
{
	const struct report *r = p->report;

	fputs("<ul>\n", p->html);
	for (size_t i = 0; i < r->n_files; i++)
		left_out(p->html, &r->files[i]);
	for (size_t i = 0; i < r->n_runs; i++) {
		if (!r->runs[i].interrupted)
			continue;
		fputs("<li class=\"bad\"><b>", p->html);
		html_text(p->html, r->runs[i].file);
		fputs("</b>: a run was interrupted; what it had measured is shown</li>\n", p->html);
	}
	fputs("</ul>\n", p->html);
}

/* A number that nothing in the results can know: only scripts that bear it run. */
static const char *nonce(void)
{
	static char text[33];
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		die(EXIT_FAILED, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

/* Inside a script element nothing may look like markup; in JSON these three stand in strings alone. */
static int json_bytes(const char *buffer, size_t size, void *to)
{
	for (size_t i = 0; i < size; i++) {
		if (strchr("<>&", buffer[i]) && buffer[i])
			fprintf(to, "\\u%04x", buffer[i]);
		else
			fputc(buffer[i], to);
	}
	return 0;
}

struct parts {
	const char *title, *nonce, *nav, *body, *notes, *chart_js;
	json_t *charts;
};

static bool part(FILE *to, const char *name, size_t len, const struct parts *parts)
{
	const struct {
		const char *name, *text;
		bool escape;
	} texts[] = {
		{ "TITLE", parts->title, true },      { "NONCE", parts->nonce, false },	      { "CSS", asset_css, false },
		{ "NAV", parts->nav, false },	      { "BODY", parts->body, false },	      { "NOTES", parts->notes, false },
		{ "CHARTJS", parts->chart_js, false }, { "JS", asset_js, false },	      { "VERSION", clp_version(), true },
	};

	if (len == 4 && !strncmp(name, "DATA", len)) {
		json_dump_callback(parts->charts, json_bytes, to, JSON_COMPACT | JSON_REAL_PRECISION(6));
		return true;
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strlen(texts[i].name) != len || strncmp(texts[i].name, name, len) != 0)
			continue;
		if (texts[i].escape)
			html_text(to, texts[i].text);
		else
			fputs(texts[i].text, to);
		return true;
	}
	return false;
}

/* The template's @NAME@s are replaced; what replaces them is not looked at again. */
static void fill_in(FILE *to, const char *template, const struct parts *parts)
{
	while (*template) {
		size_t plain = strcspn(template, "@"), len;

		fwrite(template, 1, plain, to);
		template += plain;
		if (!*template)
			return;
		len = strspn(template + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (template[1 + len] == '@' && part(to, template + 1, len, parts)) {
			template += len + 2;
			continue;
		}
		fputc(*template++, to);
	}
}

static char *default_title(const struct report *r)
{
	size_t len;
	char *text;
	FILE *f = memory(&text, &len);

	fprintf(f, "Clearing memory on %s", machine_name(&r->machines[0]));
	if (r->n_machines == 2)
		fprintf(f, " and %s", machine_name(&r->machines[1]));
	else if (r->n_machines > 2)
		fprintf(f, " and %zu more", r->n_machines - 1);
	fclose(f);
	return text;
}

char *page_make(const struct report *r, const char *title, const char *chart_js, size_t *len)
{
	struct page p = { .report = r, .charts = json_array() };
	char *nav, *body, *text, *remarks, *own = default_title(r);
	struct parts parts = { .nonce = nonce(), .chart_js = chart_js };
	size_t size;
	FILE *f;

	p.nav = memory(&nav, &size);
	p.html = memory(&body, &size);
	for (size_t i = 0; i < r->n_machines; i++)
		machine(&p, i);
	fclose(p.html);
	fclose(p.nav);
	p.html = memory(&remarks, &size);
	notes(&p);
	fclose(p.html);

	parts.title = title ? title : own;
	parts.nav = nav;
	parts.body = body;
	parts.notes = remarks;
	parts.charts = p.charts;
	f = memory(&text, len);
	fill_in(f, asset_html, &parts);
	if (fclose(f))
		die(EXIT_FAILED, "out of memory");
	json_decref(p.charts);
	free(remarks);
	free(body);
	free(nav);
	free(own);
	return text;
}
