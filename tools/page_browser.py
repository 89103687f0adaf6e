#!/usr/bin/env python3
"""The page of the HTTP port in a real browser: used as a person does, without an error in the console and without a request to another
host, and pictures of it at four widths, light and dark.

    tools/page_browser.py [GAMMOND [FOLDER]]

Needs Chromium (Debian: chromium) or Chrome. Look at the pictures: the test does not.
"""
import base64, json, os, re, shutil, subprocess, sys, tempfile, time, urllib.parse, urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GAMMOND = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/gammond")
OUT = Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
WIDTHS = [360, 768, 1280, 1920]
WAIT_SECONDS = 60
START = "4HPwATDgc/ABMA"
HOSTILE = "<script>document.title='owned'</script>\u202e"


class Browser:
    """Chromium, driven over its debugging pipe."""

    def __init__(self, program, profile):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}",
                 "--remote-debugging-pipe", "about:blank"]
        # Chromium reads from 3 and writes to 4.
        script = f'exec 3<&{to_read} 4>&{from_write}; exec "$@"'
        self.process = subprocess.Popen(["bash", "-c", script, "browser", program, *flags],
                                        pass_fds=(to_read, from_write), stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.pipe = (os.fdopen(to_write, "wb", buffering=0), os.fdopen(from_read, "rb", buffering=0))
        self.rest, self.number, self.session = b"", 0, None
        self.errors, self.urls = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.pipe[0].write(json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                more = os.read(self.pipe[1].fileno(), 1 << 20)
                if not more:
                    sys.exit("the browser ended")
                self.rest += more
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer.get("method"), answer.get("params"))

    def note(self, event, params):
        if event == "Runtime.exceptionThrown":
            self.errors.append(params["exceptionDetails"])
        elif event == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(params["entry"])
        elif event == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(params)
        elif event == "Network.requestWillBeSent":
            self.urls.append(params["request"]["url"])

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression):
        end = time.monotonic() + WAIT_SECONDS
        while not self.value(expression):
            if time.monotonic() > end:
                sys.exit(f"never true: {expression}\n{self.value('document.body.innerText')}\n{self.errors}")
            time.sleep(0.05)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def pressed(self, key, code):
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      text="\r" if key == "Enter" else "")

    def typed(self, field, text):
        self.value(f"document.getElementById('{field}').select()")
        self.call("Input.insertText", text=text)
        self.pressed("Enter", 13)

    def picture(self, name, width, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.until("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
        wide = self.value("document.documentElement.scrollWidth")
        if wide > width:
            sys.exit(f"the page is {wide} wide in a window of {width}")
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        (OUT / f"page-{name}.png").write_bytes(base64.b64decode(data))


def server():
    process = subprocess.Popen([GAMMOND, "serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        found = re.match(r"http on (\S+)", line)
        if found:
            return process, f"http://{found[1]}"
    sys.exit("the server does not start")


def best(host, position, roll, plies):
    query = urllib.parse.urlencode({"position": position, "roll": roll, "plies": plies})
    with urllib.request.urlopen(f"{host}/v1/move?{query}") as answer:
        return json.load(answer)["plays"][0]["play"]


def used(browser, host):
    """Uses the page as a person does."""
    first = "document.querySelector('[data-play]')?.dataset.play"
    settled = "document.getElementById('answer').getAttribute('aria-busy') === 'false'"
    browser.open(f"{host}/?position={START}&roll=31")
    browser.until(f"{settled} && document.getElementById('answer').dataset.plies === '2'")
    assert browser.value(first) == best(host, START, 31, 2), browser.value(first)
    # The keyboard reaches a play, and its arrows are on the board; then the position after it, and back.
    browser.value("document.querySelector('[data-play] a').focus()")
    browser.until("document.getElementById('board').src.includes('play=')")
    browser.pressed("Enter", 13)
    browser.until(f"{settled} && {first} === undefined && document.querySelector('.verdict') !== null")
    assert browser.value("location.search").startswith("?position=sGfwATDgc")
    browser.value("history.back()")
    browser.until(f"{settled} && document.getElementById('roll').value === '31' && {first} !== undefined")
    # Another depth and a random roll are in the link.
    browser.value("plies.value = '0'; plies.dispatchEvent(new Event('change', {bubbles: true}))")
    browser.until(f"{settled} && location.search.includes('plies=0')")
    browser.value("document.getElementById('random').click()")
    browser.until(f"{settled} && document.getElementById('roll').value !== ''")
    roll = browser.value("document.getElementById('roll').value")
    assert browser.value(first) == best(host, START, roll, 0)
    assert browser.value("location.search").endswith(f"roll={roll}&plies=0"), browser.value("location.search")
    # A pasted ID brings its own dice.
    browser.typed("position", "XGID=-b----E-C---eE---c-e----B-:1:1:1:64:3:2:0:7:10")
    browser.until(f"{settled} && document.body.innerText.includes('Plays of 64')")
    if browser.errors:
        sys.exit(f"the page has errors: {browser.errors}")
    # A wrong one has its reason beside it. The browser notes the status 400 itself.
    browser.typed("position", HOSTILE)
    browser.until(f"{settled} && document.getElementById('position-error').textContent !== ''")
    browser.open(f"{host}/?" + urllib.parse.urlencode({"position": HOSTILE}))
    browser.until(settled)
    assert browser.value("document.title") != "owned" and browser.value("document.scripts.length") == 1
    wrong = [error for error in browser.errors if "status of 400" not in str(error.get("text"))]
    if wrong:
        sys.exit(f"the page has errors: {wrong}")


def main():
    program = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if not program:
        print("SKIPPED page_browser: there is no Chromium here")
        return
    OUT.mkdir(parents=True, exist_ok=True)
    process, host = server()
    profile = tempfile.mkdtemp()
    browser = None
    try:
        browser = Browser(program, profile)
        used(browser, host)
        for name, query in [("plays", f"position={START}&roll=31&length=7&score=3-5"), ("cube", f"position={START}"),
                            ("wrong", "position=hello&roll=31")]:
            browser.open(f"{host}/?{query}")
            browser.until("document.getElementById('answer').getAttribute('aria-busy') === 'false'")
            for width in WIDTHS:
                for scheme in ["light", "dark"]:
                    browser.picture(f"{name}-{width}-{scheme}", width, scheme)
        strangers = [url for url in browser.urls if not url.startswith((host, "about:", "data:"))]
        if strangers:
            sys.exit(f"the page asks for {strangers}")
        # That errors are noticed: a script that fails, and what the policy refuses.
        before = len(browser.errors)
        browser.value("setTimeout(() => nothing()); document.body.append(Object.assign(new Image(), {src: 'http://192.0.2.1/x.png'}))")
        browser.value("new Promise((done) => setTimeout(done, 300))")
        if len(browser.errors) < before + 2:
            sys.exit("errors of a page are not noticed")
    finally:
        if browser:
            browser.process.kill()
            browser.process.wait()
        process.kill()
        shutil.rmtree(profile, ignore_errors=True)
    print(f"{len(list(OUT.glob('page-*.png')))} pictures in {OUT}; best plays, keys, links and messages are right; no console error, no other host")


main()
