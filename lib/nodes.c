/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * nodes.c - NUMA nodes, from sysfs and by plain system calls: move_pages(2), get_mempolicy(2), set_mempolicy(2).
 */
#define _GNU_SOURCE
#include "nodes.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "lib.h"

/* linux/mempolicy.h, which not every system has. */
#define MPOL_PREFERRED 1
#define MPOL_BIND      2
#define MPOL_MODE      0xff /* without the flags */
#define MPOL_F_ADDR    2ul

#define WORD_BITS      (8 * sizeof(unsigned long))

/* A list as "0-3,8": its members into *set, where that is not NULL. Returns one more than the highest; 0: damaged or empty. */
static unsigned parse_list(const char *text, cpu_set_t *set, size_t size)
{
	unsigned long from, to, end = 0;
	char *after;

	for (; *text >= '0' && *text <= '9'; text = after + (*after == ',')) {
		from = to = strtoul(text, &after, 10);
		if (*after == '-')
			to = strtoul(after + 1, &after, 10);
		if (to < from || to >= 8 * 8192)
			return 0;
		if (to >= end)
			end = to + 1;
		for (; set && from <= to && from < 8 * size; from++)
			CPU_SET_S(from, size, set);
	}
	return *text && *text != '\n' ? 0 : (unsigned)end;
}

unsigned clp_nodes_read(const char *root)
{
	char path[256], text[256];
	unsigned nodes;

	snprintf(path, sizeof(path), "%s/online", root);
	nodes = clp_read_file(path, text, sizeof(text)) ? parse_list(text, NULL, 0) : 1;
	return nodes && nodes <= CLP_NODES_MOST ? nodes : 1;
}

unsigned clp_nodes(void)
{
	static uint32_t known;
	uint32_t nodes = load(known);

	if (!nodes) {
		nodes = clp_nodes_read(CLP_NODES_SYSFS);
		store(known, nodes);
	}
	return nodes;
}

bool clp_node_cpus(const char *root, unsigned node, void *mask, size_t size)
{
	char path[256], text[4096];

	memset(mask, 0, size);
	snprintf(path, sizeof(path), "%s/node%u/cpulist", root, node);
	return clp_read_file(path, text, sizeof(text)) && parse_list(text, mask, size);
}

unsigned clp_node_here(void)
{
	unsigned cpu, node;

	return syscall(SYS_getcpu, &cpu, &node, NULL) ? 0 : node;
}

void clp_nodes_of(void **pages, size_t n, int *nodes)
{
	if (syscall(SYS_move_pages, 0, n, pages, NULL, nodes, 0))
		memset(nodes, 0xff, n * sizeof(*nodes));
	for (size_t i = 0; i < n; i++)
		if (nodes[i] < 0)
			nodes[i] = CLP_NODE_ANY;
}

/* The one node of a mask, or CLP_NODE_ANY. */
static int only(const unsigned long *nodes, size_t words)
{
	int node = CLP_NODE_ANY;

	for (size_t w = 0; w < words; w++) {
		if (!nodes[w])
			continue;
		if (node != CLP_NODE_ANY || nodes[w] & (nodes[w] - 1))
			return CLP_NODE_ANY;
		node = (int)(w * WORD_BITS) + __builtin_ctzl(nodes[w]);
	}
	return node;
}

int clp_node_wanted(void *at)
{
	struct clp_node_policy p = { .mode = 0 };

	if (syscall(SYS_get_mempolicy, &p.mode, p.nodes, 8 * sizeof(p.nodes), at, MPOL_F_ADDR))
		return CLP_NODE_ANY;
	p.mode &= MPOL_MODE;
	return p.mode == MPOL_BIND || p.mode == MPOL_PREFERRED ? only(p.nodes, sizeof(p.nodes) / sizeof(p.nodes[0])) : CLP_NODE_ANY;
}

void clp_node_policy_get(struct clp_node_policy *p)
{
	memset(p, 0, sizeof(*p));
	if (syscall(SYS_get_mempolicy, &p->mode, p->nodes, 8 * sizeof(p->nodes), NULL, 0ul))
		p->mode = -1;
}

void clp_node_policy_set(const struct clp_node_policy *p)
{
	if (p->mode >= 0)
		syscall(SYS_set_mempolicy, p->mode, p->nodes, 8 * sizeof(p->nodes));
}
