// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cells.c - every routine x kind of memory x batch x radius x touched page: each byte zero, and the routine really ran.
 *
 * In each cell two threads on two processors fault, verify, dirty and free two folios each, one after the other, so that
 * most of them are folios that were dirtied a moment before. That no byte is wrong does not show that the routine ran; the
 * module's counters do: of this order as many pages as were faulted, all by that routine.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

#define WORKERS 2
#define ROUNDS 2
#define MOST_ROUNDS 64
/* A folio of 1 GiB exists once, and takes seconds: once in each of three cells. */
#define GIGANTIC 18
#define GIGANTIC_ROUNDS 1

static const char *const batches[] = { "page", "65536", "auto" };
static const char *const radii[] = { "0", "2", "512" };
static const char *const touches[] = { "first", "middle", "last" };

struct cell {
	const struct kind *kind;
	const char *routine;
	unsigned int batch, radius, touch;
};

/* What the workers are to do next, and what they found. */
static struct {
	pthread_barrier_t start, end;
	bool over;
	size_t touch;
	unsigned int workers, rounds;
	struct area area[WORKERS];
	uint64_t seed[WORKERS];
	size_t wrong[WORKERS];		/* offset of the last wrong byte */
	unsigned int wrong_folios[WORKERS];
} job;

static void work(unsigned int me)
{
	const struct area *area = &job.area[me];

	job.wrong_folios[me] = 0;
	for (unsigned int round = 0; me < job.workers && round < job.rounds; round++) {
		size_t at = fault_and_verify(area, round % area->folios, job.touch, &job.seed[me]);

		if (at != ALL_RIGHT) {
			job.wrong[me] = at;
			job.wrong_folios[me]++;
		}
		dirty_and_free(area, round % area->folios);
	}
}

static void *other_worker(void *unused)
{
	pin(1);
	for (;;) {
		pthread_barrier_wait(&job.start);
		if (job.over)
			return unused;
		work(1);
		pthread_barrier_wait(&job.end);
	}
}

static unsigned int run_folios(size_t touch)
{
	job.touch = touch;
	pthread_barrier_wait(&job.start);
	work(0);
	pthread_barrier_wait(&job.end);
	return job.workers * job.rounds;
}

static size_t touched_page(const struct cell *cell)
{
	size_t pages = 1UL << cell->kind->order;

	return cell->touch == 0 ? 0 : cell->touch == 1 ? pages / 2 : pages - 1;
}

static void configure(const struct cell *cell)
{
	setting("stats/reset", "1");
	if (!cell->kind->order) {
		setting("order0", cell->routine);
		return;
	}
	setting("op_far", cell->routine);
	if (strcmp(cell->routine, "kernel"))
		setting("op_near", cell->routine);
	setting("batch", batches[cell->batch]);
	setting("radius", radii[cell->radius]);
}

/*
 * Did this routine, and no other, clear that many folios of the order? Single pages are faulted by others as well, and a
 * probe can be missed.
 */
static bool ran(const struct cell *cell, unsigned int folios, uint64_t *pages)
{
	uint64_t all = stat_over_routines(cell->kind->order, "pages");

	*pages = stat_of(cell->routine, cell->kind->order, "pages");
	if (!cell->kind->order)
		return *pages + stat_missed() >= folios && *pages == all && *pages;
	return *pages == (uint64_t)folios << cell->kind->order && *pages == all &&
	       stat_of(cell->routine, cell->kind->order, "calls") >= folios;
}

static bool run_cell(const struct cell *cell, bool bare, bool broken)
{
	unsigned int folios, wrong = 0;
	const char *verdict;
	uint64_t pages = 0;
	bool proof;

	if (!bare)
		configure(cell);
	folios = run_folios(touched_page(cell));
	proof = bare || ran(cell, folios, &pages);
	for (unsigned int w = 0; w < job.workers; w++)
		wrong += job.wrong_folios[w];
	verdict = !proof ? "NOT-RUN" : wrong ? "WRONG" : "ok";
	printf("cell routine=%s kind=%s order=%u batch=%s radius=%s touch=%s folios=%u pages=%llu %s", cell->routine, cell->kind->name,
	       cell->kind->order, batches[cell->batch], radii[cell->radius], touches[cell->touch], folios, (unsigned long long)pages,
	       verdict);
	for (unsigned int w = 0; w < job.workers && wrong; w++) {
		if (job.wrong_folios[w])
			printf(" offset=%zu", job.wrong[w]);
	}
	putchar('\n');
	/* A broken routine has to be found in each folio, and it must be the one that ran. */
	return proof && wrong == (broken ? folios : 0);
}

/* All cells, or a Latin square of them: any two values of two axes occur together in one. */
static bool wanted(const struct cell *cell, bool quick)
{
	return !quick || (cell->batch + cell->radius + cell->touch) % 3 == 0;
}

static bool sampled(const struct cell *cell)
{
	return cell->batch == cell->radius && cell->batch == 2 - cell->touch;
}

/* Without the module, and for single pages, neither batch nor radius means anything. */
static bool belongs(const struct cell *cell, bool quick, bool bare)
{
	if (!cell->kind->order)
		return !cell->batch && !cell->radius && !cell->touch;
	if (bare)
		return !cell->batch && !cell->radius && (cell->kind->order < GIGANTIC || cell->touch == 1);
	return cell->kind->order < GIGANTIC ? wanted(cell, quick) : sampled(cell);
}

static void run_group(const char *routine, const struct kind *kind, bool quick, bool bare, bool broken)
{
	bool gigantic = kind->order >= GIGANTIC;
	unsigned int cells = 0, bad = 0;

	job.workers = gigantic ? 1 : WORKERS;
	job.rounds = gigantic ? GIGANTIC_ROUNDS : kind->order ? ROUNDS : MOST_ROUNDS;
	/* The first folios would be fresh ones, which init_on_alloc may have cleared: so all are made dirty beforehand, at a time. */
	for (unsigned int w = 0; w < job.workers; w++) {
		area_map(&job.area[w], kind, gigantic ? 1 : job.rounds);
		for (size_t i = 0; i < job.area[w].folios; i++)
			fill(area_folio(&job.area[w], i), job.area[w].size, DIRT);
	}
	for (unsigned int w = 0; w < job.workers; w++) {
		for (size_t i = 0; i < job.area[w].folios; i++)
			dirty_and_free(&job.area[w], i);
	}
	for (unsigned int i = 0; i < 27; i++) {
		struct cell cell = { kind, routine, i / 9, i / 3 % 3, i % 3 };

		if (!belongs(&cell, quick, bare))
			continue;
		cells++;
		bad += !run_cell(&cell, bare, broken);
	}
	for (unsigned int w = 0; w < job.workers; w++)
		area_unmap(&job.area[w]);
	if (broken)
		say(!bad, "%s, %s: found to be broken in %u of %u cells", routine, kind->name, cells - bad, cells);
	else
		say(!bad, "%s, %s: %u of %u cells, %u folios each", routine, kind->name, cells - bad, cells, job.workers * job.rounds);
}

static bool listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += len) {
		if ((at == list || at[-1] == ',') && (at[len] == ',' || !at[len]))
			return true;
	}
	return false;
}

/* The routines that can serve a kind; test-only ones just by name. */
static void run_kind(const struct kind *kind, const char *only, bool quick, bool bare, bool broken)
{
	struct routines routines = { .name = { "none" }, .count = 1 };

	if (!bare)
		routines_read(&routines, kind->order ? "op_far" : "order0");
	for (size_t r = 0; r < routines.count; r++) {
		bool meant = only ? listed(only, routines.name[r]) : strncmp(routines.name[r], "broken", 6);

		if (meant && strcmp(routines.name[r], "off"))
			run_group(routines.name[r], kind, quick, bare, broken);
	}
}

int cmd_cells(char **argv)
{
	const char *only = option(argv, "--routines", NULL), *seed = option(argv, "--seed", "1");
	bool bare = flag(argv, "--bare"), broken = flag(argv, "--broken"), quick = flag(argv, "--quick");
	const struct kind *list[8];
	size_t n = kinds_listed(option(argv, "--kinds", NULL), list, 8);
	pthread_t other;

	for (unsigned int w = 0; w < WORKERS; w++)
		job.seed[w] = strtoull(seed, NULL, 10) * 2654435761 + w + 1;
	pthread_barrier_init(&job.start, NULL, WORKERS);
	pthread_barrier_init(&job.end, NULL, WORKERS);
	if (pthread_create(&other, NULL, other_worker, NULL))
		die("can't start a thread");
	pin(0);
	for (size_t k = 0; k < n; k++)
		run_kind(list[k], only, quick, bare, broken);
	job.over = true;
	pthread_barrier_wait(&job.start);
	pthread_join(other, NULL);
	return 0;
}

/*
 * With different routines far and near, the near one must have got the neighbourhood of the touched page, clamped to the
 * folio, and the far one all else.
 */
static bool split_cell(const struct kind *kind, unsigned int radius, size_t touch)
{
	size_t pages = 1UL << kind->order, first = touch > radius ? touch - radius : 0;
	size_t last = touch + radius < pages ? touch + radius : pages - 1;
	uint64_t near = radius ? last - first + 1 : 0;
	uint64_t far = pages - near, got_near, got_far;
	struct area area;
	char text[16];
	uint64_t seed = touch + 1;
	size_t at;

	snprintf(text, sizeof(text), "%u", radius);
	setting("radius", text);
	setting("stats/reset", "1");
	area_map(&area, kind, 1);
	at = fault_and_verify(&area, 0, touch, &seed);
	dirty_and_free(&area, 0);
	area_unmap(&area);
	got_near = stat_of("mov", kind->order, "pages");
	got_far = stat_of("movnti", kind->order, "pages");
	if (at == ALL_RIGHT && got_near == near && got_far == far && stat_of("mov", kind->order, "calls") == (near > 0) &&
	    stat_of("movnti", kind->order, "calls") == (far > 0))
		return true;
	printf("# %s, radius %u, page %zu touched: near %llu pages (expected %llu), far %llu (expected %llu), first wrong byte %zd\n",
	       kind->name, radius, touch, (unsigned long long)got_near, (unsigned long long)near, (unsigned long long)got_far,
	       (unsigned long long)far, (ssize_t)at);
	return false;
}

int cmd_split(char **argv)
{
	static const unsigned int some[] = { 0, 1, 2, 7, 511, 512 };
	const struct kind *list[8];
	size_t n = kinds_listed(option(argv, "--kinds", NULL), list, 8);

	setting("op_far", "movnti");
	setting("op_near", "mov");
	setting("batch", "auto");
	pin(0);
	for (size_t k = 0; k < n; k++) {
		size_t pages = 1UL << list[k]->order, bad = 0, all = 0;
		size_t places[] = { 0, 1, 2, pages / 2, pages - 3, pages - 2, pages - 1 };

		if (list[k]->order >= GIGANTIC)
			continue;
		for (size_t r = 0; r < sizeof(some) / sizeof(*some); r++) {
			for (size_t p = 0; p < sizeof(places) / sizeof(*places); p++, all++)
				bad += !split_cell(list[k], some[r], places[p]);
		}
		say(!bad, "%s: far and near got their pages in %zu of %zu cases", list[k]->name, all - bad, all);
	}
	return 0;
}
