// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nodes.c - NUMA nodes as sysfs lists them, where pages live, and who takes which chunk: of a machine that is made up here, and of this
 * one where it has several nodes. tests/vm runs it on two.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "../../lib/split.h"
#include "../../lib/workers.h"
#include "unit.h"

static char root[] = "/tmp/clearpages-nodes-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128], *slash;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	mkdir(path, 0755);
	*slash = '/';
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	static const char *const names[] = { "online", "node0/cpulist", "node1/cpulist", "node2/cpulist", "node0", "node1", "node2", "" };
	char path[128];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, names[i]);
		remove(path);
	}
	return 0;
}

static void counts_nodes(void **state)
{
	static const struct {
		const char *text;
		unsigned nodes;
	} lists[] = {
		{ "0\n", 1 },	{ "0-1\n", 2 },	  { "0-3,8\n", 9 }, { "0,2\n", 3 },    { "0-63\n", 64 },
		{ "0-64\n", 1 }, { "\n", 1 },	  { "x\n", 1 },	    { "3-1\n", 1 },    { "0-99999999999999999999\n", 1 },
		{ "0-\n", 1 },	{ "0-1", 2 },
	};

	(void)state;
	assert_int_equal(clp_nodes_read("/nonexistent"), 1);
	for (size_t i = 0; i < COUNT(lists); i++) {
		put("online", lists[i].text);
		assert_int_equal(clp_nodes_read(root), lists[i].nodes);
	}
	assert_true(clp_nodes() >= 1 && clp_node_here() < 1024);
}

static void reads_processors(void **state)
{
	unsigned long mask[4];

	(void)state;
	put("node0/cpulist", "0-1,4,130-131\n");
	put("node1/cpulist", "\n");
	put("node2/cpulist", "2,x\n");
	assert_true(clp_node_cpus(root, 0, mask, sizeof(mask)));
	assert_int_equal(mask[0], 0x13);
	assert_int_equal(mask[2], 0xc);
	assert_int_equal(mask[1] | mask[3], 0);
	/* Memory alone; damaged; not there. */
	assert_false(clp_node_cpus(root, 1, mask, sizeof(mask)));
	assert_false(clp_node_cpus(root, 2, mask, sizeof(mask)));
	assert_false(clp_node_cpus(root, 3, mask, sizeof(mask)));
	/* Of processors that do not fit the mask it says nothing. */
	assert_true(clp_node_cpus(root, 0, mask, 8));
	assert_int_equal(mask[0], 0x13);
}

static void finds_pages(void **state)
{
	unsigned char *p = guarded(2 * PAGE);
	void *pages[] = { p, p + PAGE, p - PAGE };
	int nodes[COUNT(pages)];

	(void)state;
	p[0] = 1;
	clp_nodes_of(pages, COUNT(pages), nodes);
	if (nodes[0] == CLP_NODE_ANY)
		SKIP("move_pages() is not available");
	assert_true(nodes[0] >= 0 && nodes[0] < 1024);
	assert_int_equal(nodes[1], CLP_NODE_ANY);
	assert_int_equal(nodes[2], CLP_NODE_ANY);
	assert_int_equal(clp_node_wanted(p), CLP_NODE_ANY);
	unguard(p, 2 * PAGE);
}

#define AT ((char *)0x40000000)

/* Chunks of the nodes in turn, but for the first, which is nobody's. */
static void in_turn(struct clp_split *s, struct clp_map *map, unsigned nodes)
{
	memset(map, 0, sizeof(*map));
	map->queues = nodes + 1;
	for (size_t i = 0; i < s->chunks; i++) {
		map->queue[i] = (unsigned char)(i ? i % nodes + 1 : 0);
		map->chunks[map->queue[i]]++;
	}
	for (unsigned queue = 1; queue <= nodes; queue++)
		map->cpus[queue] = 2;
	s->map = map;
}

static void in_ascending_order(void **state)
{
	static const struct {
		size_t from, len, chunks;
	} regions[] = { { 0, 8 * MiB, 4 }, { 1, 8 * MiB, 5 }, { MiB, MiB, 1 }, { MiB, MiB + 1, 2 }, { 2 * MiB - 1, 1, 1 }, { 5, 2 * MiB, 2 } };
	struct clp_split s;

	(void)state;
	for (size_t i = 0; i < COUNT(regions); i++) {
		size_t from, len, end = 0, n = 0;

		clp_split_open(&s, AT + regions[i].from, regions[i].len, 2 * MiB);
		assert_int_equal(s.chunks, regions[i].chunks);
		for (; clp_split_take(&s, 0, UINT64_MAX, &from, &len); end += len, n++) {
			assert_int_equal(from, end);
			assert_true(len && len <= 2 * MiB);
			assert_true(from == 0 || (regions[i].from + from) % (2 * MiB) == 0);
		}
		assert_int_equal(end, regions[i].len);
		assert_int_equal(n, s.chunks);
		assert_int_equal(s.begun, regions[i].len);
	}
	/* To the end of the address space. */
	clp_split_open(&s, (char *)(UINTPTR_MAX - 3 * MiB), 3 * MiB, 2 * MiB);
	assert_int_equal(s.chunks, 2);
}

static void own_node_first(void **state)
{
	static struct clp_map map;
	bool taken[9] = { false };
	struct clp_split s;
	size_t from, len;

	(void)state;
	clp_split_open(&s, AT, 18 * MiB, 2 * MiB);
	in_turn(&s, &map, 2);
	/* Node 1's are the odd ones; then nobody's; then node 0's. */
	for (size_t i = 0; i < 9; i++) {
		static const size_t order[] = { 1, 3, 5, 7, 0, 2, 4, 6, 8 };

		assert_true(clp_split_take(&s, 2, UINT64_MAX, &from, &len));
		assert_int_equal(from, order[i] * 2 * MiB);
		taken[from / (2 * MiB)] = true;
	}
	assert_false(clp_split_take(&s, 2, UINT64_MAX, &from, &len));
	assert_false(clp_split_take(&s, 0, UINT64_MAX, &from, &len));
	for (size_t i = 0; i < 9; i++)
		assert_true(taken[i]);
	/* Behind what failed nothing is begun, before it all is. */
	clp_split_open(&s, AT, 18 * MiB, 2 * MiB);
	in_turn(&s, &map, 2);
	for (size_t i = 0; i < 5; i++) {
		static const size_t order[] = { 2, 4, 0, 1, 3 };

		assert_true(clp_split_take(&s, 1, 8 * MiB, &from, &len));
		assert_int_equal(from, order[i] * 2 * MiB);
	}
	assert_false(clp_split_take(&s, 1, 8 * MiB, &from, &len));
}

static void homes(void **state)
{
	static struct clp_map map;
	struct clp_split s;
	unsigned n[3] = { 0 };

	(void)state;
	clp_split_open(&s, AT, 18 * MiB, 2 * MiB);
	assert_int_equal(clp_split_home(&s), 0);
	in_turn(&s, &map, 2);
	/* A worker for each processor of a node, then such as are at home nowhere. */
	for (unsigned i = 0; i < 6; i++)
		n[clp_split_home(&s)]++;
	assert_true(n[0] == 2 && n[1] == 2 && n[2] == 2);
	clp_split_leave(&s, 2);
	assert_int_equal(clp_split_home(&s), 2);
	/* Where there is more to do, more. */
	in_turn(&s, &map, 2);
	map.chunks[1] = 90;
	map.cpus[1] = 8;
	n[0] = n[1] = n[2] = 0;
	for (unsigned i = 0; i < 8; i++)
		n[clp_split_home(&s)]++;
	assert_true(n[1] == 8);
}

/* What is made up of this machine's real nodes covers each chunk, of longer chunks where they would be too many. */
static void maps_a_region(void **state)
{
	static struct clp_map map;
	size_t len = 64 * GiB, end = 0, from, n;
	unsigned char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	unsigned long cpus[16] = { ~0ul };
	struct clp_split s;

	(void)state;
	assert_ptr_not_equal(p, MAP_FAILED);
	for (unsigned populate = 0; populate < 2; populate++) {
		clp_split_open(&s, (char *)p + 123, len - 123, 2 * MiB);
		clp_split_by_node(&s, &map, 2, populate, cpus, sizeof(cpus));
		assert_true(s.chunks <= CLP_CHUNKS_MOST && s.unit % (2 * MiB) == 0);
		assert_int_equal(map.chunks[0] + map.chunks[1] + map.chunks[2], s.chunks);
		for (end = 0; clp_split_take(&s, populate, UINT64_MAX, &from, &n); end += n)
			;
		assert_int_equal(end, len - 123);
	}
	munmap(p, len);
}

/* Chunks end where the job says, also where two threads take them. */
static size_t longest, shortest;

static int measure(char *at, size_t len, unsigned flags)
{
	(void)flags;
	assert_true(((uintptr_t)at + len) % (16 * MiB) == 0);
	if (len > __atomic_load_n(&longest, __ATOMIC_RELAXED))
		__atomic_store_n(&longest, len, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shortest, len, __ATOMIC_RELAXED);
	return 0;
}

static void longer_chunks(void **state)
{
	struct clp_job job = { .work = CLP_WORK_CLEAR, .chunk = measure, .addr = AT + 4 * MiB, .len = 124 * MiB, .unit = 16 * MiB, .threads = 2 };
	size_t failed;

	(void)state;
	longest = shortest = 0;
	assert_int_equal(clp_workers_run(&job, &failed), 0);
	assert_int_equal(failed, job.len);
	assert_int_equal(shortest, job.len);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		assert_int_equal(longest, 16 * MiB);
}

#define MPOL_DEFAULT 0
#define MPOL_BIND    2
#define STRIPE	     (16 * MiB)
#define STRIPED	     (128 * MiB)

/* Stripes of the two nodes in turn. */
static unsigned char *striped(bool touched)
{
	unsigned char *p = mmap(NULL, STRIPED + STRIPE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	p += -(uintptr_t)p & (STRIPE - 1);
	for (size_t at = 0; at < STRIPED; at += STRIPE) {
		unsigned long node = 1ul << (at / STRIPE % 2);

		assert_int_equal(syscall(SYS_mbind, p + at, STRIPE, MPOL_BIND, &node, 64, 0), 0);
	}
	for (size_t at = 0; touched && at < STRIPED; at += 2 * MiB)
		p[at] = 1;
	return p;
}

static unsigned char *stripes;
static unsigned own, all_of_them;

/* Long enough for all threads to come. */
static int remember(char *at, size_t len, unsigned flags)
{
	unsigned node = (unsigned)(((unsigned char *)at - stripes) / STRIPE % 2);

	(void)len;
	(void)flags;
	usleep(20000);
	__atomic_fetch_add(&own, clp_node_here() == node, __ATOMIC_RELAXED);
	__atomic_fetch_add(&all_of_them, 1, __ATOMIC_RELAXED);
	return 0;
}

static void each_on_its_own_node(void **state)
{
	(void)state;
	if (clp_nodes() != 2 || sysconf(_SC_NPROCESSORS_ONLN) < 4)
		SKIP("not a machine of two NUMA nodes with two processors each");
	for (int work = CLP_WORK_CLEAR; work <= CLP_WORK_POPULATE; work++) {
		struct clp_job job = { .work = work, .chunk = remember, .len = STRIPED, .unit = CLP_CHUNK, .threads = 4 };
		size_t failed;

		stripes = striped(work == CLP_WORK_CLEAR);
		job.addr = (char *)stripes;
		own = all_of_them = 0;
		assert_int_equal(clp_workers_run(&job, &failed), 0);
		printf("# %s: %u of %u chunks by a thread of their node\n", work ? "populate" : "clear", own, all_of_them);
		assert_int_equal(all_of_them, STRIPED / CLP_CHUNK);
		/* By chance it would be half of them; at the end threads without work take over what is left. */
		assert_true(own >= all_of_them * 3 / 4);
		munmap(stripes, STRIPED);
	}
}

/* Memory that nobody bound goes where the caller wants his, also where threads touch it that were there before he said so. */
static void by_the_callers_policy(void **state)
{
	static const struct clp_parallel_options four = { .sz = sizeof(four), .threads = 4 };
	size_t size = 32 * MiB;

	(void)state;
	if (clp_nodes() != 2 || sysconf(_SC_NPROCESSORS_ONLN) < 4)
		SKIP("not a machine of two NUMA nodes with two processors each");
	for (int node = 0; node < 2; node++) {
		unsigned long mask = 1ul << node;
		unsigned char *p = guarded(size);

		assert_int_equal(syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 64), 0);
		assert_int_equal(clp_populate_parallel(p, size, &four, NULL), 0);
		assert_int_equal(syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0), 0);
		for (size_t at = 0; at < size; at += PAGE) {
			void *page = p + at;
			int found;

			clp_nodes_of(&page, 1, &found);
			assert_int_equal(found, node);
		}
		unguard(p, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_nodes),	  cmocka_unit_test(reads_processors), cmocka_unit_test(finds_pages),
		cmocka_unit_test(in_ascending_order), cmocka_unit_test(own_node_first),	cmocka_unit_test(homes),
		cmocka_unit_test(maps_a_region),  cmocka_unit_test(longer_chunks), cmocka_unit_test(each_on_its_own_node),
		cmocka_unit_test(by_the_callers_policy),
	};

	return cmocka_run_group_tests_name("nodes", tests, make_root, remove_root);
}
