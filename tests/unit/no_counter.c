// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * no_counter.c - a process that may not read the time stamp counter (PR_SET_TSC): loading the library, clearing, and counting must not
 * raise SIGSEGV. The counter is denied in a constructor that runs before the library's. argv[1]: "plain" or "counting".
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "clearpages.h"

static char buffer[1 << 20];
static int denied;

static __attribute__((constructor(101))) void deny(void)
{
	denied = !prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

static int use(void)
{
	for (unsigned flags = 0; flags < 3; flags++) {
		for (size_t len = 1; len <= sizeof(buffer); len *= 2) {
			memset(buffer, 1, len);
			if (clp_clear(buffer, len, flags) || buffer[0] || buffer[len - 1])
				return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	int probed = 1;

	if (!denied) {
		printf("# reason: the kernel can't deny the counter\n");
		return 77;
	}
	if (clp_choice(CLP_OP_CLEAR, 65536, 0, 0, NULL, &probed) || probed)
		return 2;
	if (argc == 2 && !strcmp(argv[1], "counting"))
		clp_counters_enable(1);
	return use();
}
