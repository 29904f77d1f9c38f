#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# mem.bats - bench mem: what a script that was written for perf reads, the work itself, errors, and that what is reserved is given back.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

huge=/sys/kernel/mm/hugepages/hugepages-2048kB
transparent=/sys/kernel/mm/transparent_hugepage

mem() { "$COMMAND" bench mem "$@"; }

# The shape of an output: figures, sizes and descriptions replaced by a word.
shape()
{
	sed -E -e "s/^(# function '[^']*') \(.*\)$/\1 (DESCRIPTION)/" -e 's/^ *([0-9]+\.[0-9]{6}|inf) [KMG]?(B|bytes)\/sec$/FIGURE/' \
		-e 's/^([0-9]+\.[0-9]{6}|inf)$/BARE/'
}

# perf's own output where it is there, and has the collection.
need_perf()
{
	command -v perf >/dev/null || skip "perf is not installed"
	perf bench mem memset -s 4KB -f default >/dev/null 2>&1 || skip "perf has no bench mem memset"
}

need_root() { [[ $(id -u) -eq 0 ]] || skip "only root reserves huge pages"; }

# Huge pages that can be had: with fragmented memory or a sealed-off /sys the kernel gives none.
need_huge()
{
	need_root
	[[ -w $huge/nr_hugepages ]] || skip "no huge pages of 2MB here"
	local before after
	before=$(<"$huge/nr_hugepages")
	echo $((before + $1)) >"$huge/nr_hugepages" || true
	after=$(<"$huge/nr_hugepages")
	echo "$before" >"$huge/nr_hugepages"
	((after == before + $1)) || skip "the kernel gives no $1 huge pages of 2MB"
}

@test "default format: the lines that a script looks for" {
	run --separate-stderr mem memset -s 64KB -f default,x86-64-stosb,generic
	[[ $(uname -m) == x86_64 ]] || skip "x86-64-stosb is for x86-64"
	echo "$output"
	[[ $status -eq 0 && -z $stderr ]]
	[[ $(grep -c "^# Running 'mem/memset' benchmark:\$" <<<"$output") -eq 1 ]]
	[[ $(grep -cE "^# function '(default|x86-64-stosb|generic)' \([^']*\)\$" <<<"$output") -eq 3 ]]
	[[ $(grep -c '^# Copying 64KB bytes \.\.\.$' <<<"$output") -eq 3 ]]
	[[ $(grep -cE '^ {1,14}[0-9]+\.[0-9]{6} (bytes|KB|MB|GB)/sec$' <<<"$output") -eq 3 ]]
	# Each figure is 14 wide and a blank before, after an empty line.
	mapfile -t lines < <(mem memset -s 64KB -f default)
	[[ ${#lines[@]} -eq 5 && -z ${lines[3]} && ${lines[4]} =~ ^\ (.{14,})\ [A-Za-z]+/sec$ ]]
}

@test "simple format: the function, and the bare figure in bytes a second" {
	run --separate-stderr "$COMMAND" bench -f simple mem memset -s 1MB -l 3 -f default
	echo "$output"
	[[ $status -eq 0 && ${#lines[@]} -eq 2 ]]
	[[ ${lines[0]} =~ ^#\ function\ \'default\'\ \(.*\)$ && ${lines[1]} =~ ^[0-9]+\.[0-9]{6}$ ]]
	# More than 10 MB/s, less than 10 TB/s: it is bytes, not GB.
	((${lines[1]%.*} > 10000000 && ${lines[1]%.*} < 10000000000000))
}

@test "no description holds the quote that ends a function's name" {
	for collection in memset memcpy mmap; do
		run mem "$collection" -f help
		[[ $status -eq 0 && ${lines[0]} == "Available functions:" && $output != *\'* ]]
		[[ $(grep -cE $'^\t[a-z0-9_-]+ \.\.\. [^ ].*$' <<<"$output") -eq $((${#lines[@]} - 1)) ]]
	done
	[[ $(mem memset -f h) == $(mem memset -f help) ]]
}

@test "format and repetitions before mem, after it, and after the collection" {
	wanted=$("$COMMAND" bench -f simple mem memset -s 4KB -f default | shape)
	for words in "-fsimple mem" "--format simple mem" "--format=simple mem" "--form simple mem" "mem -f simple" "-r 3 -f simple mem" "-r 3 mem -f simple"; do
		read -ra leading <<<"$words"
		run --separate-stderr "$COMMAND" bench "${leading[@]}" memset -s 4KB -f default
		echo "$words: $output"
		[[ $status -eq 0 && $(shape <<<"$output") == "$wanted" ]]
	done
	run mem memset --format simple --repeat 3 -s 4KB -f default
	[[ $status -eq 0 && $(shape <<<"$output") == "$wanted" ]]
}

@test "the same lines as perf's: memset and memcpy, both formats" {
	need_perf
	[[ $(uname -m) == x86_64 ]] || skip "functions differ elsewhere"
	for collection in "memset default" "memset x86-64-unrolled" "memset x86-64-stosq" "memset x86-64-stosb" "memcpy default" "memcpy x86-64-unrolled" "memcpy x86-64-movsq" "memcpy x86-64-movsb"; do
		read -r name function <<<"$collection"
		for format in default simple; do
			perf bench -f "$format" mem "$name" -s 1MB -l 200 -f "$function" 2>/dev/null | shape >theirs
			[[ -s theirs ]] || skip "this perf has no $function"
			"$COMMAND" bench -f "$format" mem "$name" -s 1MB -l 200 -f "$function" | shape >ours
			diff theirs ours
		done
	done
}

@test "perf's functions come first, in perf's order" {
	need_perf
	names() { sed -n "s/^# function '\([^']*\)'.*/\1/p"; }
	for name in memset memcpy; do
		perf bench mem "$name" -s 64KB 2>/dev/null | names >theirs
		mem "$name" -s 64KB | names | head -n "$(wc -l <theirs)" >ours
		diff theirs ours
	done
}

@test "mem all: every collection, a heading and an empty line each" {
	run --separate-stderr mem all
	echo "$output"
	[[ $status -eq 0 && -z $stderr ]]
	[[ $(grep -E '^# Running' <<<"$output") == $'# Running mem/memcpy benchmark...\n# Running mem/memset benchmark...\n# Running mem/mmap benchmark...' ]]
	"$COMMAND" bench -f json mem all >lines
	json lines '{s["bench"] for s in of("sample")} == {"mem/memcpy", "mem/memset", "mem/mmap"} and len(of("header")) == 1'
}

@test "mem help lists the collections, --help the options" {
	run --separate-stderr mem help
	[[ $status -eq 0 && $output == *memset*memcpy* || $output == *memcpy*memset* ]]
	for name in "" memset memcpy mmap map; do
		run --separate-stderr mem $name --help
		[[ $status -eq 0 && $output == *Usage* && -z $stderr ]]
	done
}

@test "every routine that is available can be run, in memset and memcpy" {
	for name in memset memcpy; do
		operation=clear
		[[ $name == memset ]] || operation=copy
		run mem "$name" -s 64KB -k 12KB -l 3 --format json
		[[ $status -eq 0 ]]
		printf '%s\n' "$output" >lines
		"$COMMAND" info --no-measure --json >routines
		cat routines lines >both
		json both "{r['name'] for r in of('routine') if r['operation'] == '$operation' and r['available']} | {'auto', 'hot', 'cold', 'default'} <= {s['function'] for s in of('sample')}"
		json lines 'all(s["chunk"] == 12288 and s["bytes"] == 3 * 65536 and s["value"] > 0 and s["better"] == "higher" and s["unit"] == "bytes/sec" for s in of("sample"))'
	done
}

@test "json: samples, their rates, a summary with the spread" {
	"$COMMAND" bench -f json -r 5 mem memset -s 256KB -l 4 -f default,generic >lines
	json lines 'lines[0]["bench"] == "mem/memset" and "memset -s 256KB" in lines[0]["arguments"]'
	json lines '[(s["function"], s["repeat"]) for s in of("sample")] == [(f, r) for f in ("default", "generic") for r in range(1, 6)]'
	json lines 'all(abs(s["value"] * s["seconds"] / s["bytes"] - 1) < 1e-6 and s["page"] == "4KB" and s["threads"] == 1 and s["loops"] == 4 for s in of("sample"))'
	json lines 'all(s["repeats"] == 5 and 0 < s["min"] <= s["median"] == s["value"] <= s["max"] and s["sd"] >= 0 for s in of("summary"))'
	json lines 'all(s["median"] == sorted(x["value"] for x in of("sample") if x["function"] == s["function"])[2] for s in of("summary"))'
}

@test "-o writes the records beside perf's lines; the figures are the same" {
	run --separate-stderr mem memset -s 256KB -l 4 -f default --format simple -o lines
	[[ $status -eq 0 && ${#lines[@]} -eq 2 ]]
	json lines "abs(of('summary')[0]['value'] / ${lines[1]} - 1) < 1e-8"
	# In the default format: base 1024, in the largest unit that leaves 1 or more.
	for size in 4KB 64MB; do
		read -r figure unit < <(mem memset -s "$size" -f default -o lines | tail -n 1)
		json lines "abs(of('summary')[0]['value'] / ($figure * {'KB/sec': 1 << 10, 'MB/sec': 1 << 20, 'GB/sec': 1 << 30}['$unit']) - 1) < 1e-5 and $figure >= 1"
	done
}

@test "-c: cycles a byte, and of which kind" {
	run --separate-stderr mem memset -s 1MB -l 10 -f default -c
	echo "$output"
	[[ $status -eq 0 && $output =~ \ [0-9]+\.[0-9]{6}\ cycles/byte ]]
	mem memset -s 1MB -l 10 -f default -c --json >lines
	json lines 'all(s["unit"] == "cycles/byte" and s["better"] == "lower" and s["cycles"] in ("core cycles", "TSC reference cycles") and 0 < s["value"] < 1000 for s in of("sample"))'
	if grep -q TSC lines; then
		[[ $output == *"# cycles: TSC reference cycles"* ]]
	fi
}

@test "mmap: faults are counted, latencies add up" {
	mem mmap -s 16MB -l 2 -f demand,memfd,populate,madvise-populate --json >lines
	json lines '{s["function"] for s in of("sample")} == {"demand", "memfd", "populate", "madvise-populate"}'
	json lines '{l["function"] for l in of("latency")} == {"demand", "memfd"}'
	json lines 'all(l["touches"] == 4096 and 0 < l["p50_ns"] <= l["p99_ns"] <= l["max_ns"] for l in of("latency"))'
	json lines 'all(sum(b["count"] for b in of("bucket") if b["function"] == l["function"]) == l["touches"] for l in of("latency"))'
	json lines 'all(b["from_ns"] < b["to_ns"] for b in of("bucket"))'
	# Either a fault a page, or the machine always gives transparent huge pages: then fewer.
	json lines 'all(0 < s["faults"] <= 2 * 4096 + 64 for s in of("sample") if s["function"] == "demand")'
}

@test "mmap: the histogram in text with --latency alone" {
	run mem mmap -s 4MB -f demand
	[[ $status -eq 0 && $output != *p99* ]]
	run mem mmap -s 4MB -f demand --latency
	echo "$output"
	[[ $status -eq 0 && $output == *"# a first touch: p50 "*p99*max* ]]
	# Comments all, after the figure.
	! sed '1,/sec$/d' <<<"$output" | grep -v '^#' || return 1
}

@test "mmap: threads share the CPUs out, and all their bytes count" {
	(($(nproc) >= 2)) || skip "one CPU"
	run mem mmap -s 8MB -t 2 -f demand
	echo "$output"
	[[ $status -eq 0 && $output =~ \ (bytes|KB|MB|GB)/sec/thread$'\t'\(\ \+-\ +[0-9]+\.[0-9]{2}%\ \) ]]
	mem mmap -s 8MB -l 3 -t 2 -f demand -r 5 --json >lines
	json lines 'all(s["threads"] == 2 and s["bytes"] == 2 * 3 * 8 << 20 for s in of("sample"))'
	json lines 'all(l["touches"] == 2 * 2048 for l in of("latency"))'
	mem mmap -s 8MB -l 3 -t 2 -f demand -c --json >lines
	json lines 'all(0 < s["value"] < 1000 for s in of("sample"))'
}

@test "map is mmap" {
	run mem map -s 1MB -f populate
	[[ $status -eq 0 && $output == "# Running 'mem/mmap' benchmark:"* ]]
}

@test "commands that a small machine can't run: one line, status 1" {
	failure "free" bench mem memset -k 1GB -f default -s 16TB
	failure "free" bench mem mmap -p 4KB -f demand -s 32TB -l 5
	if [[ -d ${huge%/*}/hugepages-1048576kB ]]; then
		failure "1GB" bench mem mmap -p 1GB -f demand -s 32TB -l 5
	fi
	if [[ -d $huge ]]; then
		failure "2MB" bench mem map -p 2MB -f demand -s 64TB -l 5
	fi
}

@test "huge pages that are missing: how to reserve them" {
	[[ -d $huge ]] || skip "no huge pages of 2MB here"
	wanted=$(($(<"$huge/free_hugepages") + 8))
	failure "--reserve" bench mem mmap -p 2MB -f demand -s $((2 * wanted))MB
	[[ $stderr == *"$wanted huge pages of 2MB"* && $stderr == *nr_hugepages* ]]
	failure "--reserve" bench mem memset -p 2MB -f default -s $((2 * wanted))MB
}

@test "bad values" {
	for words in "memset -s 1.5MB:1.5MB" "memset -s 0:'0'" "memset -s 99999999999999999999:99999999999999999999" "memset -k 2MB:2MB" "memset -k 1X:1X" "memset -l 0:'0'" "memset -l -1:-1" \
		"memset -f foo:foo" "memset -f default,foo:foo" "memset --offset -1:-1" "memset -p 3MB:3MB" "memset -p 0:'0'" "memset --pin x:x" \
		"memcpy --source 256:256" "memcpy -s 1000 -f auto:auto" "memset --source 1:--source" "memset -t 2:-t" "memset -r 2:-r" "memset surplus:surplus" \
		"mmap -t 0:'0'" "mmap -r -1:-1" "mmap -s 3KB:3KB" "mmap -s 1MB -p 2MB:1MB" "mmap -k 4KB:-k" "mmap -f default:default" "mmap --format xml:xml" "mmap --repeat 0:'0'" \
		"frobnicate:frobnicate" "all surplus:surplus" "-f xml memset:xml" "-r 0 memset:'0'" ":--help" "-f simple:help"; do
		read -ra arguments <<<"${words%%:*}"
		if [[ $words == ":--help" ]]; then
			usage_error "mem help" bench mem
			continue
		fi
		usage_error "${words##*:}" bench mem "${arguments[@]}"
	done
	usage_error "-f" bench -f simple clear
}

@test "an unknown function: the list of those that there are" {
	usage_error "Unknown function: 'foo'" bench mem memset -f foo
	[[ $stderr == *default*generic*auto* ]]
}

@test "a page that there is not: the list of those that there are" {
	usage_error "'3MB'" bench mem mmap -p 3MB
	[[ $stderr == *4KB* ]]
	[[ ! -d $huge || $stderr == *2MB* ]]
}

@test "a routine that this processor lacks" {
	missing=$(missing_routine)
	[[ $missing ]] || skip "every routine is available on this processor"
	failure "$missing" bench mem memset -f "$missing"
}

@test "more threads than CPUs, a CPU that there is not, output that can't be written" {
	failure "1000 threads" bench mem mmap -t 1000 -f demand
	failure "1000" bench mem memset -f default --pin 1000
	failure "/nonexistent/file" bench mem memset -f default -o /nonexistent/file
	[[ -c /dev/full ]] || skip "no /dev/full here"
	# shellcheck disable=SC2016 # expanded by the inner shell
	run --separate-stderr bash -c '"$1" bench mem memset -s 4KB -f default >/dev/full' _ "$COMMAND"
	[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 ]]
}

@test "--reserve: the pages are there for the run, and gone after it" {
	need_huge 16
	before=$(<"$huge/nr_hugepages")
	for words in "mmap -f demand,populate,memfd" "memset -f default" "memcpy -s 8MB -f default,generic"; do
		read -ra arguments <<<"$words"
		run --separate-stderr mem "${arguments[0]}" -s 16MB -p 2MB --reserve "${arguments[@]:1}"
		echo "$words: $status $output $stderr"
		[[ $status -eq 0 && $(<"$huge/nr_hugepages") -eq $before ]]
	done
	mem mmap -s 16MB -p 2MB --reserve -f demand --json >lines
	json lines '[(s["page"], s["pages"]) for s in of("sample")] == [("2MB", "hugetlb")] and of("sample")[0]["faults"] >= 8'
}

@test "--reserve: only what is lacking; a pool is never made smaller than it was" {
	need_huge 16
	before=$(<"$huge/nr_hugepages")
	echo $((before + 3)) >"$huge/nr_hugepages"
	run --separate-stderr mem mmap -s 16MB -p 2MB --reserve -f demand
	after=$(<"$huge/nr_hugepages")
	echo "$before" >"$huge/nr_hugepages"
	[[ $status -eq 0 && $after -eq $((before + 3)) ]]
	# While it runs there is what it needs, and no more.
	echo $((before + 3)) >"$huge/nr_hugepages"
	free=$(<"$huge/free_hugepages")
	start_reserved
	echo "$before" >"$huge/nr_hugepages"
	kill -INT "$pid"
	wait "$pid" || true
	echo "$before" >"$huge/nr_hugepages"
	[[ $during -eq $((before + 3 + (free < 8 ? 8 - free : 0))) ]]
}

@test "--reserve: given back after an error" {
	need_huge 16
	before=$(<"$huge/nr_hugepages")
	failure "/nonexistent/file" bench mem mmap -s 16MB -p 2MB --reserve -f demand -o /nonexistent/file
	[[ $(<"$huge/nr_hugepages") -eq $before ]]
}

# A long run on reserved pages, in a process group of its own, as a terminal's job is: $pid; $during: pages while it runs.
start_reserved()
{
	local i
	setsid "$COMMAND" bench -r 1000000 mem mmap -s 16MB -p 2MB -l 10 --reserve -f demand --json >lines 2>err &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		[[ $(grep -c '"sample"' lines) -lt 3 ]] || break
		sleep 0.1
	done
	during=$(<"$huge/nr_hugepages")
}

# End it by a signal to all of its group; the pool is as before, soon.
reserved_and_ended_by()
{
	local signal=$1 before i
	need_huge 16
	before=$(<"$huge/nr_hugepages")
	start_reserved
	kill "-$signal" -- "-$pid"
	status=0
	wait "$pid" || status=$?
	for ((i = 0; i < 100; i++)); do
		[[ $(<"$huge/nr_hugepages") -ne $before ]] || break
		sleep 0.1
	done
	echo "$signal: status $status, pages $before, $during, $(<"$huge/nr_hugepages"); $(<err)"
	[[ $during -gt $before && $(<"$huge/nr_hugepages") -eq $before ]]
}

@test "--reserve: given back after SIGINT; what was taken is kept, status 130" {
	reserved_and_ended_by INT
	[[ $status -eq 130 && ! -s err ]]
	json lines 'len(of("sample")) >= 3 and lines[-1]["interrupted"] is True'
}

@test "--reserve: given back after SIGTERM and after SIGKILL" {
	reserved_and_ended_by TERM
	[[ $status -eq 130 ]]
	reserved_and_ended_by KILL
	[[ $status -eq 137 ]]
}

@test "transparent huge pages of a chosen size: switched on, used, and switched back" {
	need_root
	[[ -w $transparent/hugepages-64kB/enabled ]] || skip "no transparent huge pages of 64KB here"
	before=$(grep -H . "$transparent"/enabled "$transparent"/hugepages-*/*enabled)
	if [[ $(<"$transparent/hugepages-64kB/enabled") == *"[never]"* ]]; then
		failure "64KB" bench mem mmap -p 64KB -s 8MB -f demand
	fi
	mem mmap -p 64KB -s 8MB -f demand,memfd,madvise-populate --reserve --json >lines
	json lines '[(s["page"], s["pages"]) for s in of("sample")] == 3 * [("64KB", "transparent")]'
	json lines 'all(s["given"] >= 0.9 * s["bytes"] for s in of("sample"))'
	# A fault a page of 64 KiB, give or take the few of the run itself: neither 4 KiB pages nor 2 MiB ones.
	json lines 'all(100 <= s["faults"] <= 256 for s in of("sample") if s["function"] == "demand")'
	[[ $(grep -H . "$transparent"/enabled "$transparent"/hugepages-*/*enabled) == "$before" ]]
}

@test "text: an interruption says so, status 130" {
	"$COMMAND" bench -r 1000000 mem memset -s 4MB -l 20 -f default >out 2>err &
	pid=$!
	sleep 1
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	cat out err
	[[ $status -eq 130 && ! -s err && $(<out) == *"# interrupted"* ]]
	grep -qE '^ +[0-9]+\.[0-9]{6} [A-Z]*B/sec$' out
}
