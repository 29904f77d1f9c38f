# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# report.bash - result files made up for the tests of `report`, and a reader of its pages.

here=${BASH_SOURCE[0]%/*}

need_chart_js()
{
	[[ -r /usr/share/javascript/chart.js/chart.min.js ]] || skip "Chart.js is not installed (package libjs-chart.js)"
}

# Records of these benchmarks, with figures that are easy to check.
results() { python3 "$here/report.py" results "$@"; }

# What an enemy would send.
hostile() { python3 "$here/report.py" hostile; }

# page FILE EXPRESSION: the Python expression holds, over what report.py finds in the page.
page() { python3 "$here/report.py" page "$@"; }
