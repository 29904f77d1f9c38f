#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage.bats - what a person gets who asks for help, or for something that there is not: one line that names it, status 2.

# shellcheck disable=SC2153,SC2154 # COMMAND comes from outside; status, output, stderr from run
load common

benches=(clear copy use regret quick)
each=(info check tune "bench clear" "bench copy" "bench use" "bench around" "bench parallel" "bench populate" "bench recycle" "bench regret" "bench quick")

@test "--help says what the command is for, everywhere" {
	for words in "" bench "${each[@]}"; do
		read -ra command <<<"$words"
		run --separate-stderr "$COMMAND" "${command[@]}" --help
		echo "clearpages $words --help: $status, $stderr"
		[[ $status -eq 0 && $output == *[Uu]sage* && -z $stderr ]]
	done
}

@test "--version names the version, everywhere" {
	for words in "" bench "${each[@]}"; do
		read -ra command <<<"$words"
		run --separate-stderr "$COMMAND" "${command[@]}" --version
		echo "clearpages $words --version: $status, $output, $stderr"
		[[ $status -eq 0 && $output =~ ^clearpages\ [0-9]+\.[0-9]+\.[0-9]+$ && -z $stderr ]]
	done
}

@test "no command" {
	usage_error "--help"
	usage_error "--help" bench
}

@test "unknown command" {
	usage_error "frobnicate" frobnicate
	usage_error "frobnicate" bench frobnicate
	usage_error "--frobnicate" --frobnicate
}

@test "unknown option" {
	for words in "${each[@]}"; do
		read -ra command <<<"$words"
		usage_error "--frobnicate" "${command[@]}" --frobnicate
		usage_error "-Z" "${command[@]}" -Z
	done
}

@test "unexpected argument" {
	for words in "${each[@]}"; do
		read -ra command <<<"$words"
		usage_error "surplus" "${command[@]}" surplus
	done
}

@test "an option without its value" {
	for bench in "${benches[@]}"; do
		usage_error "--size" bench "$bench" --size
	done
	usage_error "--seed" check --seed
	usage_error "--output" info --output
}

@test "what is not a size" {
	for bench in "${benches[@]}"; do
		for value in 4X -1 1.5KB 99999999999999999999 8388608T 0 4K..4X; do
			usage_error "$value" bench "$bench" --size "$value"
			usage_error "$value" bench "$bench" "--size=$value"
		done
		usage_error "--size" bench "$bench" --size ""
	done
}

@test "lists that are empty or run backwards" {
	for bench in "${benches[@]}"; do
		usage_error "4K,,8K" bench "$bench" --size 4K,,8K
		usage_error "," bench "$bench" --size ,
		usage_error "64KB..4KB" bench "$bench" --size 64KB..4KB
		usage_error "--variant" bench "$bench" --variant ""
		usage_error "stosb,,mov" bench "$bench" --variant stosb,,mov
	done
}

@test "sizes that are not whole pages" {
	for bench in clear copy use quick; do
		usage_error "5000" bench "$bench" --size 5000
	done
}

@test "unknown routine" {
	for bench in "${benches[@]}"; do
		usage_error "nosuch" bench "$bench" --variant nosuch
		usage_error "nosuch" bench "$bench" --variant generic,nosuch
		usage_error "STOSB" bench "$bench" --variant STOSB
	done
	usage_error "nosuch" check --variant nosuch
	# A routine that only the other operation has.
	usage_error "movsb" bench clear --variant movsb
	usage_error "stosb" bench copy --variant stosb
}

@test "a routine that this processor lacks: a failure, not a usage error" {
	missing=$(missing_routine)
	[[ $missing ]] || skip "every routine is available on this processor"
	failure "$missing" bench clear --variant "$missing"
	failure "$missing" bench use --variant "$missing"
	failure "$missing" check --variant "$missing"
}

@test "numbers out of range" {
	for value in 0 -1 1.5 x "" 99999999999999999999; do
		usage_error "--threads: '$value'" bench clear --threads "$value"
		usage_error "--samples: '$value'" bench clear --samples "$value"
		[[ $value == 0 ]] || usage_error "--seed: '$value'" bench clear --seed "$value"
		[[ $value == 0 ]] || usage_error "--seed: '$value'" check --seed "$value"
	done
	usage_error "1,0" bench clear --threads 1,0 || usage_error "'0'" bench clear --threads 1,0
}

@test "unknown page kind" {
	for bench in "${benches[@]}"; do
		for value in 3MB 4kb THP "" 2M; do
			usage_error "--page: '$value'" bench "$bench" --page "$value"
		done
	done
}

@test "unknown state, extent, share, delay" {
	usage_error "'warm'" bench clear --state warm
	usage_error "'warm'" bench use --state warm
	usage_error "'4X'" bench clear --extent 4X
	usage_error "'100'" bench clear --extent 100
	usage_error "0'" bench use --touch 1/0
	usage_error "'2'" bench use --touch 2
	usage_error "'4X'" bench use --delay 4X
}

@test "what contradicts itself" {
	usage_error "--2005" bench clear --2005 --size 4MB
	usage_error "--threads" bench clear --threads 1 --state cached
}
