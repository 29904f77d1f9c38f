/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * profile.c - read a measured profile (written by `clearpages tune`) without stdio or allocation.
 *
 * Lines of words, '#' begins a comment:
 *   clearpages-profile 1
 *   cpu VENDOR FAMILY MODEL STEPPING
 *   hypervisor NAME
 *   probe auto MIN MAX
 *   probe hot MIN MAX
 *   limit TICKS
 *   plan PLAN UPTO ROUTINE [UPTO ROUTINE ...]     the last UPTO is "max"
 *   end
 * All lines are required, each plan once; lengths are in bytes and ascend.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib.h"

/* What is left of a text. A line is taken from it, then words from the line. */
struct span {
	const char *at;
	size_t len;
};

static struct span take(struct span *from, const char *separators)
{
	struct span part = { from->at, 0 };

	while (part.len < from->len && !memchr(separators, from->at[part.len], strlen(separators)))
		part.len++;
	from->at += part.len + (part.len < from->len);
	from->len -= part.len + (part.len < from->len);
	return part;
}

static struct span word(struct span *line)
{
	struct span w;

	do
		w = take(line, " \t");
	while (!w.len && line->len);
	return w;
}

static bool is(struct span w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.at, text, w.len);
}

static bool number(struct span w, uint64_t *value)
{
	*value = 0;
	if (!w.len)
		return false;
	for (size_t i = 0; i < w.len; i++) {
		if (w.at[i] < '0' || w.at[i] > '9' || *value > (CLP_RULE_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(w.at[i] - '0');
	}
	return true;
}

static int parse_cpu(struct span *line, const struct clp_cpu *cpu)
{
	struct span vendor = word(line);
	uint64_t family, model, stepping;

	if (!vendor.len || !number(word(line), &family) || !number(word(line), &model) || !number(word(line), &stepping))
		return -EINVAL;
	if (!is(vendor, cpu->vendor) || family != cpu->family || model != cpu->model || stepping != cpu->stepping)
		return -ESTALE;
	return 0;
}

/* Both 0, or a range of lengths above a page and below 4 GiB. */
static int parse_probe(struct span *line, uint64_t *min, uint64_t *max)
{
	if (!number(word(line), min) || !number(word(line), max))
		return -EINVAL;
	if (!*min && !*max)
		return 0;
	return *min <= 4096 || *min > *max || *max > UINT32_MAX ? -EINVAL : 0;
}

static int parse_plan(struct span *line, unsigned *plans, struct clp_tuning *tuning)
{
	struct span name = word(line);
	uint64_t upto = 0, before = 0;
	unsigned p = 0, r = 0;

	while (p < CLP_PLANS && !is(name, clp_plan_names[p]))
		p++;
	if (p == CLP_PLANS || *plans >> p & 1)
		return -EINVAL;
	*plans |= 1u << p;
	do {
		struct span length = word(line);
		struct span routine = word(line);
		int row = clp_variant_lookup(clp_plan_op(p), routine.at, routine.len);

		if (is(length, "max"))
			upto = CLP_RULE_MAX;
		else if (!number(length, &upto))
			return -EINVAL;
		if (r == CLP_RULES || row < 0 || upto <= before)
			return -EINVAL;
		tuning->plan[p][r++] = CLP_RULE(upto, row);
		before = upto;
	} while (upto != CLP_RULE_MAX);
	for (; r < CLP_RULES; r++)
		tuning->plan[p][r] = tuning->plan[p][r - 1];
	return 0;
}

int clp_profile_parse(const char *text, size_t len, const struct clp_cpu *cpu, struct clp_tuning *tuning)
{
	enum { MAGIC = 1, CPU = 2, HYPERVISOR = 4, PROBE_AUTO = 8, PROBE_HOT = 16, LIMIT = 32, END = 64, ALL = 127 };
	struct span rest = { text, len };
	unsigned seen = 0, plans = 0;
	bool stale = false;

	while (rest.len) {
		struct span line = take(&rest, "\n");
		struct span bare = take(&line, "#");
		struct span key = word(&bare);
		unsigned bit = 0;
		uint64_t version;
		int err = 0;

		if (!key.len)
			continue;
		if (seen & END || (!(seen & MAGIC) && !is(key, "clearpages-profile")))
			return -EINVAL;
		if (is(key, "clearpages-profile")) {
			bit = MAGIC;
			if (!number(word(&bare), &version) || version != 1)
				return -EINVAL;
		} else if (is(key, "cpu")) {
			bit = CPU;
			err = parse_cpu(&bare, cpu);
		} else if (is(key, "hypervisor")) {
			bit = HYPERVISOR;
			err = is(word(&bare), cpu->hypervisor) ? 0 : -ESTALE;
		} else if (is(key, "probe")) {
			struct span hint = word(&bare);
			unsigned hot = is(hint, "hot");

			bit = hot ? PROBE_HOT : PROBE_AUTO;
			if ((!hot && !is(hint, "auto")) ||
			    parse_probe(&bare, &tuning->probe_min[hot], &tuning->probe_max[hot]))
				return -EINVAL;
		} else if (is(key, "limit")) {
			bit = LIMIT;
			if (!number(word(&bare), &tuning->probe_limit) || tuning->probe_limit > UINT32_MAX)
				return -EINVAL;
		} else if (is(key, "plan")) {
			err = parse_plan(&bare, &plans, tuning);
		} else if (is(key, "end")) {
			bit = END;
		} else {
			return -EINVAL;
		}
		if (seen & bit || word(&bare).len)
			return -EINVAL;
		seen |= bit;
		if (err == -ESTALE)
			stale = true;
		else if (err)
			return err;
	}
	if (seen != ALL || plans != (1u << CLP_PLANS) - 1)
		return -EINVAL;
	return stale ? -ESTALE : 0;
}

static char buffer[CLP_PROFILE_SIZE_MAX + 1];
static int busy;
static enum clp_profile_state state;
static char tried[PATH_MAX];

static int read_whole(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = 0;

	*len = 0;
	if (fd < 0)
		return -errno;
	while (*len < sizeof(buffer) &&
	       ((n = read(fd, buffer + *len, sizeof(buffer) - *len)) > 0 || (n < 0 && errno == EINTR)))
		*len += n > 0 ? (size_t)n : 0;
	n = n < 0 ? -errno : 0;
	close(fd);
	if (n)
		return (int)n;
	return *len > CLP_PROFILE_SIZE_MAX ? -EFBIG : 0;
}

static int load_file(const char *path)
{
	struct clp_tuning tuning;
	struct clp_cpu cpu;
	size_t len;
	int err;

	err = read_whole(path, &len);
	if (err)
		return err;
	clp_cpu_detect(&cpu);
	err = clp_profile_parse(buffer, len, &cpu, &tuning);
	if (err)
		return err;
	clp_policy_set(&tuning);
	return 0;
}

int clp_profile_load(const char *path)
{
	int saved = errno;
	int err = 0;

	if (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
		return -EBUSY;
	if (path)
		err = load_file(path);
	else
		clp_policy_set(NULL);
	if (!err) {
		size_t len = path ? strnlen(path, sizeof(tried) - 1) : 0;

		memcpy(tried, path ? path : "", len);
		tried[len] = '\0';
		store(state, path ? CLP_PROFILE_USED : CLP_PROFILE_OFF);
	}
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	errno = saved;
	return err;
}

enum clp_profile_state clp_profile_status(const char **path)
{
	if (path)
		*path = tried;
	return load(state);
}

static struct iovec part(const char *text, size_t len)
{
	return (struct iovec){ (void *)(uintptr_t)text, len };
}

void clp_warn(const char *variable, const char *value, size_t len, const char *what)
{
	char shown[128];
	size_t n = len < sizeof(shown) ? len : sizeof(shown);
	int saved = errno;

	/* One line, whatever the value holds. */
	for (size_t i = 0; i < n; i++)
		shown[i] = value[i] >= ' ' && value[i] <= '~' ? value[i] : '?';
	struct iovec line[] = {
		part("libclearpages: ", 15),
		part(variable, strlen(variable)),
		part("=", 1),
		part(shown, n),
		part(n < len ? "...: " : ": ", n < len ? 5 : 2),
		part(what, strlen(what)),
		part("\n", 1),
	};

	if (writev(STDERR_FILENO, line, sizeof(line) / sizeof(line[0])) < 0)
		errno = saved;
}

/* From the constructor. A profile that a person named in the environment and that can't be used is worth a warning. */
void clp_profile_init(void)
{
	const char *named = secure_getenv("CLEARPAGES_PROFILE");
	const char *path = named ? named : CLP_PROFILE_PATH;
	int err;

	if (!*path) {
		store(state, CLP_PROFILE_OFF);
		return;
	}
	err = clp_profile_load(path);
	if (!err)
		return;
	memcpy(tried, path, strnlen(path, sizeof(tried) - 1));
	if (err == -ESTALE)
		store(state, CLP_PROFILE_FOREIGN);
	else if (err == -ENOENT && !named)
		store(state, CLP_PROFILE_NONE);
	else
		store(state, CLP_PROFILE_DAMAGED);
	if (named)
		clp_warn("CLEARPAGES_PROFILE", named, strlen(named),
			 err == -ENOENT			   ? "no such file; using the built-in defaults"
			 : err == -ESTALE		   ? "measured on another machine; using the built-in defaults"
			 : err == -EINVAL || err == -EFBIG ? "damaged; using the built-in defaults"
							   : "unreadable; using the built-in defaults");
}
