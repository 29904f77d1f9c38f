# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # set by run
#
# common.bash - what the command's tests share. COMMAND is the program, an absolute path.

bats_require_minimum_version 1.5.0

setup()
{
	if [[ ! -x ${COMMAND-} ]]; then
		echo "COMMAND is not the program: '${COMMAND-}'"
		return 1
	fi
	# A command that ends with an error frees nothing first: no leak.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	unset CLEARPAGES_VARIANT CLEARPAGES_DISABLE CLEARPAGES_PROFILE
	cd "$BATS_TEST_TMPDIR" || return 1
}

# fails STATUS VALUE ARGUMENT...: that status, nothing on stdout, and one line on stderr that names the value.
fails()
{
	local wanted=$1 value=$2
	shift 2
	run --separate-stderr "$COMMAND" "$@" </dev/null
	echo "clearpages $*: status $status, stdout '$output', stderr '$stderr'"
	[[ $status -eq $wanted ]] || return 1
	[[ -z $output ]] || return 1
	[[ ${#stderr_lines[@]} -eq 1 && $stderr == "clearpages: "* ]] || return 1
	[[ $stderr == *"$value"* ]]
}

usage_error() { fails 2 "$@"; }
failure() { fails 1 "$@"; }

# json FILE [EXPRESSION]: every line is a JSON object with a type, the first one the header; and the Python expression
# over `lines` holds.
json()
{
	python3 - "$@" <<'PYTHON'
import json, sys
lines = []
for number, text in enumerate(open(sys.argv[1]), 1):
    assert text.endswith("\n"), f"line {number} is cut: {text!r}"
    line = json.loads(text)
    assert isinstance(line, dict) and isinstance(line.get("type"), str), f"line {number}: {text!r}"
    lines.append(line)
assert lines and lines[0]["type"] == "header", "the first line is not the header"
if len(sys.argv) > 2:
    of = lambda kind: [l for l in lines if l["type"] == kind]
    assert eval(sys.argv[2], {"lines": lines, "of": of}), sys.argv[2]
PYTHON
}

# A routine of an operation that this processor lacks; empty if it has all.
missing_routine()
{
	"$COMMAND" info --no-measure --json | python3 -c '
import json, sys
for text in sys.stdin:
    line = json.loads(text)
    if line["type"] == "routine" and line["operation"] == "clear" and not line["available"]:
        print(line["name"])
        break'
}

available_kib() { awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo; }

# The measurements sweep some GiB, so that destinations are uncached.
need_memory()
{
	(($(available_kib) >= $1 * 1024 * 1024)) || skip "needs $1 GiB of memory"
}
