/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - this process on a system that lacks a system call, or an ioctl: a seccomp filter that answers in its place; or one that is short of
 * descriptors. For children: it stays.
 */
#ifndef FILTER_H
#define FILTER_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* From now on calls of `number` whose argument `arg`, counted from 0, is `value` when masked fail with `error`. Mask 0, value 0: all. */
static inline void filter_call(long number, unsigned arg, unsigned mask, unsigned value, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offsetof(struct seccomp_data, args) + arg * sizeof(uint64_t))),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(98);
}

/* The ioctl of type 'f' (fs.h) and this number. */
static inline void filter_fs_ioctl(unsigned number, int error)
{
	filter_call(SYS_ioctl, 1, 0xffff, 'f' << 8 | number, error);
}

/* Take descriptors until only so many, one or two, can be had. */
static inline void leave_descriptors(unsigned n)
{
	struct rlimit limit;
	int fd, last = -1;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		_exit(98);
	limit.rlim_cur = 64;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(98);
	while ((fd = dup(STDERR_FILENO)) >= 0)
		last = fd;
	while (n--)
		close(last--);
}

static inline void enough_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		_exit(98);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(98);
}

#endif
