/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advise.c - which pages a command's memory is of, as far as its words tell, and what the hook sees of them.
 */
#include <string.h>

#include "ab.h"

/* The page size of `bench mem mmap`: of -p SIZE, -pSIZE, --page SIZE, --page=SIZE, or a beginning of it. */
static const char *page_of(char *const *words)
{
	const char *page = "4KB";

	for (; *words; words++) {
		const char *word = *words, *equals = strchr(word, '=');
		size_t len = equals ? (size_t)(equals - word) : strlen(word);

		if (word[0] != '-' || !word[1])
			continue;
		if (word[1] == 'p')
			page = word[2] ? word + 2 : words[1] ? words[1] : page;
		else if (len >= 4 && len <= 6 && !strncmp(word, "--page", len))
			page = equals ? equals + 1 : words[1] ? words[1] : page;
	}
	return page;
}

static bool has_word(char *const *words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

static void advise_bench(char *const *words, bool small)
{
	uint64_t page;

	if (!has_word(words, "mem") || !(has_word(words, "mmap") || has_word(words, "map") || has_word(words, "all"))) {
		complain("warning: this benchmark clears memory by itself, in user space, and times no faults; to see the "
			 "kernel's clearing: bench mem mmap -p 2MB");
		return;
	}
	if (!read_size(page_of(words), &page) && page <= KERNEL_PAGE && !small)
		complain("warning: -p 4KB has pages of order 0, which the hook does not see; take -p 2MB or 1GB, or ops "
			 "with /order0=NAME");
}

void advise(char *const *words, bool small)
{
	const char *why;

	if (!strcmp(words[0], "clearpages") && words[1])
		words++;
	if (!strcmp(words[0], "bench")) {
		advise_bench(words, small);
		return;
	}
	if (init_on_alloc(&why) == STATE_ON)
		complain("warning: init_on_alloc is on (%s): where this command's memory is of transparent huge pages, the "
			 "allocator clears it before, and a switch shows little; take hugetlb pages, or boot with "
			 "init_on_alloc=0",
			 why);
}
