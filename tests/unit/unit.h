/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - what the unit tests share: cmocka, skips that say why, guarded memory, and children that run one function.
 */
#ifndef UNIT_H
#define UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "clearpages.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))
#define KiB ((size_t)1 << 10)
#define MiB ((size_t)1 << 20)
#define GiB ((size_t)1 << 30)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* The reason goes out as a TAP comment, which scripts/test collects. */
#define SKIP(...)                              \
	do {                                   \
		printf("# reason: " __VA_ARGS__); \
		printf("\n");                  \
		fflush(stdout);                \
		skip();                        \
	} while (0)

/* execve() takes non-const strings that it does not change. */
static inline char *argument(const char *text)
{
	return (char *)(uintptr_t)text;
}

static const unsigned all_hints[] = { 0, CLP_HOT, CLP_COLD, CLP_NOPROBE };

/* len bytes of anonymous memory with an inaccessible page on both sides. */
static inline unsigned char *guarded(size_t len)
{
	size_t room = (len + PAGE - 1) & ~(PAGE - 1);
	unsigned char *p = mmap(NULL, room + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(mprotect(p + PAGE, room, PROT_READ | PROT_WRITE), 0);
	return p + PAGE;
}

static inline void unguard(unsigned char *p, size_t len)
{
	size_t room = (len + PAGE - 1) & ~(PAGE - 1);

	munmap(p - PAGE, room + 2 * PAGE);
}

/* Are all bytes of p equal to value? Compares the region with itself, one byte on. */
static inline bool all(const void *p, size_t len, unsigned char value)
{
	const unsigned char *bytes = p;

	return !len || (bytes[0] == value && !memcmp(bytes, bytes + 1, len - 1));
}

/* Run fn in a child and return its wait status; the child's own failures end it with 99. */
static inline int in_child(void (*fn)(void *), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	fflush(stderr);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		fn(arg);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* In a child, where cmocka's assertions would unwind into the parent's tests. */
#define CHILD_CHECK(condition)                                                                  \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			_exit(99);                                                              \
		}                                                                               \
	} while (0)

static inline unsigned variant_index(unsigned op, const char *name)
{
	int index = clp_variant_find(op, name);

	assert_true(index >= 0);
	return (unsigned)index;
}

static inline struct clp_variant_info variant_info(unsigned op, unsigned index)
{
	struct clp_variant_info info = { .sz = sizeof(info) };

	assert_int_equal(clp_variant_get(op, index, &info), 0);
	return info;
}

static inline struct clp_counters counters_of(unsigned op, unsigned index)
{
	struct clp_counters c = { .sz = sizeof(c) };

	assert_int_equal(clp_counters_read(op, index, &c), 0);
	return c;
}

#endif
