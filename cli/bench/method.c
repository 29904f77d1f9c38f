/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * method.c - the ways to clear and copy that benchmarks compare.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Through pointers, so that no compiler folds or inlines the call. */
static void *(*volatile libc_memset)(void *, int, size_t) = memset;
static void *(*volatile libc_memcpy)(void *, const void *, size_t) = memcpy;

/* PMDK's libpmem, where it is installed (libpmem(7)); its flags: pmem_memset(3). */
#define PMEM_F_MEM_NONTEMPORAL (1u << 1)
typedef void *pmem_memset_fn(void *, int, size_t, unsigned);
typedef void *pmem_memcpy_fn(void *, const void *, size_t, unsigned);
static pmem_memset_fn *pmem_memset;
static pmem_memcpy_fn *pmem_memcpy;

static bool find_pmem(void)
{
	static bool tried;
	void *library;

	if (!tried) {
		tried = true;
		library = dlopen("libpmem.so.1", RTLD_NOW | RTLD_LOCAL);
		if (library) {
			pmem_memset = (pmem_memset_fn *)dlsym(library, "pmem_memset");
			pmem_memcpy = (pmem_memcpy_fn *)dlsym(library, "pmem_memcpy");
		}
	}
	return pmem_memset && pmem_memcpy;
}

static const struct {
	const char *name;
	int kind;
	unsigned flags;
} others[] = {
	{ "auto", METHOD_POLICY, 0 },
	{ "hot", METHOD_POLICY, CLP_HOT },
	{ "cold", METHOD_POLICY, CLP_COLD },
	{ "libc", METHOD_LIBC, 0 },
	{ "pmem", METHOD_PEER, PMEM_F_MEM_NONTEMPORAL },
};

static const char *variant_missing(unsigned op, unsigned index)
{
	struct clp_variant_info info = { .sz = sizeof(info) };

	clp_variant_get(op, index, &info);
	return info.missing;
}

bool method_find(const char *name, unsigned op, struct method *m)
{
	int index = clp_variant_find(op, name);

	memset(m, 0, sizeof(*m));
	m->op = op;
	snprintf(m->name, sizeof(m->name), "%s", name);
	if (index >= 0) {
		m->kind = METHOD_VARIANT;
		m->index = (unsigned)index;
		return true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(others[i].name, name)) {
			m->kind = others[i].kind;
			m->flags = others[i].flags;
			return m->kind != METHOD_PEER || find_pmem();
		}
	}
	return false;
}

static void add(struct method *methods, size_t *n, const struct method *m)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(methods[i].name, m->name))
			return;
	if (*n < METHODS_MAX)
		methods[(*n)++] = *m;
}

static void add_all(unsigned op, struct method *methods, size_t *n)
{
	struct clp_variant_info info = { .sz = sizeof(info) };
	struct method m;

	for (unsigned i = 0; i < clp_variant_count(op); i++) {
		clp_variant_get(op, i, &info);
		if (!info.missing && method_find(info.name, op, &m))
			add(methods, n, &m);
	}
	method_find("libc", op, &m);
	add(methods, n, &m);
}

static _Noreturn void unknown(const char *option, const char *name, unsigned op)
{
	struct clp_variant_info info = { .sz = sizeof(info) };
	char list[512] = "";
	size_t len = 0;

	for (unsigned i = 0; i < clp_variant_count(op); i++) {
		clp_variant_get(op, i, &info);
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s, ", info.name);
	}
	die(EXIT_USAGE, "%s: '%s' is not a routine; known are %sauto, hot, cold, libc, pmem and all", option, name, list);
}

size_t methods_parse(const char *option, const char *list, unsigned op, struct method *methods)
{
	size_t words, n = 0;
	char **word = parse_words(option, list, &words);
	struct method m;

	for (size_t i = 0; i < words; i++) {
		if (!strcmp(word[i], "all")) {
			add_all(op, methods, &n);
			continue;
		}
		if (!method_find(word[i], op, &m)) {
			if (!strcmp(word[i], "pmem"))
				die(EXIT_FAILED,
				    "%s: 'pmem' is not available here: libpmem is not installed (package libpmem1)", option);
			unknown(option, word[i], op);
		}
		if (m.kind == METHOD_VARIANT && variant_missing(op, m.index))
			die(EXIT_FAILED, "%s: '%s' is not available here: %s", option, word[i],
			    variant_missing(op, m.index));
		add(methods, &n, &m);
	}
	free_words(word, words);
	return n;
}

size_t methods_beside_libc(const char *option, const char *list, unsigned op, struct method *methods)
{
	size_t n = methods_parse(option, list, op, methods);
	struct method libc;

	method_find("libc", op, &libc);
	add(methods, &n, &libc);
	return n;
}

static void must(int err, const struct method *m)
{
	if (err)
		die(EXIT_FAILED, "%s failed: %s", m->name, clp_strerror(err));
}

void method_clear(const struct method *m, void *at, size_t len)
{
	switch (m->kind) {
	case METHOD_VARIANT:
		must(clp_clear_with(m->index, at, len, 0), m);
		return;
	case METHOD_POLICY:
		must(clp_clear(at, len, m->flags), m);
		return;
	case METHOD_LIBC:
		libc_memset(at, 0, len);
		return;
	case METHOD_PEER:
		pmem_memset(at, 0, len, m->flags);
		return;
	case METHOD_FUNCTION:
		m->function(at, len);
		return;
	}
}

void method_copy(const struct method *m, void *to, const void *from, size_t len)
{
	switch (m->kind) {
	case METHOD_VARIANT:
		must(clp_copy_with(m->index, to, from, len, 0), m);
		return;
	case METHOD_POLICY:
		must(clp_copy_pages(to, from, len / 4096, m->flags), m);
		return;
	case METHOD_LIBC:
		libc_memcpy(to, from, len);
		return;
	case METHOD_PEER:
		pmem_memcpy(to, from, len, m->flags);
		return;
	case METHOD_FUNCTION:
		die(EXIT_FAILED, "%s does not copy: a fault of this program", m->name);
	}
}
