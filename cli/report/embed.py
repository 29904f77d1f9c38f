#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# embed - files into one C file: an array of bytes for each. Usage: embed OUTPUT NAME=FILE[+FILE...]...
import sys



def plain(file):
    """Without the line that says what the licence of our source is: the page is its maker's."""
    head, rest = open(file, "rb").read().split(b"\n", 1)
    return rest if b"SPDX" in head else head + b"\n" + rest


with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write('/* SPDX-License-Identifier: GPL-2.0-or-later */\n/* Made by embed.py. */\n')
    for word in sys.argv[2:]:
        name, files = word.split("=", 1)
        data = b"".join(plain(file) for file in files.split("+"))
        out.write(f"\nextern const char asset_{name}[];\nconst char asset_{name}[] = {{\n")
        for at in range(0, len(data), 24):
            out.write("\t" + " ".join(f"{byte - 256 if byte > 127 else byte}," for byte in data[at : at + 24]) + "\n")
        out.write("\t0,\n};\n")
