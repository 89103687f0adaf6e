#!/bin/sh
# Real GNU Backgammon against `gammond serve` over gnubg's external-player protocol, both seats,
# money with beavers and seven-point matches. Fails unless every reply was accepted, gnubg's record
# agrees with the wire, and the run ended cleanly.
#
#   tools/interop_gnubg.sh [GAMES] [MATCHES] [GAMMOND] [SERVE OPTION …]
#
# Needs gnubg, python3 and gnubg_vs_external.py (in ../shared/tools, or $GAMMOND_SHARED/tools).
# Reports go to $OUT (default: a temporary folder).
set -eu
games=${1:-20}
matches=${2:-2}
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 2 ] || (cd "$root" && cargo build --release --quiet)
gammond=${3:-$root/target/release/gammond}
[ $# -gt 3 ] && shift 3 || shift $#
relay=${GAMMOND_SHARED:-$root/../shared}/tools/gnubg_vs_external.py
[ -f "$relay" ] || { echo "SKIPPED interop_gnubg: needs $relay"; exit 0; }
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"

"$gammond" serve --listen 127.0.0.1:0 "$@" > "$out/server.txt" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT INT TERM
tries=0
while ! grep -q '^listening on ' "$out/server.txt"; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "the server did not start"; exit 1; }
    sleep 0.1
done
address=$(sed -n 's/^listening on //p' "$out/server.txt" | head -1)

status=0
for seat in 0 1; do
    python3 "$relay" "$address" --games "$games" --engine-player $seat --beavers 3 \
        --gnubg-plies 0 --seed $((100 + seat)) --timeout 3600 > "$out/money-$seat.json" || status=1
    python3 "$relay" "$address" --match-length 7 --matches "$matches" --engine-player $seat \
        --gnubg-plies 0 --seed $((200 + seat)) --timeout 3600 > "$out/match-$seat.json" || status=1
done
python3 - "$out" <<'PY' || status=1
import json, math, sys
bad = 0
for name in ("money-0", "money-1", "match-0", "match-1"):
    r = json.load(open(f"{sys.argv[1]}/{name}.json"))
    points = [g["points"] if g["winner"] == "engine" else -g["points"] for g in r["games"]]
    n = len(points)
    mean = sum(points) / max(n, 1)
    error = math.sqrt(sum((p - mean) ** 2 for p in points) / max(n - 1, 1) / max(n, 1))
    won = sum(m["winner"] == "engine" for m in r["matches"])
    print(f"{name}: {n} games, {mean:+.3f} ± {error:.3f} points per game, matches won {won}/{len(r['matches'])}, "
          f"rejected {r['replies_rejected']}, mismatches {len(r['record_mismatches'])}, forfeits {r['turns_forfeited']}, "
          f"notes {len(r['protocol_notes'])}, actions {r['engine_actions']}, median {r['reply_latency'].get('median_ms')} ms, "
          f"clean {r['clean']} {r['reason'] or ''}")
    wanted = r["games_requested"]
    complete = n == wanted if wanted else len(r["matches"]) == r["matches_requested"]
    if r["replies_rejected"] or r["record_mismatches"] or r["turns_forfeited"] or r["protocol_notes"] or not r["clean"] or not complete:
        bad = 1
        print("   ", json.dumps(r["rejected"][:3]), r["protocol_notes"][:3], r["gnubg_messages"][:5])
sys.exit(bad)
PY
kill -TERM $server
wait $server || { echo "the server did not end cleanly"; status=1; }
trap - EXIT
exit $status
