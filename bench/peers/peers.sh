# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
#
# peers.sh - the table of peers: for each what it needs, its command, its unit, how to read its figure, what the figure
# counts.
#
# One row a peer:
#
#   peer NAME NEEDS FACTOR READER "WHAT IT COUNTS" COMMAND [ARGUMENT...]
#
# NAME    the name in the results
# NEEDS   a program that has to be installed, or lib:SONAME for a shared library, or "-" for nothing
# FACTOR  what one unit of the peer's figure is in GB/s (10^9 bytes a second)
# READER  a function below: reads the peer's output, prints "FIGURE" or, where one run has several figures, "FIGURE NAME" lines
#
# `run` reads this file after setting: rate (the path of clear_rate), threads, page (4KB or thp), methods (ours), seconds.
# Each peer works on 1 GiB of memory a thread, prefaulted; what else differs is said in its row.
#
# The byte stored matters: on some processors (AMD Zen 3 in a virtual machine, for one) a stream of zeros is stored about
# twice as fast as any other value. A peer that stores something else is to be compared with the rows "fill", not with the
# rows that clear.

# --- readers ---------------------------------------------------------------------------------------------------------------

read_rate() { sed -n 's|.* GB/s=\([0-9.]*\)$|\1|p'; }

# A comment line with the function's name, then the bare figure on a line of its own.
read_perf() { awk '/^# function/ { gsub(/\047/, "", $3); name = $3 } /^[0-9.]+$/ { print $1, name }'; }

read_likwid() { awk '$1 == "MByte/s:" { print $2 }'; }

# "memrate  19902.87 memset MB per sec ...": the stores alone.
read_stress_ng()
{
	awk '/memrate/ { for (i = 3; i <= NF; i++)
		if ($i ~ /^MB(\/sec)?$/ && $(i - 1) ~ /^(memset$|write)/) print $(i - 2), $(i - 1) }'
}

read_sysbench() { sed -n 's|.*transferred (\([0-9.]*\) MiB/sec).*|\1|p'; }

# --- helpers of the rows -----------------------------------------------------------------------------------------------------

# The widest non-temporal store kernel of likwid-bench that this processor has. In 5.2 all of them store doubles.
likwid_kernel()
{
	local flags
	flags=" $(sed -n 's/^flags[^:]*://p;T;q' /proc/cpuinfo) "
	case $flags in
	*" avx512f "*) echo store_mem_avx512 ;;
	*" avx "*) echo store_mem_avx ;;
	*" sse2 "*) echo store_mem_sse ;;
	*) echo store_mem ;;
	esac
}

# In the malloc of glibc 2.35 and later this asks for transparent huge pages under large buffers.
if [[ $page == thp ]]; then
	huge=(env GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
else
	huge=(env)
fi

# --- the table ---------------------------------------------------------------------------------------------------------------

for method in "${methods[@]}"; do
	peer "clearpages:$method" - 1 read_rate \
		"payload; buffer refilled with non-zero bytes before each sweep, full fence timed" \
		"$rate" --method "$method" --threads "$threads" --page "$page" --seconds "$seconds"
done

peer libc - 1 read_rate \
	"payload; memset(p, 0, n) in the very program and shape of the rows clearpages" \
	"$rate" --method libc --threads "$threads" --page "$page" --seconds "$seconds"

peer libc:fill - 1 read_rate \
	"payload; the same with a byte that is not 0: what peers that do not clear are to be compared with" \
	"$rate" --method libc --byte 0x5a --threads "$threads" --page "$page" --seconds "$seconds"

peer libpmem:nt lib:libpmem.so.1 1 read_rate \
	"payload; pmem_memset with PMEM_F_MEM_NONTEMPORAL in the same program and shape" \
	"$rate" --method pmem_nt --threads "$threads" --page "$page" --seconds "$seconds"

peer libpmem:nt:fill lib:libpmem.so.1 1 read_rate \
	"payload; the same with a byte that is not 0" \
	"$rate" --method pmem_nt --byte 0x5a --threads "$threads" --page "$page" --seconds "$seconds"

peer libpmem:temporal lib:libpmem.so.1 1 read_rate \
	"payload; pmem_memset with PMEM_F_MEM_TEMPORAL|PMEM_F_MEM_NOFLUSH in the same program and shape" \
	"$rate" --method pmem_temporal --threads "$threads" --page "$page" --seconds "$seconds"

# The simple format prints bytes a second. One thread only. The buffer is written once (with 0xff) before the clock starts,
# so that no fault is timed; but it takes pages of its own choice (6.18 maps 4 KiB pages, earlier versions take what malloc
# gives), and their TLB misses are in the figure. The byte stored is the number of the loop, so one loop: 0. A single
# sweep, hence a wide spread; gettimeofday() at its end waits for no store, which is little in 1 GiB.
if ((threads == 1)); then
	peer perf perf 1e-9 read_perf \
		"payload; zeros; one sweep over a prefaulted buffer; own pages, and their TLB misses with them" \
		"${huge[@]}" perf bench -f simple mem memset -s 1GB -l 1 -f all
else
	absent perf "its memset has one thread only"
fi

# MByte/s is 10^6 bytes stored; sizes are decimal too, hence 1073742kB. Each thread pins itself and initialises its own
# part. Pages are of 4 KiB unless transparent huge pages are "always": its posix_memalign() is not reached by the tunable.
# It stores a number that is not 0.
peer "likwid:$(likwid_kernel)" likwid-bench 1e-3 read_likwid \
	"payload; NOT zeros: the same number over itself; 4 KiB pages; sweeps for a second or more" \
	likwid-bench -t "$(likwid_kernel)" -w "S0:$((threads * 1073742))kB:$threads"

# MB is 2^20 bytes. One pass through all of its methods, reads too, of which the stores are shown; one sweep a method. Its
# figures are a mean over instances, so one instance. The "write" methods (named by their width in bits) store a pattern
# that is not 0.
if ((threads == 1)); then
	peer stress-ng stress-ng 0.001048576 read_stress_ng \
		"payload; NOT zeros: a pattern or index; one sweep a method; own mapping of default pages" \
		stress-ng --memrate 1 --memrate-bytes 1G --memrate-ops 1 --metrics
else
	absent stress-ng "its figures are a mean of the instances, not a sum"
fi

# MiB/sec is 2^20 bytes. A scalar loop of one machine word a turn, no memset; the whole run is timed, making the threads
# included.
peer sysbench sysbench 0.001048576 read_sysbench \
	"payload; zeros over zeros by a loop of word stores" \
	"${huge[@]}" sysbench memory --memory-block-size=1G "--memory-total-size=$((8 * threads))G" --memory-oper=write \
	--memory-scope=local "--threads=$threads" --time=10 run

# mbw has copies alone (memcpy, a loop, memcpy in blocks), nothing that clears or fills: it has no row.
