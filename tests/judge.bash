# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# judge.bash - for scripts that print TAP: cases that are fine where there is nothing to say, counted in n and failed.

n=0 failed=0

# judge WHAT TEXT: fine when the text is empty; else it says what is wrong.
judge()
{
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		failed=$((failed + 1))
		echo "not ok $n - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}
