/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.c - text from result files into HTML, in which it can be nothing but text; and numbers as people read them.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../cli.h"
#include "report.h"

/* Bytes of the UTF-8 character here; 0: it is none. File names and arguments need not be UTF-8. */
static size_t utf8(const unsigned char *at)
{
	size_t len = *at < 0x80			 ? 1
		     : *at >= 0xc2 && *at < 0xe0 ? 2
		     : *at >= 0xe0 && *at < 0xf0 ? 3
		     : *at >= 0xf0 && *at < 0xf5 ? 4
						 : 0;

	for (size_t i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Too long, a surrogate, or too large. */
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] >= 0xa0) || (*at == 0xf0 && at[1] < 0x90) ||
	    (*at == 0xf4 && at[1] >= 0x90))
		return 0;
	return len;
}

/* What HTML does not allow: control characters (C0, C1) and what is no character. */
static bool forbidden(const unsigned char *at, size_t len)
{
	if (len == 1)
		return (*at < ' ' && *at != '\t' && *at != '\n') || *at == 0x7f;
	return !len || (at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe) ||
	       (at[0] == 0xef && at[1] == 0xb7 && at[2] >= 0x90 && at[2] < 0xb0);
}

void html_text(FILE *to, const char *text)
{
	static const char *const names[256] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
	};
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		size_t len = utf8(at);

		if (forbidden(at, len))
			fputs("\xef\xbf\xbd", to);
		else if (names[*at])
			fputs(names[*at], to);
		else
			fwrite(at, 1, len, to);
		at += len ? len : 1;
	}
}

void element(FILE *to, const char *tag, const char *text)
{
	fprintf(to, "<%s>", tag);
	html_text(to, text);
	fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void elementf(FILE *to, const char *tag, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = text_of_list(format, args);
	va_end(args);
	element(to, tag, text);
	free(text);
}

#define RING 16
static char *ring(void)
{
	static char texts[RING][32];
	static unsigned next;

	return texts[next++ % RING];
}
#define TEXT 32

const char *show_number(double value)
{
	char *text = ring();
	double size = fabs(value);

	if (!isfinite(value))
		return "–";
	if (size >= 1e7 || (size > 0 && size < 1e-3))
		snprintf(text, TEXT, "%.2e", value);
	else
		snprintf(text, TEXT, "%.*f", size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size == 0 ? 2 : 3, value);
	return text;
}

const char *show_size(double bytes)
{
	static const char units[] = " KMGTPE";
	unsigned unit = 0;
	char *text = ring();

	if (!(bytes >= 0 && bytes < 1e18))
		return show_number(bytes);
	while (unit < 6 && bytes >= 1024) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, TEXT, "%.*f%.*s", bytes == floor(bytes) ? 0 : 1, bytes, unit ? 1 : 0, units + unit);
	return text;
}

/* Digits in groups of three. */
const char *show_count(double n)
{
	char *text = ring(), digits[TEXT];
	size_t len, out = 0;

	if (!(n >= 0 && n < 1e12))
		return show_number(n);
	len = (size_t)snprintf(digits, sizeof(digits), "%.0f", n);
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			text[out++] = ',';
		text[out++] = digits[i];
	}
	text[out] = '\0';
	return text;
}

const char *show_share(double share)
{
	char *text = ring();

	if (share <= 0)
		return "none";
	if (share >= 1)
		return "all";
	snprintf(text, TEXT, "1/%.0f", 1 / share);
	return text;
}

double read_share(const char *text)
{
	unsigned n;

	if (!strcmp(text, "none"))
		return 0;
	if (!strcmp(text, "all"))
		return 1;
	return sscanf(text, "1/%9u", &n) == 1 && n ? 1.0 / n : NAN;
}
