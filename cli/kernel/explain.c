/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c - what fails before the module's own code runs: why the kernel would not take it, and what to do.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

/* What two ELF files of one machine have in common at their beginning: the identification's class and byte order, and
 * e_machine. */
static bool same_machine(const char *a, const char *b)
{
	return a[EI_CLASS] == b[EI_CLASS] && a[EI_DATA] == b[EI_DATA] &&
	       !memcmp(a + offsetof(Elf64_Ehdr, e_machine), b + offsetof(Elf64_Ehdr, e_machine), sizeof(Elf64_Half));
}

/* .modinfo is a row of "name=value" strings, each with its NUL: it is found without walking the sections. */
bool module_file_read(const char *path, struct module_file *m)
{
	static const char field[] = "\0vermagic=";
	char start[sizeof(Elf64_Ehdr)] = "", own[sizeof(Elf64_Ehdr)] = "";
	FILE *f = fopen(path, "re"), *self = fopen("/proc/self/exe", "re");
	size_t n, kept = 0;
	char block[65536 + sizeof(m->vermagic) + sizeof(field)];

	*m = (struct module_file){ 0 };
	if (self && fread(own, 1, sizeof(own), self) != sizeof(own))
		own[EI_CLASS] = ELFCLASSNONE;
	if (self)
		fclose(self);
	if (!f)
		return false;
	n = fread(start, 1, sizeof(start), f);
	m->elf = n == sizeof(start) && !memcmp(start, ELFMAG, SELFMAG);
	m->own_machine = m->elf && same_machine(start, own);
	rewind(f);
	/* In blocks that overlap by more than the longest field. */
	while (!*m->vermagic && (n = fread(block + kept, 1, 65536, f))) {
		const char *at = memmem(block, kept + n, field, sizeof(field) - 1);
		size_t left = kept + n, over = sizeof(m->vermagic) + sizeof(field);

		if (at && (left - (size_t)(at - block) > over || feof(f)))
			snprintf(m->vermagic, sizeof(m->vermagic), "%.*s",
				 (int)(left - (size_t)(at - block) - sizeof(field) + 1), at + sizeof(field) - 1);
		kept = left < over ? left : over;
		memmove(block, block + left - kept, kept);
	}
	fclose(f);
	return true;
}

/* *signing: it would be taken if it were signed. */
static char *why_not_permitted(bool *signing)
{
	char how[WORD_SIZE];

	*signing = false;
	if (!is_root() && !root_moved())
		return text_of("only root can load modules");
	if (read_number(at_root("/proc/sys/kernel/modules_disabled"), 0))
		return text_of("loading modules is switched off until the next boot (kernel.modules_disabled=1)");
	*signing = *lockdown(how, sizeof(how));
	if (*signing)
		return text_of("the kernel is locked down (%s)%s, and takes signed modules alone", how,
			       secure_boot() == STATE_ON ? " by Secure Boot" : "");
	return text_of("this process may not load modules (in a container? it needs CAP_SYS_MODULE)");
}

#define SIGNING                                                                             \
	"\nTo have it signed, with a key that this machine trusts, let DKMS build it:\n"    \
	"  apt-get install dkms mokutil\n"                                                  \
	"  dkms add %s   (unless 'dkms status' lists it)\n"                                 \
	"  dkms install clearpages/" KERNEL_VERSION "\n"                                    \
	"  mokutil --import /var/lib/dkms/mok.pub   (asks for a password of your choice)\n" \
	"  reboot, choose 'Enroll MOK' on the blue screen, give that password\n"            \
	"  modprobe clearpages"

static char *why_bad_format(const char *path)
{
	struct module_file m;

	if (!module_file_read(path, &m) || !m.elf)
		return text_of("it is not a kernel module");
	if (!m.own_machine)
		return text_of("it was built for another kind of machine than this one (%s)", kernel_machine());
	if (!*m.vermagic)
		return text_of("it has no version (vermagic): it is not a kernel module");
	if (strncmp(m.vermagic, kernel_release(), strlen(kernel_release())) != 0 ||
	    m.vermagic[strlen(kernel_release())] != ' ')
		return text_of("it was built for kernel '%s', and '%s' is running; build it again: clearpages kernel build",
			       m.vermagic, kernel_release());
	return text_of(
	    "it was built for '%s', which this kernel is not in all of it; build it again: clearpages kernel build",
	    m.vermagic);
}

/* What has to be in a kernel, by its configuration. Where that can't be read, all of it is taken to be there. */
static const char *missing_config(void)
{
	static const char *const needed[] = { "CONFIG_FUNCTION_TRACER", "CONFIG_DYNAMIC_FTRACE",
					      "CONFIG_DYNAMIC_FTRACE_WITH_REGS", "CONFIG_KPROBES" };
	char value[WORD_SIZE];

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		const char *is = kernel_config(needed[i], value, sizeof(value));

		if (is && !*is)
			return needed[i];
	}
	return NULL;
}

static bool has_symbol(void)
{
	char *all = read_all(at_root("/proc/kallsyms"));
	bool found = !all || strstr(all, " clear_huge_page\n") || strstr(all, " folio_zero_user\n");

	free(all);
	return found;
}

static char *why_symbols(void)
{
	const char *missing = missing_config();

	if (missing)
		return text_of("this kernel (%s) was built without %s, which the module needs", kernel_release(), missing);
	if (!has_symbol())
		return text_of("this kernel (%s) has no function clear_huge_page or folio_zero_user to replace",
			       kernel_release());
	return text_of("it needs something that this kernel (%s) does not have", kernel_release());
}

char *explain_load(const char *path, int err, const char *said)
{
	char *why, *steps, *all;
	bool unsigned_module = false;

	switch (err) {
	case EPERM:
		why = why_not_permitted(&unsigned_module);
		break;
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
		why = text_of("it is not signed by a key that this kernel trusts%s",
			      secure_boot() == STATE_ON ? ", and Secure Boot is on" : "");
		unsigned_module = true;
		break;
	case ENOEXEC:
		why = why_bad_format(path);
		break;
	case EEXIST:
		why = text_of("it is loaded already; to load another build: clearpages kernel unload");
		break;
	case ENOSYS:
		why = text_of("this kernel (%s) can't load modules: it was built without CONFIG_MODULES", kernel_release());
		break;
	case ENOENT:
	case EINVAL:
		why = why_symbols();
		break;
	default:
		why = text_of("%s", strerror(err));
	}
	steps = unsigned_module ? text_of(SIGNING, installed_source()) : copy_text("");
	all = text_of("'%s' can't be loaded: %s%s%s%s%s", path, why, *said ? " (the kernel's log: " : "", said,
		      *said ? ")" : "", steps);
	free(steps);
	free(why);
	return all;
}
