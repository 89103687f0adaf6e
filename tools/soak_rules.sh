#!/usr/bin/env bash
# Three move generators against each other on random positions, for long.
#   tools/soak_rules.sh [POSITIONS] [SEED]     default 1,000,000 positions, seed 1
set -euo pipefail
cd "$(dirname "$0")/.."
tools/needs "$0" cargo
export GAMMOND_SOAK_POSITIONS="${1:-1000000}" GAMMOND_SOAK_SEED="${2:-1}"
cargo test -q --release -p gammond-game --test it movegen::soak_three_generators -- --ignored --nocapture
