/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.c - signals that a routine under check raises: to the emulator if it knows the instruction, else back to the check.
 */
#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "cli.h"
#include "emulate.h"

#define STACK_SIZE ((size_t)64 << 10)

static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

static struct sigaction before[SIGNALS];
static stack_t stack_before;
static void *stack;
static sigjmp_buf back;
static volatile sig_atomic_t armed;
static volatile sig_atomic_t emulating;
static struct fault caught;

static const uint8_t *instruction(const void *context)
{
#if defined(__x86_64__)
	greg_t at = ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	return (const uint8_t *)at; /* NOLINT(performance-no-int-to-ptr) */
#else
	(void)context;
	return NULL;
#endif
}

static void classify(int signal, const siginfo_t *info, const void *context)
{
	const uint8_t *code = instruction(context);

	caught.signal = signal;
	caught.address = (uintptr_t)info->si_addr;
	if (signal == SIGILL) {
		caught.kind = FAULT_INSTRUCTION;
		memset(caught.bytes, 0, sizeof(caught.bytes));
		for (size_t i = 0; code && i < sizeof(caught.bytes); i++)
			caught.bytes[i] = code[i];
	} else if (signal == SIGBUS && info->si_code == BUS_ADRALN) {
		caught.kind = FAULT_MISALIGNED;
	} else if (signal == SIGSEGV && info->si_code == SI_KERNEL) {
		/* x86: a general protection fault, which carries no address. */
		caught.kind = FAULT_MISALIGNED;
		caught.address = 0;
	} else if (signal == SIGSEGV || signal == SIGBUS) {
		caught.kind = FAULT_ADDRESS;
	} else {
		caught.kind = FAULT_OTHER;
	}
}

/* Some versions of qemu-user enter handlers with the stack off by 8: compiled code faults at its first aligned access. */
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
static void handle(int signal, siginfo_t *info, void *context)
{
	if (!armed) {
		/* Our own fault, not a routine's: die of it in the ordinary way. */
		struct sigaction ordinary = { .sa_handler = SIG_DFL };

		sigaction(signal, &ordinary, NULL);
		return;
	}
	if (signal == SIGILL && emulating) {
		uintptr_t address = 0;

		switch (emulate_step(context, &address)) {
		case EMULATE_DONE:
			return;
		case EMULATE_MISALIGNED:
			caught = (struct fault){ .kind = FAULT_MISALIGNED, .signal = SIGSEGV, .address = address };
			siglongjmp(back, 1);
		case EMULATE_UNKNOWN:
			break;
		}
	}
	classify(signal, info, context);
	siglongjmp(back, 1);
}

void fault_open(void)
{
	/* SA_NODEFER: the handler may itself fault (emulation), and is left by siglongjmp() without a mask to restore. */
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_NODEFER) };
	stack_t own;

	stack = malloc(STACK_SIZE);
	own = (stack_t){ .ss_sp = stack, .ss_size = STACK_SIZE };
	if (!stack || sigaltstack(&own, &stack_before))
		die(EXIT_FAILED, "no stack for signals: %s", strerror(errno));
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &action, &before[i]);
}

void fault_close(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	sigaltstack(&stack_before, NULL);
	free(stack);
}

bool fault_call(struct call *c, struct fault *fault)
{
	if (sigsetjmp(back, 0)) {
		armed = 0;
		call_recover();
		*fault = caught;
		return false;
	}
	emulating = c->emulated;
	armed = 1;
	call_run(c);
	armed = 0;
	return true;
}
