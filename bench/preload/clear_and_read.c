/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clear_and_read.c - a program that clears memory and reads a share of its lines, again and again: clear_and_read BYTES ROUNDS
 * STEP, where each STEP-th line is read. Run by bench/preload/run, with and without the library preloaded.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

int main(int argc, char **argv)
{
	size_t bytes = argc == 4 ? strtoull(argv[1], NULL, 10) : 0, step = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
	unsigned long rounds = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned char *memory;
	uint64_t sum = 0;

	if (!bytes || !rounds || !step) {
		fprintf(stderr, "usage: clear_and_read BYTES ROUNDS STEP\n");
		return 2;
	}
	memory = malloc(bytes);
	if (!memory) {
		fprintf(stderr, "clear_and_read: out of memory\n");
		return 1;
	}
	memset(memory, 0x55, bytes);
	for (unsigned long round = 0; round < rounds; round++) {
		memset(memory, 0, bytes);
		for (size_t at = 0; at < bytes; at += step * LINE)
			sum += memory[at];
		/* Not zeros over zeros alone, which some processors have an easier time with. */
		for (size_t at = 0; at < bytes; at += 4096)
			memory[at] = 1;
	}
	printf("%llu\n", (unsigned long long)sum);
	free(memory);
	return sum != 0;
}
