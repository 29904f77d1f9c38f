/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what the fuzz targets share: libFuzzer's entry point, the input as a string, and a property that must hold.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                          \
	do {                                                                     \
		if (!(condition)) {                                              \
			fprintf(stderr, "does not hold: %s\n", #condition);      \
			abort();                                                 \
		}                                                                \
	} while (0)

/* A copy that ends in NUL, exactly as long as it has to be; to be freed. */
static inline char *input_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	MUST(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
