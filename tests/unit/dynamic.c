// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dynamic.c - the shared library loaded with dlopen, used, and unloaded, again and again; loaded and used by several threads at once.
 * argv: the library's file.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "unit.h"

static const char *library;

typedef int clear_fn(void *addr, size_t len, unsigned flags);

static clear_fn *clear_of(void *handle)
{
	clear_fn *clear;

	*(void **)&clear = dlsym(handle, "clp_clear");
	return clear;
}

static long mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	long n = 0;
	int c;

	while (f && (c = fgetc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static void again_and_again(void **state)
{
	unsigned char *p = guarded(100000);
	long before = 0;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		void *handle = dlopen(library, i % 2 ? RTLD_NOW | RTLD_LOCAL : RTLD_LAZY | RTLD_GLOBAL);

		if (!handle)
			fail_msg("%s", dlerror());
		memset(p, 0xd1, 100000);
		assert_int_equal(clear_of(handle)(p + 1, 99998, i % 3), 0);
		assert_true(p[0] == 0xd1 && all(p + 1, 99998, 0) && p[99999] == 0xd1);
		assert_int_equal(dlclose(handle), 0);
		if (i == 10)
			before = mappings();
	}
	if (!SANITIZED)
		assert_true(mappings() <= before + 2);
	unguard(p, 100000);
}

static void *open_and_use(void *p)
{
	for (unsigned i = 0; i < 50; i++) {
		void *handle = dlopen(library, RTLD_NOW);

		memset(p, 0xd1, 50001);
		if (!handle || clear_of(handle)(p, 50000, i % 3) || !all(p, 50000, 0) || ((unsigned char *)p)[50000] != 0xd1)
			return p;
		dlclose(handle);
	}
	return NULL;
}

static void by_several_threads(void **state)
{
	unsigned char *p = guarded(4 * 60000);
	pthread_t threads[4];
	void *failed;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_and_use, p + i * 60000), 0);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	unguard(p, 4 * 60000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(again_and_again),
		cmocka_unit_test(by_several_threads),
	};

	if (argc != 2)
		return 2;
	library = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
