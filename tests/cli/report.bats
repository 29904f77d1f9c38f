#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report.bats - `clearpages report`: what a page holds, that it is written whole or not at all, and that nothing in a result file
# can be more than text in it. report-page.bats looks at pages in a browser.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common
load report

setup_file()
{
	command -v python3 >/dev/null || skip "python3 is not installed"
}

@test "no file, no output" {
	usage_error "--output" report
	usage_error "--output" report lines
	usage_error "''" report lines --output ""
	usage_error "''" report lines --output page.html --png ""
}

@test "help, version, unknown option" {
	for option in --help --version; do
		run --separate-stderr "$COMMAND" report "$option"
		[[ $status -eq 0 && -z $stderr && $output == *clearpages* ]]
	done
	usage_error "--frobnicate" report --frobnicate
}

@test "a file that is not there" {
	need_chart_js
	failure "'nosuch'" report nosuch --output page.html
	[[ ! -e page.html ]]
}

@test "output that can't be written, nothing half-written" {
	results clear >lines
	failure "/nonexistent/page.html" report lines --output /nonexistent/page.html
	mkdir place
	failure "'place'" report lines --output place
	[[ -z $(ls -A place) ]]
	need_chart_js
	run --separate-stderr "$COMMAND" report lines --output /dev/full
	[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == *"/dev/full"* ]]
}

@test "no Chart.js: names the package, and leaves the old page as it was" {
	results clear >lines
	echo old >page.html
	failure "libjs-chart.js" report lines --output page.html --chart-js /nonexistent/chart.js
	echo "no library" >other.js
	failure "other.js" report lines --output page.html --chart-js other.js
	[[ $(<page.html) == old && $(find . -name 'page.html*' | wc -l) -eq 1 ]]
}

@test "results of another version: nothing is made of them" {
	need_chart_js
	results clear >lines
	sed 's/"schema": 1/"schema": 2/' lines >other
	failure "schema 2" report lines other --output page.html
	[[ ! -e page.html ]]
}

@test "nothing left: status 1" {
	need_chart_js
	: >empty
	failure "'empty'" report empty --output page.html
	printf '{"type":"sam' >damaged
	run --separate-stderr "$COMMAND" report damaged --output page.html
	[[ $status -eq 1 && $stderr == *"line 1 is damaged"*"no whole record"* && ! -e page.html ]]
	# Whole, but nothing to show.
	results clear | head -n 1 >header
	failure "none of the 1 records" report header --output page.html
}

@test "a damaged and cut-off file: all whole lines are used, the damage is named" {
	need_chart_js
	results clear >lines
	head -n 3 lines >damaged
	printf '{"type":"sample",broken}\n\377\376\n' >>damaged
	tail -n +4 lines | head -c -20 >>damaged
	run --separate-stderr "$COMMAND" report damaged --output page.html
	echo "$status: $stderr"
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 3 ]]
	[[ $stderr == *"line 4 is damaged"*"line 5 is damaged"*"cut off"* ]]
	page page.html 'text("Notes").count("3 lines damaged") == 1'
	# The three whole samples of the last method but one that was cut.
	[[ $(grep -c '"sample"' lines) -eq 48 ]]
}

@test "a page: every series, size and figure, in tables and for the charts" {
	need_chart_js
	results clear use regret small quick tune mem ab peers info >lines
	run --separate-stderr "$COMMAND" report lines --output page.html --title 'A <title> & "more"'
	echo "$status: $stderr"
	[[ $status -eq 0 && -z $output && -z $stderr ]]
	page page.html 'title == "A <title> & \"more\""'
	page page.html '{"lines", "bars", "share", "percentiles", "histogram", "effects"} <= {c["kind"] for c in charts}'
	# Medians of 1, 2 and 3 GB/s.
	page page.html 'point("Clearing, uncached", "avx2_nt", 4096)[1:] == [2, 1.5, 2.5, 1, 3, 0]'
	page page.html 'cell("Clearing, uncached: median", "avx2_nt", "4K") == "2.001.00–3.00"'
	page page.html 'all(s["name"] in body for c in charts for s in c.get("series", []))'
	page page.html 'cell("The best single method", "4K", "all") == "avx210.0 GB/s"'
	page page.html '"1.81" in body and "INVALID" not in body and "Valid:" in body'
	page page.html '"hot from 42% of lines" in [c["mark"]["text"] for c in charts if c.get("mark")]'
	page page.html '"(R) regression" in body and "~ no difference" in body and "cannot reject" in body'
	page page.html '"L2 512K" in body'
}

@test "a page needs nothing from outside" {
	need_chart_js
	results clear >lines
	"$COMMAND" report lines --output page.html
	page page.html 'not outside'
	grep -q "default-src 'none'" page.html
}

@test "sections without results are left out" {
	need_chart_js
	results clear >lines
	"$COMMAND" report lines --output page.html
	page page.html 'headings == ["Clearing", "Cycles per page"]'
	results small >lines
	"$COMMAND" report lines --output page.html
	page page.html 'headings == ["Short clears"]'
	results around >lines
	"$COMMAND" report lines --output page.html
	page page.html 'headings == ["Clear much, use a few pages of it"] and "5 pages around one" in body'
	results recycle >lines
	"$COMMAND" report lines --output page.html
	page page.html 'headings == ["Used memory made zero again"] and "pages of 4KB, 1/10 of them read besides" in body'
	page page.html 'point("Recycling 1G, a round", "memset", 0.01)[1] == 32'
	results parallel populate >lines
	run --separate-stderr "$COMMAND" report lines --output page.html
	[[ $status -eq 0 && -z $stderr ]]
	page page.html 'headings == ["With several threads"] and "Populating pages of 2MB" in body and "hugetlb, memfd" in body'
	page page.html 'point("Clearing", "parallel-2", 1 << 30)[1] == 77'
}

@test "several machines, a section each; another kernel is another machine" {
	need_chart_js
	results clear >one
	sed 's/"host": "one"/"host": "two"/' one >two
	sed 's/"kernel": "6.1.0"/"kernel": "6.12.0"/' one >three
	"$COMMAND" report one two three one --output page.html
	page page.html 'machines == ["one", "two", "one"] and "6.12.0" in body'
	# The same machine twice: its samples are taken together.
	page page.html 'len([c for c in charts if c["kind"] == "lines"]) == 6'
}

@test "hostile records are text, skipped or counted" {
	need_chart_js
	hostile >lines
	run --separate-stderr "$COMMAND" report lines --output page.html
	echo "$status: $stderr"
	[[ $status -eq 0 && ${#stderr_lines[@]} -eq 1 && $stderr == *"'lines': 11 records are of no use"* ]]
	page page.html 'scripts == 3'
	page page.html '"</script><script>alert(1)</script>" in body and "\" onload=\"x" in body'
	page page.html 'len(charts[0]["series"]) == 3'
	page page.html '"of a type that this version does not know" in body and "without a usable figure" in body'
}

@test "an interrupted run says so" {
	need_chart_js
	{ results clear; echo '{"type":"summary","bench":"clear","interrupted":true}'; } >lines
	"$COMMAND" report lines --output page.html
	page page.html 'body.count("interrupted") >= 2'
}

@test "standard input and output, pipes and links" {
	need_chart_js
	results clear >lines
	"$COMMAND" report - --output - <lines >page.html
	page page.html 'machines == ["one"]'
	"$COMMAND" report lines --output /dev/null
	[[ -c /dev/null ]]
	echo old >real.html
	chmod 600 real.html
	ln -s real.html link.html
	"$COMMAND" report lines --output link.html
	[[ -L link.html && $(stat -c %a real.html) == 600 ]]
	page real.html 'machines == ["one"]'
}

@test "what was made smaller: summaries without their samples" {
	need_chart_js
	results clear | grep -v '"sample"' >lines
	"$COMMAND" report lines --output page.html
	page page.html 'point("Clearing, uncached", "avx2_nt", 4096)[1:] == [2, None, None, 1, 3, 0]'
}

@test "so much that nobody could read it is left out and counted" {
	need_chart_js
	results clear >lines
	python3 -c '
import json
for i in range(1000):
    print(json.dumps({"type": "sample", "bench": "clear", "operation": "clear", "variant": "v%d" % i, "size": 4096, "extent": 4096, "state": "uncached", "touch": "none", "gbps": 1.0}))' >>lines
	"$COMMAND" report lines --output page.html
	page page.html '"too many for a page that can be read" in body'
}

@test "--png without Chromium: names the package, writes nothing" {
	need_chart_js
	results clear >lines
	run --separate-stderr /usr/bin/env PATH=/nonexistent "$COMMAND" report lines --output page.html --png pictures
	[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == *"package chromium"* ]]
	[[ ! -e page.html && ! -e pictures ]]
}
