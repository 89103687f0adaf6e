#!/bin/bash
# The HTML report of a match in a real browser: pictures at the width of a desk and of a telephone, light and dark. The page must ask
# for nothing outside its file and tell of no error; that such pages are noticed is tried on two that do.
#
#   tools/report_pictures.sh [MATCH [FOLDER [GAMMOND]]]
#
# Needs Chromium (Debian: chromium) or Chrome, and python3. Look at the pictures: nobody else does.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
match=${1:-$root/tests/data/analysis/seven7.mat}
out=${2:-$(mktemp -d)}
gammond=${3:-$root/target/release/gammond}
"$root/tools/needs" "$0" chromium python3 "$match" "$gammond"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
mkdir -p "$out"
out=$(cd "$out" && pwd)
"$gammond" analyse "$match" --html "$out/report.html" > "$out/report.txt"
browse() { # page, arguments of Chromium
    local page=$1
    shift
    timeout 120 "$chromium" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --disable-background-networking \
        --disable-component-update --no-first-run --user-data-dir="$out/profile" --enable-logging=stderr --v=0 "$@" \
        "file://$page" 2> "$out/browser.log"
}
# Whether a page tells of an error or asks for something outside its file.
quiet() { # page
    browse "$1" --log-net-log="$out/net.json" --dump-dom > "$out/dom.html"
    if grep -i "CONSOLE" "$out/browser.log"; then return 1; fi
    python3 - "$out/net.json" <<'PY'
import re, sys
asked = set(re.findall(r'"url":"((?:https?|wss?|ftp)://[^"]*)"', open(sys.argv[1], errors="replace").read()))
# What the browser itself asks its maker.
asked = {url for url in asked if not re.search(r"//[^/]*(google|gvt1|googleapis|chromium)[^/]*/", url)}
if asked:
    print(f"the page asks for {sorted(asked)[:5]}")
    sys.exit(1)
PY
}
# A browser's window is at least 500 wide: a telephone is a frame in it.
echo '<body style="margin:0"><iframe src="report.html" style="width:390px;height:2400px;border:0"></iframe>' > "$out/telephone.html"
for look in light dark; do
    scheme=1
    [ $look = light ] || scheme=0
    for view in "desk report 1200" "telephone telephone 500"; do
        read -r name page width <<< "$view"
        browse "$out/$page.html" --blink-settings=preferredColorScheme=$scheme --window-size="$width",2400 \
            --screenshot="$out/report-$name-$look.png"
        if grep -i "CONSOLE" "$out/browser.log"; then echo "the page tells of errors"; exit 1; fi
        [ -s "$out/report-$name-$look.png" ]
    done
done
quiet "$out/report.html" || exit 1
# Without the report's own rule against it, and with it: a script that fails, and a picture from elsewhere.
for rule in kept lifted; do
    for more in '<script>nothing()</script>' '<img src="http://192.0.2.1/x.png">'; do
        sed "s,</html>,$more</html>," "$out/report.html" > "$out/bad.html"
        [ $rule = kept ] || sed -i 's/Content-Security-Policy/Nothing/' "$out/bad.html"
        if quiet "$out/bad.html" > /dev/null; then echo "not noticed ($rule): $more"; exit 1; fi
    done
done
rm -rf "$out/profile" "$out/bad.html"
echo "$(ls "$out"/report-*.png | wc -l) pictures in $out; no console message, no request out of the file; 4 of 4 bad pages noticed"
