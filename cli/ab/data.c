/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.c - figures, put where they belong. Live runs and stored files end here alike.
 */
#include "data.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"

const char *plural(unsigned long n)
{
	return n == 1 ? "" : "s";
}

unsigned data_label(struct data *d, const char *label)
{
	unsigned i = 0;

	while (i < d->n_labels && strcmp(d->labels[i], label) != 0)
		i++;
	if (i == d->n_labels && i < LABELS_MAX)
		d->labels[d->n_labels++] = copy_text(label);
	return i;
}

bool data_command(struct data *d, unsigned label, const char *command)
{
	if (!d->commands[label])
		d->commands[label] = copy_text(command);
	return !strcmp(d->commands[label], command);
}

size_t data_machine(struct data *d, const char *host, const char *cpu)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->machines[i].host, host) && !strcmp(d->machines[i].cpu, cpu))
			return i;
	d->machines = grow(d->machines, d->n, &d->room, sizeof(*d->machines));
	d->machines[d->n] = (struct machine){ .host = copy_text(host), .cpu = copy_text(cpu) };
	return d->n++;
}

static struct series *find(struct machine *m, unsigned label, const char *row)
{
	/* Figures come in order: it is mostly the one after the last, or the last again. */
	for (size_t i = 0; i < m->n; i++) {
		size_t at = (m->last + i) % m->n;

		if (m->series[at].label == label && !strcmp(m->series[at].row, row)) {
			m->last = at;
			return &m->series[at];
		}
	}
	return NULL;
}

static struct session *session_of(struct series *s, unsigned long number)
{
	for (size_t i = s->n; i-- > 0;)
		if (s->sessions[i].number == number)
			return &s->sessions[i];
	s->sessions = grow(s->sessions, s->n, &s->room, sizeof(*s->sessions));
	s->sessions[s->n] = (struct session){ .number = number };
	return &s->sessions[s->n++];
}

bool data_add(struct machine *m, unsigned label, unsigned long session, const char *row, const struct unit *unit,
	      double value, const struct unit **had)
{
	struct series *s = find(m, label, row);
	struct session *at;

	if (!s) {
		m->series = grow(m->series, m->n, &m->room, sizeof(*m->series));
		s = &m->series[m->n++];
		*s = (struct series){ .label = label, .row = copy_text(row), .unit = *unit };
	}
	if (strcmp(s->unit.name, unit->name) != 0 || s->unit.better != unit->better) {
		*had = &s->unit;
		return false;
	}
	at = session_of(s, session);
	at->values = grow(at->values, at->n, &at->room, sizeof(*at->values));
	at->values[at->n++] = value;
	return true;
}

void data_forget(struct machine *m, unsigned label, unsigned long session)
{
	for (size_t i = 0; i < m->n; i++) {
		struct series *s = &m->series[i];

		for (size_t k = 0; s->label == label && k < s->n; k++) {
			if (s->sessions[k].number != session)
				continue;
			free(s->sessions[k].values);
			s->sessions[k] = s->sessions[--s->n];
			break;
		}
	}
}

unsigned long data_last_session(const struct machine *m)
{
	unsigned long last = 0;

	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->series[i].n; k++)
			if (m->series[i].sessions[k].number > last)
				last = m->series[i].sessions[k].number;
	return last;
}

void data_free(struct data *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct machine *m = &d->machines[i];

		for (size_t k = 0; k < m->n; k++) {
			for (size_t j = 0; j < m->series[k].n; j++)
				free(m->series[k].sessions[j].values);
			free(m->series[k].sessions);
			free(m->series[k].row);
		}
		free(m->series);
		free(m->host);
		free(m->cpu);
	}
	free(d->machines);
	for (unsigned i = 0; i < d->n_labels; i++)
		free(d->labels[i]);
	for (unsigned i = 0; i < LABELS_MAX; i++)
		free(d->commands[i]);
}
