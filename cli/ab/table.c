/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.c - comparisons for people: a table a machine, a row a benchmark, the base figure, then a change a candidate; in
 * columns for a terminal, or as Markdown for a mail or a web page. Over several machines a summary.
 */
#include <stdlib.h>
#include <string.h>

#include "ab.h"

#define WIDTH 80
/* Columns: the name is as wide as the longest, within what is left of a terminal beside one candidate. */
#define BASE_WIDTH 12
#define CELL_WIDTH 48
#define NAME_MAX_WIDTH (WIDTH - BASE_WIDTH - 1 - CELL_WIDTH)

/* So many sessions are as good as any more. */
#define NEEDED_MAX 9999

/* The texts of one cell. */
struct texts {
	char change[16], mark[16], sd[16], interval[40], rank[16];
};

static void cell_texts(const struct change *c, struct texts *t)
{
	static const char *const marks[] = { "(R)", "(I)", "~", "?" };
	double low, high;

	memset(t, 0, sizeof(*t));
	if (!c->have) {
		strcpy(t->change, "-");
		return;
	}
	effect_interval(&c->effect, 0.95, &low, &high);
	snprintf(t->change, sizeof(t->change), "%+.*f%%", decimals(c->effect.mean), percent(c->effect.mean));
	if (c->verdict == VERDICT_UNSURE && c->needed > NEEDED_MAX)
		snprintf(t->mark, sizeof(t->mark), "?>%d", NEEDED_MAX);
	else if (c->verdict == VERDICT_UNSURE)
		snprintf(t->mark, sizeof(t->mark), "? %lu", c->needed);
	else
		snprintf(t->mark, sizeof(t->mark), "%s", marks[c->verdict]);
	snprintf(t->sd, sizeof(t->sd), "%.*f", decimals(effect_sd(&c->effect)), percent(effect_sd(&c->effect)));
	snprintf(t->interval, sizeof(t->interval), "%+.*f to %+.*f", decimals(low), percent(low), decimals(high),
		 percent(high));
	snprintf(t->rank, sizeof(t->rank), c->can_reject ? "%.4f" : "(%.4f)", c->effect.wilcoxon_p);
}

/* What there is in a table, so that only that is explained. */
struct seen {
	bool verdict[4], weak, blocks, alone;
	unsigned long fewest, sessions; /* of a side of a row: the fewest, and the most */
	size_t family, other_family;	/* comparisons of a table: one number, and another one if there is */
};

static void count_sessions(struct seen *s, unsigned long n)
{
	s->sessions = n > s->sessions ? n : s->sessions;
	s->fewest = !s->fewest || n < s->fewest ? n : s->fewest;
}

static void see(struct seen *s, const struct table *t, unsigned labels)
{
	for (size_t i = 0; i < t->n; i++) {
		for (unsigned k = 1; k < labels; k++) {
			const struct change *c = &t->rows[i].changes[k];

			if (!c->have)
				continue;
			s->verdict[c->verdict] = true;
			s->weak = s->weak || !c->can_reject;
			count_sessions(s, c->effect.n_base);
			count_sessions(s, c->effect.n_cand);
		}
	}
	if (t->machine->blocks)
		s->blocks = true;
	else
		s->alone = true;
	if (!s->family)
		s->family = t->family;
	else if (s->family != t->family)
		s->other_family = t->family;
}

void print_words(const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column && column + 1 + len > WIDTH - 1) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column ? " " : "", (int)len, text);
		text += len + (text[len] == ' ');
	}
	putchar('\n');
}

static void legend(const struct comparisons *c)
{
	struct seen s = { 0 };
	char text[1024], family[64] = "a table's comparisons";
	double least = 100 * c->threshold;
	size_t len = 0;

	for (size_t t = 0; t < c->n; t++)
		see(&s, &c->tables[t], c->data->n_labels);
	if (!s.other_family)
		snprintf(family, sizeof(family), "%zu comparison%s", s.family, plural(s.family));
	if (s.verdict[VERDICT_REGRESSION] || s.verdict[VERDICT_IMPROVEMENT])
		len += (size_t)snprintf(
		    text + len, sizeof(text) - len,
		    "(R) regression, (I) improvement: p < 0.05, Holm-adjusted over %s, and at least %g%%. ", family, least);
	if (s.verdict[VERDICT_SAME])
		len += (size_t)snprintf(text + len, sizeof(text) - len, "~ the same: the 90%% interval is within %g%%. ",
					least);
	if (s.verdict[VERDICT_UNSURE])
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"? N: not known; N sessions would tell %g%% from none. ", least);
	snprintf(text + len, sizeof(text) - len,
		 "sd: standard deviation of one session, in %%; interval of 95%%; W: p of Wilcoxon's %s test%s.",
		 s.alone ? s.blocks ? "rank" : "rank-sum" : "signed-rank",
		 s.weak ? ", in ( ) where it cannot reject with so few sessions and so many comparisons" : "");
	print_words(text);
	if (s.verdict[VERDICT_UNSURE] && s.sessions <= 4)
		printf("%lu sessions decide little: many rows read '?'. The default is 8.\n", s.sessions);
}

/* In which fields a candidate's rows are others than the base's: "nt: variant avx2_nt in place of stosb". */
static void print_difference(const struct comparisons *c, const struct table *t, unsigned label)
{
	struct row_parts base, cand;
	const char *before = c->data->labels[label];
	size_t i = 0;

	while (i < t->n && (!t->rows[i].changes[label].have || !strcmp(t->rows[i].changes[label].id, t->rows[i].id)))
		i++;
	if (i == t->n)
		return;
	row_split(&base, t->rows[i].id);
	row_split(&cand, t->rows[i].changes[label].id);
	for (size_t k = 0; k < cand.n; k++) {
		const char *was = row_field(&base, cand.fields[k].key);

		if (!was || !strcmp(was, cand.fields[k].value))
			continue;
		printf("%s: %s %s in place of %s", before, cand.fields[k].key, cand.fields[k].value, was);
		before = "";
	}
	putchar('\n');
}

static void title(const struct comparisons *c, const struct table *t)
{
	const struct machine *m = t->machine;
	struct seen s = { 0 };

	see(&s, t, c->data->n_labels);
	printf("%s%s%s: ", m->host, *m->cpu ? ", " : "", m->cpu);
	if (s.fewest < s.sessions)
		printf("%lu to ", s.fewest);
	printf("%lu sessions of each, %s\n", s.sessions, m->blocks ? "in blocks" : "not in blocks");
	if (*t->common)
		printf("%s\n", t->common);
	for (unsigned k = 1; k < c->data->n_labels; k++)
		print_difference(c, t, k);
	for (unsigned k = 0; k < c->data->n_labels; k++)
		if (m->failed[k])
			printf("%lu session%s of %s failed and %s left out\n", m->failed[k], plural(m->failed[k]),
			       c->data->labels[k], m->failed[k] == 1 ? "is" : "are");
}

/* What was run, once above all tables. */
static void print_commands(const struct data *d)
{
	int width = 4;

	for (unsigned k = 0; k < d->n_labels; k++)
		if ((int)strlen(d->labels[k]) > width)
			width = (int)strlen(d->labels[k]);
	for (unsigned k = 0; k < d->n_labels; k++)
		if (d->commands[k])
			printf("%-*s  %s\n", width, d->labels[k], d->commands[k]);
	if (d->commands[0])
		putchar('\n');
}

static const char *unit_line(const struct table *t)
{
	return t->rows[0].unit.better == BETTER_LOWER ? "lower is better" : "higher is better";
}

static void print_text(const struct comparisons *c, const struct table *t)
{
	unsigned labels = c->data->n_labels;
	int width = (int)strlen(unit_line(t));
	char figure[64];

	for (size_t i = 0; i < t->n; i++)
		if ((int)strlen(t->rows[i].name) > width)
			width = (int)strlen(t->rows[i].name);
	if (width > NAME_MAX_WIDTH)
		width = NAME_MAX_WIDTH;
	title(c, t);
	printf("%-*s %*.*s", width, unit_line(t), BASE_WIDTH, BASE_WIDTH, c->data->labels[0]);
	for (unsigned k = 1; k < labels; k++)
		printf(" %8.15s %-6s %5s %-16s %8s", c->data->labels[k], "", "sd", "    95% interval", "W");
	putchar('\n');
	for (size_t i = 0; i < t->n; i++) {
		const struct row *row = &t->rows[i];

		/* A long name has a line of its own. */
		printf("%-*s", width, row->name);
		if ((int)strlen(row->name) > width)
			printf("\n%*s", width, "");
		printf(" %*s", BASE_WIDTH, figure_text(row->base, row->unit.name, figure, sizeof(figure)));
		for (unsigned k = 1; k < labels; k++) {
			struct texts x;

			cell_texts(&row->changes[k], &x);
			printf(" %8s %-6s %5s %16s %8s", x.change, x.mark, x.sd, x.interval, x.rank);
		}
		putchar('\n');
	}
}

void print_markdown_cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|' || *text == '*' || *text == '_' || *text == '\\' || *text == '~')
			putchar('\\');
		putchar(*text);
	}
	fputs(" | ", stdout);
}

static void print_markdown(const struct comparisons *c, const struct table *t)
{
	char figure[64];

	title(c, t);
	fputs("\n| ", stdout);
	print_markdown_cell(unit_line(t));
	print_markdown_cell(c->data->labels[0]);
	for (unsigned k = 1; k < c->data->n_labels; k++) {
		print_markdown_cell(c->data->labels[k]);
		fputs("sd | 95% interval | W | ", stdout);
	}
	fputs("\n|---|---:|", stdout);
	for (unsigned k = 1; k < c->data->n_labels; k++)
		fputs("---:|---:|---:|---:|", stdout);
	putchar('\n');
	for (size_t i = 0; i < t->n; i++) {
		fputs("| ", stdout);
		print_markdown_cell(t->rows[i].name);
		print_markdown_cell(figure_text(t->rows[i].base, t->rows[i].unit.name, figure, sizeof(figure)));
		for (unsigned k = 1; k < c->data->n_labels; k++) {
			struct texts x;
			char both[40];

			cell_texts(&t->rows[i].changes[k], &x);
			snprintf(both, sizeof(both), "%s%s%s", x.change, *x.mark ? " " : "", x.mark);
			print_markdown_cell(both);
			print_markdown_cell(x.sd);
			print_markdown_cell(x.interval);
			print_markdown_cell(x.rank);
		}
		putchar('\n');
	}
}

void print_tables(const struct comparisons *c, enum format format)
{
	if (format == FORMAT_CSV) {
		print_csv(c);
		return;
	}
	if (format == FORMAT_MARKDOWN && c->data->commands[0])
		puts("```");
	print_commands(c->data);
	if (format == FORMAT_MARKDOWN && c->data->commands[0])
		puts("```\n");
	for (size_t t = 0; t < c->n; t++) {
		if (t)
			putchar('\n');
		if (format == FORMAT_MARKDOWN)
			print_markdown(c, &c->tables[t]);
		else
			print_text(c, &c->tables[t]);
	}
	if (format == FORMAT_MARKDOWN || c->n > 1)
		putchar('\n');
	legend(c);
	if (c->n > 1) {
		putchar('\n');
		print_fleet(c, format == FORMAT_MARKDOWN);
	}
}
