#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# failures.bats - what goes wrong outside the command line: too little memory, no huge pages, unwritable output, bad profiles, an
# interruption. One line that says what and what to do; status 1 (130 for an interruption).

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

@test "more memory than there is: says how much is free" {
	for bench in clear copy use regret quick; do
		failure "4 TiB" bench "$bench" --size 4096GB --samples 1 || failure "TiB" bench "$bench" --size 4096GB --samples 1
		[[ $stderr == *free* && $stderr =~ [0-9.]+\ [KMGT]iB.*[0-9.]+\ [KMGT]iB ]]
	done
}

@test "missing huge pages: says how to reserve them" {
	free=/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages
	if [[ -e $free && $(<"$free") -gt 0 ]]; then
		skip "1 GB pages are reserved here"
	fi
	for bench in clear copy use; do
		failure "1GB" bench "$bench" --size 4KB --samples 1 --page 1GB
		[[ $stderr == *nr_hugepages* ]]
	done
}

@test "a CPU that there is not" {
	failure "1000" bench clear --size 4KB --samples 1 --variant stosb --pin 1000
}

@test "more threads than CPUs" {
	failure "1000" bench clear --size 4KB --samples 1 --variant stosb --threads 1000
}

@test "output that can't be written" {
	for words in "info --no-measure" "check --quick" "bench clear --size 4KB" "bench copy --size 4KB" "bench use" "bench regret" "bench quick"; do
		read -ra command <<<"$words"
		failure "/nonexistent/file" "${command[@]}" --output /nonexistent/file
		failure "'$BATS_TEST_TMPDIR'" "${command[@]}" --output "$BATS_TEST_TMPDIR"
	done
}

@test "tune: output that can't be written" {
	failure "/nonexistent/profile" tune --output /nonexistent/profile
}

@test "a full disk" {
	[[ -c /dev/full ]] || skip "no /dev/full here"
	for words in "info --no-measure" "info --no-measure --json" "check --quick --variant stosb" "check --quick --variant stosb --json"; do
		read -ra command <<<"$words"
		run --separate-stderr bash -c '"$@" >/dev/full' _ "$COMMAND" "${command[@]}"
		echo "$words: $status, $stderr"
		[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == "clearpages: "* ]]
	done
	run --separate-stderr "$COMMAND" info --no-measure --output /dev/full
	[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == *"/dev/full"* ]]
}

@test "a reader that goes away" {
	run bash -c '"$1" info --no-measure | head -n 1; exit "${PIPESTATUS[0]}"' _ "$COMMAND"
	# By SIGPIPE or with an error, but not by a crash.
	[[ $status -eq 0 || $status -eq 1 || $status -eq 141 ]]
}

@test "a damaged profile: info says so, and everything goes on" {
	printf 'clearpages-profile 1\ncpu Some' >profile
	CLEARPAGES_PROFILE=$PWD/profile run --separate-stderr "$COMMAND" info --no-measure --json
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"$PWD/profile"* ]]
	printf '%s\n' "$output" >lines
	json lines '[l["state"] for l in of("profile")] == ["damaged"] and of("profile")[0]["path"].endswith("/profile")'
	CLEARPAGES_PROFILE=$PWD/profile run --separate-stderr "$COMMAND" info --no-measure
	[[ $status -eq 0 && $output == *"$PWD/profile"*damaged* ]]
}

@test "the profile of another machine: info says so" {
	{
		printf 'clearpages-profile 1\ncpu OtherVendor 1 2 3\nhypervisor none\nprobe auto 0 0\nprobe hot 0 0\nlimit 0\n'
		printf 'plan %s max generic\n' hot hot-uncached cold auto cached uncached copy-hot copy-cold copy-auto
		echo end
	} >profile
	CLEARPAGES_PROFILE=$PWD/profile run --separate-stderr "$COMMAND" info --no-measure --json
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"$PWD/profile"* ]]
	printf '%s\n' "$output" >lines
	json lines '[l["state"] for l in of("profile")] == ["foreign"]'
	run --separate-stderr "$COMMAND" bench regret --quick --profile "$PWD/profile"
	[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == *"$PWD/profile"* ]]
}

@test "CLEARPAGES_VARIANT: an unknown routine is reported in one line" {
	CLEARPAGES_VARIANT=nosuch run --separate-stderr "$COMMAND" info --no-measure
	echo "$stderr"
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"CLEARPAGES_VARIANT"*"nosuch"* ]]
	CLEARPAGES_DISABLE=nosuch run --separate-stderr "$COMMAND" info --no-measure
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"CLEARPAGES_DISABLE"*"nosuch"* ]]
}

@test "CLEARPAGES_DISABLE: info says what is disabled" {
	CLEARPAGES_DISABLE=stosb run --separate-stderr "$COMMAND" info --no-measure
	[[ $status -eq 0 && -z $stderr && $output == *stosb*"unavailable: disabled by CLEARPAGES_DISABLE"* ]]
	export CLEARPAGES_DISABLE=stosb
	failure "stosb" bench clear --size 4KB --variant stosb
}

# Start a bench that would take long, interrupt it once it has some samples.
interrupt()
{
	local signal=$1
	shift
	"$COMMAND" "$@" >out 2>err &
	pid=$!
	for ((i = 0; i < 600; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		[[ $(grep -c '"sample"' "$json_file" 2>/dev/null) -lt 5 ]] || break
		sleep 0.1
	done
	kill "-$signal" "$pid" || true
	status=0
	wait "$pid" || status=$?
	echo "status $status after $i tenths; $(wc -l <"$json_file") lines; stderr: $(<err)"
}

@test "SIGINT: the samples are kept, the summary says so, status 130" {
	need_memory 6
	json_file=out
	interrupt INT bench clear --size 16MB --variant stosb --samples 100000 --json
	[[ $status -eq 130 && ! -s err ]]
	json out 'len(of("sample")) >= 5 and lines[-1]["type"] == "summary" and lines[-1]["interrupted"] is True'
}

@test "SIGINT: in text too, and in the file beside it" {
	need_memory 6
	json_file=samples
	interrupt INT bench use --size 16MB --variant stosb --samples 100000 --output samples
	[[ $status -eq 130 && $(<out) == *interrupted* ]]
	json samples 'len(of("sample")) >= 5 and lines[-1].get("interrupted") is True'
}

@test "SIGTERM ends a bench as orderly" {
	need_memory 6
	json_file=out
	interrupt TERM bench copy --size 16MB --variant movsb --samples 100000 --json
	[[ $status -eq 130 || $status -eq 143 ]]
	json out 'lines[-1].get("interrupted") is True'
}
