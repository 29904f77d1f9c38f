/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * build.c - `kernel build`: compiles the module by its own Makefile, and says what is missing for that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

struct options {
	const char *release, *source, *output;
};

enum { OPT_KERNEL = OPT_LONG, OPT_SOURCE };

static const struct argp_option argp_options[] = {
	{ "kernel", OPT_KERNEL, "RELEASE", 0, "For this kernel (default: the running one)", 0 },
	{ "source", OPT_SOURCE, "DIR", 0,
	  "The module's source (default: this checkout's kmod, or /usr/src/clearpages-VERSION)", 0 },
	{ "output", 'o', "DIR", 0, "Build in this folder (default: in the build tree, or under ~/.cache/clearpages)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_KERNEL:
		if (!*arg || strchr(arg, '/'))
			die(EXIT_USAGE, "--kernel: '%s' is not a kernel's release, as uname -r prints it", arg);
		o->release = arg;
		return 0;
	case OPT_SOURCE:
		o->source = arg;
		return 0;
	case 'o':
		if (!*arg)
			die(EXIT_USAGE, "--output: '' is not a folder");
		o->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool in_path(const char *program)
{
	char *file = find_in_path(program);

	free(file);
	return file;
}

/* Of this very build, where that is what runs: an installed program must not compile what lies at some path. */
static bool from_build_tree(void)
{
	return !strncmp(own_path(), KERNEL_BUILD_ROOT "/", strlen(KERNEL_BUILD_ROOT "/"));
}

static char *default_source(void)
{
	if (from_build_tree() && path_exists(KERNEL_SOURCE_ROOT "/kmod/Makefile"))
		return copy_text(KERNEL_SOURCE_ROOT "/kmod");
	return copy_text(installed_source());
}

char *build_folder(const char *release)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (from_build_tree())
		return text_of("%s/kmod-%s", KERNEL_BUILD_ROOT, release);
	if (cache && *cache == '/')
		return text_of("%s/clearpages/kmod-%s", cache, release);
	return text_of("%s/.cache/clearpages/kmod-%s", home && *home == '/' ? home : "", release);
}

static void check_tools(const char *source, const char *release, const char *headers)
{
	static const char *const tools[] = { "make", "gcc" };

	if (!path_exists(source))
		die(EXIT_FAILED, "--source: there is no module source in '%s'; name the folder kmod of the source tree",
		    source);
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (!in_path(tools[i]))
			die(EXIT_FAILED,
			    "'%s' is not installed, and the module can't be compiled without it: apt-get install %s",
			    tools[i], tools[i]);
	if (!path_exists(text_of("%s/Makefile", headers)))
		die(EXIT_FAILED, "the headers of kernel '%s' are not installed ('%s'): apt-get install linux-headers-%s",
		    release, headers, release);
}

static char *absolute(const char *path)
{
	char *real;

	if (!make_folders(path))
		die(EXIT_FAILED, "--output: '%s' can't be made: %s", path, strerror(errno));
	real = realpath(path, NULL);
	if (!real)
		die(EXIT_FAILED, "--output: '%s' can't be used: %s", path, strerror(errno));
	return real;
}

int kernel_build(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.doc = "Compile clearpages.ko for a kernel, as any user.",
	};
	struct options o = { .release = kernel_release() };
	char *headers, *source, *output, *module;
	char *words[7];
	int status;

	parse_options(&argp, argc, argv, &o);
	headers = copy_text(at_root("/lib/modules/%s/build", o.release));
	source = o.source ? copy_text(o.source) : default_source();
	check_tools(text_of("%s/Makefile", source), o.release, headers);
	output = absolute(o.output ? o.output : build_folder(o.release));
	words[0] = copy_text("make");
	words[1] = copy_text("-C");
	words[2] = source;
	words[3] = text_of("KDIR=%s", headers);
	words[4] = text_of("O=%s", output);
	words[5] = NULL;
	/* The compiler's words are for who reads errors; what we print is where the module is. */
	status = run_program(words, true);
	if (status)
		die(EXIT_FAILED,
		    "the module for kernel '%s' could not be compiled: make ended with status %d; what it said is above",
		    o.release, status);
	module = text_of("%s/" MODULE_NAME ".ko", output);
	if (!path_exists(module))
		die(EXIT_FAILED, "make ended well, but there is no '%s'; is '%s' the module's source?", module, source);
	printf("%s\n", module);
	if (!strcmp(o.release, kernel_release()))
		fprintf(stderr, "load it as root: clearpages kernel load %s\n", module);
	return EXIT_OK;
}
