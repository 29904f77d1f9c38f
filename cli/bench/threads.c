/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.c - clearing by many threads at once: each on a CPU of its own, over memory of its own, all starting together.
 *
 * A sample is a stretch of at least STRETCH bytes a thread, cleared in blocks of the cell's size, so that the start's
 * unevenness does not count. Throughput is all bytes over the time from the first start to the last end.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define STRETCH ((size_t)256 << 20)

struct member {
	struct team *team;
	pthread_t thread;
	int cpu;
	struct memory memory;
	size_t cursor;
	uint64_t start, stop;
	bool wrong;
};

struct team {
	unsigned n;
	pthread_barrier_t go, done;
	const struct cell *cell; /* NULL: end */
	const struct method *method;
	size_t stretch;
	struct member members[];
};

static void work(struct member *m)
{
	const struct cell *c = m->team->cell;
	size_t stretch = m->team->stretch;
	unsigned char *at;

	if (m->cursor + stretch > m->memory.size)
		m->cursor = 0;
	at = m->memory.at + m->cursor;
	m->cursor += stretch;
	pthread_barrier_wait(&m->team->go);
	m->start = clock_start();
	for (size_t done = 0; done < stretch; done += c->size)
		cell_operate(c, m->team->method, at + done, NULL);
	m->stop = clock_stop();
	m->wrong = !memory_is_zero(at, stretch);
	memory_fill(at, stretch);
}

static void *run(void *arg)
{
	struct member *m = arg;

	pin_to(m->cpu);
	for (;;) {
		pthread_barrier_wait(&m->team->go);
		if (!m->team->cell)
			return NULL;
		work(m);
		pthread_barrier_wait(&m->team->done);
	}
}

struct team *team_open(unsigned threads, size_t largest, enum page_kind kind)
{
	struct team *team = calloc(1, sizeof(*team) + threads * sizeof(team->members[0]));
	size_t size = UNCACHED_TRAFFIC / threads + (largest > STRETCH ? largest : STRETCH);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int err = 0;

	if (!team)
		die(EXIT_FAILED, "out of memory");
	if (threads > (unsigned long)cpus)
		die(EXIT_FAILED, "--threads: %u threads need as many CPUs, there are %ld", threads, cpus);
	team->n = threads;
	if (kind == PAGE_4K || kind == PAGE_THP)
		memory_require((uint64_t)size * threads, "this measurement");
	pthread_barrier_init(&team->go, NULL, threads + 1);
	pthread_barrier_init(&team->done, NULL, threads + 1);
	for (unsigned i = 0; i < threads && !err; i++) {
		struct member *m = &team->members[i];

		m->team = team;
		m->cpu = (int)i;
		memory_get(&m->memory, size, kind, "a thread's destination");
		err = pthread_create(&m->thread, NULL, run, m);
	}
	if (err)
		die(EXIT_FAILED, "--threads: can't start %u threads: %s", threads, strerror(err));
	return team;
}

double team_sample(struct team *team, const struct cell *c, const struct method *m, uint64_t *bytes)
{
	uint64_t start = UINT64_MAX, stop = 0;

	team->cell = c;
	team->method = m;
	team->stretch = c->size < STRETCH ? STRETCH / c->size * c->size : c->size;
	pthread_barrier_wait(&team->go);
	/* Once more, right before the clocks start: the first one only said what to do. */
	pthread_barrier_wait(&team->go);
	pthread_barrier_wait(&team->done);
	for (unsigned i = 0; i < team->n; i++) {
		if (team->members[i].start < start)
			start = team->members[i].start;
		if (team->members[i].stop > stop)
			stop = team->members[i].stop;
		if (team->members[i].wrong)
			die(EXIT_FAILED, "%s left a byte that is not zero in %zu bytes", m->name, team->stretch);
	}
	*bytes = (uint64_t)team->stretch * team->n;
	return (double)(stop - start - clock_overhead());
}

void team_close(struct team *team)
{
	if (!team)
		return;
	team->cell = NULL;
	pthread_barrier_wait(&team->go);
	for (unsigned i = 0; i < team->n; i++) {
		pthread_join(team->members[i].thread, NULL);
		memory_put(&team->members[i].memory);
	}
	pthread_barrier_destroy(&team->go);
	pthread_barrier_destroy(&team->done);
	free(team);
}
