#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# expect-report.sh - run a program that must fail and must say a certain word on stderr; or, with --once, that goes on and must
# have said it in one report, not more.
#
# Usage: expect-report.sh [--once] WORD PROGRAM [ARGUMENT...]
once=
if [ "$1" = --once ]; then
	once=1
	shift
fi
word=$1
shift
said=$("$@" 2>&1)
status=$?
if [ "$once" ]; then
	reports=$(printf '%s\n' "$said" | grep -c "ERROR: .*$word")
	[ "$reports" -eq 1 ] && exit 0
	echo "$reports reports of $word; it said: $said" >&2
	exit 1
fi
if [ "$status" -eq 0 ]; then
	echo "ended with status 0; expected a report of $word" >&2
	exit 1
fi
case $said in
*"$word"*) exit 0 ;;
esac
echo "status $status, but no report of $word; it said: $said" >&2
exit 1
