#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report-page.bats - a report in a headless browser, without a network: every chart is drawn with every series, nothing is
# complained of on the console, in the dark, on paper, narrow and wide; and the pictures of --png.
#
# The page says in data attributes what it did: report.py reads them from the document as it is after the scripts ran.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common
load report

setup_file()
{
	command -v chromium >/dev/null || skip "Chromium is not installed (package chromium)"
	[[ -r /usr/share/javascript/chart.js/chart.min.js ]] || skip "Chart.js is not installed (package libjs-chart.js)"
	load report
	export PAGE=$BATS_FILE_TMPDIR/page.html
	results clear use regret small quick tune mem ab peers info >"$BATS_FILE_TMPDIR/lines"
	"$COMMAND" report "$BATS_FILE_TMPDIR/lines" --output "$PAGE"
}

# browse WHAT... URL: one run of the browser; what it wrote is in dom, what it said in said.
browse()
{
	local sandbox=()
	# Its sandbox does not work for root.
	((EUID)) || sandbox=(--no-sandbox)
	rm -rf profile
	timeout 120 chromium --headless --disable-gpu --disable-quic --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --host-resolver-rules='MAP * ~NOTFOUND' "${sandbox[@]}" \
		--user-data-dir="$PWD/profile" --virtual-time-budget=10000 --enable-logging=stderr "$@" >dom 2>said
	# The page's own complaints are lines of CONSOLE.
	if grep CONSOLE said; then
		return 1
	fi
}

@test "every chart is drawn, with every series, and nothing is complained of" {
	browse --window-size=1400,1000 --dump-dom "file://$PAGE#check"
	page dom 'root["data-ready"] == "yes" and root["data-errors"] == "0"'
	page dom 'len(drawn) == len(charts) >= 15'
	page dom 'all(f["data-drawn"] == "yes" and int(f["data-ink"]) > 5000 for f in drawn.values())'
	page dom 'all(json.loads(drawn[c["id"]]["data-names"]) == [s["name"] for s in c["series"]] for c in charts if "series" in c)'
	page dom 'all(int(drawn[c["id"]]["data-visible"]) == len(c["series"]) for c in charts if "series" in c)'
}

@test "a page that lacks Chart.js would fail this test" {
	sed 's/^!function(t,e).*//' "$PAGE" >broken.html
	run browse --window-size=1400,1000 --dump-dom "file://$PWD/broken.html#check"
	[[ $status -ne 0 && $output == *CONSOLE* ]]
	page dom '"data-ready" not in root and not any("data-drawn" in f for f in drawn.values())'
}

@test "many routines: some at first, the rest by a button" {
	results many >lines
	"$COMMAND" report lines --output many.html
	browse --window-size=1400,1000 --dump-dom "file://$PWD/many.html#check"
	page dom 'drawn[charts[0]["id"]]["data-visible"] == "8" and drawn[charts[0]["id"]]["data-series"] == "14"'
	page dom 'pressed.count("true") == 8 and pressed.count("false") == 6'
	page dom '[n for n, p in zip(buttons, pressed) if p == "true"][:4] == ["libc", "auto", "hot", "cold"]'
}

@test "without a mouse: arrow keys go through a chart, a button switches a curve on" {
	results many >lines
	"$COMMAND" report lines --output many.html
	nonce=$(sed -n 's/.*<script nonce="\([0-9a-f]*\)">/\1/p' many.html | head -n 1)
	cat >keys.html <<HTML
<script nonce="$nonce">
	const canvas = document.querySelector("figure canvas"), off = document.querySelector('button[aria-pressed="false"]');
	for (const key of ["ArrowRight", "ArrowRight"])
		canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
	canvas.focus();
	root.dataset.focus = document.activeElement === canvas && off.tabIndex === 0;
	root.dataset.said = document.getElementById("said").textContent;
	off.click();
</script>
HTML
	sed '/^<\/body>/{
		r keys.html
		N
	}' many.html >walked.html
	browse --window-size=1400,1000 --dump-dom "file://$PWD/walked.html#check"
	page dom 'root["data-errors"] == "0" and root["data-focus"] == "true"'
	page dom 'root["data-said"].startswith("1M; ") and "stosq: 14.0 GB/s" in root["data-said"]'
	page dom 'drawn[charts[0]["id"]]["data-visible"] == "9" and pressed.count("true") == 9'
}

@test "hostile records stay text in a browser" {
	hostile >lines
	"$COMMAND" report lines --output hostile.html
	browse --window-size=1400,1000 --dump-dom "file://$PWD/hostile.html#check"
	page dom 'root["data-ready"] == "yes" and root["data-errors"] == "0" and scripts == 3'
}

@test "in the dark" {
	browse --window-size=1400,1000 --blink-settings=preferredColorScheme=0 --dump-dom "file://$PAGE#check"
	page dom 'root["data-theme"] == "dark" and root["data-errors"] == "0"'
}

@test "on paper everything is unfolded" {
	browse --no-pdf-header-footer --print-to-pdf="$PWD/page.pdf" "file://$PAGE"
	[[ -s page.pdf ]]
	command -v pdftotext >/dev/null || skip "pdftotext is not installed (package poppler-utils)"
	pdftotext -layout page.pdf page.txt
	for word in "Clearing, uncached" "minimum" "Runs on this machine" "1.81" "(R) regression" "avx2_nt" Notes; do
		grep -qF -- "$word" page.txt || { echo "no word of $word"; return 1; }
	done
}

@test "nothing is wider than a narrow window" {
	browse --window-size=500,1000 --dump-dom "file://$PAGE#check"
	page dom 'int(root["data-wide"]) <= int(root["data-window"])'
}

@test "--png: a picture of the page and of each chart" {
	results clear >lines
	run --separate-stderr "$COMMAND" report lines --output page.html --png pictures
	echo "$status: $stderr"
	[[ $status -eq 0 && -z $stderr ]]
	ls -l pictures
	[[ -s pictures/page.png && $(find pictures -name 'f?-clearing-*.png' -size +4k | wc -l) -eq 2 ]]
	[[ $(find pictures -name 'f*-cycles-*.png' -size +4k | wc -l) -eq 1 ]]
	[[ $(head -c 4 pictures/page.png | tail -c 3) == PNG ]]
}
