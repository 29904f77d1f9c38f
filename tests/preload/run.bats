#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.bats - `run` and `stats`: programs that end in all ways, what is counted of them, which are out of reach, and real ones, unchanged.
# PROGRAMS has those made for this (tests/preload/*.c), LIBRARIES the libraries to preload.

# shellcheck disable=SC2153,SC2154 # COMMAND and the like come from outside; status, output, stderr from run
# shellcheck disable=SC2030,SC2031 # each test is a subshell, and so is its teardown
# shellcheck disable=SC2016 # expanded by the shells that are run
load ../cli/common

setup_file()
{
	# Where the user's own are must not matter.
	XDG_RUNTIME_DIR=$BATS_FILE_TMPDIR/runtime
	mkdir -m 700 "$XDG_RUNTIME_DIR"
	export XDG_RUNTIME_DIR CLEARPAGES_PRELOAD=$LIBRARIES
	unset LD_PRELOAD CLEARPAGES_STATS CLEARPAGES_PRELOAD_MIN
	base=$XDG_RUNTIME_DIR/clearpages
	processes=$PROGRAMS/preload-processes
	export base processes
}

teardown()
{
	[[ ! ${background-} ]] || kill -KILL "$background" 2>/dev/null || true
	rm -rf "$base"
}

# counted KIND SIZE COUNT ARGUMENT...: under --stats the processes make so many calls of that kind and size, and no others of that kind.
counted()
{
	local kind=$1 size=$2 count=$3
	shift 3
	run --separate-stderr "$COMMAND" run --stats --output counts "$@"
	echo "status $status; $output; $stderr"
	python3 - "$kind" "$size" "$count" <<'PYTHON'
import json, sys
rows = [json.loads(text) for text in open("counts")]
rows = [row for row in rows if row.get("call") == sys.argv[1]]
assert [(row["size"], row["calls"]) for row in rows] == [(int(sys.argv[2]), int(sys.argv[3]))], rows
PYTHON
}

mib=1048576

# In the background, under `run OPTION`, a process that clears some times and then waits: its id in $background.
start()
{
	"$COMMAND" run "$1" "$processes" wait "${2-3}" >pid 2>err &
	background=$!
	for ((i = 0; i < 100; i++)); do
		[[ ! -s pid ]] || return 0
		sleep 0.05
	done
	return 1
}

nothing_left()
{
	[[ ! -e $base || -z $(ls "$base") ]]
}

@test "the exit status is the command's" {
	run "$COMMAND" run -- sh -c 'exit 7'
	[[ $status -eq 7 ]]
	run --separate-stderr "$COMMAND" run --stats -- sh -c 'exit 7'
	[[ $status -eq 7 && -z $output ]]
	run "$COMMAND" run sh -c 'kill -TERM $$'
	[[ $status -eq 143 ]]
	run --separate-stderr "$COMMAND" run --stats sh -c 'kill -KILL $$'
	[[ $status -eq 137 ]]
	nothing_left
}

@test "there is no such program, or it can't be executed: 127, 126" {
	for program in nosuch ./nosuch; do
		run -127 --separate-stderr "$COMMAND" run --stats "$program"
		[[ -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == "clearpages: '$program': there is no such program"* ]]
	done
	echo text >text
	fails 126 ./text run ./text
	fails 126 "$PWD" run "$PWD"
	nothing_left
}

@test "wrong usage: one line, status 2" {
	usage_error "run what" run
	usage_error "run what" run --stats
	usage_error "run what" run --
	usage_error "--frobnicate" run --frobnicate true
	usage_error "'12x'" run --min 12x true
	usage_error "4KB" run --min 4095 true
	usage_error "file" run --output file true
	usage_error "--count" run --stats --count true
	usage_error "--stats" stats --stats
	usage_error "'abc'" stats abc
	usage_error "'0'" stats 0
	usage_error "surplus" stats 1 surplus
	usage_error "--json" stats --clean --json
	for words in run stats; do
		run "$COMMAND" "$words" --help
		[[ $status -eq 0 && $output == *Usage* ]]
	done
}

@test "the command's own options are its own" {
	run --separate-stderr "$COMMAND" run --min 1MB echo --stats --help -o x
	[[ $status -eq 0 && $output == "--stats --help -o x" ]]
	run --separate-stderr "$COMMAND" run --min=1MB -- echo -- --min
	[[ $status -eq 0 && $output == "-- --min" ]]
}

@test "it becomes the command: no process is left in between" {
	"$COMMAND" run sh -c 'echo $$' >pid &
	[[ $! -gt 0 ]]
	background=$!
	wait "$background"
	[[ $(<pid) -eq $background ]]
	"$COMMAND" run --count sh -c 'echo $$' >pid &
	background=$!
	wait "$background"
	[[ $(<pid) -eq $background ]]
}

@test "without --count and --stats nothing is made" {
	run --separate-stderr "$COMMAND" run "$processes" plain
	[[ $status -eq 0 && -z $stderr && ! -e $base ]]
}

@test "a program without a large call leaves no file" {
	run --separate-stderr "$COMMAND" run --count "$PROGRAMS/preload-hello"
	[[ $status -eq 0 && $output == hello && -z $(ls "$base"/run.*) ]]
	run --separate-stderr "$COMMAND" run --count "$processes" plain
	[[ $status -eq 0 && -n $(ls "$base"/run.*) ]]
}

@test "what is preloaded already stays, behind ours; what is inherited is not ours" {
	other=$LIBRARIES/libclearpages-preload-memcpy.so
	LD_PRELOAD=$other run --separate-stderr "$COMMAND" run printenv LD_PRELOAD
	[[ $output == "$LIBRARIES/libclearpages-preload.so:$other" ]]
	run --separate-stderr "$COMMAND" run --memcpy printenv LD_PRELOAD
	[[ $output == "$other" ]]
	CLEARPAGES_STATS=$PWD CLEARPAGES_PRELOAD_MIN=1 run --separate-stderr "$COMMAND" run sh -c 'echo "${CLEARPAGES_STATS-none} $CLEARPAGES_PRELOAD_MIN"'
	[[ $output == "none 65536" && -z $stderr ]]
}

@test "CLEARPAGES_PRELOAD: not absolute, not there, or nothing that the loader takes" {
	CLEARPAGES_PRELOAD=build usage_error "'build" run true
	CLEARPAGES_PRELOAD=/nosuch failure "/nosuch/libclearpages-preload.so" run true
	for odd in "a blank" a:colon 'a$LIB'; do
		mkdir "$odd"
		cp "$LIBRARIES"/libclearpages-preload.so "$odd"
		CLEARPAGES_PRELOAD=$PWD/$odd failure "$odd" run true
	done
}

@test "what goes wrong before the program starts leaves nothing" {
	CLEARPAGES_PRELOAD=/nosuch failure "/nosuch/libclearpages-preload.so" run --count true
	failure "'/nosuch/file'" run --stats --output /nosuch/file true
	nothing_left
}

@test "what is out of reach is named before it starts: static" {
	fails 126 "statically linked" run "$PROGRAMS/preload-hello-static"
	printf '#!%s\n' "$PROGRAMS/preload-hello-static" >script
	chmod +x script
	fails 126 "'./script' ('$PROGRAMS/preload-hello-static')" run --stats ./script
	nothing_left
}

@test "what is out of reach is named before it starts: setuid, setgid, capabilities" {
	((EUID == 0)) || skip "only root can make such programs"
	[[ $(findmnt -n -o OPTIONS -T .) != *nosuid* ]] || skip "the file system is mounted nosuid"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" . 2>/dev/null
	install -m 755 "$PROGRAMS/preload-hello" plain
	install -m 755 plain own
	chmod u+s own
	install -o nobody -m 755 plain suid
	chmod u+s suid
	install -g nogroup -m 755 plain sgid
	chmod g+s sgid
	fails 126 "setuid" run ./suid
	fails 126 "setgid" run ./sgid
	# Raises nobody's rights but root's, who has them.
	run "$COMMAND" run ./own
	[[ $status -eq 0 && $output == hello ]]
	# Where the kernel raises nothing the loader preloads.
	run setpriv --no-new-privs "$COMMAND" run ./suid
	[[ $status -eq 0 && $output == hello ]]
	# The capability's bytes by hand: revision 2, CAP_NET_RAW.
	python3 -c 'import os; os.setxattr("plain", "security.capability", bytes.fromhex("0100000200200000" + "00" * 12))' ||
		skip "no file capabilities on this file system"
	run "$COMMAND" run ./plain
	[[ $status -eq 0 ]]
	run setpriv --reuid nobody --clear-groups env CLEARPAGES_PRELOAD=/usr/lib XDG_RUNTIME_DIR="$PWD" "$COMMAND" run ./plain
	echo "$output"
	[[ $status -eq 126 && $output == *"file capabilities"* ]] || [[ $output == *"ermission denied"* ]]
}

@test "what is out of reach is named before it starts: sanitizers, other loaders, other processors" {
	for kind in address thread; do
		cc -fsanitize=$kind -x c - -o sanitized <<<'int main(void) { return 0; }' 2>/dev/null || continue
		fails 126 "Sanitizer" run ./sanitized
	done
	cc -x c - -o loader -Wl,--dynamic-linker=/lib/ld-other.so.1 <<<'int main(void) { return 0; }'
	fails 126 "loader" run ./loader
	# By the head alone: another machine's (EM_VPP500), and 32 bits.
	cp "$PROGRAMS/preload-hello" machine
	printf '\x11\x00' | dd of=machine bs=1 seek=18 conv=notrunc status=none
	fails 126 "another processor" run ./machine
	cp "$PROGRAMS/preload-hello" bits
	printf '\x01' | dd of=bits bs=1 seek=4 conv=notrunc status=none
	fails 126 "32 bits" run ./bits
}

@test "a damaged program is for the kernel to refuse" {
	for size in 3 20 64 100 1000; do
		head -c "$size" "$PROGRAMS/preload-hello" >"cut$size"
	done
	# Offsets, sizes and counts that lead nowhere.
	for at in 32 40 54 56; do
		cp "$PROGRAMS/preload-hello" "wild$at"
		printf '\xff\xff\xff\xff\xff\xff\xff\x7f' | dd of="wild$at" bs=1 seek=$at conv=notrunc status=none
	done
	chmod +x cut* wild*
	for program in cut* wild*; do
		wanted=0 got=0
		env "./$program" >out 2>&1 || wanted=$?
		"$COMMAND" run "./$program" >out 2>&1 || got=$?
		echo "$program: $got instead of $wanted: $(<out)"
		[[ $got -eq $wanted || $(<out) == *"out of reach"* ]]
	done
}

@test "functions are right while they are counted and compared with libc" {
	run --separate-stderr "$COMMAND" run --stats "$PROGRAMS/preload-functions"
	[[ $status -eq 0 && -z $output ]]
	run --separate-stderr "$COMMAND" run --memcpy --stats --output counts "$PROGRAMS/preload-functions" memcpy
	[[ $status -eq 0 && -z $output ]]
	json counts '{l["call"] for l in of("summary") if "call" in l} == {"clear", "erase", "copy", "calloc"}'
	json counts 'all(abs(l["libc_calls"] - l["calls"] / 16) <= 1 for l in of("summary") if l.get("call") in ("clear", "erase"))'
	# Fewer pairs where a call was interrupted.
	json counts 'all(0 < l["pairs"] + l["faulted_pairs"] <= l["libc_calls"] for l in of("summary") if l.get("call") in ("clear", "erase"))'
}

@test "a library's constructor and resolver that come before the setup" {
	run --separate-stderr "$COMMAND" run --stats "$PROGRAMS/preload-early-program"
	echo "$output $stderr"
	[[ $status -eq 0 && -z $output ]]
}

@test "counted: each kind by itself, the low eight bits of a byte, and no short call nor other byte" {
	counted clear $mib 3 "$processes" kinds
	counted erase $mib 1 "$processes" kinds
	counted calloc $mib 1 "$processes" kinds
	run ! counted copy $mib 1 "$processes" kinds
	counted copy $mib 1 --memcpy "$processes" kinds
}

@test "--min" {
	counted clear $mib 3 --min 1MB "$processes" plain
	run --separate-stderr "$COMMAND" run --stats --min 2MB "$processes" plain
	[[ $stderr == "no call of 2 MiB or more" ]]
	CLEARPAGES_PRELOAD_MIN=64K LD_PRELOAD=$LIBRARIES/libclearpages-preload.so run --separate-stderr "$processes" plain
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"CLEARPAGES_PRELOAD_MIN=64K"*"using 65536" ]]
}

@test "counts survive _exit and SIGKILL" {
	counted clear $mib 3 "$processes" exit
	[[ $status -eq 5 ]]
	counted clear $mib 3 "$processes" kill
	[[ $status -eq 137 ]]
}

@test "counts of forked processes are their own" {
	counted clear $mib 9 "$processes" fork
	json counts 'sorted(l["calls"] for l in of("summary") if "pid" in l) == [2, 3, 4]'
	[[ $status -eq 0 && $stderr == *"all together"* ]]
}

@test "exec goes on in the same file" {
	counted clear $mib 5 "$processes" exec
	json counts 'not [l for l in of("summary") if "pid" in l]'
	counted clear $mib 5 sh -c "$processes exec"
}

@test "vfork, threads, signal handlers" {
	counted clear $mib 3 "$processes" vfork
	counted clear $mib 4000 "$processes" threads
	run --separate-stderr "$COMMAND" run --stats "$processes" signals
	[[ $status -eq 0 ]]
}

@test "what is compared: pairs of resident memory, and those of a first touch apart" {
	counted clear $mib 200 "$processes" plain 200
	json counts 'of("summary")[0]["libc_calls"] in (12, 13) and 0 < of("summary")[0]["pairs"] <= 13 and of("summary")[0]["faulted_pairs"] <= 1'
	counted clear $mib 200 "$processes" fresh
	json counts 'of("summary")[0]["pairs"] == 0 and 0 < of("summary")[0]["faulted_pairs"] <= 13'
	[[ $stderr == *"not compared"* ]]
}

@test "dlopen" {
	for library in "$LIBRARIES"/libclearpages-preload*.so; do
		run "$processes" load "$library"
		echo "$output"
		[[ $status -eq 0 ]]
		run "$COMMAND" run "$processes" load "$library"
		[[ $status -eq 0 ]]
	done
}

@test "a forked process that can open no file is counted with its parent" {
	((EUID == 0)) || skip "only root can change the root"
	mkdir empty
	counted clear $mib 4 "$processes" confined "$PWD/empty"
	[[ $status -eq 0 ]]
	json counts 'of("total")[0]["adopted"] == 1'
}

@test "signals that another process sends are the command's" {
	for signal in TERM HUP USR1 USR2 INT QUIT; do
		rm -f out
		# Ignored by what a shell without a terminal has in its background, or by nohup; and then a shell can't trap it.
		env --default-signal="$signal" "$COMMAND" run --stats \
			sh -c "trap 'echo got; kill \$!; exit 9' $signal; sleep 30 & echo ready; wait" >out 2>err &
		background=$!
		for ((i = 0; i < 100; i++)); do
			[[ ! -s out ]] || break
			sleep 0.05
		done
		kill -"$signal" "$background"
		status=0
		wait "$background" || status=$?
		echo "$signal: $status, $(<out)"
		[[ $status -eq 9 && $(<out) == *got* ]]
	done
}

@test "stats: a process that runs, by its id and in the list" {
	start --count 5
	[[ $(<pid) -eq $background ]]
	run --separate-stderr "$COMMAND" stats "$background"
	echo "$output"
	[[ $status -eq 0 && $output == *preload-process*runs*5*"% of the CPU time"* ]]
	run --separate-stderr "$COMMAND" stats
	[[ $status -eq 0 && $output == *"$background"*runs* ]]
	"$COMMAND" stats "$background" --json >counts
	json counts '[l["calls"] for l in of("summary")] == [5, 5]'
	run "$COMMAND" stats --clean
	[[ $status -eq 0 && $output == *"1 left"* ]]
	kill -KILL "$background"
	wait "$background" || true
	run --separate-stderr "$COMMAND" stats "$background"
	[[ $status -eq 0 && $output == *ended*5*"not known"* ]]
	run "$COMMAND" stats --clean
	[[ $status -eq 0 && $output == *"0 left"* ]]
	nothing_left
	failure "'$background'" stats "$background"
}

@test "stats: under run --stats as well, and it removes its own at the end" {
	start --stats
	run --separate-stderr "$COMMAND" stats "$(<pid)"
	[[ $status -eq 0 && $output == *"clear     1 MiB        3"* ]]
	kill -TERM "$background"
	wait "$background" || true
	grep -q "clear     1 MiB        3" err
	nothing_left
}

@test "run --stats leaves the counts of a process that outlives it" {
	run --separate-stderr "$COMMAND" run --stats sh -c "'$processes' wait >pid 2>/dev/null & while [ ! -s pid ]; do sleep 0.05; done"
	background=$(<pid)
	[[ $status -eq 0 && $stderr == *"still run"* ]]
	run --separate-stderr "$COMMAND" stats "$background"
	[[ $status -eq 0 && $output == *runs* ]]
}

@test "stats: what is no file of counters is named and passed over" {
	start --count
	folder=$(echo "$base"/run.*)
	file=$(echo "$folder"/*-*)
	kill -KILL "$background"
	wait "$background" || true
	mkdir "$folder/1-1"
	head -c 100 "$file" >"$folder/2-2"
	: >"$folder/3-3"
	{ printf 'x'; tail -c +2 "$file"; } >"$folder/4-4"
	cp "$file" "$folder/5-5"
	{ head -c 8 "$file"; printf '\xff'; tail -c +10 "$file"; } >"$folder/6-6"
	ln -s "$file" "$folder/7-7"
	mkfifo "$folder/8-8"
	run --separate-stderr "$COMMAND" stats "$background"
	echo "$output; $stderr"
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 8 && $output == *ended* ]]
	for name in 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8; do
		[[ $stderr == *"$folder/$name' is no file of counters, and passed over"* ]]
	done
}

@test "a name that would write to the terminal" {
	start --count
	file=$(echo "$base"/run.*/*-*)
	name_at=$(python3 -c 'import sys; print(open(sys.argv[1], "rb").read().index(b"preload-processes"))' "$file")
	printf '\033[2J' | dd of="$file" bs=1 seek="$name_at" conv=notrunc status=none
	run --separate-stderr "$COMMAND" stats
	[[ $status -eq 0 && $output == *"?[2Joad-processes"* && $output != *$'\033'* ]]
}

@test "a folder of counters that is not the user's alone is refused" {
	mkdir real
	chmod 700 real
	ln -s "$PWD/real" "$base"
	failure "symbolic link" run --stats true
	failure "symbolic link" stats
	rm "$base"
	mkdir -m 755 "$base"
	failure "others can look into it" run --count true
	rmdir "$base"
	: >"$base"
	failure "not a folder" run --stats true
	rm "$base"
	XDG_RUNTIME_DIR=$PWD/nosuch failure "nosuch" run --stats true
	((EUID == 0)) || skip "only root can give a folder away"
	mkdir -m 700 "$base"
	chown nobody "$base"
	failure "another user" run --stats true
	failure "another user" stats
}

# warned FOLDER WORDS: preloaded with that folder, one line that says so, and the program runs.
warned()
{
	CLEARPAGES_STATS=$1 LD_PRELOAD=$LIBRARIES/libclearpages-preload.so run --separate-stderr "$processes" plain
	echo "$1: $status, $stderr"
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"CLEARPAGES_STATS=$1"*"$2"*"nothing is counted" ]]
}

@test "the library takes no other folder either, and says so" {
	mkdir -m 700 good
	mkdir -m 755 open
	ln -s good link
	CLEARPAGES_STATS=$PWD/good LD_PRELOAD=$LIBRARIES/libclearpages-preload.so run --separate-stderr "$processes" exit
	[[ $status -eq 5 && -z $stderr && -n $(ls good) ]]
	warned "$PWD/nosuch" "not a folder"
	warned "$PWD/link" "not a folder"
	warned "$PWD/open" "open to others"
	warned good "not an absolute path"
	warned "" "not an absolute path"
	((EUID == 0)) || skip "only root can give a folder away"
	mkdir -m 700 foreign
	chown nobody foreign
	warned "$PWD/foreign" "another user's"
}

@test "as a library that a program was linked with; and with raised privileges the environment is none of its business" {
	mkdir -m 700 good foreign
	cc -fno-builtin -o linked "-Wl,--no-as-needed,-rpath,$LIBRARIES" -x c - -x none "$LIBRARIES/libclearpages-preload.so" <<-'SOURCE'
		#include <string.h>
		static char memory[1 << 20];
		int main(void) { return memset(memory, 0, sizeof(memory)) != memory; }
	SOURCE
	CLEARPAGES_STATS=$PWD/good run --separate-stderr ./linked
	[[ $status -eq 0 && -z $stderr && -n $(ls good) ]]
	((EUID == 0)) || skip "only root can make a setuid program of another user's"
	[[ $(findmnt -n -o OPTIONS -T .) != *nosuid* ]] || skip "the file system is mounted nosuid"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_RUN_TMPDIR"/test . 2>/dev/null || true
	chown nobody foreign
	# As nobody it counts there, if nobody can get at all of it.
	CLEARPAGES_STATS=$PWD/foreign setpriv --reuid nobody --clear-groups ./linked 2>/dev/null || skip "another user can't get here"
	[[ -n $(ls foreign) ]]
	rm foreign/*
	# As root who becomes nobody by the file it neither counts nor says a word.
	chown nobody linked
	chmod u+s linked
	CLEARPAGES_STATS=$PWD/foreign CLEARPAGES_PRELOAD_MIN=junk run --separate-stderr ./linked
	[[ $status -eq 0 && -z $stderr && -z $(ls foreign) ]]
}

@test "a limit to the size of files does not end the program" {
	mkdir -m 700 good
	run --separate-stderr bash -c "ulimit -f 1; CLEARPAGES_STATS=$PWD/good LD_PRELOAD=$LIBRARIES/libclearpages-preload.so exec '$processes' plain"
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"as large as needed"* ]]
}

# same COMMAND...: the same output and status by itself, under run, and counted, with small sizes and copies taken as well.
same()
{
	local wanted status=0 got
	wanted=$("$@" 2>&1) || status=$?
	for options in "" "--memcpy --min 4KB" "--stats --output /dev/null --memcpy"; do
		local other=0
		read -ra words <<<"$options"
		got=$("$COMMAND" run "${words[@]}" "$@" 2>err) || other=$?
		echo "$1, '$options': $other instead of $status"
		[[ $options == *--stats* ]] || got+=$(<err)
		[[ $got == "$wanted" && $other -eq $status ]] || return 1
	done
}

@test "python3" {
	same python3 -c '
import hashlib, threading, subprocess, multiprocessing
def work(out):
    for size in (1000, 65536, 300000, 5 << 20):
        data = bytearray(size)
        assert not any(data[::997])
        data[:] = bytes(i % 251 for i in range(1000)) * (size // 1000) + bytes(size % 1000)
        out.append(hashlib.sha256(data).hexdigest())
results = [[] for i in range(4)]
threads = [threading.Thread(target=work, args=(out,)) for out in results]
[t.start() for t in threads]
[t.join() for t in threads]
print(results, subprocess.run(["echo", "x"], capture_output=True))
with multiprocessing.Pool(2) as pool:
    print(pool.map(len, [bytearray(1 << 20)] * 4))
'
}

@test "sqlite3" {
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	same sqlite3 :memory: 'create table t (a integer primary key, b blob);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into t select i, zeroblob(i % 3000) from n;
		insert into t values (null, zeroblob(3000000)); select count(*), sum(length(b)), max(length(b)) from t; pragma integrity_check;'
}

@test "gcc" {
	printf '#include <stdio.h>\nint main(void) { return puts("compiled") < 0; }\n' >source.c
	same cc -O2 source.c -o - -S
	same bash -c 'cc -O2 source.c -o program && ./program'
}

@test "zstd" {
	command -v zstd >/dev/null || skip "zstd is not installed"
	same bash -c 'set -o pipefail; zstd -T2 -10 --long -c "$1" | zstd -d --long | cksum' _ "$COMMAND"
}

@test "redis-server under its benchmark" {
	command -v redis-server redis-benchmark redis-cli >/dev/null || skip "redis is not installed"
	for options in "" "--stats --memcpy --min 4KB"; do
		read -ra words <<<"$options"
		"$COMMAND" run "${words[@]}" redis-server --port 0 --unixsocket "$PWD/s" --save '' --daemonize no --dir "$PWD" >server 2>&1 &
		background=$!
		for ((i = 0; i < 100; i++)); do
			[[ ! -S s ]] || break
			sleep 0.05
		done
		redis-benchmark -s "$PWD/s" -q -n 2000 -d 100000 -t set,get,lpush >benchmark 2>&1
		[[ $(redis-cli -s "$PWD/s" strlen key:__rand_int__) -eq 100000 ]]
		redis-cli -s "$PWD/s" bgsave
		redis-cli -s "$PWD/s" setrange zeros 3000000 x
		[[ $(redis-cli -s "$PWD/s" strlen zeros) -eq 3000001 ]]
		redis-cli -s "$PWD/s" shutdown nosave
		status=0
		wait "$background" || status=$?
		echo "$options: $status"
		[[ $status -eq 0 ]]
		rm -f s
	done
}

@test "QEMU" {
	command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
	# A boot sector that writes a letter to the serial port and ends the machine.
	python3 -c '
code = bytes.fromhex("ba f803 b0 4b ee ba 0105 b8 0000 ef f4")
open("sector", "wb").write((code + bytes(510))[:510] + b"\x55\xaa")'
	same timeout 60 qemu-system-x86_64 -accel tcg -display none -monitor none -serial stdio -m 128 -mem-prealloc \
		-device isa-debug-exit,iobase=0x501,iosize=2 -drive file=sector,format=raw,snapshot=on -no-reboot
}

@test "java, its heap touched before it starts" {
	command -v java >/dev/null || skip "java is not installed"
	same bash -c 'java -Xms256m -Xmx256m -XX:+AlwaysPreTouch -version 2>&1'
}
