/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.c - `run`: a program as it is, whose large clears go to the library. Where nothing is to be shown at its end this process becomes it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

struct options {
	uint64_t large;
	bool copies, count, stats;
	const char *output;
	char **words;
};

enum { OPT_MIN = OPT_LONG, OPT_MEMCPY, OPT_COUNT, OPT_STATS };

static const struct argp_option argp_options[] = {
	{ "min", OPT_MIN, "SIZE", 0, "From this size on a call is large, 4KB at least (default: 64KB)", 0 },
	{ "memcpy", OPT_MEMCPY, NULL, 0, "Take large memcpy as well", 0 },
	{ "stats", OPT_STATS, NULL, 0, "Count and time large calls, and show on standard error what there was", 0 },
	{ "count", OPT_COUNT, NULL, 0, "Count and time them, for 'clearpages stats' to show, and leave no process behind", 0 },
	{ "output", 'o', "FILE", 0, "With --stats: JSON Lines into FILE as well", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_MIN:
		o->large = parse_size("--min", arg);
		if (o->large < PRELOAD_LARGE_LEAST)
			die(EXIT_USAGE, "--min: '%s' is less than 4KB", arg);
		return 0;
	case OPT_MEMCPY:
		o->copies = true;
		return 0;
	case OPT_STATS:
		o->stats = true;
		return 0;
	case OPT_COUNT:
		o->count = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Is this word an option whose value is the next one? */
static bool wants_next(const char *word)
{
	if (!strcmp(word, "-o"))
		return true;
	for (const struct argp_option *o = argp_options; o->name; o++)
		if (o->arg && strlen(word) > 2 && !strncmp(word, "--", 2) && !strncmp(word + 2, o->name, strlen(word + 2)))
			return true;
	return false;
}

/* The command begins behind "--", or at the first word that is no option: what follows is its own. */
static int command_begins(int argc, char **argv)
{
	int i = 1;

	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0)
		i += 1 + wants_next(argv[i]);
	return i < argc ? i : argc;
}

static void parse_all(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[--] COMMAND [ARGUMENT...]",
		.doc = "Run a program as it is: its large memset with a zero byte, bzero and explicit_bzero go to the library.",
	};
	int at = command_begins(argc, argv);

	parse_options(&argp, at, argv, o);
	if (at < argc && !strcmp(argv[at], "--"))
		at++;
	if (at == argc || !*argv[at])
		die(EXIT_USAGE, "run what? -- COMMAND...; see '%s --help'", argv[0]);
	if (o->output && !o->stats)
		die(EXIT_USAGE, "--output: '%s' would hold what --stats shows; add --stats", o->output);
	if (o->stats && o->count)
		die(EXIT_USAGE, "--count: --stats counts too, and shows it at the end; take one of them");
	o->words = argv + at;
}

/* Installed; or in the build tree, where that is what runs; or as the environment says. */
static char *library_path(bool copies)
{
	const char *name = copies ? "libclearpages-preload-memcpy.so" : "libclearpages-preload.so", *named = getenv("CLEARPAGES_PRELOAD");
	bool from_build = !strncmp(own_path(), PRELOAD_BUILD_ROOT "/", strlen(PRELOAD_BUILD_ROOT "/"));
	char *path = text_of("%s/%s", named ? named : from_build ? PRELOAD_BUILD_ROOT "/preload" : PRELOAD_INSTALLED, name);

	if (*path != '/')
		die(EXIT_USAGE, "CLEARPAGES_PRELOAD: '%s' is not the absolute path of a folder", named);
	if (access(path, R_OK))
		die(EXIT_FAILED, "the library to preload can't be read: '%s': %s", path, strerror(errno));
	/* The loader splits LD_PRELOAD there, or expands it. */
	if (path[strcspn(path, ": $")])
		die(EXIT_FAILED, "the library to preload is at '%s', and the loader takes no path with a blank, ':' or '$'", path);
	return path;
}

/* Before what else is preloaded, which stays. */
static void set_environment(const struct options *o, const char *library, const char *folder)
{
	const char *others = getenv("LD_PRELOAD");
	char *all = text_of("%s%s%s", library, others && *others ? ":" : "", others ? others : "");
	char *large = text_of("%" PRIu64, o->large);

	if (setenv("LD_PRELOAD", all, 1) || setenv("CLEARPAGES_PRELOAD_MIN", large, 1) ||
	    (folder ? setenv("CLEARPAGES_STATS", folder, 1) : unsetenv("CLEARPAGES_STATS")))
		die(EXIT_FAILED, "out of memory");
	free(large);
	free(all);
}

static _Noreturn void become(const char *path, char **words)
{
	execvp(path, words);
	dprintf(STDERR_FILENO, "clearpages: '%s' can't be run: %s\n", path, strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_OUT_OF_REACH);
}

static void our_signals(sigset_t *set)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(set, signals[i]);
}

/* The exit status as a shell has it. What another process sends us is meant for the command; what the terminal sends it has got. */
static int wait_for(pid_t pid)
{
	siginfo_t info;
	sigset_t set;
	int status = 0;

	our_signals(&set);
	while (waitpid(pid, &status, WNOHANG) != pid)
		if (sigwaitinfo(&set, &info) > 0 && info.si_signo != SIGCHLD && info.si_code <= 0)
			kill(pid, info.si_signo);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_child(const char *path, char **words)
{
	sigset_t set, before;
	pid_t pid;

	our_signals(&set);
	/* Whoever started us may have ignored it, and then no end of a child would be told. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, &before);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die(EXIT_FAILED, "no process can be started: %s", strerror(errno));
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		become(path, words);
	}
	return wait_for(pid);
}

static uint64_t cpu_of_children(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

/* The command's output is its own: ours goes beside it. */
static void show(const struct options *o, struct output *out, const struct counted_list *list)
{
	struct preload_file all = { .large = o->large };
	struct counted_list with = { 0 };

	for (size_t i = 0; i < list->n; i++) {
		if (!preload_any(&list->at[i].file))
			continue;
		counted_add(&all, &list->at[i].file);
		with.at = grow(with.at, with.n, &with.room, sizeof(*with.at));
		with.at[with.n++] = list->at[i];
	}
	if (with.n > 1) {
		show_processes(out, &with);
		output_say(out, "all together:");
	}
	show_counted(out, &all, cpu_of_children());
	free(with.at);
}

static int run_and_show(const struct options *o, struct output *out, const char *path, const char *folder)
{
	int status = run_child(path, o->words);
	struct counted_list list = { 0 };
	bool running = false;

	counted_load(&list, folder);
	for (size_t i = 0; i < list.n; i++)
		running = running || list.at[i].runs;
	show(o, out, &list);
	if (running)
		complain("processes that it started still run, and are counted on: see 'clearpages stats'");
	else
		counts_folder_remove(folder);
	free(list.at);
	return status;
}

static void open_output(const struct options *o, struct output *out, int argc, char **argv)
{
	struct record header;

	output_open(out, false, o->output);
	out->text = stderr;
	if (!o->output)
		return;
	record_begin(&header, "header");
	record_text(&header, "bench", "run");
	record_machine(&header, argc, argv, 0);
	output_record(out, &header);
	record_end(&header);
}

/* What may go wrong goes wrong before a folder is made. */
int cmd_run(int argc, char **argv)
{
	struct options o = { .large = PRELOAD_LARGE };
	char *path, *library, *folder = NULL;
	struct output out;
	int status;

	parse_all(&o, argc, argv);
	path = program_within_reach(o.words[0]);
	library = library_path(o.copies);
	if (o.stats)
		open_output(&o, &out, argc, argv);
	if (o.stats || o.count)
		folder = counts_folder_make();
	set_environment(&o, library, folder);
	if (!o.stats)
		become(path, o.words);
	status = run_and_show(&o, &out, path, folder);
	output_close(&out);
	return status;
}
