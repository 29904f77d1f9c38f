// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_x86.c - perf bench's functions for x86-64, which store any value. The library's routines store zeros alone, and on
 * some processors a stream of zeros runs at twice the rate of any other, so these have to be what a comparison with perf
 * runs.
 */
#include "mem.h"

#if defined(__x86_64__)

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* What is left after whole words: in assembler and not in C, where a compiler may see a memset() in the loop. */
static void set_bytes(unsigned char *at, uint64_t word, size_t len)
{
	for (; len >= 8; len -= 8, at += 8)
		__asm__ volatile("movq %1, (%0)" ::"r"(at), "r"(word) : "memory");
	for (; len; len--, at++)
		__asm__ volatile("movb %b1, (%0)" ::"r"(at), "q"(word) : "memory");
}

/* Eight stores of 8 bytes a turn. */
static void *set_unrolled(void *at, int value, size_t len)
{
	uint64_t word = (unsigned char)value * EACH_BYTE;
	unsigned char *p = at;
	size_t turns = len / 64;

	if (turns)
		__asm__ volatile(".p2align 4\n"
				 "1:\tdecq %1\n\t"
				 "movq %2, (%0)\n\t"
				 "movq %2, 8(%0)\n\t"
				 "movq %2, 16(%0)\n\t"
				 "movq %2, 24(%0)\n\t"
				 "movq %2, 32(%0)\n\t"
				 "movq %2, 40(%0)\n\t"
				 "movq %2, 48(%0)\n\t"
				 "movq %2, 56(%0)\n\t"
				 "leaq 64(%0), %0\n\t"
				 "jnz 1b"
				 : "+r"(p), "+r"(turns)
				 : "r"(word)
				 : "memory", "cc");
	set_bytes(p, word, len % 64);
	return at;
}

static void *set_stosq(void *at, int value, size_t len)
{
	uint64_t word = (unsigned char)value * EACH_BYTE;
	size_t words = len / 8, rest = len % 8;
	void *p = at;

	__asm__ volatile("rep stosq\n\t"
			 "movq %2, %%rcx\n\t"
			 "rep stosb"
			 : "+D"(p), "+c"(words)
			 : "r"(rest), "a"(word)
			 : "memory");
	return at;
}

static void *set_stosb(void *at, int value, size_t len)
{
	void *p = at;

	__asm__ volatile("rep stosb" : "+D"(p), "+c"(len) : "a"(value) : "memory");
	return at;
}

static void copy_bytes(unsigned char *to, const unsigned char *from, size_t len)
{
	uint64_t word;

	for (; len >= 8; len -= 8, to += 8, from += 8)
		__asm__ volatile("movq (%2), %0\n\tmovq %0, (%1)" : "=&r"(word) : "r"(to), "r"(from) : "memory");
	for (; len; len--, to++, from++)
		__asm__ volatile("movb (%2), %b0\n\tmovb %b0, (%1)" : "=&q"(word) : "r"(to), "r"(from) : "memory");
}

/* Four loads, then four stores, of 8 bytes a turn. */
static void *copy_unrolled(void *to, const void *from, size_t len)
{
	const unsigned char *source = from;
	unsigned char *p = to;
	size_t turns = len / 32;

	if (turns)
		__asm__ volatile(".p2align 4\n"
				 "1:\tmovq (%1), %%r8\n\t"
				 "movq 8(%1), %%r9\n\t"
				 "movq 16(%1), %%r10\n\t"
				 "movq 24(%1), %%r11\n\t"
				 "leaq 32(%1), %1\n\t"
				 "movq %%r8, (%0)\n\t"
				 "movq %%r9, 8(%0)\n\t"
				 "movq %%r10, 16(%0)\n\t"
				 "movq %%r11, 24(%0)\n\t"
				 "leaq 32(%0), %0\n\t"
				 "decq %2\n\t"
				 "jnz 1b"
				 : "+r"(p), "+r"(source), "+r"(turns)
				 :
				 : "r8", "r9", "r10", "r11", "memory", "cc");
	copy_bytes(p, source, len % 32);
	return to;
}

static void *copy_movsq(void *to, const void *from, size_t len)
{
	size_t words = len / 8, rest = len % 8;
	void *p = to;

	__asm__ volatile("rep movsq\n\t"
			 "movq %3, %%rcx\n\t"
			 "rep movsb"
			 : "+D"(p), "+S"(from), "+c"(words)
			 : "r"(rest)
			 : "memory");
	return to;
}

static void *copy_movsb(void *to, const void *from, size_t len)
{
	void *p = to;

	__asm__ volatile("rep movsb" : "+D"(p), "+S"(from), "+c"(len) : : "memory");
	return to;
}

const struct function x86_set_functions[] = {
	{ .name = "x86-64-unrolled", .description = "a value by 8 stores of 8 bytes a turn", .set = set_unrolled },
	{ .name = "x86-64-stosq", .description = "a value by rep stosq", .set = set_stosq },
	{ .name = "x86-64-stosb", .description = "a value by rep stosb", .set = set_stosb },
	{ 0 },
};

const struct function x86_copy_functions[] = {
	{ .name = "x86-64-unrolled", .description = "4 loads, 4 stores of 8 bytes a turn", .copy = copy_unrolled },
	{ .name = "x86-64-movsq", .description = "rep movsq", .copy = copy_movsq },
	{ .name = "x86-64-movsb", .description = "rep movsb", .copy = copy_movsb },
	{ 0 },
};

#else

const struct function x86_set_functions[] = { { 0 } };
const struct function x86_copy_functions[] = { { 0 } };

#endif
