/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach.c - will a program load the preloaded library? The dynamic loader passes over it in silence, or breaks the program, in the
 * cases that are told here before the program starts.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "run.h"

/* What we read of a file with an ELF head; 64 bits alone. */
struct elf {
	Elf64_Ehdr head;
	Elf64_Phdr *parts;
	char loader[256]; /* "": none, so it is static */
	char *names;	  /* of what it needs and refers to */
	size_t names_size;
};

static bool read_at(int fd, void *to, size_t size, uint64_t at)
{
	return at <= INT64_MAX && pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* Some bytes to be freed; NULL where the file does not have them, or they are too many to be what they are said to be. */
static void *read_part(int fd, uint64_t at, uint64_t size)
{
	void *to = size && size <= (64u << 20) ? malloc(size) : NULL;

	if (to && read_at(fd, to, size, at))
		return to;
	free(to);
	return NULL;
}

static const Elf64_Phdr *find_part(const struct elf *e, uint32_t type)
{
	for (unsigned i = 0; i < e->head.e_phnum; i++)
		if (e->parts[i].p_type == type)
			return &e->parts[i];
	return NULL;
}

/* Where in the file an address of the loaded program is. */
static uint64_t offset_of(const struct elf *e, uint64_t address)
{
	for (unsigned i = 0; i < e->head.e_phnum; i++) {
		const Elf64_Phdr *p = &e->parts[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr && address - p->p_vaddr < p->p_filesz)
			return address - p->p_vaddr + p->p_offset;
	}
	return UINT64_MAX;
}

static void read_names(struct elf *e, int fd)
{
	const Elf64_Phdr *p = find_part(e, PT_DYNAMIC);
	Elf64_Dyn *dynamic = p ? read_part(fd, p->p_offset, p->p_filesz) : NULL;
	uint64_t at = 0, size = 0;

	for (size_t i = 0; dynamic && i < p->p_filesz / sizeof(*dynamic); i++) {
		if (dynamic[i].d_tag == DT_STRTAB)
			at = dynamic[i].d_un.d_ptr;
		else if (dynamic[i].d_tag == DT_STRSZ)
			size = dynamic[i].d_un.d_val;
	}
	free(dynamic);
	e->names = read_part(fd, offset_of(e, at), size);
	e->names_size = e->names ? size : 0;
}

static void read_loader(struct elf *e, int fd)
{
	const Elf64_Phdr *p = find_part(e, PT_INTERP);

	if (p && (p->p_filesz >= sizeof(e->loader) || !read_at(fd, e->loader, p->p_filesz, p->p_offset)))
		strcpy(e->loader, "?");
}

/* False: no ELF file of 64 bits in this machine's byte order. */
static bool elf_read(struct elf *e, int fd)
{
	static const unsigned char wanted[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
						__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB };

	*e = (struct elf){ 0 };
	if (!read_at(fd, &e->head, sizeof(e->head), 0) || memcmp(e->head.e_ident, wanted, sizeof(wanted)) != 0)
		return false;
	if (e->head.e_phentsize == sizeof(*e->parts))
		e->parts = read_part(fd, e->head.e_phoff, (uint64_t)e->head.e_phnum * sizeof(*e->parts));
	if (!e->parts)
		return false;
	read_loader(e, fd);
	read_names(e, fd);
	return true;
}

static void elf_free(struct elf *e)
{
	free(e->parts);
	free(e->names);
}

static bool has_name(const struct elf *e, const char *name)
{
	return e->names && memmem(e->names, e->names_size, name, strlen(name) + 1);
}

/* Where the kernel gives a program more rights than its caller has, the loader ignores LD_PRELOAD. */
static const char *raises_privileges(int fd)
{
	struct statvfs system;
	struct stat about;

	if (fstat(fd, &about) || (!fstatvfs(fd, &system) && system.f_flag & ST_NOSUID) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return NULL;
	if (about.st_mode & S_ISUID && about.st_uid != getuid())
		return "it is setuid, and the loader preloads nothing into a program with raised privileges";
	if ((about.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && about.st_gid != getgid())
		return "it is setgid, and the loader preloads nothing into a program with raised privileges";
	if (getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return "it has file capabilities, and the loader preloads nothing into a program with raised privileges";
	return NULL;
}

static const char *is_sanitized(const struct elf *e)
{
	static const struct {
		const char *name, *why;
	} inits[] = {
		{ "__asan_init", "it is built with AddressSanitizer, which watches memset and the like itself" },
		{ "__hwasan_init", "it is built with HWAddressSanitizer, which watches memset and the like itself" },
		{ "__msan_init", "it is built with MemorySanitizer, which watches memset and the like itself" },
		{ "__tsan_init", "it is built with ThreadSanitizer, which watches memset and the like itself" },
	};

	for (size_t i = 0; i < sizeof(inits) / sizeof(inits[0]); i++)
		if (has_name(e, inits[i].name))
			return inits[i].why;
	return NULL;
}

/* This program as an example of those that can load what was built with it. */
static const struct elf *own_elf(void)
{
	static struct elf own;
	int fd;

	if (own.parts)
		return &own;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !elf_read(&own, fd))
		die(EXIT_FAILED, "/proc/self/exe can't be read: %s", strerror(errno));
	close(fd);
	return &own;
}

/* NULL, or why not. */
static const char *elf_out_of_reach(const struct elf *e, int fd)
{
	const struct elf *own = own_elf();
	const char *why;

	if (e->head.e_machine != own->head.e_machine)
		return "it is for another processor than the preloaded library";
	if (!*e->loader)
		return "it is statically linked, and has no loader to preload anything";
	if (strcmp(basename(e->loader), basename(own->loader)) != 0)
		return "its loader is of another C library than the preloaded library's";
	why = raises_privileges(fd);
	return why ? why : is_sanitized(e);
}

/* Of a script "#!INTERPRETER ...": the interpreter, to be freed; NULL for anything else. */
static char *interpreter_of(int fd)
{
	char line[256], *at, *end;
	ssize_t got = pread(fd, line, sizeof(line) - 1, 0);

	if (got < 2 || line[0] != '#' || line[1] != '!')
		return NULL;
	line[got] = '\0';
	line[strcspn(line, "\n")] = '\0';
	at = line + 2 + strspn(line + 2, " \t");
	end = at + strcspn(at, " \t");
	*end = '\0';
	return *at ? copy_text(at) : NULL;
}

static bool is_program(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISREG(about.st_mode) && !access(path, X_OK);
}

static void check(const char *word, const char *path, unsigned scripts)
{
	static const unsigned char magic[] = { 0x7f, 'E', 'L', 'F' };
	unsigned char begin[5] = { 0 };
	const char *why = NULL;
	char *interpreter;
	struct elf e;
	int fd;

	/* Whoever may execute but not read it gets it executed. */
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (elf_read(&e, fd))
		why = elf_out_of_reach(&e, fd);
	else if (read_at(fd, begin, sizeof(begin), 0) && !memcmp(begin, magic, sizeof(magic)) && begin[EI_CLASS] == ELFCLASS32)
		why = "it is a program of 32 bits, and the preloaded library has 64";
	interpreter = interpreter_of(fd);
	elf_free(&e);
	close(fd);
	if (why && !strcmp(word, path))
		die(EXIT_OUT_OF_REACH, "'%s' is out of reach: %s", path, why);
	if (why)
		die(EXIT_OUT_OF_REACH, "'%s' ('%s') is out of reach: %s", word, path, why);
	/* The kernel follows as many. */
	if (interpreter && scripts < 5 && is_program(interpreter))
		check(word, interpreter, scripts + 1);
	free(interpreter);
}

char *program_within_reach(const char *word)
{
	char *path = strchr(word, '/') ? copy_text(word) : find_in_path(word);
	struct stat about;

	if (!path || stat(path, &about))
		die(EXIT_NOT_FOUND, "'%s': there is no such program%s", word, strchr(word, '/') ? "" : " in PATH");
	if (!is_program(path))
		die(EXIT_OUT_OF_REACH, "'%s' can't be executed: %s", path,
		    S_ISDIR(about.st_mode) ? "it is a folder" : "it has no permission for that (chmod +x)");
	check(word, path, 0);
	return path;
}
