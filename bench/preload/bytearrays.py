# SPDX-License-Identifier: GPL-2.0-or-later
"""bytearrays.py - a pool of bytearrays, each replaced by a fresh one when its turn comes, written a little and read a little."""
import sys

turns = int(sys.argv[1])
sizes = [64 << 10, 256 << 10, 1 << 20, 2 << 20, 4 << 20]
pool = [bytearray(size) for size in sizes * 4]
total = 0
for turn in range(turns):
    at = turn % len(pool)
    size = len(pool[at])
    pool[at] = None
    fresh = bytearray(size)
    fresh[:4096] = b"x" * 4096
    total += sum(fresh[4096:8192]) + fresh[size // 2] + fresh[-1]
    pool[at] = fresh
print(total)
