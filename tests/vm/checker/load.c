// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * load.c - processes that fault, verify, dirty and free folios of several kinds until told to stop; and the command that
 * meanwhile changes the module's settings at random.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "checker.h"

#define MOST_PROCESSES 8
/* Of the kinds smaller than this order so many folios are faulted in a turn, or the huge ones would take all the time. */
#define SMALL_ORDER 9
#define SMALL_FOLIOS 16
#define SWAPPED_EVERY 4

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

struct load {
	volatile bool stop;
	unsigned int processes;
	size_t kind_count;
	const struct kind *kinds[8];
	pid_t pid[MOST_PROCESSES];
	volatile uint64_t folios[MOST_PROCESSES][8], wrong[MOST_PROCESSES];
};

/* Pages that come back from swap hold what was written, whatever clears new ones. */
static bool swapped_out_and_in(const struct area *area, size_t i)
{
	unsigned char *page = area_folio(area, i);

	fill(page, area->size, 0x7e57ab1e7e57ab1e);
	if (madvise(page, area->size, MADV_PAGEOUT))
		return true;
	return verify_fill(page, area->size, 0x7e57ab1e7e57ab1e) == ALL_RIGHT;
}

static void fault_for_ever(struct load *load, unsigned int me, uint64_t seed)
{
	struct area area[8];

	for (size_t k = 0; k < load->kind_count; k++)
		area_map(&area[k], load->kinds[k], load->kinds[k]->order < SMALL_ORDER ? SMALL_FOLIOS : 1);
	while (!load->stop) {
		for (size_t k = 0; k < load->kind_count; k++) {
			for (size_t i = 0; i < area[k].folios; i++) {
				size_t touch = next_random(&seed) % (area[k].size / PAGE);
				size_t at = fault_and_verify(&area[k], i, touch, &seed);

				if (at != ALL_RIGHT && !load->wrong[me]++)
					printf("# %s, page %zu touched: byte %zu is %#x\n", load->kinds[k]->name, touch, at,
					       area_folio(&area[k], i)[at]);
				if (!load->kinds[k]->order && i % SWAPPED_EVERY == 0 && !swapped_out_and_in(&area[k], i))
					load->wrong[me]++;
				load->folios[me][k]++;
			}
			for (size_t i = 0; i < area[k].folios; i++)
				dirty_and_free(&area[k], i);
		}
	}
}

struct load *load_start(const char *kind_list, unsigned int processes, uint64_t seed)
{
	struct load *load = mmap(NULL, sizeof(*load), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (load == MAP_FAILED)
		die("no memory");
	load->kind_count = kinds_listed(kind_list, load->kinds, 8);
	load->processes = processes < MOST_PROCESSES ? processes : MOST_PROCESSES;
	fflush(stdout);
	for (unsigned int p = 0; p < load->processes; p++) {
		pid_t pid = fork();

		if (pid < 0)
			die("can't fork");
		if (!pid) {
			pin((int)p % 2);
			fault_for_ever(load, p, seed * 69069 + p + 1);
			exit(0);
		}
		/* Not by fork() itself: the memory is shared. */
		load->pid[p] = pid;
	}
	return load;
}

uint64_t load_folios(const struct load *load)
{
	uint64_t sum = 0;

	for (unsigned int p = 0; p < load->processes; p++) {
		for (size_t k = 0; k < load->kind_count; k++)
			sum += load->folios[p][k];
	}
	return sum;
}

/* True if every process ended well, none saw a wrong byte, and each kind was faulted. */
bool load_stop(struct load *load)
{
	uint64_t wrong = 0;
	bool good = true;

	load->stop = true;
	for (unsigned int p = 0; p < load->processes; p++) {
		int status;

		if (waitpid(load->pid[p], &status, 0) != load->pid[p])
			die("waiting for process %u of the load", p);
		if (status) {
			printf("# process %u of the load ended with status %#x\n", p, status);
			good = false;
		}
		wrong += load->wrong[p];
	}
	for (size_t k = 0; k < load->kind_count; k++) {
		uint64_t folios = 0;

		for (unsigned int p = 0; p < load->processes; p++)
			folios += load->folios[p][k];
		printf("# load: %llu folios of %s\n", (unsigned long long)folios, load->kinds[k]->name);
		good = good && folios;
	}
	if (wrong)
		printf("# load: %llu folios with a wrong byte\n", (unsigned long long)wrong);
	return good && !wrong;
}

static void pause_ms(long ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	while (nanosleep(&time, &time) && errno == EINTR)
		continue;
}

static unsigned int number(char **argv, const char *name, const char *otherwise)
{
	return (unsigned int)strtoul(option(argv, name, otherwise), NULL, 10);
}

int cmd_load(char **argv)
{
	const char *until = option(argv, "--until", NULL);
	struct load *load;

	if (!until)
		die("load needs --until FILE");
	load = load_start(option(argv, "--kinds", NULL), number(argv, "--processes", "4"), number(argv, "--seed", "1"));
	while (access(until, F_OK))
		pause_ms(20);
	return load_stop(load) ? 0 : 1;
}

/* `patch`: also what makes the kernel patch its own code, as switching the counters does. */
static void change_something(struct routines *far, struct routines *near, struct routines *order0, bool patch, uint64_t *seed)
{
	static const char *const batches[] = { "page", "auto", "4096", "64K", "1M", "32M" };
	static const char *const radii[] = { "0", "1", "2", "17", "512" };
	uint64_t r = next_random(seed) >> 8;

	switch (r % 8) {
	case 0: case 1: setting("op_far", far->name[(r >> 8) % far->count]); break;
	case 2: case 3: setting("op_near", near->name[(r >> 8) % near->count]); break;
	case 4: setting("batch", batches[(r >> 8) % 6]); break;
	case 5: setting("radius", radii[(r >> 8) % 5]); break;
	case 6:
		if (patch)
			setting("stats/enabled", (r >> 8) % 2 ? "1" : "0");
		else
			setting("stats/reset", "1");
		break;
	case 7:
		if (order0->count)
			setting("order0", order0->name[(r >> 8) % order0->count]);
		else
			setting("stats/reset", "1");
		break;
	}
}

static void without_broken(struct routines *routines)
{
	size_t kept = 0;

	for (size_t i = 0; i < routines->count; i++) {
		if (strncmp(routines->name[i], "broken", 6))
			memmove(routines->name[kept++], routines->name[i], NAME_MAX_LEN);
	}
	routines->count = kept;
}

/*
 * A call in whose midst counting is switched on has no start: if it is counted all the same, it took as long as the machine
 * has been up. No true one takes 2^34 cycles, which is seconds; a boot alone takes more.
 */
static bool times_are_sane(const struct routines *routines)
{
	bool sane = true;

	for (size_t i = 0; i < routines->count; i++) {
		unsigned long long longest = longest_call(routines->name[i]);

		if (longest < 1ULL << 34)
			continue;
		printf("# %s: a call that is said to have taken %llu cycles\n", routines->name[i], longest);
		sane = false;
	}
	return sane;
}

int cmd_switch(char **argv)
{
	unsigned int changes = number(argv, "--changes", "1000"), processes = number(argv, "--processes", "4");
	struct routines far, near, order0 = { .count = 0 };
	uint64_t seed = number(argv, "--seed", "1"), folios;
	struct load *load;
	bool good, patch = flag(argv, "--patch");

	routines_read(&far, "op_far");
	routines_read(&near, "op_near");
	if (flag(argv, "--order0"))
		routines_read(&order0, "order0");
	without_broken(&far);
	without_broken(&near);
	without_broken(&order0);
	load = load_start(option(argv, "--kinds", NULL), processes, seed);
	for (unsigned int i = 0; i < changes; i++) {
		change_something(&far, &near, &order0, patch, &seed);
		/* Let some faults happen with most of the settings, and change others in the midst of one. */
		if (i % 4)
			pause_ms(1 + (long)(i % 5) * 2);
		if (order0.count && i % 64 == 0)
			write_text("/proc/sys/vm/drop_caches", "3");
		if (order0.count && i % 128 == 0)
			write_text("/proc/sys/vm/compact_memory", "1");
	}
	folios = load_folios(load);
	good = load_stop(load);
	say(times_are_sane(&far), "no call is said to have taken longer than it can have");
	setting("stats/enabled", "1");
	if (order0.count)
		setting("order0", "off");
	say(good, "%u changes of settings during %llu faults by %u processes%s%s", changes, (unsigned long long)folios, processes,
	    patch ? ", counting among them" : "", order0.count ? ", order0 among them" : "");
	return good ? 0 : 1;
}
