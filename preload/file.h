/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file.h - the file of a process's counters, as the preloaded library writes it and `clearpages stats` reads it: one for each
 * process, named PID-START, mapped shared, so that it outlives the process however that ends. All words are written atomically,
 * relaxed.
 */
#ifndef PRELOAD_FILE_H
#define PRELOAD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRELOAD_MAGIC "clpcount"
#define PRELOAD_VERSION 1u

/* Bytes from which on a call is large, unless the environment says otherwise: see docs/preload.md. The least it may say. */
#define PRELOAD_LARGE ((size_t)64 << 10)
#define PRELOAD_LARGE_LEAST ((size_t)4 << 10)

enum preload_call {
	PRELOAD_CLEAR, /* memset, bzero, and what fortified programs call in their place */
	PRELOAD_ERASE, /* explicit_bzero */
	PRELOAD_COPY,  /* memcpy */
	PRELOAD_CALLOC, /* counted alone: never ours, never timed */
	PRELOAD_CALLS
};

/* A class is the lengths from 2^(12 + c) to less than twice as many; the last has all longer ones too. */
#define PRELOAD_CLASSES 24u
#define PRELOAD_CLASS_SHIFT 12u

enum preload_side { PRELOAD_OURS, PRELOAD_LIBC, PRELOAD_SIDES };

#define PRELOAD_FAULTED UINT64_MAX

struct preload_cell {
	uint64_t turn; /* calls begun: one of 16 is left to libc, and makes a pair with the call of ours before or after it */
	uint64_t bytes;
	struct {
		uint64_t calls, ns;
	} side[PRELOAD_SIDES];
	/* ns of our call and of libc's that wait for their partner. 0: none, or interrupted; PRELOAD_FAULTED: pages were faulted in. */
	uint64_t before, after;
	/* libc's time less ours: what the call of ours has gained. Pairs in which a call faulted pages in are counted, and no more. */
	struct {
		uint64_t n, faulted, libc_ns;
		uint64_t sum;	  /* may be negative: two's complement */
		uint64_t squares; /* each divided by 2^(class & ~1), so that they fit */
	} pairs;
};

struct preload_file {
	char magic[8];
	uint32_t version, size; /* size: of all of it */
	uint64_t pid;
	uint64_t start;	  /* clock ticks after boot, as /proc/PID/stat has it: with pid, this process and no other */
	uint64_t images;  /* programs that it has executed, one after the other */
	uint64_t adopted; /* forked processes that could not make a file of their own, and are counted here */
	uint64_t large;
	uint64_t cpu_ns; /* when it exited; 0: it runs, or was killed, or left by _exit() */
	char name[64];
	struct preload_cell cells[PRELOAD_CALLS][PRELOAD_CLASSES];
};

/* Has anything been counted? */
static inline bool preload_any(const struct preload_file *file)
{
	const struct preload_cell *cell = file->cells[0];

	for (size_t i = 0; i < sizeof(file->cells) / sizeof(*cell); i++)
		if (__atomic_load_n(&cell[i].turn, __ATOMIC_RELAXED))
			return true;
	return false;
}

#endif
