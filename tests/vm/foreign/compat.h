/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compat.h - the name and the parameters of the function that clears a huge page, by kernel version.
 */
#ifndef FOREIGN_COMPAT_H
#define FOREIGN_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define CLEARING "folio_zero_user"
#define CLEARING_PARAMETERS struct folio *folio, unsigned long hint
#define CLEARING_PAGE(i) folio_page(folio, i)
#define CLEARING_COUNT folio_nr_pages(folio)
#else
#define CLEARING "clear_huge_page"
#define CLEARING_PARAMETERS struct page *page, unsigned long hint, unsigned int count
#define CLEARING_PAGE(i) nth_page(page, i)
#define CLEARING_COUNT count
#endif

#endif
