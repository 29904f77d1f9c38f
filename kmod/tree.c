// SPDX-License-Identifier: GPL-2.0-only
/*
 * tree.c - stats/ in sysfs: a directory for each routine that can be used here, in it one for each order, one value a file.
 */
#include "kmod.h"

#include <linux/slab.h>
#include <linux/sysfs.h>

struct node {
	struct kobject kobj;
	u8 routine;
	u8 slot; /* of an order's directory */
};

static void node_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct node, kobj));
}

/* A file of a node's directory; `count` says which counter an order's file shows. */
struct node_file {
	struct attribute attr;
	ssize_t (*show)(const struct node *node, const struct node_file *file, char *page);
	enum clp_count count;
};

static ssize_t node_show(struct kobject *kobj, struct attribute *attr, char *page)
{
	const struct node_file *file = container_of(attr, struct node_file, attr);

	return file->show(container_of(kobj, struct node, kobj), file, page);
}

static const struct sysfs_ops node_ops = { .show = node_show };

static ssize_t show_count(const struct node *node, const struct node_file *file, char *page)
{
	return sysfs_emit(page, "%llu\n",
			  clp_counters_read(offsetof(struct clp_counters, count[node->routine][node->slot][file->count])));
}

/* "LOWER CALLS": calls that took from LOWER to twice that many cycles. */
static ssize_t show_histogram(const struct node *node, const struct node_file *file, char *page)
{
	unsigned int bucket;
	int len = 0;

	for (bucket = 0; bucket < CLP_BUCKETS; bucket++) {
		u64 calls = clp_counters_read(offsetof(struct clp_counters, histogram[node->routine][bucket]));

		if (calls)
			len += sysfs_emit_at(page, len, "%llu %llu\n", 1ull << bucket, calls);
	}
	return len;
}

static struct node_file calls_file = { { "calls", 0444 }, show_count, CLP_CALLS };
static struct node_file pages_file = { { "pages", 0444 }, show_count, CLP_PAGES };
static struct node_file cycles_file = { { "cycles", 0444 }, show_count, CLP_CYCLES };
static struct node_file histogram_file = { { "histogram", 0444 }, show_histogram };

static struct attribute *order_attrs[] = { &calls_file.attr, &pages_file.attr, &cycles_file.attr, NULL };
static struct attribute *routine_attrs[] = { &histogram_file.attr, NULL };

/* What is left to the kernel is counted, not timed: a probe on its return would cost more than what it measures. */
static umode_t node_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	bool timed = attr == &cycles_file.attr || attr == &histogram_file.attr;

	return timed && container_of(kobj, struct node, kobj)->routine == CLP_KERNEL ? 0 : attr->mode;
}

static const struct attribute_group order_group = { .attrs = order_attrs, .is_visible = node_visible };
static const struct attribute_group routine_group = { .attrs = routine_attrs, .is_visible = node_visible };
static const struct attribute_group *order_groups[] = { &order_group, NULL };
static const struct attribute_group *routine_groups[] = { &routine_group, NULL };

static const struct kobj_type order_type = { .release = node_release, .sysfs_ops = &node_ops, .default_groups = order_groups };
static const struct kobj_type routine_type = { .release = node_release, .sysfs_ops = &node_ops, .default_groups = routine_groups };

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", static_key_enabled(&clp_counting));
}

static ssize_t enabled_store(struct kobject *kobj, struct kobj_attribute *attr, const char *text, size_t len)
{
	if (sysfs_streq(text, "1")) {
		static_branch_enable(&clp_counting);
	} else if (sysfs_streq(text, "0")) {
		static_branch_disable(&clp_counting);
	} else {
		pr_warn("stats/enabled: '%.*s': 0 or 1\n", (int)strcspn(text, "\n"), text);
		return -EINVAL;
	}
	return len;
}

static ssize_t reset_store(struct kobject *kobj, struct kobj_attribute *attr, const char *text, size_t len)
{
	if (!sysfs_streq(text, "1")) {
		pr_warn("stats/reset: '%.*s': 1\n", (int)strcspn(text, "\n"), text);
		return -EINVAL;
	}
	clp_counters_reset();
	return len;
}

static ssize_t missed_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%lu\n", clp_order0_missed());
}

static struct kobj_attribute enabled_file = __ATTR_RW(enabled);
static struct kobj_attribute reset_file = __ATTR_WO(reset);
static struct kobj_attribute missed_file = __ATTR_RO(missed);
static struct attribute *stats_attrs[] = { &enabled_file.attr, &reset_file.attr, &missed_file.attr, NULL };
static const struct attribute_group stats_group = { .attrs = stats_attrs };

static struct kobject *stats;
static struct kobject *routine_dirs[CLP_ROUTINES];
static struct kobject *order_dirs[CLP_ROUTINES][CLP_SLOTS];

static struct kobject *add(const struct kobj_type *type, struct kobject *parent, const char *name, u8 routine, u8 slot)
{
	struct node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->routine = routine;
	node->slot = slot;
	if (!kobject_init_and_add(&node->kobj, CLP_KOBJ_TYPE(type), parent, "%s", name))
		return &node->kobj;
	kobject_put(&node->kobj);
	return NULL;
}

static bool add_routine(enum clp_routine routine)
{
	unsigned int slot;
	char name[16];

	routine_dirs[routine] = add(&routine_type, stats, clp_routines[routine].name, routine, 0);
	if (!routine_dirs[routine])
		return false;
	for (slot = 0; slot < CLP_SLOTS; slot++) {
		snprintf(name, sizeof(name), "order-%u", clp_slot_order(slot));
		order_dirs[routine][slot] = add(&order_type, routine_dirs[routine], name, routine, slot);
		if (!order_dirs[routine][slot])
			return false;
	}
	return true;
}

int clp_tree_init(struct kobject *parent)
{
	enum clp_routine routine;

	stats = kobject_create_and_add("stats", parent);
	if (!stats || sysfs_create_group(stats, &stats_group))
		goto fail;
	for (routine = 0; routine < CLP_ROUTINES; routine++)
		if (!clp_routines[routine].unusable && !add_routine(routine))
			goto fail;
	return 0;
fail:
	clp_tree_exit();
	return -ENOMEM;
}

void clp_tree_exit(void)
{
	unsigned int routine, slot;

	for (routine = 0; routine < CLP_ROUTINES; routine++) {
		for (slot = 0; slot < CLP_SLOTS; slot++)
			kobject_put(order_dirs[routine][slot]);
		kobject_put(routine_dirs[routine]);
	}
	kobject_put(stats);
}
