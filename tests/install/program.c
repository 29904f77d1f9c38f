// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program.c - a program as a user of the installed library would write it. Valid C11 and C++17.
 */
#include <clearpages.h>
#include <stdio.h>
#include <string.h>

static unsigned char buffer[65536];

int main(void)
{
	char version[32];
	int err;

	snprintf(version, sizeof(version), "%d.%d.%d", CLP_VERSION_MAJOR, CLP_VERSION_MINOR, CLP_VERSION_PATCH);
	if (strcmp(version, clp_version()) != 0) {
		fprintf(stderr, "header %s, library %s\n", version, clp_version());
		return 1;
	}
	for (unsigned flags = 0; flags < 3; flags++) {
		memset(buffer, 0x55, sizeof(buffer));
		err = clp_clear(buffer + 3, sizeof(buffer) - 7, flags);
		if (err) {
			fprintf(stderr, "clp_clear: %s\n", clp_strerror(err));
			return 1;
		}
		for (size_t i = 0; i < sizeof(buffer); i++) {
			if (buffer[i] != (i < 3 || i >= sizeof(buffer) - 4 ? 0x55 : 0)) {
				fprintf(stderr, "wrong byte at %zu\n", i);
				return 1;
			}
		}
	}
	return 0;
}
