/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * vm-memory.c - memory for virtual machines: allocated in full before the guest starts, and zeroed between two tenants.
 *
 * Guest memory is a memfd, so that a device process can map it too: in huge pages where the administrator has reserved some, else in
 * what the kernel gives. clp_populate_parallel() tells how far it got where pages run short, and nobody is hit by SIGBUS later.
 *
 * cc vm-memory.c -o vm-memory $(pkg-config --cflags --libs clearpages)
 * ./vm-memory SIZE [huge|plain]		SIZE as in 512M or 8G
 */
#define _GNU_SOURCE
#include <clearpages.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TENANTS 2

struct memory {
	unsigned char *base;
	size_t size, page;
	int fd;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 0 where it is no size. */
static size_t parse_size(const char *text)
{
	static const char units[] = "KMGT";
	char *end;
	size_t n = strtoul(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (*text < '0' || *text > '9' || (*end && (!unit || end[1])) || n > (SIZE_MAX >> 1) >> shift)
		return 0;
	return n << shift;
}

static size_t huge_pages_free(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	size_t n = 0;

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "HugePages_Free: %zu", &n) != 1)
		;
	if (f)
		fclose(f);
	return n;
}

/* False where it failed, and why was said. */
static bool map(struct memory *m, size_t size, bool huge)
{
	struct stat st;

	m->size = size;
	m->fd = memfd_create("guest", MFD_CLOEXEC | (huge ? MFD_HUGETLB : 0));
	if (m->fd < 0 || fstat(m->fd, &st)) {
		fprintf(stderr, huge ? "vm-memory: this kernel has no huge pages: try 'plain'\n" : "vm-memory: no memfd: %m\n");
		return false;
	}
	m->page = (size_t)st.st_blksize;
	if (size % m->page) {
		fprintf(stderr, "vm-memory: %zu bytes are no whole number of pages: give a multiple of %zu\n", size, m->page);
		return false;
	}
	/* Nothing is reserved beforehand, for to populate it is to reserve it, and says how far it got. */
	if (ftruncate(m->fd, (off_t)size) ||
	    (m->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m->fd, 0)) == MAP_FAILED) {
		fprintf(stderr, "vm-memory: cannot map %zu bytes: %m: give a smaller size\n", size);
		return false;
	}
	/* A wish: /sys/kernel/mm/transparent_hugepage/shmem_enabled has the last word. */
	if (!huge)
		madvise(m->base, size, MADV_HUGEPAGE);
	return true;
}

static bool populate(const struct memory *m, bool huge)
{
	double start = now();
	size_t done;
	int err = clp_populate_parallel(m->base, m->size, NULL, &done);

	start = now() - start;
	if (err) {
		fprintf(stderr, "vm-memory: %zu of %zu bytes populated, %zu short: ", done, m->size, m->size - done);
		if (huge)
			fprintf(stderr, "add %zu to /proc/sys/vm/nr_hugepages, or try 'plain'", (m->size - done) / m->page);
		else
			fprintf(stderr, "free memory, or give a smaller size");
		fprintf(stderr, " (%s)\n", clp_strerror(err));
		return false;
	}
	printf("%-28s %9.1f ms, %5.1f GB/s\n", "populated", start * 1e3, (double)m->size / start / 1e9);
	return true;
}

/* A guest writes to every fourth page, and elsewhere a little. */
static void run_guest(const struct memory *m, int tenant)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < m->size; at += page)
		memset(m->base + at, tenant, at / page % 4 ? 64 : page);
}

static bool is_zero(const struct memory *m)
{
	return !m->base[0] && !memcmp(m->base, m->base + 1, m->size - 1);
}

/* Fresh memory is zero as it is; used memory is after this. CLP_COLD: the next guest will not read it at once. */
static bool next_tenant(const struct memory *m)
{
	double start = now();
	int err = clp_clear_parallel(m->base, m->size, CLP_COLD, NULL);

	start = now() - start;
	if (err) {
		fprintf(stderr, "vm-memory: clp_clear_parallel: %s\n", clp_strerror(err));
		return false;
	}
	printf("%-28s %9.1f ms, %5.1f GB/s\n", "cleared for the next tenant", start * 1e3, (double)m->size / start / 1e9);
	return true;
}

int main(int argc, char **argv)
{
	const char *kind = argc == 3 ? argv[2] : huge_pages_free() ? "huge" : "plain";
	size_t size = argc > 1 ? parse_size(argv[1]) : 0;
	bool huge = !strcmp(kind, "huge");
	struct memory m;

	if (argc > 3 || !size || (!huge && strcmp(kind, "plain") != 0)) {
		fprintf(stderr, "usage: vm-memory SIZE [huge|plain], with a SIZE like 512M or 8G\n");
		return 2;
	}
	if (!map(&m, size, huge))
		return 1;
	printf("%zu bytes in pages of %zu KiB%s\n", size, m.page >> 10, huge ? "" : ", or huge ones if the kernel likes");
	if (!populate(&m, huge))
		return 1;
	for (int tenant = 1; tenant <= TENANTS; tenant++) {
		if (!is_zero(&m)) {
			fprintf(stderr, "vm-memory: tenant %d would see what is not its own\n", tenant);
			return 1;
		}
		run_guest(&m, tenant);
		if (!next_tenant(&m))
			return 1;
	}
	if (!is_zero(&m)) {
		fprintf(stderr, "vm-memory: it is not zero after the last tenant\n");
		return 1;
	}
	munmap(m.base, m.size);
	close(m.fd);
	return 0;
}
