"""Pictures of the page in both themes, to be looked at, and the two of the README."""

import base64
import pathlib
import re

from playwright.sync_api import expect

THEMES = ("light", "dark")


def provenance(page):
    page.get_by_role("searchbox", name="Find in the roster").fill("zengyi")
    name = page.locator("#roster-rows .name button")
    expect(name).to_have_count(1)
    name.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()


def what_if(page):
    page.get_by_role("button", name="A client that takes every push").click()
    expect(page.get_by_role("heading", name="Otherwise")).to_be_visible()


def keys(page):
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()


def pane(name):
    def choose(page):
        page.get_by_role("navigation", name="Panes").get_by_role("button", name=name).click()
    return choose


def difference(page):
    page.get_by_role("region", name="Differences").get_by_role("button", name=re.compile("^name")).click()
    expect(page.locator(".row.now")).to_have_count(2)


# The name, the log, the address, the size, and what is done then.
VIEWS = [
    ("opening", "day", "", (1440, 900), None),
    ("moment", "day", "at=5772&tab=roster", (1440, 900), None),
    ("difference", "day", "at=17746&pin=16667&tab=diff", (1440, 900), None),
    ("provenance", "day", "at=17746&tab=roster", (1440, 900), provenance),
    ("what-if", "day", "at=19721&tab=whatif", (1440, 900), what_if),
    ("zoom-and-keys", "day", "at=17746&from=1795180000000&to=1795195000000", (1440, 900), keys),
    ("two-logs", "devices", "compare=1", (1440, 900), difference),
    ("hostile-names", "hostile", "at=30&tab=roster", (1440, 900), None),
    ("contact", "day", "at=5772&tab=contact&who=carol@friends.example", (1024, 768), None),
    ("large", "day", "at=5772&tab=roster", (2560, 1440), None),
    ("story-narrow", "day", "at=5772", (390, 844), None),
    ("record-narrow", "day", "at=5772", (390, 844), pane("Record")),
    ("roster-narrow", "day", "at=5772", (390, 844), pane("Roster")),
    ("findings-narrow", "day", "", (320, 700), pane("Findings")),
    ("session", "asked", "at=18&tab=roster", (1440, 900), None),
]
# The views of the README, in the light theme: .github/pictures has them.
README = {"session": "inspector.webp", "two-logs": "inspector-two-logs.webp"}
README_SIZE = (1200, 760)
QUALITY = 0.85
LARGEST = 80_000  # Bytes.
ACCEPTED = pathlib.Path(__file__).resolve().parent.parent.parent / ".github" / "pictures"


def take(views, folder, view, theme):
    page = opened(views, view, theme, view[3])
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{view[0]}-{theme}.png")
    views.close(page)


def readme_picture(views, view):
    """A picture that is small as a file, too: Playwright writes no WebP, but a canvas does."""
    page = opened(views, view, "light", README_SIZE)
    png = base64.b64encode(page.screenshot()).decode()
    views.close(page)
    return base64.b64decode(evaluated(
        views, "async ([png, quality]) => { const image = new Image(); image.src = `data:image/png;base64,${png}`; await image.decode();"
        " const canvas = new OffscreenCanvas(image.width, image.height); canvas.getContext('2d').drawImage(image, 0, 0);"
        " const blob = await canvas.convertToBlob({ type: 'image/webp', quality });"
        " return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('')); }",
        [png, QUALITY]))


def evaluated(views, script, given):
    blank = views.browser.new_page()
    try:
        return blank.evaluate(script, given)
    finally:
        blank.close()


def take_for_readme(views, folder, view):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / README[view[0]]).write_bytes(readme_picture(views, view))


def the_readme_shows_the_page(views, view):
    """A picture of the README is one of the page as it is, apart from what compression and fonts change."""
    kept, now = (ACCEPTED / README[view[0]]).read_bytes(), readme_picture(views, view)
    assert len(kept) <= LARGEST, f"{len(kept)} bytes"
    different = evaluated(
        views, "async (pictures) => { const [a, b] = await Promise.all(pictures.map(async (picture) => {"
        " const image = new Image(); image.src = `data:image/webp;base64,${picture}`; await image.decode();"
        " const canvas = new OffscreenCanvas(image.width, image.height), pen = canvas.getContext('2d'); pen.drawImage(image, 0, 0);"
        " return pen.getImageData(0, 0, image.width, image.height); }));"
        " if (a.width !== b.width || a.height !== b.height) return 1; let count = 0;"
        " for (let i = 0; i < a.data.length; i += 4) { if ([0, 1, 2].some((channel) => Math.abs(a.data[i + channel] - b.data[i + channel]) > 48)) count++; }"
        " return count / (a.width * a.height); }",
        [base64.b64encode(picture).decode() for picture in (kept, now)])
    assert different < 0.02, (
        f"{different:.1%} of its pixels are others: look at what tools/test-pages --pictures .github/pictures 'picture of the README' writes")


def opened(views, view, theme, size):
    _, log, fragment, _, action = view
    page = views.open(fragment, log=log, size=size, color_scheme=theme, reduced_motion="reduce")
    expect(page.get_by_text("Loading", exact=True)).to_have_count(0)
    if action:
        action(page)
    return page


def tests(views, folder):
    for view in VIEWS:
        for theme in THEMES:
            yield f"picture {view[0]} {theme}", lambda given=(view, theme): take(views, folder, *given)
    for view in VIEWS:
        if view[0] in README:
            yield f"picture of the README {view[0]}", lambda view=view: take_for_readme(views, folder, view)


def readme_tests(views):
    for view in VIEWS:
        if view[0] in README:
            yield f"the README shows the page: {view[0]}", lambda view=view: the_readme_shows_the_page(views, view)
