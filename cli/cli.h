/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - what the command's files share: subcommands, options, errors, sizes and lists, output, progress, interruption.
 */
#ifndef CLI_H
#define CLI_H

#include <argp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

/* A subcommand; argv[0] is its full name ("clearpages bench clear"). Returns an exit status. */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int run_command(const struct command *table, const char *parent, int argc, char **argv);

int cmd_info(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_tune(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_ab(int argc, char **argv);
int cmd_kernel(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_stats(int argc, char **argv);

/* error.c: one line on stderr, "clearpages: ...", and out. */
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * heap.c: memory, or die with status 1. grow: an array with room for one more than n; *room is how many it holds.
 */
void *grow(void *array, size_t n, size_t *room, size_t element);
char *copy_text(const char *text);
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_of_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* path.c: the file this program was started from; where PATH leads to another, to be freed, or NULL. */
const char *own_path(void);
char *find_in_path(const char *program);

/*
 * options.c: argp with this command's habits: --help and --version everywhere, errors in one line with exit status 2.
 * An option's key is a printable short option or one from OPT_LONG up. The parser gets `input` as state->input.
 */
#define OPT_LONG 0x100
void parse_options(const struct argp *argp, int argc, char **argv, void *input);

/* size.c: digits and an optional unit: B, K, KB, KiB, M, ..., T (one case, base 1024). Each dies with status 2, naming the value. */
uint64_t parse_size(const char *option, const char *text);
/* The same without dying: 0, or -EINVAL, or -ERANGE on overflow. */
int read_size(const char *text, uint64_t *value);
/* A count of at least `least` and at most `most`. */
uint64_t parse_count(const char *option, const char *text, uint64_t least, uint64_t most);
/* A list "A,B,C" of sizes, or "A..B" for A, 2A, 4A up to B, or both mixed: the values, *n of them, to be freed. */
uint64_t *parse_size_list(const char *option, const char *text, size_t *n);
/* The same without dying: NULL with *error set to a static text. */
uint64_t *read_size_list(const char *text, size_t *n, const char **error);
/* A list of words "a,b,c": strings to be freed with free_words(). Dies on an empty list or empty word. */
char **parse_words(const char *option, const char *text, size_t *n);
void free_words(char **words, size_t n);
/* "4 KiB", "1.5 GiB", "17 B" in a static ring of buffers. */
const char *format_size(uint64_t bytes);

/*
 * record.c: one result, as a list of named values, and where results go. Text and JSON come from the same records.
 */
struct value {
	const char *key; /* static */
	enum { VALUE_TEXT, VALUE_REAL, VALUE_WHOLE, VALUE_TRUTH } kind;
	union {
		char *text;
		double real;
		int64_t whole;
		bool truth;
	} as;
};

#define RECORD_MAX 48
struct record {
	const char *type; /* "header", "sample", "summary", ... */
	size_t n;
	struct value values[RECORD_MAX];
};

void record_begin(struct record *r, const char *type);
void record_text(struct record *r, const char *key, const char *text);
void record_real(struct record *r, const char *key, double real);
void record_whole(struct record *r, const char *key, int64_t whole);
void record_truth(struct record *r, const char *key, bool truth);
const struct value *record_find(const struct record *r, const char *key);
void record_end(struct record *r); /* frees what it holds */

/* A column of a text table: which value, under which heading; width negative: left-aligned; digits: for real values. */
struct column {
	const char *key;
	const char *heading;
	int width;
	int digits;
	bool size; /* a whole number of bytes, shown with format_size() */
};

struct output {
	FILE *text;  /* NULL: no text */
	FILE *json;  /* NULL: no JSON Lines */
	const char *path; /* of json, for errors; "standard output" */
	const struct column *columns;
	bool headed;
};

/* json: on standard output instead of text. path: JSON Lines into this file (created or truncated), beside the text. Dies with status 1 if unwritable. */
void output_open(struct output *out, bool json, const char *path);
/* Emit the record: a JSON line, flushed; and a table row, if its type is "summary" or "cell" and columns are set. Does not free it. */
void output_record(struct output *out, const struct record *r);
/* Set the columns of the rows that follow (NULL: rows are not shown); the heading is printed before the first. */
void output_columns(struct output *out, const struct column *columns);
/* A line of plain words, in text output only. */
void output_say(struct output *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flush and close; dies with status 1 where writing failed (disk full). */
void output_close(struct output *out);
/* json_jansson.c or json_plain.c: one line. */
void json_line(FILE *to, const struct record *r);

/* machine.c: the header record: schema, machine, kernel, versions, time, arguments, seed. */
#define RESULTS_SCHEMA 1
void record_machine(struct record *r, int argc, char **argv, uint64_t seed);
/* A number from a /proc or /sys file, or `otherwise`; a line of one, without its newline, or "". */
int64_t read_number(const char *path, int64_t otherwise);
const char *read_line(const char *path, char *buffer, size_t size);
uint64_t memory_available(void); /* bytes, MemAvailable */

/* progress.c: on stderr where that is a terminal, once two seconds have passed. done of total; what: a few words. */
void progress(double done, double total, const char *what);
void progress_clear(void);

/* interrupt.c: SIGINT and SIGTERM set a flag; a second one ends the process. */
extern volatile sig_atomic_t interrupted;
void catch_interrupts(void);

#endif
