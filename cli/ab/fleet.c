/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet.c - the summary over several machines: for each row the mean of their effects, and how many of each mark.
 */
#include <string.h>

#include "ab.h"

/* Marks: in how many machines. */
static void fleet_texts(const struct fleet *f, char *change, char *interval, char *range, size_t size)
{
	snprintf(change, size, "%+.*f%%", decimals(f->mean), percent(f->mean));
	if (f->machines > 1)
		snprintf(interval, size, "%+.*f to %+.*f", decimals(f->low), percent(f->low), decimals(f->high),
			 percent(f->high));
	else
		snprintf(interval, size, "-");
	snprintf(range, size, "%+.*f to %+.*f", decimals(f->least), percent(f->least), decimals(f->most), percent(f->most));
}

void print_fleet(const struct comparisons *c, bool markdown)
{
	char change[40], interval[40], range[40];

	char text[160];

	snprintf(text, sizeof(text),
		 "Over %zu machines: the mean of their effects with its 95%% interval, and how many of each mark", c->n);
	print_words(text);
	if (markdown)
		printf("\n| benchmark | candidate | machines | mean | 95%% interval | least to most | R | I | \\~ | ? |\n"
		       "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	else
		printf("%-20s %4s %8s %16s %16s %2s %2s %2s %2s\n", "", "n", "mean", "95% interval", "least to most", "R",
		       "I", "~", "?");
	for (size_t i = 0; i < c->n_fleet; i++) {
		const struct fleet *f = &c->fleet[i];
		char name[ROW_SIZE + 64];

		fleet_texts(f, change, interval, range, sizeof(change));
		if (markdown) {
			fputs("| ", stdout);
			print_markdown_cell(f->row->name);
			print_markdown_cell(c->data->labels[f->label]);
			printf("%zu | %s | %s | %s | %zu | %zu | %zu | %zu |\n", f->machines, change, interval, range,
			       f->marks[0], f->marks[1], f->marks[2], f->marks[3]);
			continue;
		}
		snprintf(name, sizeof(name), "%s%s%s", f->row->name, c->data->n_labels > 2 ? ", " : "",
			 c->data->n_labels > 2 ? c->data->labels[f->label] : "");
		printf("%-20s", name);
		if (strlen(name) > 20)
			printf("\n%20s", "");
		printf(" %4zu %8s %16s %16s %2zu %2zu %2zu %2zu\n", f->machines, change, interval, range, f->marks[0],
		       f->marks[1], f->marks[2], f->marks[3]);
	}
}
