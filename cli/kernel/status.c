/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * status.c - `kernel status`: the module's setting, and what of the running kernel bears on it.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { OPT_JSON = OPT_LONG };

static const struct argp_option argp_options[] = {
	{ "json", OPT_JSON, NULL, 0, "JSON Lines on standard output instead of text", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	(void)arg;
	if (key != OPT_JSON)
		return ARGP_ERR_UNKNOWN;
	*json = true;
	return 0;
}

static void show_module(struct output *out, struct record *r)
{
	char version[WORD_SIZE];

	read_line(at_root("/sys/module/" MODULE_NAME "/version"), version, sizeof(version));
	record_truth(r, "loaded", module_loaded());
	if (!module_loaded()) {
		show_field(out, "module", "not loaded: clearpages kernel build, then as root clearpages kernel load");
		return;
	}
	record_text(r, "module_version", version);
	show_field(out, "module", "loaded%s%s", *version ? ", version " : "", version);
}

static void show_enabled(struct output *out, struct record *r)
{
	char line[LINE_MAX_KERNEL];
	bool waiting;

	module_line("enabled", line, sizeof(line));
	waiting = strchr(line, '(');
	record_truth(r, "enabled", *line == '1' || waiting);
	record_truth(r, "in_effect", *line == '1');
	if (waiting)
		show_field(out, "enabled", "%s: switched on, without effect until: sysctl kernel.ftrace_enabled=1", line);
	else
		show_field(out, "enabled", "%s",
			   *line == '1' ? "1" : "0: the kernel clears by itself; clearpages kernel set enabled=1");
}

/* "movnti of: kernel mov [movnti]": the choice and, where it is one, what there is. */
static void show_choice(struct output *out, struct record *r, const char *heading, enum key key, const char *value)
{
	char line[LINE_MAX_KERNEL];

	record_text(r, key_names[key], value);
	module_line(key_files[key], line, sizeof(line));
	if (strchr(line, '['))
		show_field(out, heading, "%s   of: %s", value, line);
	else
		show_field(out, heading, "%s", value);
}

static void show_batch(struct output *out, struct record *r, const char *value)
{
	char text[WORD_SIZE];
	const char *model = preemption(text, sizeof(text));
	bool whole = model && (!strcmp(model, "full") || !strcmp(model, "lazy"));
	uint64_t bytes;

	record_text(r, "batch", value);
	if (!strcmp(value, "auto"))
		show_field(out, "batch", "auto: %s",
			   !model  ? "by the preemption model, which can't be told here"
			   : whole ? "the whole folio, since preemption is full or lazy"
				   : "32 MiB, since preemption is voluntary or none");
	else if (!read_size(value, &bytes))
		show_field(out, "batch", "%s", format_size(bytes));
	else
		show_field(out, "batch", "%s", value);
}

static void show_setting(struct output *out, struct record *r)
{
	struct setting s;

	setting_read(&s);
	show_enabled(out, r);
	show_choice(out, r, "far", KEY_OP_FAR, s.value[KEY_OP_FAR]);
	show_choice(out, r, "near", KEY_OP_NEAR, s.value[KEY_OP_NEAR]);
	show_batch(out, r, s.value[KEY_BATCH]);
	record_whole(r, "radius", strtoll(s.value[KEY_RADIUS], NULL, 10));
	show_field(out, "radius", "%s page%s", s.value[KEY_RADIUS], strcmp(s.value[KEY_RADIUS], "1") != 0 ? "s" : "");
	show_choice(out, r, "order 0", KEY_ORDER0, s.value[KEY_ORDER0]);
	record_truth(r, "stats", !strcmp(s.value[KEY_STATS], "1"));
	show_field(out, "counting", "%s", !strcmp(s.value[KEY_STATS], "1") ? "on" : "off");
}

static void show_routines(struct output *out, const struct routines *routines)
{
	const char *heading = "can't be used";

	for (size_t i = 0; i < routines->n; i++) {
		if (!routines->at[i].why)
			continue;
		show_field(out, heading, "%s: %s", routines->at[i].name, routines->at[i].why);
		heading = "";
	}
}

static void show_init_on_alloc(struct output *out, struct record *r)
{
	static const char *const states[] = { "unknown", "off", "on" };
	const char *why;
	enum state state = init_on_alloc(&why);

	record_text(r, "init_on_alloc", states[state]);
	record_text(r, "init_on_alloc_why", why);
	if (state == STATE_ON)
		show_field(out, "init_on_alloc", "on (%s): %s. To see THP: boot with init_on_alloc=0", why,
			   init_on_alloc_hides);
	else if (state == STATE_OFF)
		show_field(out, "init_on_alloc", "off (%s): nothing is hidden", why);
	else
		show_field(out, "init_on_alloc", "unknown (%s); where it is on, %s", why, init_on_alloc_hides);
}

/* Bits of the kernel's taint that a module like this one brings, or that matter for what is measured. */
static void show_taint(struct output *out, struct record *r)
{
	static const struct {
		unsigned bit;
		const char *what;
	} taints[] = { { 0, "proprietary module" },  { 4, "machine check" },	{ 7, "oops" },	       { 9, "warning" },
		       { 12, "out-of-tree module" }, { 13, "unsigned module" }, { 14, "soft lockup" }, { 15, "livepatch" } };
	int64_t taint = read_number(at_root("/proc/sys/kernel/tainted"), 0);
	char text[256] = "";
	size_t len = 0;

	record_whole(r, "taint", taint);
	for (size_t i = 0; i < sizeof(taints) / sizeof(taints[0]); i++)
		if (taint >> taints[i].bit & 1)
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", len ? ", " : ": ", taints[i].what);
	show_field(out, "taint", "%lld%s", (long long)taint, text);
}

static void show_livepatches(struct output *out, struct record *r)
{
	DIR *dir = opendir(at_root("/sys/kernel/livepatch"));
	const struct dirent *entry;
	char *text = copy_text("");

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			char *more = text_of("%s%s%s", text, *text ? " " : "", entry->d_name);

			free(text);
			text = more;
		}
	if (dir)
		closedir(dir);
	record_text(r, "livepatches", text);
	show_field(out, "livepatches", "%s", *text ? text : "none");
	free(text);
}

static void show_kernel(struct output *out, struct record *r)
{
	char text[WORD_SIZE], locked[WORD_SIZE];
	const char *model = preemption(text, sizeof(text));
	int64_t ftrace = read_number(at_root("/proc/sys/kernel/ftrace_enabled"), -1);

	record_text(r, "kernel", kernel_release());
	record_text(r, "machine", kernel_machine());
	record_text(r, "preemption", model ? model : "unknown");
	show_field(out, "kernel", "%s, %s, preemption %s", kernel_release(), kernel_machine(), model ? model : "unknown");
	show_init_on_alloc(out, r);
	record_text(r, "thp", thp_state(text, sizeof(text)));
	show_field(out, "THP", "%s", text);
	record_text(r, "ftrace", ftrace < 0 ? "absent" : ftrace ? "on" : "off");
	show_field(out, "ftrace", "%s",
		   ftrace < 0 ? "not in this kernel: the module needs it"
		   : ftrace   ? "on"
			      : "off: nothing is replaced");
	record_text(r, "lockdown", lockdown(locked, sizeof(locked)));
	if (*locked)
		show_field(out, "lockdown", "%s: unsigned modules and debugfs are refused", locked);
	show_taint(out, r);
	show_livepatches(out, r);
}

static void show_kept(struct output *out, struct record *r)
{
	pid_t pid = 0;
	enum kept kept = kept_look(NULL, &pid);

	record_text(r, "run", kept == KEPT_LIVE ? "live" : kept == KEPT_STALE ? "killed" : "none");
	if (kept == KEPT_LIVE)
		show_field(out, "in use", "a run of 'clearpages kernel ab' is switching it: process %d", (int)pid);
	else if (kept == KEPT_STALE)
		show_field(out, "left behind",
			   "a run of 'clearpages kernel ab' (process %d) was killed: clearpages kernel restore", (int)pid);
}

int kernel_status(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.doc = "Show how the module is set, what can't be used here and why, and what of this kernel bears on what "
		       "is measured.",
	};
	struct routines routines;
	struct output out;
	struct record r;
	bool json = false;

	parse_options(&argp, argc, argv, &json);
	output_open(&out, json, NULL);
	routines_read(&routines);
	record_begin(&r, "kernel");
	show_module(&out, &r);
	if (module_loaded()) {
		show_setting(&out, &r);
		show_routines(&out, &routines);
	}
	show_kept(&out, &r);
	show_kernel(&out, &r);
	if (json) {
		struct record header;

		record_begin(&header, "header");
		record_text(&header, "bench", "kernel-status");
		record_machine(&header, argc, argv, 0);
		output_record(&out, &header);
		record_end(&header);
	}
	output_record(&out, &r);
	record_end(&r);
	for (size_t i = 0; i < routines.n && json; i++) {
		record_begin(&r, "routine");
		record_text(&r, "name", routines.at[i].name);
		record_truth(&r, "usable", !routines.at[i].why);
		if (routines.at[i].why)
			record_text(&r, "why", routines.at[i].why);
		output_record(&out, &r);
		record_end(&r);
	}
	routines_free(&routines);
	output_close(&out);
	return EXIT_OK;
}
