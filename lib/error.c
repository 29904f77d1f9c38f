/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * error.c - errors in words, and the version.
 */
#include <errno.h>

#include "lib.h"

const char *clp_strerror(int error)
{
	switch (error < 0 ? -(unsigned)error : (unsigned)error) {
	case 0:
		return "Success";
	case EINVAL:
		return "Invalid argument: unknown or contradictory flags, a misaligned, wrapping or overlapping region, or "
		       "a damaged profile";
	case ENOENT:
		return "No such routine, operation or file";
	case ENOTSUP:
		return "The routine is not available on this machine";
	case EOVERFLOW:
		return "The number of pages is too large for the address space";
	case ESTALE:
		return "The profile was measured on another processor or hypervisor";
	case EBUSY:
		return "Another thread is loading a profile";
	case EACCES:
		return "Permission denied";
	case EFBIG:
		return "The file is too large to be a profile";
	default:
		return "Unexpected error";
	}
}

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *clp_version(void)
{
	return VERSION(CLP_VERSION_MAJOR, CLP_VERSION_MINOR, CLP_VERSION_PATCH);
}
