/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entry.c - the functions that take the place of libc's. Short calls go on to libc: a comparison that is predicted, and a jump.
 *
 * Nothing here may need a stack frame, or the short way costs more than a nanosecond: tests/preload/binary.sh looks at the instructions.
 */
#include "preload.h"

/* What is seen from outside. No header of libc declares all of them. */
#pragma GCC visibility push(default)
void *memset(void *at, int byte, size_t len);
void *__memset_chk(void *at, int byte, size_t len, size_t room);
void bzero(void *at, size_t len);
void explicit_bzero(void *at, size_t len);
void __explicit_bzero_chk(void *at, size_t len, size_t room);
void *calloc(size_t n, size_t size);
void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *__memcpy_chk(void *to, const void *from, size_t len, size_t room);
#pragma GCC visibility pop

/* Acquire: whoever sees the length sees the functions behind ours. Nothing is short before setup. */
static inline bool is_short(size_t len)
{
	return likely(len < __atomic_load_n(&preload_next.large, __ATOMIC_ACQUIRE));
}

void *memset(void *at, int byte, size_t len)
{
	return is_short(len) ? preload_next.memset(at, byte, len) : preload_memset(at, byte, len);
}

void *__memset_chk(void *at, int byte, size_t len, size_t room)
{
	return len <= room && is_short(len) ? preload_next.memset(at, byte, len) : preload_memset_checked(at, byte, len, room);
}

void bzero(void *at, size_t len)
{
	if (is_short(len))
		preload_next.memset(at, 0, len);
	else
		preload_memset(at, 0, len);
}

/* What keeps a compiler from leaving out a call of this is its name, and the stores are made before it returns. */
void explicit_bzero(void *at, size_t len)
{
	if (is_short(len))
		preload_next.memset(at, 0, len);
	else
		preload_erase(at, len);
}

void __explicit_bzero_chk(void *at, size_t len, size_t room)
{
	if (len <= room && is_short(len))
		preload_next.memset(at, 0, len);
	else
		preload_erase_checked(at, len, room);
}

/* A product that runs over may look short here: libc looks again. */
void *calloc(size_t n, size_t size)
{
	if (likely(n * size < __atomic_load_n(&preload_next.calloc_large, __ATOMIC_ACQUIRE)))
		return preload_next.calloc(n, size);
	return preload_calloc(n, size);
}

#ifdef PRELOAD_MEMCPY

/* Programs linked before glibc 2.14 call memcpy and mean memmove, and others overlap by mistake: libc's memmove serves them all. */
void *memcpy(void *restrict to, const void *restrict from, size_t len)
{
	return is_short(len) ? preload_next.memmove(to, from, len) : preload_copy(to, from, len);
}

void *__memcpy_chk(void *to, const void *from, size_t len, size_t room)
{
	return len <= room && is_short(len) ? preload_next.memmove(to, from, len) : preload_copy_checked(to, from, len, room);
}

#endif
