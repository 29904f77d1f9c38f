# SPDX-License-Identifier: GPL-2.0-or-later
"""Made-up result files for the tests of `clearpages report`, and what its pages hold.

results BENCH...        JSON Lines with figures that are easy to check
hostile                 records that try to break out of the page
page FILE EXPRESSION    fails unless the expression holds
"""
import html.parser
import json
import re
import sys

SHARES = {"none": 0, "1/64": 1 / 64, "1/8": 1 / 8, "all": 1}


def header(bench):
    return {"type": "header", "bench": bench, "schema": 1, "version": "0.1.0", "arguments": f"clearpages bench {bench}", "seed": 1,
            "time": "2026-11-30T20:00:00Z", "host": "one", "cpu": "Some CPU", "vendor": "Maker", "family": 25, "model": 1, "stepping": 1,
            "hypervisor": "none", "cpus_online": 2, "l2_claimed": 1 << 19, "l3_claimed": 1 << 25, "machine": "x86_64",
            "kernel": "6.1.0", "libc": "2.36", "thp": "madvise", "profile": "", "cycles": "TSC reference cycles", "page": "thp",
            "tsc_ghz": 2.0}


def sample(bench, variant, size, gbps, **more):
    return {"type": "sample", "bench": bench, "operation": "clear", "variant": variant, "size": size, "extent": size,
            "state": "uncached", "touch": "none", "delay": 0, "bystander": False, "gbps": gbps, **more}


def clear():
    for state in ("uncached", "cached"):
        for variant, rate in (("libc", 1), ("avx2_nt", 2), ("stosb", 3), ("cold", 4)):
            for size in (4096, 1 << 20):
                for gbps in (rate - 1 or 0.5, rate, rate + 1):
                    yield sample("clear", variant, size, gbps, state=state)
                yield {**sample("clear", variant, size, rate, state=state), "type": "summary", "gbps_min": rate - 1 or 0.5,
                       "gbps_max": rate + 1, "samples": 3}


def many():
    for i, variant in enumerate("libc auto hot cold avx2 avx2_nt avx512 clzero generic mov movnti sse2 stosb stosq".split()):
        for size in (4096, 1 << 20):
            yield sample("clear", variant, size, 1 + i)


def use():
    # Seconds a GB: hot 2 + 1 * share, cold 1 + 1.42.. * share + ...: they meet at 42%.
    for name, fixed, each in (("libc", 2.5, 1), ("hot", 2, 1), ("cold", 1, 1 + 1 / 0.42)):
        for touch, share in SHARES.items():
            for noise in (0.99, 1, 1.01):
                yield sample("use", name, 1 << 20, noise / (fixed + each * share), touch=touch)


def regret():
    for size in (4096, 1 << 20):
        for state in ("uncached", "cached"):
            for touch in SHARES:
                yield {"type": "cell", "bench": "regret", "variant": "avx2", "size": size, "state": state, "touch": touch,
                       "bystander": False, "gbps": 10, "auto": 1.81 if touch == "all" else 1.0, "memset": 1.2, "aa": 1.01, "scored": True}
    for policy, valid in (("auto", {}), ("memset", {}), ("aa", {"valid": True})):
        yield {"type": "summary", "bench": "regret", "policy": policy, "geomean": 1.1, "max": 1.81, "cells": 16, **valid}


def small():
    for size in (1, 16, 4096):
        yield {"type": "summary", "bench": "small", "size": size, "libc_ns": 2, "libc_min": 1, "libc_max": 3, "clear_ns": 2.5,
               "clear_min": 2, "clear_max": 4}


def around():
    for way, us in (("around", 40), ("cold", 41), ("libc", 120)):
        yield {"type": "sample", "bench": "around", "variant": way, "size": 2 << 20, "value": us * 1000, "unit": "ns", "better": "lower"}
        yield {"type": "summary", "bench": "around", "variant": way, "size": 2 << 20, "radius": 2, "state": "uncached", "first_us": us - 1,
               "all_us": us, "all_min": us - 5, "all_max": us + 9, "vs_around": us / 40}


def recycle():
    for share, ms in (("none", 1), ("1/100", 8), ("all", 30)):
        for way, times in (("recycle", 1), ("memset", 4), ("drop", 30)):
            yield {"type": "sample", "bench": "recycle", "variant": way, "size": 1 << 30, "value": 1e6, "unit": "ns", "better": "lower"}
            yield {"type": "summary", "bench": "recycle", "variant": way, "size": 1 << 30, "page": "4KB", "share": share, "read": "1/10",
                   "samples": 190, "mean_ms": ms * times, "use_ms": 1, "min_ms": ms, "max_ms": 50 * ms, "vs_best": 1}


def parallel():
    for way, gbps in (("whole", 40), ("batched", 39), ("parallel", 78), ("parallel-2", 77)):
        for size in (8 << 20, 1 << 30):
            yield {"type": "sample", "bench": "parallel", "variant": way, "size": size, "value": 1e9, "unit": "ns", "better": "lower"}
            yield {"type": "summary", "bench": "parallel", "variant": way, "size": size, "state": "uncached", "gbps": gbps,
                   "gbps_min": gbps - 1, "gbps_max": gbps + 1, "vs_whole": gbps / 40}


def populate():
    yield {"type": "warmup", "bench": "populate", "size": 1 << 30, "page": "2MB", "pages": "hugetlb", "backing": "memfd", "value": 1e9}
    for way, gbps in (("touch", 5), ("parallel", 10)):
        yield {"type": "sample", "bench": "populate", "variant": way, "size": 1 << 30, "value": 1e9, "unit": "ns", "better": "lower"}
        yield {"type": "summary", "bench": "populate", "variant": way, "size": 1 << 30, "page": "2MB", "pages": "hugetlb",
               "backing": "memfd", "gbps": gbps, "gbps_min": gbps - 1, "gbps_max": gbps + 1, "vs_touch": gbps / 5}


def quick():
    for gbps in (1, 2, 3):
        yield sample("quick", "libc", 4096, gbps, state="cached", touch="all", use="read")


def tune():
    for touch in SHARES:
        for size in (4096, 65536):
            yield sample("tune", "stosb", size, 5, touch=touch)


def mem():
    for page in ("4KB", "2MB"):
        for value in (1e9, 2e9, 3e9):
            yield {"type": "sample", "bench": "mem/mmap", "function": "demand", "size": 1 << 30, "page": page, "threads": 1,
                   "value": value, "unit": "bytes/sec", "better": "higher"}
            yield {"type": "sample", "bench": "mem/memset", "function": "default", "size": 1 << 30, "chunk": 1 << 30, "page": page,
                   "threads": 1, "value": value, "unit": "bytes/sec", "better": "higher"}
    yield {"type": "latency", "bench": "mem/mmap", "function": "demand", "page": "4KB", "faults": 3, "p50_ns": 500, "p99_ns": 900,
           "max_ns": 20000}
    for low, count in ((256, 1), (512, 2), (16384, 1)):
        yield {"type": "bucket", "bench": "mem/mmap", "function": "demand", "page": "4KB", "from_ns": low, "to_ns": 2 * low,
               "count": count}


def ab():
    for verdict, change in (("R", -3), ("I", 3), ("~", 0.1), ("?", 1)):
        yield {"type": "comparison", "bench": "ab", "host": "one", "row": f"memset {verdict}", "label": "zva", "base": 12e9,
               "unit": "bytes/sec", "better": "higher", "sessions": 8, "change_percent": change, "sd_percent": 0.5,
               "low_percent": change - 0.8, "high_percent": change + 0.8, "p": 0.01, "p_holm": 0.03, "wilcoxon_p": 0.02,
               "wilcoxon_can_reject": verdict == "R", "verdict": verdict, "needed": 14}


def peers():
    for gbps in (10, 11):
        yield {"type": "sample", "bench": "peers", "peer": "libpmem", "round": 1, "gbps": gbps}


def info():
    yield {"type": "cache", "level": "L2", "claimed": 1 << 19, "measured": 1 << 19, "load_ns": 3.0}


def hostile():
    yield sample("clear", "</script><script>alert(1)</script>", 4096, 1)
    yield sample("clear", "\" onload=\"x' <!-- & \u2028\u0001\u202e", 4096, 1)
    yield sample("clear", "huge", 1e9, 1e308)
    yield sample("clear", "huge", 1e300, 1e-300)
    yield sample("clear", "none", 4096, None)
    yield sample("clear", "none", 4096, 0)
    yield sample("clear", "none", -4096, 1)
    yield sample("clear", "none", 4096, 1, touch="1/0")
    yield sample("clear", "none", 4096, "fast")
    yield sample("clear", None, 4096, 1)
    yield {"type": "<script>alert(2)</script>", "value": 1}
    yield {"type": "cell", "bench": "regret", "size": "</td>", "auto": 1}
    yield {"type": "latency", "p50_ns": None}
    yield {"type": "bucket", "function": "f", "from_ns": 5, "to_ns": 1, "count": 1}
    yield {"type": "comparison", "bench": "ab", "change_percent": None}


class Page(html.parser.HTMLParser):
    """Text by section, tables by caption, the charts' figures, and whether the elements are nested as they should be."""

    VOID = {"meta", "br", "hr", "link", "img", "input"}

    def __init__(self, text):
        super().__init__()
        self.stack, self.title, self.body, self.headings, self.machines, self.outside, self.ids = [], "", "", [], [], [], set()
        self.root, self.drawn, self.buttons, self.pressed = {}, {}, [], []
        self.scripts, self.data, self.tables, self.under, self.by_heading = 0, "", {}, "", {}
        self.feed(text)
        assert not self.stack, f"not closed: {self.stack}"
        self.charts = json.loads(self.data)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if len(named) != len(attributes):
            raise AssertionError(f"an attribute of {tag} comes twice")
        if "id" in named:
            assert named["id"] not in self.ids, f"id {named['id']} comes twice"
            self.ids.add(named["id"])
        self.outside += [value for name, value in attributes if name in ("src", "data", "action") or
                         (name == "href" and not value.startswith("#"))]
        assert not any(name.startswith("on") for name in named), f"a handler: {attributes}"
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.stack.append((tag, named.get("id", "")))
        if tag == "html":
            self.root = named
        if tag == "figure" and "data-kind" in named:
            self.drawn[named["id"]] = named
        if tag == "button":
            self.buttons.append("")
            self.pressed.append(named["aria-pressed"])
        if tag == "table":
            self.table = [[]]
        if tag == "caption":
            self.caption = ""
        if tag == "tr":
            self.table.append([])
        if tag in ("td", "th"):
            self.table[-1].append("")

    def handle_endtag(self, tag):
        assert self.stack and self.stack[-1][0] == tag, f"</{tag}> inside {self.stack[-1:]}"
        self.stack.pop()
        if tag == "table":
            self.tables.setdefault(self.caption, [row for row in self.table if row])

    def handle_data(self, data):
        tag, name = self.stack[-1] if self.stack else ("", "")
        tags = [each for each, _ in self.stack]
        if tag == "script":
            self.data += data if name == "data" else ""
            return
        if "style" in tags:
            return
        if "button" in tags:
            self.buttons[-1] += data
        if tag == "title":
            self.title += data
        elif tag == "h3":
            self.headings.append(data)
        elif tag == "h2" and name.startswith("m"):
            self.machines.append(data)
        if tag in ("h2", "h3"):
            self.under = data
        if tag == "caption":
            self.caption += data
        if ("td" in tags or "th" in tags) and self.table[-1]:
            self.table[-1][-1] += data
        self.body += data
        self.by_heading[self.under] = self.by_heading.get(self.under, "") + data


def check(path, expression):
    text = open(path, encoding="utf-8", errors="strict").read()
    page = Page(text)
    titles = re.findall(r'id="(f\d+)-title">([^<]*)<', text)

    def point(title, series, x):
        chart = next(c for c in page.charts if any(c["id"] == i and t == title for i, t in titles))
        return next(p for s in chart["series"] if s["name"] == series for p in s["points"] if p[0] == x)

    def cell(caption, row, column):
        table = next(t for c, t in page.tables.items() if c.startswith(caption))
        head = next(r for r in table if column in r or row in r)
        for found in table:
            if found[0] == row and column in head:
                return found[head.index(column)]
            if found[0] == column and row in head:
                return found[head.index(row)]
        raise KeyError((row, column))

    names = {**{k: v for k, v in vars(page).items() if not k.startswith("_")}, "json": json, "point": point, "cell": cell,
             "text": lambda heading: page.by_heading[heading]}
    assert eval(expression, names), f"{expression}\n{page.machines} {page.headings} {sorted(page.tables)}\n{page.body[-3000:]}"


def main():
    if sys.argv[1] == "page":
        check(sys.argv[2], sys.argv[3])
        return
    if sys.argv[1] == "hostile":
        for record in [header("clear"), *hostile()]:
            print(json.dumps(record))
        return
    for bench in sys.argv[2:]:
        for record in [header(bench), *globals()[bench]()]:
            print(json.dumps(record))


main()
