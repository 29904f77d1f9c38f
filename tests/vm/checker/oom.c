// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oom.c - a process that faults huge pages until there are none, and is killed for it.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checker.h"

#define MUCH (8UL << 30)

static void eat(void)
{
	volatile unsigned char *at = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED || madvise((void *)at, MUCH, MADV_HUGEPAGE))
		die("can't map");
	write_text("/proc/self/oom_score_adj", "1000");
	for (size_t i = 0; i < MUCH; i += PAGE)
		at[i] = 1;
}

int cmd_oom(char **argv)
{
	int status;
	pid_t child;

	(void)argv;
	fflush(stdout);
	child = fork();
	if (child < 0)
		die("can't fork");
	if (!child) {
		eat();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return 0;
	printf("# the process ended with status %#x\n", status);
	return 1;
}
