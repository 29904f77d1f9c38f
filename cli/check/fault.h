/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.h - make a watched call that may fault, and come back to tell; and emulate what the processor lacks.
 */
#ifndef CHECK_FAULT_H
#define CHECK_FAULT_H

#include <stdbool.h>

#include "call.h"

struct fault {
	enum fault_kind {
		FAULT_ADDRESS,     /* touched what is not mapped: `address` */
		FAULT_MISALIGNED,  /* an aligned access to a misaligned address: `address`, or 0 for not known */
		FAULT_INSTRUCTION, /* an instruction that this processor lacks or nobody has */
		FAULT_OTHER,
	} kind;
	int signal;
	uintptr_t address;
	uint8_t bytes[8]; /* of the instruction, for FAULT_INSTRUCTION */
};

/* Handlers for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGTRAP on a stack of their own. Not nested. */
void fault_open(void);
void fault_close(void);
/* call_run(); false if the callee raised one of the signals: *fault says what. */
bool fault_call(struct call *c, struct fault *fault);

#endif
