/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.c - programs that clear and end in the ways that there are: processes WAY [ARGUMENT]. Each large call clears 1 MiB,
 * and in each way the counts are known.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

void *__memset_chk(void *at, int byte, size_t len, size_t room);

static char *memory;

static void clear(int times)
{
	while (times--) {
		memory[12345] = 1;
		errno = 77;
		memset(memory, 0, MIB);
		if (memory[12345] || errno != 77)
			_exit(99);
	}
}

static void end_child(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		_exit(98);
}

static int plain(char **argv)
{
	clear(argv[2] ? atoi(argv[2]) : 3);
	return 0;
}

static int do_exit(char **argv)
{
	(void)argv;
	clear(3);
	_exit(5);
}

static int do_kill(char **argv)
{
	(void)argv;
	clear(3);
	kill(getpid(), SIGKILL);
	return 0;
}

/* 2 in the parent; 3 in a child, 4 in a child of the child. */
static int do_fork(char **argv)
{
	pid_t pid;

	(void)argv;
	clear(1);
	pid = fork();
	if (!pid) {
		clear(3);
		pid = fork();
		if (!pid) {
			clear(4);
			_exit(0);
		}
		end_child(pid);
		exit(0);
	}
	end_child(pid);
	clear(1);
	return 0;
}

/* In a child that can open no file. */
static int confined(char **argv)
{
	pid_t pid;

	clear(1);
	pid = fork();
	if (!pid) {
		if (chroot(argv[2]) || chdir("/"))
			_exit(97);
		clear(3);
		_exit(0);
	}
	end_child(pid);
	return 0;
}

/* 2 before, and 3 in the program that it becomes. */
static int do_exec(char **argv)
{
	clear(2);
	execl("/proc/self/exe", argv[0], "plain", NULL);
	return 96;
}

/* The child has its parent's memory, and counts with it. */
static int do_vfork(char **argv)
{
	pid_t pid;

	(void)argv;
	clear(2);
	pid = vfork();
	if (!pid) {
		memset(memory, 0, MIB);
		_exit(0);
	}
	end_child(pid);
	return 0;
}

static void *work(void *arg)
{
	char *mine = malloc(MIB);

	(void)arg;
	for (int i = 0; mine && i < 1000; i++)
		memset(mine, 0, MIB);
	free(mine);
	return NULL;
}

static int threads(char **argv)
{
	pthread_t thread[4];

	(void)argv;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 95;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	memset(memory, 0, MIB);
	handled++;
}

/* In signal handlers, on top of calls that they interrupt. */
static int signals(char **argv)
{
	struct sigaction action = { .sa_handler = handle };

	(void)argv;
	sigaction(SIGALRM, &action, NULL);
	ualarm(500, 500);
	while (handled < 100)
		memset(memory, 0, MIB);
	ualarm(0, 0);
	return 0;
}

/* Not preloaded, but loaded later: its own functions work, and nobody else's calls reach them. */
static int load(char **argv)
{
	void *library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	void *(*its_memset)(void *, int, size_t);

	if (!library) {
		printf("%s\n", dlerror());
		return 94;
	}
	*(void **)&its_memset = dlsym(library, "memset");
	memory[5] = memory[MIB - 1] = 7;
	its_memset(memory, 0, MIB);
	if (memory[5] || memory[MIB - 1])
		return 93;
	its_memset(memory, 3, 10);
	return memory[9] != 3 || memory[10] || dlclose(library);
}

/* 3 by what clears, 1 each by explicit_bzero and calloc; and short ones, which are not counted. */
static int kinds(char **argv)
{
	char *p;

	(void)argv;
	bzero(memory, MIB);
	memset(memory, 256, MIB);
	__memset_chk(memory, -256, MIB, MIB);
	explicit_bzero(memory, MIB);
	p = calloc(1, MIB);
	for (size_t len = 0; len < 65536; len += 111)
		memset(memory, 0, len);
	memset(memory, 1, MIB);
	memcpy(memory, memory + MIB, MIB);
	free(p);
	return 0;
}

/* 200, each of memory that is touched for the first time. */
static int fresh(char **argv)
{
	(void)argv;
	for (int i = 0; i < 200; i++) {
		char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return 91;
		memset(p, 0, MIB);
		munmap(p, MIB);
	}
	return 0;
}

/* Until it is told to end. */
static int wait_long(char **argv)
{
	clear(argv[2] ? atoi(argv[2]) : 3);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	pause();
	return 0;
}

static const struct {
	const char *name;
	int (*run)(char **argv);
} ways[] = {
	{ "plain", plain },	{ "exit", do_exit },   { "kill", do_kill },   { "fork", do_fork },     { "confined", confined },
	{ "exec", do_exec },	{ "vfork", do_vfork }, { "threads", threads }, { "signals", signals }, { "load", load },
	{ "kinds", kinds },	{ "wait", wait_long },   { "fresh", fresh },
};

int main(int argc, char **argv)
{
	/* The test that started it may be gone. */
	alarm(60);
	memory = malloc((size_t)2 * MIB);
	for (size_t i = 0; memory && argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(ways[i].name, argv[1]))
			return ways[i].run(argv);
	return 92;
}
