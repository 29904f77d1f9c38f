// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs.c - /sys/kernel/clearpages: the setting, a value a file. What can't be set is said in the log, and changes nothing.
 */
#include "kmod.h"

#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#define BATCH_LARGEST SZ_1G /* the largest folio */
#define BATCH_CHARS   11    /* "1073741824", and a suffix; longer ones could wrap around */

/* Writers of the setting take turns; readers see one word. */
static DEFINE_MUTEX(setting_lock);

static void change_begin(union clp_setting *s)
{
	mutex_lock(&setting_lock);
	*s = clp_setting_now();
}

static void change_end(union clp_setting s)
{
	WRITE_ONCE(clp_setting_word, s.word);
	mutex_unlock(&setting_lock);
}

static int refuse(const char *file, const char *value, int err, const char *why)
{
	pr_warn("%s: '%s': %s\n", file, value, why);
	return err;
}

/* Which routines a file offers. */
enum offer { OFFER_FAR, OFFER_NEAR, OFFER_ORDER0 };

static bool offered(enum offer offer, enum clp_routine r)
{
	if (clp_routines[r].unusable || (r == CLP_KERNEL && offer == OFFER_NEAR))
		return false;
	return offer != OFFER_ORDER0 || !(clp_routines[r].traits & CLP_VECTOR);
}

/* All, with the chosen one in brackets. Where nothing is done, `kernel` is called so by `none`. */
static ssize_t show_offer(char *page, enum offer offer, enum clp_routine chosen, const char *none)
{
	enum clp_routine r;
	int len = 0;

	for (r = 0; r < CLP_ROUTINES; r++) {
		const char *name = r == CLP_KERNEL ? none : clp_routines[r].name;

		if (offered(offer, r))
			len += sysfs_emit_at(page, len, r == chosen ? "%s[%s]" : "%s%s", len ? " " : "", name);
	}
	return len + sysfs_emit_at(page, len, "\n");
}

/* The routine that is named, if that file offers it; else an error, and it is in the log. */
static int choose(const char *file, enum offer offer, const char *name)
{
	int r = clp_routine_find(name);

	if (r < 0)
		return refuse(file, name, -EINVAL, "no such routine");
	if (clp_routines[r].unusable)
		return refuse(file, name, -EOPNOTSUPP, clp_routines[r].unusable);
	if (r == CLP_KERNEL && offer == OFFER_NEAR)
		return refuse(file, name, -EINVAL, "the kernel's own code takes whole folios: write it to op_far");
	if (!offered(offer, r))
		return refuse(file, name, -EOPNOTSUPP, "uses vector registers, which can't be saved there");
	return r;
}

static int set_routine(const char *file, enum offer offer, const char *name)
{
	int r = choose(file, offer, name);
	union clp_setting s;

	if (r < 0)
		return r;
	change_begin(&s);
	if (offer == OFFER_NEAR)
		s.near = r;
	else
		s.far = r;
	change_end(s);
	return 0;
}

static ssize_t op_far_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return show_offer(page, OFFER_FAR, clp_setting_now().far, "kernel");
}

static int set_op_far(const char *name)
{
	return set_routine("op_far", OFFER_FAR, name);
}

static ssize_t op_near_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return show_offer(page, OFFER_NEAR, clp_setting_now().near, "");
}

static int set_op_near(const char *name)
{
	return set_routine("op_near", OFFER_NEAR, name);
}

static ssize_t order0_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return show_offer(page, OFFER_ORDER0, clp_order0_get(), "off");
}

static int set_order0(const char *name)
{
	int r;

	if (!strcmp(name, "off"))
		return clp_order0_set(CLP_KERNEL);
	if (!strcmp(name, clp_routines[CLP_KERNEL].name))
		return refuse("order0", name, -EINVAL, "'off' leaves small faults to the kernel");
	r = choose("order0", OFFER_ORDER0, name);
	return r < 0 ? r : clp_order0_set(r);
}

static ssize_t batch_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	u32 batch = clp_setting_now().batch;

	if (batch == CLP_BATCH_AUTO)
		return sysfs_emit(page, "auto\n");
	if (batch == CLP_BATCH_PAGE)
		return sysfs_emit(page, "page\n");
	return sysfs_emit(page, "%lu\n", (unsigned long)batch << PAGE_SHIFT);
}

/* Pages, or CLP_BATCH_...; negative: refused. */
static s64 parse_batch(const char *value)
{
	u64 bytes;
	char *end;

	if (!strcmp(value, "auto"))
		return CLP_BATCH_AUTO;
	if (!strcmp(value, "page"))
		return CLP_BATCH_PAGE;
	bytes = memparse(value, &end);
	/* Decimal alone: to memparse() a leading 0 means octal or more. */
	if (end == value || *end || !isdigit(*value) || (*value == '0' && value[1]) || strlen(value) > BATCH_CHARS)
		return refuse("batch", value, -EINVAL, "auto, page, or a size such as 8M");
	if (!bytes || bytes & ~PAGE_MASK)
		return refuse("batch", value, -EINVAL, "not a multiple of the page size");
	if (bytes > BATCH_LARGEST)
		return refuse("batch", value, -EINVAL, "more than the largest folio, 1G");
	return bytes >> PAGE_SHIFT;
}

static int set_batch(const char *value)
{
	s64 batch = parse_batch(value);
	union clp_setting s;

	if (batch < 0)
		return batch;
	change_begin(&s);
	s.batch = batch;
	change_end(s);
	return 0;
}

static ssize_t radius_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", clp_setting_now().radius);
}

static int set_radius(const char *value)
{
	union clp_setting s;
	unsigned int radius;

	if (kstrtouint(value, 10, &radius) || radius > CLP_RADIUS_MAX)
		return refuse("radius", value, -EINVAL, "0 to 512 pages");
	change_begin(&s);
	s.radius = radius;
	change_end(s);
	return 0;
}

static ssize_t enabled_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	enum clp_hook_state state = clp_hook_state();

	return sysfs_emit(page, "%s\n", state == CLP_HOOK_MUTE ? "0 (kernel.ftrace_enabled=0)" : state == CLP_HOOK_ON ? "1" : "0");
}

static int set_enabled(const char *value)
{
	if (!strcmp(value, "1"))
		return clp_hook_enable();
	if (!strcmp(value, "0"))
		return clp_hook_disable();
	return refuse("enabled", value, -EINVAL, "0 or 1");
}

static ssize_t routines_show(struct kobject *kobj, struct kobj_attribute *attr, char *page)
{
	enum clp_routine r;
	int len = 0;

	for (r = 0; r < CLP_ROUTINES; r++)
		len += sysfs_emit_at(page, len, "%s: %s\n", clp_routines[r].name, clp_routines[r].unusable ?: "ok");
	return len;
}

/* What all writes have in common. */
static ssize_t store(int (*set)(const char *value), const char *text, size_t len)
{
	char *copy = kstrndup(text, len, GFP_KERNEL);
	int err;

	if (!copy)
		return -ENOMEM;
	err = set(strim(copy));
	kfree(copy);
	return err ?: len;
}

#define WRITABLE(name)                                                                                                     \
	static ssize_t name##_store(struct kobject *kobj, struct kobj_attribute *attr, const char *text, size_t len)       \
	{                                                                                                                  \
		return store(set_##name, text, len);                                                                       \
	}                                                                                                                  \
	static struct kobj_attribute name##_file = __ATTR_RW(name)

WRITABLE(enabled);
WRITABLE(op_far);
WRITABLE(op_near);
WRITABLE(batch);
WRITABLE(radius);
WRITABLE(order0);
static struct kobj_attribute routines_file = __ATTR_RO(routines);

static struct attribute *attrs[] = { &enabled_file.attr, &op_far_file.attr, &op_near_file.attr, &batch_file.attr,
				     &radius_file.attr,	 &order0_file.attr, &routines_file.attr, NULL };
static const struct attribute_group group = { .attrs = attrs };

static struct kobject *root;

int clp_sysfs_init(void)
{
	union clp_setting s = { { .far = clp_default_far(), .near = clp_default_near(), .radius = 2, .batch = CLP_BATCH_AUTO } };
	int err;

	if (s.near == CLP_KERNEL) {
		pr_err("no routine for the neighbourhood passes the self-test\n");
		return -ENODEV;
	}
	clp_setting_word = s.word;
	root = kobject_create_and_add(KBUILD_MODNAME, kernel_kobj);
	if (!root)
		return -ENOMEM;
	err = clp_tree_init(root);
	if (err)
		goto fail;
	err = sysfs_create_group(root, &group);
	if (!err)
		return 0;
	clp_tree_exit();
fail:
	kobject_put(root);
	return err;
}

void clp_sysfs_exit(void)
{
	sysfs_remove_group(root, &group);
	clp_tree_exit();
	kobject_put(root);
}
