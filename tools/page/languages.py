"""The pages in every language: no text of the table is left in English, and what a link chooses is kept."""
import sys

PAGES = ["/?position=4HPwATDgc/ABMA&roll=31&length=7&score=3-5", "/?position=4HPwATDgc/ABMA", "/play", "/matches", "/quiz"]
LANGUAGES = ["de", "fr", "ja"]
# English texts of the table that the page shows although they have a translation; names of requests are no texts.
LEFT = """(async () => {
    const table = (await import(new URL('translations.js', document.querySelector('script[type=module]').src))).default;
    const column = ['de', 'fr', 'ja'].indexOf(document.documentElement.lang);
    const translations = new Set(Object.values(table).map((row) => row[column]));
    const texts = [];
    for (const element of document.querySelectorAll('body *:not(noscript, script)')) {
        if (element.closest('#figures > div')) continue;
        for (const name of ['aria-label', 'alt', 'placeholder', 'title']) texts.push(element.getAttribute(name) ?? '');
        for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) texts.push(node.data.trim());
    }
    return texts.filter((text) => Object.hasOwn(table, text) && !translations.has(text));
})()"""
READY = """(document.getElementById('panel') ?? document.body).getAttribute('aria-busy') !== 'true' && document.querySelector('#language') !== null"""


def chosen(browser):
    browser.until("document.querySelector('#language') !== null")
    return browser.value("document.documentElement.lang")


def all_of_them(browser, host, look, more=()):
    for language in LANGUAGES:
        for path in [*PAGES, *more]:
            browser.open(f"{host}{path}{'&' if '?' in path else '?'}lang={language}")
            browser.until(READY)
            left = browser.value(LEFT)
            if chosen(browser) != language or left:
                sys.exit(f"{path} in {language} has English texts: {left}")
        browser.open(f"{host}/play")
        if chosen(browser) != language:
            sys.exit("the chosen language is not kept")
        look(language)
    # By hand, and then by the languages of the browser.
    browser.value("language.value = 'en'; language.dispatchEvent(new Event('change'))")
    browser.until("document.querySelector('#language')?.value === 'en' && document.querySelector('h1').textContent === 'Play'")
    browser.value("localStorage.removeItem('gammond.language')")
    agent = browser.value("navigator.userAgent")
    browser.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="es-ES,fr-CH,de")
    browser.open(f"{host}/quiz")
    if chosen(browser) != "fr":
        sys.exit("the language is not the browser's")
    browser.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="en-US")
