#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the programs of examples/ say: their tables, and one line for what they can't do. ARENA, VM_MEMORY: the programs, absolute paths.
# shellcheck disable=SC2154 # set by run

bats_require_minimum_version 1.5.0

# fails STATUS TEXT COMMAND...: that status, and one line on stderr that has the text.
fails()
{
	local wanted=$1 text=$2
	shift 2
	run --separate-stderr "$@" </dev/null
	echo "$*: status $status, stdout '$output', stderr '$stderr'"
	[[ $status -eq $wanted && ${#stderr_lines[@]} -eq 1 && $stderr == *"$text"* ]]
}

@test "arena: a row for each request, all of the memory in it" {
	run "$ARENA" 16 5
	echo "$output"
	[[ $status -eq 0 && ${#lines[@]} -eq 6 ]]
	local n cleared alone tracking
	for line in "${lines[@]:1}"; do
		read -r n cleared alone tracking <<<"$line"
		((cleared + alone == 16 << 10 && n > 0))
		[[ $tracking =~ ^[a-z]+$ ]]
	done
}

@test "vm-memory: populated once, cleared for each tenant" {
	run "$VM_MEMORY" 16M plain
	echo "$output"
	[[ $status -eq 0 && ${lines[0]} == "16777216 bytes"* && ${lines[1]} == populated* && ${#lines[@]} -eq 4 ]]
}

@test "vm-memory: in huge pages" {
	local there
	there=$(awk '$1 == "HugePages_Free:" { print $2 }' /proc/meminfo)
	((${there:-0} >= 4)) || skip "no huge pages are free: write 4 to /proc/sys/vm/nr_hugepages"
	run "$VM_MEMORY" "$((4 * $(awk '$1 == "Hugepagesize:" { print $2 }' /proc/meminfo)))K" huge
	echo "$output"
	[[ $status -eq 0 && ${lines[0]} != *"kernel likes"* ]]
}

@test "vm-memory: short of huge pages, it says how far it got and how many are missing" {
	local size=$((256 << 30)) page
	page=$(awk '$1 == "Hugepagesize:" { print $2 }' /proc/meminfo)
	((page)) || skip "this kernel has no huge pages"
	fails 1 "try 'plain'" "$VM_MEMORY" "$size" huge
	[[ $stderr =~ ^"vm-memory: "([0-9]+)" of $size bytes populated, "([0-9]+)" short: add "([0-9]+)" to" ]]
	((BASH_REMATCH[1] + BASH_REMATCH[2] == size && BASH_REMATCH[3] * page << 10 == BASH_REMATCH[2]))
}

@test "what is no number, or too much, is refused" {
	for size in '' x 1X -1 1Mb 99999999999999999999G 0; do
		fails 2 "usage: vm-memory SIZE" "$VM_MEMORY" "$size" plain
	done
	fails 2 "usage: vm-memory SIZE" "$VM_MEMORY"
	fails 2 "usage: vm-memory SIZE" "$VM_MEMORY" 4M small
	fails 1 "give a multiple of 4096" "$VM_MEMORY" 5000 plain
	fails 1 "give a smaller size" "$VM_MEMORY" 4000000T plain
	for arguments in 0 x 1x -1 99999999 "1 0" "1 128" "1 1 1"; do
		# shellcheck disable=SC2086 # two words
		fails 2 "usage: arena" "$ARENA" $arguments
	done
}
