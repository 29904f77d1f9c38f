/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * file.h - a small file of the kernel's as text, by plain system calls.
 */
#ifndef CLP_FILE_H
#define CLP_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* False where it can't be read, or is empty; cut off where it does not fit. */
static inline bool clp_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

#endif
