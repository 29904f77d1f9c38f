/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.c - the file that this process counts in. Its mapping is shared, so nothing has to be done when the process ends.
 *
 * A forked child inherits the mapping, and has to count in a file of its own. It finds out by a page that the kernel wipes at
 * fork: no handler at fork, no process id to ask for. Only system calls from here on, since the child of a program with threads
 * may not do more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload.h"

/* On a page of its own, which is zero in a forked child. With vfork() it is the parent's, and so are the counts. */
struct mine {
	struct preload_file *file;
};

static struct mine *mine;
static struct preload_file *inherited; /* what this address space had last: in a child the parent's */
static char folder_path[PATH_MAX];
static uint64_t large_from;

static char *decimal(char *to, uint64_t n)
{
	char digits[20], *at = digits;

	do
		*at++ = (char)('0' + n % 10);
	while (n /= 10);
	while (at > digits)
		*to++ = *--at;
	return to;
}

/* When this process began: field 22 of its stat, the 20th after the name, which may hold anything but ends with the last bracket. */
static uint64_t start_of_process(void)
{
	char text[1024], *at;
	ssize_t got = -1;
	uint64_t start = 0;
	int fd;

	fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[got > 0 ? got : 0] = '\0';
	at = strrchr(text, ')');
	for (unsigned field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	for (at = at ? at + 1 : text; *at >= '0' && *at <= '9'; at++)
		start = start * 10 + (uint64_t)(*at - '0');
	return start;
}

/* The folder, if nobody else may write to it, nor is it another user's; -1, and what is wrong. */
static int open_folder(const char **wrong)
{
	struct stat about;
	int fd = open(folder_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		*wrong = "not a folder that can be opened; nothing is counted";
		return -1;
	}
	if (!fstat(fd, &about) && about.st_uid == geteuid() && !(about.st_mode & 077))
		return fd;
	*wrong = "another user's, or open to others; nothing is counted";
	close(fd);
	return -1;
}

static bool is_ours(const struct preload_file *file, uint64_t pid, uint64_t start)
{
	return !memcmp(file->magic, PRELOAD_MAGIC, sizeof(file->magic)) && file->version == PRELOAD_VERSION &&
	       file->size == sizeof(*file) && file->pid == pid && file->start == start;
}

/* Threads that open it at once write the same. The magic last: who finds it finds the rest. */
static void begin_file(struct preload_file *file, uint64_t pid, uint64_t start)
{
	file->version = PRELOAD_VERSION;
	file->size = sizeof(*file);
	file->pid = pid;
	file->start = start;
	store(file->large, large_from);
	__atomic_signal_fence(__ATOMIC_RELEASE);
	memcpy(file->magic, PRELOAD_MAGIC, sizeof(file->magic));
}

static struct preload_file *map_file(int fd, uint64_t pid, uint64_t start, const char **wrong)
{
	struct preload_file *file;
	struct rlimit limit;
	struct stat about;

	*wrong = "a file there can't be made as large as needed; nothing is counted";
	/* Past that limit a signal would end the program. */
	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < sizeof(*file) || fstat(fd, &about))
		return NULL;
	if (about.st_size && about.st_size != sizeof(*file)) {
		*wrong = "a file of another kind is in the place of this process's; nothing is counted";
		return NULL;
	}
	/* Allocated, not just long: a full disk would be a signal as well. */
	if (posix_fallocate(fd, 0, sizeof(*file)))
		return NULL;
	file = mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return NULL;
	if (!file->magic[0])
		begin_file(file, pid, start);
	if (is_ours(file, pid, start))
		return file;
	*wrong = "a file of another kind is in the place of this process's; nothing is counted";
	munmap(file, sizeof(*file));
	return NULL;
}

static void file_name(char name[44], uint64_t pid, uint64_t start)
{
	char *end = decimal(name, pid);

	*end++ = '-';
	*decimal(end, start) = '\0';
}

/* The same file for each thread that comes here, and for each program that this process executes. */
static struct preload_file *open_file(const char **wrong)
{
	uint64_t pid = (uint64_t)getpid(), start = start_of_process();
	struct preload_file *file;
	int folder, fd;
	char name[44];

	folder = open_folder(wrong);
	if (folder < 0)
		return NULL;
	file_name(name, pid, start);
	fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	close(folder);
	if (fd < 0) {
		*wrong = "no file can be made there; nothing is counted";
		return NULL;
	}
	file = map_file(fd, pid, start, wrong);
	close(fd);
	return file;
}

static void name_file(struct preload_file *file)
{
	size_t len = strnlen(program_invocation_short_name, sizeof(file->name) - 1);

	memcpy(file->name, program_invocation_short_name, len);
	file->name[len] = '\0';
}

/* In a forked child, at its first large call. */
static __attribute__((noinline)) struct preload_file *open_in_child(void)
{
	struct preload_file *expected = NULL, *file;
	const char *wrong;

	file = open_file(&wrong);
	if (file) {
		name_file(file);
		store(file->images, 1);
	} else {
		/* Confined, or at a limit: it goes on counting in its parent's. */
		file = inherited;
	}
	if (!__atomic_compare_exchange_n(&mine->file, &expected, file, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		/* Another thread was first. */
		if (file != inherited)
			munmap(file, sizeof(*file));
		return expected;
	}
	if (file == inherited)
		__atomic_fetch_add(&file->adopted, 1, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&inherited, file, __ATOMIC_RELEASE);
	return file;
}

struct preload_file *preload_counts(void)
{
	struct preload_file *file;

	if (!mine)
		return NULL;
	file = __atomic_load_n(&mine->file, __ATOMIC_ACQUIRE);
	return likely(file) ? file : open_in_child();
}

const char *preload_counts_open(const char *folder, size_t large)
{
	size_t page = clp_cpu_page(), len = strlen(folder);
	struct preload_file *file;
	const char *wrong;
	void *at;

	if (*folder != '/' || len >= sizeof(folder_path))
		return "not an absolute path; nothing is counted";
	memcpy(folder_path, folder, len + 1);
	large_from = large;
	file = open_file(&wrong);
	if (!file)
		return wrong;
	at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || madvise(at, page, MADV_WIPEONFORK)) {
		munmap(file, sizeof(*file));
		return "this kernel can't wipe memory at fork (Linux 4.14 can); nothing is counted";
	}
	name_file(file);
	__atomic_fetch_add(&file->images, 1, __ATOMIC_RELAXED);
	store(file->cpu_ns, 0);
	inherited = file;
	mine = at;
	mine->file = file;
	return NULL;
}

/* Most programs make no large call. Their files would fill the folder where thousands run one after the other, as in a build. */
void preload_counts_close(void)
{
	struct preload_file *file = mine ? mine->file : NULL;
	const char *wrong;
	char name[44];
	int folder;

	if (!file || file->pid != (uint64_t)getpid())
		return;
	store(file->cpu_ns, clp_nanoseconds(CLOCK_PROCESS_CPUTIME_ID));
	if (preload_any(file))
		return;
	folder = open_folder(&wrong);
	if (folder < 0)
		return;
	file_name(name, file->pid, file->start);
	unlinkat(folder, name, 0);
	close(folder);
}
