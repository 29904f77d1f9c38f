// SPDX-License-Identifier: GPL-2.0-only
/*
 * hook.c - takes over the kernel's function that clears huge folios, by ftrace: the call goes to ours instead, or on as it was.
 *
 * ftrace with IPMODIFY rather than a livepatch: it can be registered again and again, takes effect without a transition, and is cheaper.
 * The kernel's own function is never called from here: on IBT machines its landing pad may be gone. It is left to go on.
 */
#include "kmod.h"

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

static DEFINE_MUTEX(lock); /* enabled; registration */
static bool enabled;

/* Calls that the hook has sent to our function and that have not left it. It may end on another processor than it began on. */
static DEFINE_PER_CPU(long, in_flight);

static void notrace clear_function(CLP_CLEAR_PARAMS)
{
	clp_clear_target(CLP_CLEAR_TARGET());
	this_cpu_dec(in_flight);
}

/* Hooked as well: whether ftrace calls us is learnt by calling it. */
static bool canary_seen;

static noinline void clp_hook_canary(void)
{
	barrier();
}

/* ip is that of ftrace's call at the start of the function, behind a landing pad. */
static __always_inline bool in_canary(unsigned long ip)
{
	return ip - (unsigned long)clp_hook_canary <= 16;
}

static void notrace hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (unlikely(in_canary(ip))) {
		WRITE_ONCE(canary_seen, true);
		return;
	}
	if (clp_setting_now().far == CLP_KERNEL) {
		if (static_branch_likely(&clp_counting))
			clp_count_left(clp_regs_npages(fregs));
		return;
	}
	this_cpu_inc(in_flight);
	clp_regs_go_to(fregs, (unsigned long)clear_function);
}

/* Under the lock. */
static bool works(void)
{
	WRITE_ONCE(canary_seen, false);
	clp_hook_canary();
	return READ_ONCE(canary_seen);
}

static struct ftrace_ops ops = {
	.func = hook,
	.flags = FTRACE_OPS_FL_IPMODIFY,
};

/* The function by its name, since its address is not for modules; the canary by its address. */
static int set_filter(void)
{
	char name[] = CLP_CLEAR_FUNCTION; /* ftrace parses it in place */

	return ftrace_set_filter(&ops, name, strlen(name), true) ?:
	       ftrace_set_filter_ip(&ops, (unsigned long)clp_hook_canary, false, false);
}

static int register_hook(void)
{
	int err;

	err = set_filter();
	if (err) {
		pr_warn("enabled: '1': ftrace finds no function %s in this kernel (error %d)\n", CLP_CLEAR_FUNCTION, err);
		return err == -EINVAL ? -ENOENT : err;
	}
	err = register_ftrace_function(&ops);
	if (err == -EBUSY)
		pr_warn("enabled: '1': %s is redirected already, by a livepatch or another module\n", CLP_CLEAR_FUNCTION);
	else if (err)
		pr_warn("enabled: '1': ftrace refuses to hook %s (error %d)\n", CLP_CLEAR_FUNCTION, err);
	return err;
}

int clp_hook_enable(void)
{
	int err;

	mutex_lock(&lock);
	if (enabled) {
		pr_warn("enabled: '1': it is so already\n");
		err = -EALREADY;
		goto out;
	}
	/* While it is enabled the module stays. */
	if (!try_module_get(THIS_MODULE)) {
		err = -ENODEV;
		goto out;
	}
	err = register_hook();
	if (err) {
		module_put(THIS_MODULE);
		goto out;
	}
	enabled = true;
	if (!works())
		pr_warn("enabled: '1': without effect while kernel.ftrace_enabled is 0\n");
out:
	mutex_unlock(&lock);
	return err;
}

int clp_hook_disable(void)
{
	int err = -EALREADY;

	mutex_lock(&lock);
	if (!enabled) {
		pr_warn("enabled: '0': it is so already\n");
		goto out;
	}
	err = unregister_ftrace_function(&ops);
	if (err) {
		pr_warn("enabled: '0': ftrace does not let go of %s (error %d)\n", CLP_CLEAR_FUNCTION, err);
		goto out;
	}
	enabled = false;
	module_put(THIS_MODULE);
out:
	mutex_unlock(&lock);
	return err;
}

enum clp_hook_state clp_hook_state(void)
{
	enum clp_hook_state state = CLP_HOOK_OFF;

	mutex_lock(&lock);
	if (enabled)
		state = works() ? CLP_HOOK_ON : CLP_HOOK_MUTE;
	mutex_unlock(&lock);
	return state;
}

/*
 * It is off, but for a removal that is forced. The filter outlives the registration: ftrace allocated it.
 *
 * Unregistering waits until no task is between ftrace's entry and our count. Then the count goes to zero, each call being finite; and
 * after one more grace period no task is on its way out of our function.
 */
void clp_hook_exit(void)
{
	if (clp_hook_state() != CLP_HOOK_OFF)
		clp_hook_disable();
	clp_wait_for_none(&in_flight);
	synchronize_rcu_tasks();
	ftrace_free_filter(&ops);
}
