#!/bin/sh
# Plays the FIBS bot against the test server.
# usage: tools/fibs-soak.sh [MINUTES]        in simulated time, all faults on (default 120)
#        tools/fibs-soak.sh real [MINUTES]   the program over a socket in real time, all faults on (default
#                                            120); a line a minute in $GAMMOND_FIBS_SOAK_DIR/soak.log
#        tools/fibs-soak.sh matches [COUNT]  whole matches, every result checked (default 1000)
#        tools/fibs-soak.sh serve [PORT]     a server on this machine to try the bot against (default 4321)
#        tools/fibs-soak.sh cuts [BYTES]     the link cut after every BYTES-th byte (default 1)
set -e
cd "$(dirname "$0")/.."
tools/needs "$0" cargo
crate=gammond-bots
case "${1:-120}" in
    matches) test=fibs::matches::whole_matches; export GAMMOND_FIBS_MATCHES="${2:-1000}" ;;
    cuts) test=fibs::matches::the_link_is_cut_after_any_byte; export GAMMOND_FIBS_CUT_EVERY="${2:-1}" ;;
    real) crate=gammond; test=fibs_soak::real_time; export GAMMOND_FIBS_REAL_MINUTES="${2:-120}" ;;
    serve) test=fibs::link::serve_here; export GAMMOND_FIBS_SERVE="${2:-4321}" ;;
    *) test=fibs::matches::soak; export GAMMOND_FIBS_SOAK_MINUTES="${1:-120}" ;;
esac
echo "building the test server and the program (minutes the first time) ..." >&2
exec cargo test --release -p "$crate" --test it "$test" -- --exact --nocapture
