/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setting.c - all that can be set in the module, read, checked and written as a whole.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

#define BATCH_MOST ((uint64_t)1 << 30)
#define RADIUS_MOST 512

const char *const key_names[KEYS] = {
	[KEY_OP_FAR] = "op_far", [KEY_OP_NEAR] = "op_near", [KEY_BATCH] = "batch",     [KEY_RADIUS] = "radius",
	[KEY_ORDER0] = "order0", [KEY_STATS] = "stats",	    [KEY_ENABLED] = "enabled",
};
const char *const key_files[KEYS] = {
	[KEY_OP_FAR] = "op_far", [KEY_OP_NEAR] = "op_near",	[KEY_BATCH] = "batch",	   [KEY_RADIUS] = "radius",
	[KEY_ORDER0] = "order0", [KEY_STATS] = "stats/enabled", [KEY_ENABLED] = "enabled",
};

static void read_key(enum key key, char value[WORD_SIZE])
{
	char line[LINE_MAX_KERNEL];

	module_line(key_files[key], line, sizeof(line));
	/* "0 (kernel.ftrace_enabled=0)" has been switched on, and waits for ftrace. */
	if (key == KEY_ENABLED && strchr(line, '('))
		snprintf(value, WORD_SIZE, "1");
	else
		snprintf(value, WORD_SIZE, "%s", chosen(line));
}

void setting_read(struct setting *s)
{
	for (enum key key = 0; key < KEYS; key++)
		read_key(key, s->value[key]);
}

static void take_truth(char *to, const char *option, const char *value)
{
	if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		die(EXIT_USAGE, "%s: '%s' is neither 0 nor 1", option, value);
	strcpy(to, value);
}

static void take_batch(char *to, const char *option, const char *value)
{
	uint64_t bytes;

	if (!strcmp(value, "auto") || !strcmp(value, "page")) {
		strcpy(to, value);
		return;
	}
	if (read_size(value, &bytes) || !bytes || bytes % KERNEL_PAGE || bytes > BATCH_MOST)
		die(EXIT_USAGE, "%s: '%s' is not auto, page, or a size of whole pages of 4 KiB up to 1 GiB", option, value);
	snprintf(to, WORD_SIZE, "%llu", (unsigned long long)bytes);
}

void setting_take(struct setting *s, const char *option, enum key key, const char *value, const struct routines *r)
{
	char *to = s->value[key];

	if (key == KEY_BATCH) {
		take_batch(to, option, value);
	} else if (key == KEY_RADIUS) {
		snprintf(to, WORD_SIZE, "%u", (unsigned)parse_count(option, value, 0, RADIUS_MOST));
	} else if (key == KEY_STATS || key == KEY_ENABLED) {
		take_truth(to, option, value);
	} else {
		if (key != KEY_ORDER0 || strcmp(value, "off") != 0)
			routine_check(r, option, value, key == KEY_OP_FAR);
		snprintf(to, WORD_SIZE, "%s", value);
	}
}

void setting_parse(struct setting *s, const char *text, const struct routines *r)
{
	size_t len = strcspn(text, "=");
	char name[WORD_SIZE];

	if (!text[len])
		die(EXIT_USAGE, "'%s' sets nothing; write KEY=VALUE", text);
	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	if (!strcmp(name, "op")) {
		setting_take(s, name, KEY_OP_FAR, text + len + 1, r);
		/* `kernel` leaves whole calls alone: there is no near part then. */
		if (strcmp(text + len + 1, "kernel") != 0)
			setting_take(s, name, KEY_OP_NEAR, text + len + 1, r);
		return;
	}
	for (enum key key = 0; key < KEYS; key++)
		if (!strcmp(name, key_names[key])) {
			setting_take(s, name, key, text + len + 1, r);
			return;
		}
	die(EXIT_USAGE,
	    "'%s': there is no '%s' to set; there are enabled, op, op_far, op_near, batch, radius, order0, stats", text,
	    name);
}

char *explain_write(const char *file, const char *value, int err, const char *said)
{
	static const struct {
		int err;
		const char *file; /* NULL: any */
		const char *why;
	} reasons[] = {
		{ EACCES, NULL, "only root can write it" },
		{ EPERM, NULL, "that is not allowed here" },
		{ EALREADY, "enabled", "it is so already" },
		{ EBUSY, "enabled",
		  "something else has replaced the kernel's function, as a livepatch does: /sys/kernel/livepatch lists "
		  "them" },
		{ ENOENT, "enabled", "this kernel has no clear_huge_page or folio_zero_user that can be traced" },
		{ EOPNOTSUPP, "order0",
		  "the kernel is booted with init_on_alloc, so that the allocator clears such pages, or the routine needs "
		  "SIMD registers" },
		{ EOPNOTSUPP, NULL, "this machine can't do that: clearpages kernel status tells why" },
		{ EINVAL, NULL, "the module does not take it" },
	};
	const char *why = strerror(err);
	char *prefix = text_of("%s: '%s': ", file, value), *text;
	size_t len = strlen(prefix);

	/* The module knows best, if what it said is of this very write. */
	if (!strncmp(said, prefix, len) && said[len]) {
		text = text_of("%s: '%s' was refused: %s", file, value, said + len);
		free(prefix);
		return text;
	}
	free(prefix);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].err == err && (!reasons[i].file || !strcmp(reasons[i].file, file))) {
			why = reasons[i].why;
			break;
		}
	return text_of("%s: '%s' was refused: %s%s%s%s", file, value, why, *said ? " (the kernel's log: " : "", said,
		       *said ? ")" : "");
}

static int write_key(enum key key, const char *value)
{
	return module_write(at_root("/sys/kernel/clearpages/%s", key_files[key]), value);
}

/* Switching off comes first and on last, so that what is set between is not in effect piece by piece. */
static void order_of(const struct setting *wanted, enum key order[KEYS])
{
	bool off = !strcmp(wanted->value[KEY_ENABLED], "0");
	unsigned n = 0;

	if (off)
		order[n++] = KEY_ENABLED;
	for (enum key key = 0; key < KEYS; key++)
		if (key != KEY_ENABLED)
			order[n++] = key;
	if (!off)
		order[n] = KEY_ENABLED;
}

char *setting_apply(const struct setting *wanted)
{
	struct setting before;
	enum key order[KEYS];
	unsigned done = 0;
	struct log log;
	char said[1024], *why;
	int err = 0;

	setting_read(&before);
	order_of(wanted, order);
	log_mark(&log);
	for (; done < KEYS; done++) {
		const char *value = wanted->value[order[done]];

		/* What is so already is not written: the module refuses to be switched on twice. */
		if (!*value || !strcmp(value, before.value[order[done]]))
			continue;
		err = write_key(order[done], value);
		if (err)
			break;
	}
	log_last(&log, said, sizeof(said));
	if (!err)
		return NULL;
	why = explain_write(key_files[order[done]], wanted->value[order[done]], -err, said);
	while (done-- > 0) {
		enum key key = order[done];

		if (*wanted->value[key] && strcmp(wanted->value[key], before.value[key]) != 0 &&
		    write_key(key, before.value[key]))
			complain("%s: '%s' could not be put back", key_files[key], before.value[key]);
	}
	return why;
}
