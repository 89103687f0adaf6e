"""A server with tokens, as members of a club use it: sign in, analyse, sign out; what others and pages of other origins see of it."""
import http.server, json, os, sys, tempfile, threading
from pathlib import Path

from page.chromium import server

ROOT = Path(__file__).resolve().parent.parent.parent
MATCH = ROOT / "tests/data/analysis/one1.mat"
ANN, BOB = "0123456789abcdef", "ABCDEF0123456789"
FORM = "document.getElementById('token') !== null"
KEPT = "document.querySelectorAll('#rows tbody tr').length"
FILED = "document.querySelectorAll('#archive-rows tbody tr').length"
# What a page of another origin can try: the answer of each try, or why there was none.
TRIES = """(async (host) => {
    const tried = async (path, options) => {
        try {
            const response = await fetch(host + path, { credentials: 'include', ...options });
            return response.type === 'opaque' ? 'opaque' : await response.text();
        } catch (error) {
            return String(error);
        }
    };
    const position = JSON.stringify({ position: '4HPwATDgc/ABMA' });
    const sent = (mode, type) => ({ method: 'POST', mode, headers: { 'Content-Type': type }, body: position });
    const frame = document.createElement('iframe');
    const loaded = new Promise((done) => frame.addEventListener('load', done));
    frame.src = `${host}/matches`;
    document.body.append(frame);
    await loaded;
    let framed = 'hidden';
    try { framed = frame.contentDocument?.body.innerText ?? 'hidden'; } catch {}
    const form = Object.assign(document.createElement('form'), { method: 'post', action: `${host}/sign-out`, target: 'other' });
    const target = Object.assign(document.createElement('iframe'), { name: 'other' });
    document.body.append(target, form);
    const posted = new Promise((done) => target.addEventListener('load', done));
    form.submit();
    await posted;
    return {
        read: await tried('/v1/archive/matches', {}), opaque: await tried('/v1/archive/matches', { mode: 'no-cors' }),
        job: await tried('/v1/jobs/rollout', sent('cors', 'application/json')),
        simple: await tried('/v1/jobs/analyse?archive=true', sent('no-cors', 'text/plain')), framed,
    };
})"""


class OtherSite(http.server.SimpleHTTPRequestHandler):
    cookies = []

    def do_GET(self):
        self.cookies.append(self.headers.get("Cookie") or "")
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>another site</title>")

    def log_message(self, *_):
        pass


def sign_in(browser, token):
    browser.until(f"{FORM} && document.readyState === 'complete'")
    browser.typed("token", token)


def signed_in_as(name):
    return f"document.getElementById('main')?.dataset.client === '{name}' && document.readyState === 'complete'"


def status(browser, path, options="{}"):
    return browser.value(f"fetch('{path}', {options}).then((response) => response.status)")


def analysed(browser, host):
    """Analyses a match in the page, and files it by a job."""
    browser.choose("#files", [str(MATCH)])
    browser.until("(document.getElementById('decision')?.textContent ?? '') !== ''")
    job = browser.value(f"""(async () => {{
        const options = {{ method: 'POST', body: {json.dumps(MATCH.read_text())} }};
        const posted = await fetch('/v1/jobs/analyse?plies=0&archive=true', options);
        const link = posted.headers.get('location');
        for (;;) {{
            const job = await (await fetch(`${{link}}?wait=10`)).json();
            if (job.finished) return job;
        }}
    }})()""")
    if job["archived"] != 1:
        sys.exit(f"the match is not filed: {job}")
    browser.open("about:blank")
    browser.open(f"{host}/matches")
    browser.until(f"{KEPT} === 1 && {FILED} === 1")
    return f"/v1/jobs/{job['id']}"


def jobs(browser):
    return browser.value("fetch('/v1/jobs').then((response) => response.json())")


def tried_from_elsewhere(browser, host):
    """Pages of other origins, one of the same host at another port, to which the browser adds the cookie."""
    elsewhere = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherSite)
    threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
    before = [job["id"] for job in jobs(browser)]
    try:
        for name in ["127.0.0.1", "localhost"]:
            browser.open(f"http://{name}:{elsewhere.server_address[1]}/")
            found = browser.value(f"{TRIES}({json.dumps(host)})")
            shown = json.dumps(found)
            if not found["read"].startswith("TypeError") or not found["job"].startswith("TypeError") or "Alice" in shown \
                    or found["opaque"] != "opaque" or found["simple"] != "opaque" or found["framed"].strip() not in ("", "hidden"):
                sys.exit(f"a page of {name} sees {shown}")
            browser.open(f"{host}/matches")
            browser.until(signed_in_as("ann"))
            if [job["id"] for job in jobs(browser)] != before:
                sys.exit(f"a page of {name} began a job")
        # Cookies know no ports: without the check of the origin, the first page would have had the session.
        if not any("gammond=" in cookie for cookie in OtherSite.cookies):
            sys.exit("the browser added no cookie: nothing was tried")
    finally:
        elsewhere.shutdown()


def used(browser, gammond, look=lambda name: None):
    with tempfile.TemporaryDirectory() as folder:
        tokens = Path(folder) / "tokens"
        tokens.write_text(f"ann {ANN}\nbob {BOB}\n")
        os.chmod(tokens, 0o600)
        process, host = server(gammond, "127.0.0.1:0", "--http-tokens", str(tokens), "--db", f"{folder}/club.sqlite")
        try:
            browser.open(f"{host}/matches")
            browser.until(FORM)
            look("sign-in")
            sign_in(browser, "0000000000000000")
            browser.until("document.getElementById('token-error')?.textContent.includes('not known')")
            look("sign-in-wrong")
            # Without scripts, to the page that was wanted.
            browser.call("Emulation.setScriptExecutionDisabled", value=True)
            sign_in(browser, ANN)
            browser.until(signed_in_as("ann"))
            browser.call("Emulation.setScriptExecutionDisabled", value=False)
            browser.call("Page.reload")
            browser.until(f"{signed_in_as('ann')} && location.pathname === '/matches' && document.querySelector('#language') !== null")
            if browser.value("document.cookie"):
                sys.exit("a script can read the cookie")
            job = analysed(browser, host)
            look("signed-in")
            tried_from_elsewhere(browser, host)
            browser.click("#menu summary")
            browser.click(".session button")
            browser.until(f"location.pathname === '/sign-in' && {FORM}")
            if status(browser, "/v1/jobs") != 401:
                sys.exit("the session goes on after its end")
            sign_in(browser, BOB)
            browser.until(f"{signed_in_as('bob')} && location.pathname === '/'")
            browser.open(f"{host}/matches")
            browser.until("document.querySelector('#rows > *') !== null && document.querySelector('#archive-rows > *') !== null")
            seen = [browser.value(KEPT), browser.value(FILED), "Alice" in browser.value("document.body.innerText"),
                    status(browser, "/v1/archive/matches/1"), status(browser, job)]
            if seen != [0, 0, False, 404, 404]:
                sys.exit(f"a second token sees the first one's match: {seen}")
            browser.click("#menu summary")
            browser.click(".session button")
            browser.until(f"location.pathname === '/sign-in' && {FORM}")
            # A page that is still drawing would ask a server that is gone.
            browser.open("about:blank")
        finally:
            process.kill()
    # The browser itself notes what was refused on purpose.
    refused = ("status of 401", "status of 403", "status of 404", "CORS policy", "frame-ancestors", "Refused to frame", "ERR_FAILED",
               "ERR_BLOCKED_BY_RESPONSE", "violates the following Content Security Policy")
    browser.errors = [error for error in browser.errors if not any(text in str(error.get("text")) for text in refused)]
