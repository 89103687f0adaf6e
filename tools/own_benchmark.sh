#!/usr/bin/env bash
# Makes those records of tests/data/benchmark that are not there yet, one file after the other.
#
#   tools/own_benchmark.sh [GAMMOND [FOLDER [KIND...]]]
#
# KIND is contact, crashed, back-game, containment or cube; without it all. A file takes some four minutes of one
# processor. Stopped or killed, the same command goes on; two at work on different kinds do not meet. The files depend
# on the nets: the header of each says which, and a build with others refuses to go on with a file that is not complete.
set -euo pipefail
gammond=${1:-gammond}
"$(dirname "$0")/needs" "$0" "$gammond" "${2:-tests/data/benchmark}/positions"
folder=${2:-tests/data/benchmark}
kinds=("${@:3}")
[ "${#kinds[@]}" -gt 0 ] || kinds=(contact crashed back-game containment cube)
# Plays: luck-adjusted games until the losses are known to 0.004, or to a tenth of themselves.
plays=(trials=10368 se=0.004 truncate=race --only decided --error-share 0.1)
for kind in "${kinds[@]}"; do
    for positions in $(ls "$folder/positions/$kind"-*.txt | sort -V); do
        number=$(basename "$positions" .txt)
        number=${number#"$kind-"}
        case $kind in
        crashed)
            seed=$((2000 + number)) how=("${plays[@]}")
            for category in roll-prime trapped contain escape scramble must-hit other; do
                how+=(--quota "$category=25")
            done
            ;;
        contact) seed=$((1000 + number)) how=("${plays[@]}" --quota contact=100) ;;
        back-game) seed=$((3000 + number)) how=("${plays[@]}" --quota back-game=100) ;;
        containment) seed=$((4000 + number)) how=("${plays[@]}" --quota containment=100) ;;
        cube) seed=$((5000 + number)) how=(trials=1296 --cube=7 --only all) ;;
        *) echo "no kind '$kind'; kinds are contact, crashed, back-game, containment, cube" >&2; exit 2 ;;
        esac
        out=$folder/$kind-$number.bm
        [ -e "$out" ] || "$gammond" rollout --bm-in "$positions" --out "$out" "${how[@]}" --seed "$seed"
    done
done
