/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hello.c - a program of which only the way it is linked matters.
 */
#include <stdio.h>

int main(void)
{
	puts("hello");
	return 0;
}
