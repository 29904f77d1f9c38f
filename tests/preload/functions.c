/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.c - do the functions that the preloaded library takes do what libc's do? Run with it preloaded; argument "memcpy":
 * with the one that takes memcpy. Lengths around the threshold, alignments, byte values of which only the low eight bits count,
 * overflows that must be caught.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LARGE 65536u
#define MOST ((size_t)3 << 20)
#define MARGIN 128u

void *__memset_chk(void *at, int byte, size_t len, size_t room);
void __explicit_bzero_chk(void *at, size_t len, size_t room);
void *__memcpy_chk(void *to, const void *from, size_t len, size_t room);

static const size_t lengths[] = {
	0,	   1,	      7,	 64,	 1000,	  4095,	  4096,		  LARGE - 64, LARGE - 1,
	LARGE,	   LARGE + 1, LARGE + 63, 100000, 1 << 18, (1 << 18) + 777, 1 << 20,	(2 << 20) + 4097,
};
static const size_t offsets[] = { 0, 1, 8, 31, 32, 63, 64, 77 };
static unsigned char area[MARGIN + MOST + MARGIN], other[MARGIN + MOST + MARGIN];
static int failed;

#define CHECK(condition, ...)                                             \
	do {                                                              \
		if (!(condition)) {                                       \
			failed++;                                         \
			printf("not so: %s: ", #condition);               \
			printf(__VA_ARGS__);                              \
			printf("\n");                                     \
		}                                                         \
	} while (0)

static void foul(void)
{
	for (size_t i = 0; i < sizeof(area); i++)
		area[i] = (unsigned char)(i * 7 + 1) | 1;
}

/* A loop of our own: memcmp and memset are not to judge themselves. */
static int is_filled(const unsigned char *p, size_t len, unsigned char value)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != value)
			return 0;
	return 1;
}

static int is_foul(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (area[i] != ((unsigned char)(i * 7 + 1) | 1))
			return 0;
	return 1;
}

static void judge(const char *name, size_t offset, size_t len, unsigned char value)
{
	CHECK(is_filled(area + offset, len, value), "%s, %zu bytes at %zu, value %u", name, len, offset, value);
	CHECK(is_foul(0, offset) && is_foul(offset + len, offset + len + MARGIN), "%s, %zu bytes at %zu: outside of it", name, len, offset);
}

static void fills(size_t offset, size_t len)
{
	static const int bytes[] = { 0, 1, 255, 256, -256, -1, 0x4200, 0x7fffff00 };
	unsigned char *at = area + offset;

	for (size_t i = 0; i < COUNT(bytes); i++) {
		foul();
		errno = 77;
		CHECK(memset(at, bytes[i], len) == at && errno == 77, "memset's value, or errno");
		judge("memset", offset, len, (unsigned char)bytes[i]);
	}
	foul();
	CHECK(__memset_chk(at, 256, len, len) == at, "__memset_chk's value");
	judge("__memset_chk", offset, len, 0);
	foul();
	bzero(at, len);
	judge("bzero", offset, len, 0);
	foul();
	explicit_bzero(at, len);
	judge("explicit_bzero", offset, len, 0);
	foul();
	__explicit_bzero_chk(at, len, SIZE_MAX);
	judge("__explicit_bzero_chk", offset, len, 0);
}

static void copies(size_t offset, size_t len)
{
	for (size_t from = 0; from < 64; from += 21) {
		foul();
		for (size_t i = 0; i < len; i++)
			other[from + i] = (unsigned char)(i * 13 + 5);
		CHECK((from ? memcpy(area + offset, other + from, len) : __memcpy_chk(area + offset, other, len, len)) == area + offset,
		      "memcpy's value");
		for (size_t i = 0; i < len; i++) {
			if (area[offset + i] == (unsigned char)(i * 13 + 5))
				continue;
			CHECK(0, "memcpy of %zu bytes from %zu to %zu: byte %zu", len, from, offset, i);
			break;
		}
		CHECK(is_foul(0, offset) && is_foul(offset + len, offset + len + MARGIN), "memcpy: outside of it");
	}
}

/* Against the rules of memcpy, and done in programs: what is copied is what was there. */
static void overlapping_copies(void)
{
	static const ptrdiff_t shifts[] = { 1, 63, 4096, 100000, -1, -63, -4096, -100000 };
	unsigned char *middle = area + sizeof(area) / 2;
	const size_t len = 200000;

	for (size_t i = 0; i < COUNT(shifts); i++) {
		const unsigned char *volatile from = middle;

		foul();
		memcpy(middle + shifts[i], from, len);
		for (size_t k = 0; k < len; k++) {
			size_t was = (size_t)(middle - area) + k;

			if (middle[shifts[i] + (ptrdiff_t)k] == ((unsigned char)(was * 7 + 1) | 1))
				continue;
			CHECK(0, "memcpy that overlaps by %td: byte %zu", shifts[i], k);
			break;
		}
	}
}

static void allocations(void)
{
	static const size_t sizes[] = { 0, 1, 100, LARGE - 1, LARGE, LARGE + 1, 1 << 20, 5 << 20 };
	volatile size_t huge = SIZE_MAX / 2;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		unsigned char *p = calloc(sizes[i] / 4 + 1, 4);

		CHECK(p && is_filled(p, sizes[i], 0), "calloc of %zu bytes", sizes[i]);
		memset(p, 1, sizes[i]);
		p = realloc(p, sizes[i] + 100000);
		CHECK(p && is_filled(p, sizes[i], 1), "realloc after calloc of %zu bytes", sizes[i]);
		free(p);
	}
	errno = 0;
	CHECK(!calloc(huge, 3) && errno == ENOMEM, "calloc of more than there is");
	errno = 0;
	CHECK(!calloc(huge, 1) && errno == ENOMEM, "calloc of more than there is");
}

static void too_long(int which, size_t len)
{
	if (which == 0)
		__memset_chk(area, 0, len, len - 1);
	else if (which == 1)
		__explicit_bzero_chk(area, len, len - 1);
	else
		__memcpy_chk(area, other, len, len - 1);
}

/* A fortified program ends there, with a line by libc. */
static void overflows(void)
{
	for (int which = 0; which < 3; which++) {
		for (size_t len = 100; len <= 100000; len *= 1000) {
			int status = 0;
			pid_t pid = fork();

			if (!pid) {
				if (!freopen("/dev/null", "w", stderr))
					_exit(1);
				too_long(which, len);
				_exit(0);
			}
			waitpid(pid, &status, 0);
			CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "overflow %d of %zu bytes: status %x", which, len,
			      (unsigned)status);
		}
	}
}

int main(int argc, char **argv)
{
	int memcpy_too = argc > 1 && !strcmp(argv[1], "memcpy");

	for (size_t i = 0; i < COUNT(lengths); i++) {
		for (size_t k = 0; k < COUNT(offsets); k++) {
			fills(offsets[k], lengths[i]);
			copies(offsets[k], lengths[i]);
		}
	}
	if (memcpy_too)
		overlapping_copies();
	allocations();
	overflows();
	return failed != 0;
}
