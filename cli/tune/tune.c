/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tune.c - `tune`: measures this machine and writes the profile that the library's policy follows.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tune.h"

#define PROBE_SAMPLES 300
/* The slowest cached probes and the fastest uncached ones have to lie this far apart for the probe to be of use. */
#define PROBE_GAP 1.15

struct options {
	const char *path;
	bool dry_run, json;
	uint64_t seed;
	int pin;
};

enum { OPT_DRY_RUN = OPT_LONG, OPT_JSON, OPT_SEED, OPT_PIN };

static const struct argp_option argp_options[] = {
	{ "output", 'o', "FILE", 0, "Write the profile here (default: " CLP_PROFILE_PATH ")", 0 },
	{ "dry-run", OPT_DRY_RUN, NULL, 0, "Measure and show, write nothing", 0 },
	{ "json", OPT_JSON, NULL, 0, "What was measured, as JSON Lines on standard output instead of text", 0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of the orders and places (default: the time)", 0 },
	{ "pin", OPT_PIN, "CPU", 0, "Run on this CPU (default: where it started)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'o':
		if (!*arg)
			die(EXIT_USAGE, "--output: '' is not a file name");
		o->path = arg;
		return 0;
	case OPT_DRY_RUN:
		o->dry_run = true;
		return 0;
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_SEED:
		o->seed = parse_count("--seed", arg, 0, INT64_MAX);
		return 0;
	case OPT_PIN:
		o->pin = (int)parse_count("--pin", arg, 0, 1023);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Ticks that the probe sees, and (in *whole) that it takes, in one state and size: the given share of samples is faster. */
static double probe_ticks(struct bench *b, size_t size, bool cached, double share, double *whole)
{
	struct cell c = { .size = size, .cached = cached };
	double seen[PROBE_SAMPLES], took[PROBE_SAMPLES];

	for (unsigned i = 0; i < PROBE_SAMPLES; i++) {
		unsigned char *at = cell_destination(b, &c);
		uint64_t start = clock_start();

		seen[i] = (double)clp_probe_ticks(at, size);
		took[i] = (double)(clock_stop() - start) - (double)clock_overhead();
		memory_fill(at, size);
	}
	*whole = median(took, PROBE_SAMPLES);
	return percentile(seen, PROBE_SAMPLES, share);
}

/* Find the limit between cached and not. False where the two do not separate, or the counter is of no use. */
static bool tune_probe(struct bench *b, struct output *out, struct clp_tuning *tuning, double price[2])
{
	static const size_t sizes[] = { (size_t)8 << 10, (size_t)16 << 10, (size_t)64 << 10, (size_t)256 << 10 };
	double slowest = 0, fastest = 1e18;

	if (!clp_probe_usable())
		return false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= b->l2; i++) {
		double whole[2];
		double in = probe_ticks(b, sizes[i], true, 0.9, &whole[1]);
		double not = probe_ticks(b, sizes[i], false, 0.1, &whole[0]);
		struct record r;

		/* The price is asked where it weighs most. */
		if (!i)
			memcpy(price, whole, sizeof(whole));
		slowest = in > slowest ? in : slowest;
		fastest = not < fastest ? not : fastest;
		record_begin(&r, "probe");
		record_whole(&r, "size", (int64_t)sizes[i]);
		record_real(&r, "cached_p90", in);
		record_real(&r, "uncached_p10", not );
		output_record(out, &r);
		record_end(&r);
	}
	if (fastest < PROBE_GAP * slowest)
		return false;
	/* Nearer to the cached side: a wrong "cached" costs less than a wrong "uncached" saves. */
	tuning->probe_limit = (uint64_t)(slowest + (fastest - slowest) / 2);
	return true;
}

static void show_rules(struct output *out, const char *mark, const char *plan, const uint64_t *rules)
{
	char text[256];
	size_t len = 0;

	for (unsigned r = 0; r < CLP_RULES && len < sizeof(text); r++) {
		uint64_t upto = CLP_RULE_UPTO(rules[r]);
		const char *name = clp_variants[CLP_RULE_ROW(rules[r])].name;

		if (upto == CLP_RULE_MAX) {
			snprintf(text + len, sizeof(text) - len, "%s", name);
			break;
		}
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s to %s, ", name, format_size(upto));
	}
	output_say(out, "  %s %-12s %s", mark, plan, text);
}

static bool same_rules(const uint64_t *a, const uint64_t *b)
{
	for (unsigned r = 0; r < CLP_RULES; r++) {
		if (a[r] != b[r])
			return false;
		if (CLP_RULE_UPTO(a[r]) == CLP_RULE_MAX)
			return true;
	}
	return true;
}

/* Against what this process follows: the profile in force, else the defaults. */
static void show_changes(struct output *out, const struct clp_tuning *tuning)
{
	const char *path;
	bool profile = clp_profile_status(&path) == CLP_PROFILE_USED;

	output_say(out, "Changes against %s (- before, + after):", profile ? path : "the built-in defaults");
	for (unsigned hint = 0; hint < 2; hint++) {
		const char *name = hint ? "probe hot" : "probe auto";

		if (clp_policy.probe_min[hint] == tuning->probe_min[hint] &&
		    clp_policy.probe_max[hint] == tuning->probe_max[hint])
			continue;
		output_say(out, "  - %-12s %s to %s", name, format_size(clp_policy.probe_min[hint]),
			   format_size(clp_policy.probe_max[hint]));
		output_say(out, "  + %-12s %s to %s", name, format_size(tuning->probe_min[hint]),
			   format_size(tuning->probe_max[hint]));
	}
	if (clp_policy.probe_limit != tuning->probe_limit) {
		output_say(out, "  - limit        %u ticks", clp_policy.probe_limit);
		output_say(out, "  + limit        %llu ticks", (unsigned long long)tuning->probe_limit);
	}
	for (unsigned p = 0; p < CLP_PLANS; p++) {
		if (same_rules(clp_policy.plan[p], tuning->plan[p])) {
			show_rules(out, " ", clp_plan_names[p], tuning->plan[p]);
			continue;
		}
		show_rules(out, "-", clp_plan_names[p], clp_policy.plan[p]);
		show_rules(out, "+", clp_plan_names[p], tuning->plan[p]);
	}
}

static bool measure(const struct options *o, struct output *out, struct clp_tuning *tuning)
{
	static struct matrix clears, copies;
	const struct caches *caches = measure_caches();
	struct scope scope = { .l2 = caches->l2, .l3 = caches->l3 };
	double price[2] = { 0, 0 };
	struct bench b;

	bench_open(&b, (size_t)512 << 20, 0, true, PAGE_THP, caches->l2, o->seed);
	if (!interrupted && !tune_probe(&b, out, tuning, price))
		output_say(out, "The probe can't tell cached from uncached here: AUTO goes by length alone.");
	if (!interrupted)
		matrix_measure(&clears, &b, out, CLP_OP_CLEAR, 0, 0.7);
	if (!interrupted)
		matrix_measure(&copies, &b, out, CLP_OP_COPY, 0.7, 0.3);
	bench_close(&b);
	if (interrupted)
		return false;
	plan_clears(&clears, &scope, tuning, price);
	for (unsigned p = 0; p < CLP_PLANS; p++)
		if (clp_plan_op(p) == CLP_OP_COPY)
			plan_make(&copies, p, &scope, tuning->plan[p]);
	return true;
}

int cmd_tune(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options,
		parse,
		NULL,
		"Measure every routine on this machine (a minute or two) and write the profile that the library follows. "
		"Programs load it when "
		"they start, from " CLP_PROFILE_PATH " or $CLEARPAGES_PROFILE.",
		NULL,
		NULL,
		NULL,
	};
	struct options o = { .path = CLP_PROFILE_PATH, .seed = (uint64_t)time(NULL), .pin = -1 };
	struct clp_tuning tuning = { 0 }, again;
	char text[CLP_PROFILE_SIZE_MAX];
	struct common common;
	struct output out;
	struct clp_cpu cpu;
	size_t len;

	parse_options(&argp, argc, argv, &o);
	if (!o.dry_run)
		profile_check_writable(o.path);
	common_init(&common);
	common.json = o.json;
	common.seed = o.seed;
	common.pin = o.pin;
	common_start(&common, &out, "tune", argc, argv);
	if (!measure(&o, &out, &tuning)) {
		if (interrupted)
			complain("interrupted: '%s' is as it was", o.path);
		return common_end(&out, "tune");
	}
	len = profile_text(text, sizeof(text), &tuning, measure_caches());
	clp_cpu_detect(&cpu);
	if (clp_profile_parse(text, len, &cpu, &again))
		die(EXIT_FAILED, "the profile made does not parse: a fault of this program");
	show_changes(&out, &tuning);
	if (o.dry_run) {
		output_say(&out, "\n%s", text);
	} else {
		profile_write(o.path, text, len);
		output_say(&out, "\nwritten to %s", o.path);
	}
	return common_end(&out, "tune");
}
