#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# results.bats - what the commands put out when all is well: text for people, JSON Lines for programs, the same figures in both.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

@test "info: the machine, the routines, the choices" {
	run --separate-stderr "$COMMAND" info --no-measure
	[[ $status -eq 0 && -z $stderr ]]
	for word in Processor Profile L2 "base page" "huge pages" generic stosb avx2 clzero HOT COLD AUTO; do
		[[ $output == *"$word"* ]] || { echo "no word of $word"; return 1; }
	done
}

@test "info --json: one record a fact" {
	"$COMMAND" info --no-measure --json >lines
	json lines 'len(of("routine")) >= 2 and len(of("choice")) >= 6 and len(of("profile")) == 1'
	json lines 'all(r["available"] or r["missing"] for r in of("routine"))'
	json lines '{c["hint"] for c in of("choice")} == {"HOT", "COLD", "AUTO"}'
	json lines 'all(k in lines[0] for k in ("version", "arguments", "cpu", "kernel", "libc", "machine", "time", "seed"))'
	json lines '{r["name"] for r in of("routine") if r["operation"] == "clear"} >= {"generic", "mov", "stosq", "stosb", "movnti", "sse2", "sse2_nt", "avx2", "avx2_nt", "avx512", "avx512_nt", "movdir64b", "clzero"}'
	json lines '{r["name"] for r in of("routine") if r["operation"] == "copy"} >= {"generic", "mov", "movsq", "movsb", "sse2", "sse2_nt", "avx2", "avx2_nt", "avx512", "avx512_nt"}'
}

@test "info: caches are measured too" {
	"$COMMAND" info --json >lines
	json lines 'all(c["measured"] > 0 for c in of("cache") if c["level"] == "L1 data")'
}

@test "info: a routine that is not available says why" {
	missing=$(missing_routine)
	[[ $missing ]] || skip "every routine is available on this processor"
	run "$COMMAND" info --no-measure
	[[ $output == *"$missing"*"unavailable: CPU lacks"* || $output == *"$missing"*"unavailable: system"* ]]
}

@test "--output writes the same records beside the text" {
	run --separate-stderr "$COMMAND" info --no-measure --output lines
	[[ $status -eq 0 && $output == *Processor* ]]
	json lines 'len(of("routine")) >= 2'
	# Again: the file is replaced, not added to.
	before=$(wc -l <lines)
	"$COMMAND" info --no-measure --output lines >/dev/null
	[[ $(wc -l <lines) -eq $before ]]
}

@test "--json with --output: the lines go to the file" {
	run --separate-stderr "$COMMAND" info --no-measure --json --output lines
	[[ $status -eq 0 ]]
	json lines 'len(of("routine")) >= 2'
}

@test "check: a quick run passes and says what was left out" {
	run --separate-stderr "$COMMAND" check --quick
	echo "$output"
	[[ $status -eq 0 && $output == *passed*failed*skipped* ]]
	run --separate-stderr "$COMMAND" check --quick --variant stosb,movsb --seed 42
	[[ $status -eq 0 && $output == *stosb*movsb* && $output == *42* ]]
}

@test "check --json" {
	"$COMMAND" check --quick --variant stosb --json >lines
	json lines 'any("stosb" in str(l.get("name", l.get("variant", ""))) for l in lines)'
}

@test "bench clear: samples, summaries, libc beside" {
	need_memory 6
	"$COMMAND" bench clear --size 4KB,64KB --samples 3 --variant stosb --seed 7 --json >lines
	json lines 'lines[0]["bench"] == "clear" and lines[0]["seed"] == 7'
	json lines 'len(of("sample")) == 2 * 2 * 3'
	json lines '{(s["variant"], s["size"]) for s in of("summary")} == {(v, n) for v in ("stosb", "libc") for n in (4096, 65536)}'
	json lines 'all(0 < s["gbps_min"] <= s["gbps"] <= s["gbps_max"] for s in of("summary"))'
	json lines 'all(0 < s["cycles_page_min"] <= s["cycles_page"] <= s["cycles_page_max"] for s in of("summary"))'
	json lines 'all(s["vs_libc"] == 1 for s in of("summary") if s["variant"] == "libc")'
}

@test "bench clear: text, states, extents" {
	need_memory 6
	run --separate-stderr "$COMMAND" bench clear --size 64KB --samples 3 --variant stosb,auto --state cached,uncached --extent page,whole
	echo "$output"
	[[ $status -eq 0 && -z $stderr ]]
	[[ $output == *GB/s* && $output == *stosb* && $output == *auto* && $output == *libc* && $output == *cached* ]]
}

@test "bench clear --2005" {
	need_memory 6
	run --separate-stderr "$COMMAND" bench clear --2005 --samples 3 --variant stosb
	echo "$output"
	[[ $status -eq 0 && $output == *cyc/page* && $output == *stosb* ]]
}

@test "bench copy: libc's memcpy beside" {
	need_memory 6
	"$COMMAND" bench copy --size 64KB --samples 3 --variant movsb --json >lines
	json lines '{s["variant"] for s in of("summary")} == {"movsb", "libc"} and all(s["operation"] == "copy" for s in of("summary"))'
}

@test "bench use: each share of the lines" {
	need_memory 6
	"$COMMAND" bench use --size 64KB --samples 3 --variant stosb --touch 0,1/64,1/8,1 --json >lines
	json lines 'len({s["touch"] for s in of("summary")}) == 4'
	json lines 'all(s["gbps"] > 0 for s in of("summary"))'
}

@test "bench quick: ends in plain words" {
	need_memory 6
	run --separate-stderr "$COMMAND" bench quick --size 64KB --samples 3
	echo "$output"
	[[ $status -eq 0 && -z $stderr && $output == *"clears of"* ]]
}

@test "bench regret: a summary for each policy and the A/A floor" {
	need_memory 6
	"$COMMAND" bench regret --quick --size 64KB --samples 4 --variant stosb,avx2 --json >lines || "$COMMAND" bench regret --quick --size 64KB --samples 4 --variant stosb --json >lines
	json lines '{s["policy"] for s in of("summary") if "policy" in s} == {"auto", "hot", "cold", "memset", "aa"}'
	json lines 'all(s["bench"] == "regret" and s["geomean"] > 0 and s["max"] >= s["geomean"] * 0.99 and s["cells"] > 0 for s in of("summary") if "policy" in s)'
}

@test "nothing is said on stderr when it is no terminal" {
	need_memory 6
	run --separate-stderr "$COMMAND" bench clear --size 32MB --samples 20 --variant stosb
	[[ $status -eq 0 && -z $stderr ]]
}

@test "around: each way in each round, with the time of the first access and of all" {
	need_memory 6
	run --separate-stderr "$COMMAND" bench around --size 64KB --samples 3 --json
	[[ $status -eq 0 && -z $stderr ]]
	printf '%s\n' "$output" >lines
	json lines '{"around", "cold", "hot", "libc"} <= {s["variant"] for s in of("sample")}'
	json lines 'all(0 < s["first_ns"] <= s["value"] for s in of("sample"))'
	json lines 'len(of("sample")) == 3 * len(of("summary")) and all(s["all_us"] > 0 for s in of("summary"))'
	run "$COMMAND" bench around --variant stosb
	[[ $status -eq 2 && $output == *"--variant: 'stosb'"* ]]
	run "$COMMAND" bench around --radius 0
	[[ $status -eq 2 && $output == *"'0'"* ]]
}

@test "parallel: whole, batches and threads in each round" {
	need_memory 6
	run --separate-stderr "$COMMAND" bench parallel --size 4KB,9MB --threads 1,2 --samples 3 --json
	(($(nproc) >= 2)) || skip "one processor"
	[[ $status -eq 0 && -z $stderr ]]
	printf '%s\n' "$output" >lines
	json lines '{s["variant"] for s in of("sample")} == {"whole", "batched", "parallel", "parallel-1", "parallel-2"}'
	json lines 'len(of("sample")) == 3 * len(of("summary")) == 3 * 2 * 5 and all(s["value"] > 0 and s["cpu_ns"] > 0 for s in of("sample"))'
	json lines 'all(s["us_min"] <= s["us"] <= s["us_max"] and s["vs_whole"] > 0 for s in of("summary"))'
	json lines 'all(s["vs_whole"] == 1 for s in of("summary") if s["variant"] == "whole")'
	# Of one round, the ratio is that of its two times.
	run "$COMMAND" bench parallel --size 64KB --samples 1 --threads 2 --output one
	[[ $status -eq 0 && $output == *"x whole"*"parallel-2"* ]]
	json one 'all(abs(s["vs_whole"] - next(w["us"] for w in of("summary") if w["variant"] == "whole") / s["us"]) < 1e-9 for s in of("summary"))'
}

@test "populate: each way, on each kind of page, with faults and processor time" {
	need_memory 2
	for page in 4KB thp; do
		run --separate-stderr "$COMMAND" bench populate --size 16MB --page "$page" --threads 1 --samples 3 --json
		[[ $page == 4KB || $status -eq 0 ]] || continue
		[[ $status -eq 0 && -z $stderr ]]
		printf '%s\n' "$output" >lines
		json lines '{"touch", "madvise", "parallel", "parallel-1"} <= {s["variant"] for s in of("sample")}'
		json lines 'len(of("warmup")) == 1 and len(of("sample")) == 3 * len(of("summary"))'
		json lines 'all(s["faults"] > 0 and s["cpu_us"] > 0 and s["us"] > 0 for s in of("summary"))'
		json lines 'all(s["vs_touch"] == 1 for s in of("summary") if s["variant"] == "touch")'
		# With base pages a fault each, however they are had.
		[[ $page == thp ]] || json lines '"mmap" in {s["variant"] for s in of("sample")} and all(s["faults"] >= 4096 for s in of("summary") if s["page"] == "4KB")'
	done
	run "$COMMAND" bench populate --size 16MB --memfd --page 4KB --samples 1 --threads 1
	[[ $status -eq 0 && $output == *"a memfd"*"Warm-up"*"x touch"* ]]
}

@test "parallel, populate: what does not apply, and more threads than CPUs" {
	for bench in parallel populate; do
		usage_error "--variant: 'stosb'" bench "$bench" --variant stosb
		usage_error "--pin: '0'" bench "$bench" --pin 0
		usage_error "--samples: '1002'" bench "$bench" --samples 1002
		usage_error "--threads: '0'" bench "$bench" --threads 0
		failure "--threads: 1024" bench "$bench" --threads 1024
	done
	usage_error "2MB" bench populate --size 16KB --page 2MB
}

@test "bench/populate: beside QEMU, and what it refuses" {
	script=$BATS_TEST_DIRNAME/../../bench/populate
	refuses()
	{
		local status_wanted=$1 words=$2
		shift 2
		run --separate-stderr "$script" "$@"
		echo "$*: $status, $stderr"
		[[ $status -eq $status_wanted && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == *"$words"* ]]
	}
	refuses 2 "--frobnicate" --frobnicate
	refuses 2 "'8XB'" --size 8XB
	refuses 2 "'4KB'" --size 4KB --page 2MB
	refuses 2 "--rounds" --rounds 0
	refuses 1 "'nosuch'" --qemu nosuch
	command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
	refuses 1 "'/nonexistent'" --library /nonexistent --page 4KB --size 8MB
	library=$(dirname "$COMMAND")/../lib/libclearpages.so.0
	! grep -q __asan_init "$library" || skip "a library with a sanitizer can't be loaded into python3"
	run --separate-stderr "$script" --page 4KB --size 8MB --rounds 2 --threads 2 --library "$library" --output lines
	[[ $status -eq 0 && -z $stderr && $output == *"x QEMU"*qemu-2*parallel-2* ]]
	json lines 'len(of("sample")) == 4 and {s["variant"] for s in of("summary")} == {"qemu-2", "parallel-2"}'
	json lines 'all(s["cpu_us"] > 0 and 0 < s["us_min"] <= s["us"] <= s["us_max"] for s in of("summary"))'
}

@test "recycle: each way, each share, round by round" {
	need_memory 2
	run --separate-stderr "$COMMAND" bench recycle --size 8MB --share 0,1/10,1 --samples 14 --json
	[[ $status -eq 0 ]]
	printf '%s\n' "$output" >lines
	json lines '{"recycle", "clear", "memset", "drop"} <= {s["variant"] for s in of("sample")}'
	json lines 'len([s for s in of("sample") if s["variant"] == "recycle"]) == 3 * 14'
	json lines 'len([s for s in of("sample") if s["variant"] == "drop"]) == 3 * 4'
	json lines 'all(0 < s["use_ns"] <= s["value"] for s in of("sample"))'
	json lines '{s["share"] for s in of("summary")} == {"none", "1/10", "all"}'
	json lines 'all(s["min_ms"] <= s["mean_ms"] <= s["max_ms"] and s["samples"] in (1, 4) for s in of("summary"))'
	run "$COMMAND" bench recycle --size 8MB --share 1/2 --page thp --split --samples 11
	[[ $status -eq 0 && $output == *"written"*"x best"*"1/2"*"recycle"* ]]
	for line in "${lines[@]}"; do ((${#line} <= 80)); done
	run "$COMMAND" bench recycle --variant stosb
	[[ $status -eq 2 && $output == *"--variant: 'stosb'"* ]]
	run "$COMMAND" bench recycle --samples 10
	[[ $status -eq 2 && $output == *"'10' rounds"* ]]
	run "$COMMAND" bench recycle --share 1/0
	[[ $status -eq 2 && $output == *"--share: '1/0'"* ]]
	run "$COMMAND" bench recycle --read half
	[[ $status -eq 2 && $output == *"--read: 'half'"* ]]
	run "$COMMAND" bench recycle --page 2MB
	[[ $status -eq 2 && $output == *"--page: '2MB'"* ]]
	run "$COMMAND" bench recycle --size 1MB
	[[ $status -eq 2 && $output == *"'1 MiB'"* ]]
}

@test "small: a line a sample, also what an empty call took" {
	run --separate-stderr "$COMMAND" bench small --size 64,512 --samples 5 --json
	[[ $status -eq 0 && -z $stderr ]]
	printf '%s\n' "$output" >lines
	json lines 'len(of("sample")) == 2 * 3 * 5 and {s["variant"] for s in of("sample")} == {"libc", "auto", "empty"}'
	json lines 'all(s["value"] > 0 and s["unit"] == "ns" and s["better"] == "lower" for s in of("sample"))'
}
