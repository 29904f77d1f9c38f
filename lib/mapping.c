/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * mapping.c - what is mapped where: /proc/self/maps, asked by PROCMAP_QUERY (Linux 6.11) or read line by line; and what is in memory, by mincore().
 */
#define _GNU_SOURCE
#include "mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib.h"

/* include/uapi/linux/fs.h of Linux 6.11, struct procmap_query: the distribution's headers may be older than its kernel. */
struct map_query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t start, end;
	uint64_t flags;
	uint64_t page_size;
	uint64_t offset;
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};
#define MAP_QUERY	   _IOWR('f', 17, struct map_query)
#define QUERY_COVERING_OR_NEXT 0x10u
#define MAPPING_WRITABLE   0x02u
#define MAPPING_SHARED	   0x08u

int clp_maps_open(struct clp_maps *maps)
{
	maps->fd = open("/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
	maps->text = false;
	maps->used = maps->have = 0;
	return maps->fd < 0 ? -errno : 0;
}

void clp_maps_close(struct clp_maps *maps)
{
	close(maps->fd);
}

void clp_maps_rewind(struct clp_maps *maps)
{
	lseek(maps->fd, 0, SEEK_SET);
	maps->used = maps->have = 0;
}

/* The next byte of the file; -1 at its end. */
static int next_byte(struct clp_maps *maps)
{
	if (maps->used == maps->have) {
		ssize_t n;

		do
			n = read(maps->fd, maps->buffer, sizeof(maps->buffer));
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			return -1;
		maps->have = (size_t)n;
		maps->used = 0;
	}
	return (unsigned char)maps->buffer[maps->used++];
}

/* Digits up to a byte that is none, which goes too. */
static uint64_t next_number(struct clp_maps *maps, unsigned base)
{
	uint64_t value = 0;

	for (;;) {
		int c = next_byte(maps);

		if (c >= '0' && c <= '9')
			value = value * base + (unsigned)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			value = value * base + (unsigned)(c - 'a' + 10);
		else
			return value;
	}
}

/* "START-END PERMISSIONS OFFSET MAJOR:MINOR INODE  PATH", proc_pid_maps(5). False at the end. */
static bool next_line(struct clp_maps *maps, struct clp_mapping *m)
{
	char permissions[4];
	uint64_t device;
	int c;

	m->start = next_number(maps, 16);
	m->end = next_number(maps, 16);
	for (size_t i = 0; i < sizeof(permissions); i++) {
		c = next_byte(maps);
		if (c < 0)
			return false;
		permissions[i] = (char)c;
	}
	next_byte(maps);
	next_number(maps, 16);
	device = next_number(maps, 16);
	device |= next_number(maps, 16);
	m->writable = permissions[1] == 'w';
	m->anonymous = permissions[3] == 'p' && !device && !next_number(maps, 10);
	do
		c = next_byte(maps);
	while (c >= 0 && c != '\n');
	return true;
}

bool clp_maps_next(struct clp_maps *maps, uintptr_t at, struct clp_mapping *m)
{
	struct map_query q = { .size = sizeof(q), .query_flags = QUERY_COVERING_OR_NEXT, .query_addr = at };

	if (!maps->text) {
		if (!ioctl(maps->fd, MAP_QUERY, &q)) {
			m->start = q.start;
			m->end = q.end;
			m->writable = q.flags & MAPPING_WRITABLE;
			m->anonymous = !(q.flags & MAPPING_SHARED) && !q.inode && !q.dev_major && !q.dev_minor;
			return true;
		}
		if (errno == ENOENT)
			return false;
		maps->text = true;
	}
	while (next_line(maps, m))
		if (m->end > at)
			return true;
	return false;
}

uintptr_t clp_resident_run(struct clp_residency *r, uintptr_t at, uintptr_t end, bool *there)
{
	size_t page = clp_cpu_page(), i;

	if (at < r->from || at >= r->to) {
		size_t n = (end - at) / page;

		if (n > sizeof(r->in_memory))
			n = sizeof(r->in_memory);
		if (mincore((void *)at, n * page, r->in_memory))
			return 0;
		r->from = at;
		r->to = at + n * page;
	}
	i = (at - r->from) / page;
	*there = r->in_memory[i] & 1;
	for (at += page, i++; at < r->to && at < end && (r->in_memory[i] & 1) == *there; at += page)
		i++;
	return at;
}

size_t clp_resident(uintptr_t from, uintptr_t end)
{
	struct clp_residency r = { 0 };
	size_t bytes = 0;
	bool there;

	while (from < end) {
		uintptr_t to = clp_resident_run(&r, from, end, &there);

		if (!to)
			break;
		if (there)
			bytes += to - from;
		from = to;
	}
	return bytes;
}
