/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.c - what is known about the running kernel: its command line and configuration, and what they mean for clearing.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

const char init_on_alloc_hides[] =
    "THP, mTHP and shmem folios are cleared by the allocator before the fault clears them again, so that a switch shows "
    "little there, and a routine that cleared nothing would not be noticed; hugetlb pages are cleared once, by what is set "
    "here";

const char *command_line_value(const char *name, char *value, size_t size)
{
	char *text = read_all(at_root("/proc/cmdline")), *rest = text, *word;
	const char *found = NULL;

	while (rest && (word = strsep(&rest, " \n"))) {
		if (strncmp(word, name, strlen(name)) != 0)
			continue;
		snprintf(value, size, "%s", word + strlen(name));
		found = value;
	}
	free(text);
	return found;
}

static char *config_text(void)
{
	const char *release = kernel_release();
	char *text = read_all(at_root("/boot/config-%s", release));

	if (!text)
		text = read_all(at_root("/lib/modules/%s/config", release));
	return text ? text : read_all(at_root("/lib/modules/%s/build/.config", release));
}

const char *kernel_config(const char *option, char *value, size_t size)
{
	char *text = config_text(), *rest = text, *line;
	size_t len = strlen(option);

	if (!text)
		return NULL;
	value[0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (!strncmp(line, option, len) && line[len] == '=')
			snprintf(value, size, "%s", line + len + 1);
	free(text);
	return value;
}

static bool truth(const char *value)
{
	return !strcmp(value, "1") || !strcmp(value, "y") || !strcmp(value, "on") || !strcmp(value, "Y") ||
	       !strcmp(value, "yes") || !strcmp(value, "true");
}

enum state init_on_alloc(const char **why)
{
	char value[64];

	/* Poisoning needs pages as they were freed: it takes precedence. */
	if (command_line_value("page_poison=", value, sizeof(value)) && truth(value)) {
		*why = "page_poison=1 on the kernel's command line turns it off";
		return STATE_OFF;
	}
	if (command_line_value("init_on_alloc=", value, sizeof(value))) {
		*why = "init_on_alloc on the kernel's command line";
		return truth(value) ? STATE_ON : STATE_OFF;
	}
	if (!kernel_config("CONFIG_INIT_ON_ALLOC_DEFAULT_ON", value, sizeof(value))) {
		*why = "the kernel's configuration can't be read";
		return STATE_UNKNOWN;
	}
	*why = *value ? "CONFIG_INIT_ON_ALLOC_DEFAULT_ON" : "CONFIG_INIT_ON_ALLOC_DEFAULT_ON is not set";
	return *value ? STATE_ON : STATE_OFF;
}

/* "none (voluntary) full": the one in parentheses. */
static bool in_parentheses(const char *line, char *text, size_t size)
{
	const char *open = strchr(line, '('), *close = open ? strchr(open, ')') : NULL;

	if (close)
		snprintf(text, size, "%.*s", (int)(close - open - 1), open + 1);
	return close;
}

const char *preemption(char *text, size_t size)
{
	static const char *const models[][2] = { { "CONFIG_PREEMPT_LAZY", "lazy" },
						 { "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
						 { "CONFIG_PREEMPT", "full" },
						 { "CONFIG_PREEMPT_NONE", "none" } };
	char line[LINE_MAX_KERNEL];

	read_line(at_root("/sys/kernel/debug/sched/preempt"), line, sizeof(line));
	if (in_parentheses(line, text, size) || command_line_value("preempt=", text, size))
		return text;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (kernel_config(models[i][0], line, sizeof(line)) && *line)
			return models[i][1];
	return NULL;
}

const char *lockdown(char *text, size_t size)
{
	char line[LINE_MAX_KERNEL];

	read_line(at_root("/sys/kernel/security/lockdown"), line, sizeof(line));
	snprintf(text, size, "%s", chosen(line));
	if (!strcmp(text, "none"))
		text[0] = '\0';
	return text;
}

enum state secure_boot(void)
{
	const char *path = at_root("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	unsigned char variable[5]; /* four bytes of attributes, then the value */
	FILE *f = fopen(path, "re");
	size_t got = f ? fread(variable, 1, sizeof(variable), f) : 0;

	if (f)
		fclose(f);
	if (got != sizeof(variable))
		return path_exists(at_root("/sys/firmware/efi")) ? STATE_UNKNOWN : STATE_OFF;
	return variable[4] == 1 ? STATE_ON : STATE_OFF;
}

const char *thp_state(char *text, size_t size)
{
	char line[LINE_MAX_KERNEL];

	read_line(at_root("/sys/kernel/mm/transparent_hugepage/enabled"), line, sizeof(line));
	snprintf(text, size, "%s", *line ? chosen(line) : "not in this kernel");
	return text;
}
