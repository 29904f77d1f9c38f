// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module.c - the module's files in sysfs: settings, routines, statistics.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checker.h"

#define ROOT "/sys/kernel/clearpages/"

/* One write; 0 or a negative errno. */
int write_text(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t done;
	int error;

	if (fd < 0)
		return -errno;
	done = write(fd, value, strlen(value));
	error = done < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* The text of a file without its last newline. */
void read_text(const char *path, char *out, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		die("%s", path);
	got = read(fd, out, size - 1);
	if (got < 0)
		die("%s", path);
	close(fd);
	out[got] = '\0';
	if (got && out[got - 1] == '\n')
		out[got - 1] = '\0';
}

int try_setting(const char *file, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), ROOT "%s", file);
	return write_text(path, value);
}

void setting(const char *file, const char *value)
{
	int error = try_setting(file, value);

	if (error) {
		errno = -error;
		die("%s: can't write '%s'", file, value);
	}
}

/* What op_far or op_near offers: "kernel mov [stosb] ...". */
void routines_read(struct routines *routines, const char *file)
{
	char path[128], text[1024], *rest = text, *word;

	snprintf(path, sizeof(path), ROOT "%s", file);
	read_text(path, text, sizeof(text));
	*routines = (struct routines){ .chosen = MODULE_ROUTINES };
	while ((word = strsep(&rest, " ")) && routines->count < MODULE_ROUTINES) {
		if (*word == '[') {
			routines->chosen = routines->count;
			word++;
			word[strcspn(word, "]")] = '\0';
		}
		if (*word)
			snprintf(routines->name[routines->count++], NAME_MAX_LEN, "%s", word);
	}
}

uint64_t stat_of(const char *routine, unsigned int order, const char *what)
{
	char path[160], text[32];

	snprintf(path, sizeof(path), ROOT "stats/%s/order-%u/%s", routine, order, what);
	if (access(path, F_OK))
		return 0;
	read_text(path, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

uint64_t stat_over_routines(unsigned int order, const char *what)
{
	struct routines all;
	uint64_t sum = 0;

	routines_read(&all, "op_far");
	for (size_t i = 0; i < all.count; i++)
		sum += stat_of(all.name[i], order, what);
	return sum;
}

uint64_t stat_missed(void)
{
	char text[32];

	read_text(ROOT "stats/missed", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* The lower bound of the last bucket of a routine's histogram; 0: there is none. */
uint64_t longest_call(const char *routine)
{
	char path[160], text[4096], *rest = text, *line;
	uint64_t last = 0;

	snprintf(path, sizeof(path), ROOT "stats/%s/histogram", routine);
	if (access(path, F_OK))
		return 0;
	read_text(path, text, sizeof(text));
	while ((line = strsep(&rest, "\n"))) {
		if (*line)
			last = strtoull(line, NULL, 10);
	}
	return last;
}

/* Calls that the hook saw, whatever it did with them. */
uint64_t hook_calls(void)
{
	uint64_t sum = 0;

	for (unsigned int order = 2; order <= 18; order++) {
		if (order <= 10 || order == 18)
			sum += stat_over_routines(order, "calls");
	}
	return sum;
}
