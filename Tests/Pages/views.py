"""Finds the faults of the day fixture in the page: by clicks, by keys, and by what assistive software is told."""

import difflib
import json
import pathlib
import re
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import server

# Milliseconds until a test fails instead of waiting on: many times what it takes, because a machine may be busy.
PATIENCE, READY = 30_000, 120_000
expect.set_options(timeout=PATIENCE)
# The log, the address, and the pane and the tab to choose where only one pane fits.
VIEWS = {
    "roster": ("day", "at=5772&tab=roster", "Roster", None),
    "findings": ("day", "tab=findings", "Findings", None),
    "contact": ("day", "at=5772&tab=contact&who=carol@friends.example", "Roster", "Contact"),
    "difference": ("day", "at=17746&pin=12&tab=diff", "Roster", "Since the pin"),
    "what-if": ("day", "at=19721&tab=whatif", "Roster", "What if"),
    "records": ("day", "at=5772&show=records", None, None),
    "record": ("day", "at=5772", "Record", None),
    "screen": ("day", "at=5772", "Screen", None),
    "zoomed": ("day", "at=17746&from=1795180000000&to=1795195000000", "Roster", None),
    "two logs": ("devices", "compare=1", None, None),
    "hostile names": ("hostile", "at=30&tab=roster", "Roster", None),
}
# Dialogs, by the key that opens them.
DIALOGS = {"keys": "?", "go to": "g", "export": "e"}
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
# 720 px with two device pixels each are 1,440 px at 200 %.
AXE_SIZES = {**SIZES, "320 px": (320, 700), "200 %": (720, 450)}
LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "forced colors": {"forced_colors": "active", "reduced_motion": "reduce"},
}


class Views:
    def __init__(self, browser, program):
        self.browser, self.program = browser, program
        self.folder = server.folder()
        self.servers = {}

    def address(self, name):
        """The address of the page that shows a capture, which is served from the first use on."""
        if name not in self.servers:
            arguments = getattr(server, name)(pathlib.Path(self.folder.name))
            self.servers[name] = server.Server(self.program, *arguments)
        return self.servers[name].address

    def stop(self):
        for running in self.servers.values():
            running.stop()
        self.folder.cleanup()

    def ask(self, log, path):
        """What the server answers about a capture."""
        base, key = self.address(log).split("/#key=")
        asked = urllib.request.Request(f"{base}/api/{path}", headers={"Authorization": f"Bearer {key}"})
        return json.load(urllib.request.urlopen(asked, timeout=READY / 1000))

    def open(self, fragment="", log="day", size=(1440, 900), prepare=None, beside=None, **options):
        """A page that has shown its moment. What its console says is in `page.complaints`.

        `prepare(page)` is called before the page is loaded; `beside` is a page of the same browser profile."""
        context = beside.context if beside else self.browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        page = context.new_page()
        page.set_default_timeout(READY)
        page.complaints = []
        page.requests = []
        page.on("console", lambda said: page.complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
        page.on("request", lambda request: page.requests.append(request.url))
        if prepare:
            prepare(page)
        page.goto(self.address(log) + (f"&{fragment}" if fragment else ""))
        ready(page)
        expect(page.locator("#record h2").or_(page.locator("#record .empty")).first).to_be_attached()
        return page

    def close(self, page):
        assert not page.complaints, page.complaints
        origin = re.match(r"http://[^/]+/", page.url)[0]
        outside = [url for url in page.requests if not url.startswith(origin) and not url.startswith("blob:")]
        assert not outside, outside
        page.context.close()


def ready(page):
    """Waits until the page shows what its address says."""
    expect(page.locator("html")).to_have_attribute("data-ready", "true", timeout=READY)


def headline(page, *words):
    for word in words:
        expect(page.get_by_role("article", name="Record").get_by_role("heading", level=2)).to_contain_text(word)


def tab(page, name):
    return page.get_by_role("tab", name=re.compile(f"^{name}"))


def a_wrong_refusal_by_clicks(views):
    """Carol was declined with the wrong word: the finding, its cause, and why her request is open."""
    page = views.open()
    page.get_by_role("article", name="Declined with the wrong word").get_by_role("button", name=re.compile("^#5772")).click()
    headline(page, "no longer want to see")
    page.get_by_role("article", name="Record").get_by_role("button", name="Its cause #4458").click()
    headline(page, "asks to see our presence")
    page.get_by_role("article", name="Record").get_by_role("heading").get_by_role("button").first.click()
    expect(tab(page, "Contact")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_text("It asks to see our presence since")).to_be_visible()
    page.go_back()
    headline(page, "no longer want to see")
    views.close(page)


def a_wrong_refusal_by_keys(views):
    page = views.open()
    for record in ("#19721", "#17744", "#16658", "#5772"):
        page.keyboard.press("K")
        expect(page.locator(".moment b")).to_have_text(record)
    headline(page, "no longer want to see")
    page.keyboard.press("w")
    expect(page.get_by_text("It asks to see our presence since")).to_be_visible()
    page.keyboard.press("h")
    expect(page.get_by_role("heading", name="History")).to_be_focused()
    views.close(page)


def an_edit_that_took_back_a_name_by_clicks(views):
    """The value says which record set it, and a pin shows what became of it."""
    page = views.open("at=17746&tab=roster")
    page.get_by_role("searchbox", name="Find in the roster").fill("zengyi")
    name = page.get_by_role("button", name="曾毅, set by record 17746")
    expect(name.last).to_be_visible()
    name.last.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("#17746")
    groups = page.get_by_role("button", name="Work, set by record 17746")
    groups.last.click()
    headline(page, "曾毅")
    views.close(page)


def an_edit_that_took_back_a_name_by_keys(views):
    page = views.open("at=16667&tab=roster")
    page.keyboard.press("p")
    page.keyboard.press("g")
    page.keyboard.type("17746")
    page.keyboard.press("Enter")
    expect(page.locator(".moment b")).to_have_text("#17746")
    page.keyboard.press("d")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("1 contact differs")
    expect(panel.locator("del").first).to_have_text("曾毅（运营）")
    expect(panel.locator("ins").first).to_have_text("曾毅")
    views.close(page)


def a_forged_push_by_keys(views):
    page = views.open()
    page.keyboard.press("K")
    headline(page, "mallory")
    expect(page.get_by_role("article", name="Record")).to_contain_text("A stranger pushed into the roster")
    page.keyboard.press("i")
    page.get_by_role("button", name="A client that takes every push").press("Enter")
    expect(page.get_by_role("heading", name="Otherwise")).to_be_visible()
    expect(page.locator(".courses")).to_contain_text("#19721")
    views.close(page)


def a_forged_push_by_clicks(views):
    page = views.open()
    page.get_by_role("article", name="A stranger pushed into the roster").get_by_role("button", name=re.compile("^#19721")).click()
    headline(page, "mallory")
    tab(page, "What if").click()
    page.get_by_role("button", name="A client that takes every push").click()
    expect(page.get_by_role("heading", name="Otherwise")).to_be_visible()
    expect(page.locator(".courses")).to_contain_text("#19721")
    expect(page.locator(".courses")).to_contain_text("A stranger pushed into the roster")
    views.close(page)


def two_devices_by_clicks(views):
    """Where two logs part, which records set what differs, and the way back to one of them."""
    page = views.open(log="devices")
    page.get_by_role("button", name="Both logs side by side").click()
    main = page.get_by_role("main", name="Two logs")
    expect(main).to_contain_text("They agree for the last time after #19 and #35")
    expect(main.get_by_role("region", name="capture.log").first).to_contain_text("they agree up to #19")
    expect(main.get_by_role("region", name="laptop.log").first).to_contain_text("they agree up to #35; then nothing more")
    differences = page.get_by_role("region", name="Differences")
    expect(differences).to_contain_text("2 contacts differ")
    name = differences.get_by_role("button", name=re.compile("^name"))
    name.click()
    expect(name).to_have_attribute("aria-pressed", "true")
    marked = main.locator(".row.now")
    expect(marked.nth(0)).to_contain_text("#20")
    expect(marked.nth(1)).to_contain_text("#12")
    main.get_by_role("button", name="#20", exact=True).click()
    expect(page.locator(".moment b")).to_have_text("#20")
    headline(page, "梅姐")
    page.go_back()
    expect(main).to_be_visible()
    page.get_by_role("button", name="Back to one log").click()
    expect(main).to_be_hidden()
    views.close(page)


def two_devices_by_keys(views):
    page = views.open("at=12", log="devices")
    page.keyboard.press("o")
    pressed = page.locator(".pair[aria-pressed=true]")
    expect(page.get_by_role("main", name="Two logs")).to_contain_text("#35")
    expect(page.locator(".pair").first).to_be_visible()
    page.keyboard.press("j")
    expect(pressed).to_be_focused()
    expect(pressed).to_contain_text("老王")
    page.keyboard.press("j")
    expect(pressed).to_contain_text("梅姐")
    expect(page.locator("#log-0 .row.now")).to_contain_text("#20")
    page.keyboard.press("Escape")
    expect(page.get_by_role("slider", name="Moment")).to_be_visible()
    expect(page.locator(".moment b")).to_have_text("#12")
    views.close(page)


def who_took_back_a_name_by_clicks(views):
    """The roster has the old name; the value leads to the record that set it again."""
    page = views.open(log="renamed")
    tab(page, "Roster").click()
    page.locator("#roster-rows .name button").first.click()
    expect(page.get_by_role("article", name="Record").get_by_role("list", name="What it changed")).to_contain_text("陈建国")
    views.close(page)


def who_took_back_a_name_by_keys(views):
    page = views.open(log="renamed")
    page.keyboard.press("r")
    rows = page.locator("#roster-rows")
    expect(rows.locator(".row").first).to_be_visible()
    rows.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("article", name="Record").get_by_role("list", name="What it changed")).to_contain_text("陈建国")
    views.close(page)


def why_a_request_stays_by_clicks(views):
    page = views.open(log="pending")
    tab(page, "Roster").click()
    page.get_by_role("tabpanel").get_by_role("button", name="jia20@example.test").first.click()
    expect(page.get_by_role("tabpanel")).to_contain_text("It asks to see our presence since")
    page.get_by_role("tabpanel").get_by_role("button", name="#15").first.click()
    headline(page, "jia20", "asks to see our presence")
    views.close(page)


def why_a_request_stays_by_keys(views):
    page = views.open("at=33", log="pending")
    page.keyboard.press("/")
    page.keyboard.type("jia20")
    page.keyboard.press("Enter")
    expect(page.locator(".pane-head .count")).to_have_text("1 of 33")
    page.keyboard.press("Home")
    headline(page, "asks to see our presence")
    page.keyboard.press("w")
    expect(page.get_by_role("tabpanel")).to_contain_text("It asks to see our presence since")
    views.close(page)


def who_is_on_the_screen_by_clicks(views):
    """A new request is first, friends follow under the letter of their reading."""
    page = views.open("at=17", log="asked")
    rows = page.get_by_role("list", name="Contacts", exact=True)
    expect(rows).to_contain_text("moshengren101")
    expect(rows).to_contain_text("大刘")
    page.get_by_role("button", name="Go to X").click()
    expect(rows).to_contain_text("小芳")
    rows.get_by_role("button", name=re.compile("moshengren101")).click()
    page.get_by_role("tabpanel").get_by_role("button", name="#15").first.click()
    headline(page, "asks to see our presence")
    views.close(page)


def who_is_on_the_screen_by_keys(views):
    page = views.open("at=17", log="asked")
    page.keyboard.press("c")
    page.keyboard.type("dl")
    rows = page.get_by_role("list", name="Contacts", exact=True)
    expect(rows).to_contain_text("大刘")
    expect(rows).not_to_contain_text("小芳")
    page.locator("#screen-rows").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tabpanel")).to_contain_text("daliu101@example.test")
    views.close(page)


def a_contact_has_a_card_and_a_picture(views):
    """Each with the record that has it, at the moment: before it is asked for there is none."""
    page = views.open("at=5&show=records&tab=contact&who=bob@example.test", log="cards")
    panel = page.get_by_role("tabpanel")
    card = panel.get_by_role("button", name="Robert, a picture of 3 bytes (image/png), set by record 6")
    expect(panel.get_by_role("heading", name="History")).to_be_visible()
    expect(card).to_have_count(0)
    page.keyboard.press("j")
    expect(card).to_be_visible()
    expect(panel).not_to_contain_text("62cdb702")
    page.keyboard.press("j")
    expect(panel).to_contain_text("62cdb702… the picture is not in the log")
    card.click()
    expect(page.locator(".moment b")).to_have_text("#6")
    headline(page, "vCard")
    views.close(page)


def the_cards_of_another_moment_are_not_shown(views):
    """A moment whose cards have not arrived yet shows none of the moment before."""
    page = views.open("at=6&show=records&tab=contact&who=bob@example.test", log="cards")
    panel = page.get_by_role("tabpanel")
    card = panel.get_by_role("button", name="Robert, a picture of 3 bytes (image/png), set by record 6")
    expect(card).to_be_visible()
    held = []
    page.route("**/cards?*", lambda route: held.append(route))
    with page.expect_request("**/cards?*"):
        page.keyboard.press("k")
    expect(page.locator(".moment b")).to_have_text("#5")
    expect(card).to_have_count(0)
    held.pop().continue_()
    views.close(page)


def the_screen_is_searched_by_pinyin(views):
    page = views.open("at=17746&tab=roster")
    page.keyboard.press("c")
    page.keyboard.type("zy")
    rows = page.get_by_role("list", name="Contacts", exact=True)
    expect(rows).to_contain_text("曾毅")
    expect(rows).not_to_contain_text("Adam")
    page.get_by_role("searchbox", name="Search the contacts screen").fill("")
    expect(rows).to_contain_text("Adam")
    page.get_by_role("button", name="Go to Z").click()
    expect(rows).to_contain_text("曾毅")
    page.get_by_role("combobox", name="Who is listed").select_option("all")
    expect(rows).to_contain_text("Z")
    views.close(page)


def the_story_is_filtered(views):
    page = views.open("at=5772")
    count = page.locator(".pane-head .count")
    page.keyboard.press("/")
    page.keyboard.type("is:finding")
    expect(count).to_have_text("4 of 32,020")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(count).not_to_have_text("4 of 32,020")
    page.get_by_role("searchbox", name="Filter the story").fill("kind:nothing")
    expect(page.locator("#filter-fault")).to_contain_text("kind:nothing")
    page.get_by_role("searchbox", name="Filter the story").fill("")
    expect(page.locator("#filter-fault")).to_be_hidden()
    page.complaints.clear()  # Chromium reports the answer 400 to the wrong filter.
    views.close(page)


def a_search_says_how_far_it_is_and_stops(views):
    """In a long log: the list stays as it is until the search is over, or is given up."""
    page = views.open("at=15", log="pending")
    count, held, asked = page.locator(".pane-head .count"), [], []
    answer = {"view": "v1", "show": "story", "filter": "jia20", "entries": 0, "complete": True, "upTo": 131_072, "searched": 65_536}

    def search(route):
        asked.append(route)
        if len(asked) == 1:
            route.fulfill(json=answer)
        else:
            held.append(route)

    page.route("**/api/views", search)
    filter_box = page.get_by_role("searchbox", name="Filter the story")
    filter_box.fill("jia20")
    expect(count).to_have_text("Searched 65,536 of 131,072; Esc stops")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(filter_box).to_have_value("")
    expect(count).to_have_text(re.compile("^\\d+ of 33$"))
    # What the server still answers to it changes nothing.
    with page.expect_response("**/api/views"):
        held.pop().fulfill(json={**answer, "searched": 131_072})
    page.unroute("**/api/views")
    filter_box.fill("jia20")
    expect(count).to_have_text("1 of 33")
    views.close(page)


def folds_open_and_close(views):
    page = views.open("at=5847")
    row = page.locator(".row.now")
    expect(row).to_contain_text("Presence of 4 contacts")
    page.keyboard.press("Enter")
    expect(page.locator(".entry.inside").first).to_be_visible()
    expect(page.locator(".entry.fold.open")).to_have_count(1)
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.locator(".entry.inside")).to_have_count(0)
    views.close(page)


class Counts:
    """What the browser has counted of a page since the last look."""

    def __init__(self, page):
        self.page, self.session = page, page.context.new_cdp_session(page)
        self.session.send("Performance.enable")
        self.flying, self.most = set(), 0
        page.on("request", self.began)
        for event in ("requestfinished", "requestfailed"):
            page.on(event, lambda request: self.flying.discard(request))

    def began(self, request):
        if "/api/" in request.url and "/api/live" not in request.url:
            self.flying.add(request)
            self.most = max(self.most, len(self.flying))

    def __getitem__(self, name):
        return next(found["value"] for found in self.session.send("Performance.getMetrics")["metrics"] if found["name"] == name)

    @property
    def megabytes(self):
        self.session.send("HeapProfiler.collectGarbage")
        return self["JSHeapUsedSize"] / 1e6


def a_step_costs_what_it_changes(views):
    """Layouts, nodes, memory and requests at a time; how long they take depends on the machine."""
    page = views.open("at=5772&tab=roster")
    expect(page.locator("#roster-rows .row").first).to_be_visible()
    counts, steps = Counts(page), 20
    before = counts["LayoutCount"]
    # Each step is drawn before the next one begins; asking from here would lay out the page, too.
    page.evaluate("""async (steps) => {
      const frame = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
      for (let step = 0; step < steps; step++) {
        const number = document.querySelector('.meta .number'), before = number.textContent;
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', bubbles: true }));
        for (let frames = 0; document.querySelector('.meta .number').textContent === before; frames++) {
          if (frames > 1000) throw new Error(`step ${step} is not drawn`);
          await frame();
        }
        await frame();
      }
    }""", steps)
    layouts = (counts["LayoutCount"] - before) / steps
    wheel = counts["LayoutCount"]
    page.locator("#entries").hover()
    for _ in range(20):
        page.mouse.wheel(0, 400)
    nodes, megabytes = page.locator("*").count(), counts.megabytes
    print(f"layouts per step {layouts:.1f}, by 20 turns of the wheel {counts['LayoutCount'] - wheel:.0f}, nodes {nodes}, "
          f"heap {megabytes:.1f} MB, requests at a time {counts.most}")
    # One for the key, one for the answer, and one if the record or the requests then have another height.
    assert layouts <= 3, layouts
    assert nodes <= 2500, nodes
    assert megabytes <= 200, megabytes
    assert counts.most <= 3, counts.most
    views.close(page)


def a_step_is_one_request(views):
    """Whether the record is known or not: a step asks for the moment and nothing else."""
    page = views.open("at=5772&tab=roster")
    expect(page.locator("#roster-rows .row").first).to_be_visible()
    for key in ("k", "k", "k", "j"):
        page.requests.clear()
        with page.expect_response(re.compile("/api/moment")) if key == "k" else nothing():
            page.keyboard.press(key)
        asked = [url for url in page.requests if "/api/" in url]
        assert len(asked) == (1 if key == "k" else 0), asked
    views.close(page)


class nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def the_timeline_is_moved_by_mouse_and_keys(views):
    page = views.open("at=5772")
    track = page.get_by_role("slider", name="Moment")
    box = track.bounding_box()
    page.mouse.move(box["x"] + 700, box["y"] + 90)
    page.mouse.wheel(0, -500)
    expect(page.get_by_role("button", name="Whole log")).to_be_visible()
    page.mouse.down()
    page.mouse.up()
    expect(track).not_to_have_attribute("aria-valuenow", "5772")
    page.keyboard.press("0")
    expect(page.get_by_role("button", name="Whole log")).to_be_hidden()
    page.get_by_role("button", name="Records", exact=True).click()
    page.keyboard.press("Home")
    expect(track).to_have_attribute("aria-valuenow", re.compile("^[0-9]{1,2}$"))
    views.close(page)


def a_click_near_a_finding_goes_to_it(views):
    """Within five pixels, and no farther."""
    page = views.open("at=5772")
    series, findings = views.ask("day", "timeline?columns=1"), views.ask("day", "findings")["findings"]
    track = page.get_by_role("slider", name="Moment")
    box = track.bounding_box()
    left, right = 84, box["width"] - 20  # Of the track, beside the names of the lanes.
    found = next(finding for finding in findings if finding["record"] == 19721)
    x = left + (found["t"] - series["from"]) / (series["to"] - series["from"]) * (right - left)
    for offset, is_near in ((4, True), (-12, False), (-4, True), (12, False)):
        page.mouse.click(box["x"] + x + offset, box["y"] + 90)
        if is_near:
            expect(track).to_have_attribute("aria-valuenow", "19721")
        else:
            expect(track).not_to_have_attribute("aria-valuenow", "19721")
    views.close(page)


def the_key_leaves_the_address(views):
    page = views.open("at=5772")
    key = views.address("day").split("#key=")[1]
    assert key not in page.url, page.url
    assert not [url for url in page.requests if key in url.split("#")[0]], "the key is in a request's path"
    assert not page.context.cookies(), "a cookie"
    again = page.context.new_page()
    again.goto(views.address("day").split("#")[0])
    ready(again)
    again.close()
    views.close(page)
    stranger = views.browser.new_page()
    stranger.goto(views.address("day").split("#")[0])
    expect(stranger.get_by_role("alert")).to_contain_text("needs the address")
    stranger.close()


def the_policy_is_strict(views):
    headers = urllib.request.urlopen(views.address("day").split("#")[0], timeout=10).headers
    for part in ("default-src 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"):
        assert part in headers["Content-Security-Policy"], headers
    assert headers["X-Content-Type-Options"] == "nosniff", headers


def hostile_names_are_texts(views):
    """Texts that try to be markup, scripts or layout, in every tab and at two widths."""
    for size in SIZES.values():
        for name in ("roster", "contact", "findings", "diff", "whatif"):
            page = views.open(f"at=30&pin=3&tab={name}&who=u0@friends.example", log="hostile", size=size)
            expect(page.locator("#record h2")).to_be_attached()
            inserted = page.locator("body :is(img, script, iframe, b b)").count()
            assert inserted == 0, f"{inserted} elements in {name}"
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name} scrolls sideways by {wide} px at {size}"
            views.close(page)


def nothing_scrolls_sideways(views):
    """From 320 to 2,560 px; 720 px is also 1,440 at 200 %."""
    for width in (320, 390, 720, 1024, 1440, 2560):
        page = views.open("at=5772&tab=findings", size=(width, 800))
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{wide} px at {width}"
        views.close(page)


def every_key_has_its_control(views):
    """Tab reaches each control of the page once, in the order of the page, and leaves no trap."""
    page = views.open("at=5772&tab=roster")
    seen, places = [], []
    while not places or places[-1] >= 0:
        page.keyboard.press("Tab")
        name, place = page.evaluate(
            "[(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).slice(0, 40),"
            " document.activeElement === document.body ? -1 : [...document.querySelectorAll('*')].indexOf(document.activeElement)]")
        seen.append(name)
        places.append(place)
        assert len(seen) < 100, f"Tab does not leave the page: {seen}"
    assert places[:-1] == sorted(set(places[:-1])), f"Tab goes back: {list(zip(seen, places))}"
    for name in ("Skip to the story", "Filter the story", "Moment", "Story", "Width of the story", "Record", "Height of the record",
                 "Find in the roster", "Order", "Contacts", "Width of the screen", "Search the contacts screen", "Who is listed"):
        assert any(found.startswith(name) for found in seen), f"Tab does not reach {name}: {seen}"
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    views.close(page)


def arrow_keys_reach_what_rows_have(views):
    """Each value of each row of the roster, and each row of the contacts screen, without Tab."""
    page = views.open("at=5772&tab=roster")
    roster = page.locator("#roster-rows")
    roster.focus()
    page.keyboard.press("ArrowDown")
    focused = page.locator(":focus")
    expect(focused).to_have_accessible_name(re.compile("^Adam, set by record"))
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_text("adam@friends.example")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_text("agnes@friends.example")
    expect(page.locator(".moment b")).to_have_text("#5772")
    page.keyboard.press("End")
    expect(focused).to_be_in_viewport()
    expect(roster.locator(".row").last.locator(":focus")).to_have_count(1)
    page.keyboard.press("k")
    expect(page.locator(".moment b")).not_to_have_text("#5772")
    expect(roster.locator(".row").last.locator(":focus")).to_have_count(1)
    screen = page.locator("#screen-rows")
    screen.focus()
    page.keyboard.press("ArrowDown")
    expect(focused).to_contain_text("Carol")
    page.keyboard.press("ArrowDown")
    expect(focused).to_contain_text("Adam")
    page.keyboard.press("Enter")
    expect(tab(page, "Contact")).to_have_attribute("aria-selected", "true")
    views.close(page)


def a_live_log_is_followed_and_may_be_replaced(views):
    """Who looks back stays there, who follows is at the end, and another log at the same place is said."""
    with server.growing(views.program, views.folder) as log:
        if log is None:
            return
        views.servers["growing"] = server.Server(views.program, log.path)
        page = views.open("at=15", log="growing")
        head = log.head
        for following in (False, True):
            log.grow()
            head += 1
            expect(page.locator(".moment .of")).to_have_text(f"of {head}")
            expect(page.locator(".moment b")).to_have_text(f"#{head}" if following else "#15")
            if not following:
                page.keyboard.press("L")
                expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "true")
        # Stepping back leaves the end, and stays away from it.
        page.keyboard.press("k")
        expect(page.get_by_role("button", name="Live")).to_have_attribute("aria-pressed", "false")
        page.keyboard.press("g")
        page.keyboard.type("15")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("at=15"))
        log.replace("raw-presence-first")
        expect(page.locator(".account")).to_have_text("meili101@example.test")
        expect(page.locator("#said")).to_have_text("The log was replaced. The page has loaded it again.")
        assert "at=15" not in page.url, page.url
        views.close(page)
        views.servers.pop("growing").stop()


def a_bookmark_is_set_and_found_again(views):
    with server.growing(views.program, views.folder) as log:
        if log is None:
            return
        if not views.program.with_name("rollcall").exists():
            print("left out, because rollcall is not beside rollcall-inspect: bookmarks")
            return
        views.servers["growing"] = server.Server(views.program, log.path)
        page = views.open("at=15", log="growing")
        page.keyboard.press("b")
        name = page.get_by_role("textbox", name="Name of the bookmark")
        name.fill("head")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("a bookmark's name")
        page.complaints.clear()  # Chromium reports the answer 400 to the wrong name.
        name.fill("request")
        page.keyboard.press("Enter")
        expect(page.locator("#said")).to_have_text("Bookmarked as request")
        page.keyboard.press("Home")
        expect(page.locator(".moment b")).not_to_have_text("#15")
        page.keyboard.press("g")
        page.get_by_role("dialog").get_by_role("button", name="request").click()
        expect(page.locator(".moment b")).to_have_text("#15")
        page.keyboard.press("Home")
        page.keyboard.press("g")
        page.keyboard.type("request")
        page.keyboard.press("Enter")
        expect(page.locator(".moment b")).to_have_text("#15")
        views.close(page)
        views.servers.pop("growing").stop()


def a_stanza_is_copied_as_it_was_recorded(views):
    page = views.open("at=15", log="pending", permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("x")
    expect(page.locator("#said")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == views.ask("pending", "records/15")["xml"], copied
    views.close(page)


def what_is_listed_is_saved(views):
    """The entries that the filter leaves, as JSON Lines."""
    page = views.open("at=15", log="pending")
    page.get_by_role("searchbox", name="Filter the story").fill("jia20")
    expect(page.locator(".pane-head .count")).to_have_text("1 of 33")
    page.locator("#entries").focus()
    page.keyboard.press("e")
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name="JSON").click()
    lines = pathlib.Path(download.value.path()).read_text().splitlines()
    assert [json.loads(line)["record"] for line in lines] == [15], lines
    assert download.value.suggested_filename.endswith(".story.jsonl"), download.value.suggested_filename
    views.close(page)


def what_a_page_missed_is_shown_after_a_reconnect(views):
    """Whatever the page has learned of the log meanwhile: its panes show no less."""
    with server.growing(views.program, views.folder) as log:
        if log is None:
            return
        views.servers["growing"] = server.Server(views.program, log.path)
        # None is there, then one that begins and ends without an event, so that the page asks what the log is now.
        answers = [lambda route: route.abort()]

        def stream(route):
            answers[0](route)
            if len(answers) > 1:
                answers.pop(0)

        page = views.open("at=15", log="growing", prepare=lambda page: page.route("**/api/live*", stream))
        expect(page.get_by_role("button", name="Live: reconnecting")).to_be_visible()
        log.grow()
        with page.expect_response(re.compile("/api/log")):
            answers[:] = [
                lambda route: route.fulfill(content_type="text/event-stream", body=": \n\n"), lambda route: route.continue_()]
        expect(page.locator("#story .count")).to_have_text(re.compile(f"of {log.head}$"))
        page.complaints.clear()  # Chromium reports the streams that were refused.
        views.close(page)
        views.servers.pop("growing").stop()


def another_run_is_said(views):
    """A server that is started again has another key, which this page does not know."""
    with server.growing(views.program, views.folder) as log:
        if log is None:
            return
        views.servers["growing"] = server.Server(views.program, log.path)
        page = views.open("at=15", log="growing", prepare=lambda page: page.route("**/api/live*", lambda route: route.abort()))
        expect(page.get_by_role("button", name="Live: reconnecting")).to_be_visible()
        page.route("**/api/**", lambda route: route.fulfill(status=401, json={"error": "the key is wrong", "code": "wrong-key"}))
        expect(page.get_by_role("alert").first).to_contain_text("belongs to another run")
        page.complaints.clear()  # Chromium reports what is refused.
        views.close(page)
        views.servers.pop("growing").stop()


def pages_that_are_hidden_leave_connections_to_others(views):
    """Browsers keep six to a host. A page that is seen again shows what it missed."""
    hide = "document.isAway = true; document.dispatchEvent(new Event('visibilitychange'))"
    show = "document.isAway = false; document.dispatchEvent(new Event('visibilitychange'))"
    with server.growing(views.program, views.folder) as log:
        if log is None:
            return
        views.servers["growing"] = server.Server(views.program, log.path)
        pages = []
        for _ in range(7):
            page = views.open("at=15", log="growing", beside=pages[0] if pages else None, prepare=lambda page: page.add_init_script(
                "Object.defineProperty(document, 'hidden', { get: () => document.isAway ?? false })"))
            page.evaluate(hide)
            pages.append(page)
        log.grow()
        expect(pages[0].locator("#story .count")).to_have_text(re.compile(f"of {log.head - 1}$"))
        pages[0].evaluate(show)
        expect(pages[0].locator("#story .count")).to_have_text(re.compile(f"of {log.head}$"))
        for page in pages[1:]:
            page.close()
        views.close(pages[0])
        views.servers.pop("growing").stop()


def indexing(route):
    """What the server answers about the whole of a log that it is indexing."""
    route.fulfill(status=409, json={"error": "capture.log is being indexed: 65536 of 70000 records so far", "code": "indexing"})


def what_is_about_the_whole_log_waits_for_the_index(views):
    """The comparison, what if and the export say so, and come when the log is indexed."""
    page = views.open("tab=whatif", log="devices")
    waiting = page.get_by_text("is being indexed: 65536 of 70000").filter(visible=True)
    for pattern, begin, shown in [
        ("**/api/branches", lambda: page.get_by_role("button", name="A client that takes every push").click(), page.get_by_text("This changes nothing.")),
        ("**/api/export*", lambda: (page.keyboard.press("e"), page.get_by_role("button", name="Redacted capture").click()), page.get_by_text("Saved redacted.jsonl")),
        ("**/api/compare*", lambda: page.keyboard.press("o"), page.get_by_text("They agree for the last time")),
    ]:
        page.route(pattern, indexing)
        begin()
        expect(waiting).to_be_visible()
        page.unroute(pattern)
        expect(shown).to_be_visible()
        expect(waiting).to_have_count(0)
    page.complaints.clear()  # Chromium reports the answers 409.
    views.close(page)


def keys_of_the_comparison_wait_for_it(views):
    """Before there is something to compare, and if the logs cannot be compared, they do nothing."""
    held = []
    page = views.open(log="devices", prepare=lambda page: page.route("**/api/compare*", lambda route: held.append(route)))
    with page.expect_request("**/api/compare*"):
        page.keyboard.press("o")
    for key in "jkntt?":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    assert not page.complaints, page.complaints
    held.pop().fulfill(status=409, json={"error": "the first log is of another account", "code": "other-account"})
    expect(page.get_by_role("main", name="Two logs")).to_contain_text("the first log is of another account")
    page.complaints.clear()  # Chromium reports the answer 409.
    for key in "jkntt":
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    expect(page.get_by_role("slider", name="Moment")).to_be_visible()
    page.unroute("**/api/compare*")
    page.keyboard.press("o")
    expect(page.locator(".pair").first).to_be_visible()
    page.keyboard.press("j")
    expect(page.locator(".pair[aria-pressed=true]")).to_be_focused()
    views.close(page)


def a_branch_can_be_canceled(views):
    """What the server still answers to it is not shown."""
    page = views.open("at=19721&tab=whatif")
    held = []
    page.route("**/api/branches", lambda route: held.append(route), times=1)
    with page.expect_request("**/api/branches"):
        page.get_by_role("button", name="A client that takes every push").click()
    with page.expect_response(lambda answer: "branches" in answer.url and "cancel" in answer.request.post_data):
        page.get_by_role("button", name="Cancel").click()
    with page.expect_response("**/api/branches"):
        held.pop().continue_()
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    expect(page.locator(".chip[aria-pressed=true]")).to_have_count(0)
    page.get_by_role("button", name="A client that takes every push").click()
    expect(page.get_by_role("heading", name="Otherwise")).to_be_visible()
    views.close(page)


def the_user_chooses_names_theme_and_zone(views):
    page = views.open("at=5772", timezone_id="Asia/Shanghai", color_scheme="light")
    page.keyboard.press("n")
    expect(page.locator(".row.now")).to_contain_text("carol@friends.example")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("combobox", name="Time zone").select_option("Asia/Shanghai")
    expect(page.locator(".moment .time")).to_have_text("18:07:26")
    page.reload()
    ready(page)
    expect(page.locator(".moment .time")).to_have_text("18:07:26")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    views.close(page)


def axe_finds_nothing(views, name, size, look):
    log, fragment, pane, tab_name = VIEWS[name]
    page = views.open(fragment, log=log, size=AXE_SIZES[size], bypass_csp=True,
                      device_scale_factor=2 if size == "200 %" else 1, **LOOKS[look])
    if size != "wide" and pane:
        page.get_by_role("navigation", name="Panes").get_by_role("button", name=pane).click()
        if tab_name:
            tab(page, tab_name).click()
    no_violations(page)
    views.close(page)


def axe_finds_nothing_in_dialogs(views, look):
    page = views.open("at=15", log="pending", bypass_csp=True, **LOOKS[look])
    for name, key in DIALOGS.items():
        page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_be_visible()
        no_violations(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    views.close(page)


def no_violations(page):
    expect(page.get_by_text("Loading", exact=True)).to_have_count(0)
    violations = Axe().run(page).response["violations"]
    assert not violations, [(found["id"], found["nodes"][0]["html"][:160]) for found in violations]


# What assistive software is told, as files beside this one.
TREES = {
    "moment": ("pending", "at=15&tab=roster"), "contact": ("pending", "at=33&tab=contact&who=jia20@example.test"),
    "findings": ("pending", "tab=findings"), "difference": ("renamed", "at=25&pin=12&tab=diff"), "two-logs": ("devices", "compare=1"),
}


def the_roles_are_those_that_were_read(views, name):
    """Roles, names and their order. A person has read the file; it is written anew if there is none."""
    log, fragment = TREES[name]
    page = views.open(fragment, log=log)
    expect(page.get_by_text("Loading", exact=True)).to_have_count(0)
    tree = page.locator("body").aria_snapshot() + "\n"
    file = pathlib.Path(__file__).resolve().parent / "trees" / f"{name}.yaml"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        file.write_text(tree)
        raise AssertionError(f"{file} was written: read it")
    changed = "\n".join(difflib.unified_diff(file.read_text().splitlines(), tree.splitlines(), "read", "now", lineterm="", n=1))
    assert not changed, f"remove {file.name} and read the new one:\n{changed}"
    views.close(page)


def forced_colors_and_little_motion_show_the_moment(views):
    page = views.open("at=5772", forced_colors="active", reduced_motion="reduce")
    outline = page.locator(".row.now .entry").evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline == "solid", outline
    page.keyboard.press("j")
    running = page.evaluate("document.getAnimations().filter((animation) => animation.playState === 'running').length")
    assert running == 0, running
    views.close(page)


STORIES = [
    a_wrong_refusal_by_clicks, a_wrong_refusal_by_keys, an_edit_that_took_back_a_name_by_clicks,
    an_edit_that_took_back_a_name_by_keys, a_forged_push_by_clicks,
    a_forged_push_by_keys, two_devices_by_clicks, two_devices_by_keys, who_took_back_a_name_by_clicks, who_took_back_a_name_by_keys,
    why_a_request_stays_by_clicks, why_a_request_stays_by_keys, who_is_on_the_screen_by_clicks, who_is_on_the_screen_by_keys,
    a_contact_has_a_card_and_a_picture, the_cards_of_another_moment_are_not_shown, the_screen_is_searched_by_pinyin,
    the_story_is_filtered, a_search_says_how_far_it_is_and_stops, folds_open_and_close, a_step_is_one_request, a_step_costs_what_it_changes, the_timeline_is_moved_by_mouse_and_keys,
    a_click_near_a_finding_goes_to_it, the_key_leaves_the_address, the_policy_is_strict, hostile_names_are_texts, nothing_scrolls_sideways,
    every_key_has_its_control, arrow_keys_reach_what_rows_have, a_live_log_is_followed_and_may_be_replaced,
    a_bookmark_is_set_and_found_again, a_stanza_is_copied_as_it_was_recorded, what_is_listed_is_saved,
    what_a_page_missed_is_shown_after_a_reconnect, another_run_is_said, pages_that_are_hidden_leave_connections_to_others,
    what_is_about_the_whole_log_waits_for_the_index, keys_of_the_comparison_wait_for_it, a_branch_can_be_canceled, the_user_chooses_names_theme_and_zone, forced_colors_and_little_motion_show_the_moment,
]


# On small captures: what .ci/run has time for.
QUICK = [
    two_devices_by_clicks, two_devices_by_keys, who_took_back_a_name_by_clicks, who_took_back_a_name_by_keys, why_a_request_stays_by_clicks,
    why_a_request_stays_by_keys, who_is_on_the_screen_by_clicks, who_is_on_the_screen_by_keys, a_contact_has_a_card_and_a_picture, the_cards_of_another_moment_are_not_shown, a_search_says_how_far_it_is_and_stops,
    hostile_names_are_texts,
    a_live_log_is_followed_and_may_be_replaced, a_bookmark_is_set_and_found_again, a_stanza_is_copied_as_it_was_recorded,
    what_is_listed_is_saved, what_a_page_missed_is_shown_after_a_reconnect, another_run_is_said,
    pages_that_are_hidden_leave_connections_to_others, what_is_about_the_whole_log_waits_for_the_index,
    keys_of_the_comparison_wait_for_it,
]


def quick(views):
    yield from named(views, QUICK)
    yield from trees(views)


def trees(views):
    for name in TREES:
        yield f"roles {name}", lambda name=name: the_roles_are_those_that_were_read(views, name)


def named(views, stories):
    for story in stories:
        yield story.__name__.replace("_", " "), lambda story=story: story(views)


def tests(views):
    yield from named(views, STORIES)
    yield from trees(views)
    for name in VIEWS:
        for size, look in [(size, look) for size in SIZES for look in ("light", "dark")] + [
                ("320 px", "light"), ("200 %", "dark"), ("wide", "forced colors"), ("narrow", "forced colors")]:
            yield f"axe {name} {size} {look}", lambda given=(name, size, look): axe_finds_nothing(views, *given)
    for look in LOOKS:
        yield f"axe dialogs {look}", lambda look=look: axe_finds_nothing_in_dialogs(views, look)
