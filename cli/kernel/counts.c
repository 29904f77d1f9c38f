/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.c - what the module has counted: a folder a routine, in it a folder an order, in that a number a file.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static uint64_t number(const char *routine, unsigned order, const char *file)
{
	return (uint64_t)read_number(at_root("/sys/kernel/clearpages/stats/%s/order-%u/%s", routine, order, file), 0);
}

static void read_routine(struct counts *c, const char *routine)
{
	DIR *dir = opendir(at_root("/sys/kernel/clearpages/stats/%s", routine));
	const struct dirent *entry;
	unsigned order;

	while (dir && (entry = readdir(dir))) {
		struct count *count;

		if (sscanf(entry->d_name, "order-%u", &order) != 1)
			continue;
		c->at = grow(c->at, c->n, &c->room, sizeof(*c->at));
		count = &c->at[c->n++];
		*count = (struct count){
			.order = order,
			.calls = number(routine, order, "calls"),
			.pages = number(routine, order, "pages"),
			.cycles = number(routine, order, "cycles"),
			.timed = path_exists(at_root("/sys/kernel/clearpages/stats/%s/order-%u/cycles", routine, order)),
		};
		snprintf(count->routine, sizeof(count->routine), "%s", routine);
	}
	if (dir)
		closedir(dir);
}

static int by_order(const void *a, const void *b)
{
	const struct count *one = a, *other = b;

	return one->order < other->order ? -1 : one->order > other->order;
}

void counts_read(struct counts *c)
{
	struct routines routines;

	*c = (struct counts){ 0 };
	routines_read(&routines);
	for (size_t i = 0; i <= routines.n; i++) {
		size_t first = c->n;

		read_routine(c, i ? routines.at[i - 1].name : "kernel");
		if (c->n > first)
			qsort(c->at + first, c->n - first, sizeof(*c->at), by_order);
	}
	routines_free(&routines);
}

void counts_free(struct counts *c)
{
	free(c->at);
	*c = (struct counts){ 0 };
}

const struct count *counts_find(const struct counts *c, const char *routine, unsigned order)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].order == order && !strcmp(c->at[i].routine, routine))
			return &c->at[i];
	return NULL;
}

void counts_since(struct counts *added, const struct counts *now, const struct counts *before)
{
	*added = (struct counts){ .n = now->n, .room = now->n };
	added->at = grow(NULL, now->n, &added->room, sizeof(*added->at));
	for (size_t i = 0; i < now->n; i++) {
		struct count *c = &added->at[i];
		const struct count *was = counts_find(before, now->at[i].routine, now->at[i].order);

		*c = now->at[i];
		if (!was || was->calls > c->calls || was->pages > c->pages || was->cycles > c->cycles)
			continue;
		c->calls -= was->calls;
		c->pages -= was->pages;
		c->cycles -= was->cycles;
	}
}
