#!/usr/bin/env bash
# Runs every fuzz target for SECONDS (default 5), starting from the saved corpus. SEED in the environment (default 1)
# chooses the inputs: the same program sees the same ones, as far as the time goes.
#   [SEED=N] tools/fuzz/smoke.sh [SECONDS] [TARGET...]
# GAMMOND_FUZZ_PROFILE=dev builds faster what runs slower.
# Needs only a stable Rust and a C++ compiler: the coverage flags are stable ones, so cargo-fuzz and
# a sanitizer are not needed here. What it finds beyond the corpus is thrown away.
set -euo pipefail
cd "$(dirname "$0")"
../needs "$0" cargo c++
seconds="${1:-5}"
shift || true
host="$(rustc -vV | sed -n 's/^host: //p')"
coverage="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-pc-table"
coverage="$coverage -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
target_dir="${CARGO_TARGET_DIR:-$PWD/../../target}"
profile="${GAMMOND_FUZZ_PROFILE:-fuzz}"
# --target keeps the flags away from build scripts.
RUSTFLAGS="$coverage" cargo build --profile "$profile" --quiet --target "$host" --target-dir "$target_dir"

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
failed=0
for source in fuzz_targets/*.rs; do
    name="$(basename "$source" .rs)"
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    mkdir -p "$scratch/$name"
    corpus=(); [ -d "corpus/$name" ] && corpus=("corpus/$name")
    if "$target_dir/$host/${profile/#dev/debug}/$name" -seed="${SEED:-1}" -max_total_time="$seconds" -max_len=1024 -rss_limit_mb=2048 \
        -artifact_prefix="$scratch/" -print_final_stats=1 "$scratch/$name" "${corpus[@]}" \
        >"$scratch/$name.log" 2>&1; then
        runs="$(sed -n 's/^stat::number_of_executed_units: *//p' "$scratch/$name.log")"
        covered="$(grep -o 'cov: [0-9]*' "$scratch/$name.log" | tail -1)"
        echo "$name: $runs runs, $covered"
    else
        echo "$name: FAILED"
        tail -30 "$scratch/$name.log"
        for crash in "$scratch"/crash-* "$scratch"/oom-* "$scratch"/timeout-*; do
            [ -e "$crash" ] && { echo "input (base64):"; base64 "$crash"; }
        done
        failed=1
    fi
done
exit "$failed"
