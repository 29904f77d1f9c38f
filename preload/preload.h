/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload.h - what the files of the preloaded library share.
 *
 * Its functions may be called before anything of it is set up: by constructors of other libraries, and by IFUNC resolvers before
 * it has even been relocated. All that they look at first is therefore zero until setup.c has filled it in, and zero means: every
 * call takes the long way, which then does the work itself, without a pointer that would have to be relocated.
 */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../lib/lib.h"
#include "file.h"

/* setup.c: the functions behind ours, and from how many bytes on a call is large. One cache line. */
struct preload_next {
	void *(*memset)(void *at, int byte, size_t len);
	void *(*memmove)(void *to, const void *from, size_t len);
	void *(*calloc)(size_t n, size_t size);
	size_t large;	     /* 0: nothing is set up */
	size_t calloc_large; /* 0: nothing is set up; SIZE_MAX: calloc is not counted */
	bool counting;
} __attribute__((aligned(64)));
extern struct preload_next preload_next;

/* large.c: the long way; kept out of the short one where the linker optimises too. */
#define LONG_WAY __attribute__((noinline))
LONG_WAY void *preload_memset(void *at, int byte, size_t len);
LONG_WAY void *preload_memset_checked(void *at, int byte, size_t len, size_t room);
LONG_WAY void preload_erase(void *at, size_t len);
LONG_WAY void preload_erase_checked(void *at, size_t len, size_t room);
LONG_WAY void *preload_copy(void *to, const void *from, size_t len);
LONG_WAY void *preload_copy_checked(void *to, const void *from, size_t len, size_t room);
LONG_WAY void *preload_calloc(size_t n, size_t size);

/*
 * counts.c: the counters of this process, NULL where nothing is counted. open: from the constructor, with the folder to make the file in;
 * a text that says what is wrong with it, or NULL. close: at exit.
 */
struct preload_file *preload_counts(void);
const char *preload_counts_open(const char *folder, size_t large);
void preload_counts_close(void);

#endif
