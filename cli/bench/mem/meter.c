// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meter.c - what a stretch of work took the calling thread: seconds, and cycles where they are asked for.
 *
 * Core cycles come from a counter that each thread opens for itself, kernel part included, since page faults are kernel
 * work. Where there is none, as in most virtual machines, cycles are ticks of the time stamp counter, and are called that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../lib/cpu.h"
#include "mem.h"

static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t read_counter(const struct meter *m)
{
	uint64_t count;

	if (read(m->fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		die(EXIT_FAILED, "--cycles: the cycle counter can't be read: %s", strerror(errno));
	return count;
}

static int why_not; /* errno of the last attempt */

const char *meter_why_not(void)
{
	if (why_not == EACCES || why_not == EPERM)
		return "core cycles: see kernel.perf_event_paranoid";
	return "no core cycle counter here";
}

enum cycles meter_choose(void)
{
	int fd = open_counter();

	if (fd >= 0) {
		close(fd);
		return CYCLES_CORE;
	}
	why_not = errno;
	if (!CLP_HAVE_PROBE)
		die(EXIT_FAILED, "--cycles: %s, nor a time stamp counter", meter_why_not());
	return CYCLES_TSC;
}

const char *cycles_name(enum cycles cycles)
{
	static const char *const names[] = { "none", "TSC reference cycles", "core cycles" };

	return names[cycles];
}

void meter_open(struct meter *m, enum cycles cycles)
{
	double least = 1e18;

	*m = (struct meter){ .fd = -1 };
	if (cycles != CYCLES_CORE)
		return;
	m->fd = open_counter();
	if (m->fd < 0)
		die(EXIT_FAILED, "--cycles: a thread can't open its cycle counter: %s", strerror(errno));
	for (unsigned i = 0; i < 100; i++) {
		struct lap empty = { 0 };

		meter_start(m);
		meter_stop(m, &empty);
		if (empty.cycles < least)
			least = empty.cycles;
	}
	m->overhead = least;
}

/* The clock within the counter: a system call's time is in no figure of seconds. */
void meter_start(struct meter *m)
{
	if (m->fd >= 0)
		m->cycles = read_counter(m);
	m->ticks = clock_start();
}

void meter_stop(struct meter *m, struct lap *lap)
{
	uint64_t ticks = clock_stop() - m->ticks, own = clock_overhead();

	/* At least a tick, so that a rate is a number. */
	ticks = ticks > own ? ticks - own : 1;
	lap->seconds += (double)ticks / clock_ghz() * 1e-9;
	lap->cycles += m->fd >= 0 ? fmax((double)(read_counter(m) - m->cycles) - m->overhead, 1) : (double)ticks;
}

void meter_close(struct meter *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}
