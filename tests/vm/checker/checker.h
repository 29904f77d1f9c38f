// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * checker.h - the program that runs inside the emulated machine: it makes pages dirty, frees them, faults them in again and
 * looks at every byte, while the module under test clears.
 *
 * It is one static program with subcommands, since the machine holds little more than it and a shell.
 */
#ifndef CHECKER_H
#define CHECKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE 4096UL
#define ALL_RIGHT SIZE_MAX
#define DIRT 0xd1d1d1d1d1d1d1d1

/* Ways in which a process gets memory that the kernel clears. */
struct kind {
	const char *name;
	unsigned int order;
	int mmap_flags;
	int advice;	/* for madvise(), -1: none */
	bool spaced;	/* each folio is a mapping by itself, so that no larger one fits */
};

/* Folios of one kind; folio i begins at base + i * stride. */
struct area {
	const struct kind *kind;
	unsigned char *base;
	size_t size, stride, folios;
	void *whole;
	size_t whole_size;
};

extern const struct kind kinds[];
extern const size_t kind_count;

const struct kind *kind_named(const char *name);
bool kind_exists(const struct kind *kind);
size_t kinds_listed(const char *list, const struct kind **out, size_t max);

void area_map(struct area *area, const struct kind *kind, size_t folios);
void area_unmap(struct area *area);
unsigned char *area_folio(const struct area *area, size_t i);
size_t fault_and_verify(const struct area *area, size_t i, size_t touch, uint64_t *seed);
size_t verify_zero(const unsigned char *from, size_t len);
void fill(unsigned char *from, size_t len, uint64_t word);
size_t verify_fill(const unsigned char *from, size_t len, uint64_t word);
void dirty_and_free(const struct area *area, size_t i);
uint64_t next_random(uint64_t *seed);
void pin(int cpu);

/* The module's files; all names are relative to /sys/kernel/clearpages. */
#define MODULE_ROUTINES 24
#define NAME_MAX_LEN 24

struct routines {
	char name[MODULE_ROUTINES][NAME_MAX_LEN];
	size_t count, chosen;
};

void setting(const char *file, const char *value);
int try_setting(const char *file, const char *value);
int write_text(const char *path, const char *value);
void read_text(const char *path, char *out, size_t size);
void routines_read(struct routines *routines, const char *file);
uint64_t stat_of(const char *routine, unsigned int order, const char *what);
uint64_t stat_over_routines(unsigned int order, const char *what);
uint64_t stat_missed(void);
uint64_t longest_call(const char *routine);
uint64_t hook_calls(void);

/* Processes that fault and verify until they are told to stop. */
struct load;
struct load *load_start(const char *kind_list, unsigned int processes, uint64_t seed);
bool load_stop(struct load *load);
uint64_t load_folios(const struct load *load);

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
bool say(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *option(char **argv, const char *name, const char *otherwise);
bool flag(char **argv, const char *name);

int cmd_cells(char **argv);
int cmd_load(char **argv);
int cmd_switch(char **argv);
int cmd_calls(char **argv);
int cmd_write(char **argv);
int cmd_insmod(char **argv);
int cmd_rmmod(char **argv);
int cmd_split(char **argv);
int cmd_ticks(char **argv);
int cmd_oom(char **argv);

#endif
