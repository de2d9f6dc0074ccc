// What keys and buttons do.
import { askLine, chooseExport, showKeys } from './dialogs.js';
import { h } from './dom.js';
import { setNaming, visible } from './people.js';
import { ask, download, post, whenIndexed } from './source.js';
import { texts } from './texts.js';
import { currentZone, isoDay, setZone, unshifted } from './times.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

export function commands(app) {
  const at = () => Number(store.get().at);
  const tab = (name) => () => store.set({ tab: name });
  const focus = (id) => () => document.getElementById(id)?.focus();

  async function finding(direction) {
    const place = direction > 0 ? { next: 'finding', after: at() } : { previous: 'finding', before: at() };
    try {
      const { n } = await ask('story/findings/find', { log: app.log.number, ...place });
      if (n) app.go(n); else app.say(direction > 0 ? texts.fault.noLater : texts.fault.noEarlier);
    } catch (error) { app.report(error); }
  }
  function session(direction) {
    const starts = app.log.sessions.map((found) => found.from).sort((a, b) => a - b);
    const next = direction > 0 ? starts.find((record) => record > at()) : starts.findLast((record) => record < at());
    if (next) app.go(next); else app.say(texts.fault.noSession);
  }
  function contact(part) {
    const { subject } = app;
    if (subject) app.open(subject, part); else app.say(texts.fault.noContact);
  }

  async function goTo(text) {
    // A time of day is read in the zone that is shown, on the day of the moment.
    const time = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/u.exec(text);
    const day = app.timeline.times.get(at()) ?? app.log.last?.t;
    if (time && currentZone() !== 'UTC' && day !== null && day !== undefined) {
      const local = Date.parse(`${isoDay(day)}T00:00:00Z`) + ((Number(time[1]) * 60 + Number(time[2])) * 60 + Number(time[3] ?? 59)) * 1000;
      app.go((await ask('timeline/at', { log: app.log.number, t: unshifted(local) })).n);
      return;
    }
    const plain = /^#?([\d,]+)$/u.exec(text);
    const { n } = await ask('point', { log: app.log.number, text: plain ? plain[1].replaceAll(',', '') : text });
    app.go(Math.max(1, n));
  }
  function askWhere() {
    const marks = app.log.bookmarks ?? [];
    askLine(texts.goTo, goTo, (close) => (marks.length ? [h('h3', { class: 'heading' }, texts.goTo.bookmarks), h('ul', { class: 'bookmarks' }, marks.map((mark) => h('li', {},
      h('button', { class: 'link', type: 'button', onclick: () => { close(); app.go(Math.max(1, mark.at)); } }, visible(mark.name)), h('span', { class: 'number' }, ` #${mark.at}`))))] : null));
  }

  function bookmark() {
    if (!app.log.writable) return;
    askLine(texts.bookmark, async (name) => {
      const mark = await post('bookmarks', { name, at: at(), log: app.log.number });
      app.log.bookmarks = [...(app.log.bookmarks ?? []), mark];
      app.say(texts.bookmark.saved(visible(name)));
    });
  }
  function exportLog() {
    chooseExport(Object.keys(texts.exports.kinds), async (kind, wait) => {
      const name = await whenIndexed(() => download('export', { log: app.log.number, kind, view: kind === 'json' ? app.story.entries.view : null }), wait);
      app.say(texts.exports.saved(visible(name)));
    });
  }

  function theme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
    prefs.write('theme', root.dataset.theme);
    app.timeline.recolor();
  }
  function names() {
    setNaming(!app.naming);
    prefs.write('names', app.naming ? '1' : '0');
    app.story.list.redraw();
    app.draw();
  }
  function zone(name) {
    setZone(name);
    prefs.write('zone', name);
    app.story.list.redraw();
    app.story.scrolled();
    app.timeline.draw();
    app.drawn = null;
    app.refresh();
  }
  function pin() { const { pin: old, at: now } = store.get(); store.set({ pin: old === now ? '' : now }); }
  function compare() {
    if (app.log.logs.length < 2) app.say(texts.fault.noOther);
    else store.set({ compare: store.get().compare ? '' : '1' }, { jump: true });
  }
  const step = (by) => app.story.step(by).catch(app.report);
  const live = () => app.follower.toggle();

  const table = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1), J: () => finding(1), K: () => finding(-1),
    '[': () => session(-1), ']': () => session(1), g: askWhere, Home: () => app.story.first(), End: () => app.story.last(), Enter: () => app.story.toggle(),
    '/': focus('filter'), p: pin, d: tab('diff'), w: () => contact(), h: () => contact('history'), f: tab('findings'), r: tab('roster'), i: tab('whatif'), o: compare,
    c: () => { if (!app.isScreenShown()) store.set({ tab: 'screen' }); app.screen.input.focus(); },
    b: bookmark, L: () => { if (app.log.live) live(); }, '+': () => app.timeline.zoom(0.6), '=': () => app.timeline.zoom(0.6), '-': () => app.timeline.zoom(1.6), 0: () => app.timeline.showWhole(),
    n: names, t: theme, x: () => app.record.copy(), e: exportLog, '?': showKeys, Escape: () => { if (store.get().q) { app.bar.find.value = ''; store.set({ q: '' }); } },
  };
  return { table, step, pin, zone, theme, bookmark, live, compare, export: exportLog, keys: showKeys, filter: (q) => store.set({ q }), openLog: (number) => store.set({ log: number, at: '', pin: '', who: '', from: '', to: '', q: '' }, { jump: true }) };
}
