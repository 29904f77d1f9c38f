#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# processors.sh - `clearpages check --emulate` here and on odd processors (qemu-user): which routines ran, and why others didn't.
#
# Usage: processors.sh CHECK-PROGRAM. Exit status: 0, 1 for a failure, 77 where qemu-x86_64 is not installed.
set -u

check=$1
passed=0
failed=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

result() {
	if [ "$1" -eq 0 ]; then
		passed=$((passed + 1))
		echo "ok   $2"
	else
		failed=$((failed + 1))
		echo "FAIL $2"
	fi
}

# Run the check; it must pass, with its last line saying that nothing failed.
run() {
	title=$1
	shift
	"$@" >"$out" 2>&1
	status=$?
	if [ $status -ne 0 ] || ! tail -n 1 "$out" | grep -q ' passed, 0 failed, '; then
		sed 's/^/     /' "$out"
		echo "     exit status $status"
		result 1 "$title: passes"
		return
	fi
	result 0 "$title: passes ($(tail -n 1 "$out"))"
}

ran() {
	for name in "$@"; do
		grep -q "^ok   $name " "$out"
		result $? "$title: $name ran"
	done
}

emulated() {
	for name in "$@"; do
		grep -q "^ok   $name .*, emulated\$" "$out"
		result $? "$title: $name was emulated"
	done
}

skipped() {
	reason=$1
	shift
	for name in "$@"; do
		grep -q "^skip $name: $reason\$" "$out"
		result $? "$title: $name skipped ($reason)"
	done
}

basic="clear/generic clear/mov clear/stosq clear/stosb clear/movnti clear/sse2 clear/sse2_nt copy/generic copy/mov copy/movsq
	copy/movsb copy/sse2 copy/sse2_nt policy/auto policy/hot policy/cold policy/clear_pages policy/copy_pages policy/explicit"
avx2="clear/avx2 clear/avx2_nt copy/avx2 copy/avx2_nt"
avx512="clear/avx512 clear/avx512_nt copy/avx512 copy/avx512_nt"
lines="clear/movdir64b clear/clzero"
xcr0='system does not enable the AVX state (XCR0)'

run "this processor" "$check" --emulate --quick
# shellcheck disable=SC2086
ran $basic $lines

if ! command -v qemu-x86_64 >/dev/null; then
	echo "skip other processors: qemu-x86_64 is not installed (Debian package qemu-user)"
	[ $failed -eq 0 ] && exit 77
	exit 1
fi

# An old 64-bit processor: SSE2 and no more. And one before AVX.
for cpu in qemu64 Nehalem; do
	run $cpu qemu-x86_64 -cpu $cpu "$check" --quick
	# shellcheck disable=SC2086
	ran $basic
	# shellcheck disable=SC2086
	skipped 'CPU lacks avx2' $avx2
	# shellcheck disable=SC2086
	skipped 'CPU lacks avx512f' $avx512
	skipped 'CPU lacks movdir64b' clear/movdir64b
	skipped 'CPU lacks clzero' clear/clzero

	run "$cpu emulating" qemu-x86_64 -cpu $cpu "$check" --emulate --quick
	# shellcheck disable=SC2086
	ran $basic
	# shellcheck disable=SC2086
	emulated $lines
	# shellcheck disable=SC2086
	skipped 'CPU lacks avx2' $avx2
	# shellcheck disable=SC2086
	skipped 'CPU lacks avx2, and emulating avx512f needs avx2' $avx512
done

# AVX2 in CPUID, and a system that does not save its registers.
run "Haswell,-xsave" qemu-x86_64 -cpu Haswell,-xsave "$check" --emulate --quick
# shellcheck disable=SC2086
ran $basic
# shellcheck disable=SC2086
skipped "$xcr0" $avx2
# shellcheck disable=SC2086
skipped "$xcr0, and emulating avx512f needs avx2" $avx512
# shellcheck disable=SC2086
emulated $lines

# Whatever this qemu has.
run max qemu-x86_64 -cpu max "$check" --emulate --quick
# shellcheck disable=SC2086
ran $basic
if qemu-x86_64 -cpu max "$check" --list | grep -q '^clear/avx2 *available'; then
	# shellcheck disable=SC2086
	ran $avx2
else
	# shellcheck disable=SC2086
	skipped 'CPU lacks avx2' $avx2
fi
# shellcheck disable=SC2086
ran $lines

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
