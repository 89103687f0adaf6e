#!/usr/bin/env bash
# Losses of plays at nackgammon beside those at backgammon: 300 contact positions of games of the program against itself
# at each, rolled out on the terms of tools/own_benchmark.sh, and scored for gammond and gnubg's weights at 0 and 1 ply.
#
#   tools/variant_benchmark.sh FOLDER [GAMMOND [WD [FILES]]]
#
# FOLDER keeps the games and the files; the same command goes on there. WD are gnubg's weights (default:
# /usr/lib/gnubg/gnubg.wd). FILES is the number of files of 100 positions of each variant (default 3). A file takes some
# six minutes of a processor.
set -euo pipefail
folder=$1 gammond=${2:-gammond} wd=${3:-/usr/lib/gnubg/gnubg.wd} files=${4:-3}
"$(dirname "$0")/needs" "$0" "$gammond" "$wd"
mkdir -p "$folder"
for number in $(seq "$files"); do
    for variant in nackgammon backgammon; do
        out=$folder/$variant-$number.bm games=$folder/$variant
        [ ! -e "$out" ] || continue
        [ -d "$games" ] || "$gammond" duel gammond gammond --variant "$variant" --games 200 --seed 7 --independent-dice \
            --quiet --mat "$games" >/dev/null
        inputs=()
        for file in "$games"/*.mat; do inputs+=(--bm-in "$file"); done
        "$gammond" rollout "${inputs[@]}" --out "$out" trials=10368 se=0.004 truncate=race --only decided \
            --error-share 0.1 --quota contact=100 --seed "$number"
    done
done
for variant in nackgammon backgammon; do
    cat "$folder/$variant"-[0-9]*.bm >"$folder/$variant.bm"
    for plies in 0 1; do
        echo "$variant, $plies plies: gammond, then gnubg's weights"
        "$gammond" bench "$folder/$variant.bm" --player "gammond:plies=$plies" --against "gammond:plies=$plies:nets=$wd" --bearoff none
    done
done
