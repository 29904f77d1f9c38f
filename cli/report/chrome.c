/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chrome.c - pictures of the page and of each chart, taken by a headless Chromium without a network.
 *
 * The page's script tells how high everything is when it is asked by "#pictures"; "#only=f3" shows one figure alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../cli.h"
#include "report.h"

#define CHART_WIDTH 1000
#define PAGE_WIDTH 1280
#define HEIGHT_MAX 16000
#define SECONDS_MAX 120
#define PATH_SIZE (PATH_MAX + 64)

struct chrome {
	const char *program, *page;
	char home[64]; /* its user data, for this run alone */
};

const char *chrome_find(void)
{
	static const char *const names[] = { "chromium", "chromium-browser", "chromium-headless-shell", "google-chrome",
					     "chrome" };
	const char *path = getenv("PATH");
	static char file[PATH_SIZE];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
			size_t len = strcspn(at, ":");

			snprintf(file, sizeof(file), "%.*s/%s", (int)(len < PATH_MAX ? len : 0), at, names[i]);
			if (!access(file, X_OK))
				return file;
			at += len + (at[len] == ':');
		}
	}
	die(EXIT_FAILED, "--png: Chromium is not installed; install the package chromium, or leave --png out");
}

static pid_t start(const char *const *argv, const char *output)
{
	posix_spawn_file_actions_t files;
	pid_t child;
	int err;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	/* It complains of what is missing on a server; what matters is whether it makes the picture. */
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawn(&child, argv[0], &files, NULL, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return err ? -1 : child;
}

/* Its exit status; -1 where it was ended by a signal, by ours after too long a time. */
static int wait_for(pid_t child)
{
	const struct timespec tick = { .tv_nsec = 10000000 };
	int status;

	for (unsigned i = 0; i < SECONDS_MAX * 100; i++) {
		pid_t done = waitpid(child, &status, WNOHANG);

		if (done == child)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		if (interrupted)
			break;
		nanosleep(&tick, NULL);
	}
	kill(child, SIGTERM);
	waitpid(child, &status, 0);
	return -1;
}

static bool run(const struct chrome *c, const char *what, unsigned width, unsigned height, const char *part,
		const char *output)
{
	char url[PATH_SIZE], window[64], home[128];
	const char *argv[24] = { c->program,
				 "--headless",
				 "--disable-gpu",
				 "--disable-quic",
				 "--no-first-run",
				 "--disable-background-networking",
				 "--disable-component-update",
				 "--disable-sync",
				 "--disable-default-apps",
				 "--disable-extensions",
				 "--hide-scrollbars",
				 "--force-device-scale-factor=2",
				 "--virtual-time-budget=10000" };
	size_t n = 13;
	pid_t child;

	snprintf(url, sizeof(url), "file://%s%s", c->page, part);
	snprintf(window, sizeof(window), "--window-size=%u,%u", width, height);
	snprintf(home, sizeof(home), "--user-data-dir=%s", c->home);
	argv[n++] = home;
	argv[n++] = window;
	/* Its sandbox does not work for root. */
	if (!geteuid())
		argv[n++] = "--no-sandbox";
	argv[n++] = what;
	argv[n++] = url;
	child = start(argv, output);
	return child > 0 && !wait_for(child);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *where)
{
	(void)st;
	(void)flag;
	(void)where;
	remove(path);
	return 0;
}

/* What the page's script says of itself: the value of an attribute of the root element; NULL where there is none. To be
 * freed. */
static char *ask(const struct chrome *c, const char *part, unsigned width, const char *attribute)
{
	char output[128], *text = NULL, *at, *value = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(output, sizeof(output), "%s/dom", c->home);
	if (!run(c, "--dump-dom", width, 1000, part, output) || !(f = fopen(output, "re")))
		return NULL;
	if (getdelim(&text, &size, '\0', f) > 0 && (at = strstr(text, attribute))) {
		at += strlen(attribute);
		value = strndup(at, strcspn(at, "\""));
	}
	fclose(f);
	free(text);
	return value;
}

static bool picture(const struct chrome *c, const char *dir, const char *name, const char *part, unsigned width,
		    unsigned height)
{
	char what[PATH_SIZE + 32], file[PATH_SIZE], output[128];
	struct stat st;

	snprintf(file, sizeof(file), "%.4000s/%.90s.png", dir, name);
	snprintf(what, sizeof(what), "--screenshot=%s", file);
	snprintf(output, sizeof(output), "%s/said", c->home);
	/* What is there already must not pass for what was made now. */
	unlink(file);
	return run(c, what, width, height, part, output) && !stat(file, &st) && st.st_size;
}

static unsigned within(unsigned long height)
{
	return height && height < HEIGHT_MAX ? (unsigned)height : HEIGHT_MAX;
}

/* "f16:500:clearing-uncached": a figure, how high it is, and what to call its picture. */
static bool figure_picture(const struct chrome *c, const char *dir, const char *word)
{
	char id[16], title[64], name[96], part[32];
	unsigned height;

	if (sscanf(word, "%15[f0-9]:%u:%63[a-z0-9-]", id, &height, title) != 3)
		return false;
	snprintf(name, sizeof(name), "%s-%s", id, title);
	snprintf(part, sizeof(part), "#only=%s", id);
	return picture(c, dir, name, part, CHART_WIDTH, within(height));
}

static bool pictures(const struct chrome *c, const char *dir)
{
	char *figures = ask(c, "#pictures", CHART_WIDTH, "data-pictures=\"");
	char *height = ask(c, "", PAGE_WIDTH, "data-height=\"");
	bool good = figures && height;
	char *rest = figures, *word;
	unsigned done = 0, all = 1;

	for (const char *at = figures; at && *at; at++)
		all += *at == ' ';
	if (good)
		good = picture(c, dir, "page", "", PAGE_WIDTH, within(strtoul(height, NULL, 10)));
	while (good && !interrupted && (word = strsep(&rest, " "))) {
		good = !*word || figure_picture(c, dir, word);
		progress(++done, all, "taking pictures");
	}
	progress_clear();
	free(figures);
	free(height);
	return good;
}

int chrome_pictures(const char *chrome, const char *page, const char *dir)
{
	struct chrome c = { chrome, page, "/tmp/clearpages-chromium-XXXXXX" };
	char real[PATH_MAX];
	bool good;

	if (mkdir(dir, 0777) && errno != EEXIST)
		die(EXIT_FAILED, "--png: '%s' can't be made: %s", dir, strerror(errno));
	if (!realpath(dir, real) || access(real, W_OK | X_OK))
		die(EXIT_FAILED, "--png: '%s' can't be written: %s", dir, strerror(errno));
	if (!mkdtemp(c.home))
		die(EXIT_FAILED, "--png: '%s' can't be made: %s", c.home, strerror(errno));
	catch_interrupts();
	good = pictures(&c, real);
	nftw(c.home, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	if (interrupted)
		return EXIT_INTERRUPTED;
	if (!good) {
		complain("--png: '%s' took no picture of the page for '%s'; the page itself is written", chrome, dir);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
