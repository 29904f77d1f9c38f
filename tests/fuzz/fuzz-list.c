// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-list.c - any text as a list of sizes: refused with a reason, or 1 to 256 values of which each is a valid size.
 */
#include "cli.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = input_text(data, size);
	const char *error = NULL;
	size_t n = 0;
	uint64_t *list = read_size_list(text, &n, &error);

	MUST((list != NULL) == (error == NULL));
	if (list) {
		MUST(n >= 1 && n <= 256);
		for (size_t i = 0; i < n; i++)
			MUST(list[i] >= 1 && list[i] <= INT64_MAX);
	} else {
		MUST(error[0]);
	}
	free(list);
	free(text);
	return 0;
}
