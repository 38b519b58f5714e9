// SPDX-License-Identifier: Apache-2.0
/* A module that goes wrong in the ways that Linux reports: a warning, an access that faults, each below calls that the compiler inlines. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>

struct crash_item {
	struct crash_item *next;
	int value;
};

/* Two functions of one name: the symbol table has both. The other is in crash_other.c. */
static __attribute__((noipa)) int crash_step(struct crash_item *item)
{
	int value = item->value;

	pr_debug("step %d\n", value);
	return value + 1;
}

static __always_inline int crash_follow(struct crash_item *item)
{
	return crash_step(item->next) + 1;
}

static noinline int crash_walk(struct crash_item *item)
{
	int sum = crash_follow(item);

	barrier();
	return sum + item->value;
}

static noinline void crash_warn(int value)
{
	WARN(value > 1, "crash_example: value %d\n", value);
}

int crash_other(int value);

static int __init crash_example_init(void)
{
	struct crash_item *item = kzalloc(sizeof(*item), GFP_KERNEL);

	if (!item)
		return -ENOMEM;
	item->value = 2;
	crash_warn(item->value);
	pr_info("other: %d\n", crash_other(item->value));
	pr_info("walk: %d\n", crash_walk(item));
	kfree(item);
	return 0;
}

static void __exit crash_example_exit(void)
{
}

module_init(crash_example_init);
module_exit(crash_example_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("goes wrong, to see what the kernel says about it");
