// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * environment_child.c - says what the library made of its environment, one word a line. Run by environment.c.
 */
#include <stdio.h>
#include <sys/auxv.h>

#include "clearpages.h"

int main(void)
{
	static const unsigned hints[] = { 0, CLP_HOT, CLP_COLD };
	static char page[4096] __attribute__((aligned(4096)));
	const char *path;

	printf("secure %lu\n", getauxval(AT_SECURE));
	printf("status %d\n", (int)clp_profile_status(&path));
	printf("path %s\n", path);
	for (unsigned op = 0; op < 2; op++) {
		for (unsigned h = 0; h < 3; h++) {
			struct clp_variant_info info = { .sz = sizeof(info) };
			unsigned index;

			if (clp_choice(op, 1048576, hints[h] | CLP_NOPROBE, 0, &index, NULL) || clp_variant_get(op, index, &info))
				return 1;
			printf("%s%u %s\n", op ? "copy" : "clear", hints[h], info.name);
		}
	}
	for (unsigned i = 0; i < clp_variant_count(CLP_OP_CLEAR); i++) {
		struct clp_variant_info info = { .sz = sizeof(info) };

		clp_variant_get(CLP_OP_CLEAR, i, &info);
		printf("has-%s %s\n", info.name, info.missing ? info.missing : "yes");
	}
	page[17] = 1;
	printf("clears %s\n", !clp_clear(page, sizeof(page), 0) && !page[17] ? "yes" : "no");
	return 0;
}
