/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.c - the profile as text (clearpages-profile(5)), and its file, replaced in one step.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "tune.h"

struct text {
	char *at;
	size_t size, len;
};

static __attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->len += (size_t)vsnprintf(t->at + t->len, t->size - t->len, format, args);
	va_end(args);
	if (t->len >= t->size)
		die(EXIT_FAILED, "the profile is larger than %zu bytes: a fault of this program", t->size);
}

size_t profile_text(char *text, size_t size, const struct clp_tuning *tuning, const struct caches *caches)
{
	struct text t = { text, size, 0 };
	time_t now = time(NULL);
	struct utsname os;
	struct clp_cpu cpu;
	char date[32];
	struct tm utc;

	clp_cpu_detect(&cpu);
	uname(&os);
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &utc));
	put(&t, "clearpages-profile 1\n# Measured by clearpages tune %s on %s; see clearpages-profile(5).\n", clp_version(),
	    date);
	put(&t, "# %s, Linux %s; L1 %s, L2 %s, L3 %s as measured\n", cpu.model_name, os.release, format_size(caches->l1d),
	    format_size(caches->l2), format_size(caches->l3));
	put(&t, "cpu %s %u %u %u\nhypervisor %s\n", cpu.vendor, cpu.family, cpu.model, cpu.stepping, cpu.hypervisor);
	for (unsigned hint = 0; hint < 2; hint++)
		put(&t, "probe %s %llu %llu\n", hint ? "hot" : "auto", (unsigned long long)tuning->probe_min[hint],
		    (unsigned long long)tuning->probe_max[hint]);
	put(&t, "limit %llu\n", (unsigned long long)tuning->probe_limit);
	for (unsigned p = 0; p < CLP_PLANS; p++) {
		put(&t, "plan %s", clp_plan_names[p]);
		for (unsigned r = 0;; r++) {
			uint64_t upto = CLP_RULE_UPTO(tuning->plan[p][r]);

			if (upto == CLP_RULE_MAX)
				put(&t, " max");
			else
				put(&t, " %llu", (unsigned long long)upto);
			put(&t, " %s", clp_variants[CLP_RULE_ROW(tuning->plan[p][r])].name);
			if (upto == CLP_RULE_MAX)
				break;
		}
		put(&t, "\n");
	}
	put(&t, "end\n");
	return t.len;
}

/* The directory of /etc/clearpages/profile is ours to make; any other has to be there. */
static void make_directory(const char *path)
{
	char *copy = strdup(path);

	if (copy && !strcmp(path, CLP_PROFILE_PATH) && mkdir(dirname(copy), 0755) && errno != EEXIST)
		die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(errno));
	free(copy);
}

static int open_temporary(const char *path, char *temporary, size_t size)
{
	int fd;

	make_directory(path);
	snprintf(temporary, size, "%s.XXXXXX", path);
	fd = mkstemp(temporary);
	if (fd < 0)
		die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(errno));
	return fd;
}

void profile_check_writable(const char *path)
{
	char temporary[PATH_MAX];

	if (strlen(path) + sizeof(".XXXXXX") > sizeof(temporary))
		die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(ENAMETOOLONG));
	close(open_temporary(path, temporary, sizeof(temporary)));
	unlink(temporary);
}

void profile_write(const char *path, const char *text, size_t len)
{
	char temporary[PATH_MAX];
	size_t done = 0;
	int fd = open_temporary(path, temporary, sizeof(temporary));

	while (done < len) {
		ssize_t n = write(fd, text + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		done += (size_t)n;
	}
	/* Readable by every process that may load it; on the disk before it takes the old one's place. */
	if (done < len || fchmod(fd, 0644) || fsync(fd) || close(fd) || rename(temporary, path)) {
		int error = errno;

		unlink(temporary);
		die(EXIT_FAILED, "--output: '%s' can't be written: %s", path, strerror(error));
	}
}
