/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.c - a machine's section: its facts, its runs, its results; and the notes on what was left out.
 */
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "../results.h"
#include "report.h"

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
		elementf(to, "td class=\"words\"", "%s failed%s", show_count((double)run->failed),
			 run->interrupted ? ", interrupted" : "");
	else
		element(to, "td class=\"words\"",
			run->interrupted ? "interrupted; what was measured is shown"
			: !run->header	 ? "no header"
					 : "");
	fputs("</tr>\n", to);
}

static void runs(struct page *p, size_t machine)
{
	static const char *const headings[] = { "file",	 "time",    "benchmark", "version", "arguments",
						"pages", "profile", "seed",	 "records", "note" };
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

static bool rows_of(const struct rows *rows, size_t machine)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].machine == machine)
			return true;
	return false;
}

/* Where files were only compared, or only looked at, there is nothing to show. */
bool machine_shown(const struct report *r, size_t machine)
{
	for (size_t i = 0; i < r->n_charts; i++)
		if (r->charts[i].machine == machine)
			return true;
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->runs[i].machine == machine && (rows_of(&r->cells, i) || rows_of(&r->policies, i)))
			return true;
	return rows_of(&r->latencies, machine) || rows_of(&r->comparisons, machine);
}

void write_machine(struct page *p, size_t i)
{
	const struct machine *m = &p->report->machines[i];
	unsigned id = ++p->ids;

	if (!machine_shown(p->report, i))
		return;
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
	write_charts(p, i, SECTION_AROUND);
	write_charts(p, i, SECTION_PARALLEL);
	write_charts(p, i, SECTION_RECYCLE);
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
		fprintf(to, "</b>: %s line%s %s", show_count((double)things[i].n), things[i].n == 1 ? "" : "s",
			things[i].what);
		if (i == 3) {
			fputs(" (the first: “", to);
			html_text(to, f->unknown_type);
			fputs("”)", to);
		}
		fputs("</li>\n", to);
	}
}

static void interrupted_runs(FILE *to, const struct report *r)
{
	for (size_t i = 0; i < r->n_runs; i++) {
		if (!r->runs[i].interrupted)
			continue;
		fputs("<li class=\"bad\"><b>", to);
		html_text(to, r->runs[i].file);
		fputs("</b>: a run was interrupted; what it had measured is shown</li>\n", to);
	}
}

void write_notes(struct page *p)
{
	for (size_t i = 0; i < p->report->n_files; i++)
		left_out(p->html, &p->report->files[i]);
	interrupted_runs(p->html, p->report);
}
