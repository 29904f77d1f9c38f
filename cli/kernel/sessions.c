/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sessions.c - the log of a run of `kernel ab`, in /run/clearpages/kernel-sessions: a line as each session begins, with its
 * label and what every routine had done by then: "LABEL ROUTINE:CALLS:PAGES ...". What two lines differ in was done between.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

const char *sessions_path(void)
{
	return at_root("/run/clearpages/kernel-sessions");
}

bool sessions_note(const char *label)
{
	FILE *f = fopen(sessions_path(), "ae");
	struct counts counts;
	bool good = f;

	counts_read(&counts);
	good = good && fprintf(f, "%s", *label ? label : "-") > 0;
	for (size_t i = 0; i < counts.n && good;) {
		uint64_t calls = 0, pages = 0;
		const char *routine = counts.at[i].routine;

		for (; i < counts.n && !strcmp(counts.at[i].routine, routine); i++) {
			calls += counts.at[i].calls;
			pages += counts.at[i].pages;
		}
		good = fprintf(f, " %s:%" PRIu64 ":%" PRIu64, routine, calls, pages) > 0;
	}
	good = good && fputc('\n', f) != EOF;
	if (f && fclose(f))
		good = false;
	counts_free(&counts);
	return good;
}

static void find(const char *line, const char *routine, uint64_t *calls, uint64_t *pages)
{
	size_t len = strlen(routine);

	*calls = *pages = 0;
	for (const char *at = line; (at = strchr(at, ' ')); at++)
		if (!strncmp(at + 1, routine, len) && at[1 + len] == ':')
			sscanf(at + 2 + len, "%" SCNu64 ":%" SCNu64, calls, pages);
}

/* Adds the pages, and returns the calls. */
static uint64_t add(struct tally *t, const char *from, const char *to, const char *routine)
{
	uint64_t calls, pages, calls_then, pages_then;

	find(from, routine, &calls_then, &pages_then);
	find(to, routine, &calls, &pages);
	/* The counters may have been reset in between. */
	t->pages += pages < pages_then ? pages : pages - pages_then;
	return calls < calls_then ? calls : calls - calls_then;
}

/* A call of both routines counts for each of them, and is one. */
static void add_session(struct tally *t, const struct setting *s, const char *from, const char *to)
{
	const char *far = s->value[KEY_OP_FAR], *near = s->value[KEY_OP_NEAR];
	bool both = strcmp(far, "kernel") != 0 && strcmp(far, near) != 0;
	uint64_t of_far = add(t, from, to, far), of_near = both ? add(t, from, to, near) : 0;
	uint64_t calls = of_far > of_near ? of_far : of_near;
	const char *small = s->value[KEY_ORDER0];

	if (strcmp(small, "off") != 0 && strcmp(small, far) != 0 && (!both || strcmp(small, near) != 0))
		calls += add(t, from, to, small);
	t->calls += calls;
	t->sessions++;
	t->empty += !calls;
}

void sessions_tally(const struct ops *ops, const struct setting *kept, struct tally *tallies)
{
	char *text = read_all(sessions_path()), *rest = text, *line = NULL, *next;

	memset(tallies, 0, ops->n * sizeof(*tallies));
	while (rest && (next = strsep(&rest, "\n")) && *next) {
		struct setting s;

		for (size_t i = 0; i < ops->n && line; i++) {
			size_t len = strlen(ops->at[i].label);

			if (strncmp(line, ops->at[i].label, len) != 0 || line[len] != ' ')
				continue;
			op_setting(&s, &ops->at[i], kept);
			add_session(&tallies[i], &s, line, next);
		}
		line = next;
	}
	free(text);
}
