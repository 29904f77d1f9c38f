/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ab.c - `kernel ab`: routines of the running kernel compared under a program, by `clearpages ab`, which has the module
 * switched before each session. The former setting is put back however that ends.
 */
#define _GNU_SOURCE
#include "ab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#define EXIT_UNSURE 3

struct options {
	const char *ops;
	char **passed; /* to `clearpages ab` */
	size_t n_passed;
	char **words; /* the command */
};

static const char doc[] =
    "Usage: clearpages kernel ab --ops A,B[,C...] [OPTION...] -- COMMAND...\n"
    "Compare ways of clearing huge pages in the running kernel, under COMMAND: 'bench mem mmap ...' or any program.\n"
    "\n"
    "  --ops LIST   the base, then candidates, each NAME[/batch=V][/radius=V][/near=NAME][/order0=NAME], such as\n"
    "               stosb/batch=page; 'kernel' is the kernel's own clearing\n"
    "  OPTION       those of 'clearpages ab' but for --base, --cand and --prepare: --sessions, --output, --resume, ...\n"
    "  --help, --version\n"
    "\n"
    "What an op does not name stays as it is set. The former setting is put back at the end, on an error, on SIGINT and\n"
    "SIGTERM; if this process is killed, 'clearpages kernel restore' does it.\n";

/* argp would want to know the options of `ab`, which are for it to judge. */
static void parse(struct options *o, int argc, char **argv)
{
	static const char *const ours[] = { "--base", "--cand", "--prepare" };
	int i = 1;

	*o = (struct options){ .passed = argv + 1 };
	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++)
			if (!strncmp(argv[i], ours[k], strlen(ours[k])))
				die(EXIT_USAGE, "'%s': --ops and the command behind -- say what is compared", argv[i]);
		if (!strcmp(argv[i], "--help")) {
			fputs(doc, stdout);
			exit(EXIT_OK);
		} else if (!strcmp(argv[i], "--version")) {
			parse_options(&(const struct argp){ 0 }, 2, (char *[]){ argv[0], argv[i], NULL }, NULL);
		} else if (!strncmp(argv[i], "--ops=", 6)) {
			o->ops = argv[i] + 6;
		} else if (!strcmp(argv[i], "--ops")) {
			if (i + 1 == argc || !strcmp(argv[i + 1], "--"))
				die(EXIT_USAGE, "'--ops': missing value; see '%s --help'", argv[0]);
			o->ops = argv[++i];
		} else {
			o->passed[o->n_passed++] = argv[i];
		}
	}
	if (!o->ops)
		die(EXIT_USAGE, "%s%s--ops A,B says what is compared; see '%s --help'", o->n_passed ? o->passed[0] : "",
		    o->n_passed ? ": " : "", argv[0]);
	if (i + 1 >= argc || !*argv[i + 1])
		die(EXIT_USAGE, "--ops: '%s' is to be compared under what? -- COMMAND...; see '%s --help'", o->ops, argv[0]);
	o->words = argv + i + 1;
}

/* One word is a line for a shell, as it is for `clearpages ab`; several are the words of a command. */
static char *command_of(char *const *words)
{
	char *command = NULL;

	if (!words[1])
		return copy_text(words[0]);
	for (; *words; words++)
		command = add_quoted(command, *words);
	return command;
}

static char **ab_words(const struct options *o, const struct ops *ops)
{
	size_t n = 0;
	char **words = calloc(6 + 2 * ops->n + o->n_passed, sizeof(*words)), *command = command_of(o->words), *prepare;

	if (!words)
		die(EXIT_FAILED, "out of memory");
	prepare = add_quoted(add_quoted(NULL, "exec"), own_path());
	prepare = add_quoted(add_quoted(add_quoted(prepare, "kernel"), "ab-switch"), o->ops);
	words[n++] = copy_text("clearpages");
	words[n++] = copy_text("ab");
	words[n++] = text_of("--prepare=%s", prepare);
	for (size_t i = 0; i < ops->n; i++)
		words[n++] = i ? text_of("--cand=%s=%s", ops->at[i].label, command) : text_of("--base=%s", command);
	for (size_t i = 0; i < o->n_passed; i++)
		words[n++] = o->passed[i];
	free(prepare);
	free(command);
	return words;
}

/* A line for a shell may be one of our benchmarks as well. */
static void advise_line(char **words, bool small)
{
	wordexp_t split;

	if (!words[1] && !wordexp(words[0], &split, WRDE_NOCMD)) {
		if (split.we_wordc)
			advise(split.we_wordv, small);
		wordfree(&split);
		return;
	}
	advise(words, small);
}

static void name_sides(const struct ops *ops)
{
	fprintf(stderr, "clearpages: base is %s", ops->at[0].text);
	for (size_t i = 1; i < ops->n; i++)
		fprintf(stderr, "%s%s", i > 1 ? ", " : "; compared with it: ", ops->at[i].text);
	fputc('\n', stderr);
}

/* Were the routines there at all in the sessions that are compared? */
static bool judge(const struct ops *ops, const struct setting *kept)
{
	struct tally *tallies = calloc(ops->n, sizeof(*tallies));
	bool good = true, any = false;

	if (!tallies)
		die(EXIT_FAILED, "out of memory");
	sessions_tally(ops, kept, tallies);
	for (size_t i = 0; i < ops->n; i++)
		any = any || tallies[i].sessions;
	for (size_t i = 0; i < ops->n && any; i++) {
		const struct tally *t = &tallies[i];

		fprintf(stderr, "clearpages: %s: %llu calls, %s cleared in %u session%s%s\n", ops->at[i].text,
			(unsigned long long)t->calls, format_size(t->pages * KERNEL_PAGE), t->sessions,
			t->sessions == 1 ? "" : "s", t->calls && t->empty ? "; some of them had none" : "");
		good = good && t->calls;
	}
	free(tallies);
	return good;
}

static bool clears_small(const struct ops *ops, const struct setting *kept)
{
	struct setting s;
	bool all = true;

	for (size_t i = 0; i < ops->n; i++) {
		op_setting(&s, &ops->at[i], kept);
		all = all && strcmp(s.value[KEY_ORDER0], "off") != 0;
	}
	return all;
}

static bool put_back(const struct setting *kept)
{
	char *why = module_loaded() ? setting_apply(kept) : NULL;

	if (why) {
		complain("the setting could not be put back: %s; try: clearpages kernel restore", why);
		free(why);
		return false;
	}
	kept_remove();
	return true;
}

int kernel_ab(int argc, char **argv)
{
	struct routines routines;
	struct setting kept;
	struct options o;
	struct ops ops;
	char **words, run[32];
	bool good;
	int status;

	parse(&o, argc, argv);
	module_require();
	kept_refuse();
	if (!read_number(at_root("/proc/sys/kernel/ftrace_enabled"), 1))
		die(EXIT_FAILED, "ftrace is off, and then nothing is switched: sysctl kernel.ftrace_enabled=1");
	routines_read(&routines);
	ops_parse(&ops, o.ops, &routines);
	words = ab_words(&o, &ops);
	setting_read(&kept);
	child_block_signals();
	kept_write(&kept);
	advise_line(o.words, clears_small(&ops, &kept));
	name_sides(&ops);
	snprintf(run, sizeof(run), "%d", (int)getpid());
	setenv(RUN_VARIABLE, run, 1);
	status = child_run(words);
	sessions_note("");
	good = status == EXIT_USAGE || judge(&ops, &kept);
	if (!put_back(&kept))
		return EXIT_FAILED;
	if (status == EXIT_INTERRUPTED)
		complain("the setting is put back; go on with the same words and --resume, by 'clearpages kernel ab'");
	else if (status > 128)
		complain("'clearpages ab' was ended by signal %d (%s); the setting is put back", status - 128,
			 strsignal(status - 128));
	if (!good && (status == EXIT_OK || status == EXIT_UNSURE)) {
		complain("THIS COMPARES NOTHING: in the sessions of one side or more the kernel cleared no huge page "
			 "through the module; "
			 "is the memory of pages of 4 KiB, or shmem, or kept from run to run?");
		return EXIT_FAILED;
	}
	ops_free(&ops);
	routines_free(&routines);
	free(words);
	return status;
}
