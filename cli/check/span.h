/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span.h - a very long range of addresses over little memory, for lengths that a machine could not spare otherwise.
 *
 *   unmapped | front, SPAN_EDGE bytes | body: the same SPAN_PERIOD bytes over and over | tail, SPAN_EDGE bytes | unmapped
 *
 * Front and tail have memory of their own. A routine that loses the upper bits of its length stops long before the tail.
 */
#ifndef CHECK_SPAN_H
#define CHECK_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPAN_PERIOD ((size_t)4 << 20)
#define SPAN_EDGE   ((size_t)64 << 10)

struct span {
	uint8_t *map; /* NULL: not open */
	size_t mapped;
	uint8_t *body;
	size_t len; /* of the body */
};

/* len: of the body, a multiple of SPAN_EDGE, at least SPAN_PERIOD. False with errno set where the addresses can't be had. */
bool span_open(struct span *s, size_t len);
void span_close(struct span *s);

#endif
