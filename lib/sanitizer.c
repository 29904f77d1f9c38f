/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * sanitizer.c - tell the sanitizers what our assembler writes, since they can't see it.
 *
 * The hooks are the sanitizers' public interface (sanitizer/asan_interface.h, msan_interface.h, tsan_interface.h), bound weakly:
 * present only in a process that carries the runtime. Types as gcc's built-in declarations have them. The reports are of the
 * kind after which ASAN_OPTIONS decides whether the program goes on.
 */
#include "lib.h"

extern void *__asan_region_is_poisoned(void *beg, size_t size) __attribute__((weak));
extern void __asan_report_store_n_noabort(void *addr, long size) __attribute__((weak));
extern void __asan_report_load_n_noabort(void *addr, long size) __attribute__((weak));
extern void __msan_unpoison(const volatile void *addr, size_t size) __attribute__((weak));
extern void __msan_copy_shadow(const volatile void *dst, const volatile void *src, size_t size) __attribute__((weak));
extern void __tsan_write_range(void *addr, long size) __attribute__((weak));
extern void __tsan_read_range(void *addr, long size) __attribute__((weak));

bool clp_sanitizer_present(void)
{
	return __asan_region_is_poisoned || __msan_unpoison || __tsan_write_range;
}

void clp_sanitizer_write(void *addr, size_t len)
{
	void *bad;

	if (__asan_region_is_poisoned && __asan_report_store_n_noabort) {
		bad = __asan_region_is_poisoned(addr, len);
		if (bad)
			__asan_report_store_n_noabort(bad, 1);
	}
	if (__msan_unpoison)
		__msan_unpoison(addr, len);
	if (__tsan_write_range)
		__tsan_write_range(addr, (long)len);
}

void clp_sanitizer_copy(void *dst, const void *src, size_t len)
{
	void *bad;

	if (__asan_region_is_poisoned && __asan_report_load_n_noabort) {
		bad = __asan_region_is_poisoned((void *)(uintptr_t)src, len);
		if (bad)
			__asan_report_load_n_noabort(bad, 1);
	}
	if (__tsan_read_range)
		__tsan_read_range((void *)(uintptr_t)src, (long)len);
	clp_sanitizer_write(dst, len);
	if (__msan_copy_shadow)
		__msan_copy_shadow(dst, src, len);
}
