#!/usr/bin/env bash
# Makes those records of tests/data/benchmark that are not there yet, one file after the other.
#
#   tools/own_benchmark.sh [GAMMOND [FOLDER [KIND]]]
#
# KIND is contact, crashed or both (default). A contact file takes some ten minutes of one processor, a crashed one less. Stopped or
# killed, the same command goes on; two at work on different kinds do not meet. The files depend on the nets: the
# header of each says which, and a build with others refuses to go on with a file that is not complete.
set -euo pipefail
gammond=${1:-gammond}
folder=${2:-tests/data/benchmark}
kinds=${3:-contact crashed}
for kind in $kinds; do
    for positions in $(ls "$folder/positions/$kind"-*.txt | sort -V); do
        number=$(basename "$positions" .txt)
        number=${number#"$kind-"}
        if [ "$kind" = contact ]; then
            seed=$((1000 + number)) quotas=(--quota contact=100)
        else
            seed=$((2000 + number)) quotas=()
            for category in roll-prime trapped contain escape scramble must-hit other; do
                quotas+=(--quota "$category=25")
            done
        fi
        out=$folder/$kind-$number.bm
        [ -e "$out" ] || "$gammond" rollout --bm-in "$positions" --out "$out" trials=10368 se=0.004 truncate=race \
            --only decided --error-share 0.1 "${quotas[@]}" --seed "$seed"
    done
done
