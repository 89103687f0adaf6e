#!/usr/bin/env bash
# One worker of one thread against two, in turns, with a server of its own: what a second machine is worth.
#   tools/farm/two_workers.sh [PROGRAM] [GAMES] [ROUNDS]
set -euo pipefail
"$(dirname "$0")/../needs" "$0" nats-server "${1:-target/release/gammond}"
program=$(realpath "${1:-target/release/gammond}")
games=${2:-6000}
rounds=${3:-2}
folder=$(mktemp -d)
nats=nats://127.0.0.1:4333
nats-server --jetstream --store_dir "$folder/store" -a 127.0.0.1 -p 4333 >/dev/null 2>&1 &
server=$!
trap 'kill $server; wait $server 2>/dev/null || true; rm -rf "$folder"' EXIT
sleep 1
cd "$folder"
seconds() {
    local workers=() begun ended
    for number in $(seq "$1"); do
        "$program" farm worker --nats $nats --name "worker-$number" --threads 1 >/dev/null 2>&1 &
        workers+=($!)
    done
    sleep 1
    begun=$(date +%s.%N)
    "$program" farm submit --nats $nats --verify 0 --wait --part-seconds 2 \
        duel gammond:plies=1 gammond:plies=1:nets=embedded:fast --games "$games" --seed "$2" >/dev/null 2>error || cat error
    ended=$(date +%s.%N)
    kill "${workers[@]}"
    wait "${workers[@]}" 2>/dev/null || true
    awk -v w="$1" -v b="$begun" -v e="$ended" 'BEGIN { printf "%d of one thread: %.1f s\n", w, e - b }'
}
for round in $(seq "$rounds"); do
    seconds 1 "1$round"
    seconds 2 "2$round"
done
