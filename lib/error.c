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
		return "Not available on this machine: the routine, or what the kernel would have to do";
	case EOVERFLOW:
		return "The number of pages is too large for the address space";
	case ESTALE:
		return "The profile was measured on another processor or hypervisor";
	case EBUSY:
		return "Another thread is loading a profile";
	case EACCES:
		return "Permission denied: a file, or memory that is not writable";
	case EMFILE:
		return "Too many files are open";
	case ENOMEM:
		return "Part of the region is not mapped, or memory is short";
	case EFAULT:
		return "Part of the region can't be had: too few huge pages, or the end of its file";
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
