/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.h - what the subcommands of `clearpages kernel` share: where the kernel's files are, the module's files, settings,
 * counts, and what is known about the running kernel.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <limits.h>
#include <sys/types.h>

#include "../cli.h"

#define MODULE_NAME "clearpages"
#define KERNEL_PAGE 4096u
#define LINE_MAX_KERNEL 4096
#define NAME_SIZE 32
#define WORD_SIZE 64

int kernel_ab(int argc, char **argv);
int kernel_bench(int argc, char **argv);
int kernel_build(int argc, char **argv);
int kernel_load(int argc, char **argv);
int kernel_restore(int argc, char **argv);
int kernel_set(int argc, char **argv);
int kernel_stats(int argc, char **argv);
int kernel_status(int argc, char **argv);
int kernel_unload(int argc, char **argv);
/* Not for people: what `ab` runs before each session. */
int kernel_ab_switch(int argc, char **argv);

/*
 * root.c: /sys, /proc, /run, /lib/modules, /boot and /dev/kmsg, or for tests the same under $CLEARPAGES_KERNEL_ROOT.
 */
/* A path under the root, in a static ring of buffers. */
const char *at_root(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool root_moved(void);
/* A whole file as text, to be freed; NULL with errno. */
char *read_all(const char *path);
bool path_exists(const char *path);
const char *kernel_release(void);
const char *kernel_machine(void);
bool is_root(void);
/* A word as a shell takes it back, appended to text: the new text; text is freed. */
char *add_quoted(char *text, const char *word);
/* Makes a folder and those above it, which others can read. False with errno. */
bool make_folders(const char *path);

/*
 * module.c: the module as loaded, and its files.
 */
bool module_loaded(void);
/* Dies with status 1, saying how to get it, unless it is loaded. */
void module_require(void);
/* A file of /sys/kernel/clearpages: its first line, "" where there is none. */
const char *module_line(const char *file, char *line, size_t size);
/* Of a line that lists choices, the [chosen] one; a line without brackets is the value itself. Changes the line. */
const char *chosen(char *line);
/* 0 or a negative errno. */
int module_write(const char *path, const char *value);

/* What the module says in the kernel's log from log_mark() on. */
struct log {
	int fd;
};
void log_mark(struct log *log);
/* Its last line, without "clearpages: ", or "". Ends the marking. */
const char *log_last(struct log *log, char *line, size_t size);

/* The routines, usable or not. */
struct routine {
	char name[NAME_SIZE];
	char *why; /* it can't be used; NULL: it can */
};
struct routines {
	struct routine *at;
	size_t n, room;
};
void routines_read(struct routines *r);
void routines_free(struct routines *r);
/* Dies unless it can be used: with status 2 where there is no such routine, naming what there is; with 1 where it can't be
 * used here. */
void routine_check(const struct routines *r, const char *option, const char *name, bool kernel_too);

/*
 * setting.c: all that can be set, as a whole.
 */
enum key { KEY_OP_FAR, KEY_OP_NEAR, KEY_BATCH, KEY_RADIUS, KEY_ORDER0, KEY_STATS, KEY_ENABLED, KEYS };
extern const char *const key_names[KEYS];
extern const char *const key_files[KEYS];
struct setting {
	char value[KEYS][WORD_SIZE]; /* "": not part of it */
};
void setting_read(struct setting *s);
/* Checks one value and keeps it; dies with status 2 on what can't be one. option: for errors. */
void setting_take(struct setting *s, const char *option, enum key key, const char *value, const struct routines *r);
/* The same from "KEY=VALUE", where KEY may be `op`: both. */
void setting_parse(struct setting *s, const char *text, const struct routines *r);
/*
 * Writes what `wanted` holds, so that it holds as a whole or, where a write is refused, what was is put back. NULL, or what
 * went wrong, to be freed.
 */
char *setting_apply(const struct setting *wanted);
/* Why a write of a value was refused; said: what the module logged, or "". To be freed. */
char *explain_write(const char *file, const char *value, int err, const char *said);

/*
 * ops.c: what `kernel ab` compares: NAME[/batch=V][/radius=V][/near=NAME][/order0=NAME].
 */
struct op {
	char *text;
	char label[WORD_SIZE];	/* as `ab` names it */
	struct setting setting; /* what it switches */
};
struct ops {
	struct op *at;
	size_t n, room;
};
void ops_parse(struct ops *ops, const char *text, const struct routines *r);
void ops_free(struct ops *ops);
const struct op *ops_find(const struct ops *ops, const char *label);
/* The whole setting of an op's sessions, on top of what was before the run. */
void op_setting(struct setting *s, const struct op *op, const struct setting *kept);

/*
 * kept.c: the setting before a run of `kernel ab`, in a file that outlives it. The run holds a lock on it.
 */
enum kept { KEPT_NONE, KEPT_LIVE, KEPT_STALE };
/* What there is, of which process, with which setting (either may be NULL). */
enum kept kept_look(struct setting *s, pid_t *pid);
/* Dies with status 1 if there is one. */
void kept_refuse(void);
/* Keeps a setting; the lock is held until this process ends. Dies with status 1 where it can't be. */
void kept_write(const struct setting *s);
void kept_remove(void);

/*
 * sessions.c: the log of a run: what was counted when each session began.
 */
const char *sessions_path(void);
/* label: of the session that begins; "" at the end. False with errno. */
bool sessions_note(const char *label);
/* What an op's routines did in its sessions. */
struct tally {
	uint64_t calls, pages;
	unsigned sessions, empty; /* empty: without a call */
};
/* kept: the setting before, which holds what an op leaves as it is. tallies: one for each op. */
void sessions_tally(const struct ops *ops, const struct setting *kept, struct tally *tallies);

/*
 * counts.c: what the module has counted.
 */
struct count {
	char routine[NAME_SIZE];
	unsigned order;
	uint64_t calls, pages, cycles;
	bool timed;
};
struct counts {
	struct count *at;
	size_t n, room;
};
/* In the order of the routines, then of orders. */
void counts_read(struct counts *c);
void counts_free(struct counts *c);
/* What was added in between; what there is now where the counters were reset. */
void counts_since(struct counts *added, const struct counts *now, const struct counts *before);
const struct count *counts_find(const struct counts *c, const char *routine, unsigned order);

/*
 * facts.c: the running kernel.
 */
enum state { STATE_UNKNOWN, STATE_OFF, STATE_ON };
/* With a static text that says where this is known from. */
enum state init_on_alloc(const char **why);
/* "y", "m", a text, "" where it is not set; NULL where the kernel's configuration can't be read. */
const char *kernel_config(const char *option, char *value, size_t size);
/* "none", "voluntary", "full", "lazy"; NULL if it is not known. */
const char *preemption(char *text, size_t size);
const char *lockdown(char *text, size_t size); /* "" where there is none */
enum state secure_boot(void);
/* Is this word on the kernel's command line? "NAME=": its last value. NULL: it is not there. */
const char *command_line_value(const char *name, char *value, size_t size);
/* Of a file like [always] madvise never. */
const char *thp_state(char *text, size_t size);
/* What init_on_alloc hides from a comparison. */
extern const char init_on_alloc_hides[];

/*
 * explain.c: what fails before the module's code runs.
 */
struct module_file {
	char vermagic[128]; /* "" if it has none */
	bool elf, own_machine;
};
bool module_file_read(const char *path, struct module_file *m); /* false with errno */
/* Why finit_module() failed, and what to do: some lines, to be freed. */
char *explain_load(const char *path, int err, const char *said);

/*
 * show.c: text within 80 columns.
 */
/* "heading       words ...", in lines that begin under the words. */
void show_field(struct output *out, const char *heading, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
