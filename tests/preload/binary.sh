#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# binary.sh - what a preloaded library looks like from outside: its names, what it needs, and the instructions of the short way. Prints TAP.
#
# Usage: binary.sh LIBRARY optimised|plain NAME...
set -u
library=$1 build=$2
shift 2
# shellcheck source-path=SCRIPTDIR source=../judge.bash disable=SC1091 # without -x
. "$(dirname "$0")/../judge.bash"

exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
judge "it exports the functions that it takes, and nothing else" "$(diff <(printf '%s\n' "$@" | sort) <(printf '%s\n' "$exported"))"
judge "it needs libc alone" "$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -Ev '^(libc\.so|ld-linux|libdl\.so)')"
judge "no thread-local storage" "$(readelf -lW "$library" | grep -w TLS)"
judge "no text relocations" "$(readelf -d "$library" | grep TEXTREL)"
judge "nothing is bound when first called" "$(readelf -d "$library" | grep -q BIND_NOW || echo lazy)"

# Before the first jump through a pointer: no call, nothing pushed, no load through the global offset table.
short_way()
{
	objdump -d --no-show-raw-insn "$library" | awk -v name="<$1>:" '
		$2 == name { inside = 1; next }
		inside && NF == 0 { exit }
		inside { print }' | sed '/jmp  *\*/q'
}
if [ "$(uname -m)" = x86_64 ] && [ "$build" = optimised ]; then
	for name in "$@"; do
		way=$(short_way "$name")
		judge "$name: a comparison and a jump" "$(grep -q 'jmp  *\*' <<<"$way" || echo "$way"
			grep -E '[[:space:]](callq? |push |sub .*%rsp)' <<<"$way"
			[ "$(wc -l <<<"$way")" -le 12 ] || echo "$way")"
	done
fi
echo "1..$n"
[ "$failed" -eq 0 ]
