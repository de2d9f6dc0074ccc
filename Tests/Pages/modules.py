"""The tests of the page's modules. They run in the browser, under the page's policy, without a server."""

import mimetypes
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "Sources" / "RollcallInspect" / "Page"
ORIGIN = "http://page.test"
EMPTY = (
    "<!doctype html><html lang=en><title>Tests</title>"
    "<link rel=stylesheet href=/style/tokens.css><link rel=stylesheet href=/style/story.css><body>"
)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


def serve(route):
    """Answers a request of the browser from the files of the page and of the tests."""
    path = route.request.url.removeprefix(ORIGIN)
    if path == "/":
        body, kind = EMPTY, "text/html"
    else:
        folder = HERE / "modules" if path.startswith("/tests/") else PAGE
        file = folder / path.removeprefix("/tests/").lstrip("/")
        if not file.is_file():
            return route.fulfill(status=404)
        body, kind = file.read_text(), mimetypes.guess_type(file.name)[0]
    return route.fulfill(
        body=body, content_type=f"{kind}; charset=utf-8", headers={"Content-Security-Policy": POLICY}
    )


def run(browser, file):
    page = browser.new_page()
    try:
        page.route(f"{ORIGIN}/**", serve)
        page.goto(f"{ORIGIN}/")
        return page.evaluate(
            "async (path) => { const { run } = await import('/tests/harness.js');"
            " return run((await import(path)).default); }",
            f"/tests/{file.name}",
        )
    finally:
        page.close()


def tests(browser):
    for file in sorted((HERE / "modules").glob("*.js")):
        if file.name != "harness.js":
            yield f"module {file.stem}", lambda file=file: check(run(browser, file))
    yield "every text of the page is in texts.js", texts_are_in_one_file
    yield "every text is used", lambda: texts_are_used(browser)
    yield "the page sets no HTML", page_sets_no_html
    yield "the page's files are short", files_are_short


def check(results):
    assert results, "no test ran"
    failures = [f"{result['name']}: {result['error']}" for result in results if result["error"]]
    assert not failures, "\n".join(failures)


def texts_are_in_one_file():
    """A literal of two or more words that begins with a capital is a text."""
    text = re.compile(r"""(['"`])([A-Z][a-z]+(?: [\w’]+)+[^'"`]*)\1""")
    found = []
    for file in sorted((PAGE / "js").glob("*.js")):
        if file.name == "texts.js":
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            code = re.sub(r"(^|\s)//.*|^\s*/?\*.*", "", line)
            found += [f"{file.name}:{number}: {match[2]}" for match in text.finditer(code)]
    assert not found, "\n".join(found)


def texts_are_used(browser):
    """A text is used if its name is, or if those beside it are looked up by a name that is computed."""
    page = browser.new_page()
    page.route(f"{ORIGIN}/**", serve)
    page.goto(f"{ORIGIN}/")
    paths = page.evaluate(
        "async () => { const { texts } = await import('/js/texts.js'), found = [];"
        " const walk = (value, path) => { for (const [name, inner] of Object.entries(value)) { found.push([...path, name]);"
        " if (inner && typeof inner === 'object' && !Array.isArray(inner)) walk(inner, [...path, name]); } };"
        " walk(texts, []); return found; }")
    page.close()
    code = "\n".join(file.read_text() for file in sorted((PAGE / "js").glob("*.js")) if file.name != "texts.js")
    computed = re.compile(r"(?:\.(\w+)|\{[^}]*\}\)\()\[|Object\.(?:keys|entries)\((?:texts|t)\.(\w+)|(\w+): words\b")
    groups = {name for match in computed.finditer(code) for name in match.groups() if name}
    unused = [
        ".".join(path) for path in paths
        if not re.search(rf"[.{{,]\s*{path[-1]}\b", code) and not (len(path) > 1 and path[-2] in groups)
    ]
    assert not unused, ", ".join(unused)


def page_sets_no_html():
    banned = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function|srcdoc")
    found = [file.name for file in sorted((PAGE / "js").glob("*.js")) if banned.search(file.read_text())]
    assert not found, ", ".join(found)
    assert not re.search(r"style=|<script>|\son\w+=", (PAGE / "index.html").read_text()), "index.html"


def files_are_short():
    found = [file.name for file in sorted((PAGE / "js").glob("*.js")) if len(file.read_text().splitlines()) >= 200]
    assert not found, ", ".join(found)
