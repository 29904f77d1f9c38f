#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# expect-report.sh - run a program that must fail and must say a certain word on stderr.
#
# Usage: expect-report.sh WORD PROGRAM [ARGUMENT...]
word=$1
shift
said=$("$@" 2>&1)
status=$?
if [ "$status" -eq 0 ]; then
	echo "ended with status 0; expected a report of $word" >&2
	exit 1
fi
case $said in
*"$word"*) exit 0 ;;
esac
echo "status $status, but no report of $word; it said: $said" >&2
exit 1
