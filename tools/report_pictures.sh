#!/bin/bash
# The HTML report of a match in a real browser: pictures at the width of a desk and of a telephone, light and dark, and the page
# must ask for nothing outside its file and tell of no error.
#
#   tools/report_pictures.sh [MATCH [FOLDER [GAMMOND]]]
#
# Needs Chromium (Debian: chromium) and python3. Look at the pictures: nobody else does.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
match=${1:-$root/tests/data/analysis/seven7.mat}
out=${2:-$(mktemp -d)}
gammond=${3:-$root/target/release/gammond}
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then
    echo "SKIPPED report_pictures: there is no Chromium here, so nobody has looked at the report"
    exit 0
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
"$gammond" analyse "$match" --html "$out/report.html" > "$out/report.txt"
browse() { # arguments of Chromium
    timeout 120 "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --disable-background-networking \
        --disable-component-update --no-first-run --user-data-dir="$out/profile" --enable-logging=stderr --v=0 "$@" \
        "file://$out/report.html" 2> "$out/browser.log"
}
for width in 1200 500; do
    for look in light dark; do
        scheme=1
        [ $look = light ] || scheme=0
        browse --blink-settings=preferredColorScheme=$scheme --window-size=$width,2400 --screenshot="$out/report-$width-$look.png"
        if grep -i "CONSOLE" "$out/browser.log"; then echo "the page tells of errors"; exit 1; fi
    done
done
browse --log-net-log="$out/net.json" --dump-dom > "$out/dom.html"
python3 - "$out/net.json" <<'PY'
import re, sys
asked = set(re.findall(r'"url":"((?:https?|wss?|ftp)://[^"]*)"', open(sys.argv[1], errors="replace").read()))
# What the browser itself asks its maker.
asked = {url for url in asked if not re.search(r"//[^/]*(google|gvt1|googleapis|chromium)[^/]*/", url)}
if asked:
    sys.exit(f"the page asks for {sorted(asked)[:5]}")
PY
rm -rf "$out/profile"
echo "$(ls "$out"/report-*.png | wc -l) pictures in $out; no console message, no request out of the file"
