#!/bin/bash
# Real GNU Backgammon against `gammond serve` over gnubg's external-player protocol, both seats: money sessions with beavers and
# automatic doubles, the Jacoby rule on and off on either side in all four combinations; the same with a gnubg whose cube turns are
# noise, so that it doubles what is beavered and beavers what it should not; matches; and money and matches of the variants, by that gnubg
# too. Fails unless every reply was accepted,
# gnubg's record agrees with the wire, and every run ended cleanly; with 40 games with noise in each seat or more also when no automatic
# double, or no beaver of either side, happened.
#
#   tools/interop_gnubg.sh [GAMES] [MATCHES] [GAMMOND] [SERVE OPTION …]
#
# GAMES: of money in each combination and seat, and ten times as many in each seat with noise and of each variant (default 4, so 32, 80 and
# 80); MATCHES: of each length and seat (default 1), to the lengths of $LENGTHS (default "1 3 25"), and of each variant to 5 points.
# $VARIANTS: those that are played (default: nackgammon, hypergammon2 and hypergammon1, and hypergammon where $HYPER, a folder, has
# hyper3.bd). gnubg reads the tables of hypergammon from a folder of the system alone: they are put there for its processes by a mount that no
# other process sees; without the right to mount these variants are skipped.
# Needs gnubg, python3 and gnubg_vs_external.py (in ../shared/tools, or $GAMMOND_SHARED/tools). Reports go to $OUT (default: a temporary
# folder).
set -eu
games=${1:-4}
matches=${2:-1}
root=$(cd "$(dirname "$0")/.." && pwd)
# Where Debian has gnubg.
PATH="$PATH:/usr/games"
relay=${GAMMOND_SHARED:-$root/../shared}/tools/gnubg_vs_external.py
"$root/tools/needs" "$0" gnubg python3 "$relay" "${3:-cargo}"
[ $# -gt 2 ] || (cd "$root" && cargo build --release --quiet)
gammond=${3:-$root/target/release/gammond}
[ $# -gt 3 ] && shift 3 || shift $#
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
rm -f "$out"/money-*.json "$out"/match-*.json

# The relay knows neither automatic doubles nor noise nor variants: gnubg gets these settings before the relay's. The words after the name
# start gnubg.
gnubg_with() {
    local name=$1
    shift
    printf '#!/bin/bash\nexec%s gnubg "$@" < <(cat %q; exec cat)\n' "${*:+$(printf ' %q' "$@")}" "$out/$name.settings" > "$out/$name"
    chmod +x "$out/$name"
    cat > "$out/$name.settings"
}
gnubg_with gnubg <<< 'set automatic doubles 3'
noise() {
    echo 'set automatic doubles 3'
    for player in 0 1; do
        echo "set player $player cubedecision evaluation noise 0.4"
        echo "set player $player cubedecision evaluation deterministic off"
    done
}
noise | gnubg_with gnubg-noise

tables=${HYPER:-$out/tables}
mkdir -p "$tables"
for n in 1 2; do
    [ -e "$tables/hyper$n.bd" ] || "$gammond" bearoff make --hyper $n "$tables/hyper$n.bd" --progress none > "$out/hyper$n.txt"
done
variants=nackgammon
mounted=(unshare --mount --map-root-user bash -c 'mount --bind "$0" /var/lib/gnubg && exec "$@"' "$tables")
if "${mounted[@]}" true 2> "$out/mount.txt"; then
    variants="nackgammon hypergammon1 hypergammon2"
    [ ! -e "$tables/hyper3.bd" ] || variants="$variants hypergammon"
else
    echo "SKIPPED hypergammon: no right to mount"
fi
variants=${VARIANTS:-$variants}

server=
address=
status=0
trap 'kill $server 2>/dev/null || true' EXIT INT TERM
serve() {
    # The shell empties the file only when the server starts: an older address must not be read.
    rm -f "$out/server.txt"
    "$gammond" serve --listen 127.0.0.1:0 "$@" > "$out/server.txt" &
    server=$!
    tries=0
    while ! grep -qs '^listening on ' "$out/server.txt"; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || { echo "the server did not start"; exit 1; }
        sleep 0.1
    done
    address=$(sed -n 's/^listening on //p' "$out/server.txt" | head -1)
}
end() {
    kill -TERM "$server"
    wait "$server" || { echo "the server did not end cleanly"; status=1; }
    server=
}

seed=100
for ours in on off; do
    [ $ours = on ] && serve "$@" || serve --no-jacoby "$@"
    for theirs in on off; do
        [ $theirs = on ] && rule= || rule=--no-jacoby
        for seat in 0 1; do
            seed=$((seed + 1))
            python3 "$relay" "$address" --games "$games" --engine-player $seat --beavers 3 $rule --gnubg "$out/gnubg" \
                --gnubg-plies 0 --seed $seed --timeout 3600 --log "$out/money-ours-$ours-theirs-$theirs-seat-$seat.log" \
                > "$out/money-ours-$ours-theirs-$theirs-seat-$seat.json" || status=1
        done
    done
    end
done
serve "$@"
for seat in 0 1; do
    seed=$((seed + 1))
    python3 "$relay" "$address" --games $((10 * games)) --engine-player $seat --beavers 3 --gnubg "$out/gnubg-noise" \
        --gnubg-plies 0 --seed $seed --timeout 3600 --log "$out/money-noise-seat-$seat.log" > "$out/money-noise-seat-$seat.json" || status=1
done
for length in ${LENGTHS:-1 3 25}; do
    for seat in 0 1; do
        seed=$((seed + 1))
        python3 "$relay" "$address" --match-length "$length" --matches "$matches" --engine-player $seat \
            --gnubg-plies 0 --seed $seed --timeout 3600 --log "$out/match-$length-seat-$seat.log" \
            > "$out/match-$length-seat-$seat.json" || status=1
    done
done
end
for variant in $variants; do
    case $variant in
        nackgammon) theirs=nackgammon start=() ;;
        hypergammon) theirs=3-chequer-hypergammon start=("${mounted[@]}") ;;
        *) theirs=${variant#hypergammon}-chequer-hypergammon start=("${mounted[@]}") ;;
    esac
    { echo "set variation $theirs"; noise; } | gnubg_with "gnubg-$variant" "${start[@]}"
    serve "variant=$variant" --bearoff "$tables" "$@"
    for seat in 0 1; do
        seed=$((seed + 1))
        python3 "$relay" "$address" --games $((10 * games)) --engine-player $seat --beavers 3 --gnubg "$out/gnubg-$variant" \
            --gnubg-plies 0 --seed $seed --timeout 3600 --log "$out/money-$variant-seat-$seat.log" > "$out/money-$variant-seat-$seat.json" || status=1
        python3 "$relay" "$address" --match-length 5 --matches "$matches" --engine-player $seat --gnubg "$out/gnubg-$variant" \
            --gnubg-plies 0 --seed $seed --timeout 3600 --log "$out/match-$variant-seat-$seat.log" > "$out/match-$variant-seat-$seat.json" || status=1
    done
    end
done
python3 - "$out" <<'PY' || status=1
import glob, json, math, os, re, sys

def seen(path, engine):
    """Automatic doubles, beavers and raccoons of the engine and of gnubg, by gnubg's own records of the finished games."""
    automatic, turns = 0, {"engine": 0, "gnubg": 0}
    text = open(path, encoding="latin-1").read()
    for found in re.finditer(r"@@REC(\{.*?\})@@END", text, re.S):
        record = json.loads(found.group(1))
        if record["state"] in (None, 1) or not record["rec"]:
            continue
        automatic += record["info"].get("initial-cube", 1) > 1
        actions = [(action, player == "XO"[engine]) for action, player, *_ in record["rec"]]
        for (before, _), (action, ours) in zip(actions, actions[1:]):
            # A double that answers a double.
            if action in ("double", "beaver", "raccoon", "redouble") and before not in ("move", "take"):
                turns["engine" if ours else "gnubg"] += 1
    return automatic, turns["engine"], turns["gnubg"]

bad, games, questions, stalls, all_seen = 0, 0, 0, 0, [0, 0, 0]
enough = False
for path in sorted(glob.glob(f"{sys.argv[1]}/m*-seat-?.json")):
    name, r = os.path.basename(path)[:-5], json.load(open(path))
    points = [g["points"] if g["winner"] == "engine" else -g["points"] for g in r["games"]]
    n = len(points)
    mean = sum(points) / max(n, 1)
    error = math.sqrt(sum((p - mean) ** 2 for p in points) / max(n - 1, 1) / max(n, 1))
    won = sum(m["winner"] == "engine" for m in r["matches"])
    asked = r["moves_asked"] + r["roll_or_double_asked"] + r["takes_asked"]
    games, questions, stalls = games + n, questions + asked, stalls + r["stalls_after_beaver_taken"]
    happened = seen(path[:-5] + ".log", r["engine_player"])
    all_seen = [a + b for a, b in zip(all_seen, happened)]
    enough |= "noise" in name and n >= 40
    print(f"{name}: {n} games, {mean:+.3f} ± {error:.3f} points per game, matches won {won}/{len(r['matches'])}, {asked} questions, "
          f"rejected {r['replies_rejected']}, mismatches {len(r['record_mismatches'])}, forfeits {r['turns_forfeited']}, "
          f"notes {len(r['protocol_notes'])}, stalls after a beaver {r['stalls_after_beaver_taken']}, automatic doubles {happened[0]}, beavers {happened[1]} ours "
          f"{happened[2]} gnubg's, actions {r['engine_actions']}, "
          f"median {r['reply_latency'].get('median_ms')} ms, clean {r['clean']} {r['reason'] or ''}")
    wanted = r["games_requested"]
    complete = n == wanted if wanted else len(r["matches"]) == r["matches_requested"]
    # gnubg names a variation where it is set, in words of its own.
    variant = re.search("nackgammon|hypergammon", name)
    of_variant = not variant or re.search(f"Default variation is: .*{variant.group()}", open(path[:-5] + ".log", encoding="latin-1").read(), re.I)
    if r["replies_rejected"] or r["record_mismatches"] or r["turns_forfeited"] or r["protocol_notes"] or not r["clean"] or not complete or not of_variant:
        bad += 1
        print("   ", json.dumps(r["rejected"][:3]), r["protocol_notes"][:3], r["gnubg_messages"][:5])
print(f"{games} games, {questions} questions, {bad} runs failed; gnubg's own stall after an accepted beaver: {stalls} times; "
      f"games with automatic doubles {all_seen[0]}, beavers {all_seen[1]} ours, {all_seen[2]} gnubg's")
sys.exit(bool(bad) or enough and 0 in all_seen)
PY
exit $status
