#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# binary.sh - what the built libraries look like from outside: names, size, properties, dependencies. Prints TAP.
#
# Usage: binary.sh SHARED STATIC MAP
set -u
shared=$1 static=$2 map=$3
# shellcheck source-path=SCRIPTDIR source=../judge.bash disable=SC1091 # without -x
. "$(dirname "$0")/../judge.bash"

globals=$(nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }')
judge "every global name of the static library begins with clp_" "$(grep -v '^clp_' <<<"$globals")"

exported=$(nm -D --defined-only "$shared" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort -u)
mapped=$(sed -n 's/^[[:space:]]*\(clp_[a-z0-9_]*\);.*/\1/p' "$map" | sort -u)
judge "the shared library exports what its version map lists" "$(diff <(printf '%s\n' "$mapped") <(printf '%s\n' "$exported"))"

header=$(grep -o '\bclp_[a-z0-9_]*(' "$(dirname "$0")/../../include/clearpages.h" | tr -d '(' | sort -u)
declared=$(sed -n '/^CLP_API/s/.*\b\(clp_[a-z0-9_]*\)(.*/\1/p' "$(dirname "$0")/../../include/clearpages.h" | sort -u)
judge "the header declares what the map lists" "$(diff <(printf '%s\n' "$mapped") <(printf '%s\n' "$declared"))"
judge "the header speaks of no function that is not exported" "$(comm -23 <(printf '%s\n' "$header") <(printf '%s\n' "$mapped"))"

text=$(size -A "$shared" | awk '$1 == ".text" || $1 == ".rodata" { sum += $2 } END { print sum }')
judge "code and constants are under 96 KiB ($text bytes)" "$([ "$text" -lt 98304 ] || echo "$text bytes")"

needed=$(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev '^(libc\.so|ld-linux)')
judge "the shared library needs libc alone" "$needed"

# workers.c alone may lock and start threads: the pool behind the calls that say so.
banned='^(malloc|calloc|realloc|free|reallocarray|posix_memalign|aligned_alloc|fopen|printf|fprintf|puts|exit|abort|__tls_get_addr)$'
judge "nothing in it allocates, prints or exits" \
	"$(nm -D --undefined-only "$shared" | awk '{ print $2 }' | sed 's/@.*//' | grep -E "$banned")"
judge "nothing maps memory but what has to know of forks" \
	"$(nm -A --undefined-only "$static" | grep -w 'U mmap' | grep -v ':track\.c\.o:\|_track\.c\.o:')"
judge "nothing but the pool of threads locks" \
	"$(nm -A --undefined-only "$static" | grep -w 'pthread_[a-z_]*$' | grep -v ':workers\.c\.o:\|_workers\.c\.o:')"

judge "no thread-local storage" "$(readelf -lW "$shared" | grep -w TLS)"
judge "no executable stack" "$(readelf -lW "$shared" | awk '$1 == "GNU_STACK" && $7 ~ /E/')"
judge "no segment both writable and executable" "$(readelf -lW "$shared" | grep -w LOAD | grep RWE)"
judge "no text relocations" "$(readelf -d "$shared" | grep TEXTREL)"
judge "the soname carries the version" "$(readelf -d "$shared" | grep -q 'SONAME.*libclearpages\.so\.0\]' || echo "no soname libclearpages.so.0")"
if [ "$(uname -m)" = x86_64 ]; then
	# Of the objects: Debian's own start files lack the note, and the linker keeps only what all have.
	objects=$(ar t "$static" | wc -l)
	noted=$(readelf -n "$static" 2>/dev/null | grep -c 'x86 feature:.*IBT.*SHSTK')
	judge "every object is compatible with IBT and shadow stacks" "$([ "$objects" -eq "$noted" ] || echo "$noted of $objects")"
fi
echo "1..$n"
[ "$failed" -eq 0 ]
