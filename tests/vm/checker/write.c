// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write.c - single system calls whose errno matters: a write to a file, as root or not, and loading and removing a module.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "checker.h"

#define NOBODY 65534

/* Compare with the name that was asked for ("EINVAL"; none: success); says the difference. */
static int expect(int error, const char *wanted)
{
	const char *got = error ? strerrorname_np(-error) : "success";

	if (!wanted)
		wanted = "success";
	if (!strcmp(got, wanted))
		return 0;
	printf("# got %s, expected %s\n", got, wanted);
	return 1;
}

static int read_file(const char *path)
{
	char text[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text)) < 0)
		error = -errno;
	close(fd);
	return error;
}

int cmd_write(char **argv)
{
	bool reads = flag(argv, "--read");

	if (flag(argv, "--user") && (setgid(NOBODY) || setuid(NOBODY)))
		die("can't become an ordinary user");
	while (*argv && !strncmp(*argv, "--", 2))
		argv++;
	if (!argv[0] || (!reads && !argv[1]))
		die("write needs FILE VALUE [ERRNO], or --read FILE [ERRNO]");
	if (reads)
		return expect(read_file(argv[0]), argv[1]);
	return expect(write_text(argv[0], argv[1]), argv[2]);
}

int cmd_insmod(char **argv)
{
	int fd;

	if (!argv[0] || !argv[1])
		die("insmod needs FILE PARAMETERS [ERRNO]");
	fd = open(argv[0], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s", argv[0]);
	return expect(syscall(SYS_finit_module, fd, argv[1], 0) ? -errno : 0, argv[2]);
}

int cmd_rmmod(char **argv)
{
	if (!argv[0])
		die("rmmod needs NAME [ERRNO]");
	return expect(syscall(SYS_delete_module, argv[0], O_NONBLOCK) ? -errno : 0, argv[1]);
}
