"""A real browser for the tests of the page, and the server behind it."""
import base64, json, os, re, subprocess, sys, time

# For a machine that builds at the same time; what becomes true is seen at once.
WAIT_SECONDS = 300
# Two controls that overlap, if there are any; parts that scroll by themselves may be below others.
COVERED = """(() => {
    const shown = [...document.querySelectorAll('input, select, button, textarea')]
        .filter((one) => one.checkVisibility() && !one.closest('.scroll, .decisions'))
        .map((one) => [one.outerHTML.slice(0, 100), one.getBoundingClientRect()]);
    for (const [at, [one, box]] of shown.entries()) {
        for (const [other, next] of shown.slice(at + 1)) {
            const wide = Math.min(box.right, next.right) - Math.max(box.left, next.left);
            const high = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
            if (wide > 2 && high > 2) return [one, other];
        }
    }
    return null;
})()"""

# The middle of an element that stays where it is until the next frame.
AT_REST = """(async () => {
    const element = document.querySelector(SELECTOR);
    element?.scrollIntoView({ block: 'center' });
    // The middle of a link over two lines may lie beside its text.
    const middle = () => { const box = element?.getClientRects()[0]; return box && [box.x + box.width / 2, box.y + box.height / 2]; };
    const before = middle();
    await new Promise(requestAnimationFrame);
    const after = middle();
    return before && String(before) === String(after) ? after : null;
})()"""


class Browser:
    """Chromium, driven over its debugging pipe."""

    def __init__(self, program, profile, out):
        self.out = out
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
                if "navigated" in str(answer.get("error")):
                    # The page reloads: there is no value yet.
                    return {"result": {}}
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
        self.waits(lambda: self.value(expression), lambda: f"never true: {expression}\n{self.value('document.body.innerText')}\n{self.errors[:3]}")

    def waits(self, holds, failure):
        """Waits until a function holds; else the test ends with the text of `failure`."""
        end = time.monotonic() + WAIT_SECONDS
        while not holds():
            if time.monotonic() > end:
                sys.exit(failure())
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

    def typed_into(self, field, text):
        self.value(f"document.getElementById('{field}').select()")
        self.call("Input.insertText", text=text)

    def choose(self, selector, paths):
        """Chooses files."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=paths)

    def center(self, selector, scroll=True):
        """The middle of an element, in view."""
        return self.value(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if ({json.dumps(scroll)}) element.scrollIntoView({{ block: 'center' }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")

    def mouse(self, kind, at, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", **more)

    def click(self, selector):
        """Clicks an element when it is shown and at rest: what arrives above it moves it away from under the mouse."""
        found = []

        def rests():
            found[:] = [self.value(AT_REST.replace("SELECTOR", json.dumps(selector)))]
            return found[0]

        self.waits(rests, lambda: f"nothing to click: {selector}\n{self.value('document.body.innerText')}")
        self.mouse("mousePressed", found[0], clickCount=1)
        self.mouse("mouseReleased", found[0], clickCount=1)

    def drag(self, start, end):
        """Drags from one selector to another of the same board."""
        self.center("#place")
        start, end = self.center(start, False), self.center(end, False)
        self.mouse("mousePressed", start, clickCount=1)
        for part in range(1, 6):
            at = [one + (other - one) * part / 5 for one, other in zip(start, end)]
            self.mouse("mouseMoved", at, buttons=1)
        self.mouse("mouseReleased", end, clickCount=1)

    def picture(self, name, width, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.until("[...document.images].every((image) => image.complete && image.naturalWidth > 0)")
        wide = self.value("document.documentElement.scrollWidth")
        if wide > width:
            sys.exit(f"the page is {wide} wide in a window of {width}")
        covered = self.value(COVERED)
        if covered:
            sys.exit(f"a control lies over another one in a window of {width}: {covered}")
        data = base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"])
        if len(data) < 10_000:
            sys.exit(f"page-{name}.png has {len(data)} bytes: nothing is drawn")
        (self.out / f"page-{name}.png").write_bytes(data)


def server(gammond, address="127.0.0.1:0", *more):
    process = subprocess.Popen([gammond, "serve", "--listen", "127.0.0.1:0", "--http", address, *more],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in process.stdout:
        found = re.match(r"http on (\S+)", line)
        if found:
            return process, f"http://{found[1]}"
    sys.exit("the server does not start")
