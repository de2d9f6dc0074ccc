"""Measures the page on a large log: what a step costs in requests, layouts, nodes and memory.

Counts have budgets; times depend on the machine, and are only printed."""

import argparse
import pathlib
import re
import shutil
import statistics
import sys
import time
import urllib.request

from playwright.sync_api import expect, sync_playwright

import server
import views

PATIENCE = 600_000  # Milliseconds until a measurement fails instead of waiting on.
STEPS, TURNS, PLACES = 40, 40, 20
expect.set_options(timeout=PATIENCE)
views.READY = PATIENCE


class Large:
    """A log behind a server, for `views.Views`."""

    def __init__(self, browser, running):
        self.views = views.Views.__new__(views.Views)
        self.views.browser, self.views.servers = browser, {"large": running}
        self.running = running

    def ask(self, path):
        """The milliseconds that an answer takes, and its bytes."""
        base, key = self.running.address.split("/#key=")
        asked = urllib.request.Request(f"{base}/api/{path}", headers={"Authorization": f"Bearer {key}"})
        start = time.perf_counter()
        body = urllib.request.urlopen(asked, timeout=PATIENCE / 1000).read()
        return (time.perf_counter() - start) * 1000, body

    @property
    def megabytes(self):
        status = pathlib.Path(f"/proc/{self.running.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000


# Presses a key and waits until the moment is drawn; returns the milliseconds of each step.
STEP = """async (steps) => {
  const frame = () => new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); }), times = [];
  for (let step = 0; step < steps; step++) {
    const number = document.querySelector('.meta .number'), before = number.textContent, start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', bubbles: true }));
    for (let frames = 0; document.querySelector('.meta .number').textContent === before; frames++) {
      if (frames > 10000) throw new Error(`step ${step} is not drawn`);
      await frame();
    }
    times.push(performance.now() - start);
    await frame();
  }
  return times;
}"""
# Counts rows that are drawn from now on, and the milliseconds of frames.
WATCH = """() => {
  window.drawn = 0;
  new MutationObserver((changes) => { for (const { addedNodes } of changes) window.drawn += addedNodes.length; })
    .observe(document.querySelector('#entries .space'), { childList: true });
  window.frames = [];
  let last = performance.now();
  const frame = (now) => { window.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""


class Table:
    def __init__(self):
        self.rows, self.missed = [], []

    def add(self, what, value, budget=None):
        verdict = ""
        if budget is not None:
            verdict = "met" if value <= budget else "missed"
            if value > budget:
                self.missed.append(what)
        self.rows.append((what, f"{value:.1f}" if isinstance(value, float) else f"{value:,}", "" if budget is None else f"at most {budget:,}", verdict))

    def note(self, what, text):
        self.rows.append((what, text, "", ""))

    def print(self):
        print("| the page | | budget | |\n|---|---:|---|---|")
        for row in self.rows:
            print("| " + " | ".join(row) + " |")


def spread(times):
    ordered = sorted(times)
    return f"{statistics.median(ordered):.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms"


def measure(browser, program, log):
    table, start = Table(), time.perf_counter()
    running = server.Server(program, log)
    large = Large(browser, running)
    table.note("from the command to the address", f"{(time.perf_counter() - start) * 1000:.0f} ms")
    start = time.perf_counter()
    page = large.views.open("tab=roster", log="large")
    expect(page.locator("#entries .entry").first).to_be_visible()
    table.note("page shown", f"{(time.perf_counter() - start) * 1000:.0f} ms")
    expect(page.locator(".indexing")).to_be_empty()
    table.note("all records indexed", f"{(time.perf_counter() - start) * 1000:.0f} ms")
    head = int(re.sub(r"\D", "", page.locator(".moment .of").text_content()))
    page.context.close()
    page = large.views.open(f"at={head * 2 // 3}&tab=roster", log="large")
    expect(page.locator("#roster-rows .row").first).to_be_visible()
    expect(page.locator("#entries .row.now")).to_be_visible()
    counts = views.Counts(page)
    steps(page, counts, table)
    wheel(page, counts, table)
    drags(page, counts, table)
    table.add("nodes", page.locator("*").count(), 2500)
    table.add("memory of the page's scripts, MB", counts.megabytes, 200)
    table.add("requests at a time", counts.most, 3)
    table.note("memory of the server", f"{large.megabytes:.0f} MB")
    places = [head * (2 * number + 1) // (2 * PLACES) for number in range(PLACES)]
    table.note("a moment anywhere, from the server", spread([large.ask(f"moment?at={at}&parts=record,roster,screen")[0] for at in places]))
    near = [large.ask(f"moment?at={head // 2 + step}&parts=record,roster,screen") for step in range(PLACES)]
    table.note("the next moment, from the server", spread([answer[0] for answer in near]))
    table.add("bytes of a moment", max(len(answer[1]) for answer in near))
    page.context.close()
    running.stop()
    return head, table


def steps(page, counts, table):
    page.evaluate(STEP, 2)
    page.requests.clear()
    before = counts["LayoutCount"], counts["ScriptDuration"], counts["TaskDuration"]
    times = page.evaluate(STEP, STEPS)
    after = counts["LayoutCount"], counts["ScriptDuration"], counts["TaskDuration"]
    asked = [url for url in page.requests if "/api/" in url and "/blocks/" not in url]
    table.add("layouts of a step", (after[0] - before[0]) / STEPS, 3)
    table.add("requests of a step", len(asked) / STEPS, 1)
    table.note("a step, from the key to the picture", spread(times))
    table.note("processor time of the page for a step", f"{(after[2] - before[2]) * 1000 / STEPS:.1f} ms (scripts {(after[1] - before[1]) * 1000 / STEPS:.1f} ms)")


def wheel(page, counts, table):
    page.evaluate(WATCH)
    page.locator("#entries").hover()
    top = page.evaluate("document.querySelector('#entries').scrollTop")
    before = counts["LayoutCount"], counts["TaskDuration"]
    page.evaluate("window.frames.length = 0")
    for _ in range(TURNS):
        page.mouse.wheel(0, 240)
    page.evaluate("new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); })")
    after = counts["LayoutCount"], counts["TaskDuration"]
    moved = page.evaluate("document.querySelector('#entries').scrollTop") - top
    drawn, frames = page.evaluate("[window.drawn, window.frames]")
    table.add("layouts of a turn of the wheel", (after[0] - before[0]) / TURNS, 3)
    # A row is at least 31 pixels high; the spare ones of both ends may be drawn once more.
    table.add("rows drawn for 100 turns of the wheel", round(drawn * 100 / TURNS), round((abs(moved) / 31 + 12) * 100 / TURNS))
    table.note("a frame while the wheel turns", spread(frames))
    table.note("processor time of the page for a turn", f"{(after[1] - before[1]) * 1000 / TURNS:.1f} ms")


def drags(page, counts, table):
    """The scroll bar to places all over the list, and the moment over the timeline."""
    page.evaluate("window.frames.length = 0")
    page.evaluate("""async (places) => {
      const list = document.querySelector('#entries');
      for (let place = 0; place < places; place++) {
        list.scrollTop = (list.scrollHeight * (place * 7 % places)) / places;
        await new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
      }
    }""", PLACES)
    table.note("a frame while the bar is dragged", spread(page.evaluate("window.frames")))
    track = page.get_by_role("slider", name="Moment")
    box = track.bounding_box()
    page.evaluate("window.frames.length = 0")
    page.mouse.move(box["x"] + 120, box["y"] + 90)
    page.mouse.down()
    for x in range(120, int(box["width"]) - 40, 24):
        page.mouse.move(box["x"] + x, box["y"] + 90)
    page.mouse.up()
    table.note("a frame while the moment is dragged", spread(page.evaluate("window.frames")))
    at = track.get_attribute("aria-valuenow")
    expect(page.locator("#record .meta .number")).to_have_text(f"#{at}")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench-pages")
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("log", type=pathlib.Path)
    given = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        try:
            head, table = measure(browser, given.program.resolve(), given.log)
        finally:
            server.Server.kill_all()
            browser.close()
    print(f"A log of {head:,} records:\n")
    table.print()
    return 1 if table.missed else 0


sys.exit(main())
