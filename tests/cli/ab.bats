#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ab.bats - comparisons: live and stored, their verdicts, formats and exit statuses, and whatever can go wrong. Nothing here
# depends on how fast anything is: figures are printed by scripts or written into files.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

ab() { run --separate-stderr "$COMMAND" ab "$@" </dev/null; echo "ab $*: status $status"; echo "$output"; echo "stderr: $stderr"; }

# prints NAME FIGURE UNIT: a program that prints its figure, a little higher each time it runs.
prints()
{
	cat >"$1" <<-SCRIPT
		#!/bin/sh
		n=\$(cat $1.count 2>/dev/null || echo 0)
		echo \$((n + 1)) >$1.count
		echo "some words"
		echo "result: $2\$((n % 7)) $3"
	SCRIPT
	chmod +x "$1"
}

# A file of benchmark results: HOST, then a session (header and three samples each of two sizes) for each further figure.
results()
{
	python3 - "$@" <<'PYTHON'
import json, sys
for figure in sys.argv[2:]:
    print(json.dumps({"type": "header", "schema": 1, "bench": "clear", "host": sys.argv[1], "cpu": "a cpu"}))
    for size in 4096, 1 << 20:
        for round in range(3):
            print(json.dumps({"type": "sample", "bench": "clear", "operation": "clear", "variant": "stosb", "size": size, "extent": size,
                              "state": "uncached", "round": round, "gbps": 100 / (float(figure) + round / 100)}))
PYTHON
}

calm=(100 100.1 100.2 100.1 100 100.2 100.1 100)
slow=(105 105.1 105.2 105.1 105 105.2 105.1 105)

@test "ab: a live run of any program, its figure read from what it prints" {
	prints a 100. "MB/sec"
	prints b 90. "MB/sec"
	ab --base ./a --cand b=./b --metric 'result: ([0-9.]+)' --sessions 4 --repeats 2 -o runs.jsonl
	[[ $status -eq 0 && -z $stderr && $output == *"(R)"* && $output == *"MB/s"* && $output == *"higher is better"* ]]
	json runs.jsonl 'lines[0]["bench"] == "ab" and lines[0]["sessions"] == 4'
	json runs.jsonl '[c["label"] for c in of("command")] == ["base", "b"]'
	json runs.jsonl 'len(of("run")) == 4 * 2 * 3 and sum(r["warmup"] for r in of("run")) == 4 * 2 and len(of("session")) == 8'
	json runs.jsonl 'all(r["unit"] == "bytes/sec" and r["better"] == "higher" and 9e7 < r["value"] < 1.1e8 for r in of("run"))'
	json runs.jsonl '[(c["verdict"], c["sessions"], c["label"]) for c in of("comparison")] == [("R", 4, "b")]'
	json runs.jsonl '-11 < of("comparison")[0]["low_percent"] < of("comparison")[0]["change_percent"] < of("comparison")[0]["high_percent"] < -9'
	# Every block has both sides, and the order is not always the same.
	json runs.jsonl 'sorted((s["block"], s["position"]) for s in of("session")) == [(b, p) for b in range(1, 5) for p in (1, 2)]'
	# What was stored says the same again.
	first=$output
	ab runs.jsonl
	[[ $output == "$first" ]]
}

@test "ab: the same seed, the same order; another, another" {
	for seed in 1 1 2 3 4 5; do
		rm -f "order-$seed"
		ab --base true --cand b=true --cand c=true --sessions 3 --repeats 1 --warmup 0 --seed "$seed" -o "order-$seed"
		python3 -c '
import json, sys
print([l["label"] for l in map(json.loads, open(sys.argv[1])) if l["type"] == "session"])' "order-$seed" >>orders
	done
	[[ $(sed -n 1p orders) == "$(sed -n 2p orders)" && $(sort -u orders | wc -l) -ge 3 ]]
}

@test "ab: wall time is the metric of other programs" {
	ab --base true --cand b='sleep 0.05' --sessions 3 --repeats 1 -o runs.jsonl
	[[ $status -eq 0 && $output == *wall* && $output == *"lower is better"* ]]
	json runs.jsonl 'all(r["row"] == "wall" and r["unit"] == "s" and r["value"] >= (0.05 if r["label"] == "b" else 0) for r in of("run"))'
}

@test "ab: benchmarks of ours, each sample's row a row" {
	ab --base 'bench mem memset -s 1MB -f stosb,generic' --cand offset='clearpages bench mem memset -s 1MB -f stosb,generic --offset 64' \
		--sessions 2 --repeats 1 --warmup 0 -o runs.jsonl
	[[ $status -eq 0 && $output == *stosb* && $output == *generic* ]]
	json runs.jsonl 'len(of("comparison")) == 2 and all(c["unit"] == "bytes/sec" and c["better"] == "higher" for c in of("comparison"))'
	usage_error "--output" ab --base 'bench clear --output x' --cand b='bench clear'
}

@test "ab: interrupted, the finished sessions are kept, and --resume goes on from them" {
	command=("$COMMAND" ab --base 'sleep 0.1' --cand b='sleep 0.1' --sessions 6 --repeats 2 --seed 5 -o runs.jsonl)
	setsid "${command[@]}" >out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		[[ $(grep -c '"type":"session"' runs.jsonl 2>/dev/null) -lt 3 ]] || break
		sleep 0.05
	done
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	cat err
	[[ $status -eq 130 && ! -s out && $(wc -l <err) -eq 1 && $(<err) == *"--resume runs.jsonl"* ]]
	# Nothing goes on in its session; what has just ended may take a moment to be gone.
	for ((i = 0; i < 40; i++)); do
		left=$(pgrep -s "$pid" --runstates R,S,D,T) || break
		sleep 0.05
	done
	[[ -z $left ]]
	json runs.jsonl '3 <= len(of("session")) < 12 and not of("comparison")'
	cp runs.jsonl before
	usage_error "sleep 0.2" ab --resume runs.jsonl --base 'sleep 0.2'
	usage_error "--sessions" ab --resume runs.jsonl --sessions 7
	usage_error "--seed" ab --resume runs.jsonl --seed 6
	usage_error "'b'" ab --resume runs.jsonl --cand b=true
	usage_error "other" ab --resume runs.jsonl -o other
	sed '1s/"host":"[^"]*"/"host":"elsewhere"/' runs.jsonl >foreign.jsonl
	usage_error "elsewhere" ab --resume foreign.jsonl
	cmp runs.jsonl before
	# The last line may be cut off: as by a crash.
	truncate -s -3 runs.jsonl
	ab --resume runs.jsonl --base 'sleep 0.1' --seed 5
	[[ $status -eq 0 && $output == *wall* && $stderr == *"cut off"* ]]
	sed -i '/^{.*}$/!d' runs.jsonl
	json runs.jsonl 'len({(s["block"], s["label"]) for s in of("session")}) >= 11 and len(of("comparison")) == 1 and of("comparison")[0]["sessions"] == 6'
	json runs.jsonl 'len([l for l in lines if l["type"] == "again"]) <= 1'
	# Nothing is left to do: it says the same once more, and adds nothing.
	cp runs.jsonl before
	ab --resume runs.jsonl
	[[ $status -eq 0 && $output == *wall* ]]
	cmp runs.jsonl before
}

@test "ab: --prepare runs before each session, and knows whose it is" {
	# shellcheck disable=SC2016 # for the shell that ab starts
	ab --base 'cat now >>ran; echo 5 ms' --cand b='cat now >>ran; echo 5 ms' --metric '([0-9]+)' --prepare 'echo "$CLEARPAGES_LABEL" >now; cat now >>prepared' \
		--sessions 3 --repeats 2 --warmup 1 -o runs.jsonl
	[[ $status -eq 0 && -z $stderr ]]
	json runs.jsonl '[l["label"] for l in of("session")] == open("prepared").read().split() and "prepared" in lines[0]["prepare"]'
	json runs.jsonl '[l["label"] for l in of("session") for _ in range(3)] == open("ran").read().split()'
	# The runs themselves don't see it, unless it was set outside.
	rm -f seen
	# shellcheck disable=SC2016
	ab --base 'echo "${CLEARPAGES_LABEL-none}" >>seen' --cand b=true --prepare true --sessions 2 -o seen.jsonl
	[[ $(sort -u seen) == none ]]
}

@test "ab: a --prepare that fails takes its session with it, and no other" {
	# shellcheck disable=SC2016
	ab --base 'echo 5 ms' --cand b='echo 5 ms; echo >>ran' --metric '([0-9]+)' --sessions 3 --repeats 2 --warmup 0 -o runs.jsonl \
		--prepare 'test "$CLEARPAGES_LABEL" = base && exit 0; echo >>count; [ "$(wc -l <count)" -ne 2 ] || { echo it does not switch; exit 4; }'
	[[ $status -eq 0 && $stderr == *"'b'"*"--prepare"*"status 4"*"it does not switch"* && $(wc -l <ran) -eq 4 ]]
	json runs.jsonl '[(f["label"], f["status"]) for f in of("failed")] == [("b", 4)] and of("comparison")[0]["sessions"] == 2'
	ab --base true --cand b=true --prepare nosuchprogram -o never.jsonl
	[[ $status -eq 1 && -z $output && $stderr == *"--prepare: 'nosuchprogram' can't be run"* && ! -e never.jsonl ]]
	usage_error "--prepare: ''" ab --base true --cand b=true --prepare ""
}

@test "ab: --resume prepares as the run was begun" {
	ab --base true --cand b=true --prepare 'echo >>prepared' --sessions 3 --repeats 1 -o runs.jsonl
	# As if it had ended in its last block.
	sed -i -e '/"type":"comparison"/d' -e '/"block":3/d' runs.jsonl
	usage_error "--prepare" ab --resume runs.jsonl --prepare true
	: >prepared
	ab --resume runs.jsonl
	[[ $status -eq 0 && $(wc -l <prepared) -eq 2 ]]
	results m1 "${calm[@]}" >base.jsonl
	usage_error "--prepare" ab base.jsonl other=base.jsonl --prepare true
}

@test "ab: one file is not another, and a plain file can't be gone on from" {
	results m1 "${calm[@]}" >base.jsonl
	failure "base.jsonl" ab --resume base.jsonl
	failure "nowhere" ab --resume nowhere
	echo '{"type":"header","schema":1,"bench":"ab"}' >short.jsonl
	failure "short.jsonl" ab --resume short.jsonl
}

@test "ab: a command that fails in one session: its words are shown, the others used" {
	cat >flaky <<-'SCRIPT'
		#!/bin/sh
		n=$(cat count 2>/dev/null || echo 0)
		echo $((n + 1)) >count
		if [ "$n" -eq 3 ]; then
			printf 'all is lost\n\377\n'
			exit 5
		fi
		echo "time: 10.$n ms"
	SCRIPT
	chmod +x flaky
	ab --base ./flaky --cand b='echo time: 20 ms' --metric 'time: ([0-9.]+)' --sessions 5 --repeats 2 -o runs.jsonl
	[[ $status -eq 0 && $stderr == *"'base'"*"status 5"*"all is lost"* && $output == *"1 session of base failed"* && $output == *"(R)"* ]]
	json runs.jsonl 'len(of("failed")) == 1 and of("failed")[0]["status"] == 5 and "all is lost" in of("failed")[0]["tail"] and of("failed")[0]["label"] == "base"'
	json runs.jsonl 'of("comparison")[0]["sessions"] == 4'
	first=$output
	ab runs.jsonl
	[[ $output == "$first" ]]
}

@test "ab: ended by a signal" {
	cat >dies <<-'SCRIPT'
		#!/bin/sh
		n=$(cat count 2>/dev/null || echo 0)
		echo $((n + 1)) >count
		[ "$n" -ne 2 ] || kill -SEGV $$
		echo 7.5 s
	SCRIPT
	chmod +x dies
	ab --base ./dies --cand b='echo 7.5 s' --metric '([0-9.]+) s' --sessions 4 --repeats 1 --warmup 0 -o runs.jsonl
	[[ $status -eq 0 && $stderr == *"signal 11"* ]]
	json runs.jsonl 'of("failed")[0]["status"] == 139'
}

@test "ab: a command that there is not, or that never works" {
	ab --base nosuchprogram --cand b=true -o runs.jsonl
	[[ $status -eq 1 && -z $output && $stderr == *"'nosuchprogram'"* ]]
	# A file without a figure is not left behind to be in the way; where the other side came first, there are figures.
	[[ ! -e runs.jsonl ]] || grep '"type":"run"' runs.jsonl
	rm -f runs.jsonl
	ab --base true --cand b=false --sessions 2 --repeats 1 -o runs.jsonl
	[[ $status -eq 1 && $stderr == *"'b' failed in block 2"* && $stderr == *"nothing to compare"* ]]
	json runs.jsonl 'len(of("failed")) == 2 and len(of("session")) == 2'
}

@test "ab: a metric that matches nothing" {
	ab --base 'echo nothing of the kind' --cand b='echo nothing of the kind either' --metric 'took ([0-9.]+)' -o runs.jsonl
	[[ $status -eq 1 && -z $output && $stderr == *"took ([0-9.]+)"* && $stderr == *"nothing of the kind"* ]]
	ab --base 'echo took 0 ms' --cand b='echo took 12 ms' --metric 'took ([0-9.]+)' -o runs.jsonl
	[[ $status -eq 1 && $stderr == *"above 0"* ]]
}

@test "ab: which way is better: from the unit, or from us" {
	ab --base 'echo 5 frobs' --cand b='echo 6 frobs' --metric '([0-9.]+)' -o runs.jsonl
	[[ $status -eq 2 && $stderr == *"'frobs'"*"--lower-is-better"* ]]
	for how in "lower R" "higher I"; do
		rm -f runs.jsonl
		prints a 5. frobs
		prints b 6. frobs
		ab --base ./a --cand b=./b --metric '([0-9.]+)' "--${how% *}-is-better" --sessions 4 --repeats 1 -o runs.jsonl
		[[ $status -eq 0 && $output == *"(${how#* })"* && $output == *"${how% *} is better"* ]]
	done
	usage_error "contradict" ab --base true --cand b=true --lower-is-better --higher-is-better
}

@test "ab: units are scaled, thousands have commas, the last match counts" {
	ab --base 'echo 1 ms; echo 1,234.5 us' --cand b='echo 0.0012345 s' --metric '([0-9.,]+)' --sessions 2 --repeats 1 -o runs.jsonl
	json runs.jsonl 'all(abs(r["value"] - 0.0012345) < 1e-9 and r["unit"] == "s" for r in of("run"))'
	json runs.jsonl 'of("comparison")[0]["verdict"] == "~"'
}

@test "ab: mixed units in one comparison" {
	ab --base 'echo 12 ms' --cand b='echo 12 MB/s' --metric '([0-9.]+)' -o runs.jsonl
	[[ $status -eq 1 && -z $output && $stderr == *"mixed units"*"'s'"* && $stderr == *"'bytes/sec'"* ]]
	results m1 "${calm[@]}" >base.jsonl
	sed 's/"gbps"/"unit": "cycles\/byte", "better": "lower", "value"/' base.jsonl >cand.jsonl
	failure "mixed units" ab base.jsonl cand.jsonl
	cat base.jsonl cand.jsonl >both.jsonl
	failure "mixed units" ab both.jsonl base.jsonl
}

@test "ab: different benchmarks can't be compared" {
	results m1 "${calm[@]}" >base.jsonl
	sed 's/"operation": "clear"/"operation": "copy"/' base.jsonl >cand.jsonl
	failure "different benchmarks" ab base.jsonl cand.jsonl
	sed 's/"bench": "clear"/"bench": "use"/' base.jsonl >cand.jsonl
	failure "different benchmarks" ab base.jsonl cand.jsonl
}

@test "ab: stored results, verdicts, rows that differ in what is compared" {
	results m1 "${calm[@]}" >base.jsonl
	results m1 "${slow[@]}" >slow.jsonl
	results m1 "${calm[@]}" | sed 's/stosb/avx2_nt/' >same.jsonl
	ab base.jsonl slow.jsonl nt=same.jsonl
	[[ $status -eq 0 && -z $stderr ]]
	[[ $(grep -c KiB <<<"$output") -eq 1 && $(grep -c '(R).*~' <<<"$output") -eq 2 && $output == *" nt "* ]]
	# A file of one row more: it is named, and left out.
	{ cat base.jsonl; echo '{"type":"sample","bench":"clear","operation":"clear","variant":"mov","size":4096,"ticks":5.5}'; } >more.jsonl
	ab base.jsonl more.jsonl
	[[ $status -eq 0 && $stderr == *"no counterpart"*"variant=mov"* ]]
}

@test "ab: one session, or one side" {
	results m1 100 >one.jsonl
	results m1 "${calm[@]}" >base.jsonl
	ab base.jsonl one.jsonl
	[[ $status -eq 1 && -z $output && $stderr == *"2 sessions"* ]]
	usage_error "base.jsonl" ab base.jsonl
	usage_error "'1'" ab --sessions 1 --base true --cand b=true
	usage_error "nothing to be compared" ab --base true
	usage_error "--base" ab
	usage_error "--base" ab --cand b=true
	mkdir -p other && cp base.jsonl other/base.jsonl
	usage_error "NAME=FILE" ab base.jsonl other/base.jsonl
}

@test "ab: too few sessions to decide" {
	results m1 100 104 97 102 >base.jsonl
	results m1 103 98 104 100 >cand.jsonl
	ab base.jsonl cand.jsonl --fail-on unsure
	[[ $status -eq 3 && $output == *"4 sessions decide little"* && $output =~ \?\ [0-9]+ ]]
	ab base.jsonl cand.jsonl
	[[ $status -eq 0 ]]
	ab base.jsonl cand.jsonl --json
	printf '%s\n' "$output" >lines
	json lines 'all(c["verdict"] == "?" and c["needed"] > 4 for c in of("comparison"))'
	json lines 'all(c["wilcoxon_can_reject"] is False for c in of("comparison"))'
}

@test "ab: usable as a gate" {
	results m1 "${calm[@]}" >base.jsonl
	results m1 "${slow[@]}" >slow.jsonl
	for words in "regression base slow 1" "regression slow base 0" "unsure base slow 0" "regression,unsure base slow 1" "regression base base2 0"; do
		read -r what a b wanted <<<"$words"
		cp base.jsonl base2.jsonl
		ab "$a.jsonl" "$b.jsonl" --fail-on "$what"
		[[ $status -eq $wanted ]]
	done
	# 5% slower is no regression for who asks for 6%.
	ab base.jsonl slow.jsonl --fail-on regression --threshold 6
	[[ $status -eq 0 && $output == *"~"* ]]
	usage_error "'all'" ab base.jsonl slow.jsonl --fail-on all
	for value in 0 -1 x 1x ""; do
		usage_error "--threshold: '$value'" ab base.jsonl slow.jsonl "--threshold=$value"
	done
	usage_error "'html'" ab base.jsonl slow.jsonl --format html
	usage_error "--sessions" ab base.jsonl slow.jsonl --sessions 4
}

@test "ab: text within 80 columns, Markdown, CSV, JSON" {
	results m1 "${calm[@]}" >base.jsonl
	results m1 "${slow[@]}" >slow.jsonl
	ab base.jsonl slow.jsonl
	[[ $(awk '{ if (length > most) most = length } END { print most }' <<<"$output") -le 80 ]]
	[[ $output == *"sd"*"95% interval"* && $output == *"standard deviation"* ]]
	ab base.jsonl slow.jsonl --format markdown
	[[ $(grep -c '^| stosb' <<<"$output") -eq 2 || $(grep -c '^| .*KiB' <<<"$output") -eq 1 ]]
	ab base.jsonl slow.jsonl --format csv
	[[ $status -eq 0 ]]
	python3 -c '
import csv, sys
rows = list(csv.DictReader(sys.stdin))
assert len(rows) == 2 and all(r["verdict"] == "R" and -4.9 < float(r["change_percent"]) < -4.6 for r in rows), rows' <<<"$output"
	ab base.jsonl slow.jsonl --format json -o comparisons.jsonl
	json comparisons.jsonl 'len(of("comparison")) == 2'
	ab base.jsonl slow.jsonl --json
	printf '%s\n' "$output" >lines
	json lines 'all(c["p"] <= c["p_holm"] < 0.05 and c["sd_percent"] > 0 and c["label"] == "slow" and c["host"] == "m1" for c in of("comparison"))'
	failure "/nonexistent/x" ab base.jsonl slow.jsonl -o /nonexistent/x
}

@test "ab: several machines, a table each and a summary; a lost one loses its table" {
	for m in 1 2 3; do
		prints a$m 100. ms
		prints b$m 10$m. ms
		ab --base ./a$m --cand b=./b$m --metric 'result: ([0-9.]+)' --sessions 5 --repeats 1 -o "m$m.jsonl"
		sed -i "1s/\"host\":\"[^\"]*\"/\"host\":\"machine$m\"/" "m$m.jsonl"
	done
	ab m1.jsonl m2.jsonl lost.jsonl m3.jsonl
	[[ $status -eq 0 && $output == *machine1*machine2*machine3*"Over 3 machines"* && $stderr == *lost.jsonl* ]]
	ab m1.jsonl m2.jsonl m3.jsonl --json
	printf '%s\n' "$output" >lines
	json lines '[s["machines"] for s in of("summary")] == [3] and len(of("comparison")) == 3'
	json lines '(lambda s: s["low_percent"] < s["change_percent"] < s["high_percent"] and s["regressions"] + s["improvements"] + s["same"] + s["unsure"] == 3)(of("summary")[0])'
	# All at once through a pipe.
	"$COMMAND" ab --json - < <(cat m1.jsonl m2.jsonl m3.jsonl) >piped
	json piped 'len(of("comparison")) == 3 and len(of("summary")) == 1'
	failure "nothing" ab lost1.jsonl lost2.jsonl || failure "can't be read" ab lost1.jsonl lost2.jsonl
	results m1 "${calm[@]}" >base.jsonl
	failure "each other" ab base.jsonl m1.jsonl
	# Benchmarks' files of several machines too.
	{ results x "${calm[@]}"; results y "${calm[@]}"; } >bases.jsonl
	{ results x "${slow[@]}"; results y "${slow[@]}"; results z "${slow[@]}"; } >cands.jsonl
	ab bases.jsonl cands.jsonl
	[[ $status -eq 0 && $output == *"Over 2 machines"* && $stderr == *"z: there is nothing of 'bases'"* ]]
}

@test "ab: damaged files: whole lines are used, the damage is named" {
	results m1 "${calm[@]}" >base.jsonl
	results m1 "${slow[@]}" | sed '5s/.*/{"type":"sam/' | head -c -20 >cut.jsonl
	ab base.jsonl cut.jsonl
	[[ $status -eq 0 && $output == *"(R)"* && $stderr == *"line 5 is damaged"* && $stderr == *"cut off"* ]]
	echo nonsense >nothing.jsonl
	ab base.jsonl nothing.jsonl
	[[ $status -eq 1 && -z $output && $stderr == *nothing.jsonl* ]]
	sed 's/"schema": 1/"schema": 99/' base.jsonl >future.jsonl
	failure "schema 99" ab base.jsonl future.jsonl
}

@test "ab: unwritable output, and a file that is there, lose nothing" {
	failure "/nonexistent/runs" ab --base true --cand b=true -o /nonexistent/runs
	echo precious >runs.jsonl
	failure "runs.jsonl" ab --base true --cand b=true -o runs.jsonl
	[[ $(<runs.jsonl) == precious ]]
	[[ -c /dev/full ]] || skip "no /dev/full here"
	failure "/dev/full" ab --base true --cand b=true -o /dev/full
}

@test "ab: what contradicts itself on the command line" {
	usage_error "NAME=CMD" ab --base true --cand true
	usage_error "'b'" ab --base true --cand b=true --cand b=false
	usage_error "second base" ab --base true --base false --cand b=true
	usage_error "'base'" ab --base true --cand base=true
	usage_error "(" ab --base true --cand b=true --metric '('
	usage_error "no group" ab --base true --cand b=true --metric '[0-9]+'
	failure "1000" ab --base true --cand b=true --pin 1000
	for option in --sessions --repeats; do
		for value in 0 -1 x ""; do
			usage_error "$option: '$value'" ab --base true --cand b=true "$option=$value"
		done
	done
}

@test "ab: help, version, unknown options" {
	for option in --help --version; do
		ab "$option"
		[[ $status -eq 0 && -z $stderr && $output == *clearpages* ]]
	done
	usage_error "--frobnicate" ab --frobnicate
	usage_error "--base" ab --base
}

@test "ab: the default file's name is said" {
	ab --base true --cand b=true --sessions 2 --repeats 1
	[[ $status -eq 0 && $stderr == *"ab-"*".jsonl"* && $(compgen -G "ab-*.jsonl" | wc -l) -eq 1 ]]
}
