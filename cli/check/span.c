/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.c - a long range of addresses that maps a small file in memory many times.
 */
#define _GNU_SOURCE
#include "span.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static bool map_at(uint8_t *at, size_t len, int fd, size_t offset)
{
	/* Populated: the faults would otherwise be taken one by one inside the routine. */
	return mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, (off_t)offset) == at;
}

static bool map_all(struct span *s, int fd)
{
	if (ftruncate(fd, (off_t)(SPAN_PERIOD + 2 * SPAN_EDGE)))
		return false;
	for (size_t done = 0; done < s->len; done += SPAN_PERIOD)
		if (!map_at(s->body + done, s->len - done < SPAN_PERIOD ? s->len - done : SPAN_PERIOD, fd, 0))
			return false;
	return map_at(s->body - SPAN_EDGE, SPAN_EDGE, fd, SPAN_PERIOD) &&
	       map_at(s->body + s->len, SPAN_EDGE, fd, SPAN_PERIOD + SPAN_EDGE);
}

bool span_open(struct span *s, size_t len)
{
	/* As wide as the largest base page: what lies beyond the edges stays unmapped. */
	size_t guard = SPAN_EDGE;
	int fd = memfd_create("clearpages-check", MFD_CLOEXEC);
	bool mapped;

	s->map = NULL;
	if (fd < 0)
		return false;
	s->len = len;
	s->mapped = s->len + 2 * (SPAN_EDGE + guard);
	s->map = mmap(NULL, s->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->map == MAP_FAILED) {
		s->map = NULL;
		close(fd);
		return false;
	}
	s->body = s->map + guard + SPAN_EDGE;
	mapped = map_all(s, fd);
	close(fd);
	if (!mapped) {
		int err = errno;

		span_close(s);
		errno = err;
	}
	return mapped;
}

void span_close(struct span *s)
{
	if (s->map)
		munmap(s->map, s->mapped);
	s->map = NULL;
}
