#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lib.sh - what scenarios have in common: cases of TAP (the host numbers them), the module, the kernel's log.
module=/sys/kernel/clearpages
export bench=/sys/kernel/debug/clearpages/bench
export transparent=/sys/kernel/mm/transparent_hugepage
seed=${seed:-1}

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; }
skip() { echo "ok - $1 # SKIP $2"; }

# try WHAT COMMAND...: what the command says is shown when it fails.
try()
{
	what=$1
	shift
	if said=$("$@" 2>&1); then
		ok "$what"
	else
		not_ok "$what"
		echo "$said" | sed 's/^/# /'
		return 1
	fi
}

# is WHAT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		echo "# got '$2', expected '$3'"
		return 1
	fi
}

# Each scenario ends with this: it is the proof that it was not cut short.
finish() { echo "token ${1:?}"; }

# Nothing of the scenario makes sense after that.
give_up()
{
	not_ok "$*"
	exit 1
}

loaded() { [ -d /sys/module/clearpages ]; }

unload()
{
	loaded || return 0
	[ "$(cat $module/enabled)" = 0 ] || echo 0 >$module/enabled
	checker rmmod clearpages
}

# load [PARAMETERS]: always a new one, with its settings as they are at load.
load()
{
	unload || give_up "the module of before can't be unloaded"
	checker insmod /modules/clearpages.ko "${1:-}" || give_up "the module can't be loaded with '${1:-}'"
}

switch_on() { echo 1 >$module/enabled || give_up "the module can't be enabled"; }

# The routine in brackets.
chosen() { sed -n 's/.*\[\(.*\)\].*/\1/p' "$module/$1"; }

# Names in the table of routines; "ok": only the usable ones.
routines() { sed -n "s/^\([a-z0-9_]*\): ${1:-.*}\$/\1/p" $module/routines; }

# Is there such a word in the file's first line?
offers() { tr -d '[]' <"$module/$1" | tr ' ' '\n' | grep -qxF "$2"; }

# The kernel's messages since the last `forget`; the host has them all from the console.
forget() { dmesg -c >/dev/null; }
logged() { dmesg | grep -qF -e "$1"; }

# Faults of what the kernel clears itself; anything of the module must have no part in it.
calls() { cat $module/stats/*/order-*/calls | awk '{ n += $1 } END { print n + 0 }'; }

# refused FILE VALUE ERRNO: that error, one line in the log that names the value, and the state as before.
refused()
{
	before=$(cat "$module/$1" 2>/dev/null)
	forget
	if ! said=$(checker write "$module/$1" "$2" "$3"); then
		not_ok "$1: '$2' is refused with $3"
		echo "$said"
	elif [ "$(cat "$module/$1" 2>/dev/null)" != "$before" ]; then
		not_ok "$1: '$2' leaves the state alone"
		echo "# now '$(cat "$module/$1")', before '$before'"
	elif [ "$(dmesg | grep -c "clearpages: ")" != 1 ] || ! logged "clearpages: $1: '$2': "; then
		not_ok "$1: '$2' is named in one line of the log"
		dmesg | sed 's/^/# /'
	else
		ok "$1: '$2' is refused with $3, named in the log, and the state is kept"
	fi
}

# pool PAGES: of 2 MiB, or a give-up, since all else would fail for no reason of the module.
pool()
{
	echo "$1" >/proc/sys/vm/nr_hugepages
	[ "$(cat /proc/sys/vm/nr_hugepages)" = "$1" ] || give_up "the machine has no memory for $1 huge pages"
}
