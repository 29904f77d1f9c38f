/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - `kernel load` and `kernel unload`: the module into the kernel and out of it, with the reason where that fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

/*
 * With the root moved no kernel is asked: the file pretend/NAME there has the error that is had instead, 0 for none.
 */
static int pretend(const char *name)
{
	return (int)read_number(at_root("/pretend/%s", name), ENOSYS);
}

/* An errno, 0 if it is loaded. */
static int load_file(const char *path)
{
	int fd, err;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(EXIT_FAILED, "'%s' can't be read: %s", path, strerror(errno));
	if (root_moved())
		err = pretend("load");
	else
		err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	close(fd);
	return err;
}

/* The module that is to be loaded if none is named; NULL: there is none. *compressed: only modprobe can unpack it. */
static char *default_file(bool *compressed)
{
	static const char *const endings[] = { "", ".xz", ".zst", ".gz" };
	char *built = build_folder(kernel_release()), *file = text_of("%s/" MODULE_NAME ".ko", built);

	free(built);
	*compressed = false;
	if (path_exists(file))
		return file;
	free(file);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		const char *path =
		    at_root("/lib/modules/%s/updates/dkms/" MODULE_NAME ".ko%s", kernel_release(), endings[i]);

		*compressed = i;
		if (path_exists(path))
			return copy_text(path);
	}
	return NULL;
}

static error_t parse_load(int key, char *arg, struct argp_state *state)
{
	const char **file = state->input;

	if (key != ARGP_KEY_ARG || *file)
		return ARGP_ERR_UNKNOWN;
	*file = arg;
	return 0;
}

/* Before the kernel is asked, what it can't know or says no word about. */
static void check_machine(void)
{
	if (strcmp(kernel_machine(), "x86_64") != 0)
		die(EXIT_FAILED, "the kernel module is for x86_64, and this machine is '%s'", kernel_machine());
	if (!path_exists(at_root("/proc/modules")))
		die(EXIT_FAILED, "this kernel (%s) can't load modules: it was built without CONFIG_MODULES",
		    kernel_release());
}

static void show_refused(void)
{
	struct routines routines;

	routines_read(&routines);
	for (size_t i = 0; i < routines.n; i++)
		if (routines.at[i].why && strstr(routines.at[i].why, "self-test"))
			complain("'%s' is not used: %s", routines.at[i].name, routines.at[i].why);
	routines_free(&routines);
}

int kernel_load(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse_load,
		.args_doc = "[FILE]",
		.doc = "Load clearpages.ko: FILE, or what 'clearpages kernel build' or DKMS has built for the running "
		       "kernel. It is "
		       "off until it is switched on.",
	};
	char *modprobe[] = { copy_text("modprobe"), copy_text(MODULE_NAME), NULL };
	const char *file = NULL;
	bool compressed = false;
	struct log log;
	char said[1024];
	int err;

	parse_options(&argp, argc, argv, &file);
	check_machine();
	if (!file)
		file = default_file(&compressed);
	if (!file)
		die(EXIT_FAILED,
		    "there is no module for kernel '%s' yet: clearpages kernel build, then name the file that it prints",
		    kernel_release());
	log_mark(&log);
	if (compressed && !root_moved()) {
		if (run_program(modprobe, true))
			die(EXIT_FAILED, "'%s' could not be loaded by modprobe; what it said is above", file);
	} else {
		err = load_file(file);
		log_last(&log, said, sizeof(said));
		if (err)
			die(EXIT_FAILED, "%s", explain_load(file, err, said));
	}
	printf("loaded '%s'; switch it on: clearpages kernel set enabled=1\n", file);
	show_refused();
	return EXIT_OK;
}

static int remove_module(void)
{
	if (root_moved())
		return pretend("unload");
	return syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) ? errno : 0;
}

static char *why_stays(int err)
{
	long long users = read_number(at_root("/sys/module/" MODULE_NAME "/refcnt"), 0);

	if (err == EAGAIN || err == EBUSY)
		return text_of("it is in use (%lld user%s): a file of it under /sys is open, or it was switched on again",
			       users, users == 1 ? "" : "s");
	if (err == EPERM)
		return text_of(is_root() ? "this process may not remove modules (in a container?)"
					 : "only root can remove modules");
	if (err == ENOSYS || err == EOPNOTSUPP)
		return text_of("this kernel can't remove modules: it was built without CONFIG_MODULE_UNLOAD");
	return text_of("%s", strerror(err));
}

int kernel_unload(int argc, char **argv)
{
	static const struct argp argp = { .doc = "Switch the module off, wait for calls in flight, and remove it." };
	const struct timespec pause = { .tv_nsec = 50 * 1000000 };
	struct setting before, off = { 0 };
	char *why;
	int err;

	parse_options(&argp, argc, argv, NULL);
	if (!module_loaded()) {
		printf("the module is not loaded\n");
		return EXIT_OK;
	}
	kept_refuse();
	setting_read(&before);
	snprintf(off.value[KEY_ENABLED], WORD_SIZE, "0");
	why = setting_apply(&off);
	if (why)
		die(EXIT_FAILED, "%s; the module stays", why);
	/* What was in flight lets go of it within a moment. */
	for (int i = 0; (err = remove_module()) == EAGAIN || err == EBUSY; i++) {
		if (i == 40)
			break;
		nanosleep(&pause, NULL);
	}
	if (!err) {
		printf("unloaded; the kernel clears pages by itself\n");
		return EXIT_OK;
	}
	/* As it was. */
	for (enum key key = 0; key < KEYS; key++)
		off.value[key][0] = '\0';
	snprintf(off.value[KEY_ENABLED], WORD_SIZE, "%s", before.value[KEY_ENABLED]);
	free(setting_apply(&off));
	die(EXIT_FAILED, "the module can't be removed: %s", why_stays(err));
}
