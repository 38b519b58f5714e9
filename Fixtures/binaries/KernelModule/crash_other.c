// SPDX-License-Identifier: Apache-2.0
#include <linux/kernel.h>

int crash_other(int value);

/* The same name as in crash_example.c, and as long as that is not. */
static __attribute__((noipa)) int crash_step(int value)
{
	dump_stack();
	return value * 3;
}

int crash_other(int value)
{
	int sum = crash_step(value);

	barrier();
	return sum + 1;
}
