/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data.h - what is compared: for each machine, label and row the figures of each session.
 */
#ifndef DATA_H
#define DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "units.h"

/* The base and its candidates. */
#define LABELS_MAX 17

struct session {
	unsigned long number; /* of its block, or just its place in the file */
	double *values;
	size_t n, room;
};

/* One row of one side. */
struct series {
	unsigned label;
	char *row;
	struct unit unit;
	struct session *sessions;
	size_t n, room;
};

struct machine {
	char *host, *cpu;
	bool blocks; /* sessions of a number ran side by side */
	struct series *series;
	size_t n, room;
	size_t last;			  /* where the last figure went */
	unsigned long failed[LABELS_MAX]; /* sessions */
};

struct data {
	char *labels[LABELS_MAX];   /* the first is the base */
	char *commands[LABELS_MAX]; /* of live runs; else NULL */
	unsigned n_labels;
	struct machine *machines;
	size_t n, room;
};

/* The index of a label, added if it is new; LABELS_MAX: there are too many. */
unsigned data_label(struct data *d, const char *label);
/* What is run under a label; false where it has been another command. */
bool data_command(struct data *d, unsigned label, const char *command);
/* The index of a machine, added if it is new. */
size_t data_machine(struct data *d, const char *host, const char *cpu);
/* False, and nothing added, where the row has had another unit or direction on this side: *had. */
bool data_add(struct machine *m, unsigned label, unsigned long session, const char *row, const struct unit *unit,
	      double value, const struct unit **had);
/* Forget a session of a label: it is run again. */
void data_forget(struct machine *m, unsigned label, unsigned long session);
/* The largest session number, 0 if there is none. */
unsigned long data_last_session(const struct machine *m);
void data_free(struct data *d);

/* "s" or "" behind so many. */
const char *plural(unsigned long n);

#endif
