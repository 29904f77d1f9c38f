/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.c - a program run to its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

int run_program(char *const *words, bool to_stderr)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die(EXIT_FAILED, "no process can be started: %s", strerror(errno));
	if (!pid) {
		int null = open("/dev/null", O_RDONLY);

		dup2(null, STDIN_FILENO);
		if (to_stderr)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(words[0], words);
		dprintf(STDERR_FILENO, "clearpages: '%s' can't be run: %s\n", words[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
