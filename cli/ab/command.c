/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.c - one run of a program. It is in a process group of its own, so that an interruption reaches it through us and
 * with all its children; it dies with us; it reads nothing; what it prints is read as it comes.
 */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* A line longer than this is cut: no figure is so far right. */
#define LINE_SIZE 65536

struct reader {
	int fd; /* -1: at its end */
	char *text;
	size_t len;
};

struct run {
	struct reader readers[STREAMS];
	void (*line)(void *arg, enum stream from, char *text);
	void *arg;
	struct outcome *outcome;
	size_t tail; /* bytes in outcome->tail */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Keep the last TAIL_MAX bytes. */
static void add_tail(struct run *r, const char *text, size_t len)
{
	char *tail = r->outcome->tail;

	if (len > TAIL_MAX) {
		text += len - TAIL_MAX;
		len = TAIL_MAX;
	}
	if (r->tail + len > TAIL_MAX) {
		size_t gone = r->tail + len - TAIL_MAX;

		memmove(tail, tail + gone, r->tail - gone);
		r->tail -= gone;
	}
	memcpy(tail + r->tail, text, len);
	r->tail += len;
}

static void end_line(struct run *r, enum stream s)
{
	struct reader *reader = &r->readers[s];

	reader->text[reader->len] = '\0';
	reader->len = 0;
	r->line(r->arg, s, reader->text);
}

static void take(struct run *r, enum stream s, const char *text, size_t len)
{
	struct reader *reader = &r->readers[s];

	if (s != STREAM_RESULTS)
		add_tail(r, text, len);
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n')
			end_line(r, s);
		else if (reader->len < LINE_SIZE - 1)
			reader->text[reader->len++] = text[i];
	}
}

/* All that is there now; false at the end. */
static bool drain(struct run *r, enum stream s)
{
	char buffer[16384];
	ssize_t n;

	while ((n = read(r->readers[s].fd, buffer, sizeof(buffer))) > 0)
		take(r, s, buffer, (size_t)n);
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void open_readers(struct run *r, int writers[STREAMS])
{
	for (int s = 0; s < STREAMS; s++) {
		int ends[2];

		r->readers[s] = (struct reader){ .text = malloc(LINE_SIZE) };
		if (!r->readers[s].text || pipe2(ends, O_CLOEXEC))
			die(EXIT_FAILED, "no process can be started: %s", strerror(errno));
		fcntl(ends[0], F_SETFL, O_NONBLOCK);
		r->readers[s].fd = ends[0];
		writers[s] = ends[1];
	}
}

static _Noreturn void child(const struct command_line *c, const int writers[STREAMS], const sigset_t *mask)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (c->pin >= 0) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(c->pin, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
	/* The results first: another end may already be descriptor 3, and is not needed any more once it is copied. */
	dup2(null, STDIN_FILENO);
	dup2(writers[STREAM_OUTPUT], STDOUT_FILENO);
	dup2(writers[STREAM_ERRORS], STDERR_FILENO);
	if (c->results) {
		if (writers[STREAM_RESULTS] == 3)
			fcntl(3, F_SETFD, 0);
		else
			dup2(writers[STREAM_RESULTS], 3);
	}
	if (c->label)
		setenv("CLEARPAGES_LABEL", c->label, 1);
	execvp(c->words[0], c->words);
	dprintf(STDERR_FILENO, "%s: %s\n", c->words[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Until the process has ended; its group is told to end once, if we are. */
static int attend(struct run *r, pid_t pid, const sigset_t *unblocked)
{
	struct pollfd watched[STREAMS + 1];
	int process = pidfd_open(pid, 0), status = 0;

	/* Without it (before Linux 5.3) the end of all its output is the end of the process. */
	for (;;) {
		int open = 0;

		for (int s = 0; s < STREAMS; s++) {
			watched[s] = (struct pollfd){ r->readers[s].fd, POLLIN, 0 };
			open += r->readers[s].fd >= 0;
		}
		watched[STREAMS] = (struct pollfd){ process, POLLIN, 0 };
		if (interrupted && !r->outcome->stopped) {
			r->outcome->stopped = true;
			kill(-pid, SIGTERM);
		}
		if (process < 0 && !open)
			break;
		if (ppoll(watched, STREAMS + 1, NULL, unblocked) < 0)
			continue;
		for (int s = 0; s < STREAMS; s++) {
			if (watched[s].revents && !drain(r, (enum stream)s)) {
				close(r->readers[s].fd);
				r->readers[s].fd = -1;
			}
		}
		/* What it started and left behind may keep the pipes open: that is not waited for. */
		if (watched[STREAMS].revents)
			break;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (process >= 0)
		close(process);
	return status;
}

static void close_readers(struct run *r)
{
	for (int s = 0; s < STREAMS; s++) {
		if (r->readers[s].fd >= 0) {
			drain(r, (enum stream)s);
			close(r->readers[s].fd);
		}
		if (r->readers[s].len)
			end_line(r, (enum stream)s);
		free(r->readers[s].text);
	}
}

/* The length of the UTF-8 character at `at`, or 0 where there is none. Overlong forms and surrogates are none. */
static size_t character(const unsigned char *at)
{
	static const struct {
		unsigned char mask, lead;
		unsigned least;
	} forms[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	for (size_t n = 0; n < 4; n++) {
		unsigned code = at[0] & (unsigned char)~forms[n].mask;
		size_t more = 0;

		if ((at[0] & forms[n].mask) != forms[n].lead)
			continue;
		while (more < n && (at[more + 1] & 0xc0) == 0x80)
			code = code << 6 | (at[++more] & 0x3f);
		if (more < n || code < forms[n].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return 0;
		return n + 1;
	}
	return 0;
}

/* What a program prints may be anything; what is stored and shown is text. */
static void clean(char *text, size_t len)
{
	unsigned char *at = (unsigned char *)text, *to = at, *end = at + len;

	*end = '\0';
	while (at < end) {
		size_t n = character(at);

		if (!n || (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f) {
			*to++ = '?';
			at++;
			continue;
		}
		while (n--)
			*to++ = *at++;
	}
	while (to > (unsigned char *)text && to[-1] == '\n')
		to--;
	*to = '\0';
}

void command_run(const struct command_line *c, void (*line)(void *arg, enum stream from, char *text), void *arg,
		 struct outcome *outcome)
{
	struct run r = { .line = line, .arg = arg, .outcome = outcome };
	int writers[STREAMS], status;
	sigset_t blocked, before;
	double start;
	pid_t pid;

	*outcome = (struct outcome){ 0 };
	open_readers(&r, writers);
	/* The two signals are let in while we wait, and nowhere else: none is missed between a look and a wait. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	fflush(NULL);
	start = now();
	pid = fork();
	if (pid < 0)
		die(EXIT_FAILED, "no process can be started: %s", strerror(errno));
	if (!pid)
		child(c, writers, &before);
	setpgid(pid, pid);
	for (int s = 0; s < STREAMS; s++)
		close(writers[s]);
	status = attend(&r, pid, &before);
	outcome->seconds = now() - start;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close_readers(&r);
	clean(outcome->tail, r.tail);
	outcome->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
