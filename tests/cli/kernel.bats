#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.bats - `clearpages kernel` with a tree of plain files in place of /sys, /proc, /run and /lib/modules. What is written
# there stays as it was written, so a list of choices without brackets is the choice. tests/vm has the module itself.

# shellcheck disable=SC2030,SC2031 # each test is a process of its own
# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

commands=(build load unload status set stats bench restore)

# put FILE WORDS: a file of the tree.
put() { mkdir -p "$root/$(dirname "$1")" && printf '%s\n' "${@:2}" >"$root/$1"; }
# The value of a file of the module.
now() { cat "$root/sys/kernel/clearpages/$1"; }
# The whole setting, for comparisons.
setting() { for key in enabled op_far op_near batch radius order0 stats/enabled; do echo "$key=$(now "$key")"; done; }

count() # ROUTINE ORDER CALLS PAGES [CYCLES]
{
	put "sys/kernel/clearpages/stats/$1/order-$2/calls" "$3"
	put "sys/kernel/clearpages/stats/$1/order-$2/pages" "$4"
	[[ ! ${5-} ]] || put "sys/kernel/clearpages/stats/$1/order-$2/cycles" "$5"
}

# A machine without the module; then one where it is loaded.
machine()
{
	root=$BATS_TEST_TMPDIR/tree
	export CLEARPAGES_KERNEL_ROOT=$root
	put proc/sys/kernel/osrelease 6.1.0-99-amd64
	put proc/sys/kernel/arch x86_64
	put proc/sys/kernel/ftrace_enabled 1
	put proc/sys/kernel/tainted 12288
	put proc/modules 'other 16384 0 - Live 0x0'
	put proc/cmdline 'BOOT_IMAGE=/vmlinuz root=/dev/vda1 ro quiet'
	put proc/kallsyms 'ffffffff81234560 T clear_huge_page'
	put boot/config-6.1.0-99-amd64 CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y CONFIG_FUNCTION_TRACER=y CONFIG_DYNAMIC_FTRACE=y \
		CONFIG_DYNAMIC_FTRACE_WITH_REGS=y CONFIG_KPROBES=y CONFIG_PREEMPT_VOLUNTARY=y
	put sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
}

module()
{
	machine
	put sys/module/clearpages/version 0.1.0
	put sys/module/clearpages/refcnt 1
	put sys/kernel/clearpages/enabled 0
	put sys/kernel/clearpages/op_far 'kernel mov stosq stosb [movnti]'
	put sys/kernel/clearpages/op_near 'mov stosq [stosb] movnti'
	put sys/kernel/clearpages/batch auto
	put sys/kernel/clearpages/radius 2
	put sys/kernel/clearpages/order0 '[off] mov stosq stosb movnti'
	put sys/kernel/clearpages/routines 'kernel: ok' 'mov: ok' 'stosq: ok' 'stosb: ok' 'movnti: ok' 'clzero: the processor lacks clzero' 'avx2_nt: failed its self-test'
	put sys/kernel/clearpages/stats/enabled 1
	put sys/kernel/clearpages/stats/reset 0
	put sys/kernel/clearpages/stats/missed 0
	for routine in kernel mov stosq stosb movnti; do
		for order in 0 9; do
			if [[ $routine == kernel ]]; then count $routine $order 0 0; else count $routine $order 0 0 0; fi
		done
	done
}

kernel() { run --separate-stderr "$COMMAND" kernel "$@" </dev/null; echo "kernel $*: status $status"; echo "$output"; echo "stderr: $stderr"; }

widest() { awk '{ if (length > most) most = length } END { print most + 0 }'; }

# --- everywhere -------------------------------------------------------------------------------------------------------------

@test "kernel: help and version" {
	for words in "" "${commands[@]}" ab; do
		kernel ${words:+"$words"} --help
		[[ $status -eq 0 && $output == *Usage* && -z $stderr ]]
		kernel ${words:+"$words"} --version
		[[ $status -eq 0 && $output =~ ^clearpages\ [0-9.]+$ ]]
	done
	usage_error "which command" kernel
	usage_error "'frobnicate'" kernel frobnicate
	for command in "${commands[@]}"; do
		usage_error "--frobnicate" kernel "$command" --frobnicate
	done
	for command in build unload status stats bench restore; do
		usage_error "surplus" kernel "$command" surplus
	done
}

@test "kernel: without the module" {
	machine
	for words in "set enabled=1" stats bench "ab --ops stosb,mov -- true"; do
		read -ra command <<<"$words"
		failure "not loaded" kernel "${command[@]}"
		[[ $stderr == *"kernel build"*"kernel load"* ]]
	done
	kernel unload
	[[ $status -eq 0 && $output == *"not loaded"* ]]
	kernel restore
	[[ $status -eq 0 && $output == *"nothing to restore"* ]]
	kernel status
	[[ $status -eq 0 && $output == *"not loaded"* && $output == *6.1.0-99-amd64* ]]
	[[ -z $(find "$root/run" 2>/dev/null) ]]
	rm "$root/proc/modules"
	failure "CONFIG_MODULES" kernel set enabled=1
	failure "CONFIG_MODULES" kernel load
	put proc/sys/kernel/arch riscv64
	failure "'riscv64'" kernel stats
	failure "'riscv64'" kernel load
	kernel status
	[[ $status -eq 0 && $output == *riscv64* ]]
}

@test "kernel: on this machine, as it is" {
	unset CLEARPAGES_KERNEL_ROOT
	kernel status
	[[ $status -eq 0 && -z $stderr && $output == *"$(uname -r)"* && $(widest <<<"$output") -le 80 ]]
	kernel status --json
	echo "$output" >lines
	json lines 'len(of("kernel")) == 1 and of("kernel")[0]["loaded"] in (True, False)'
}

# --- build, load, unload ----------------------------------------------------------------------------------------------------

source_tree()
{
	mkdir -p src "$root/lib/modules/6.1.0-99-amd64/build"
	: >"$root/lib/modules/6.1.0-99-amd64/build/Makefile"
	# shellcheck disable=SC2016 # for make
	printf 'all:\n\t@echo "compiling for $(KDIR)"\n\t@echo a module >$(O)/clearpages.ko\n' >src/Makefile
}

@test "kernel build: what is missing" {
	machine
	failure "--source" kernel build --source nowhere
	mkdir src && : >src/Makefile
	failure "apt-get install linux-headers-6.1.0-99-amd64" kernel build --source src
	failure "linux-headers-6.9.0" kernel build --source src --kernel 6.9.0
	source_tree
	failure "/dev/null/x" kernel build --source src --output /dev/null/x
	mkdir bin && ln -s /bin/true bin/gcc
	run env PATH="$PWD/bin" "$COMMAND" kernel build --source src
	[[ $status -eq 1 && $output == *"'make' is not installed"*"apt-get install make"* ]]
	rm bin/gcc && ln -s /bin/true bin/make
	run env PATH="$PWD/bin" "$COMMAND" kernel build --source src
	[[ $status -eq 1 && $output == *"'gcc' is not installed"* ]]
	usage_error "'../x'" kernel build --kernel ../x
	usage_error "--output" kernel build --output ""
}

@test "kernel build: by its Makefile, and where the module is" {
	machine
	source_tree
	kernel build --source src --output out/of/it
	[[ $status -eq 0 && $output == "$PWD/out/of/it/clearpages.ko" && $stderr == *"kernel load $PWD/out/of/it/clearpages.ko"* ]]
	printf 'all:\n\tfalse\n' >src/Makefile
	kernel build --source src --output out2
	[[ $status -eq 1 && -z $output && $stderr == *"make ended with status 2"* ]]
	printf 'all:\n\ttrue\n' >src/Makefile
	kernel build --source src --output out3
	[[ $status -eq 1 && $stderr == *"there is no '$PWD/out3/clearpages.ko'"* ]]
}

# ko FILE VERMAGIC: as much of a module as is looked at.
ko()
{
	head -c 64 "$(readlink -f "$COMMAND")" >"$1"
	head -c "${3-100000}" /dev/zero >>"$1"
	printf 'license=GPL\0vermagic=%s\0name=clearpages\0' "$2" >>"$1"
}

@test "kernel load: loaded" {
	module
	ko a.ko '6.1.0-99-amd64 SMP preempt mod_unload modversions '
	put pretend/load 0
	kernel load a.ko
	[[ $status -eq 0 && $output == *"loaded 'a.ko'"* && $stderr == *"'avx2_nt' is not used: failed its self-test"* ]]
	failure "nowhere.ko" kernel load nowhere.ko
	usage_error "b.ko" kernel load a.ko b.ko
	# Where build or DKMS put it.
	export XDG_CACHE_HOME=$PWD/cache
	failure "kernel build" kernel load || [[ $output == *kmod-6.1.0-99-amd64* ]]
	mkdir -p "$root/lib/modules/6.1.0-99-amd64/updates/dkms"
	cp a.ko "$root/lib/modules/6.1.0-99-amd64/updates/dkms/clearpages.ko"
	kernel load
	[[ $status -eq 0 ]]
}

@test "kernel load: of another kernel, or no module" {
	machine
	put pretend/load 8
	for distance in 0 100 65000 65500 65536 65600 200000; do
		ko a.ko '6.12.9-amd64 SMP preempt' "$distance"
		failure "'6.12.9-amd64 SMP preempt'" kernel load a.ko
		[[ $stderr == *"'6.1.0-99-amd64' is running"* && $stderr == *"kernel build"* ]]
	done
	ko a.ko '6.1.0-99-amd64 SMP preempt' 10
	failure "which this kernel is not in all of it" kernel load a.ko
	ko a.ko '6.1.0-99-amd64-other SMP' 10
	failure "'6.1.0-99-amd64-other SMP'" kernel load a.ko
	echo words >words
	failure "not a kernel module" kernel load words
	# Another machine's: e_machine is the two bytes from 18 on.
	ko a.ko '6.1.0-99-amd64 SMP'
	printf '\377\376' | dd of=a.ko bs=1 seek=18 conv=notrunc status=none
	failure "another kind of machine" kernel load a.ko
}

@test "kernel load: what the kernel does not allow" {
	machine
	ko a.ko '6.1.0-99-amd64 SMP'
	put pretend/load 1
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	kernel load a.ko
	[[ $status -eq 1 && $stderr == *"locked down (integrity)"* && $stderr != *"Secure Boot"* && $stderr == *"mokutil --import"* ]]
	mkdir -p "$root/sys/firmware/efi/efivars"
	printf '\6\0\0\0\1' >"$root/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
	kernel load a.ko
	[[ $stderr == *"by Secure Boot"* && $stderr == *"dkms install clearpages/"* ]]
	put sys/kernel/security/lockdown '[none] integrity confidentiality'
	failure "CAP_SYS_MODULE" kernel load a.ko
	put proc/sys/kernel/modules_disabled 1
	put sys/kernel/security/lockdown 'none [integrity] confidentiality'
	failure "kernel.modules_disabled=1" kernel load a.ko
	put pretend/load 129
	kernel load a.ko
	[[ $status -eq 1 && $stderr == *"not signed by a key"*"Secure Boot is on"*"Enroll MOK"* ]]
	put pretend/load 17
	failure "loaded already" kernel load a.ko
	put pretend/load 38
	failure "CONFIG_MODULES" kernel load a.ko
	put pretend/load 12
	failure "annot allocate memory" kernel load a.ko
}

@test "kernel load: a kernel without what it needs" {
	machine
	ko a.ko '6.1.0-99-amd64 SMP'
	put pretend/load 2
	put dev/kmsg '4,1,1,-;other: words' '4,2,2,-;clearpages: Unknown symbol register_ftrace_function (err -2)' ' SUBSYSTEM=module'
	failure "something that this kernel" kernel load a.ko
	[[ $stderr == *"(the kernel's log: Unknown symbol register_ftrace_function (err -2))"* ]]
	put proc/kallsyms 'ffffffff81234560 T other_huge_page'
	failure "no function clear_huge_page" kernel load a.ko
	sed -i /DYNAMIC_FTRACE_WITH_REGS/d "$root/boot/config-6.1.0-99-amd64"
	failure "without CONFIG_DYNAMIC_FTRACE_WITH_REGS" kernel load a.ko
}

@test "kernel load: not as root" {
	((EUID == 0)) && command -v setpriv >/dev/null || skip "needs root, to become another"
	[[ -e /proc/modules ]] || skip "this kernel has no modules"
	unset CLEARPAGES_KERNEL_ROOT
	ko a.ko x
	chmod 755 "$BATS_TEST_TMPDIR"
	run setpriv --reuid 65534 --clear-groups "$COMMAND" kernel load a.ko
	[[ $status -eq 1 && $output == *"only root"* ]]
}

@test "kernel unload" {
	module
	put sys/kernel/clearpages/enabled 1
	put pretend/unload 0
	kernel unload
	[[ $status -eq 0 && $output == unloaded* && $(now enabled) == 0 ]]
	# In use: as it was before.
	put sys/kernel/clearpages/enabled 1
	put pretend/unload 11
	failure "in use (1 user)" kernel unload
	[[ $(now enabled) == 1 ]]
	put pretend/unload 38
	failure "CONFIG_MODULE_UNLOAD" kernel unload
}

# --- set, restore -----------------------------------------------------------------------------------------------------------

@test "kernel set: everything, in the module's own words" {
	module
	kernel set enabled=1 op_far=stosb op_near=mov batch=8MiB radius=0 order0=stosq stats=0
	[[ $status -eq 0 && -z $output && -z $stderr ]]
	[[ $(setting) == "$(printf '%s\n' enabled=1 op_far=stosb op_near=mov batch=8388608 radius=0 order0=stosq stats/enabled=0)" ]]
	kernel set op=movnti batch=page radius=512 order0=off
	[[ $(now op_far) == movnti && $(now op_near) == movnti && $(now batch) == page && $(now radius) == 512 && $(now order0) == off ]]
	kernel set op=kernel batch=auto
	[[ $(now op_far) == kernel && $(now op_near) == movnti && $(now batch) == auto ]]
	# On already: no write that the module would refuse.
	kernel set enabled=1
	[[ $status -eq 0 ]]
}

@test "kernel set: what can't be a value" {
	module
	before=$(setting)
	for word in op_far=nosuch op=STOSB op_near=kernel order0=nosuch radius=513 radius=-1 radius=x batch=0 batch=4095 batch=2GiB batch=some enabled=2 \
		enabled= stats=on radius; do
		usage_error "'${word#*=}'" kernel set batch=page "$word"
	done
	usage_error "'frobs'" kernel set frobs=1
	usage_error "'=1'" kernel set =1
	usage_error "KEY=VALUE" kernel set
	usage_error "kernel mov stosq stosb movnti" kernel set op_far=nosuch
	failure "'clzero' can't be used here: the processor lacks clzero" kernel set batch=page op=clzero
	[[ $stderr == *"there are: kernel mov"* && $(setting) == "$before" ]]
}

@test "kernel set: all or nothing" {
	module
	put sys/kernel/clearpages/enabled 1
	# A file that takes numbers alone: the write of a name is refused with EINVAL.
	ln -sf /proc/self/oom_score_adj "$root/sys/kernel/clearpages/order0"
	put dev/kmsg "3,9,9,-;clearpages: order0: 'mov': for the sake of the test"
	failure "order0: 'mov' was refused" kernel set op=stosq batch=64K radius=7 order0=mov stats=0
	[[ $stderr == "clearpages: order0: 'mov' was refused: for the sake of the test; nothing is changed" ]]
	[[ $(now op_far) == movnti && $(now op_near) == stosb && $(now batch) == auto && $(now radius) == 2 && $(now stats/enabled) == 1 ]]
	# Switched off first, and on again when the rest fails.
	failure "order0" kernel set enabled=0 order0=mov
	[[ $(now enabled) == 1 ]]
}

@test "kernel set: switched on, but ftrace is off" {
	module
	put sys/kernel/clearpages/enabled '0 (kernel.ftrace_enabled=0)'
	kernel set radius=3
	[[ $status -eq 0 && $stderr == *"sysctl kernel.ftrace_enabled=1"* ]]
	kernel status
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"without effect until: sysctl"* ]]
}

@test "kernel set: not as root" {
	((EUID == 0)) && command -v setpriv >/dev/null || skip "needs root, to become another"
	module
	chmod -R a+rX "$BATS_TEST_TMPDIR"
	dir=$BATS_TEST_TMPDIR
	while [[ $dir != / ]]; do
		[[ $(stat -c %A "$dir") == *x || $(stat -c %A "$dir") == *t ]] || skip "another user can't reach the folder"
		dir=$(dirname "$dir")
	done
	run setpriv --reuid 65534 --clear-groups "$COMMAND" kernel set batch=page
	[[ $status -eq 1 && $output == *"batch: 'page' was refused: only root"* ]]
}

@test "kernel restore: what a killed run left behind" {
	module
	put run/clearpages/kernel-setting op_far=stosq op_near=mov batch=65536 radius=4 order0=off stats=0 enabled=0 pid=999999
	put sys/kernel/clearpages/enabled 1
	failure "kernel restore" kernel set radius=1
	failure "kernel restore" kernel unload
	failure "kernel restore" kernel ab --ops stosb,mov -- true
	kernel status
	[[ $output == *"kernel restore"* && $(now enabled) == 1 ]]
	kernel restore
	[[ $status -eq 0 && $output == *"process 999999"*"op_far=stosq"* && $(now op_far) == stosq && $(now radius) == 4 && $(now enabled) == 0 && $(now batch) == 65536 ]]
	[[ ! -e $root/run/clearpages/kernel-setting ]]
	kernel restore
	[[ $status -eq 0 && $output == *"nothing to restore"* ]]
	# Loaded anew, or not at all.
	put run/clearpages/kernel-setting op_far=stosq pid=999999
	rm -r "$root/sys/kernel/clearpages"
	kernel restore
	[[ $status -eq 0 && $output == *"not loaded any more"* && ! -e $root/run/clearpages/kernel-setting ]]
}

# --- status, stats, bench ---------------------------------------------------------------------------------------------------

@test "kernel status: within 80 columns, and what it says" {
	module
	put sys/kernel/debug/sched/preempt 'none voluntary (full)'
	mkdir -p "$root/sys/kernel/livepatch/livepatch_a"
	kernel status
	[[ $status -eq 0 && -z $stderr && $(widest <<<"$output") -le 80 ]]
	flat=$(tr -s ' \n' ' ' <<<"$output")
	for words in "version 0.1.0" "kernel clears by itself" "movnti of: kernel mov stosq stosb [movnti]" "whole folio, since preemption is full" "2 pages" \
		"clzero: the processor lacks clzero" "on (CONFIG_INIT_ON_ALLOC_DEFAULT_ON): THP, mTHP and shmem folios are cleared by the allocator" \
		"hugetlb pages are cleared once" "init_on_alloc=0" "out-of-tree module, unsigned module" livepatch_a "THP madvise" "preemption full"; do
		[[ $flat == *"$words"* ]] || { echo "lacks: $words"; return 1; }
	done
	kernel status --json
	echo "$output" >lines
	json lines '(lambda k: k["loaded"] and not k["enabled"] and k["op_far"] == "movnti" and k["radius"] == 2 and k["init_on_alloc"] == "on" and k["preemption"] == "full" and k["run"] == "none")(of("kernel")[0])'
	json lines 'sum(r["usable"] for r in of("routine")) == 4 and len(of("routine")) == 6'
	put sys/kernel/clearpages/enabled 1
	put sys/kernel/clearpages/batch 65536
	kernel status
	[[ $output == *"64 KiB"* ]]
}

@test "kernel status: is init_on_alloc on?" {
	module
	state() { kernel status --json; echo "$output" >lines; json lines "of('kernel')[0]['init_on_alloc'] == '$1'"; }
	state on
	put proc/cmdline 'ro init_on_alloc=1 init_on_alloc=0'
	state off
	put proc/cmdline 'ro init_on_alloc=1 page_poison=1'
	state off
	put proc/cmdline 'ro init_on_alloc=1'
	state on
	put proc/cmdline 'ro my_init_on_alloc=0'
	state on
	echo '# CONFIG_INIT_ON_ALLOC_DEFAULT_ON is not set' >"$root/boot/config-6.1.0-99-amd64"
	state off
	rm "$root/boot/config-6.1.0-99-amd64"
	state unknown
}

@test "kernel stats: a table, a histogram, JSON, reset" {
	module
	kernel stats
	[[ $status -eq 0 && $output == *"nothing is counted yet"* ]]
	count movnti 9 1000 512000 76800000
	count stosb 9 1000 5000 1000000
	count kernel 9 3 1536
	put sys/kernel/clearpages/stats/movnti/histogram '32768 10' '65536 980' '131072 10'
	put sys/kernel/clearpages/stats/missed 7
	kernel stats --histogram
	[[ $status -eq 0 && $(widest <<<"$output") -le 80 && $output == *"cycles/page"* && $output == *"65536"*"980"* && $output == *"7 faults"* ]]
	grep -E '^movnti +9 +2 MiB +1000 +512000 +1\.95 +150\.0$' <<<"$output"
	grep -E '^kernel +9 +2 MiB +3 +1536 +0\.01 +-$' <<<"$output"
	kernel stats --json --histogram
	echo "$output" >lines
	json lines 'len(of("summary")) == 3 and len(of("histogram")) == 3 and [s["cycles_per_page"] for s in of("summary") if s["routine"] == "stosb"] == [200]'
	kernel stats --reset
	[[ $status -eq 0 && $(now stats/reset) == 1 && $output == *movnti* ]]
	usage_error "'0'" kernel stats --watch=0
	usage_error "'x'" kernel stats --watch=x
	usage_error "--reset" kernel stats --watch --reset
}

@test "kernel stats --watch: rates, until it is interrupted" {
	module
	count movnti 9 1000 512000 76800000
	count movnti 8 2000 1024000 153600000
	# All three numbers change at once.
	order=$root/sys/kernel/clearpages/stats/movnti/order
	mv "$order-8" later
	mv "$order-9" before
	ln -s "$PWD/before" "$order-9"
	ln -s "$PWD/later" next
	setsid "$COMMAND" kernel stats --watch=0.2 >out 2>err </dev/null &
	pid=$!
	sleep 0.3
	mv -T next "$order-9"
	for ((i = 0; i < 100; i++)); do
		! grep -q '^movnti' out || break
		sleep 0.05
	done
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	cat out err
	[[ $status -eq 0 && ! -s err ]]
	# Not a terminal: no escape sequences; the rate is of what was added.
	run ! grep -q $'\033' out
	grep -E '^movnti +9 +2 MiB +[0-9]+ +[0-9]+ +[0-9.]+ +150\.0$' out
	grep -q 'calls/s' out && grep -q '^nothing was cleared' out
}

# A terminal of its own in place of debugfs's file: it answers each request.
answering()
{
	mkdir -p "$root/sys/kernel/debug/clearpages"
	python3 - "$root/sys/kernel/debug/clearpages/bench" requests <<'PYTHON' &
import os, pty, sys, tty
master, slave = pty.openpty()
tty.setraw(slave)
os.symlink(os.ttyname(slave), sys.argv[1])
with open(sys.argv[2], "w") as log:
    while True:
        request = os.read(master, 4096).decode().strip()
        log.write(request + "\n")
        log.flush()
        routine, order, blocks, repetitions, state = request.split()
        cycles = {"kernel": 400.0, "movnti": 150.0}.get(routine, 300.0)
        os.write(master, f"routine={routine} order={order} blocks={blocks} repetitions={repetitions} state={state} "
                 f"cycles_per_page min={cycles - 10} median={cycles} max={cycles + 100}\n".encode())
PYTHON
	server=$!
	for ((i = 0; i < 100; i++)); do
		[[ ! -L $root/sys/kernel/debug/clearpages/bench ]] || break
		sleep 0.05
	done
}

teardown() { [[ ! ${server-} ]] || kill "$server" 2>/dev/null || :; }

@test "kernel bench: routines interleaved, and a table" {
	module
	answering
	kernel bench --op kernel,movnti --order 0,9 --blocks 2 --repetitions 8 --rounds 3 --state uncached --seed 1 --output out.jsonl
	[[ $status -eq 0 && -z $stderr && $(widest <<<"$output") -le 80 ]]
	grep -E '^movnti +9 +4 MiB uncached +150\.0 +140\.0 +250\.0 +[0-9.]+$' <<<"$output"
	json out.jsonl 'len(of("sample")) == 12 and len(of("summary")) == 4 and of("sample")[0]["unit"] == "cycles/page"'
	[[ $(wc -l <requests) -eq 12 && $(sort -u requests | wc -l) -eq 4 ]]
	# In each round each once.
	[[ $(head -n 4 requests | sort) == "$(tail -n 4 requests | sort)" ]]
	grep -x 'kernel 0 2 8 uncached' requests
	: >requests
	kernel bench --rounds 1 --json
	[[ $status -eq 0 && $output != *clzero* ]]
	echo "$output" >lines
	json lines 'len(of("summary")) == 2 * 2 * 5'
	failure "clzero" kernel bench --op clzero
	usage_error "'nosuch'" kernel bench --op nosuch
	usage_error "'11'" kernel bench --order 11
	usage_error "'warm'" kernel bench --state warm
	usage_error "--blocks" kernel bench --blocks 0
	usage_error "1 GiB" kernel bench --order 10 --blocks 4096
}

@test "kernel bench: no debugfs, or no answer" {
	module
	failure "mount -t debugfs" kernel bench
	put sys/kernel/debug/clearpages/bench ''
	failure "has no" kernel bench
	failure "/nonexistent" kernel bench --output /nonexistent/file
}

# --- ab ---------------------------------------------------------------------------------------------------------------------

# A program whose pages are cleared by what is set, as the counters say; it prints a time that depends on it.
faults()
{
	cat >faults <<-SCRIPT
		#!/bin/bash
		cd "$root/sys/kernel/clearpages"
		op=\$(sed 's/.*\[\(.*\)\].*/\1/' op_far)
		echo "\$op \$(sed 's/.*\[\(.*\)\].*/\1/' op_near) \$(cat batch) \$(cat radius) \$(cat enabled) \$(cat stats/enabled)" >>"$PWD/ran"
		for file in calls pages; do
			echo \$((\$(cat stats/\$op/order-9/\$file) + 512)) >stats/\$op/order-9/\$file
		done
		case \$op in stosb) n=105 ;; *) n=100 ;; esac
		echo "took \$n.\$((RANDOM % 5)) ms"
	SCRIPT
	chmod +x faults
}
took=(--metric 'took ([0-9.]+)')

need_ab()
{
	run --separate-stderr "$COMMAND" ab --base true --cand b=true --sessions 2 --repeats 1 -o need.jsonl
	[[ $status -eq 0 ]] || skip "ab is not in this build"
}

@test "kernel ab: switched before each session, judged, and put back" {
	need_ab
	module
	faults
	kernel ab --ops stosb/batch=page,movnti/radius=0/near=mov,kernel "${took[@]}" --sessions 5 --repeats 2 --warmup 1 -o runs.jsonl -- ./faults
	[[ $status -eq 0 && $output == *"(I)"* && $output == *movnti* ]]
	[[ $stderr == *"base is stosb/batch=page"* && $stderr == *"movnti/radius=0/near=mov: "*" calls"*"in 5 sessions"* ]]
	[[ $stderr == *"init_on_alloc is on"* && $stderr == *"hugetlb"* ]]
	[[ $(sort ran | uniq -c | tr -s ' ') == "$(printf ' 15 %s\n' "kernel stosb auto 2 1 1" "movnti mov auto 0 1 1" "stosb stosb page 2 1 1")" ]]
	json runs.jsonl '[c["label"] for c in of("command")] == ["base", "movnti+radius-0+near-mov", "kernel"] and "ab-switch" in lines[0]["prepare"]'
	[[ $(now enabled) == 0 && $(now op_far) == *movnti* && $(now op_near) == *stosb* && $(now batch) == auto && $(now radius) == 2 ]]
	[[ -z $(find "$root/run" -type f) ]]
}

@test "kernel ab: a comparison of nothing says so" {
	need_ab
	module
	kernel ab --ops stosb,movnti "${took[@]}" --sessions 2 --repeats 1 -o runs.jsonl -- 'echo took 5 ms'
	[[ $status -eq 1 && $stderr == *"THIS COMPARES NOTHING"* && $stderr == *"stosb: 0 calls"* ]]
	[[ $(now enabled) == 0 ]]
}

@test "kernel ab: commands are passed as they are, and warnings are to the point" {
	need_ab
	module
	kernel ab --ops stosb,movnti --sessions 2 --repeats 1 --warmup 0 -o runs.jsonl -- bench mem mmap -p 4KB -f demand -s 1MB
	[[ $status -eq 1 && $stderr == *"order 0"* && $stderr == *NOTHING* ]]
	json runs.jsonl '[c["command"] for c in of("command")] == 2 * ["bench mem mmap -p 4KB -f demand -s 1MB"]'
	json runs.jsonl 'of("comparison")[0]["unit"] == "bytes/sec"'
	kernel ab --ops stosb/order0=stosb,movnti/order0=movnti --sessions 2 --repeats 1 --warmup 0 -o runs5.jsonl -- 'bench mem mmap -p 4KB -f demand -s 1MB'
	[[ $status -eq 1 && $stderr != *warning* && $stderr == *"stosb/order0=stosb: 0 calls"* && $(now order0) == *off* ]]
	kernel ab --ops stosb,movnti --sessions 2 --repeats 1 --warmup 0 -o runs2.jsonl -- bench mem memset -s 1MB -f default
	[[ $stderr == *"user space"* ]]
	kernel ab --ops stosb,movnti --sessions 2 --repeats 1 --warmup 0 -o runs3.jsonl -- sh -c "echo \"it's\" '\$x'; touch made"
	[[ -e made ]]
	put proc/cmdline init_on_alloc=0
	kernel ab --ops stosb,movnti --sessions 2 --repeats 1 --warmup 0 -o runs4.jsonl -- true
	[[ $stderr != *warning* ]]
}

@test "kernel ab: what can't be compared" {
	module
	before=$(setting)
	usage_error "--ops" kernel ab -- true
	usage_error "missing value" kernel ab --ops
	usage_error "under what" kernel ab --ops stosb,mov
	usage_error "under what" kernel ab --ops stosb,mov --
	usage_error "'stosb' is one" kernel ab --ops stosb -- true
	usage_error "'stosb' is there twice" kernel ab --ops stosb,stosb -- true
	usage_error "'nosuch'" kernel ab --ops stosb,nosuch -- true
	usage_error "'colour=1'" kernel ab --ops stosb,mov/colour=1 -- true
	usage_error "radius: '600'" kernel ab --ops stosb,mov/radius=600 -- true
	usage_error "batch twice" kernel ab --ops stosb,mov/batch=page/batch=auto -- true
	usage_error "'kernel'" kernel ab --ops stosb,mov/near=kernel -- true
	usage_error "--base" kernel ab --ops stosb,mov --base true -- true
	usage_error "--prepare" kernel ab --ops stosb,mov --prepare=true -- true
	failure "'clzero' can't be used" kernel ab --ops stosb,clzero -- true
	usage_error "ab-switch" kernel ab-switch stosb,mov
	put proc/sys/kernel/ftrace_enabled 0
	failure "sysctl kernel.ftrace_enabled=1" kernel ab --ops stosb,mov -- true
	put proc/sys/kernel/ftrace_enabled 1
	[[ $(setting) == "$before" && ! -e $root/run/clearpages/kernel-setting ]]
	need_ab
	# What `ab` itself does not take: its own error, and nothing left behind.
	kernel ab --ops stosb,mov --frobnicate -- true
	[[ $status -eq 2 && $stderr == *"--frobnicate"* && -z $(find "$root/run" -type f) ]]
}

# started ARGUMENT...: kernel ab in the background, into its third session: $pid.
started()
{
	cat >slow <<-SCRIPT
		#!/bin/sh
		./faults
		echo \$\$ >program
		[ "\$(wc -l <ran)" -lt 5 ] || { : >reached; exec sleep 60; }
	SCRIPT
	chmod +x slow
	setsid "$COMMAND" kernel ab --ops stosb,movnti "${took[@]}" --sessions 6 --repeats 1 --warmup 1 -o runs.jsonl -- ./slow >out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 400; i++)); do
		[[ ! -e reached ]] || return 0
		sleep 0.05
	done
	cat err
	return 1
}

ended()
{
	status=0
	wait "$pid" || status=$?
	cat err
	# What has just ended may take a moment to be gone.
	for ((i = 0; i < 60; i++)); do
		left=$(pgrep -s "$pid" --runstates R,S,D,T) || break
		sleep 0.05
	done
	pgrep -s "$pid" -a --runstates R,S,D,T || :
	[[ -z $left ]]
}

@test "kernel ab: SIGINT and SIGTERM: the setting is put back, and the run can be gone on with" {
	need_ab
	for signal in INT TERM HUP; do
		rm -rf tree ran reached runs.jsonl
		module
		faults
		started
		[[ $(now enabled) == 1 ]]
		failure "is switching the module" kernel set radius=1
		failure "still going on" kernel restore
		failure "is switching the module" kernel ab --ops stosb,mov -o other.jsonl -- true
		kernel status
		[[ $output == *"in use"* ]]
		kill "-$signal" "$pid"
		ended
		[[ $status -eq 130 && $(<err) == *"the setting is put back"* && $(now enabled) == 0 && $(now op_far) == *movnti* && -z $(find "$root/run" -type f) ]]
	done
	# On its own, `ab` would put nothing back: it ends before it runs anything.
	rm -f reached ran
	: >ran
	run --separate-stderr "$COMMAND" ab --resume runs.jsonl </dev/null
	[[ $status -eq 1 && $stderr == *"kernel ab"* && ! -s ran && $(now enabled) == 0 ]]
}

@test "kernel ab: --resume goes on" {
	need_ab
	module
	faults
	kernel ab --ops stosb,movnti "${took[@]}" --sessions 3 --repeats 1 --warmup 0 -o runs.jsonl -- ./faults
	sed -i -e '/"type":"comparison"/d' -e '/"block":3/d' runs.jsonl
	: >ran
	kernel ab --ops stosb,movnti --resume runs.jsonl -- ./faults
	[[ $status -eq 0 && $(wc -l <ran) -eq 2 && $(now enabled) == 0 ]]
	kernel ab --ops stosb,mov --resume runs.jsonl -- ./faults
	[[ $status -eq 2 && $(now enabled) == 0 ]]
}

@test "kernel ab: a child that is killed" {
	need_ab
	module
	faults
	started
	child=$(pgrep -P "$pid")
	kill -KILL "$child"
	ended
	[[ $status -eq 137 && $(<err) == *"signal 9"*"put back"* && $(now enabled) == 0 && -z $(find "$root/run" -type f) ]]
}

@test "kernel ab: a program that fails" {
	need_ab
	module
	faults
	kernel ab --ops stosb,movnti --sessions 2 --repeats 1 -o runs.jsonl -- ./faults ';' false
	[[ $(now enabled) == 0 ]]
	kernel ab --ops stosb,movnti --sessions 2 --repeats 1 -o runs2.jsonl -- nosuchprogram
	[[ $status -eq 1 && $stderr == *nosuchprogram* && $(now enabled) == 0 && -z $(find "$root/run" -type f) ]]
}

@test "kernel ab: killed itself: restore puts the setting back" {
	need_ab
	module
	faults
	put sys/kernel/clearpages/radius 9
	started
	kill -KILL "$pid"
	ended
	[[ $status -eq 137 ]]
	[[ -e $root/run/clearpages/kernel-setting && $(now enabled) == 1 ]]
	failure "kernel restore" kernel ab --ops stosb,mov -- true
	kernel restore
	[[ $status -eq 0 && $(now enabled) == 0 && $(now radius) == 9 && $(now op_far) == *movnti* && -z $(find "$root/run" -type f) ]]
}

# --- bench/kernel -----------------------------------------------------------------------------------------------------------

@test "bench/kernel: what it would do, and what it refuses" {
	machine
	script=$BATS_TEST_DIRNAME/../../bench/kernel
	run --separate-stderr "$script" --dry-run --size 16GB --sessions 3 --output somewhere
	echo "$output"
	[[ $status -eq 0 && ! -e somewhere ]]
	[[ $output == *"kernel build"*"kernel load"*"8200 more >$root/sys/kernel/mm/hugepages/hugepages-2048kB"* ]]
	[[ $output == *"kernel ab --ops stosb/batch=page,kernel,stosb/batch=auto,clzero/batch=auto,movnti/batch=auto --sessions 3"*"bench mem mmap -p 2MB -f demand -s 16GB"* ]]
	[[ $output == *"16 more >$root/sys/kernel/mm/hugepages/hugepages-1048576kB"*"stosb/batch=8M"*"-p 1GB"*"kernel unload"* ]]
	# Loaded already: it stays, and what it can't do is left out.
	module
	run --separate-stderr "$script" --dry-run --page 2MB
	[[ $status -eq 0 && $output != *"kernel load"* && $output != *unload* && $output != *clzero* && $stderr == *"clzero/batch=auto is left out: the processor lacks clzero"* ]]
	for words in "--size 3" "--size 0GB" "--page 4KB" "--sessions 1" "--frobs" "--output"; do
		read -ra options <<<"$words"
		run --separate-stderr "$script" "${options[@]}"
		[[ $status -eq 2 && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == *"'${options[-1]}'"* ]]
	done
	rm "$root/proc/modules"
	run --separate-stderr "$script"
	[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == *"can't load modules"* ]]
}
