/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * child.c - a child that may end in any way, and a parent that does not end before it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ab.h"

static const int handed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static sigset_t before;

static void our_signals(sigset_t *set)
{
	sigemptyset(set);
	for (size_t i = 0; i < sizeof(handed_on) / sizeof(handed_on[0]); i++)
		sigaddset(set, handed_on[i]);
	sigaddset(set, SIGCHLD);
}

void child_block_signals(void)
{
	sigset_t set;

	our_signals(&set);
	/* Whoever started us may have ignored it, and then no end of a child would be told. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, &before);
}

static _Noreturn void become(char **words, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	/* If we are killed it ends by itself, with its own children; the setting is in the file of kept.c then. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	/* Where a terminal stops whoever writes to it from the background. */
	signal(SIGTTOU, SIG_IGN);
	sigprocmask(SIG_SETMASK, &before, NULL);
	dup2(null, STDIN_FILENO);
	execv(own_path(), words);
	dprintf(STDERR_FILENO, "clearpages: '%s' can't be run: %s\n", own_path(), strerror(errno));
	_exit(127);
}

/* What a killed child leaves behind comes to us, and would go on under a setting that is being put back. */
static void end_orphans(void)
{
	char *path = text_of("/proc/self/task/%d/children", (int)getpid()), *text;

	while ((text = read_all(path)) && *text) {
		char *at = text, *end;
		long pid;

		while ((pid = strtol(at, &end, 10)) > 0) {
			kill((pid_t)pid, SIGKILL);
			at = end;
		}
		waitpid(-1, NULL, 0);
		free(text);
	}
	free(text);
	free(path);
}

int child_run(char **words)
{
	pid_t self = getpid(), pid;
	sigset_t set;
	int status = 0, signal;

	own_path();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return 127;
	if (!pid)
		become(words, self);
	setpgid(pid, pid);
	our_signals(&set);
	for (;;) {
		signal = sigwaitinfo(&set, NULL);
		if (signal == SIGCHLD && waitpid(pid, &status, WNOHANG) == pid)
			break;
		if (signal > 0 && signal != SIGCHLD)
			kill(pid, signal == SIGINT ? SIGINT : SIGTERM);
	}
	if (WIFSIGNALED(status))
		end_orphans();
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
