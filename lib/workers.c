/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * workers.c - the pool of threads that help a caller to work through a large region: started when first needed, asleep between, gone when
 * long unused.
 *
 * The caller always works too, so that nothing waits for a thread that never comes. A job is given the number of threads that paid
 * last time. A long one finds it out, first and then now and again: it doubles them as long as that makes it faster by PAYS.
 */
#define _GNU_SOURCE
#include "workers.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "lib.h"
#include "quota.h"
#include "split.h"

#define PAYS         1.15
#define AGAIN        16u /* long jobs, after which one finds out anew: machines change, and the first time may have been a bad one */
#define IDLE_SECONDS 10
#define STACK        ((size_t)64 << 10)

struct task {
	const struct clp_job *job;
	struct task *next;
	struct clp_split split;
	unsigned home;     /* the caller's */
	uint64_t finished; /* bytes done */
	uint64_t failed;   /* offset of the lowest chunk that failed; UINT64_MAX: none */
	unsigned wanted;   /* threads, the caller among them */
	unsigned joined;
	int error;         /* of that chunk; under the lock */
	pthread_cond_t left;
	unsigned long cpus[CLP_CPUS_MOST / 8 / sizeof(unsigned long)]; /* the caller's affinity */
	struct clp_node_policy policy; /* and for memory, where there are several nodes */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct task *tasks; /* all below under the lock */
static unsigned threads, idle;
static bool fork_handled;

/* How many threads pay, by kind of work, as far as is known; at first a guess: clearing may take all of the memory's rate alone. */
static struct learnt {
	uint32_t threads;
	uint32_t limit;	  /* more were not to be had when it was found out */
	uint32_t trusted; /* for so many more long jobs */
} learnt[CLP_WORKS] = { [CLP_WORK_CLEAR] = { .threads = 1 }, [CLP_WORK_POPULATE] = { .threads = 4 } };

static void failed(struct task *t, size_t at, int error)
{
	pthread_mutex_lock(&lock);
	if (at < load(t->failed)) {
		store(t->failed, at);
		t->error = error;
	}
	pthread_mutex_unlock(&lock);
}

/* One chunk; false when there is none. What lies before one that failed is done all the same. */
static bool work_on(struct task *t, unsigned home)
{
	size_t from, len;
	int err;

	if (!clp_split_take(&t->split, home, load(t->failed), &from, &len))
		return false;
	err = t->job->chunk(t->job->addr + from, len, t->job->flags);
	if (err)
		failed(t, from, err);
	__atomic_fetch_add(&t->finished, len, __ATOMIC_RELAXED);
	return true;
}

/* A task that wants one more; under the lock. */
static struct task *find_task(void)
{
	for (struct task *t = tasks; t; t = t->next)
		if (t->joined < t->wanted && load(t->split.begun) < t->job->len && load(t->failed) == UINT64_MAX)
			return t;
	return NULL;
}

/* Run where the caller may, and as near to a node's memory as that allows; touch memory first by the caller's policy. */
static void settle_in(const struct task *t, unsigned home)
{
	unsigned long near[sizeof(t->cpus) / sizeof(t->cpus[0])], any = 0;

	if (home && clp_node_cpus(CLP_NODES_SYSFS, home - 1, near, sizeof(near)))
		for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++)
			any |= near[i] &= t->cpus[i];
	sched_setaffinity(0, sizeof(t->cpus), (const cpu_set_t *)(const void *)(any ? near : t->cpus));
	if (t->split.map)
		clp_node_policy_set(&t->policy);
}

/* Helps until all is taken, or fewer are wanted. */
static void help(struct task *t, unsigned home)
{
	settle_in(t, home);
	/* Without the lock: should too many leave at once, others are free to join. */
	while (work_on(t, home))
		if (load(t->joined) > load(t->wanted))
			break;
	/* What it stored is to be seen by whoever learns that it has left. */
	clp_cpu_drain();
}

static void *worker(void *unused)
{
	struct timespec until;
	unsigned home;
	struct task *t;
	int err = 0;

	(void)unused;
	pthread_mutex_lock(&lock);
	for (;;) {
		t = find_task();
		if (t) {
			store(t->joined, t->joined + 1);
			home = clp_split_home(&t->split);
			pthread_mutex_unlock(&lock);
			help(t, home);
			pthread_mutex_lock(&lock);
			clp_split_leave(&t->split, home);
			store(t->joined, t->joined - 1);
			pthread_cond_signal(&t->left);
			err = 0;
			continue;
		}
		if (err == ETIMEDOUT)
			break;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += IDLE_SECONDS;
		idle++;
		err = pthread_cond_timedwait(&work, &lock, &until);
		idle--;
	}
	threads--;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/* The threads, and what they worked on, are the parent's alone. */
static void after_fork_child(void)
{
	tasks = NULL;
	threads = idle = 0;
	pthread_mutex_init(&lock, NULL);
	pthread_cond_init(&work, NULL);
}

/*
 * One more thread, with the signals blocked that are for the program's own; those that the thread's own stores raise go to the program's
 * handler, as they would from the caller. False where the system has no room for it. Under the lock.
 */
static bool spawn(void)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS };
	sigset_t blocked, before;
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (!fork_handled) {
		if (pthread_atfork(before_fork, after_fork_parent, after_fork_child))
			return false;
		fork_handled = true;
	}
	if (pthread_attr_init(&attr))
		return false;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK > (size_t)PTHREAD_STACK_MIN ? STACK : (size_t)PTHREAD_STACK_MIN);
	sigfillset(&blocked);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&blocked, own[i]);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	err = pthread_create(&thread, &attr, worker, NULL);
	if (err == EINVAL) {
		/* The program's thread-local variables need a larger stack. */
		pthread_attr_destroy(&attr);
		pthread_attr_init(&attr);
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		err = pthread_create(&thread, &attr, worker, NULL);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	if (err)
		return false;
	pthread_setname_np(thread, "clearpages");
	threads++;
	return true;
}

/* Helpers that all tasks want together. Under the lock. */
static unsigned helpers_wanted(void)
{
	unsigned wanted = 0;

	for (const struct task *t = tasks; t; t = t->next)
		wanted += t->wanted - 1;
	return wanted;
}

/* Wake or start as many as are wanted and have not joined; never more threads than there are processors. Under the lock. */
static void call_help(struct task *t, unsigned wanted)
{
	unsigned missing = wanted > t->joined ? wanted - t->joined : 0, most;

	store(t->wanted, wanted);
	most = helpers_wanted();
	if (threads < most) {
		long cpus = sysconf(_SC_NPROCESSORS_ONLN);

		while (threads < most && (long)threads < cpus && spawn())
			;
	}
	for (unsigned i = 0; i < missing && i < idle; i++)
		pthread_cond_signal(&work);
}

/*
 * How many threads pay, found out during a long job: at the end of each phase, of as many chunks for each thread, the rate is compared with
 * that before the threads were doubled. The first chunks of a phase are not counted: those who were called have to arrive.
 */
#define UNCOUNTED 2u
#define COUNTED   8u
#define LONG      32u /* chunks for each of the threads that it begins with: enough for them, and for twice as many */

struct ramp {
	unsigned n, limit;
	bool settled, counting;
	unsigned fewer; /* threads before they were doubled; 0: they were not */
	double before;	/* the rate then */
	uint64_t start, bytes;
};

static void ramp_open(struct ramp *r, const struct clp_job *job, unsigned limit)
{
	struct learnt *l = &learnt[job->work];
	uint32_t known = load(l->threads), trusted = load(l->trusted);
	unsigned fewer;

	*r = (struct ramp){ .n = known < limit ? known : limit, .limit = limit, .settled = true };
	fewer = r->n > 1 ? r->n / 2 : 1;
	if (job->threads) {
		r->n = limit;
	} else if (limit > 1 && job->len / job->unit / LONG >= fewer) {
		/* That all who could be had paid says nothing of more. */
		if (trusted && (known < load(l->limit) || limit <= load(l->limit))) {
			store(l->trusted, trusted - 1);
		} else {
			r->n = fewer;
			r->settled = false;
		}
	}
	r->start = clp_nanoseconds(CLOCK_MONOTONIC);
}

static void ramp_settle(struct ramp *r, struct learnt *l)
{
	r->settled = true;
	store(l->threads, r->n);
	store(l->limit, r->limit);
	store(l->trusted, AGAIN);
}

/* Returns whether the number of threads wanted has changed. */
static bool ramp_step(struct ramp *r, const struct task *t)
{
	uint64_t at, done = load(t->finished);
	unsigned n = r->n;
	double rate;

	if (r->settled || done - r->bytes < (uint64_t)n * t->split.unit * (r->counting ? COUNTED : UNCOUNTED))
		return false;
	at = clp_nanoseconds(CLOCK_MONOTONIC);
	rate = (double)(done - r->bytes) / (double)(at - r->start + 1);
	r->start = at;
	r->bytes = done;
	r->counting = !r->counting;
	if (r->counting)
		return false;
	if (r->fewer && rate < r->before * PAYS) {
		r->n = r->fewer;
		ramp_settle(r, &learnt[t->job->work]);
	} else if (n >= r->limit) {
		ramp_settle(r, &learnt[t->job->work]);
	} else {
		r->fewer = n;
		r->before = rate;
		r->n = 2 * n < r->limit ? 2 * n : r->limit;
	}
	return r->n != n;
}

/* The job is over before that was: what is known is kept. */
static void ramp_close(struct ramp *r, enum clp_work kind)
{
	if (r->settled || !r->fewer)
		return;
	r->n = r->fewer;
	ramp_settle(r, &learnt[kind]);
}

static void attend(struct task *t, struct ramp *r)
{
	while (work_on(t, t->home)) {
		if (!ramp_step(r, t))
			continue;
		pthread_mutex_lock(&lock);
		call_help(t, r->n);
		pthread_mutex_unlock(&lock);
	}
}

static void enter(struct task *t, unsigned wanted)
{
	pthread_cond_init(&t->left, NULL);
	pthread_mutex_lock(&lock);
	t->joined = 1;
	t->next = tasks;
	tasks = t;
	call_help(t, wanted);
	pthread_mutex_unlock(&lock);
}

static void leave(struct task *t)
{
	struct task **at;

	pthread_mutex_lock(&lock);
	for (at = &tasks; *at != t; at = &(*at)->next)
		;
	*at = t->next;
	while (t->joined > 1)
		pthread_cond_wait(&t->left, &lock);
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&t->left);
}

static int alone(const struct clp_job *job, size_t *failed_at)
{
	int err = job->chunk(job->addr, job->len, job->flags);

	*failed_at = err ? 0 : job->len;
	return err;
}

static int work_through(struct task *t, struct ramp *r, size_t *failed_at)
{
	enter(t, r->n);
	attend(t, r);
	leave(t);
	ramp_close(r, t->job->work);
	*failed_at = t->failed == UINT64_MAX ? t->job->len : (size_t)t->failed;
	return t->error;
}

/* In a frame of its own, which one node does without. */
static __attribute__((noinline)) int over_nodes(struct task *t, struct ramp *r, unsigned nodes, size_t *failed_at)
{
	struct clp_map map;

	clp_node_policy_get(&t->policy);
	clp_split_by_node(&t->split, &map, nodes, t->job->work == CLP_WORK_POPULATE, t->cpus, sizeof(t->cpus));
	t->home = clp_node_here() + 1;
	if (t->home >= map.queues)
		t->home = 0;
	map.workers[t->home]++;
	return work_through(t, r, failed_at);
}

static __attribute__((noinline)) int together(const struct clp_job *job, size_t *failed_at)
{
	struct task t = { .job = job, .failed = UINT64_MAX };
	unsigned limit = clp_cpu_limit(t.cpus, sizeof(t.cpus)), nodes;
	struct ramp r;

	clp_split_open(&t.split, job->addr, job->len, job->unit);
	if (job->threads && job->threads < limit)
		limit = job->threads;
	if (limit > job->len / CLP_THREAD_LEAST)
		limit = (unsigned)(job->len / CLP_THREAD_LEAST);
	if (limit > t.split.chunks)
		limit = (unsigned)t.split.chunks;
	ramp_open(&r, job, limit);
	if (r.n < 2 && r.settled)
		return alone(job, failed_at);
	nodes = clp_nodes();
	return nodes > 1 ? over_nodes(&t, &r, nodes, failed_at) : work_through(&t, &r, failed_at);
}

/* What is not worth a second thread goes without even a look at the pool, which takes as long as a short clear. */
int clp_workers_run(const struct clp_job *job, size_t *failed_at)
{
	int state, err;

	if (job->len < CLP_SHARED_LEAST || job->threads == 1)
		return alone(job, failed_at);
	/* A thread that is cancelled amid it would leave helpers with a job on a stack that is gone. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = together(job, failed_at);
	pthread_setcancelstate(state, &state);
	return err;
}
