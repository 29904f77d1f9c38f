// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-size.c - any text as a size: refused, or a value that fits off_t and that, written out in digits, reads back as itself.
 */
#include <errno.h>

#include "cli.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = input_text(data, size);
	uint64_t value = 0, again = 0;
	char digits[32];
	int err = read_size(text, &value);

	MUST(err == 0 || err == -EINVAL || err == -ERANGE);
	if (!err) {
		MUST(value <= INT64_MAX);
		MUST(text[0] >= '0' && text[0] <= '9');
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
		MUST(!read_size(digits, &again) && again == value);
		MUST(format_size(value)[0]);
	}
	free(text);
	return 0;
}
