#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tune.bats - measuring a profile: it is written whole or not at all, and the library takes it.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

# One measurement serves all: it is the slow part.
setup_file()
{
	export PROFILE=$BATS_FILE_TMPDIR/profile SAID=$BATS_FILE_TMPDIR/said
	unset CLEARPAGES_PROFILE CLEARPAGES_VARIANT CLEARPAGES_DISABLE
	(($(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo) >= 6 * 1024 * 1024)) || return 0
	"$COMMAND" tune --output "$PROFILE" >"$SAID" 2>&1 </dev/null || echo "tune ended with status $?" >>"$SAID"
}

@test "tune writes a profile that info finds in use" {
	need_memory 6
	cat "$SAID"
	[[ -s $PROFILE ]]
	CLEARPAGES_PROFILE=$PROFILE run --separate-stderr "$COMMAND" info --no-measure
	[[ $status -eq 0 && -z $stderr && $output == *"$PROFILE"*"in use"* ]]
}

@test "tune shows what changed" {
	need_memory 6
	[[ -s $SAID && $(<"$SAID") != *"ended with status"* ]]
}

@test "the profile's form" {
	need_memory 6
	[[ $(grep -v '^#' "$PROFILE" | head -n 1) == "clearpages-profile 1" ]]
	[[ $(tail -n 1 "$PROFILE") == end ]]
	# Each plan once.
	[[ $(grep -c '^plan ' "$PROFILE") -ge 8 ]]
	[[ -z $(sed -n 's/^plan \([a-z-]*\) .*/\1/p' "$PROFILE" | sort | uniq -d) ]]
}

@test "nothing is left beside the profile" {
	need_memory 6
	[[ $(find "$BATS_FILE_TMPDIR" -name '*profile*' | wc -l) -eq 1 ]]
}

@test "an interrupted tune leaves the old profile as it was" {
	need_memory 6
	mkdir place
	echo old >place/profile
	"$COMMAND" tune --output place/profile >out 2>err &
	pid=$!
	sleep 2
	kill -INT "$pid" || skip "tune was done within two seconds"
	status=0
	wait "$pid" || status=$?
	echo "status $status: $(<err)"
	[[ $status -eq 130 && $(<place/profile) == old && $(find place -type f | wc -l) -eq 1 ]]
}
