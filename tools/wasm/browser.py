#!/usr/bin/env python3
"""Answers like the program, by the npm package in Chromium with its strong nets.

    tools/wasm/browser.py PACKAGE pipe|analyse [--format FORMAT] [--plies N]

PACKAGE is the folder of the package (tools/package/npm makes target/npm/gammond). Has the commands that tools/ci/equal_answers
compares; for others it ends with 69. With GAMMOND_SPEED set it says on stderr how long starting and answering took.
"""
import base64, functools, http.server, json, os, shutil, subprocess, sys, tempfile, threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from page.chromium import Browser

# Requests of one call to the browser.
TOGETHER = 50


class Quiet(http.server.SimpleHTTPRequestHandler):
    """The files of the package, and an empty page."""
    def do_GET(self):
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>empty</title>")

    def log_message(self, *_):
        pass


def main():
    package, command, *words = sys.argv[1:]
    if command not in ["pipe", "analyse"]:
        sys.exit(69)
    if subprocess.call([str(ROOT / "tools/needs"), __file__, "chromium", f"{package}/gammond.wasm"]):
        sys.exit(3)
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])))
    shows = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=package))
    threading.Thread(target=shows.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile, Path(profile))
    text = sys.stdin.buffer.read()
    try:
        browser.open(f"http://127.0.0.1:{shows.server_port}/")
        started = browser.value("""(async () => {
            const begun = performance.now();
            const { open } = await import('/index.js');
            globalThis.engine = await open();
            await engine.ask('move 4HPwATDgc/ABMA 31 plies=0');
            const fast = performance.now() - begun;
            await engine.useStrongNets();
            return [fast, performance.now() - begun];
        })()""")
        took = 0
        if command == "pipe":
            lines = [line for line in text.decode().split("\n") if line]
            for at in range(0, len(lines), TOGETHER):
                spent, answers = browser.value(f"""(async () => {{
                    const begun = performance.now();
                    const answers = await Promise.all({json.dumps(lines[at:at + TOGETHER])}.map((line) => engine.askText(line)));
                    return [performance.now() - begun, answers];
                }})()""")
                took += spent
                print("\n".join(answers))
        else:
            value = lambda name, other: words[words.index(name) + 1] if name in words else other
            options = {"format": value("--format", "json"), "settings": {"plies": value("--plies", "2")}}
            report = browser.value(f"""(async () => {{
                const file = Uint8Array.from(atob({json.dumps(base64.b64encode(text).decode())}), (one) => one.charCodeAt(0));
                const report = await engine.analyse(file, {json.dumps(options)});
                return new TextDecoder().decode(report);
            }})()""")
            sys.stdout.write(report)
        if os.environ.get("GAMMOND_SPEED"):
            print(f"first answer after {started[0]:.0f} ms, strong nets after {started[1]:.0f} ms, answers took {took:.0f} ms", file=sys.stderr)
    finally:
        browser.process.kill()
        browser.process.wait()
        shutil.rmtree(profile, ignore_errors=True)


main()
