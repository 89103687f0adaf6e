"""Checks a page with axe-core for faults that keep people out, in both themes."""
import json, os, sys
from pathlib import Path

GRAVE = ["serious", "critical"]


def source():
    """The text of axe.min.js, which GAMMOND_AXE names; None without."""
    path = os.environ.get("GAMMOND_AXE")
    return Path(path).read_text() if path else None


def faults(browser, text):
    """The faults of the page as it is, those that keep people out."""
    browser.value(f"{text}; true")
    found = browser.value("axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, help, nodes }) => "
                          "({ id, impact, help, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 200)) })))")
    return [one for one in found if one["impact"] in GRAVE]


def pictures(browser, text, name, widths):
    """Checks a page, and takes pictures of it in both themes."""
    check(browser, text, name)
    for width in widths:
        for scheme in ["light", "dark"]:
            browser.picture(f"{name}-{width}-{scheme}", width, scheme)


def check(browser, text, place):
    if text is None:
        return
    for scheme in ["light", "dark"]:
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        grave = faults(browser, text)
        if grave:
            sys.exit(f"axe-core on {place}, {scheme}: {json.dumps(grave, indent=1)}")
