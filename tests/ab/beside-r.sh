#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# beside-r.sh - the same samples through ab and through R's own t.test, wilcox.test and p.adjust: the numbers agree to nine
# digits. Of within-block comparisons R has the rank test alone; their t is written out here in R, from its definition.
#
# Usage: beside-r.sh NUMBERS
set -euo pipefail

if ! command -v Rscript >/dev/null; then
	echo "R is not installed (package r-base-core): left out" >&2
	exit 77
fi
numbers=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/r.R" <<'R'
set.seed(7)
out <- function(name, value) cat(sprintf("%s %.12g\n", name, value), file = expected, sep = "")
line <- function(...) cat(..., "\n", file = samples)
args <- commandArgs(TRUE)
samples <- file(args[1], "w")
expected <- file(args[2], "w")
welch <- function(name, x, y) {
	line(name, "unpaired", length(x), sprintf("%.17g", x), length(y), sprintf("%.17g", y))
	t <- t.test(y, x)
	out(paste0(name, ".mean"), mean(y) - mean(x))
	out(paste0(name, ".p"), t$p.value)
	out(paste0(name, ".df"), t$parameter)
	out(paste0(name, ".low"), t$conf.int[1])
	out(paste0(name, ".high"), t$conf.int[2])
	out(paste0(name, ".wilcoxon"), wilcox.test(x, y, exact = TRUE)$p.value)
}
blocks <- function(name, x, y) {
	line(name, "paired", length(x), sprintf("%.17g", x), length(y), sprintf("%.17g", y))
	n <- length(x)
	d <- y - x
	nu <- c(n - 1, 2 * (n - 1)^2 / (3 * n - 4))
	neighbours <- function(z) sum(diff(z)^2) / (2 * (n - 1))
	s2 <- c(var(d), neighbours(x + y))
	v <- s2[1]
	df <- n - 1
	if (pf(s2[2] / s2[1], nu[2], nu[1], lower.tail = FALSE) >= 0.01) {
		v <- sum(nu * s2) / sum(nu)
		rho <- (neighbours(y) - neighbours(x)) / (neighbours(y) + neighbours(x))
		w <- nu / sum(nu)
		df <- 1 / (sum(w^2 / nu) + 2 * w[1] * w[2] * rho^2 / (n - 1))
	}
	se <- sqrt(v / n)
	out(paste0(name, ".mean"), mean(d))
	out(paste0(name, ".p"), 2 * pt(-abs(mean(d)) / se, df))
	out(paste0(name, ".df"), df)
	out(paste0(name, ".low"), mean(d) - qt(0.975, df) * se)
	out(paste0(name, ".high"), mean(d) + qt(0.975, df) * se)
	out(paste0(name, ".wilcoxon"), wilcox.test(x, y, paired = TRUE, exact = TRUE)$p.value)
}
for (i in 1:20) welch(paste0("welch", i), rnorm(sample(2:20, 1), 0, runif(1, 0.1, 3)), rnorm(sample(2:20, 1), runif(1), 1))
for (i in 1:20) {
	n <- sample(2:20, 1)
	drift <- cumsum(rnorm(n)) * runif(1, 0, 2)
	blocks(paste0("blocks", i), drift + rnorm(n), drift + rnorm(n, runif(1, 0, 2), runif(1, 0.1, 3)))
}
for (i in 1:5) {
	p <- c(runif(4)^4, 0.5, 0.5, 1)
	line(paste0("holm", i), "holm", length(p), sprintf("%.17g", p))
	adjusted <- p.adjust(p, "holm")
	for (k in seq_along(p)) out(paste0("holm", i, ".", k), adjusted[k])
}
close(samples)
close(expected)
R
Rscript --vanilla "$work/r.R" "$work/samples" "$work/expected"
"$numbers" <"$work/samples" >"$work/got"
python3 - "$work/expected" "$work/got" <<'PYTHON'
import sys
expected, got = ([line.split() for line in open(name)] for name in sys.argv[1:])
assert len(expected) > 200 and [e[0] for e in expected] == [g[0] for g in got], "other names"
bad = [(e, g) for e, g in zip(expected, got) if abs(float(e[1]) - float(g[1])) > 1e-9 * max(1e-3, abs(float(e[1])))]
for e, g in bad:
    print(f"{e[0]}: R has {e[1]}, ab has {g[1]}")
print(f"{len(expected) - len(bad)} of {len(expected)} numbers agree")
sys.exit(bool(bad))
PYTHON
