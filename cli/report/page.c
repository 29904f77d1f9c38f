/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page.c - the page around the sections: its template filled in, with nothing in the results able to be more than text.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../cli.h"
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
		die(EXIT_FAILED,
		    "Chart.js is missing ('%s': %s); install the package libjs-chart.js, or name the file with --chart-js",
		    path, errno ? strerror(errno) : "it is empty or no text");
	fclose(f);
	if (!memmem(text, (size_t)len, "Chart.js v3", strlen("Chart.js v3")) || strcasestr(text, "</script") ||
	    strstr(text, "<!--"))
		die(EXIT_FAILED, "--chart-js: '%s' is not Chart.js 3 as one script (chart.min.js)", path);
	return text;
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
		{ "TITLE", parts->title, true },       { "NONCE", parts->nonce, false }, { "CSS", asset_css, false },
		{ "NAV", parts->nav, false },	       { "BODY", parts->body, false },	 { "NOTES", parts->notes, false },
		{ "CHARTJS", parts->chart_js, false }, { "JS", asset_js, false },	 { "VERSION", clp_version(), true },
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
		fputc(*template ++, to);
	}
}

static char *default_title(const struct report *r)
{
	char names[2][256] = { "", "" };
	size_t n = 0;

	for (size_t i = 0; i < r->n_machines; i++) {
		if (!machine_shown(r, i))
			continue;
		if (n < 2)
			snprintf(names[n], sizeof(names[n]), "%s", machine_name(&r->machines[i]));
		n++;
	}
	if (n == 2)
		return text_of("Clearing memory on %s and %s", names[0], names[1]);
	return n > 2 ? text_of("Clearing memory on %s and %zu more", names[0], n - 1)
		     : text_of("Clearing memory on %s", names[0]);
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
	write_fleet(&p);
	for (size_t i = 0; i < r->n_machines; i++)
		write_machine(&p, i);
	fclose(p.html);
	fclose(p.nav);
	p.html = memory(&remarks, &size);
	write_notes(&p);
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
