#!/bin/sh
# Plays the FIBS bot against the test server in simulated time with all faults on.
# usage: tools/fibs-soak.sh [MINUTES]        a long run (default 120)
#        tools/fibs-soak.sh matches [COUNT]  whole matches, every result checked (default 1000)
#        tools/fibs-soak.sh cuts [BYTES]     the link cut after every BYTES-th byte (default 1)
set -e
cd "$(dirname "$0")/.."
case "${1:-120}" in
    matches) test=fibs::whole_matches; export GAMMOND_FIBS_MATCHES="${2:-1000}" ;;
    cuts) test=fibs::the_link_is_cut_after_any_byte; export GAMMOND_FIBS_CUT_EVERY="${2:-1}" ;;
    *) test=fibs::soak; export GAMMOND_FIBS_SOAK_MINUTES="${1:-120}" ;;
esac
exec cargo test --release --test it "$test" -- --exact --nocapture
