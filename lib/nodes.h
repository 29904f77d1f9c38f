/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * nodes.h - NUMA nodes: how many there are, their processors, and which one a page lives on or will.
 */
#ifndef CLP_NODES_H
#define CLP_NODES_H

#include <stdbool.h>
#include <stddef.h>

#define CLP_NODES_SYSFS "/sys/devices/system/node"
#define CLP_NODES_MOST	64u /* more are treated as one */
#define CLP_NODE_ANY	(-1)

/* One more than the highest node online below `root`; 1 where that is not known, or there are too many. */
unsigned clp_nodes_read(const char *root);
/* The same of this machine, read once. */
unsigned clp_nodes(void);
/* The node's processors into *mask, `size` bytes of a cpu_set_t; false where it has none, or that is not known. */
bool clp_node_cpus(const char *root, unsigned node, void *mask, size_t size);
/* Where the calling thread runs. */
unsigned clp_node_here(void);

/* Where n pages live, at most CLP_PAGES_ASKED of them: a node, or CLP_NODE_ANY for what is not there. */
#define CLP_PAGES_ASKED 64u
void clp_nodes_of(void **pages, size_t n, int *nodes);
/* Where a page at this address will live by the policy of its mapping: a node, or CLP_NODE_ANY. */
int clp_node_wanted(void *at);

/* The calling thread's policy for memory that it touches first, for another thread to take over. */
struct clp_node_policy {
	int mode; /* -1: not known */
	unsigned long nodes[16];
};
void clp_node_policy_get(struct clp_node_policy *p);
void clp_node_policy_set(const struct clp_node_policy *p);

#endif
