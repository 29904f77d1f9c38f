#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# fences.py - in a built clearpages.ko: is each call of a weakly ordered routine followed by SFENCE before anything else can happen,
# and are vector registers used nowhere but in the routines that the module saves them for?
#
# Usage: fences.py clearpages.ko variants.def
# Prints a line for each weak routine, "NAME: N calls, fenced" or what is wrong; exit status 1 if anything is.
import re
import subprocess
import sys


def rows(path):
    """(name, traits) of the clearing rows."""
    row = re.compile(r"VARIANT\((\w+),\s*clear,\s*\w+,\s*([^,]+),")
    return [(m[1], m[2]) for m in map(row.match, open(path)) if m]


def functions(module):
    """name -> list of (address, instruction with its relocation)."""
    text = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", module], check=True, capture_output=True, text=True
    ).stdout
    found, code = {}, None
    for line in text.splitlines():
        if m := re.match(r"[0-9a-f]+ <(.+)>:$", line):
            code = found.setdefault(m[1], [])
        elif m := re.match(r"\s+([0-9a-f]+):\s+(R_X86_64\w+)\s+(\S+)", line):
            at, insn = code[-1]
            code[-1] = (at, insn + " " + m[3])
        elif m := re.match(r"\s+([0-9a-f]+):\s+(\S.*)", line):
            code.append((int(m[1], 16), m[2]))
    return found


def leads_to_fence(code, index):
    """From there on: nothing but moves and jumps that are always taken, then SFENCE."""
    where = {at: i for i, (at, _) in enumerate(code)}
    for _ in range(20):
        if index >= len(code):
            return "the function ends"
        insn = code[index][1]
        if insn.startswith("sfence"):
            return None
        if m := re.match(r"jmp\s+([0-9a-f]+)", insn):
            if int(m[1], 16) not in where:
                return insn
            index = where[int(m[1], 16)]
        elif re.match(r"(nop|xchg\s+%ax,%ax|mov\s+[^(]*$|add\s+[^(]*$|pop)", insn):
            index += 1
        else:
            return insn
    return "no end"


def main():
    module, table = sys.argv[1:]
    code = functions(module)
    bad = False
    for name, traits in rows(table):
        if "WEAK" not in traits:
            continue
        symbol = f"clp_x86_clear_{name}"
        calls = [
            (function, i)
            for function, insns in code.items()
            for i, (_, insn) in enumerate(insns)
            if symbol in insn.replace("-0x4", "").split() and not function.startswith("__pfx")
        ]
        wrong = []
        for function, i in calls:
            insn = code[function][i][1]
            why = leads_to_fence(code[function], i + 1) if insn.startswith("call") else f"not a call: {insn}"
            if why:
                wrong.append(f"{function}: before the fence: {why}")
        if not calls:
            wrong.append("no call found")
        bad |= bool(wrong)
        print(f"{name}: " + ("; ".join(wrong) if wrong else f"{len(calls)} calls, fenced"))
    vector = {f"clp_x86_clear_{name}" for name, traits in rows(table) if "VECTOR" in traits}
    for function, insns in code.items():
        used = [insn for _, insn in insns if re.search(r"%[xyz]mm\d", insn)]
        if used and function not in vector:
            bad = True
            print(f"{function}: vector registers: {used[0]}")
    for name in vector:
        if not any(re.search(r"%[xyz]mm\d", insn) for _, insn in code.get(name, [])):
            bad = True
            print(f"{name}: its row says VECTOR, but it uses no such register")
    return bad


sys.exit(main())
