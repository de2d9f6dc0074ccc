// swift-format-ignore-file
// Written by tools/embed from the files in Page. Do not edit.

#if Inspect
/// A file of the page.
struct EmbeddedFile: Sendable {
  /// The value of `Content-Type`.
  let type: String
  /// The value of `ETag`, without its quotes: the beginning of the file's SHA-256.
  let digest: String
  let text: StaticString
}

/// The files of the page by their paths on the server.
let embeddedFiles: [String: EmbeddedFile] = [
  "/icon.svg": EmbeddedFile(
    type: "image/svg+xml", digest: "144e83236cde00a8",
    text: #"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" fill="none" stroke-width="2.4" stroke-linecap="round"><path stroke="#3452d0" d="M3 4.5h14"/><path stroke="#7686a6" d="M3 10h9"/><path stroke="#93a8ff" d="M3 15.500h11.500"/></svg>

"""#),
  "/": EmbeddedFile(
    type: "text/html; charset=utf-8", digest: "00fa0c8dc9b11e49",
    text: #"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Rollcall</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style/tokens.css">
<link rel="stylesheet" href="/style/layout.css">
<link rel="stylesheet" href="/style/timeline.css">
<link rel="stylesheet" href="/style/story.css">
<link rel="stylesheet" href="/style/details.css">
<link rel="stylesheet" href="/style/screen.css">
<link rel="stylesheet" href="/style/compare.css">
<script type="module" src="/js/main.js"></script>
</head>
<body>
<a class="skip" id="skip" href="#story"></a>
<header class="bar" id="bar"></header>
<section class="timeline" id="timeline"></section>
<div class="notices">
  <p class="fault" id="fault" role="alert" hidden></p>
  <p class="fault" id="filter-fault" role="status" hidden></p>
</div>
<main class="panes" id="panes">
  <section class="pane" id="story"></section>
  <section class="pane" id="middle">
    <article class="record" id="record"></article>
    <div class="details" id="details"></div>
  </section>
  <section class="pane" id="screen"></section>
</main>
<main class="compare" id="compare" hidden></main>
<nav class="dock" id="dock"></nav>
<p class="said" id="said" role="status"></p>
<noscript><p class="fault">The inspector needs scripts. rollcall report writes a page that needs none.</p></noscript>
</body>
</html>

"""#),
  "/js/app.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "f8d2a5f6dac70ed4",
    text: #"""
// Connects the address, the server and the panes. Data flows one way: address, request, panes.
import { h } from './dom.js';
import { ask, identify, Latest, Refusal } from './source.js';
import { forget, learn, nameOf, setNaming, isNaming } from './people.js';
import { Provenance } from './provenance.js';
import { RecordPanel } from './record.js';
import { RosterPanel } from './roster.js';
import { Screen } from './screen.js';
import { Story } from './story.js';
import { Timeline } from './timeline.js';
import { Details } from './details.js';
import { texts } from './texts.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

const fewTouched = 8;
const byId = (id) => document.getElementById(id);

export class App {
  constructor() {
    this.report = (error) => this.fault(error);
    this.go = (record) => store.set({ at: record }, { jump: true });
    this.open = (jid, part) => { this.wantsHistory = part === 'history'; store.set({ who: jid, tab: 'contact' }); this.onopen?.('details'); this.details.revealHistory(); };
    this.touched = new Set();
    setNaming(prefs.read('names', '1') === '1');
    this.asking = new Latest(this.report);
    this.askingContact = new Latest(this.report);
    this.askingCards = new Latest(this.report);
  }
  get naming() { return isNaming(); }
  nameFor(jid) { return (isNaming() && nameOf(jid)) || jid; }

  /** Reads the log's facts and builds the panes. */
  async start() {
    await this.readLog();
    this.findings = await this.readFindings();
    this.origins = new Provenance(this);
    this.record = new RecordPanel(byId('record'), this);
    this.roster = new RosterPanel(this);
    this.screen = new Screen(this);
    this.details = new Details(byId('details'), this);
    this.story = new Story(byId('story'), { log: this.log, open: this.open, report: this.report });
    this.timeline = new Timeline(byId('timeline'), { log: this.log, report: this.report });
    const isUnnamed = !store.get().at;
    this.isUnnamed = isUnnamed;
    const at = isUnnamed ? this.log.head : Math.min(Number(store.get().at), this.log.head);
    store.assume({ at: String(at), tab: store.get().tab || (isUnnamed && this.findings.findings.length ? 'findings' : 'roster') });
    this.note();
  }

  async readLog() {
    const number = Number(store.get().log) || 0, answer = await ask('log', { log: number });
    const isOther = identify(answer);
    if (!this.log || this.log.number !== number) forget(answer.account);
    this.log = Object.assign(this.log ?? {}, answer, { number });
    learn(answer.people);
    document.title = texts.title(answer.account ?? answer.title);
    return isOther;
  }
  async readFindings() {
    const answer = await ask('findings', { log: this.log.number });
    learn(answer.people);
    return answer;
  }
  // Times that are known without asking, so that marks and ends of sessions are exact.
  note() {
    const { timeline, log } = this;
    timeline.findings = this.findings.findings;
    for (const finding of timeline.findings) timeline.note(finding.record, finding.t);
    for (const session of log.sessions) { timeline.note(session.from, session.fromT); if (session.to) timeline.note(session.to, session.toT); }
    timeline.note(log.first?.n, log.first?.t);
    timeline.note(log.last?.n, log.last?.t);
  }

  /** What the panes in sight need, as the parameters of one request. */
  get wanted() {
    const { at, pin, tab } = store.get(), parts = ['record', 'roster'], parameters = { log: this.log.number, at };
    Object.assign(parameters, this.details.shows('roster') ? this.roster.parameters : { roster: '0-0' });
    if (this.isScreenShown()) { parts.push('screen'); Object.assign(parameters, this.screen.parameters); }
    if (pin) { parts.push('diff'); Object.assign(parameters, { pin, diff: `0-${tab === 'diff' ? this.diffCount : 1}` }); }
    return { ...parameters, parts: parts.join(',') };
  }
  // Not read from the element, because that would lay out the page in the middle of a step.
  isScreenShown() { return !this.details.narrow.matches || this.details.tab === 'screen'; }
  diffCount = 100;
  moreDifferences() { this.diffCount += 400; this.refresh(); }

  /** Asks for the moment and draws it: one request, and only the newest one counts. */
  refresh() {
    const { at, who, tab } = store.get(), parameters = this.wanted;
    this.asking.want(() => ask('moment', parameters, { keep: true }), (answer) => {
      for (const part of [answer.record, answer.roster, answer.screen, answer.diff]) learn(part?.people);
      this.timeline.note(answer.at, answer.t);
      this.moment = answer;
      this.draw();
    });
    if (tab !== 'contact' || !who) return;
    this.askingContact.want(() => this.readContact(who, at), (answer) => {
      learn(answer.people);
      this.contact = answer;
      this.details.draw();
      if (this.wantsHistory) { this.wantsHistory = false; this.details.revealHistory(); }
    });
    // By itself, because the first answer takes as long as reading the whole log.
    this.askingCards.want(() => ask(`contacts/${encodeURIComponent(who)}/cards`, { log: this.log.number, at }, { keep: true }), (answer) => {
      this.cards = { jid: who, log: this.log.number, ...answer };
      this.details.draw();
    });
  }
  async readContact(who, at) {
    try { return await ask(`contacts/${encodeURIComponent(who)}`, { log: this.log.number, at }); } catch (error) {
      if (error instanceof Refusal && error.code === 'no-such-contact') return { jid: who, isUnknown: true };
      throw error;
    }
  }

  draw() {
    const { moment } = this;
    if (!moment) return;
    const contacts = new Set((moment.record?.changes ?? []).map((change) => change.contact).filter(Boolean));
    this.touched = contacts.size < fewTouched ? contacts : new Set();
    if (this.drawn !== moment.record || this.drawnNaming !== this.naming) { this.record.show(moment.record); this.drawn = moment.record; this.drawnNaming = this.naming; }
    if (this.details.shows('roster')) this.roster.show(moment.roster);
    if (moment.screen) { moment.screen.isKnown = moment.roster.completeness === 'complete'; this.screen.show(moment.screen); }
    this.details.draw();
    this.timeline.overlay();
    this.clearFault();
    this.ondraw?.();
  }

  /** The contact that keys such as w are about: the chosen one, or that of the record. */
  get subject() {
    const { record } = this.moment ?? {};
    return record?.clause.who ?? record?.findings[0]?.contact ?? record?.changes.find((change) => change.contact)?.contact ?? store.get().who;
  }

  /** Says something to screen readers, and for a moment to everybody. */
  say(text) {
    const line = byId('said');
    line.textContent = text;
    line.classList.add('shown');
    clearTimeout(this.saying);
    this.saying = setTimeout(() => line.classList.remove('shown'), 2500);
  }
  fault(error) {
    const line = byId('fault');
    const sentence = error instanceof Refusal ? (error.status === 401 ? texts.fault.wrongKey : error.message) : error instanceof TypeError && /fetch|network/iu.test(error.message) ? texts.fault.gone : error.message;
    line.replaceChildren(sentence, ' ', h('button', { class: 'link', type: 'button', onclick: () => { this.clearFault(); this.refresh(); } }, texts.fault.retry));
    line.hidden = false;
    if (!(error instanceof Refusal)) console.error(error);
  }
  clearFault() { byId('fault').hidden = true; }
}

"""#),
  "/js/axis.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "ca3856cbeb8dcdac",
    text: #"""
// The arithmetic of the timeline: columns, values and ticks. Nothing here draws.
import { shifted, unshifted } from './times.js';

// Room for rounding, in columns.
const slack = 1e-6;

/** What the server counted for a range: a number per column, and each column's first record. */
export class Series {
  constructor({ axis, from, to, all, lasting, first }, head) { Object.assign(this, { axis, from, to, all, lasting, first, head, count: all.length }); }
  get span() { return Math.max(1, this.to - this.from); }

  /** The last record at or before a value of the axis; at least 1. Complexity: O(1). */
  record(value) {
    if (this.axis === 'record') return clamp(Math.round(value), 1, this.head);
    const column = Math.floor(((value - this.from) / this.span) * this.count);
    if (column >= this.count) return column > this.count || value > this.to ? this.head : this.lastOf(this.count - 1);
    return Math.max(1, column < 0 ? this.first[0] - 1 : this.lastOf(column));
  }
  lastOf(column) { return Math.max(1, (column + 1 < this.count ? this.first[column + 1] : this.first[column] + this.all[column]) - 1); }

  /** About where a record is: exact to a column. */
  value(record) {
    if (this.axis === 'record') return record;
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.first[middle] <= record) low = middle; else high = middle - 1;
    }
    return this.from + ((low + 0.5) / this.count) * this.span;
  }

  /** The counts of `from...to` in so many columns; the server's own if it counted just these. */
  columns(from, to, count) {
    if (this.from === from && this.to === to && this.count === count) return { all: this.all, lasting: this.lasting, isExact: true };
    const all = new Array(count).fill(0), lasting = new Array(count).fill(0), share = (to - from) / count / (this.span / this.count);
    for (let column = 0; column < count; column++) {
      const start = ((from + ((to - from) * column) / count - this.from) / this.span) * this.count;
      const first = Math.max(0, Math.floor(start + slack)), last = Math.min(this.count - 1, Math.max(first, Math.ceil(start + share - slack) - 1));
      for (let i = first; i <= last; i++) { all[column] += this.all[i]; lasting[column] += this.lasting[i]; }
      if (share < 1) { all[column] *= share; lasting[column] *= share; }
    }
    return { all, lasting, isExact: false };
  }
}

const second = 1000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
const steps = [second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
  hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 30 * day, 91 * day, 365 * day];

/** The values where the ruler has a line, `{ value, step }`, at most about `most` of them. */
export function ticks(axis, from, to, most) {
  const span = Math.max(1, to - from);
  if (axis === 'record') {
    const rough = span / most, power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
    const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? power * 10);
    return range(Math.ceil(from / step) * step, to, step).map((value) => ({ value, step }));
  }
  const step = steps.find((size) => span / size <= most) ?? Math.ceil(span / most / (365 * day)) * 365 * day;
  // Lines are at full hours and days of the zone that is shown.
  return range(Math.ceil(shifted(from) / step) * step, shifted(to), step).map((local) => ({ value: unshifted(local), step }));
}

function range(from, to, step) {
  const found = [];
  for (let value = from; value <= to && found.length < 400; value += step) found.push(value);
  return found;
}
export const isDayStep = (step) => step >= day;
export const isSecondStep = (step) => step < minute;

/** A range made smaller or larger around a value, inside the whole. */
export function zoomed([from, to], [low, high], factor, around, least) {
  const span = clamp((to - from) * factor, Math.min(least, high - low), high - low);
  const share = (around - from) / Math.max(1, to - from);
  return moved([around - share * span, around - share * span + span], [low, high]);
}
export function moved([from, to], [low, high], by = 0) {
  const span = Math.min(to - from, high - low), start = clamp(from + by, low, high - span);
  return [Math.round(start), Math.round(start + span)];
}
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

"""#),
  "/js/bar.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "32b6a33b5368dd24",
    text: #"""
// The bar at the top, the row above the timeline, and the dock of narrow windows.
import { h, fill, button } from './dom.js';
import { icon, logo } from './icons.js';
import { visible } from './people.js';
import { texts } from './texts.js';
import { clock, currentZone, ownZone } from './times.js';
import * as store from './store.js';

const tool = (name, label, press, more) => button({ class: 'tool', label, press, ...more }, icon(name));

export function buildBar(element, app, actions) {
  const find = h('input', {
    type: 'search', id: 'filter', placeholder: texts.filterHint, 'aria-label': texts.filterLabel, spellcheck: 'false', autocomplete: 'off', value: store.get().q,
    oninput: () => actions.filter(find.value),
    onkeydown: (event) => { if (event.key === 'Escape') { event.preventDefault(); document.getElementById('entries').focus(); } else if (event.key === 'Enter') document.getElementById('entries').focus(); },
  });
  const live = h('button', { class: 'live', type: 'button', title: texts.tool.liveTitle, 'aria-pressed': 'false', onclick: actions.live }, texts.tool.live);
  const { log } = app;
  const title = log.logs.length > 1
    ? h('select', { class: 'log-choice', 'aria-label': texts.tool.log, onchange: (event) => actions.openLog(event.target.value) }, log.logs.map((other) => h('option', { value: String(other.log), selected: other.log === log.number }, visible(other.title))))
    : log.title && log.title !== log.account ? h('span', { class: 'log-title' }, h('bdi', {}, visible(log.title))) : null;
  fill(element, h('h1', { class: 'brand' }, logo(), h('span', { class: 'word' }, texts.brand)),
    h('span', { class: 'account' }, h('bdi', {}, visible(log.account ?? ''))), title,
    h('div', { class: 'find', role: 'search', 'aria-label': texts.filterLabel }, icon('find'), find),
    h('div', { class: 'tools' }, log.live ? live : null,
      log.logs.length > 1 ? tool('compare', texts.tool.compare, actions.compare) : null,
      log.writable ? tool('bookmark', texts.tool.bookmark, actions.bookmark, { class: 'tool alone' }) : null,
      tool('download', texts.tool.download, actions.export, { class: 'tool wide alone' }),
      tool('theme', texts.tool.theme, actions.theme), tool('keyboard', texts.tool.keys, actions.keys, { class: 'tool wide' })));
  return { find, live };
}

/** The row above the track. Returns a function that brings it up to date. */
export function buildTransport(element, app, actions) {
  const number = h('b', {}), of = h('span', { class: 'of' }), time = h('span', { class: 'time' }), pinNumber = h('button', { class: 'to-pin', type: 'button' });
  const pin = tool('pin', texts.pinHere, actions.pin), indexing = h('span', { class: 'indexing', role: 'status' });
  const pinned = h('span', { class: 'pinned' }, pinNumber, button({ label: texts.unpin, press: () => store.set({ pin: '' }) }, icon('close')));
  const whole = h('button', { class: 'link whole', type: 'button', onclick: () => app.timeline.showWhole() }, texts.wholeLog);
  const axes = ['time', 'record'].map((axis) => h('button', { type: 'button', 'data-axis': axis, onclick: () => store.set({ axis, from: '', to: '' }) }, axis === 'time' ? texts.axisTime : texts.axisRecord));
  const zones = [...new Set(['UTC', ownZone(), currentZone()])];
  const zone = h('select', { class: 'zone', 'aria-label': texts.tool.zone, title: texts.tool.zone, onchange: () => actions.zone(zone.value) }, zones.map((name) => h('option', { value: name, selected: name === currentZone() }, texts.zone(name))));
  pinNumber.addEventListener('click', () => app.go(store.get().pin));
  fill(element, h('span', { class: 'steps' }, tool('back', texts.previous, () => actions.step(-1)), tool('forward', texts.next, () => actions.step(1))),
    h('span', { class: 'moment' }, number, of, time), pin, pinned, indexing,
    h('span', { class: 'right' }, h('span', { class: 'legend' }, h('span', {}, h('i', { class: 'swatch lasting' }), texts.legendLasting), h('span', {}, h('i', { class: 'swatch' }), texts.legendAll)), whole,
      app.log.hasTimes ? zone : null, app.log.hasTimes ? h('span', { class: 'segmented', role: 'group', 'aria-label': texts.axis }, axes) : null));
  return () => {
    const { at, pin: pinAt, axis } = store.get(), t = app.timeline.times.get(Number(at));
    number.textContent = `#${at}`;
    of.textContent = texts.ofRecords(app.log.head);
    time.textContent = clock(t, app.log.hasMilliseconds);
    pin.hidden = pinAt !== '';
    pinned.hidden = pinAt === '';
    pinNumber.textContent = `${texts.pinned} #${pinAt}`;
    indexing.textContent = app.log.complete ? '' : texts.indexing(app.log.upTo, app.log.records);
    whole.hidden = !app.timeline.series || app.timeline.isWhole;
    for (const option of axes) option.setAttribute('aria-pressed', String(option.dataset.axis === axis));
  };
}

export function buildDock(element, app, choose) {
  const icons = { story: 'story', record: 'record', roster: 'roster', screen: 'phone', findings: 'alert' };
  const badge = h('span', { class: 'badge', 'aria-hidden': 'true' });
  const buttons = Object.entries(texts.dock).map(([pane, label]) => h('button', { type: 'button', 'data-pane': pane, onclick: () => choose(pane) }, icon(icons[pane]), label, pane === 'findings' ? badge : null));
  fill(element, buttons);
  return (current) => {
    for (const item of buttons) { if (item.dataset.pane === current) item.setAttribute('aria-current', 'true'); else item.removeAttribute('aria-current'); }
    badge.textContent = app.findings.total || '';
    badge.hidden = !app.findings.total;
  };
}

"""#),
  "/js/column.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "7de69062eb69a32c",
    text: #"""
// The story of one of two logs, with the place where they part.
import { h } from './dom.js';
import { Entries } from './entries.js';
import { GapHeights } from './heights.js';
import { VirtualList } from './list.js';
import { learn, learnMissing, visible } from './people.js';
import { drawEntry } from './rows.js';
import { texts } from './texts.js';
import { dayNumber } from './times.js';

const t = texts.compare, gap = 28;

export class Column {
  /** `agreed` is the last record at which the logs agree, or null; `open(record)` leaves for one. */
  constructor({ log, side, agreed, open, report }) {
    Object.assign(this, { log, agreed, open, marked: null });
    const title = visible(log.title), rows = h('div', { id: `log-${side}` });
    this.element = h('section', { class: 'pane', 'aria-label': title }, h('header', { class: 'pane-head' }, h('h2', {}, h('bdi', {}, title)), h('span', { class: 'count' }, texts.records(log.head))), rows);
    this.entries = new Entries({ changed: () => this.refresh(), failed: report, named: side ? learnMissing : learn });
    this.heights = new GapHeights(this.entries.heights, gap);
    this.list = new VirtualList(rows, { heights: this.heights, label: title, draw: (index, row) => this.draw(index, row), pick: (index) => this.pick(index) });
    this.list.onscroll = () => this.ensure();
    rows.addEventListener('keydown', (event) => this.pressed(event));
  }

  async load() {
    await this.entries.open('story', this.log.log);
    await this.entries.load(0);
    if (this.agreed !== null) this.heights.row = await this.entries.rowOf(this.agreed);
    this.refresh();
    this.list.reveal(Math.max(0, this.heights.row), 'center');
    this.ensure();
  }
  refresh() { this.list.refresh(); this.ensure(); }
  ensure() { this.entries.ensure(...this.list.range); }

  draw(index, row) {
    const found = this.entries.row(index);
    if (!found) { row.classList.add('unknown'); row.setAttribute('aria-label', texts.noRow); row.replaceChildren(h('i', {})); return; }
    row.removeAttribute('aria-label');
    const before = this.entries.row(index - 1)?.entry, { entry } = found;
    row.classList.toggle('same', this.agreed !== null && entry.n <= this.agreed);
    row.classList.toggle('now', this.marked !== null && entry.n <= this.marked && entry.last >= this.marked);
    const hasNewDay = entry.t !== null && before?.t != null && dayNumber(before.t) !== dayNumber(entry.t);
    drawEntry(row, found, { device: '', hasNewDay, fine: this.log.hasMilliseconds });
    if (index === this.heights.row) row.append(h('p', { class: 'agree' }, h('span', {}, index + 1 < this.heights.count ? t.upTo(this.agreed) : t.upToEnd(this.agreed))));
  }

  /** Marks the record that set a value, and brings it into view. */
  async mark(record) {
    this.marked = record ?? null;
    const index = record ? await this.entries.rowOf(record) : -1;
    if (this.marked !== (record ?? null)) return;
    if (index >= 0) this.list.reveal(index);
    this.list.redraw();
    this.list.select(index);
  }
  pick(index) { const found = this.entries.row(index); if (found) this.open(found.entry.last); }
  pressed(event) {
    const { selected, heights } = this.list, index = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: heights.count - 1 }[event.key];
    if (event.key === 'Enter' && selected >= 0) this.pick(selected);
    else if (index === undefined || !heights.count) return;
    else { const row = Math.max(0, Math.min(heights.count - 1, index)); this.list.reveal(row); this.list.select(row); this.mark(this.entries.row(row)?.entry.last); }
    event.preventDefault();
  }
}

"""#),
  "/js/commands.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "5f87afbb3c19facf",
    text: #"""
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

"""#),
  "/js/compare.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "efaceecadcbd7399",
    text: #"""
// Two logs of one account side by side: where they part, and what is different at their ends.
import { h, fill } from './dom.js';
import { ask, whenIndexed } from './source.js';
import { Column } from './column.js';
import { bind } from './keys.js';
import { Lanes } from './lanes.js';
import { contact, sentence, visible } from './people.js';
import { clauseParts } from './rows.js';
import { plainValue } from './difference.js';
import { nothing } from './empty.js';
import { texts } from './texts.js';
import * as store from './store.js';

const t = texts.compare;

export class Compare {
  /** `keys` is the table of keys while one log is shown; those about the whole page stay. */
  constructor(element, app, keys) {
    Object.assign(this, { element, app, keys, chosen: -1, differences: [], columns: [], lanes: null });
    element.setAttribute('aria-label', t.title);
  }

  /** Shows both logs, or the one again. */
  async show(isOn) {
    document.body.classList.toggle('comparing', isOn);
    this.element.hidden = !isOn;
    bind(isOn ? this.table : this.keys);
    if (!isOn) { this.app.timeline.resize(); this.app.refresh(); return; }
    const known = this.loading, load = (this.loading = this.reloaded(known));
    try { await load; } catch (error) {
      if (this.loading !== load) return;
      Object.assign(this, { loading: null, differences: [], columns: [], lanes: null, chosen: -1 });
      if (!this.element.hidden) fill(this.element, h('div', { class: 'pane' }, nothing([t.failed, error.message])));
    }
  }
  // What was loaded, if it is still what both logs have.
  async reloaded(known) {
    if (known) { await known; if (await this.isCurrent()) return; }
    await this.load();
  }
  // Whether both logs are still those that were compared, and as long.
  async isCurrent() {
    if (!this.columns.some(({ log }) => log.live)) return true;
    const now = await Promise.all(this.columns.map(({ log }) => ask('log', { log: log.log })));
    return this.columns.every(({ log }, side) => log.head === now[side].head && log.generation === now[side].generation);
  }
  get table() {
    const { n, t: theme, '?': help } = this.keys, step = (by) => () => this.choose(Math.max(0, Math.min(this.differences.length - 1, this.chosen + by)));
    const leave = () => store.set({ compare: '' }, { jump: true });
    return { j: step(1), k: step(-1), n: () => { n(); if (this.answer) this.draw(); for (const column of this.columns) column.list.redraw(); }, t: () => { theme(); this.lanes?.draw(); }, '?': help, o: leave, Escape: leave };
  }

  async load() {
    fill(this.element, nothing([texts.loading, '']));
    const answer = await whenIndexed(() => ask('compare'), (sentence) => { fill(this.element, nothing([texts.loading, sentence])); return !this.element.hidden; });
    const logs = await Promise.all([0, 1].map((log) => ask('log', { log }))), { agreed } = answer;
    Object.assign(this, { answer, differences: answer.differences, chosen: -1 });
    this.middle = h('section', { class: 'pane', 'aria-label': t.differences });
    this.columns = logs.map((log, side) => new Column({ log, side, agreed: agreed && [agreed.first, agreed.second][side], open: (record) => this.open(side, record), report: this.app.report }));
    this.lanes = new Lanes(logs, agreed && [agreed.first, agreed.second], this.app.report);
    fill(this.element, this.lanes.element, h('div', { class: 'three' }, this.columns[0].element, this.middle, this.columns[1].element));
    this.draw();
    for (const column of this.columns) await column.load();
    this.draw();
    await this.lanes.load();
  }

  /** Leaves this view for a record of one of the logs. */
  open(side, record) { store.set({ compare: '', log: String(side), at: String(record), ...(side !== this.app.log.number && { pin: '', who: '', q: '', from: '', to: '' }) }, { jump: true }); }

  /** Marks the records that set a difference, in both logs. */
  choose(index) {
    this.chosen = index;
    const found = this.differences[index];
    if (!found) return;
    [found.recordBefore, found.record].forEach((record, side) => this.columns[side].mark(record));
    this.middle.querySelectorAll('.pair').forEach((pair, position) => {
      pair.setAttribute('aria-pressed', String(position === index));
      if (position === index) { pair.scrollIntoView({ block: 'nearest' }); pair.focus({ preventScroll: true }); }
    });
  }

  draw() {
    const { answer, differences } = this, groups = Map.groupBy(differences.map((found, index) => ({ ...found, index })), (found) => found.jid);
    const known = [...groups.keys()].filter(Boolean).length;
    const hadFocus = this.middle.contains(document.activeElement);
    fill(this.middle, h('header', { class: 'pane-head' }, h('h2', {}, t.atEnd), h('span', { class: 'count' }, texts.diff.different(known))),
      h('div', { class: 'column' }, this.verdict(answer),
        differences.length ? [...groups].map(([jid, fields]) => this.contact(jid, fields)) : h('p', { class: 'faint verdict' }, t.none),
        h('p', { class: 'verdict' }, h('button', { class: 'link', type: 'button', onclick: () => store.set({ compare: '' }, { jump: true }) }, t.back))));
    if (hadFocus) this.middle.querySelectorAll('.pair')[this.chosen]?.focus({ preventScroll: true });
  }

  verdict({ agreed, parted, logs }) {
    const name = (jid) => contact(jid, this.app.open), after = [parted.first, parted.second];
    if (agreed && after.every((moment) => !moment)) return h('div', { class: 'verdict' }, h('p', {}, t.same));
    return h('div', { class: 'verdict' }, h('p', {}, agreed ? t.agreed(agreed.first, agreed.second) : t.never),
      after.map((moment, side) => h('p', {}, h('b', {}, visible(logs[side])), ': ', moment ? [clauseParts(moment.clause, { open: this.app.open, go: (record) => this.open(side, record) }, name), ' ', this.link(side, moment.n)] : t.nothingMore)));
  }

  contact(jid, fields) {
    return h('article', { class: 'differ' }, h('h3', {}, jid ? contact(jid, (who) => { store.set({ compare: '', who, tab: 'contact' }, { jump: true }); }, { full: true }) : texts.diff.account),
      fields.map((found) => h('button', { class: 'pair', type: 'button', 'aria-pressed': String(found.index === this.chosen), onclick: () => this.choose(found.index) },
        h('span', { class: 'field' }, t.fields[found.field] ?? found.field), this.value(found.before, found.recordBefore, found), this.value(found.after, found.record, found))));
  }
  value(value, record, { text }) {
    const shown = plainValue(value);
    return h('span', { class: 'value-of' }, shown === null ? h('span', { class: 'faint' }, t.notThere) : shown === undefined ? sentence(text, { inRow: true }) : visible(shown), record ? h('span', { class: 'reference' }, ` #${record}`) : null);
  }
  link(side, record) { return h('button', { class: 'reference', type: 'button', title: texts.goToRecord(record), onclick: () => this.open(side, record) }, `#${record}`); }
}

"""#),
  "/js/contact.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "94c52e48f9ccead8",
    text: #"""
// One contact: what is known, why, and everything that happened to it.
import { h } from './dom.js';
import { severityMark } from './icons.js';
import { address, initial, nameOf, recordLink, sentence, visible } from './people.js';
import { clauseParts, effectParts, sign } from './rows.js';
import { ask } from './source.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { nothing } from './empty.js';

const t = texts.contact, questions = ['request', 'friend', 'section', 'online', 'blocked'];

/** The parts of the tab; `answer` is null if no contact is chosen, undefined while it is asked for. */
export function contactParts(app, answer, at) {
  if (!answer) return [{ key: 'none', stamp: [answer], draw: () => nothing(answer === null ? t.none : [texts.loading, '']) }];
  if (answer.isUnknown) return [{ key: 'unknown', stamp: [answer.jid], draw: () => nothing([visible(answer.jid), t.unknown[0]]) }];
  const name = nameOf(answer.jid) ?? (answer.name || answer.jid);
  return [
    { key: 'head', stamp: [answer.jid, name, answer.pinyin], draw: () => h('header', { class: 'person' }, h('span', { class: 'avatar', 'aria-hidden': 'true' }, initial(name)),
      h('div', {}, h('h3', {}, h('bdi', {}, visible(name))), address(answer.jid), answer.pinyin && answer.pinyin.toLowerCase() !== name.toLowerCase() ? h('span', { class: 'faint pinyin' }, visible(answer.pinyin)) : null)) },
    { key: `facts ${answer.jid}`, stamp: [JSON.stringify([answer.item, answer.request, answer.outgoing, answer.presence, answer.blocked, answer.note, answer.reading, shown(app, answer)])], draw: () => facts(app, answer) },
    { key: `why ${answer.jid}`, stamp: [JSON.stringify(answer.why), app.naming], draw: () => why(app, answer) },
    { key: 'history head', stamp: [], draw: () => h('h3', { class: 'heading', id: 'history', tabIndex: -1 }, t.history) },
    ...answer.history.more ? [{ key: 'older', stamp: [answer.history.entries[0]?.n], draw: () => h('p', { class: 'more' }, h('button', { class: 'link', type: 'button', onclick: () => older(app, answer) }, t.older)) }] : [],
    { key: `history ${answer.jid}`, stamp: [answer.history.entries.length, at, app.naming], draw: () => h('ol', { class: 'history', 'aria-label': t.historyOf(visible(name)) }, answer.history.entries.map((entry) => historyRow(app, entry, at, answer.jid))) },
  ];
}

/** The cards and the avatar of the contact, as far as they are known yet; those of another moment only keep their space. */
function shown(app, { jid, at }) {
  const { cards } = app;
  if (cards?.jid !== jid || cards.log !== app.log.number) return { cards: [], avatar: null };
  return { ...cards, isOld: cards.at !== at };
}

function facts(app, answer) {
  const { item, request, outgoing, presence, blocked, note, reading, nameFrom } = answer, { cards, avatar, isOld } = shown(app, answer);
  const records = item?.records ?? {}, rows = [];
  const value = (content, record, what, text) => app.origins.value(content, record, what, text);
  const fact = (label, content) => rows.push(h('dt', {}, label), h('dd', {}, content));
  const subscription = item ? t.yes(item.subscription, !!item.ask) : t.no;
  fact(t.inRoster, item ? value(subscription, Math.max(records.subscription ?? 0, (item.ask && records.ask) || 0), texts.value.subscription, subscription) : h('span', { class: 'faint' }, subscription));
  if (item) {
    const name = item.name ? visible(item.name) : t.noName, groups = item.groups?.length ? visible(item.groups.join(', ')) : t.noGroups;
    fact(t.name, [value(h('bdi', {}, name), records.name, texts.value.name, name), nameFrom && t.nameSource[nameFrom.source] ? h('span', { class: 'faint' }, ` ${t.nameSource[nameFrom.source]}`) : null]);
    fact(t.groups, value(h('bdi', {}, groups), records.groups, texts.value.groups, groups));
  }
  const recordOf = (from) => [from.record, from.since, from.seenRecord].find((number) => Number.isInteger(number));
  if (request) fact(t.asksUs, value(request.text ? `“${visible(request.text)}”` : t.asks, recordOf(request), texts.value.request, t.asks));
  if (outgoing) fact(t.weAsk, value(t.waiting, recordOf(outgoing), texts.value.request, t.waiting));
  const resources = Object.entries(presence ?? {});
  if (!resources.length) fact(t.presence, h('span', { class: 'faint' }, texts.presence.offline));
  for (const [resource, state] of resources) {
    const text = `${texts.presence[state.show ?? 'available'] ?? state.show}${state.status ? ` “${visible(state.status)}”` : ''}`;
    fact(t.presence, [value(text, recordOf(state), texts.value.presence, text), resource ? h('span', { class: 'faint' }, ` ${texts.device(visible(resource))}`) : null]);
  }
  if (blocked) fact(t.blocked, t.asks);
  for (const [label, given] of [[t.note, note], [t.reading, reading]]) {
    const text = given?.value ?? given;
    if (typeof text === 'string' && text) fact(label, value(visible(text), given.record, label));
  }
  for (const { form, fn, nickname, photo, record } of cards) {
    const parts = [fn, nickname && `“${nickname}”`, photo && t.photo(photo.type, photo.size)].filter(Boolean), text = visible(parts.join(', ')) || t.emptyCard;
    fact(t.cards[form] ?? form, isOld ? '…' : value(h('bdi', {}, text), record, texts.value.card, text));
  }
  if (avatar) {
    const text = avatar.sha1 ? `${avatar.sha1.slice(0, 8)}…` : t.noAvatar;
    fact(t.avatar, isOld ? '…' : [value(text, avatar.record, texts.value.avatar, text), avatar.sha1 ? h('span', { class: 'faint' }, ` ${avatar.have ? t.inLog : t.notInLog}`) : null]);
  }
  return h('dl', { class: 'facts-list' }, rows);
}

function why(app, { why: explanation, questions: words }) {
  const links = { open: app.open, go: app.go, full: true };
  const answers = questions.filter((name) => explanation?.answers?.[name]).map((name) => [name, explanation.answers[name]]);
  if (!answers.length) return h('div', {});
  const first = answers.find(([name, { answer }]) => name === 'request' && answer === 'yes') ?? answers.find(([name]) => name === 'friend') ?? answers[0];
  return h('section', { class: 'why', 'aria-label': t.why }, answers.map(([name, { answer, because, changesWhen }]) =>
    h('details', { open: name === first[0] }, h('summary', {}, h('span', {}, words?.[name] ?? name), h('span', { class: `answer ${answer}` }, t.answers[answer] ?? answer)),
      h('div', { class: 'reasons' }, (because ?? []).map((reason) => h('p', {}, sentence(reason, links))),
        changesWhen ? h('p', { class: 'when' }, t.changesWhen, ' ', sentence(changesWhen, links)) : null))));
}

function historyRow(app, entry, at, jid) {
  const links = { open: app.open, go: app.go, full: false };
  return h('li', { class: entry.n > at ? 'future' : entry.n === at ? 'here' : '', 'aria-current': entry.n === at ? 'true' : null },
    h('span', { class: 'number' }, recordLink(entry.n, app.go)), h('span', { class: 'clock' }, clock(entry.t, app.log.hasMilliseconds)),
    h('div', {}, clauseParts(entry.clause, links, (who) => h('bdi', { class: 'who' }, who === jid ? app.nameFor(who) : visible(app.nameFor(who)))),
      (entry.lines ?? []).slice(0, 6).map((line) => h('span', { class: 'effect' }, sign(line.mark), effectParts(line, jid, links, (who) => h('bdi', { class: 'who' }, visible(app.nameFor(who)))))),
      (entry.findings ?? []).map((finding) => h('span', { class: `told ${finding.severity}` }, severityMark(finding.severity), finding.title))));
}

async function older(app, answer) {
  try {
    const page = await ask(`contacts/${encodeURIComponent(answer.jid)}/history`, { log: app.log.number, before: answer.history.entries[0].n, count: 200 });
    const more = page.entries ?? page.history?.entries ?? [];
    answer.history = { ...answer.history, entries: [...more, ...answer.history.entries], more: page.more ?? page.history?.more ?? false };
    app.draw();
  } catch (error) { app.report(error); }
}

"""#),
  "/js/details.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "ff517ebbe2b7ab8a",
    text: #"""
// The tabs below the record: roster, difference, contact, findings, what if, and the screen where it has no pane.
import { h, fill, keyed } from './dom.js';
import { diffParts } from './difference.js';
import { contactParts } from './contact.js';
import { findingParts } from './findings.js';
import { WhatIf } from './whatif.js';
import { roving } from './keys.js';
import { texts } from './texts.js';
import * as store from './store.js';

export class Details {
  constructor(element, app) {
    this.app = app;
    this.whatIf = new WhatIf(app);
    this.tabs = Object.keys(texts.tabs).map((name) => h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'tab-body', 'data-tab': name, onclick: () => store.set({ tab: name }),
    }, texts.tabs[name], ' ', h('span', { class: 'count' })));
    const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': texts.tabsLabel }, this.tabs);
    roving(list, '[role="tab"]');
    this.body = h('div', { class: 'tab-body', role: 'tabpanel', id: 'tab-body', tabIndex: 0 });
    fill(element, h('h2', { class: 'sr' }, texts.tabsLabel), list, this.body);
    this.narrow = matchMedia('(max-width: 1180px)');
    this.narrow.addEventListener('change', () => { this.place(); app.refresh(); });
  }

  get tab() {
    const { tab } = store.get();
    return !(tab in texts.tabs) || (tab === 'screen' && !this.narrow.matches) ? 'roster' : tab;
  }
  shows(tab) { return this.tab === tab; }

  /** Puts the panes of the tab into place; their contents follow with the next answer. */
  place() {
    const { tab, body, app } = this;
    for (const button of this.tabs) {
      const isChosen = button.dataset.tab === tab;
      button.setAttribute('aria-selected', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      button.hidden = button.dataset.tab === 'screen' && !this.narrow.matches;
    }
    this.tabs.find((button) => button.dataset.tab === tab)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    body.setAttribute('aria-labelledby', `tab-${tab}`);
    const home = this.narrow.matches && tab === 'screen' ? body : document.getElementById('screen');
    if (body.dataset.tab !== tab) {
      body.dataset.tab = tab;
      fill(body);
      body.scrollTop = 0;
      if (tab === 'roster') body.append(app.roster.element);
      if (tab === 'whatif') body.append(this.whatIf.element);
    }
    if (app.screen.element.parentNode !== home) home.append(app.screen.element);
    this.draw();
  }

  draw() {
    const { app, body, tab } = this, at = Number(store.get().at), { pin, who } = store.get(), { moment } = app;
    if (tab === 'diff') keyed(body, diffParts(app, pin ? moment?.diff : null));
    else if (tab === 'contact') keyed(body, contactParts(app, who ? (app.contact?.jid === who ? app.contact : undefined) : null, at));
    else if (tab === 'findings') keyed(body, findingParts(app, app.findings, at));
    else if (tab === 'whatif') this.whatIf.draw(at);
    this.count('roster', moment?.roster?.items);
    this.count('findings', app.findings.total);
    this.count('diff', pin ? moment?.diff?.contacts : null);
  }
  count(tab, value) {
    const text = value ? String(value) : '', element = this.tabs.find((button) => button.dataset.tab === tab).lastChild;
    if (element.textContent !== text) element.textContent = text;
  }
  revealHistory() {
    if (!this.app.wantsHistory) return;
    const heading = this.body.querySelector('#history');
    if (!heading) return;
    heading.scrollIntoView({ block: 'start' });
    heading.focus({ preventScroll: true });
  }
}

"""#),
  "/js/dialogs.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "ba4eacd0c921a630",
    text: #"""
// What is shown above the page: keys, go to, bookmark, export. Each closes with Escape and gives the focus back.
import { h, fill } from './dom.js';
import { icon } from './icons.js';
import { texts } from './texts.js';

const dialog = h('dialog', {});
document.body.append(dialog);
dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });

function open(label, ...content) {
  dialog.setAttribute('aria-label', label);
  fill(dialog, content);
  dialog.showModal();
}
const closer = () => h('button', { class: 'tool close', type: 'button', 'aria-label': texts.keys.close, title: texts.keys.close, onclick: () => dialog.close() }, icon('close'));

export function showKeys() {
  open(texts.keys.title, h('section', { class: 'sheet' }, h('header', {}, h('h2', {}, texts.keys.title), closer()),
    h('div', { class: 'keys' }, texts.keys.groups.map(([title, rows]) => h('section', {}, h('h3', { class: 'heading' }, title),
      h('dl', {}, rows.map(([keys, meaning]) => [h('dt', {}, keys.split(' ').map((key) => h('kbd', {}, key))), h('dd', {}, meaning)]))))),
    h('h3', { class: 'heading' }, texts.filterLabel),
    h('dl', { class: 'terms' }, texts.filterHelp.map(([term, meaning]) => [h('dt', {}, h('code', {}, term)), h('dd', {}, meaning)]))));
}

/** Asks for one line. `answer(text)` may throw an error, whose sentence is shown and the dialog stays. */
export function askLine({ label, hint, placeholder }, answer, extra = null) {
  const input = h('input', { type: 'text', placeholder, 'aria-label': label, 'aria-describedby': 'line-hint', autocomplete: 'off', spellcheck: 'false' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    try { await answer(input.value.trim()); dialog.close(); } catch (error) { fault.textContent = error.message; input.select(); }
  };
  open(label, h('form', { class: 'ask-line', onsubmit: submit }, input, h('p', { id: 'line-hint', class: 'faint' }, hint), fault, extra?.(() => dialog.close())));
  input.focus();
}

/** Asks for the form of an export. `choose(kind, wait)` may call `wait(sentence)` to learn whether it is still wanted. */
export function chooseExport(kinds, choose) {
  const { title, kinds: words } = texts.exports, fault = h('p', { class: 'fault', role: 'alert' });
  let wanted = '';
  const pick = async (kind) => {
    const isWanted = () => wanted === kind && fault.isConnected && dialog.open;
    wanted = kind;
    try {
      await choose(kind, (sentence) => { if (isWanted()) fault.textContent = sentence; return isWanted(); });
      if (isWanted()) dialog.close();
    } catch (error) { if (isWanted()) fault.textContent = error.message; }
  };
  open(title, h('section', { class: 'sheet' }, h('header', {}, h('h2', {}, title), closer()), h('ul', { class: 'exports' }, kinds.map((kind) => h('li', {},
    h('button', { type: 'button', onclick: () => pick(kind) }, h('b', {}, words[kind][0]), h('span', { class: 'faint' }, words[kind][1]))))), fault));
}

"""#),
  "/js/difference.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "cd10d97d15e18886",
    text: #"""
// What differs between the pin and the moment, by contact.
import { h } from './dom.js';
import { contact, recordLink, visible } from './people.js';
import { sign } from './rows.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';

const t = texts.diff;
export const diffWindow = 100;
let showsPresence = false;

/** The parts of the tab; `answer` is null without a pin, undefined while it is asked for. */
export function diffParts(app, answer) {
  if (!answer) return [{ key: 'none', stamp: [answer], draw: () => nothing(answer === null ? t.noPin : [texts.loading, '']) }];
  const lasting = answer.rows.filter((row) => row.fields.some((field) => !field.fleeting));
  const fleeting = answer.rows.filter((row) => row.fields.every((field) => field.fleeting));
  const rows = showsPresence ? answer.rows : lasting, toggle = () => { showsPresence = !showsPresence; app.refresh(); };
  const parts = [{
    key: 'facts', stamp: [answer.from, answer.to, answer.contacts, answer.fleeting, showsPresence],
    draw: () => h('p', { class: 'facts' },
      h('span', {}, t.range, ' ', recordLink(answer.from, app.go), ' ', t.rangeTo, ' ', recordLink(answer.to, app.go)),
      h('span', {}, h('b', {}, t.different(answer.contacts))), answer.fleeting ? h('span', {}, t.presence(answer.fleeting)) : null,
      fleeting.length || answer.rows.some((row) => row.fields.some((field) => field.fleeting)) ? h('button', { class: 'link', type: 'button', 'aria-pressed': String(showsPresence), onclick: toggle }, showsPresence ? t.hidePresence : t.showPresence) : null),
  }];
  if (!rows.length) parts.push({ key: 'same', stamp: [answer.fleeting], draw: () => nothing(answer.fleeting ? [t.onlyPresence, ''] : t.same) });
  for (const row of rows) {
    const fields = row.fields.filter((field) => showsPresence || !field.fleeting);
    parts.push({ key: row.jid ?? '', stamp: [JSON.stringify(fields), app.naming], draw: () => block(app, row, fields) });
  }
  if (answer.rows.length < answer.contacts) parts.push({ key: 'more', stamp: [answer.rows.length], draw: () => h('p', { class: 'more' }, h('button', { class: 'link', type: 'button', onclick: () => app.moreDifferences() }, t.more)) });
  return parts;
}

const block = (app, row, fields) => h('section', { class: 'different' },
  h('h3', {}, row.jid ? contact(row.jid, app.open, { full: true }) : t.account), fields.map((field) => h('div', { class: 'difference' },
    sign(field.mark), h('span', { class: 'field' }, field.field), h('span', { class: 'values' }, valuesOf(field)), field.record ? recordLink(field.record, app.go) : h('span', {}))));

/** Before and after; a plain sentence if either is no simple value. */
export function valuesOf({ before, after, text }) {
  const from = plainValue(before), to = plainValue(after);
  if (from === undefined || to === undefined) return h('span', {}, visible(text));
  return [
    from === null ? null : h('del', {}, visible(from)), from !== null && to !== null ? h('span', { class: 'arrow', 'aria-hidden': 'true' }, ' → ') : null,
    to === null ? null : h('ins', {}, visible(to)), from === null && to === null ? visible(text) : null,
  ];
}

/** A value as a text, null if there is none, undefined if it needs a sentence. */
export function plainValue(value) {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.every((part) => typeof part === 'string') ? value.join(', ') || texts.contact.noGroups : undefined;
  if (typeof value === 'object') {
    if (!('subscription' in value)) return undefined;
    return [value.name && `“${value.name}”`, value.subscription, value.ask && texts.asked.slice(2), value.groups?.length && value.groups.join(', ')].filter(Boolean).join(' ');
  }
  return typeof value === 'string' && value.includes('@') && value.length > 60 ? undefined : String(value);
}

"""#),
  "/js/dom.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "8813cd3f2bfa98c2",
    text: #"""
// Builds elements. Every text becomes a text node, so a hostile name is shown and never interpreted.

/** Makes an element: `on…` are listeners, `style` goes through the CSSOM, everything else is a property or an attribute. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name === 'style') {
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    } else if (typeof value !== 'string' && name in element) element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== '') element.append(child);
  }
  return element;
}

/** Replaces everything that an element contains. */
export function fill(element, ...children) {
  element.keptParts = null;
  element.replaceChildren();
  return append(element, children);
}

const namespace = 'http://www.w3.org/2000/svg';
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Shows `parts`, each `{ key, stamp, draw }`, inside `parent`.
 *
 * A part whose stamp (an array of plain values) is the same as before keeps its element, its focus and its
 * scroll position, so that a step costs what it changed.
 */
export function keyed(parent, parts) {
  const before = parent.keptParts;
  if (!before) parent.replaceChildren();
  const now = new Map();
  let cursor = parent.firstChild;
  for (const part of parts) {
    const old = before?.get(part.key);
    const isSame = old && old.stamp.length === part.stamp.length
      && old.stamp.every((value, index) => value === part.stamp[index]);
    const element = isSame ? old.element : part.draw();
    now.set(part.key, { element, stamp: part.stamp });
    if (old && !isSame) {
      if (cursor === old.element) cursor = element;
      old.element.replaceWith(element);
    }
    if (element === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(element, cursor);
  }
  if (before) for (const [key, { element }] of before) if (!now.has(key)) element.remove();
  parent.keptParts = now;
}

/** A button with a text or an icon. Icons alone need `label`. */
export function button({ label, press, ...rest }, ...children) {
  return h('button', { type: 'button', title: label, 'aria-label': label, onclick: press, ...rest }, ...children);
}

"""#),
  "/js/empty.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "095646fd0ec5ef6c",
    text: #"""
import { h } from './dom.js';

/** What a pane says if it has nothing to show. */
export const nothing = ([title, text]) => h('div', { class: 'empty' }, h('b', {}, title), text);

"""#),
  "/js/entries.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "e3e216811efbd5e7",
    text: #"""
// The entries of a view: which are known, how high each is, and which records lie in folds that are open.
import { BlockHeights } from './heights.js';
import { ask } from './source.js';
import { learn } from './people.js';

export const rowHeight = 31, lineHeight = 18, findingHeight = 24, blockSize = 1024;
const mostLines = 4;

export const heightOf = (entry) => rowHeight + lineHeight * Math.min(mostLines, entry.lines.length) + findingHeight * entry.findings.length;

/** The blocks of `count` entries from the server's sums. */
export function blocksOf(count, sums) {
  return sums.map(([first, last, lines, findings], index) => {
    const inBlock = Math.min(blockSize, count - index * blockSize);
    return {
      first, last, count: inBlock, entries: null, rows: null, heights: null,
      height: rowHeight * inBlock + lineHeight * lines + findingHeight * findings,
    };
  });
}

/** A block with its entries and what its open folds hold, as rows `{ entry, isInside, isOpen }`. */
export function opened(block, entries, folds) {
  const rows = [];
  for (const entry of entries) {
    const inside = entry.fold ? folds.get(entry.n) : null;
    rows.push({ entry, isInside: false, isOpen: !!inside });
    for (const record of inside ?? []) rows.push({ entry: record, isInside: true, isOpen: false });
  }
  const heights = rows.map((row) => heightOf(row.entry));
  return { ...block, entries, rows, heights, count: rows.length, height: heights.reduce((sum, height) => sum + height, 0) };
}

export class Entries {
  /** `changed()` is called when rows became known or moved; `failed(error)` if the server refused. */
  constructor({ changed, failed, named = learn }) {
    Object.assign(this, { changed, failed, named, view: null, log: 0, count: 0, records: 0, heights: new BlockHeights(), folds: new Map(), asked: new Map() });
  }

  /** Shows a view: its table of blocks comes first, the entries as they come into sight. */
  async open(view, log) {
    const table = await ask('story', { view, log });
    for (const abort of this.asked.values()) abort.abort();
    this.asked.clear();
    if (view !== this.view) this.folds.clear();
    Object.assign(this, { view, log, count: table.entries, records: table.records, selection: table.selection });
    this.heights.reset(blocksOf(table.entries, table.blocks));
  }

  /** Takes new blocks from entry `from` of the plain story on; everything before stays as it is. Other lists only get longer. */
  async extend(from) {
    const { view } = this, before = this.heights.blocks, firstChanged = Math.floor((this.view === 'story' ? Math.min(from, this.count) : this.count) / blockSize);
    const table = await ask('story', { view: this.view, log: this.log, from: firstChanged });
    // Another list was opened meanwhile.
    if (view !== this.view || before !== this.heights.blocks) return;
    // The filter stands for other people or devices now: all may be different.
    if (table.selection !== this.selection) { await this.open(this.view, this.log); this.changed(); return; }
    const blocks = [...before.slice(0, firstChanged), ...blocksOf(table.entries - firstChanged * blockSize, table.blocks)];
    Object.assign(this, { count: table.entries, records: table.records });
    for (const [index, abort] of this.asked) if (index >= firstChanged) { abort.abort(); this.asked.delete(index); }
    this.heights.reset(blocks);
    await this.load(blocks.length - 1);
  }

  row(index) {
    const block = this.heights.blockOf(index);
    return this.heights.blocks[block]?.rows?.[index - this.heights.starts[block]] ?? null;
  }

  /** Asks for the blocks of rows `first..<last` that are not known, at most two at a time. */
  ensure(first, last) {
    if (!this.heights.count) return;
    const a = this.heights.blockOf(first), b = this.heights.blockOf(Math.max(first, last - 1));
    for (const [index, abort] of this.asked) if (index < a - 1 || index > b + 1) { abort.abort(); this.asked.delete(index); }
    for (let index = a; index <= b; index++) if (this.asked.size < 2) this.load(index);
  }

  async load(index) {
    const block = this.heights.blocks[index], { view } = this;
    if (!block || block.rows || this.asked.has(index)) return this.pending?.get(index);
    const abort = new AbortController();
    this.asked.set(index, abort);
    const work = this.fetchBlock(view, index, abort.signal);
    (this.pending ??= new Map()).set(index, work);
    await work;
    if (this.pending.get(index) === work) this.pending.delete(index);
    if (this.asked.get(index) === abort) this.asked.delete(index);
    this.changed();
  }

  async fetchBlock(view, index, signal) {
    try {
      const answer = await ask(`story/${view}/blocks/${index}-${index}`, { log: this.log }, { signal });
      if (view !== this.view || signal.aborted || !answer.blocks.length) return;
      this.named(answer.people);
      this.heights.replace(index, opened(this.heights.blocks[index], answer.blocks[0], this.folds));
    } catch (error) { if (error.name !== 'AbortError') this.failed(error); }
  }

  /** The row of a record: the last that begins at or before it, inside an open fold if it lies in one; -1 before all. */
  async rowOf(record) {
    const index = this.blockOf(record);
    if (index >= 0 && !this.heights.blocks[index].rows) await this.load(index);
    return this.knownRowOf(record) ?? -1;
  }
  /** The same without asking for anything; null if the row is not known. */
  knownRowOf(record) {
    const index = this.blockOf(record);
    if (index < 0) return -1;
    const { rows } = this.heights.blocks[index];
    if (!rows) return null;
    let found = -1;
    for (let i = 0; i < rows.length && rows[i].entry.n <= record; i++) if (!(rows[i].isOpen && rows[i].entry.last >= record && rows[i + 1]?.entry.n <= record)) found = i;
    return this.heights.starts[index] + found;
  }
  blockOf(record) { return this.heights.blocks.findLastIndex((block) => block.first <= record); }

  /** Opens a fold, or closes it. Its records are asked for when it is opened first. */
  async toggle(entry) {
    if (this.folds.has(entry.n)) this.folds.delete(entry.n);
    else {
      const answer = await ask(`story/${this.view}/fold/${entry.n}`, { log: this.log }, { keep: true });
      this.named(answer.people);
      this.folds.set(entry.n, answer.entries);
    }
    const index = this.heights.blocks.findIndex((block) => block.entries?.includes(entry));
    if (index >= 0) this.heights.replace(index, opened(this.heights.blocks[index], this.heights.blocks[index].entries, this.folds));
    this.changed();
  }
}

"""#),
  "/js/findings.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "55672115e6901095",
    text: #"""
// Finding cards: what is wrong, why it usually happens, what to do, and where to look.
import { h } from './dom.js';
import { severityMark } from './icons.js';
import { sentence } from './people.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { nothing } from './empty.js';
import * as store from './store.js';

const rank = { error: 0, warning: 1, info: 2 };

/** A card. `isTold` if the record is shown beside it, so that the card need not lead to it. */
export function findingCard(app, finding, guide, { isHere = false, isOpen = false, isTold = false } = {}) {
  const links = { open: app.open, go: app.go, full: true };
  return h('article', { class: `finding ${finding.severity}${isHere ? ' here' : ''}`, 'aria-label': finding.title },
    h('header', {}, severityMark(finding.severity), h('strong', {}, finding.title), h('span', { class: 'code' }, finding.code)),
    h('p', {}, sentence(finding.sentence, links)),
    guide ? h('details', { class: 'guide', open: isOpen }, h('summary', {}, texts.guide), h('dl', {},
      h('dt', {}, texts.guideCauses), h('dd', {}, sentence(guide.causes, links)),
      h('dt', {}, texts.guideRemedy), h('dd', {}, sentence(guide.remedy, links)),
      h('dt', {}, texts.guideRule), h('dd', {}, sentence(guide.rule, links)))) : null,
    h('p', { class: 'actions' },
      isTold ? null : link(texts.findingAt(finding.record, clock(finding.t, app.log.hasMilliseconds)), () => app.go(finding.record)),
      actionsOf(finding, isTold).map(([label, press]) => link(label, press, app))));

  function actionsOf({ cause, actions = [], record }) {
    const found = new Map();
    if (cause && cause !== record) found.set(texts.findingCause(cause), () => app.go(cause));
    for (const action of actions) {
      if (action.do === 'contact') found.set(texts.action.contact, () => app.open(action.who));
      else if (action.do === 'history') found.set(texts.action.history, () => app.open(action.who, 'history'));
      else if (action.do === 'diff') found.set(texts.action.diff, () => store.set({ pin: Math.max(1, action.from), at: action.to, tab: 'diff' }, { jump: true }));
      else if (action.do === 'record' && action.record !== record && action.record !== cause) found.set(texts.action.record(action.record), () => app.go(action.record));
    }
    return [...found];
  }
}
const link = (label, press) => h('button', { class: 'link', type: 'button', onclick: (event) => { event.stopPropagation(); press(); } }, label);

/** The parts of the Findings tab, the gravest first. */
export function findingParts(app, { findings, guides, total }, at) {
  if (!findings.length) return [{ key: 'none', stamp: [], draw: () => nothing(texts.noFindings) }];
  const isWide = document.documentElement.clientWidth > 760;
  const sorted = [...findings].sort((a, b) => rank[a.severity] - rank[b.severity] || a.record - b.record).slice(0, 200);
  const parts = sorted.map((finding, index) => ({
    key: `${finding.record} ${finding.code} ${index}`, stamp: [finding.sentence, finding.record === at, app.naming],
    draw: () => findingCard(app, finding, guides[finding.code], { isHere: finding.record === at, isOpen: isWide && index < 3 }),
  }));
  if (total > sorted.length) parts.push({ key: 'more', stamp: [total], draw: () => h('p', { class: 'faint more' }, texts.findingsCut(total)) });
  return parts;
}

"""#),
  "/js/follower.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "fb79ea4b22cdfe37",
    text: #"""
// Follows a log that grows. A user who looks at earlier records is left alone.
import { Live } from './live.js';
import { texts } from './texts.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

export class Follower {
  constructor(app) {
    const { complete, head, live } = app.log;
    // While a log is being indexed, a page that names no moment stays at the end of what is indexed.
    Object.assign(this, { app, isFollowing: !complete && app.isUnnamed, isOver: complete && !live, stream: null });
    // What all panes show: `app.log` may know of more, such as after a reconnect.
    this.shown = { head, complete };
    // Browsers keep few connections to a host, and other pages need them.
    document.addEventListener('visibilitychange', () => this.connect());
    this.connect();
    this.mark();
  }

  /** Listens while the page can be seen, from the record on that it shows. */
  connect() {
    const isWanted = !this.isOver && !document.hidden;
    if (isWanted === (this.stream !== null)) return;
    if (isWanted) this.stream = new Live(this.app.log.number, { head: this.shown.head, generation: this.app.log.generation }, (event) => this.take(event), (state) => this.say(state));
    else { this.stream.stop(); this.stream = null; this.wasLost = true; }
  }

  /** Goes to the end and stays there, or stops doing so. */
  toggle() {
    this.isFollowing = !this.isFollowing;
    if (this.isFollowing) store.set({ at: this.app.log.head }, { jump: true });
    this.mark();
  }
  pause() { if (this.isFollowing) { this.isFollowing = false; this.mark(); } }
  mark() { this.app.bar.live?.setAttribute('aria-pressed', String(this.isFollowing)); }

  say(state) {
    const { live } = this.app.bar;
    if (state === 'lost' && this.isReplaced) return;
    live.textContent = state === 'lost' ? texts.tool.liveLost : texts.tool.live;
    live.classList.toggle('lost', state === 'lost');
    if (state === 'refused' || (state === 'connected' && this.wasLost)) this.check();
    this.wasLost = state === 'lost';
  }
  // After a reconnect, the log may be another one, the server may have another key, and what could not be shown before may be shown now.
  async check() {
    try { if (await this.app.readLog()) this.reload(); else if (this.waiting !== null && !this.isBusy) this.update(); } catch (error) { this.app.report(error); }
  }
  // Numbers of records mean others in another log, so nothing of the page is kept.
  reload() {
    this.isReplaced = true;
    this.stream?.stop();
    prefs.write('said', texts.fault.replaced);
    store.replace({ log: store.get().log });
    location.reload();
  }

  // The first entry of the story that is another one than is shown; null if none is.
  waiting = null;
  take({ event, data }) {
    if (event === 'bye') this.app.say(texts.fault.ended);
    if (event !== 'head') return;
    if (data.generation !== this.app.log.generation) { this.reload(); return; }
    if (data.head <= this.shown.head && data.complete === this.shown.complete) return;
    this.waiting = Math.min(this.waiting ?? Infinity, data.replaceFrom ?? 0);
    if (!this.isBusy) this.update();
  }
  // All of a capture is indexed: nothing more will come.
  finish() {
    this.isOver = true;
    this.connect();
    this.pause();
  }
  async update() {
    const { app } = this;
    this.isBusy = true;
    let from = null;
    try {
      while (this.waiting !== null) {
        from = this.waiting;
        this.waiting = null;
        const { generation } = app.log;
        await app.readLog();
        if (app.log.generation !== generation) { this.reload(); return; }
        const { head, complete } = app.log;
        app.findings = await app.readFindings();
        app.note();
        await app.story.extend(from);
        await app.timeline.load();
        this.shown = { head, complete };
        from = null;
        if (this.isFollowing) store.set({ at: app.log.head });
        if (complete && !app.log.live) this.finish();
        app.markDock(document.getElementById('panes').dataset.pane);
        app.details.draw();
        app.transport();
      }
    } catch (error) {
      // With the next event, or after a reconnect, it is tried again.
      if (from !== null) this.waiting = Math.min(this.waiting ?? Infinity, from);
      app.report(error);
    }
    this.isBusy = false;
  }
}

"""#),
  "/js/heights.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "94c506371a79306a",
    text: #"""
// Where rows are, without measuring any: every row's height is known before it is drawn.

/** Rows in blocks. A block that has not arrived has a count and a total height, so that nothing moves when it does. */
export class BlockHeights {
  constructor() { this.blocks = []; this.reset([]); }

  /** Takes the blocks, each `{ count, height, heights }`; `heights` is null until the rows are known. */
  reset(blocks) {
    this.blocks = blocks;
    this.sum();
  }

  replace(index, block) {
    this.blocks[index] = block;
    this.sum();
  }

  sum() {
    const { blocks } = this;
    this.starts = new Float64Array(blocks.length + 1);
    this.tops = new Float64Array(blocks.length + 1);
    blocks.forEach((block, index) => {
      this.starts[index + 1] = this.starts[index] + block.count;
      this.tops[index + 1] = this.tops[index] + block.height;
    });
  }

  get count() { return this.starts[this.blocks.length]; }
  get total() { return this.tops[this.blocks.length]; }

  blockOf(row) { return lastAtMost(this.starts, row, this.blocks.length); }

  height(row) {
    const index = this.blockOf(row), block = this.blocks[index];
    return block.heights ? block.heights[row - this.starts[index]] : block.height / block.count;
  }

  offset(row) {
    if (row >= this.count) return this.total;
    const index = this.blockOf(row), block = this.blocks[index], inside = row - this.starts[index];
    if (!block.heights) return this.tops[index] + (inside * block.height) / block.count;
    let y = this.tops[index];
    for (let i = 0; i < inside; i++) y += block.heights[i];
    return y;
  }

  /** The row at a pixel, and that row's top. Complexity: O(log blocks + rows of a block). */
  find(y) {
    if (!this.count) return [0, 0];
    const index = lastAtMost(this.tops, Math.max(0, y), this.blocks.length), block = this.blocks[index];
    const start = this.starts[index], top = this.tops[index];
    if (!block.heights) {
      const each = block.height / block.count;
      const inside = Math.min(block.count - 1, Math.floor((Math.max(0, y) - top) / each));
      return [start + inside, top + inside * each];
    }
    let inside = 0, at = top;
    while (inside < block.count - 1 && at + block.heights[inside] <= y) at += block.heights[inside++];
    return [start + inside, at];
  }
}

/** The rows of `heights`, of which one, `row`, is higher by `gap`; -1 for none. */
export class GapHeights {
  constructor(heights, gap) { Object.assign(this, { heights, gap, row: -1 }); }
  get count() { return this.heights.count; }
  get total() { return this.heights.total + (this.row >= 0 ? this.gap : 0); }
  height(row) { return this.heights.height(row) + (row === this.row ? this.gap : 0); }
  offset(row) { return this.heights.offset(row) + (this.row >= 0 && row > this.row ? this.gap : 0); }
  find(y) {
    if (this.row < 0 || y < this.heights.offset(this.row)) return this.heights.find(y);
    if (y < this.offset(this.row) + this.height(this.row)) return [this.row, this.offset(this.row)];
    const [row, top] = this.heights.find(y - this.gap);
    return [row, top + this.gap];
  }
}

/** Rows of one height, of which some, the headings, have another. */
export class HeadedHeights {
  constructor(rowHeight, headingHeight = rowHeight) {
    Object.assign(this, { rowHeight, headingHeight, count: 0, headings: [] });
  }
  /** Takes the number of rows and the ascending numbers of those that are headings. */
  reset(count, headings = []) { Object.assign(this, { count, headings }); }
  get total() { return this.offset(this.count); }
  headingsBefore(row) {
    let low = 0, high = this.headings.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.headings[middle] < row) low = middle + 1; else high = middle;
    }
    return low;
  }
  isHeading(row) { return this.headings[this.headingsBefore(row)] === row; }
  height(row) { return this.isHeading(row) ? this.headingHeight : this.rowHeight; }
  offset(row) {
    const headings = this.headingsBefore(row);
    return headings * this.headingHeight + (row - headings) * this.rowHeight;
  }
  find(y) {
    let low = 0, high = Math.max(0, this.count - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offset(middle) <= y) low = middle; else high = middle - 1;
    }
    return [low, this.offset(low)];
  }
}

function lastAtMost(sums, value, count) {
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sums[middle] <= value) low = middle; else high = middle - 1;
  }
  return Math.max(0, low);
}

"""#),
  "/js/icons.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "bd1261040028ac7f",
    text: #"""
// The shapes of the page, drawn on a grid of 16.
import { svg } from './dom.js';
import { texts } from './texts.js';

const paths = {
  back: 'M10 3.5 5.5 8l4.500 4.500', forward: 'M6 3.500 10.500 8 6 12.500', chevron: 'M6 4.500 9.500 8 6 11.500',
  received: 'M13 8H3.500M7 4.500 3.500 8 7 11.500', sent: 'M3 8h9.500M9 4.500l3.500 3.500L9 11.500',
  local: 'M7.500 8h1', find: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M10.500 10.500 14 14',
  pin: 'M6 2.500h4M6.500 2.500v4L4.500 9.500h7L9.500 6.500v-4M8 9.500V14', close: 'M4.500 4.500l7 7M11.500 4.500l-7 7',
  bookmark: 'M4.500 2.500h7v11L8 10.800l-3.500 2.700z', download: 'M8 2.500v7M5 7l3 3 3-3M3 13h10',
  theme: 'M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11',
  keyboard: 'M1.500 4.500h13v7h-13zM4 7h.01M6.700 7h.01M9.300 7h.01M12 7h.01M5 9.500h6',
  story: 'M3 4h10M3 8h7M3 12h9', record: 'M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500',
  roster: 'M8 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M3 13.500c.6-2.600 2.500-4 5-4s4.400 1.400 5 4',
  phone: 'M5 1.500h6v13H5zM7.300 12.300h1.400', alert: 'M8 2.500 14.200 13H1.800zM8 6.500v3M8 11.200h.01',
  compare: 'M2.500 3.500h4.500v9H2.500zM9 3.500h4.500v9H9z',
  help: 'M6 6a2 2 0 1 1 2.700 1.900c-.5.200-.7.500-.7 1.100v.500M8 12h.01',
};
export const icon = (name) => svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
  svg('path', { d: paths[name] }));

const severityPaths = {
  error: 'M6 .7 11.300 6 6 11.300.7 6z', warning: 'M6 1.200 11.500 10.800H.5z',
  info: 'M6 1.700a4.300 4.300 0 1 0 0 8.600 4.300 4.300 0 0 0 0-8.600z',
};
/** Each severity has a shape of its own, so that nobody needs the color. */
export const severityMark = (severity) => svg('svg', {
  class: `severity ${severity}`, viewBox: '0 0 12 12', role: 'img', 'aria-label': texts.severity[severity] ?? severity,
}, svg('path', { d: severityPaths[severity] ?? severityPaths.info }));

/** Who sees whom: the upper arrow is what we see, the lower one what the contact sees. */
export function subscriptionMark(subscription, isAsked) {
  const sees = subscription === 'to' || subscription === 'both';
  const isSeen = subscription === 'from' || subscription === 'both';
  const arrow = (d, on, dashes) => svg('path', { d, opacity: on ? 1 : 0.25, ...(dashes && { 'stroke-dasharray': '2 2.500' }) });
  return svg('svg', { class: 'subscription', viewBox: '0 0 20 16', role: 'img', 'aria-label': texts.subscriptionLabel(subscription, isAsked) },
    arrow('M3.500 5.500h13M13.500 2.500l3 3', sees || isAsked, isAsked && !sees),
    arrow('M16.500 10.500h-13M6.500 13.500l-3-3', isSeen));
}

export const logo = () => svg('svg', { class: 'logo', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
  svg('path', { class: 'first', d: 'M4 5h12' }), svg('path', { class: 'second', d: 'M4 10h8' }), svg('path', { class: 'third', d: 'M4 15h10' }));

"""#),
  "/js/keys.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "36f26e414831f39a",
    text: #"""
// Keys: single letters that act anywhere except while typing.

let actions = {};
export function bind(table) { actions = table; }

/** The action of a pressed key, or null if the key belongs to what has the focus. */
export function actionFor({ key, ctrlKey, altKey, metaKey, target }) {
  if (ctrlKey || altKey || metaKey || document.querySelector('dialog[open]')) return null;
  const isTyping = target.closest?.('input:not([type="checkbox"]), textarea, select, [contenteditable]');
  if (isTyping) return null;
  const owns = {
    Enter: 'button, a, summary, [role="link"], [role="tab"], [role="separator"]',
    ArrowDown: '[role="tablist"], [role="separator"], pre, .record, .letters',
    ArrowUp: '[role="tablist"], [role="separator"], pre, .record, .letters',
    Home: '[role="tablist"], .phone, .pane-roster, pre', End: '[role="tablist"], .phone, .pane-roster, pre',
  }[key];
  if (owns && target.closest?.(owns)) return null;
  return actions[key] ?? null;
}

globalThis.document?.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const action = actionFor(event);
  if (!action) return;
  event.preventDefault();
  action(event);
});

/** Moves the focus inside a group by the arrow keys, so that Tab passes the group in one step. */
export function roving(group, selector, { vertical = false, press = true } = {}) {
  group.addEventListener('keydown', (event) => {
    const all = [...group.querySelectorAll(selector)].filter((item) => item.offsetParent && !item.disabled);
    const at = all.indexOf(event.target);
    if (at < 0) return;
    const step = { [vertical ? 'ArrowDown' : 'ArrowRight']: 1, [vertical ? 'ArrowUp' : 'ArrowLeft']: -1 }[event.key];
    const next = event.key === 'Home' ? all[0] : event.key === 'End' ? all.at(-1)
      : step ? all[(at + step + all.length) % all.length] : null;
    if (!next) return;
    event.preventDefault();
    next.focus();
    if (press) next.click();
  });
}

"""#),
  "/js/lanes.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "440697900979ca04",
    text: #"""
// Both logs over one axis: their sessions, what changed the roster, what is wrong, and where they part.
import { h } from './dom.js';
import { ticks, isDayStep, isSecondStep } from './axis.js';
import { drawShape, palette, roundBox, shortened } from './track.js';
import { ask } from './source.js';
import { texts } from './texts.js';
import { clock, isoDay } from './times.js';

const height = 104, laneTop = 26, laneStep = 38, mostFindings = 200;

export class Lanes {
  constructor(logs, agreed, report) {
    Object.assign(this, { logs, agreed, report, series: [] });
    this.canvas = h('canvas', { role: 'img', 'aria-label': texts.compare.lanes });
    this.element = h('div', { class: 'lanes' }, this.canvas);
    new ResizeObserver(() => { this.draw(); this.load().catch(report); }).observe(this.element);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }
  get hasTimes() { return this.logs.every((log) => log.hasTimes && log.first?.t != null); }
  get range() {
    if (!this.hasTimes) return [1, Math.max(2, ...this.logs.map((log) => log.head))];
    const ends = this.logs.flatMap((log) => [log.first.t, log.last.t]);
    return [Math.min(...ends), Math.max(Math.min(...ends) + 1, ...ends)];
  }

  /** Asks for the counts of both logs in as many columns as fit. */
  async load() {
    const columns = Math.max(1, Math.floor((this.element.clientWidth - 124) / 3));
    if (columns === this.columns) return;
    this.columns = columns;
    const axis = this.hasTimes ? 'time' : 'record', [from, to] = this.range;
    const answers = await Promise.all(this.logs.flatMap((log) => [ask('timeline', { log: log.log, axis, from, to, columns }), ask('findings', { log: log.log })]));
    if (columns !== this.columns) return;
    this.series = [answers[0], answers[2]];
    this.findings = [answers[1], answers[3]].map((answer) => answer.findings.slice(0, mostFindings));
    this.draw();
  }

  draw() {
    const { canvas, element } = this, width = element.clientWidth, ratio = globalThis.devicePixelRatio || 1, pen = canvas.getContext('2d');
    if (!width) return;
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = 'middle';
    const [from, to] = this.range, left = 104, right = width - 20, colors = palette(element), x = (value) => left + ((value - from) / (to - from)) * (right - left);
    for (const { value, step } of ticks(this.hasTimes ? 'time' : 'record', from, to, Math.max(2, Math.floor((right - left) / 110)))) {
      const text = !this.hasTimes ? `#${value}` : isDayStep(step) ? isoDay(value) : isSecondStep(step) ? clock(value) : clock(value).slice(0, 5);
      pen.fillStyle = colors.line;
      pen.fillRect(Math.round(x(value)), 20, 1, height - 28);
      pen.fillStyle = colors['ink-3'];
      pen.textAlign = 'center';
      pen.fillText(text, x(value), 10);
    }
    this.logs.forEach((log, side) => this.lane(pen, colors, log, side, x, [left, right]));
  }

  lane(pen, colors, log, side, x, [left, right]) {
    const y = laneTop + side * laneStep, value = (record, time) => (this.hasTimes ? time ?? this.range[0] : record);
    pen.fillStyle = colors['ink-2'];
    pen.textAlign = 'left';
    pen.fillText(shortened(log.title), 16, y + 4);
    for (const session of log.sessions) {
      const start = x(value(session.from, session.fromT)), end = session.to === null ? right : x(value(session.to, session.toT));
      pen.fillStyle = colors.lane;
      roundBox(pen, start, y, Math.max(3, end - start), 5, 2);
    }
    const { all = [], lasting = [] } = this.series[side] ?? {}, each = (right - left) / Math.max(1, all.length);
    all.forEach((count, index) => {
      if (!count) return;
      pen.fillStyle = colors[lasting[index] ? 'bar-2' : 'bar'];
      pen.fillRect(left + index * each, y + 9, Math.max(1.5, each - 1), lasting[index] ? 14 : 8);
    });
    for (const finding of this.findings?.[side] ?? []) {
      pen.fillStyle = colors[`${finding.severity}-mark`];
      drawShape(pen, finding.severity, x(value(finding.record, finding.t)), y + 28, 4);
    }
    const column = this.agreed && this.column(side, this.agreed[side]);
    if (column === null || column === undefined) return;
    const at = this.hasTimes ? left + (column + 0.5) * each : x(this.agreed[side]);
    pen.fillStyle = colors.pin;
    for (let line = y - 4; line < y + 26; line += 6) pen.fillRect(at - 0.75, line, 1.5, 3);
    pen.beginPath();
    pen.arc(at, y - 4, 3, 0, Math.PI * 2);
    pen.fill();
  }
  // The column that a record is counted in.
  column(side, record) {
    const { first } = this.series[side] ?? {};
    if (!first) return null;
    return Math.max(0, first.findLastIndex((number) => number <= record));
  }
}

"""#),
  "/js/list.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "6cbb8d2707c287f2",
    text: #"""
// A list of any length. It draws the rows in view and a few more, and knows where all others are.
//
// Browsers end an element after 17 to 33 million pixels. Beyond `limit` the scroll bar is scaled: wheel, touch
// and keys still move pixel by pixel, a drag of the bar over more than two screens is a jump, and when scrolling
// has come to rest the bar is put to where the list is.
import { Roaming } from './roaming.js';

const limit = 8_000_000, spare = 6, restAfter = 160;

export class VirtualList {
  /**
   * `heights` says where rows are, and `draw(row, element)` fills an element. With `pick(row, target)`, which answers
   * clicks, rows are options to choose from. `header` is an element that scrolls with the rows, above them.
   */
  constructor(element, { heights, draw, pick, label, header = null }) {
    Object.assign(this, { element, heights, draw, pick, header, top: 0, bar: 0, viewport: 0, selected: -1, inset: 0 });
    this.rows = new Map();
    this.unused = [];
    element.classList.add('virtual');
    element.tabIndex = 0;
    element.setAttribute('role', pick ? 'listbox' : 'region');
    this.space = document.createElement('div');
    this.space.className = 'space';
    this.space.setAttribute('role', pick ? 'presentation' : 'list');
    this.name(label);
    if (header) {
      element.append(header);
      // Observed, because asking would lay out the page in the middle of a step.
      new ResizeObserver(([{ borderBoxSize }]) => {
        const anchor = this.anchor();
        this.inset = borderBoxSize[0].blockSize;
        this.space.style.height = `${this.physical - this.inset}px`;
        if (anchor) this.top = this.heights.offset(anchor.row) + this.inset + anchor.inside;
        this.place();
      }).observe(header);
    }
    element.append(this.space);
    element.addEventListener('scroll', () => this.scrolled(), { passive: true });
    this.space.addEventListener('click', (event) => {
      const row = event.target.closest('.row');
      if (row) this.pick?.(row.index, event.target, event);
    });
    this.roaming = pick ? null : new Roaming(this);
    new ResizeObserver(([{ contentRect }]) => { this.viewport = contentRect.height; this.place(); }).observe(element);
  }

  name(label) { for (const element of this.pick ? [this.element] : [this.element, this.space]) element.setAttribute('aria-label', label); }

  get total() { return this.heights.total + this.inset; }
  get physical() { return Math.min(this.total, limit); }
  get scale() {
    return this.total > limit ? (this.total - this.viewport) / (this.physical - this.viewport) : 1;
  }

  /** Draws everything anew after the rows changed, with the row at the top staying where it is. */
  refresh(anchor = this.anchor()) {
    if (!this.viewport) this.viewport = this.element.clientHeight;
    this.space.style.height = `${this.physical - this.inset}px`;
    for (const row of this.rows.values()) this.discard(row);
    this.rows.clear();
    if (anchor && anchor.row < this.heights.count) this.top = this.heights.offset(anchor.row) + this.inset + anchor.inside;
    this.place();
  }

  /** The row at the top of the view and how many of its pixels are above. */
  anchor() {
    const y = this.top - this.inset;
    if (!this.heights.count || y < 0 || this.top <= 0) return null;
    const [row, at] = this.heights.find(y);
    return { row, inside: y - at };
  }
  get isAtEnd() { return this.top + this.viewport >= this.total - 40; }

  scrolled() {
    // The event of `place`, which has drawn already: to ask where the list is would lay it out again.
    if (this.isPlaced) { this.isPlaced = false; return; }
    const now = this.element.scrollTop, moved = now - this.bar;
    if (!moved) return;
    this.bar = now;
    const isScaled = this.total > limit;
    const isJump = Math.abs(moved) > this.viewport * 2 || now <= 0 || now >= this.physical - this.viewport - 1;
    if (!isScaled) this.top = now;
    else this.top = isJump ? now * this.scale : clamp(this.top + moved, 0, this.total - this.viewport);
    if (isScaled) {
      clearTimeout(this.rest);
      this.rest = setTimeout(() => this.place(), restAfter);
    }
    this.paint();
    this.onscroll?.();
  }

  /** Puts the scroll bar to where the list is, and draws. */
  place() {
    this.top = clamp(this.top, 0, Math.max(0, this.total - this.viewport));
    const wanted = this.top / this.scale;
    if (Math.abs(wanted - this.bar) >= 1) {
      const before = this.bar;
      this.element.scrollTop = wanted;
      this.bar = this.element.scrollTop;
      this.isPlaced = this.bar !== before;
    }
    this.paint();
  }

  /** Brings a row into view: at the `'nearest'` edge, in the `'center'`, or at the `'start'`. */
  reveal(row, where = 'nearest') {
    if (row < 0 || row >= this.heights.count) return;
    const y = this.heights.offset(row) + this.inset, height = this.heights.height(row), cover = this.cover ?? 0;
    if (where === 'center') this.top = y - (this.viewport - height) / 2;
    else if (where === 'start' || y < this.top + cover) this.top = y - cover;
    else if (y + height > this.top + this.viewport) this.top = y + height - this.viewport + 8;
    else return;
    this.place();
    this.onscroll?.();
  }

  /** The numbers of the first row in view and of the row after the last. */
  get range() {
    if (!this.heights.count) return [0, 0];
    const y = this.top - this.inset;
    return [this.heights.find(y)[0], this.heights.find(y + this.viewport)[0] + 1];
  }

  paint() {
    const { heights } = this;
    let [first, last] = this.range;
    first = Math.max(0, first - spare);
    last = Math.min(heights.count, last + spare);
    for (const [index, row] of this.rows) {
      if (index >= first && index < last) continue;
      this.rows.delete(index);
      this.discard(row);
    }
    const shift = this.bar - this.top;
    let y = first < last ? heights.offset(first) : 0, before = null;
    for (let index = first; index < last; index++) {
      const height = heights.height(index), at = y + shift;
      const row = this.rows.get(index) ?? this.make(index, height);
      if (row.at !== at) { row.at = at; row.style.transform = `translateY(${at}px)`; }
      // In the order of the list, for readers and for Tab.
      if (!row.parentNode) { if (before) before.after(row); else this.space.prepend(row); this.roaming?.added(row); }
      before = row;
      y += height;
    }
  }

  make(index, height) {
    const row = this.unused.pop() ?? document.createElement('div');
    row.index = index;
    row.at = null;
    row.id = `${this.element.id}-${index}`;
    row.style.height = `${height}px`;
    this.dress(row);
    this.rows.set(index, row);
    return row;
  }
  dress(row) {
    row.className = 'row';
    row.setAttribute('role', this.pick ? 'option' : 'listitem');
    if (this.pick) row.setAttribute('aria-selected', String(row.index === this.selected));
    row.setAttribute('aria-setsize', this.heights.count);
    row.setAttribute('aria-posinset', row.index + 1);
    row.keptParts = null;
    this.roaming?.leaves(row);
    this.draw(row.index, row);
    this.roaming?.drawn(row);
    this.roaming?.added(row);
  }
  discard(row) { this.roaming?.leaves(row); row.remove(); if (this.unused.length < 80) this.unused.push(row); }

  /** Draws the rows in view again where they are. */
  redraw() { for (const row of this.rows.values()) this.dress(row); }

  select(index) {
    this.selected = index;
    for (const row of this.rows.values()) row.setAttribute('aria-selected', String(row.index === index));
    const row = this.rows.get(index);
    if (row) this.element.setAttribute('aria-activedescendant', row.id);
    else this.element.removeAttribute('aria-activedescendant');
  }
}

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

"""#),
  "/js/live.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "d4a078b1adcfad9c",
    text: #"""
// Follows the log by server-sent events, read with fetch because `EventSource` cannot send the key.
import { pathOf, send } from './source.js';

/** Splits a stream of text into events, each `{ event, data }`. Comments are dropped. */
export class EventReader {
  constructor() { this.rest = ''; }
  take(text) {
    const blocks = (this.rest + text).replaceAll('\r\n', '\n').split('\n\n');
    this.rest = blocks.pop();
    return blocks.map((block) => {
      const found = { event: 'message', data: '' };
      for (const line of block.split('\n')) {
        if (line.startsWith('event:')) found.event = line.slice(6).trim();
        else if (line.startsWith('data:')) found.data += line.slice(5).trim();
      }
      return found;
    }).filter((found) => found.data || found.event === 'bye');
  }
}

/** Calls `take({ event, data })` for each event until `stop()`; connects again by number when the stream ends. */
export class Live {
  constructor(log, { head, generation }, take, state) { Object.assign(this, { log, after: head, generation, take, state, abort: new AbortController(), backoff: 500 }); this.run(); }
  stop() { this.isStopped = true; this.abort.abort(); }

  async run() {
    while (!this.isStopped) {
      try {
        const response = await send(pathOf('live', { log: this.log, after: this.after, generation: this.generation }), { signal: this.abort.signal });
        if (!response.ok) { if (response.status < 500) return this.state('refused'); throw new Error(String(response.status)); }
        this.state('connected');
        await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader());
      } catch { /* The server is gone or restarts: try again below. */ }
      if (this.isStopped) return;
      this.state('lost');
      await new Promise((resolve) => { setTimeout(resolve, this.backoff); });
      this.backoff = Math.min(8000, this.backoff * 2);
    }
  }

  async read(reader) {
    const events = new EventReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const { event, data } of events.take(value)) {
        const content = data ? JSON.parse(data) : {};
        if (event === 'head') this.after = content.head;
        this.backoff = 500;
        this.take({ event, data: content });
      }
    }
  }
}

"""#),
  "/js/main.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "e025dad52f98a91e",
    text: #"""
// Starts the page: takes the key, reads the log, and answers what the user does.
import { fill } from './dom.js';
import { App } from './app.js';
import { buildBar, buildDock, buildTransport } from './bar.js';
import { commands } from './commands.js';
import { Compare } from './compare.js';
import { bind } from './keys.js';
import { Follower } from './follower.js';
import { splitter } from './split.js';
import { takeKey } from './source.js';
import { texts } from './texts.js';
import { setZone } from './times.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

const byId = (id) => document.getElementById(id);
const app = new App();

function label() {
  const labels = { timeline: texts.timeline, story: texts.story, middle: texts.details, screen: texts.screen.pane, dock: texts.dockLabel };
  for (const [id, text] of Object.entries(labels)) byId(id).setAttribute('aria-label', text);
  byId('skip').textContent = texts.skip;
  byId('skip').addEventListener('click', (event) => { event.preventDefault(); byId('entries')?.focus(); });
}

function theme() {
  const root = document.documentElement, chosen = prefs.read('theme', '');
  if (chosen) root.dataset.theme = chosen; else delete root.dataset.theme;
}

/** Shows a pane where only one fits. */
function pane(name) {
  byId('panes').dataset.pane = name;
  if (name === 'roster' || name === 'findings') store.set({ tab: name });
  if (name === 'screen') store.set({ tab: 'screen' });
  app.markDock(name);
  app.details.place();
  app.timeline.resize();
  app.refresh();
}

function observe(now, before) {
  const changed = (...names) => names.some((name) => now[name] !== before[name]);
  if (changed('log')) { location.reload(); return; }
  if (changed('compare')) app.compare.show(now.compare !== '');
  if (changed('q', 'show')) {
    if (document.activeElement !== app.bar.find) app.bar.find.value = now.q;
    clearTimeout(app.filtering);
    app.filtering = setTimeout(() => useStory(now), changed('show') ? 0 : 80);
  }
  if (changed('at')) {
    const { timeline, story } = app, row = story.entries.row(story.index)?.entry;
    if (row?.last === Number(now.at)) timeline.note(row.last, row.lastT ?? row.t);
    if (!changed('q', 'show')) story.select(Number(now.at));
    timeline.follow(Number(now.at));
    if (Number(now.at) < app.log.head) app.follower.pause();
  } else if (changed('pin')) app.story.list.redraw();
  if (changed('axis')) app.timeline.load().catch(app.report);
  else if (changed('from', 'to')) app.timeline.draw();
  else app.timeline.overlay();
  if (changed('tab')) { if (now.tab !== 'diff') app.diffCount = 100; app.details.place(); if (byId('panes').dataset.pane === 'story' && now.tab !== 'screen') app.onopen?.('details'); }
  app.transport();
  if (changed('at', 'pin', 'tab', 'who')) app.refresh();
}

async function useStory({ show, q }) {
  try {
    await app.story.use(show, q);
    byId('filter-fault').hidden = true;
  } catch (error) {
    if (error.code !== 'bad-filter') return app.report(error);
    byId('filter-fault').textContent = texts.filterFault(error.message);
    byId('filter-fault').hidden = false;
  }
  return undefined;
}

async function start() {
  label();
  theme();
  setZone(prefs.read('zone', 'UTC'));
  if (!takeKey()) { fill(byId('fault'), texts.fault.noKey); byId('fault').hidden = false; return; }
  await app.start();
  const actions = commands(app);
  app.bar = buildBar(byId('bar'), app, actions);
  app.transport = buildTransport(app.timeline.bar, app, actions);
  app.markDock = buildDock(byId('dock'), app, pane);
  app.follower = new Follower(app);
  byId('story').append(splitter(byId('panes'), 'story-width', texts.split.story, { least: 320, most: 900, usual: 500 }));
  byId('screen').append(splitter(byId('panes'), 'screen-width', texts.split.screen, { direction: -1, least: 280, most: 480, usual: 360 }));
  byId('details').before(splitter(byId('middle'), 'record-height', texts.split.middle, { axis: 'y', least: 96, most: 900, usual: 340 }));
  app.ondraw = () => app.transport();
  app.onopen = () => { const { pane: shown } = byId('panes').dataset; if (shown !== 'roster' && shown !== 'findings') { byId('panes').dataset.pane = 'roster'; app.markDock('roster'); } };
  bind(actions.table);
  app.compare = new Compare(byId('compare'), app, actions.table);
  store.observe(observe);
  byId('panes').dataset.pane = 'story';
  app.markDock('story');
  app.details.place();
  app.refresh();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.timeline.recolor());
  matchMedia('(max-width: 760px)').addEventListener('change', () => app.refresh());
  await Promise.all([app.timeline.load(), useStory(store.get())]);
  app.transport();
  if (store.get().compare && app.log.logs.length > 1) await app.compare.show(true);
  const said = prefs.take('said');
  if (said) app.say(said);
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => { app.fault(error); document.documentElement.dataset.ready = 'failed'; });

"""#),
  "/js/people.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "dd7cd540d894652d",
    text: #"""
// How contacts, and sentences about them, are shown.
import { h } from './dom.js';
import { texts } from './texts.js';

// Characters that act instead of being seen: what `String.visible` of the library escapes.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;
const isPlain = /^[\x20-\x7e]*$/u;

/** The text with its hidden characters as numbers, such as ⟨202E⟩. Line breaks and tabs stay if `keepsLines`. */
export function visible(text, keepsLines = false) {
  if (isPlain.test(text)) return text;
  return text.replace(hidden, (character) => keepsLines && (character === '\n' || character === '\t') ? character
    : `⟨${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

export const bareOf = (address) => address.split('/', 1)[0];

let known = new Map();
let account = '';
let showsNames = true;
/** Takes the names by address that the server sends with the log and with rows. */
export function learn(names) { for (const [address, name] of Object.entries(names ?? {})) if (name) known.set(address, name); }
/** The same for addresses that have no name yet: of two logs, the first says what people are called. */
export function learnMissing(names) { for (const [address, name] of Object.entries(names ?? {})) if (name && !known.has(address)) known.set(address, name); }
export function forget(ownAccount) { known = new Map(); account = ownAccount; }
export const nameOf = (address) => known.get(bareOf(address)) ?? null;
export const setNaming = (on) => { showsNames = on; };
export const isNaming = () => showsNames;

/** An address with its domain in gray. */
export function address(text) {
  const at = text.indexOf('@');
  if (at < 0) return h('bdi', { class: 'address' }, visible(text));
  return h('bdi', { class: 'address' }, visible(text.slice(0, at)), h('span', { class: 'domain' }, visible(text.slice(at))));
}

/** A contact inside a row of a list, where the list answers the click. */
export function person(jid) {
  const bare = bareOf(jid), name = showsNames && nameOf(bare);
  const shown = name ? h('bdi', {}, visible(name)) : showsNames ? shortened(bare) : address(bare);
  return h('span', { class: 'who', title: visible(jid), 'data-who': bare }, shown);
}

/** A contact as a control of its own; with `full` its address follows the name. */
export function contact(jid, open, { full = false } = {}) {
  const bare = bareOf(jid), name = showsNames && nameOf(bare);
  return [
    h('button', { class: 'who', type: 'button', title: visible(jid), onclick: (event) => { event.stopPropagation(); open(bare); } },
      name ? h('bdi', {}, visible(name)) : full || !showsNames ? address(bare) : shortened(bare)),
    name && full ? [' ', h('span', { class: 'beside' }, address(jid))] : null,
  ];
}

// An unknown address is cut in rows; the record shows it in full, where the domain matters.
function shortened(bare) {
  const at = bare.indexOf('@');
  return at < 0 ? h('bdi', {}, visible(bare)) : [h('bdi', {}, visible(bare.slice(0, at))), h('span', { class: 'domain' }, '@…')];
}

// In rows, what tells our own addresses apart is the resource.
function own(jid) {
  const bare = bareOf(jid);
  return jid === bare ? address(jid) : h('bdi', { class: 'address', title: visible(jid) }, shortened(bare), visible(jid.slice(bare.length)));
}

// An address begins where a word does: otherwise, each letter of a long word would be tried.
const mention = /(?<address>(?<![^\s@“”"'<>,;:()[\]/])[^\s@“”"'<>,;:()[\]/]+@[^\s@“”"'<>,;:()[\]/]+(?:\/[^\s“”,;:()]+)?)|(?<record>#\d+\b|\brecord \d+\b)/gu;

/** A sentence taken apart into texts, addresses and record numbers. */
export function parts(sentence) {
  const found = [];
  let end = 0;
  const text = (from, to) => { if (to > from) found.push({ kind: 'text', text: sentence.slice(from, to) }); };
  for (const match of sentence.matchAll(mention)) {
    text(end, match.index);
    const raw = match[0].replace(/[.!?]+$/u, '');
    if (match.groups.record) found.push({ kind: 'record', number: Number(/\d+/u.exec(match[0])[0]) });
    else found.push({ kind: 'address', text: raw });
    end = match.index + (match.groups.record ? match[0].length : raw.length);
  }
  text(end, sentence.length);
  return found;
}

/** A sentence with its contacts and record numbers as controls, or as plain spans if `inRow`. */
export function sentence(text, { inRow = false, full = false, open, go } = {}) {
  return parts(text ?? '').map((part) => {
    if (part.kind === 'text') return visible(part.text);
    if (part.kind === 'record') {
      return inRow ? h('span', { class: 'reference', 'data-at': String(part.number) }, `#${part.number}`) : recordLink(part.number, go);
    }
    if (bareOf(part.text) === account) return inRow && showsNames ? own(part.text) : address(part.text);
    return inRow ? person(part.text) : contact(part.text, open, { full });
  });
}

export function recordLink(number, go, label = `#${number}`) {
  return h('button', { class: 'reference', type: 'button', title: texts.goToRecord(number), onclick: (event) => { event.stopPropagation(); go(number); } }, label);
}

/** The letter on an avatar. */
export function initial(name) {
  const first = /[\p{L}\p{N}]\p{M}*/u.exec(name ?? '');
  return first ? first[0].toLocaleUpperCase('en').slice(0, 3) : '#';
}

"""#),
  "/js/prefs.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "8fc44cde78a4639f",
    text: #"""
// What the user chose once for all logs: kept in the browser, not in the address.

const prefix = 'rollcall.';
const memory = new Map();

/** Reads a choice. A browser that stores nothing keeps it as long as the page. */
export function read(name, fallback) {
  try { return localStorage.getItem(prefix + name) ?? memory.get(name) ?? fallback; }
  catch { return memory.get(name) ?? fallback; }
}

/** Reads something once: it is gone then. */
export function take(name) {
  const found = read(name, null);
  memory.delete(name);
  try { localStorage.removeItem(prefix + name); } catch { /* It was never stored. */ }
  return found;
}

export function write(name, value) {
  memory.set(name, String(value));
  try { localStorage.setItem(prefix + name, value); } catch { /* The choice lasts as long as the page. */ }
}

"""#),
  "/js/provenance.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "412ca5667fc68088",
    text: #"""
// Values that say which record set them: shown at the pointer or the focus, gone to on a click.
import { h, fill } from './dom.js';
import { ask } from './source.js';
import { clauseParts } from './rows.js';
import { visible } from './people.js';
import { texts } from './texts.js';
import { clock } from './times.js';

const width = 320;

export class Provenance {
  constructor(app) {
    this.app = app;
    this.tip = h('div', { class: 'origin-tip', role: 'tooltip', id: 'origin-tip', hidden: true });
    document.body.append(this.tip);
    addEventListener('scroll', () => this.hide(), { capture: true, passive: true });
  }

  /** `content` as a value that leads to `record`. `what` names it in a sentence; `text` is its name for readers. */
  value(content, record, what, text = what) {
    if (!record) return h('span', {}, content);
    const show = (event) => this.show(event.currentTarget, record, what);
    return h('button', {
      class: 'value', type: 'button', 'aria-label': texts.setByLabel(text, record),
      onpointerenter: show, onfocus: (event) => { if (event.currentTarget.matches(':focus-visible')) show(event); },
      onpointerleave: () => this.hide(), onblur: () => this.hide(),
      onkeydown: (event) => { if (event.key === 'Escape') this.hide(); },
      onclick: (event) => { event.stopPropagation(); this.hide(); this.app.go(record); },
    }, content);
  }

  async show(anchor, record, what) {
    this.wanted = anchor;
    let answer;
    try { answer = await ask(`records/${record}`, { log: this.app.log.number }, { keep: true }); } catch { return; }
    if (this.wanted !== anchor || !anchor.isConnected) return;
    fill(this.tip, h('span', { class: 'label' }, texts.setBy(what)),
      h('span', {}, h('span', { class: 'number' }, `#${record} `), h('span', { class: 'faint' }, [clock(answer.t, this.app.log.hasMilliseconds), answer.device && texts.device(visible(answer.device))].filter(Boolean).join(' '))),
      h('span', {}, clauseParts(answer.clause)));
    this.tip.hidden = false;
    const box = anchor.getBoundingClientRect(), height = this.tip.offsetHeight, { clientWidth, clientHeight } = document.documentElement;
    const isBelow = box.bottom + height + 12 < clientHeight;
    this.tip.style.left = `${Math.max(8, Math.min(clientWidth - Math.min(width, clientWidth - 16) - 8, box.left))}px`;
    this.tip.style.top = `${isBelow ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`;
    anchor.setAttribute('aria-describedby', this.tip.id);
  }
  hide() {
    this.wanted?.removeAttribute('aria-describedby');
    this.wanted = null;
    this.tip.hidden = true;
  }
}

"""#),
  "/js/record.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "407fbb731673bb2c",
    text: #"""
// The record at the moment: what it means, what it changed, what is wrong with it, and its XML.
import { h, fill } from './dom.js';
import { contact, sentence, visible } from './people.js';
import { capital, clauseParts, effectParts, sign } from './rows.js';
import { findingCard } from './findings.js';
import { pretty, raw } from './xml.js';
import { ask } from './source.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { nothing } from './empty.js';

const fewLines = 12;

export class RecordPanel {
  constructor(element, app) {
    Object.assign(this, { element, app, isRaw: false, shown: null });
    element.setAttribute('aria-label', texts.record);
    element.tabIndex = 0;
    element.addEventListener('scroll', () => { this.isScrolled = true; }, { passive: true });
  }

  show(record) {
    const isSame = this.record?.n === record?.n && record !== null;
    this.record = record;
    if (!record) return fill(this.element, nothing([texts.start, texts.startText]));
    const { app } = this, links = { open: app.open, go: app.go, full: true };
    fill(this.element,
      h('h2', {}, this.headline(record, links)),
      this.meta(record),
      this.effects(record, links),
      record.findings.map((finding) => findingCard(app, finding, record.guides?.[finding.code], { isTold: true })),
      record.origins?.length ? h('p', { class: 'origins' }, record.origins.map((origin) => h('span', {}, sentence(origin.text, links)))) : null,
      this.source(record));
    if (!isSame && this.isScrolled) { this.element.scrollTop = 0; this.isScrolled = false; }
    return undefined;
  }

  headline({ clause }, links) {
    const name = (jid) => contact(jid, this.app.open, { full: true });
    return clause.who && clauseParts ? clauseParts(clause, links, name) : sentence(capital(clause.full), links);
  }

  meta(record) {
    const fine = this.app.log.hasMilliseconds || (record.t !== null && record.t % 1000 !== 0);
    return h('p', { class: 'meta' }, h('span', { class: 'number' }, `#${record.n}`),
      record.t === null ? null : h('span', {}, clock(record.t, fine)),
      record.sourceT ? h('span', {}, texts.sourceTime(clock(record.sourceT, true))) : null,
      h('span', {}, texts.recordMeta[record.way]), h('span', {}, texts.kindOn(record.kind, visible(record.device ?? ''))));
  }

  effects(record, links) {
    if (!record.lines.length) {
      return record.findings.length ? null : h('p', { class: 'faint' }, record.means ? texts.changedNothing : texts.meansNothing);
    }
    const list = h('ul', { class: 'changes', 'aria-label': texts.effects });
    const name = (jid) => contact(jid, this.app.open);
    const draw = (all) => fill(list,
      record.lines.slice(0, all ? Infinity : fewLines).map((line) => h('li', {}, sign(line.mark), h('span', {}, effectParts(line, record.clause.who, links, name)))),
      record.lines.length > fewLines ? h('li', {}, h('button', { class: 'link', type: 'button', onclick: () => draw(!all) }, all ? texts.fewerChanges : texts.allChanges(record.lines.length))) : null);
    draw(false);
    return list;
  }

  /** What was recorded, pretty or as it came. */
  source(record) {
    const text = record.xml ?? (record.line ? JSON.stringify(record.line) : null);
    if (text === null) return null;
    const box = h('div', { class: 'source' });
    const draw = () => fill(box,
      this.isRaw || record.xml === null ? raw(text, record.xml === null ? texts.line : texts.stanza) : pretty(text),
      h('div', { class: 'buttons' },
        record.xml === null ? null : h('button', { type: 'button', onclick: () => { this.isRaw = !this.isRaw; draw(); box.querySelector('button').focus(); } }, this.isRaw ? texts.pretty : texts.raw),
        h('button', { type: 'button', onclick: () => this.copy() }, texts.copy)),
      record.cut ? h('button', { class: 'link more', type: 'button', onclick: () => this.complete() }, texts.moreBytes(record.bytes - record.from - new TextEncoder().encode(record.xml).length)) : null);
    draw();
    return box;
  }

  async complete() {
    const { record, app } = this;
    try {
      let { xml } = record, end = new TextEncoder().encode(xml).length;
      while (end < record.bytes) {
        const next = await ask(`records/${record.n}`, { log: app.log.number, bytes: `${end}-${Math.min(record.bytes, end + 65_536)}` });
        const size = new TextEncoder().encode(next.xml ?? '').length;
        if (!size) break;
        xml += next.xml;
        end += size;
      }
      if (this.record === record) this.show({ ...record, xml, cut: false });
    } catch (error) { app.report(error); }
  }

  async copy() {
    const text = this.record?.xml ?? JSON.stringify(this.record?.line ?? '');
    try { await navigator.clipboard.writeText(text); this.app.say(texts.copied); } catch { this.app.say(texts.copyFailed); }
  }
}

"""#),
  "/js/roaming.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "e235e71508237142",
    text: #"""
// The focus inside a list whose rows have controls: Tab reaches the list in one step, the arrow keys its controls.

export class Roaming {
  constructor(list) {
    Object.assign(this, { list, at: null, returns: false });
    list.element.addEventListener('keydown', (event) => this.pressed(event));
    list.element.addEventListener('focusin', ({ target }) => {
      const row = target.closest('.row');
      if (!row || !list.space.contains(row)) return;
      this.at = { row: row.index, column: controlsOf(row).indexOf(target) };
      this.returns = false;
    });
    list.element.addEventListener('focusout', ({ relatedTarget }) => { if (!list.element.contains(relatedTarget)) this.returns = false; });
  }

  pressed(event) {
    const { list } = this, { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (target !== list.element && !list.space.contains(target)) return;
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (side && target !== list.element) {
      const controls = controlsOf(target.closest('.row'));
      controls[controls.indexOf(target) + side]?.focus();
    } else {
      const isFirst = target === list.element && !this.returns, from = isFirst ? list.range[0] - 1 : this.at?.row ?? -1;
      const row = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: list.heights.count - 1 }[key];
      if (row === undefined) return;
      this.move(Math.max(0, Math.min(list.heights.count - 1, row)), key === 'ArrowUp' || key === 'End' ? -1 : 1);
    }
    event.preventDefault();
  }

  /** Focuses a row; one without a control, such as a heading, is passed. */
  move(row, direction) {
    const { list } = this;
    for (let index = row; index >= 0 && index < list.heights.count; index += direction) {
      list.reveal(index);
      const element = list.rows.get(index);
      this.at = { row: index, column: this.at?.column ?? 0 };
      // What is not loaded yet is focused when it is.
      if (element?.classList.contains('unknown')) { list.element.focus({ preventScroll: true }); this.returns = true; return; }
      if (element && this.focus(element)) return;
    }
  }
  focus(row) {
    const controls = controlsOf(row);
    controls[Math.min(controls.length - 1, Math.max(0, this.at.column))]?.focus({ preventScroll: true });
    return controls.length > 0;
  }

  /** A row is about to lose its controls. Returns whether one of them had the focus, which the list has until it is back. */
  leaves(row) {
    if (!row.contains(document.activeElement)) return false;
    this.list.element.focus({ preventScroll: true });
    this.returns = true;
    return true;
  }
  drawn(row) { for (const control of controlsOf(row)) control.tabIndex = -1; }
  added(row) { if (this.returns && this.at?.row === row.index) this.focus(row); }
}

const controlsOf = (row) => [...row.querySelectorAll('button')];

"""#),
  "/js/roster.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "09204bcbf7a272d7",
    text: #"""
// The roster at the moment, as windows of a list that may have any length.
import { h, fill, keyed } from './dom.js';
import { subscriptionMark } from './icons.js';
import { HeadedHeights } from './heights.js';
import { VirtualList } from './list.js';
import { address, contact, recordLink, visible } from './people.js';
import { ask, Latest } from './source.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';

export const windowSize = 60;
const t = texts.roster, rowHeight = 31, fewTouched = 8;

export class RosterPanel {
  constructor(app) {
    Object.assign(this, { app, order: 'name', query: '', rows: new Map(), from: 0 });
    this.facts = h('p', { class: 'facts' });
    this.requests = h('div', { class: 'requests' });
    this.search = h('input', { type: 'search', placeholder: t.search, 'aria-label': t.search, spellcheck: 'false', oninput: () => this.choose() });
    this.orders = h('select', { 'aria-label': t.order, onchange: () => this.choose() }, Object.entries(t.orders).map(([value, label]) => h('option', { value }, label)));
    this.listElement = h('div', { id: 'roster-rows' });
    this.none = h('div', { hidden: true });
    this.element = h('div', { class: 'pane-roster' }, this.facts, h('div', { class: 'choices' }, this.search, this.orders), this.none, this.listElement);
    this.heights = new HeadedHeights(rowHeight);
    this.list = new VirtualList(this.listElement, {
      heights: this.heights, label: t.contacts(0), header: this.requests, draw: (index, row) => this.draw(index, row),
    });
    this.list.onscroll = () => this.ensure();
    this.asking = new Latest(app.report);
  }

  /** What the moment's request must say for this pane. */
  get parameters() {
    const from = Math.max(0, (this.list.range[0] ?? 0) - 10);
    return { roster: `${from}-${from + windowSize}`, order: this.order === 'name' ? null : this.order, q: this.query || null };
  }
  choose() {
    this.query = this.search.value.trim();
    this.order = this.orders.value;
    this.list.top = 0;
    this.app.refresh();
  }

  show(answer) {
    this.answer = answer;
    this.rows.clear();
    this.take(answer);
    this.heights.reset(answer.total);
    keyed(this.facts, this.factParts(answer));
    this.drawRequests(answer);
    const isKnown = answer.completeness === 'complete' || answer.items > 0;
    this.none.hidden = answer.total > 0;
    fill(this.none, nothing(this.query ? [t.noMatch, ''] : isKnown ? [t.none, ''] : [t.unknown, answer.completenessText ?? '']));
    this.list.name(t.contacts(answer.total));
    this.listElement.hidden = answer.total === 0 && !this.requests.firstChild;
    this.list.refresh();
    this.ensure();
  }
  take(answer) { answer.rows.forEach((row, index) => this.rows.set(answer.from + index, row)); }

  // Rows that came into view and are not known.
  ensure() {
    const [first, last] = this.list.range, { answer } = this;
    if (!answer) return;
    let missing = -1;
    for (let i = first; i < Math.min(last, answer.total); i++) if (!this.rows.has(i)) { missing = i; break; }
    if (missing < 0) return;
    const from = Math.max(0, missing - 10);
    this.asking.want(
      () => ask('roster', { log: this.app.log.number, at: answer.at, from, count: windowSize, order: this.order, q: this.query }, { keep: true }),
      (more) => { if (this.answer !== answer) return; this.take(more); this.list.redraw(); this.ensure(); });
  }

  factParts({ items, completeness, version, connected, set, ownResources, account }) {
    const { value } = this.app.origins, isComplete = completeness === 'complete' || items > 0, origin = (...given) => value.call(this.app.origins, ...given);
    const devices = Object.keys(ownResources ?? {});
    return [
      { key: 'count', stamp: [isComplete, items, set.complete], draw: () => h('span', {}, origin(h('b', {}, isComplete ? t.contacts(items) : t.unknown), set.complete, t.wholeRoster, isComplete ? t.contacts(items) : t.unknown)) },
      ...version === null || version === undefined ? [] : [{ key: 'version', stamp: [version, set.version], draw: () => h('span', {}, t.version, ' ', origin(h('b', {}, visible(version) || t.noVersion), set.version, t.theVersion, `${t.version} ${version}`)) }],
      { key: 'connected', stamp: [connected, set.connected], draw: () => h('span', {}, origin(h('b', {}, connected ? t.connected : t.disconnected), set.connected, t.theConnection, connected ? t.connected : t.disconnected)) },
      ...devices.length ? [{ key: 'devices', stamp: [devices.join(), account], draw: () => h('span', {}, t.devices, ' ', h('b', {}, devices.map((device) => visible(device)).join(', '))) }] : [],
    ];
  }

  drawRequests({ requests, blocked = [], rows, at }) {
    const touched = rows.filter((row) => row.touched), { app } = this, parts = [];
    const heading = (key, text) => parts.push({ key, stamp: [text], draw: () => h('h3', { class: 'heading' }, text) });
    const section = (key, title, list, text) => {
      if (!list?.length) return;
      heading(key, title);
      for (const request of list) {
        parts.push({ key: `${key} ${request.jid}`, stamp: [JSON.stringify(request), app.naming], draw: () => h('p', { class: 'request' }, contact(request.jid, app.open, { full: true }),
          h('span', { class: 'text' }, text(request)), request.seenRecord || request.since ? recordOf(request) : null) });
      }
    };
    const recordOf = ({ record, since }) => { const number = record ?? since; return Number.isInteger(number) ? recordLink(number, app.go) : null; };
    section('asking', t.asking, requests?.incoming, ({ text }) => (text ? `“${visible(text)}”` : ''));
    section('asked', t.asked, requests?.outgoing, () => t.noAnswer);
    section('unconfirmed', t.unconfirmed, requests?.unconfirmed, () => '');
    if (blocked.length) {
      heading('blocked', t.blocked);
      parts.push({ key: 'blocked list', stamp: [blocked.join()], draw: () => h('p', { class: 'request' }, blocked.slice(0, 20).map((jid) => h('span', {}, address(jid)))) });
    }
    if (touched.length && touched.length < fewTouched && this.answer.total > 12) {
      heading('changed', t.changed(at));
      for (const row of touched) parts.push({ key: `changed ${row.jid}`, stamp: [JSON.stringify(row), app.naming], draw: () => h('div', { class: 'contact touched' }, this.cells(row)) });
    }
    if (parts.length && this.answer.total) heading('all', t.all);
    keyed(this.requests, parts);
  }

  draw(index, element) {
    const row = this.rows.get(index);
    element.classList.add('contact');
    if (!row) { element.classList.add('unknown'); fill(element, h('i', {})); return; }
    if (row.touched) element.classList.add('touched');
    fill(element, this.cells(row));
  }

  cells(row) {
    const { item, presence } = row, records = item?.records ?? {}, origins = this.app.origins, shown = presence?.show ?? (presence ? 'available' : 'offline');
    const state = texts.presence[shown] ?? shown;
    return [
      h('span', { class: `dot ${shown}`, role: 'img', 'aria-label': state, title: presence?.status ? `${state}: ${visible(presence.status)}` : state }),
      h('span', { class: 'name' }, origins.value(h('bdi', {}, visible(row.name)), row.nameFrom?.record ?? records.name, texts.value.name, visible(row.name))),
      h('span', { class: 'of' }, h('button', { class: 'who', type: 'button', title: visible(row.jid), onclick: () => this.app.open(row.jid) }, address(row.jid))),
      h('span', { class: 'sees' }, item ? origins.value(subscriptionMark(item.subscription, !!item.ask), records.ask && item.ask ? Math.max(records.ask, records.subscription ?? 0) : records.subscription, texts.value.subscription, texts.subscriptionLabel(item.subscription, !!item.ask)) : null),
      h('span', { class: 'groups' }, item?.groups?.length ? origins.value(h('bdi', {}, visible(item.groups.join(', '))), records.groups, texts.value.groups, visible(item.groups.join(', '))) : null),
    ];
  }
}

"""#),
  "/js/rows.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "990290ede1bcd4e2",
    text: #"""
// One row of the story.
import { h, fill } from './dom.js';
import { icon, severityMark } from './icons.js';
import { person, sentence, visible } from './people.js';
import { texts } from './texts.js';
import { clock, dayName } from './times.js';

const signs = { '+': ['came', '+'], '-': ['went', '−'], '~': ['changed', '~'] };
export const sign = (mark) => h('span', { class: `sign ${signs[mark]?.[0] ?? 'changed'}` }, signs[mark]?.[1] ?? mark);

/** The clause of a record, beginning with the contact that it is about. */
export function clauseParts(clause, render = { inRow: true }, name = person) {
  if (!clause.who) return sentence(capital(clause.full ?? clause.text), render);
  return [name(clause.who), /^(?:we|the user) /u.test(clause.text) ? ': ' : ' ', sentence(clause.text, render)];
}
export const capital = (text) => (/^\p{Ll}/u.test(text) && !/^\S+@/u.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** An effect. Its contact is left out where the row says it already. */
export function effectParts(line, subject, render = { inRow: true }, name = person) {
  if (!line.who) return sentence(line.text, render);
  const bare = line.who.split('/', 1)[0];
  if (bare === subject && !line.lead?.trim()) return sentence((line.what ?? '').replace(/^[\s:]+/u, ''), render);
  if (bare === subject) {
    const lead = line.lead.replace(/\s+(?:of|for|to|from)\s*$/u, '').trim(), what = line.what ?? '';
    // A quotation needs no colon before it.
    return sentence(`${lead}${/^\s*:\s*\p{L}/u.test(what) ? ':' : ''} ${what.replace(/^[\s:]+/u, '')}`.trim(), render);
  }
  return [visible(line.lead ?? ''), name(line.who), sentence(line.what ?? '', render)];
}

function foldParts({ contacts, came, went, changed, own }) {
  const counts = [['+', came], ['-', went], ['~', changed]].filter(([, count]) => count > 0);
  return [
    contacts ? texts.fold.contacts(contacts) : own ? texts.fold.own(own) : texts.fold.version,
    contacts ? counts.map(([mark, count]) => h('span', { class: 'part' }, sign(mark), String(count))) : null,
  ];
}

export function drawEntry(row, { entry, isInside, isOpen }, { device, hasNewDay, fine }) {
  const { fold } = entry;
  const way = fold
    ? h('span', { class: 'way chevron' }, icon('chevron'))
    : h('span', { class: `way ${entry.way}` }, icon({ in: 'received', out: 'sent', none: 'local' }[entry.way]), h('span', { class: 'sr' }, `${texts.way[entry.way]}: `));
  fill(row, h('div', { class: `entry${fold ? ' fold' : ''}${isOpen ? ' open' : ''}${isInside ? ' inside' : ''}${entry.lasting ? '' : ' plain'}${fine ? ' fine' : ''}${hasNewDay ? ' new-day' : ''}` },
    h('span', { class: 'number' }, `#${entry.n}`),
    h('span', { class: 'clock', title: entry.t === null ? null : dayName(entry.t) }, clock(entry.t, fine)),
    way,
    h('span', { class: 'what' }, fold ? foldParts(fold) : clauseParts(entry.clause)),
    h('span', { class: 'device' }, fold ? texts.foldRecords(entry.records) : visible(device ?? '')),
    fold ? h('span', { class: 'sr' }, isOpen ? texts.foldOpen : texts.foldClosed) : null,
    entry.lines.length ? h('span', { class: 'effects' }, entry.lines.slice(0, 4).map((line) =>
      h('span', { class: 'effect' }, sign(line.mark), effectParts(line, entry.clause.who)))) : null,
    entry.findings.map((finding) => h('span', { class: `told ${finding.severity}` }, severityMark(finding.severity), h('span', {}, finding.title)))));
}

"""#),
  "/js/screen.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "802cd1d22c8e02d5",
    text: #"""
// The contacts screen as an application would draw it: letters, search, and rows that glide to their new place.
import { h, fill } from './dom.js';
import { icon } from './icons.js';
import { HeadedHeights } from './heights.js';
import { VirtualList } from './list.js';
import { initial } from './people.js';
import { roving } from './keys.js';
import { ask, Latest } from './source.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';
import * as prefs from './prefs.js';

const t = texts.screen, rowHeight = 48, headingHeight = 22, windowSize = 40, glideTime = 200, farthest = 320;

export class Screen {
  constructor(app) {
    Object.assign(this, { app, rows: new Map(), places: new Map() });
    this.input = h('input', { type: 'search', placeholder: t.search, 'aria-label': t.searchLabel, spellcheck: 'false', oninput: () => { this.list.top = 0; app.refresh(); } });
    this.policy = h('select', { 'aria-label': t.policyLabel, onchange: () => { prefs.write('friends', this.policy.value); app.refresh(); } });
    this.listElement = h('div', { id: 'screen-rows' });
    this.none = h('div', { hidden: true });
    this.letters = h('div', { class: 'letters', role: 'toolbar', 'aria-orientation': 'vertical', 'aria-label': t.letters });
    roving(this.letters, 'button', { vertical: true, press: false });
    this.element = h('div', { class: 'screen' }, h('section', { class: 'phone', 'aria-label': t.label },
      h('header', {}, h('h2', {}, t.title), h('div', { class: 'search', role: 'search', 'aria-label': t.searchLabel }, icon('find'), this.input)), this.none, this.listElement, this.letters),
    h('p', { class: 'policy' }, h('label', {}, t.policy, ' ', this.policy)));
    this.setPolicies(Object.keys(t.friends));
    this.heights = new HeadedHeights(rowHeight, headingHeight);
    this.list = new VirtualList(this.listElement, { heights: this.heights, label: t.title, draw: (index, row) => this.draw(index, row) });
    this.list.onscroll = () => { this.ensure(); this.markLetter(); };
    this.asking = new Latest(app.report);
  }

  setPolicies(names) {
    const chosen = prefs.read('friends', 'mutual');
    fill(this.policy, names.map((name) => h('option', { value: name, selected: name === chosen }, t.friends[name] ?? name)));
  }
  get choice() { return { friends: this.policy.value, search: this.input.value.trim() || null }; }
  get parameters() {
    const from = Math.max(0, (this.list.range[0] ?? 0) - 10);
    return { screen: `${from}-${from + windowSize}`, ...this.choice };
  }

  show(answer) {
    const before = this.answer ? this.geometry() : null;
    this.answer = answer;
    this.rows.clear();
    this.take(answer);
    // The index names the heading rows that have letters; requests and stars are headings before them.
    const known = answer.rows.map((row, offset) => (row.head === undefined ? -1 : answer.from + offset)).filter((row) => row >= 0);
    this.heights.reset(answer.total, [...new Set([...answer.index.map(([, row]) => row), ...known])].sort((a, b) => a - b));
    this.none.hidden = answer.total > 0;
    fill(this.none, nothing([this.choice.search ? t.notFound : answer.isKnown === false ? t.unknown : t.empty, '']));
    this.list.refresh();
    this.drawLetters();
    this.ensure();
    if (before) this.glide(before);
  }
  take(answer) { answer.rows.forEach((row, offset) => this.rows.set(answer.from + offset, row)); }

  ensure() {
    const { answer } = this;
    if (!answer) return;
    const [first, last] = this.list.range;
    for (let i = first; i < Math.min(last, answer.total); i++) {
      if (this.rows.has(i)) continue;
      const from = Math.max(0, i - 10);
      this.asking.want(() => ask('screen', { log: this.app.log.number, at: answer.at, from, count: windowSize, ...this.choice }, { keep: true }), (more) => {
        if (this.answer !== answer) return;
        this.take(more);
        const known = more.rows.map((row, offset) => (row.head === undefined ? -1 : more.from + offset)).filter((row) => row >= 0);
        this.heights.headings = [...new Set([...this.heights.headings, ...known])].sort((a, b) => a - b);
        this.list.refresh();
        this.ensure();
      });
      return;
    }
  }

  draw(index, element) {
    const row = this.rows.get(index);
    if (!row) { element.classList.add('unknown'); fill(element, h('i', {})); return; }
    element.dataset.key = row.key ?? '';
    if (row.head !== undefined) {
      element.classList.add('letter');
      fill(element, h('h3', {}, { requests: t.requests, starred: t.starred, ungrouped: t.ungrouped, search: t.found }[row.kind] ?? row.head));
      return;
    }
    const jid = row.request ?? row.jid, shown = row.show ?? null;
    const second = row.request ? (row.text ? `“${row.text}”` : t.asks) : row.status || texts.presence[shown ?? 'offline'] || shown;
    if (this.app.touched.has(jid)) element.classList.add('touched');
    fill(element, h('button', { class: `card${row.request ? ' request' : ''}`, type: 'button', onclick: () => this.app.open(jid) },
      h('span', { class: 'avatar', 'aria-hidden': 'true' }, initial(row.name ?? jid), row.request ? null : h('span', { class: `dot ${shown ?? 'offline'}` })),
      // The screen shows names as an application would, with every character that acts.
      h('span', { class: 'text' }, h('b', {}, h('bdi', {}, row.name ?? jid)), h('small', {}, h('bdi', {}, second)))));
  }

  drawLetters() {
    // Rows before the first letter, such as requests, have none.
    const index = this.answer.index.filter(([letter]) => letter !== ''), stamp = JSON.stringify(index.map(([letter]) => letter));
    this.letters.hidden = index.length === 0;
    if (this.letters.stamp !== stamp) {
      this.letters.stamp = stamp;
      fill(this.letters, index.map(([letter], position) => h('button', { type: 'button', tabIndex: position === 0 ? 0 : -1, 'aria-label': t.goTo(letter), onclick: () => this.goTo(letter) }, letter)));
    }
    this.markLetter();
  }
  goTo(letter) {
    const row = this.answer.index.find(([name]) => name === letter)?.[1];
    if (row !== undefined) this.list.reveal(row, 'start');
  }
  markLetter() {
    if (!this.answer) return;
    const first = this.list.range[0], current = (this.answer.index.findLast(([, row]) => row <= first)?.[0]) || this.letters.firstChild?.textContent;
    for (const button of this.letters.children) { if (button.textContent === current) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current'); }
  }

  // Where the rows are that can be seen, by key.
  geometry() {
    const found = new Map();
    for (const row of this.list.rows.values()) if (row.dataset.key) found.set(row.dataset.key, row.at - this.list.bar);
    return found;
  }
  glide(before) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || !this.list.viewport) return;
    for (const row of this.list.rows.values()) {
      const old = before.get(row.dataset.key), now = row.at - this.list.bar;
      if (!row.dataset.key || old === now) continue;
      const frames = old === undefined ? [{ opacity: 0 }, { opacity: 1 }]
        : [{ translate: `0 ${Math.max(-farthest, Math.min(farthest, old - now))}px` }, { translate: '0 0' }];
      row.animate(frames, { duration: glideTime, easing: 'ease-out' });
    }
  }
}

"""#),
  "/js/source.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "9f60c780b8b5f95e",
    text: #"""
// Asks the server, keeps answers that cannot change, and lets nothing pile up.
import * as prefs from './prefs.js';

const capacity = 16 * 1024 * 1024, indexingPause = 500;

/** An answer that is an error: the server's sentence and its code. */
export class Refusal extends Error {
  constructor(sentence, code, status) { super(sentence); Object.assign(this, { code, status }); }
}

/** Answers by path, the least recently used of which go first. Sizes are in characters of JSON. */
export class Cache {
  constructor(limit = capacity) { Object.assign(this, { limit, size: 0, entries: new Map() }); }
  get(path) {
    const entry = this.entries.get(path);
    if (!entry) return undefined;
    this.entries.delete(path);
    this.entries.set(path, entry);
    return entry.answer;
  }
  set(path, answer, size) {
    this.delete(path);
    this.entries.set(path, { answer, size });
    this.size += size;
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.limit) break;
      this.delete(oldest);
    }
  }
  delete(path) {
    const entry = this.entries.get(path);
    if (!entry) return;
    this.size -= entry.size;
    this.entries.delete(path);
  }
  clear() { this.entries.clear(); this.size = 0; }
}

const cache = new Cache();
let key = '';
let version = '';

/** Takes the key out of the first address, so that neither the history nor a shared address has it. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1));
  const fresh = given.get('key');
  if (fresh) {
    prefs.write('key', fresh);
    given.delete('key');
    const rest = given.toString().replaceAll('%40', '@').replaceAll('%3A', ':');
    history.replaceState(null, '', rest ? `#${rest}` : location.pathname);
  }
  key = fresh ?? prefs.read('key', '');
  return key !== '';
}

/** Drops the answers if the log or the program behind them is another one. Returns whether it was. */
export function identify(log) {
  const now = `${log.id} ${log.version}`;
  const isOther = version !== '' && version !== now;
  if (isOther) cache.clear();
  version = now;
  return isOther;
}

const query = (parameters) => {
  const pairs = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
};
export const pathOf = (path, parameters) => `/api/${path}${query(parameters)}`;

export function send(path, { method = 'GET', body, signal } = {}) {
  return fetch(path, {
    method, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
    headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
}

async function answerOf(response) {
  const text = await response.text();
  let answer;
  try { answer = JSON.parse(text); } catch { answer = { error: `${response.status} ${response.statusText}`, code: 'no-json' }; }
  if (!response.ok) throw new Refusal(answer.error, answer.code, response.status);
  return { answer, size: text.length };
}

/** The answer to a GET. With `keep` it is taken from memory if it was asked before. */
export async function ask(path, parameters, { keep = false, signal } = {}) {
  const full = pathOf(path, parameters);
  const old = keep ? cache.get(full) : undefined;
  if (old) return old;
  const { answer, size } = await answerOf(await send(full, { signal }));
  if (keep) cache.set(full, answer, size);
  return answer;
}

export async function post(path, body) { return (await answerOf(await send(`/api/${path}`, { method: 'POST', body }))).answer; }

/**
 * What `work` answers about a whole log, asked again while the log is being indexed. `wait(sentence)` says so each time,
 * and returns whether the answer is still wanted.
 */
export async function whenIndexed(work, wait) {
  for (;;) {
    try { return await work(); } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'indexing' || !wait(error.message)) throw error;
      await new Promise((resolve) => { setTimeout(resolve, indexingPause); });
    }
  }
}

/** One request in flight; while it is, only the latest one wanted is remembered. */
export class Latest {
  constructor(report) { Object.assign(this, { report, wanted: null, isBusy: false }); }
  /** Calls `done(answer)` unless something newer was wanted meanwhile. `work` is an async function. */
  want(work, done) {
    this.wanted = { work, done };
    if (!this.isBusy) this.next();
  }
  async next() {
    this.isBusy = true;
    while (this.wanted) {
      const { work, done } = this.wanted;
      this.wanted = null;
      try {
        const answer = await work();
        if (!this.wanted) done(answer);
      } catch (error) {
        if (!this.wanted && error.name !== 'AbortError') this.report(error);
      }
    }
    this.isBusy = false;
  }
}

/** Fetches a file with the key and lets the browser save it. Returns its name. */
export async function download(path, parameters) {
  const response = await send(pathOf(path, parameters));
  if (!response.ok) await answerOf(response);
  const name = /filename="([^"]+)"/u.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'rollcall';
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}

"""#),
  "/js/split.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "1c84a7d0da8720cc",
    text: #"""
// The borders between panes, which the mouse and the arrow keys move.
import { h } from './dom.js';
import * as prefs from './prefs.js';

/**
 * A border that sets the custom property `property` of `host`, in pixels.
 * `direction` is 1 if moving right or down makes the value larger, -1 otherwise.
 */
export function splitter(host, property, label, { axis = 'x', direction = 1, least, most, usual }) {
  const isX = axis === 'x';
  const bar = h('div', { class: `splitter ${axis}`, role: 'separator', tabIndex: 0, 'aria-label': label, 'aria-orientation': isX ? 'vertical' : 'horizontal', 'aria-valuemin': String(least), 'aria-valuemax': String(most) });
  let value = Number(prefs.read(property, usual));
  const apply = (next, keeps = true) => {
    value = Math.max(least, Math.min(most, Math.round(next)));
    host.style.setProperty(`--${property}`, `${value}px`);
    bar.setAttribute('aria-valuenow', String(value));
    if (keeps) prefs.write(property, value);
  };
  if (prefs.read(property, null) !== null) apply(value, false); else bar.setAttribute('aria-valuenow', String(usual));
  bar.addEventListener('keydown', (event) => {
    const step = { [isX ? 'ArrowRight' : 'ArrowDown']: 16, [isX ? 'ArrowLeft' : 'ArrowUp']: -16 }[event.key];
    if (!step) return;
    event.preventDefault();
    apply(value + step * direction);
  });
  bar.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const start = isX ? event.clientX : event.clientY, from = value;
    const move = (moved) => apply(from + ((isX ? moved.clientX : moved.clientY) - start) * direction);
    bar.addEventListener('pointermove', move);
    for (const name of ['pointerup', 'pointercancel']) bar.addEventListener(name, () => bar.removeEventListener('pointermove', move), { once: true });
  });
  bar.addEventListener('dblclick', () => apply(usual));
  return bar;
}

"""#),
  "/js/store.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "8b530cf4cf820d4b",
    text: #"""
// The one value that everything on the page follows from. It is the fragment of the address.

export const defaults = Object.freeze({
  log: '0', at: '', pin: '', q: '', who: '', tab: '', show: 'story', from: '', to: '', axis: 'time', compare: '',
});
const names = Object.keys(defaults);

/** Reads a fragment. Unknown names are ignored, and numbers that are none are dropped. */
export function parse(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/u, ''));
  const value = { ...defaults };
  for (const name of names) {
    const text = given.get(name);
    if (text === null) continue;
    const isNumber = name === 'at' || name === 'pin' || name === 'from' || name === 'to';
    if (!isNumber || /^[1-9]\d{0,15}$/u.test(text)) value[name] = text;
  }
  return value;
}

/** Writes a value as a fragment, leaving out what has its default and keeping addresses readable. */
export function format(value) {
  const parameters = new URLSearchParams();
  for (const name of names) if (value[name] !== defaults[name]) parameters.set(name, value[name]);
  const text = parameters.toString().replaceAll('%40', '@').replaceAll('%3A', ':');
  return text && `#${text}`;
}

let current = parse(globalThis.location?.hash ?? '');
const observers = new Set();
export const get = () => current;
/** Calls `observer(now, before)` after every change. */
export const observe = (observer) => { observers.add(observer); };

/**
 * Changes some fields. A step replaces the entry of the browser's history; with `jump` Back returns here.
 * Browsers limit how often the address may change, so steps are written at most every 120 ms.
 */
export function set(change, { jump = false } = {}) {
  const next = { ...current };
  for (const [name, value] of Object.entries(change)) next[name] = value === null || value === undefined ? '' : String(value);
  if (names.every((name) => next[name] === current[name])) return;
  if (jump) write();
  const before = current;
  current = next;
  if (jump) history.pushState(null, '', address());
  else waiting ||= setTimeout(write, 120);
  for (const observer of observers) observer(current, before);
}

/** Sets fields without telling anybody: for what the address does not say when the page opens. */
export function assume(change) { current = { ...current, ...change }; }

/** Sets all fields anew in the address, for the next load of the page. */
export function replace(value) {
  clearTimeout(waiting);
  current = { ...defaults, ...value };
  history.replaceState(null, '', address());
}

let waiting = 0;
const address = () => format(current) || location.pathname;
function write() {
  if (!waiting) return;
  clearTimeout(waiting);
  waiting = 0;
  history.replaceState(null, '', address());
}

globalThis.addEventListener?.('popstate', () => {
  clearTimeout(waiting);
  waiting = 0;
  const before = current;
  current = { ...parse(location.hash) };
  if (!current.at) current.at = before.at;
  for (const observer of observers) observer(current, before);
});

"""#),
  "/js/story.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "84c2dd322b2ba611",
    text: #"""
// The story pane: a list of what happened, of any length.
import { h, fill } from './dom.js';
import { VirtualList } from './list.js';
import { Entries } from './entries.js';
import { drawEntry } from './rows.js';
import { texts } from './texts.js';
import { dayName, dayNumber } from './times.js';
import { post } from './source.js';
import * as store from './store.js';

export class Story {
  constructor(pane, { log, open, report }) {
    Object.assign(this, { log, openContact: open, report, filterId: 0, index: -1 });
    this.count = h('span', { class: 'count' });
    this.tabs = Object.keys(texts.views).map((show) => h('button', { type: 'button', 'data-show': show, onclick: () => store.set({ show }) }, texts.views[show]));
    this.day = h('p', { class: 'day', hidden: true });
    this.element = h('div', { id: 'entries' });
    this.empty = h('div', { class: 'empty', hidden: true });
    fill(pane, h('header', { class: 'pane-head' }, h('h2', {}, texts.story), this.count,
      h('span', { class: 'segmented', role: 'group', 'aria-label': texts.viewsLabel }, this.tabs)), this.day, this.empty, this.element);
    this.entries = new Entries({ changed: () => this.refresh(), failed: report });
    this.list = new VirtualList(this.element, {
      heights: this.entries.heights, label: texts.story,
      draw: (index, row) => this.draw(index, row), pick: (index, target) => this.pick(index, target),
    });
    this.list.cover = 26;
    this.list.onscroll = () => this.scrolled();
  }

  /** Shows what `show` and `filter` say, with the moment in view. */
  async use(show, filter) {
    const id = ++this.filterId;
    for (const tab of this.tabs) tab.setAttribute('aria-pressed', String(tab.dataset.show === show));
    const { number } = this.log;
    const view = filter.trim() ? await this.search(id, { show, filter: filter.trim(), log: number }) : show;
    if (id !== this.filterId) return;
    await this.entries.open(view, number);
    if (id !== this.filterId) return;
    fill(this.empty, h('b', {}, (filter ? texts.noMatch : texts.noEntries)[0]), (filter ? texts.noMatch : texts.noEntries)[1]);
    this.empty.hidden = this.entries.count > 0;
    this.list.top = 0;
    this.refresh(null);
    await this.select(Number(store.get().at), 'center');
  }

  /** The name of a filtered list. To look for a text in a long log takes a while; a newer filter, or none, ends the search. */
  async search(id, wanted) {
    for (;;) {
      const { view, searched, upTo } = await post('views', wanted);
      if (id !== this.filterId || searched >= upTo) return view;
      this.count.textContent = texts.searching(searched, upTo);
    }
  }

  refresh(anchor) {
    this.count.textContent = texts.storyCount(this.entries.count, this.log.head);
    this.list.refresh(anchor);
    this.ensure();
    this.scrolled();
  }
  ensure() { this.entries.ensure(...this.list.range); }

  scrolled() {
    this.ensure();
    const first = this.entries.row(this.list.range[0]);
    const time = first?.entry.t;
    this.day.hidden = time === null || time === undefined;
    if (time) { const text = dayName(time); if (this.day.textContent !== text) this.day.textContent = text; }
  }

  draw(index, row) {
    const found = this.entries.row(index);
    if (!found) { row.classList.add('unknown'); row.setAttribute('aria-label', texts.noRow); fill(row, h('i', {})); return; }
    row.removeAttribute('aria-label');
    const before = this.entries.row(index - 1)?.entry, { at, pin } = store.get(), { entry } = found;
    const hasNewDay = entry.t !== null && before?.t != null && dayNumber(before.t) !== dayNumber(entry.t);
    if (entry.n > Number(at)) row.classList.add('future');
    if (index === this.index) row.classList.add('now');
    if (pin && entry.n <= Number(pin) && entry.last >= Number(pin) && !found.isOpen) row.classList.add('pinned-row');
    drawEntry(row, found, { device: before?.device !== entry.device || entry.fold ? entry.device : '', hasNewDay, fine: this.log.hasMilliseconds });
  }

  pick(index, target) {
    const { who } = target.closest('[data-who]')?.dataset ?? {}, { at } = target.closest('[data-at]')?.dataset ?? {};
    const found = this.entries.row(index);
    if (who) return this.openContact(who);
    if (at) return store.set({ at }, { jump: true });
    if (!found) return undefined;
    if (found.entry.fold && (target.closest('.chevron') || found.isOpen || index === this.index)) return this.toggle(index);
    return store.set({ at: found.entry.last });
  }

  async toggle(index = this.index) {
    const found = this.entries.row(index);
    if (!found) return;
    const fold = found.entry.fold ? found : found.isInside ? this.headOf(index) : null;
    if (!fold) return;
    try { await this.entries.toggle(fold.entry); await this.select(Number(store.get().at)); } catch (error) { this.report(error); }
  }
  headOf(index) { for (let i = index; i >= 0; i--) { const row = this.entries.row(i); if (row?.isOpen) return row; } return null; }

  /** Marks the row of a record and brings it into view. */
  async select(record, where = 'nearest') {
    const id = (this.selecting = (this.selecting ?? 0) + 1);
    // At once if it is known: to scroll after the page has changed would lay it out once more.
    const index = this.entries.knownRowOf(record) ?? await this.entries.rowOf(record);
    if (id !== this.selecting) return;
    this.index = index;
    this.list.reveal(index, where);
    this.ensure();
    this.list.redraw();
    this.list.select(index);
  }

  /** Goes to the next row, or the one before. */
  async step(by) {
    let index = this.index + by;
    if (this.entries.row(index)?.isOpen) index += by;
    if (index < 0 || index >= this.entries.heights.count) return;
    if (!this.entries.row(index)) await this.entries.load(this.entries.heights.blockOf(index));
    const found = this.entries.row(index);
    if (found) store.set({ at: found.entry.last });
  }
  async edge(index) {
    if (!this.entries.heights.count) return;
    await this.entries.load(this.entries.heights.blockOf(index));
    const found = this.entries.row(index);
    if (found) store.set({ at: found.entry.last }, { jump: true });
  }
  first() { return this.edge(0); }
  last() { return this.edge(this.entries.heights.count - 1); }

  /** Takes what was appended to the log; a user who is at the end stays there. */
  async extend(from) {
    const isAtEnd = this.list.isAtEnd;
    await this.entries.extend(from);
    this.refresh();
    if (isAtEnd) this.list.reveal(this.entries.heights.count - 1);
  }
}

"""#),
  "/js/texts.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "14ae1abcd27b66f6",
    text: #"""
// Every text that the page shows, except what the server says about the log.
import { number, plural } from './times.js';

const subscriptions = {
  both: 'both see each other', to: 'we see the contact', from: 'the contact sees us', none: 'neither sees the other', remove: 'removed',
};

export const texts = {
  brand: 'Rollcall',
  title: (account) => `${account} – Rollcall`,
  skip: 'Skip to the story',
  filterLabel: 'Filter the story',
  filterHint: 'Filter: carol kind:iq on:phone is:finding -kind:presence',
  filterHelp: [
    ['carol', 'a name, an address, or any text'], ['"see you"', 'words in this order'], ['-text', 'not with this'],
    ['kind:iq', 'or presence, message, stream'], ['way:out', 'sent; way:in is received'], ['on:phone', 'on this device'],
    ['who:carol', 'about this contact'], ['is:finding', 'or error, warning, info, lasting, change'],
  ],
  filterFault: (sentence) => `The filter was not used: ${sentence}`,
  tool: {
    live: 'Live', liveTitle: 'Follow the log as it grows (L)', liveLost: 'Live: reconnecting', bookmark: 'Bookmark this moment (b)', download: 'Export (e)',
    theme: 'Light or dark (t)', keys: 'Keys (?)', zone: 'Time zone', compare: 'Both logs side by side (o)', log: 'Log',
  },
  timeline: 'Timeline', timelineSlider: 'Moment', previous: 'Previous entry (k)', next: 'Next entry (j)',
  ofRecords: (head) => `of ${number(head)}`, pinHere: 'Pin this moment (p)', pinned: 'pin', unpin: 'Remove the pin',
  wholeLog: 'Whole log', axis: 'Axis', axisTime: 'Time', axisRecord: 'Records', zone: (name) => name.replaceAll('_', ' '),
  legendLasting: 'changed the roster', legendAll: 'all records', laneRecords: 'records',
  sliderValue: (record, clock) => (clock ? `record ${record}, ${clock}` : `record ${record}`),
  indexing: (upTo, head) => `Indexed ${number(upTo)} of ${number(head)} records`,
  story: 'Story', views: { story: 'Story', records: 'All records', findings: 'Findings' }, viewsLabel: 'What is listed',
  records: (count) => plural(count, 'record'), storyCount: (entries, records) => `${number(entries)} of ${number(records)}`,
  searching: (searched, records) => `Searched ${number(searched)} of ${number(records)}; Esc stops`,
  foldRecords: (count) => plural(count, 'record'), foldOpen: ', unfolded', foldClosed: ', folded',
  fold: {
    contacts: (count) => `Presence of ${plural(count, 'contact')}`, own: (count) => `${plural(count, 'change')} of our other devices`, version: 'Roster versions',
  },
  noMatch: ['No entry matches.', 'Change the filter, or clear it with Escape.'], noEntries: ['No entries.', 'The log has no records of this kind.'],
  noRow: 'Not loaded yet', loading: 'Loading',
  way: { in: 'received', out: 'sent', none: 'on the stream' },
  record: 'Record', recordMeta: { in: 'from the server', out: 'to the server', none: 'of the connection' },
  kindOn: (kind, device) => (device ? `${kind} on ${device}` : kind), sourceTime: (clock) => `${clock} in the capture`,
  changedNothing: 'Nothing in the roster changed.', meansNothing: 'This record says nothing about the roster.', start: 'Before the first record', startText: 'Nothing is known of the roster yet.',
  effects: 'What it changed', allChanges: (count) => `All ${number(count)} changes`, fewerChanges: 'Fewer',
  stanza: 'Stanza', line: 'Entry of the log', pretty: 'Pretty', raw: 'As recorded', copy: 'Copy', copied: 'Copied', copyFailed: 'The browser does not allow copying',
  moreBytes: (rest) => `Load the remaining ${number(rest)} bytes`,
  tabs: { roster: 'Roster', diff: 'Since the pin', contact: 'Contact', findings: 'Findings', whatif: 'What if', screen: 'Screen' }, tabsLabel: 'Details',
  dock: { story: 'Story', record: 'Record', roster: 'Roster', screen: 'Screen', findings: 'Findings' }, dockLabel: 'Panes',
  details: 'Record and details',
  goToRecord: (record) => `Go to record ${record}`,
  severity: { error: 'error', warning: 'warning', info: 'information' },
  guide: 'Usual causes, and what to do', guideRule: 'Rule', guideCauses: 'Usual cause', guideRemedy: 'What to do',
  findingAt: (record, clock) => (clock ? `#${record} at ${clock}` : `#${record}`), findingCause: (record) => `Its cause #${record}`,
  action: { contact: 'Why this contact is as it is', history: 'History of the contact', diff: 'What it changed', record: (record) => `Go to #${record}` },
  noFindings: ['No findings.', 'No record of this log breaks a rule that Rollcall checks.'], findingsCut: (total) => `The first of ${plural(total, 'finding')}. Filter the story by is:finding for all.`,
  roster: {
    label: 'Roster', contacts: (count) => plural(count, 'contact'), unknown: 'Roster not known yet', version: 'version', noVersion: 'none', connected: 'connected', disconnected: 'not connected',
    devices: 'devices', asking: 'Asking us', asked: 'Asked by us', unconfirmed: 'Sent, not confirmed', noAnswer: 'no answer yet', changed: (record) => `Changed by #${record}`, all: 'Contacts', blocked: 'Blocked',
    search: 'Find in the roster', order: 'Order', orders: { name: 'by name', address: 'by address', changed: 'last changed first' }, none: 'No contacts', noMatch: 'No contact matches', loading: 'Loading',
    wholeRoster: 'The roster', theVersion: 'The version', theConnection: 'The connection', more: (count) => `and ${number(count)} more`,
  },
  subscriptionLabel: (subscription, isAsked) => `${subscription}: ${subscriptions[subscription] ?? subscription}${isAsked ? ', asked' : ''}`,
  asked: ', asked', presence: { available: 'available', chat: 'free to chat', away: 'away', xa: 'away for long', dnd: 'do not disturb', offline: 'offline' },
  value: { name: 'The name', subscription: 'The subscription', groups: 'The groups', presence: 'The presence', request: 'The request', item: 'The contact', card: 'The card', avatar: 'The avatar' },
  setBy: (what) => `${what} was set by`, setByLabel: (what, record) => `${what}, set by record ${record}`, device: (device) => `on ${device}`,
  diff: {
    range: 'from', rangeTo: 'to', different: (count) => `${plural(count, 'contact')} differ${count === 1 ? 's' : ''}`, presence: (count) => `presence of ${number(count)} more`, account: 'The account',
    noPin: ['No pin yet.', 'Pin a moment with p. What has changed since then appears here.'], same: ['Nothing differs.', 'The roster is the same at the pin and at this moment.'],
    onlyPresence: 'Only presence differs', showPresence: 'Show presence', hidePresence: 'Hide presence', more: 'More contacts',
  },
  contact: {
    none: ['No contact chosen.', 'Click a name to see why the contact is as it is, and its history.'], unknown: ['The log does not mention this contact.', ''],
    inRoster: 'In the roster', yes: (subscription, isAsked) => `yes, ${subscription}${isAsked ? ', asked' : ''}`, no: 'no', name: 'Name', groups: 'Groups', noGroups: 'none', noName: 'none', asksUs: 'Asks us', weAsk: 'We ask', waiting: 'no answer yet',
    asks: 'yes', presence: 'Presence', blocked: 'Blocked', note: 'Note', reading: 'Reading', history: 'History', why: 'Why', changesWhen: 'Changes when:', answers: { yes: 'Yes', no: 'No', unknown: 'Unknown' },
    nameSource: { roster: '', nickname: 'from a nickname', vCardNickname: 'from the vCard', vCardFullName: 'from the vCard', address: 'from the address' }, older: 'Older records', cards: { 'vcard-temp': 'Card', vcard4: 'vCard 4' }, photo: (type, size) => `a picture of ${plural(size, 'byte')}${type ? ` (${type})` : ''}`, emptyCard: 'empty',
    avatar: 'Avatar', noAvatar: 'says that it has none', inLog: 'the picture is in the log', notInLog: 'the picture is not in the log', historyOf: (name) => `History of ${name}`,
  },
  screen: {
    title: 'Contacts', pane: 'Contacts screen', label: 'Contacts as an application shows them', search: 'Search: zs, 张, bob', searchLabel: 'Search the contacts screen', letters: 'Letters', goTo: (letter) => `Go to ${letter}`,
    requests: 'New requests', starred: 'Starred', ungrouped: 'Others', found: 'Found', asks: 'wants to see when you are online', policy: 'As an application shows it:', policyLabel: 'Who is listed',
    friends: { mutual: 'mutual friends', subscribed: 'one-sided too', all: 'all contacts' }, empty: 'No friends yet', unknown: 'The roster is not known yet', notFound: 'No contact found',
  },
  whatif: {
    choose: 'Change one thing', policy: (name) => ({ lenient: 'A client that takes every push', optimistic: 'A client that shows its edits at once', 'fetch-only': 'A client that ignores pushes' })[name] ?? name, drop: (record) => `Without #${record}`, swap: (a, b) => `Swap #${a} and #${b}`, none: ['Nothing is changed yet.', 'Leave a record out, swap two, or let a client with other habits read the log.'],
    happened: 'Happened', otherwise: 'Otherwise', same: 'This changes nothing.', partsAt: (record) => `It diverges at #${record}.`, atEnd: 'Different at the end', sameAtEnd: 'At the end, everything is the same.', running: 'Replaying the log', cancel: 'Cancel', nothingHere: 'no record',
    more: (count) => `and ${plural(count, 'more difference')}`, added: 'New finding', removed: 'Finding that disappears',
  },
  compare: {
    title: 'Two logs', back: 'Back to one log', same: 'Both logs agree to the end.', agreed: (first, second) => `They agree for the last time after #${number(first)} and #${number(second)}. Then:`, never: 'They never agree. The first differences:',
    nothingMore: 'no further changes to contacts', upTo: (record) => `they agree up to #${number(record)}`, upToEnd: (record) => `they agree up to #${number(record)}; then nothing more about contacts`,
    differences: 'Differences', atEnd: 'At the end', none: 'Nothing differs at the end.', notThere: 'not there', lanes: 'Both logs over time', failed: 'The logs cannot be compared.',
    fields: { item: 'contact' },
  },
  goTo: { label: 'Go to', hint: 'A record, a time or a bookmark: 5772, 10:07, head-5m', placeholder: '5772', bookmarks: 'Bookmarks' },
  bookmark: { label: 'Name of the bookmark', hint: 'The bookmark is stored in the log.', placeholder: 'before-the-edit', saved: (name) => `Bookmarked as ${name}` },
  exports: {
    title: 'Export', kinds: {
      native: ['Capture', 'everything, in Rollcall’s own format'], redacted: ['Redacted capture', 'without names and messages'], report: ['Report', 'one page to read without this program'], json: ['JSON', 'the entries listed now'],
    }, saved: (name) => `Saved ${name}`, close: 'Close',
  },
  keys: {
    title: 'Keys', close: 'Close',
    groups: [
      ['Move', [['j k', 'next, previous entry'], ['J K', 'next, previous finding'], ['[ ]', 'previous, next session'], ['g', 'go to a record, time or bookmark'], ['Home End', 'first, last entry'], ['Enter', 'open or close a fold'], ['L', 'follow the log']]],
      ['View', [['+ - 0', 'zoom the timeline, whole log'], ['n', 'names or addresses'], ['t', 'light or dark'], ['x', 'copy the stanza'], ['b', 'bookmark'], ['e', 'export'], ['?', 'this list']]],
      ['Look', [['/', 'filter; Esc leaves it, Esc again clears it'], ['f r', 'findings, roster'], ['w h', 'why, history of the contact'], ['c', 'search the contacts screen'], ['↓ →', 'in the roster and the contacts screen: rows and their values'], ['p d', 'pin, what changed since the pin'], ['i', 'what if'], ['o', 'both logs side by side; j k choose a difference']]],
    ],
  },
  split: { middle: 'Height of the record', story: 'Width of the story', screen: 'Width of the screen' },
  fault: {
    noKey: 'This page needs the address that rollcall inspect printed, with the key at its end.', wrongKey: 'The key in this browser belongs to another run. Open the address that rollcall inspect printed.',
    gone: 'The server does not answer. Is rollcall inspect still running?', replaced: 'The log was replaced. The page has loaded it again.', ended: 'rollcall inspect has ended.', retry: 'Try again', noLater: 'No later finding', noEarlier: 'No earlier finding', noContact: 'This record names no contact', noSession: 'No further session', noOther: 'Only one log is open: --other FILE opens a second one',
  },
};

"""#),
  "/js/timeline.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "4074dbde2a5bd2c9",
    text: #"""
// The timeline: when much happened, who was connected, what is wrong, and where the moment is.
import { h, fill } from './dom.js';
import { Series, moved, zoomed } from './axis.js';
import { drawBase, drawOverlay, palette } from './track.js';
import { ask, Latest } from './source.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { visible } from './people.js';
import * as store from './store.js';

const wholeColumns = 4096, snap = 5, restBeforeAsking = 40;

export class Timeline {
  constructor(element, { log, report }) {
    Object.assign(this, { log, findings: [], series: null, exact: null, times: new Map(), marks: [] });
    this.asking = new Latest(report);
    this.base = h('canvas', { 'aria-hidden': 'true' });
    this.over = h('canvas', { 'aria-hidden': 'true' });
    this.tip = h('div', { class: 'tip', hidden: true });
    this.track = h('div', { class: 'track', role: 'slider', tabIndex: 0, 'aria-label': texts.timelineSlider }, this.base, this.over, this.tip);
    this.bar = h('div', { class: 'transport' });
    fill(element, this.bar, this.track);
    new ResizeObserver(() => this.resize()).observe(this.track);
    this.track.addEventListener('pointerdown', (event) => this.press(event));
    this.track.addEventListener('pointermove', (event) => this.hover(event.offsetX));
    this.track.addEventListener('pointerleave', () => this.hover(null));
    this.track.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.track.addEventListener('dblclick', () => this.showWhole());
  }

  /** Asks for the whole log once; the first levels of zoom need nothing more. */
  async load() {
    const axis = this.log.hasTimes ? store.get().axis : 'record';
    this.series = new Series(await ask('timeline', { log: this.log.number, axis, columns: wholeColumns }), this.log.head);
    this.axis = this.series.axis;
    this.exact = null;
    this.draw();
  }

  get whole() { return [this.series.from, Math.max(this.series.from + 1, this.series.to)]; }
  get range() {
    const { from, to } = store.get();
    if (!from || !to || Number(to) <= Number(from)) return this.whole;
    return moved([Number(from), Number(to)], this.whole);
  }
  get isWhole() { const [from, to] = this.range, [low, high] = this.whole; return from <= low && to >= high; }
  x(value) { const [from, to] = this.range; return this.left + ((value - from) / (to - from)) * (this.right - this.left); }
  valueAt(x) { const [from, to] = this.range; return from + ((x - this.left) / (this.right - this.left)) * (to - from); }

  /** Remembers when a record was, so that its place is exact. */
  note(record, time) { if (time !== null && time !== undefined) this.times.set(record, time); }
  value(record) {
    if (this.axis === 'record') return record;
    const time = this.times.get(record);
    return time === undefined ? this.series.value(record) : Math.min(this.series.to, Math.max(this.series.from, time));
  }
  record(x) {
    const value = this.valueAt(Math.max(this.left, Math.min(this.right, x)));
    const inExact = this.exact && value >= this.exact.from && value <= this.exact.to;
    return (inExact ? this.exact : this.series).record(value);
  }
  markAt(x) {
    return this.marks.filter((mark) => Math.abs(mark.x - x) <= snap).sort((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0] ?? null;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.track;
    if (!width || !height) return;
    const ratio = globalThis.devicePixelRatio || 1;
    this.font ??= getComputedStyle(document.body).fontFamily;
    for (const canvas of [this.base, this.over]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      const pen = canvas.getContext('2d');
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.font = `11px ${this.font}`;
      pen.textBaseline = 'middle';
    }
    Object.assign(this, { width, height, isNarrow: width < 700, left: width < 700 ? 12 : 84, right: width - (width < 700 ? 12 : 20) });
    this.draw();
  }
  recolor() { this.colors = palette(this.track); this.draw(); }

  draw() {
    if (!this.series || !this.width) return;
    this.colors ??= palette(this.track);
    const [from, to] = this.range, count = Math.max(1, Math.floor((this.right - this.left) / (this.isNarrow ? 3 : 4)));
    if (this.exact && (this.exact.from !== from || this.exact.to !== to || this.exact.count !== count)) this.exact = null;
    if (!this.exact) this.refine(from, to, count);
    drawBase(this, (this.exact ?? this.series).columns(from, to, count));
    this.overlay();
  }
  // Asks for exact counts when the range has come to rest.
  refine(from, to, count) {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => {
      const parameters = { log: this.log.number, axis: this.axis, from, to, columns: count };
      this.asking.want(() => ask('timeline', parameters), (answer) => { this.exact = new Series(answer, this.log.head); this.draw(); });
    }, restBeforeAsking);
  }
  overlay() {
    if (!this.series || !this.width) return;
    drawOverlay(this);
    const at = Number(store.get().at), time = this.times.get(at);
    const values = { min: 0, max: this.log.head, now: at, text: texts.sliderValue(at, clock(time)) };
    for (const [name, value] of Object.entries(values)) this.track.setAttribute(`aria-value${name}`, String(value));
  }
  soon() { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.overlay(); }); }

  press(event) {
    if (event.button !== 0 || !this.series) return;
    event.preventDefault();
    this.track.focus({ preventScroll: true });
    this.track.setPointerCapture(event.pointerId);
    const left = this.track.getBoundingClientRect().left;
    let isFirst = true, wanted = 0, frame = 0;
    const go = () => {
      frame = 0;
      store.set({ at: this.markAt(wanted)?.finding.record ?? this.record(wanted) }, { jump: isFirst });
      isFirst = false;
    };
    const move = ({ clientX }) => { wanted = clientX - left; frame ||= requestAnimationFrame(go); };
    const end = () => { this.track.removeEventListener('pointermove', move); };
    this.track.addEventListener('pointermove', move);
    for (const name of ['pointerup', 'pointercancel']) this.track.addEventListener(name, end, { once: true });
    move(event);
  }

  hover(x) {
    this.pointer = x !== null && x >= this.left && x <= this.right ? x : null;
    this.tip.hidden = this.pointer === null || !this.series;
    if (!this.tip.hidden) {
      const mark = this.markAt(x), record = mark?.finding.record ?? this.record(x);
      const time = this.axis === 'time' ? (mark ? this.value(record) : this.valueAt(x)) : null;
      this.tip.textContent = [`#${record}`, mark ? visible(mark.finding.title) : clock(time)].filter(Boolean).join(' · ');
      const half = this.tip.offsetWidth / 2;
      this.tip.style.left = `${Math.max(4, Math.min(this.width - half * 2 - 4, x - half))}px`;
    }
    this.soon();
  }

  wheel(event) {
    if (!this.series || event.ctrlKey) return;
    event.preventDefault();
    const [from, to] = this.range, sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (sideways) this.show(moved([from, to], this.whole, ((event.deltaX || event.deltaY) / (this.right - this.left)) * (to - from)));
    else this.zoom(Math.exp(event.deltaY * 0.002), this.valueAt(event.offsetX));
  }
  zoom(factor, around = this.value(Number(store.get().at))) {
    if (!this.series) return;
    const [from, to] = this.range, inside = Math.max(from, Math.min(to, around));
    this.show(zoomed([from, to], this.whole, factor, inside, this.axis === 'time' ? 1000 : 16));
  }
  show([from, to]) {
    const [low, high] = this.whole;
    if (from <= low && to >= high) this.showWhole(); else store.set({ from, to });
  }
  showWhole() { store.set({ from: '', to: '' }); }

  /** Moves the range so that the moment is in it. */
  follow(record) {
    if (!this.series || this.isWhole) return;
    const [from, to] = this.range, value = this.value(record), margin = (to - from) * 0.1;
    if (value < from) this.show(moved([from, to], this.whole, value - from - margin));
    else if (value > to) this.show(moved([from, to], this.whole, value - to + margin));
  }
}

"""#),
  "/js/times.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "66d4beeed33e7139",
    text: #"""
// Times and numbers as they are shown. The user chooses the time zone.

let zone = 'UTC';
let offset = () => 0;

/** The zones that the page offers: UTC, the browser's own, and whichever was chosen. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
export const currentZone = () => zone;

/** Chooses a zone by its name; an unknown name is UTC. */
export function setZone(name) {
  zone = 'UTC';
  offset = () => 0;
  if (name === 'UTC') return;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    });
    const known = new Map();
    // Offsets change at whole quarters of an hour, so one per quarter is enough.
    offset = (time) => {
      const quarter = Math.floor(time / 900_000);
      if (!known.has(quarter)) {
        const at = Object.fromEntries(format.formatToParts(quarter * 900_000).map(({ type, value }) => [type, Number(value)]));
        known.set(quarter, Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - quarter * 900_000);
      }
      return known.get(quarter);
    };
    zone = name;
  } catch { /* The browser does not know the zone. */ }
}

/** The time as if the zone were UTC. */
export const shifted = (time) => time + offset(time);
export const unshifted = (local) => local - offset(local - offset(local));
const date = (time) => new Date(shifted(time));

const pad = (value, width = 2) => String(value).padStart(width, '0');
/** The time of day. Milliseconds are shown if `fine`, which is for logs whose clock has them. */
export function clock(time, fine = false) {
  if (time === null || time === undefined) return '';
  const at = date(time);
  const text = `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`;
  return fine ? `${text}.${pad(at.getUTCMilliseconds(), 3)}` : text;
}
export const dayNumber = (time) => Math.floor(shifted(time) / 86_400_000);
export const isoDay = (time) => date(time).toISOString().slice(0, 10);
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
export const dayName = (time) => longDay.format(date(time));

const grouped = new Intl.NumberFormat('en');
export const number = (value) => grouped.format(value);
export const plural = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;

"""#),
  "/js/track.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "08569a84cb05a00b",
    text: #"""
// Draws the timeline: what stays below, and above it the moment, the pin and the pointer.
import { isDayStep, isSecondStep, ticks } from './axis.js';
import { clock, isoDay, number } from './times.js';
import { texts } from './texts.js';
import * as store from './store.js';

const names = ['ink-2', 'ink-3', 'line', 'line-strong', 'on-accent', 'accent', 'pin', 'bar', 'bar-2', 'lane', 'error-mark', 'warning-mark', 'info-mark'];
/** The colors of the page as the canvas needs them, which does not know custom properties. */
export function palette(host) {
  const probe = document.createElement('i');
  host.append(probe);
  const colors = Object.fromEntries(names.map((name) => { probe.style.color = `var(--${name})`; return [name, getComputedStyle(probe).color]; }));
  probe.remove();
  return colors;
}

const rank = { info: 1, warning: 2, error: 3 };
const mostLanes = 5;

export function drawBase(view, columns) {
  const pen = view.base.getContext('2d'), { colors, left, right, width, height, isNarrow } = view;
  pen.clearRect(0, 0, width, height);
  const lanes = view.log.devices.slice(0, mostLanes), laneTop = isNarrow ? 32 : 44, laneStep = isNarrow ? 6 : 13;
  view.floor = height - (isNarrow ? 8 : 10);
  pen.fillStyle = colors.line;
  view.ticks = ticksOf(view);
  for (const { value } of view.ticks) pen.fillRect(Math.round(view.x(value)), 16, 1, view.floor - 16);
  lanes.forEach((device, index) => drawLane(view, pen, device, laneTop + index * laneStep));
  drawDensity(view, pen, columns, laneTop + lanes.length * laneStep + 2);
  pen.fillStyle = colors['line-strong'];
  pen.fillRect(left, view.floor, right - left, 1);
  drawMarks(view, pen, isNarrow ? 23 : 30);
  if (!view.isWhole) drawPosition(view, pen);
}

function ticksOf(view) {
  const [from, to] = view.range, most = Math.max(2, Math.floor((view.right - view.left) / (view.isNarrow ? 84 : 110)));
  return ticks(view.axis, from, to, most);
}

function drawLane(view, pen, device, y) {
  const { colors, left, right, isNarrow, log } = view, thickness = isNarrow ? 3 : 5;
  if (!isNarrow) {
    pen.fillStyle = colors['ink-2'];
    pen.textAlign = 'left';
    pen.fillText(shortened(device), 16, y + thickness / 2);
  }
  pen.fillStyle = colors.line;
  pen.fillRect(left, y + thickness / 2 - 0.5, right - left, 1);
  for (const session of log.sessions) {
    if (session.label !== device) continue;
    const start = Math.max(left, view.x(placeOf(view, session.from, session.fromT)));
    const end = Math.min(right, session.to === null ? right : view.x(placeOf(view, session.to, session.toT)));
    if (end < left || start > right) continue;
    pen.fillStyle = colors.lane;
    roundBox(pen, start, y, Math.max(2, end - start - 1), thickness, 2);
    if (session.end === 'lost' && end < right) {
      pen.fillStyle = colors['ink-3'];
      pen.fillRect(end - 1.5, y - 1.5, 1.5, thickness + 3);
    }
  }
}
const placeOf = (view, record, time) => (view.axis === 'time' && time !== null ? time : view.value(record));
export const shortened = (text) => ([...text].length > 11 ? `${[...text].slice(0, 10).join('')}…` : text);

function drawDensity({ colors, left, right, floor, isNarrow }, pen, { all, lasting }, top) {
  const most = Math.max(1, ...all), room = floor - top, each = (right - left) / all.length;
  if (!isNarrow) {
    pen.fillStyle = colors['ink-3'];
    pen.textAlign = 'left';
    pen.fillText(texts.laneRecords, 16, floor - 6);
  }
  const bar = (count, least) => Math.max(least, Math.sqrt(count / most) * room);
  all.forEach((count, index) => {
    if (count <= 0) return;
    const x = left + index * each, width = Math.max(1, each - 1), height = bar(count, 1.5);
    pen.fillStyle = colors.bar;
    pen.fillRect(x, floor - height, width, height);
    if (lasting[index] <= 0) return;
    pen.fillStyle = colors['bar-2'];
    const dark = bar(lasting[index], 3);
    pen.fillRect(x, floor - dark, width, dark);
  });
}

function drawMarks(view, pen, y) {
  view.marks = [];
  for (const finding of [...view.findings].sort((a, b) => rank[a.severity] - rank[b.severity])) {
    const x = view.x(placeOf(view, finding.record, finding.t ?? null));
    if (x < view.left - 6 || x > view.right + 6) continue;
    view.marks.push({ x, finding });
    pen.fillStyle = view.colors[`${finding.severity}-mark`];
    drawShape(pen, finding.severity, x, y, view.isNarrow ? 4.5 : 5.5);
  }
}
export function drawShape(pen, severity, x, y, r) {
  pen.beginPath();
  if (severity === 'error') { pen.moveTo(x, y - r); pen.lineTo(x + r, y); pen.lineTo(x, y + r); pen.lineTo(x - r, y); }
  else if (severity === 'warning') { pen.moveTo(x, y - r); pen.lineTo(x + r, y + r * 0.85); pen.lineTo(x - r, y + r * 0.85); }
  else pen.arc(x, y, r * 0.75, 0, Math.PI * 2);
  pen.fill();
}

// Where in the whole log the range is.
function drawPosition(view, pen) {
  const { left, right, height, colors } = view, [from, to] = view.range, [low, high] = view.whole;
  const at = (value) => left + ((value - low) / (high - low)) * (right - left);
  pen.fillStyle = colors.line;
  pen.fillRect(left, height - 4, right - left, 3);
  pen.fillStyle = colors['ink-3'];
  roundBox(pen, at(from), height - 4, Math.max(8, at(to) - at(from)), 3, 1.5);
}

export function drawOverlay(view) {
  const pen = view.over.getContext('2d'), { colors, left, right, width, height, floor } = view;
  pen.clearRect(0, 0, width, height);
  const { at, pin } = store.get(), x = view.x(view.value(Number(at)));
  const label = view.axis === 'time' ? clock(view.times.get(Number(at)) ?? view.value(Number(at))) : `#${at}`;
  const pill = pen.measureText(label).width + 14, isInside = x >= left - 1 && x <= right + 1;
  const pillX = Math.max(4, Math.min(width - pill - 4, x - pill / 2));
  pen.fillStyle = colors['ink-3'];
  for (const { value, step } of view.ticks) {
    const text = tickText(view.axis, value, step), half = pen.measureText(text).width / 2;
    const center = Math.max(left + half - 14, Math.min(right - half + 4, view.x(value)));
    if (isInside && center + half > pillX - 8 && center - half < pillX + pill + 8) continue;
    pen.textAlign = 'center';
    pen.fillText(text, center, 9);
  }
  if (pin) drawPin(view, pen, view.x(view.value(Number(pin))), x);
  if (view.pointer !== null && view.pointer !== undefined) {
    pen.fillStyle = colors['line-strong'];
    pen.fillRect(Math.round(view.pointer), 16, 1, floor - 16);
  }
  if (!isInside) return;
  pen.fillStyle = colors.accent;
  pen.fillRect(x - 0.75, 16, 1.5, floor - 16);
  roundBox(pen, pillX, 1, pill, 17, 8.5);
  pen.fillStyle = colors['on-accent'];
  pen.textAlign = 'center';
  pen.fillText(label, pillX + pill / 2, 10);
}

function drawPin({ left, right, floor, colors }, pen, x, moment) {
  const inside = (value) => Math.max(left, Math.min(right, value)), start = inside(Math.min(x, moment)), end = inside(Math.max(x, moment));
  pen.fillStyle = colors.pin;
  pen.globalAlpha = 0.08;
  pen.fillRect(start, 18, end - start, floor - 18);
  pen.globalAlpha = 0.55;
  pen.fillRect(start, 18, end - start, 1.5);
  pen.globalAlpha = 1;
  if (x < left - 1 || x > right + 1) return;
  for (let y = 18; y < floor; y += 6) pen.fillRect(x - 0.75, y, 1.5, 3);
  pen.beginPath();
  pen.arc(x, 19, 4, 0, Math.PI * 2);
  pen.fill();
}

function tickText(axis, value, step) {
  if (axis === 'record') return `#${number(value)}`;
  return isDayStep(step) ? isoDay(value) : isSecondStep(step) ? clock(value) : clock(value).slice(0, 5);
}
export function roundBox(pen, x, y, width, height, radius) { pen.beginPath(); pen.roundRect(x, y, width, height, radius); pen.fill(); }

"""#),
  "/js/whatif.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "ee65ffa00ce55894",
    text: #"""
// What would have happened otherwise: one thing changed, and the two courses beside each other.
import { h, fill } from './dom.js';
import { severityMark } from './icons.js';
import { contact, recordLink, sentence } from './people.js';
import { clauseParts, effectParts, sign } from './rows.js';
import { ask, post, whenIndexed } from './source.js';
import { valuesOf } from './difference.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';

const t = texts.whatif, mostDifferences = 200, mostMoments = 8, usualPolicy = 'strict';

export class WhatIf {
  constructor(app) {
    this.app = app;
    this.choices = h('div', { class: 'chips', role: 'group', 'aria-label': t.choose });
    this.result = h('div', { class: 'result', 'aria-live': 'polite' }, nothing(t.none));
    this.element = h('div', { class: 'what-if' }, this.choices, this.result);
  }

  async draw(at) {
    if (this.at === at) return;
    this.at = at;
    try { this.policies ??= (await ask('policies', {}, { keep: true })).policies; } catch { this.policies = []; }
    if (this.at !== at) return;
    const chip = (label, edit, title) => h('button', {
      class: 'chip', type: 'button', title, 'aria-pressed': String(JSON.stringify(edit) === this.chosen), onclick: (event) => this.run(edit, event.currentTarget),
    }, label);
    fill(this.choices,
      chip(t.drop(at), { drop: [String(at)] }), at < this.app.log.head ? chip(t.swap(at, at + 1), { swap: [[at, at + 1]] }) : null,
      this.policies.filter(({ name }) => name !== usualPolicy).map(({ name, rule }) => chip(t.policy(name), { policy: name }, rule)));
  }

  async run(edit, pressed) {
    this.chosen = JSON.stringify(edit);
    for (const chip of this.choices.children) chip.setAttribute('aria-pressed', String(chip === pressed));
    const { chosen } = this, say = (...words) => fill(this.result, h('p', { class: 'faint running' }, words, ' ', h('button', { class: 'link', type: 'button', onclick: () => this.cancel() }, t.cancel)));
    say(t.running);
    try {
      const answer = await whenIndexed(() => post('branches', { ...edit, log: this.app.log.number }), (sentence) => { if (this.chosen === chosen) say(sentence); return this.chosen === chosen; });
      if (this.chosen === chosen) this.show(answer);
    } catch (error) { if (this.chosen === chosen) fill(this.result, h('p', { class: 'fault', role: 'alert' }, error.message)); }
  }

  async cancel() {
    this.chosen = null;
    for (const chip of this.choices.children) chip.setAttribute('aria-pressed', 'false');
    fill(this.result, nothing(t.none));
    try { await post('branches', { cancel: true, log: this.app.log.number }); } catch (error) { this.app.report(error); }
  }

  show({ differs, parting, differences = [], findings = {}, titles = {} }) {
    const { app } = this;
    this.titles = titles;
    if (!differs && !parting && !differences.length) return fill(this.result, nothing([t.same, '']));
    const finding = (found, label) => h('p', { class: 'change' }, h('span', { class: `told ${found.severity}` }, severityMark(found.severity), this.titles[found.code] ?? found.code), ' ', h('span', { class: 'faint' }, label), ' ', recordLink(found.record, app.go));
    return fill(this.result,
      parting ? [h('p', { class: 'facts' }, h('span', {}, sentence(t.partsAt(parting.record), { open: app.open, go: app.go }))),
        h('div', { class: 'courses' }, this.course(t.happened, parting.happened), this.course(t.otherwise, parting.instead))] : null,
      findings.removed?.map((found) => finding(found, t.removed)), findings.added?.map((found) => finding(found, t.added)),
      h('h3', { class: 'heading' }, differences.length ? t.atEnd : t.sameAtEnd),
      differences.slice(0, mostDifferences).map((difference) => this.difference(difference)),
      differences.length > mostDifferences ? h('p', { class: 'faint more' }, t.more(differences.length - mostDifferences)) : null);
  }

  course(title, given = []) {
    // A record that is read in two steps is shown once, unless both have an effect.
    const moments = given.filter(({ record, changes = [], findings = [] }, index) =>
      changes.length || findings.length || given.findIndex((other) => other.record === record) === index);
    return h('section', {}, h('h3', { class: 'heading' }, title),
      moments.length ? moments.slice(0, mostMoments).map((moment) => this.moment(moment)) : h('p', { class: 'faint' }, t.nothingHere),
      moments.length > mostMoments ? h('p', { class: 'faint more' }, texts.roster.more(moments.length - mostMoments)) : null);
  }

  moment({ record, meaning, changes = [], findings = [] }) {
    const links = { open: this.app.open, go: this.app.go, full: false }, name = (jid) => contact(jid, this.app.open);
    return [h('p', {}, recordLink(record, this.app.go), ' ', clauseParts({ who: null, full: meaning ?? '' }, links, name)),
      changes.slice(0, mostMoments).map((change) => h('span', { class: 'effect' }, sign(change.mark), effectParts(change, null, links, name))),
      findings.map((found) => h('span', { class: `told ${found.severity}` }, severityMark(found.severity), this.titles[found.code] ?? found.code))];
  }

  difference(difference) {
    const { app } = this, jid = difference.contact ?? difference.jid;
    return h('section', { class: 'different' }, h('h3', {}, jid ? contact(jid, app.open, { full: true }) : texts.diff.account),
      h('div', { class: 'difference' }, sign(difference.mark ?? (difference.before === null || difference.before === undefined ? '+' : difference.after === null || difference.after === undefined ? '-' : '~')),
        h('span', { class: 'field' }, difference.field), h('span', { class: 'values' }, valuesOf({ text: difference.text ?? difference.field, ...difference })),
        difference.record ? recordLink(difference.record, app.go) : h('span', {})));
  }
}

"""#),
  "/js/xml.js": EmbeddedFile(
    type: "text/javascript; charset=utf-8", digest: "2a0433488d635a2a",
    text: #"""
// A stanza in lines and colors. It is cut into tokens here; no parser of the browser sees it.
import { h } from './dom.js';
import { visible } from './people.js';
import { texts } from './texts.js';

const token = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<(?:"[^"]*"|'[^']*'|[^>"'])*>?|[^<]+/gu;
const attribute = /([^\s=/>]+)(\s*=\s*)("[^"]*"|'[^']*')|\s+|[^\s]/gu;
const longestInline = 400;

/** The tokens of a text: `open`, `close`, `empty`, `other` (comments, CDATA, instructions) or `text`. */
export function tokens(xml) {
  return (xml.match(token) ?? []).map((text) => {
    if (!text.startsWith('<')) return { kind: 'text', text };
    if (text.startsWith('<!') || text.startsWith('<?')) return { kind: 'other', text };
    if (text.startsWith('</')) return { kind: 'close', text };
    return { kind: text.endsWith('/>') ? 'empty' : 'open', text };
  });
}

/** The lines of a stanza, each `{ depth, tokens }`: an element with only a short text takes one line. */
export function lines(xml) {
  const all = tokens(xml), found = [];
  let depth = 0;
  for (let i = 0; i < all.length; i++) {
    const { kind, text } = all[i];
    if (kind === 'text' && !text.trim()) continue;
    if (kind === 'close') depth = Math.max(0, depth - 1);
    if (kind !== 'open') { found.push({ depth, tokens: [all[i]] }); continue; }
    const next = all[i + 1], after = all[i + 2];
    if (next?.kind === 'close') { found.push({ depth, tokens: [all[i], next] }); i += 1; }
    else if (next?.kind === 'text' && after?.kind === 'close' && next.text.length < longestInline) {
      found.push({ depth, tokens: [all[i], next, after] });
      i += 2;
    } else { found.push({ depth, tokens: [all[i]] }); depth += 1; }
  }
  return found;
}

export function pretty(xml) {
  return h('pre', { tabIndex: 0, role: 'region', 'aria-label': texts.stanza }, lines(xml).map((line) =>
    h('span', { class: 'line', style: { '--depth': String(Math.min(line.depth, 16)) } }, line.tokens.map(colored), '\n')));
}

export function raw(text, label = texts.stanza) {
  return h('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, h('span', { class: 'line' }, visible(text, true)));
}

const piece = (name, text) => h('span', { class: name }, visible(text));
function colored({ kind, text }) {
  if (kind === 'text') return h('bdi', { class: 'x-text' }, visible(text.trim(), true));
  if (kind === 'other') return piece('x-mark', text);
  const [, start, name, rest, end] = /^(<\/?)([^\s/>]*)([\s\S]*?)(\/?>?)$/u.exec(text);
  const found = [piece('x-mark', start), piece('x-name', name)];
  for (const match of rest.matchAll(attribute)) {
    if (match[1]) found.push(piece('x-attribute', match[1]), piece('x-mark', match[2]), piece('x-value', match[3]));
    else found.push(visible(match[0], true));
  }
  found.push(piece('x-mark', end));
  return found;
}

"""#),
  "/style/compare.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "dde4dd97f4615311",
    text: #"""
/* Two logs side by side. */
.compare { grid-row: 2 / -1; display: flex; flex-direction: column; min-height: 0; background: var(--paper); }
.comparing :is(.timeline, #panes, .dock, .find, .live, .log-choice, .tool.alone) { display: none; }
.comparing .tools { margin-left: auto; }
.lanes { position: relative; flex: none; height: 104px; border-bottom: 1px solid var(--line); }
.lanes canvas { display: block; width: 100%; height: 100%; }
.three { flex: 1; display: grid; min-height: 0; grid-template-columns: minmax(0, 1fr) minmax(320px, 420px) minmax(0, 1fr); }
.three > .pane:nth-child(2) { background: var(--ground); }
.three > .pane:last-child { border-right: 0; }
.column { flex: 1; min-height: 0; overflow-y: auto; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; }
.row.same :is(.what, .who, .effect) { color: var(--ink-3); font-weight: 400; }
.row.same.now :is(.what, .who, .effect) { color: var(--ink-2); }
.row:has(.agree) .entry { height: calc(100% - 28px); }
.agree { position: absolute; inset: auto 16px 0; display: flex; align-items: center; gap: 12px; height: 28px; color: var(--pin); font-size: 12px; font-weight: 500; white-space: nowrap; }
.agree span { overflow: hidden; text-overflow: ellipsis; }
.agree::before, .agree::after { content: ""; flex: 1; min-width: 8px; height: 1px; background: var(--pin); opacity: 0.45; }
.verdict { padding: 12px 16px; overflow-wrap: anywhere; }
.verdict p + p { margin-top: 8px; color: var(--ink-2); }
.verdict b { font-weight: 600; color: var(--ink); }
.differ { margin: 0 16px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); overflow: hidden; }
.differ h3 { padding: 8px 16px; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: 1fr 1fr; width: 100%; border-top: 1px solid var(--line); outline-offset: -2px; }
.pair:hover { background: var(--hover); }
.pair[aria-pressed="true"] { background: var(--accent-soft); }
.pair .field { grid-column: 1 / -1; padding: 8px 16px 0; color: var(--ink-2); font-size: 11px; }
.pair .value-of { min-width: 0; padding: 4px 16px 8px; overflow-wrap: anywhere; }
.pair .value-of:last-child { border-left: 1px solid var(--line); }
.pair[aria-pressed="true"] .faint { color: var(--ink-2); }
@media (max-width: 1000px) {
  .compare { overflow-y: auto; }
  .three { display: block; flex: none; }
  .three > .pane { height: min(70dvh, 420px); border-right: 0; border-bottom: 1px solid var(--line); }
  .three > .pane:nth-child(2) { height: auto; contain: none; }
}

"""#),
  "/style/details.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "8eb82f248ab5ebc8",
    text: #"""
/* The record, and the tabs below it. */
.record { flex: none; max-height: var(--record-height, 52%); overflow-y: auto; padding: 16px 24px; border-bottom: 1px solid var(--line); scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; outline-offset: -2px; }
.record h2 { font-size: 15px; line-height: 22px; letter-spacing: -0.005em; overflow-wrap: anywhere; display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
.record h2 .who { font-weight: 600; }
.meta { display: flex; flex-wrap: wrap; gap: 0 16px; margin-top: 2px; color: var(--ink-2); font-size: 12px; font-variant-numeric: tabular-nums; }
.meta .number { color: var(--accent); }
.changes { margin: 12px 0; display: grid; gap: 2px; }
.changes li { display: flex; gap: 4px; color: var(--ink-2); overflow-wrap: anywhere; }
.changes li > span:last-child { min-width: 0; }
.record > .faint { margin: 12px 0; }
.origins { display: grid; margin: 8px 0; color: var(--ink-2); font-size: 12px; }

.finding { margin: 12px 0; padding: 12px 16px; border-radius: 10px; border: 1px solid transparent; overflow-wrap: anywhere; }
.record .finding.error { background: var(--error-soft); }
.record .finding.warning { background: var(--warning-soft); }
.record .finding.info { background: var(--info-soft); }
.tab-body .finding { margin: 0 0 12px; border-color: var(--line); }
.tab-body .finding.here { border-color: var(--accent); box-shadow: inset 3px 0 0 var(--accent); }
.finding header { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; margin-bottom: 2px; }
.finding strong { flex: 0 1 auto; font-weight: 600; min-width: 0; max-width: calc(100% - 20px); }
.finding.error strong { color: var(--error); }
.finding.warning strong { color: var(--warning); }
.finding.info strong { color: var(--info); }
.finding .code { margin-left: auto; font-size: 11px; color: var(--ink-2); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.record .finding .domain { color: var(--ink-2); }
.guide { margin-top: 8px; color: var(--ink-2); font-size: 12px; }
.guide summary { cursor: pointer; width: fit-content; border-radius: 3px; }
.guide dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; margin-top: 6px; line-height: 18px; }
.guide dd { color: var(--ink); }
.actions { display: flex; flex-wrap: wrap; gap: 4px 16px; margin-top: 8px; }
.actions:empty { display: none; }

.source { margin-top: 12px; position: relative; border: 1px solid var(--line); border-radius: 10px; background: var(--sunken); }
.source pre { margin: 0; padding: 10px 16px; max-height: 480px; overflow: auto; font-size: 12px; line-height: 18px; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 10px; }
.source .line { display: block; padding-left: calc(16px + var(--depth, 0) * 16px); text-indent: -16px; }
.x-mark { color: var(--ink-3); }
.x-name { color: var(--accent); }
.x-attribute { color: var(--changed); }
.x-value { color: var(--came); }
.x-text { color: var(--ink); font-weight: 500; }
.buttons { position: absolute; top: 6px; right: 8px; display: flex; gap: 4px; opacity: 0; transition: opacity 0.12s; }
.source:hover .buttons, .source:focus-within .buttons, .record:focus .buttons { opacity: 1; }
@media (hover: none) { .buttons { opacity: 1; position: static; padding: 0 12px 8px; } }
.buttons button { height: 22px; padding: 0 8px; border: 1px solid var(--line); border-radius: 5px; background: var(--paper); font-size: 11px; color: var(--ink-2); }
.buttons button:hover { color: var(--ink); border-color: var(--line-strong); }
.source > .more { padding: 0 16px 10px; }

.tabs { display: flex; flex: none; gap: 4px; height: 40px; padding: 0 16px; border-bottom: 1px solid var(--line); overflow: auto hidden; scrollbar-width: none; }
.tabs button { position: relative; flex: none; padding: 0 8px; color: var(--ink-2); white-space: nowrap; outline-offset: -3px; }
.tabs button[aria-selected="true"] { color: var(--ink); font-weight: 500; }
.tabs button[aria-selected="true"]::after { content: ""; position: absolute; left: 8px; right: 8px; bottom: 0; height: 2px; border-radius: 1px; background: var(--accent); }
.tabs .count { margin-left: 2px; color: var(--ink-3); font-weight: 400; font-variant-numeric: tabular-nums; }
.tabs .count:empty { display: none; }
.tab-body { position: relative; flex: 1; min-height: 0; overflow-y: auto; padding: 16px 24px; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; outline-offset: -2px; }
.tab-body[data-tab="roster"], .tab-body[data-tab="screen"] { padding: 0; display: flex; flex-direction: column; overflow: hidden; }
.facts { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 16px; padding: 9px 0; color: var(--ink-2); }
.tab-body > .facts { margin: -16px -24px 8px; padding: 9px 24px; border-bottom: 1px solid var(--line); }
.facts b { font-weight: 500; color: var(--ink); }
.value { border-radius: 3px; text-decoration: underline dotted var(--line-strong) 1px; text-underline-offset: 3px; max-width: 100%; overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; }
.value:hover { text-decoration-color: var(--accent); text-decoration-style: solid; color: var(--accent); }

.pane-roster { display: flex; flex-direction: column; flex: 1; min-height: 0; }
.pane-roster .facts { padding: 9px 24px; border-bottom: 1px solid var(--line); }
.requests { padding: 0 24px; }
.requests:not(:empty) { padding-bottom: 3px; }
.pane-roster .virtual { border-top: 1px solid var(--line); }
.requests .heading { margin: 10px 0 3px; }
.requests .contact { margin: 0 -24px; }
.request { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; min-height: 28px; padding: 4px 0; overflow-wrap: anywhere; }
.request .text { flex: 1; min-width: 0; color: var(--ink-2); }
.choices { display: flex; gap: 8px; flex: none; padding: 8px 24px; align-items: center; }
.choices input { flex: 1; min-width: 0; height: 26px; padding: 0 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--sunken); font-size: 12px; }
.choices select { border: 0; background: none; color: var(--ink-2); font-size: 12px; border-radius: 4px; }
.contact { display: grid; grid-template-columns: 8px minmax(0, 1.1fr) minmax(0, 1.2fr) 20px minmax(0, 0.9fr); gap: 0 12px; align-items: center; height: 31px; padding: 0 24px; }
.contact:hover { background: var(--hover); }
.contact.touched { background: var(--accent-soft); }
.contact > span { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.contact .name { font-weight: 500; }
.contact .value { text-decoration-color: transparent; white-space: nowrap; }
.contact .value:hover, .contact .value:focus-visible { text-decoration-color: currentColor; }
.contact .of .who { font-weight: 400; color: var(--ink-2); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 100%; display: block; }
.contact.touched .domain { color: var(--ink-2); }
.contact .groups { color: var(--ink-2); }
.subscription { display: block; width: 20px; height: 16px; fill: none; stroke: var(--ink-2); stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: transparent; box-shadow: inset 0 0 0 1.5px var(--line-strong); }
.dot.available, .dot.chat { background: var(--online); box-shadow: none; }
.dot.away, .dot.xa { background: var(--away); box-shadow: none; }
.dot.dnd { background: var(--busy); box-shadow: none; }

.different { padding: 8px 0; overflow-wrap: anywhere; }
.difference { display: grid; grid-template-columns: 12px 96px minmax(0, 1fr) auto; gap: 0 8px; align-items: baseline; padding: 2px 0; }
.difference .field { color: var(--ink-2); }
.difference del { color: var(--went); }
.difference ins { color: var(--came); text-decoration: none; }
.more { padding: 8px 0; }

.person { display: flex; align-items: center; gap: 12px; }
.person h3 { font-size: 15px; overflow-wrap: anywhere; }
.person > div { min-width: 0; }
.person .address { overflow-wrap: anywhere; }
.person .pinyin { display: block; }
.avatar { display: grid; place-items: center; flex: none; width: 36px; height: 36px; border-radius: 50%; background: var(--info-soft); color: var(--info); font-weight: 600; }
.facts-list { display: grid; grid-template-columns: minmax(88px, max-content) minmax(0, 1fr); gap: 4px 16px; margin: 12px 0; overflow-wrap: anywhere; }
.facts-list dt { color: var(--ink-2); }
.why { margin: 12px 0; border: 1px solid var(--line); border-radius: 10px; }
.why details + details { border-top: 1px solid var(--line); }
.why summary { display: flex; align-items: center; gap: 8px; padding: 7px 16px; cursor: pointer; list-style: none; border-radius: 8px; }
.why summary::-webkit-details-marker { display: none; }
.why summary::before { content: ""; width: 5px; height: 5px; border: solid var(--ink-3); border-width: 0 1.5px 1.5px 0; rotate: -45deg; transition: rotate 0.12s; }
.why details[open] summary::before { rotate: 45deg; }
.answer { margin-left: auto; font-weight: 600; }
.answer.yes { color: var(--came); }
.answer.no { color: var(--ink-2); }
.answer.unknown { color: var(--warning); }
.reasons { display: grid; gap: 4px; padding: 0 16px 10px 29px; color: var(--ink-2); overflow-wrap: anywhere; }
.history { margin: 4px -24px 0; }
.history li { display: grid; grid-template-columns: 56px 60px minmax(0, 1fr); gap: 0 8px; padding: 5px 24px 5px 16px; overflow-wrap: anywhere; }
.history .number { text-align: end; }
.history .clock { color: var(--ink-3); line-height: 20px; }
.history .here { background: var(--accent-soft); box-shadow: inset 3px 0 0 var(--accent); }
.history .here :is(.clock, .domain) { color: var(--ink-2); }
.history .future :is(div, .who, .effect, .sign) { color: var(--ink-3); font-weight: 400; }
.history .effect { white-space: normal; height: auto; padding-left: 12px; text-indent: -12px; }
.history .effect .sign { text-indent: 0; }

.chips { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { min-height: 26px; padding: 2px 11px; border: 1px solid var(--line-strong); border-radius: 14px; font-size: 12px; color: var(--ink-2); }
.chip:hover { color: var(--ink); border-color: var(--ink-3); }
.chip[aria-pressed="true"] { border-color: var(--accent); background: var(--accent-soft); color: var(--accent); }
.result { margin-top: 12px; }
.courses { display: grid; grid-template-columns: 1fr 1fr; margin: 4px 0 16px; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.courses section { min-width: 0; padding: 12px 16px; overflow-wrap: anywhere; }
.courses section + section { border-left: 1px solid var(--line); background: var(--pin-soft); }
.courses .effect { white-space: normal; height: auto; }
.courses section + section :is(.heading, .domain) { color: var(--ink-2); }
.change { padding: 2px 0; }

@media (max-width: 760px) {
  .record, .tab-body { padding: 12px 16px; }
  .tab-body > .facts { margin: -12px -16px 8px; padding: 9px 16px; }
  .tabs { padding: 0 8px; }
  .pane-roster .facts, .requests, .choices { padding-left: 16px; padding-right: 16px; }
  .requests .contact, .history { margin-left: -16px; margin-right: -16px; }
  .contact { grid-template-columns: 8px minmax(0, 1.2fr) 20px minmax(0, 0.8fr); padding: 0 16px; }
  .contact .of { display: none; }
  .courses { grid-template-columns: 1fr; }
  .courses section + section { border-left: 0; border-top: 1px solid var(--line); }
  .difference { grid-template-columns: 12px 72px minmax(0, 1fr) auto; }
  .guide dl { grid-template-columns: 1fr; gap: 0; }
  .guide dd { margin-bottom: 6px; }
}

"""#),
  "/style/layout.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "c638438eefc14676",
    text: #"""
/* Where things are: the bar, the panes, the dock, and what floats above them. */
html, body { height: 100%; }
body { display: grid; grid-template: 48px auto auto minmax(0, 1fr) auto / minmax(0, 1fr); overflow: hidden; }
.skip { position: absolute; left: -9999px; top: 8px; z-index: 9; padding: 4px 12px; border-radius: 6px; background: var(--paper); color: var(--accent); box-shadow: var(--float); }
.skip:focus { left: 8px; }

.bar { display: flex; align-items: center; gap: 12px; min-width: 0; padding: 0 16px; border-bottom: 1px solid var(--line); background: var(--paper); }
.brand { display: flex; align-items: center; gap: 8px; letter-spacing: -0.01em; }
.logo { width: 20px; height: 20px; flex: none; fill: none; stroke-width: 2; stroke-linecap: round; }
.logo .first { stroke: var(--accent); }
.logo .second { stroke: var(--ink); }
.logo .third { stroke: var(--ink-3); }
.account, .log-title { min-width: 0; color: var(--ink-2); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.log-choice { min-width: 0; max-width: 220px; padding: 4px 2px; border: 0; border-radius: 4px; background: none; color: var(--ink-2); }
.find { position: relative; flex: 1 1 0; display: flex; align-items: center; min-width: 0; max-width: 520px; margin: 0 auto; }
.find .icon { position: absolute; left: 10px; color: var(--ink-3); pointer-events: none; }
.find input { width: 100%; height: 32px; padding: 0 12px 0 32px; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); text-overflow: ellipsis; }
.find input::placeholder, .search input::placeholder, .choices input::placeholder { color: var(--ink-3); opacity: 1; }
.find input:focus { outline: 2px solid var(--accent); outline-offset: 0; border-color: transparent; background: var(--paper); }
.tools { display: flex; align-items: center; gap: 2px; }
.tool { display: inline-grid; place-items: center; width: 32px; height: 32px; flex: none; border-radius: 6px; color: var(--ink-2); }
.tool:hover { background: var(--hover); color: var(--ink); }
.live { display: inline-flex; align-items: center; gap: 6px; height: 26px; margin-right: 8px; padding: 0 11px; border: 1px solid var(--line); border-radius: 13px; font-size: 12px; color: var(--ink-2); white-space: nowrap; }
.live::before { content: ""; width: 7px; height: 7px; border-radius: 50%; background: var(--line-strong); }
.live[aria-pressed="true"] { border-color: currentColor; color: var(--came); }
.live[aria-pressed="true"]::before { background: var(--online); }
.live.lost::before { background: var(--away); }

.notices { display: contents; }
.fault { padding: 6px 16px; background: var(--warning-soft); color: var(--warning); overflow-wrap: anywhere; }
.notices .fault { grid-row: 3; border-bottom: 1px solid var(--line); }
.fault:empty { display: none; }

.panes { grid-row: 4; display: grid; min-height: 0; grid-template-columns: minmax(320px, var(--story-width, 1.05fr)) minmax(0, 1.15fr) minmax(280px, var(--screen-width, 346px)); }
.pane { position: relative; display: flex; flex-direction: column; min-width: 0; min-height: 0; contain: strict; border-right: 1px solid var(--line); background: var(--paper); }
#screen { border-right: 0; background: var(--ground); }
.details { display: flex; flex-direction: column; flex: 1; min-height: 0; }
.pane-head { display: flex; align-items: center; gap: 8px; flex: none; height: 40px; min-width: 0; padding: 0 16px; border-bottom: 1px solid var(--line); }
.pane-head .count { color: var(--ink-3); font-size: 12px; font-variant-numeric: tabular-nums; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.pane-head .segmented { margin-left: auto; }
.splitter { position: absolute; z-index: 3; touch-action: none; }
.splitter.x { top: 0; bottom: 0; width: 7px; cursor: col-resize; }
#story > .splitter { right: -1px; }
#screen > .splitter { left: -1px; }
.splitter.y { position: relative; flex: none; height: 7px; margin: -3px 0 -4px; cursor: row-resize; }
.splitter:hover, .splitter:focus-visible { background: color-mix(in srgb, var(--accent) 35%, transparent); outline-offset: -2px; }
.dock { display: none; grid-row: 5; }

.said { position: fixed; z-index: 8; left: 50%; bottom: 24px; translate: -50% 0; max-width: calc(100vw - 32px); padding: 6px 14px; border-radius: 16px; background: var(--ink); color: var(--paper); font-size: 12px; box-shadow: var(--float); opacity: 0; pointer-events: none; transition: opacity 0.12s; }
.said:empty { padding: 0; }
.said.shown { opacity: 1; }
.origin-tip { position: fixed; z-index: 7; display: grid; gap: 1px; width: min(320px, calc(100vw - 16px)); padding: 10px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); box-shadow: var(--float); font-size: 12px; line-height: 18px; pointer-events: none; overflow-wrap: anywhere; }
.origin-tip .number { color: var(--accent); }
.origin-tip .label { color: var(--ink-3); font-size: 11px; font-weight: 500; }

dialog { max-width: min(640px, calc(100vw - 32px)); max-height: calc(100dvh - 64px); padding: 0; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); color: var(--ink); box-shadow: var(--float); }
dialog::backdrop { background: light-dark(rgb(24 27 33 / 0.3), rgb(0 0 0 / 0.55)); }
.sheet { width: 620px; max-width: 100%; padding: 20px 24px 24px; }
.sheet header { display: flex; align-items: center; justify-content: space-between; margin-bottom: 8px; }
.sheet h2 { font-size: 15px; }
.sheet .heading { margin: 12px 0 4px; }
.keys { columns: 2 250px; column-gap: 32px; }
.keys section { break-inside: avoid; }
.keys dl, .terms { display: grid; grid-template-columns: max-content 1fr; gap: 4px 12px; color: var(--ink-2); }
.terms { grid-template-columns: repeat(auto-fit, minmax(96px, max-content) minmax(150px, 1fr)); }
.keys dt { display: flex; align-items: flex-start; gap: 3px; min-width: 72px; }
.keys dl { grid-template-columns: 76px 1fr; }
.terms code { font-size: 12px; color: var(--ink); }
.ask-line { width: 440px; max-width: 100%; padding: 16px; display: grid; gap: 8px; }
.ask-line input { width: 100%; height: 36px; padding: 0 12px; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--paper); font-size: 15px; }
.ask-line .fault, .sheet .fault { border-radius: 6px; padding: 6px 10px; }
.bookmarks li { padding: 2px 0; }
.exports { display: grid; gap: 8px; }
.exports button { display: grid; width: 100%; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; }
.exports button:hover { background: var(--hover); border-color: var(--line-strong); }
.exports b { font-weight: 500; }

/* Where there is room, the record is beside the roster. */
@media (min-width: 1800px) {
  .panes { grid-template-columns: minmax(420px, var(--story-width, 1fr)) minmax(0, 1.9fr) minmax(280px, var(--screen-width, 380px)); }
  #middle { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.1fr); }
  #middle .splitter { display: none; }
  .pane .record { max-height: none; border-bottom: 0; border-right: 1px solid var(--line); }
}
@media (max-width: 1180px) {
  .panes { grid-template-columns: minmax(320px, var(--story-width, 1fr)) minmax(0, 1.25fr); }
  #screen { display: none; }
  .brand .word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
@media (max-width: 760px) {
  body { grid-template-rows: 48px auto auto minmax(0, 1fr) 52px; }
  .bar { gap: 8px; padding: 0 12px; }
  .account { flex: 1; }
  .log-title, .tools .wide { display: none; }
  .log-choice { max-width: 96px; }
  .live { margin: 0; }
  .find { position: static; flex: 0 0 34px; margin: 0; }
  .find .icon { position: absolute; left: auto; margin-left: 9px; color: var(--ink-2); z-index: 4; }
  .find input { padding: 0; border-color: transparent; background: none; color: transparent; cursor: pointer; }
  .find input::placeholder { color: transparent; }
  .find input:focus, .find input:not(:placeholder-shown) { position: absolute; z-index: 3; left: 12px; right: 12px; width: auto; padding: 0 12px 0 36px; border-color: var(--line); background: var(--paper); color: var(--ink); cursor: text; }
  .find:has(input:focus) .icon, .find:has(input:not(:placeholder-shown)) .icon { left: 12px; margin-left: 12px; }
  .panes { grid-template-columns: minmax(0, 1fr); }
  .panes > .pane { display: none; border-right: 0; }
  .splitter { display: none; }
  .panes[data-pane="story"] > #story, .panes[data-pane="record"] > #middle, .panes[data-pane="roster"] > #middle,
  .panes[data-pane="findings"] > #middle, .panes[data-pane="screen"] > #middle { display: flex; }
  .panes[data-pane="record"] .details, .panes:not([data-pane="record"]) .record { display: none; }
  .pane .record { max-height: none; height: auto; flex: 1; border-bottom: 0; }
  .dock { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); border-top: 1px solid var(--line); background: var(--paper); }
  .dock button { position: relative; display: grid; place-items: center; align-content: center; gap: 1px; font-size: 11px; line-height: 14px; color: var(--ink-3); overflow: hidden; }
  .dock [aria-current] { color: var(--accent); }
  .badge { position: absolute; top: 4px; left: calc(50% + 6px); min-width: 15px; height: 15px; padding: 0 4px; border-radius: 8px; background: light-dark(#b3271e, #ff9088); color: var(--on-accent); font-size: 10px; line-height: 15px; text-align: center; }
  .said { bottom: 64px; }
}
@media (max-height: 480px) {
  .timeline .track { height: 64px; }
}

"""#),
  "/style/screen.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "1384aabd58393c0d",
    text: #"""
/* The contacts screen, drawn as an application would draw it. */
.screen { display: flex; flex-direction: column; flex: 1; min-height: 0; padding: 16px 16px 8px; gap: 6px; }
.phone { position: relative; display: flex; flex-direction: column; flex: 1; min-height: 0; width: 100%; max-width: 400px; margin: 0 auto; border: 1px solid var(--line); border-radius: 28px; background: var(--paper); box-shadow: var(--lift); overflow: hidden; }
.phone header { padding: 24px 16px 8px; }
.phone h2 { font-size: 20px; line-height: 26px; letter-spacing: -0.015em; }
.search { position: relative; display: flex; align-items: center; margin-top: 8px; }
.search .icon { position: absolute; left: 9px; width: 14px; height: 14px; color: var(--ink-3); pointer-events: none; }
.search input { width: 100%; height: 30px; padding: 0 10px 0 29px; border: 0; border-radius: 8px; background: var(--sunken); }
.phone .virtual { scrollbar-width: none; margin-bottom: 8px; }
.phone .virtual::-webkit-scrollbar { display: none; }
.row.letter { padding: 2px 16px; font-size: 11px; line-height: 18px; color: var(--ink-3); }
.row.letter h3 { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.card { display: grid; grid-template-columns: 34px minmax(0, 1fr); gap: 0 12px; align-items: center; width: 100%; height: 100%; padding: 0 36px 0 16px; outline-offset: -2px; }
.card:hover { background: var(--hover); }
.touched .card { background: var(--accent-soft); }
.card .avatar { position: relative; width: 34px; height: 34px; }
.card.request .avatar { background: var(--accent-soft); color: var(--accent); }
.card .dot { position: absolute; right: -1px; bottom: -1px; width: 11px; height: 11px; border: 2px solid var(--paper); }
.card .dot.offline { display: none; }
.card .text { min-width: 0; }
.card :is(b, small) { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.card b { font-weight: 500; }
.card small { font-size: 11px; line-height: 15px; color: var(--ink-3); }
.touched .card small { color: var(--ink-2); }
.letters { position: absolute; z-index: 2; right: 4px; top: 96px; bottom: 12px; display: flex; flex-direction: column; justify-content: center; }
.letters button { flex: 0 1 16px; min-height: 0; width: 22px; border-radius: 4px; font-size: 10px; line-height: 1; font-weight: 600; text-align: center; color: var(--accent); overflow: hidden; }
.letters button:hover, .letters [aria-current] { background: var(--accent-soft); }
.policy { flex: none; text-align: center; color: var(--ink-2); font-size: 11px; line-height: 20px; }
.policy select { border: 0; border-radius: 4px; background: none; color: var(--ink); font-size: inherit; }
@media (max-width: 760px) {
  .screen { padding: 0; }
  .phone { max-width: none; border: 0; border-radius: 0; box-shadow: none; }
  .phone header { padding-top: 12px; }
  .card { padding-right: 44px; }
  .letters button { width: 28px; }
}

"""#),
  "/style/story.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "97a83a3efa1143f2",
    text: #"""
/* The story. Heights are known to entries.js: a row takes 31 px, each effect 18, each finding 24. */
.virtual { position: relative; flex: 1; min-height: 0; overflow: hidden auto; overflow-anchor: none; contain: strict; outline-offset: -2px; scrollbar-width: thin; scrollbar-color: var(--line-strong) transparent; }
.space { position: relative; contain: strict; min-height: 1px; }
.row { position: absolute; inset: 0 0 auto; contain: strict; }
.row.unknown i { position: absolute; left: 60px; right: 30%; top: 10px; height: 10px; border-radius: 5px; background: var(--sunken); }
.day { position: absolute; z-index: 2; top: 40px; left: 0; right: 12px; height: 26px; padding: 0 16px; background: var(--paper); color: var(--ink-3); font-size: 11px; line-height: 26px; font-weight: 500; letter-spacing: 0.02em; pointer-events: none; }

.entry { display: grid; grid-template-columns: 52px 58px 14px minmax(0, 1fr) auto; column-gap: 8px; align-content: start; height: 100%; padding: 5px 12px 0 8px; cursor: default; }
.entry.fine { grid-template-columns: 52px 80px 14px minmax(0, 1fr) auto; }
.entry::after { content: ""; position: absolute; left: 16px; right: 0; bottom: 0; height: 1px; background: var(--line); opacity: 0.7; }
.entry.new-day::before { content: ""; position: absolute; left: 0; right: 0; top: 0; height: 1px; background: var(--ink-3); }
.entry:hover { background: var(--hover); }
.entry .number { text-align: end; color: var(--ink-3); letter-spacing: -0.02em; }
.entry .clock { color: var(--ink-3); overflow: hidden; }
.entry .way { color: var(--ink-3); height: 20px; }
.entry .way .icon { width: 14px; height: 14px; }
.entry .way.out { color: var(--accent); }
.entry .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.entry .device { max-width: 96px; color: var(--ink-3); font-size: 11px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.entry .effects, .entry .told { grid-column: 4 / -1; }
.effects { display: block; min-width: 0; }
.effect { display: block; height: 18px; line-height: 18px; font-size: 12px; color: var(--ink-2); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.told { display: inline-flex; align-items: center; gap: 6px; width: fit-content; max-width: 100%; height: 22px; margin-top: 2px; padding: 0 8px 0 7px; border-radius: 5px; font-size: 12px; white-space: nowrap; overflow: hidden; }
.told span { overflow: hidden; text-overflow: ellipsis; }
.told.error { background: var(--error-soft); color: var(--error); }
.told.warning { background: var(--warning-soft); color: var(--warning); }
.told.info { background: var(--info-soft); color: var(--info); }
[data-who], [data-at] { cursor: pointer; }

.entry.fold .what, .entry.fold .chevron { color: var(--ink-3); }
.entry.fold .chevron { cursor: pointer; }
.entry.fold .chevron .icon { transition: rotate 0.12s; }
.entry.fold.open .chevron .icon { rotate: 90deg; }
.entry.fold .part { margin-left: 8px; font-size: 12px; font-variant-numeric: tabular-nums; }
.entry.fold .part .sign { width: auto; margin-right: 1px; }
.entry.inside .what, .entry.inside .effects { padding-left: 12px; }
.entry.plain .what { color: var(--ink-2); }

.row.future :is(.what, .who, .effect, .way, .sign, .reference, .told) { color: var(--ink-3); }
.row.future .who { font-weight: 400; }
.row.future .told { padding-left: 0; background: none; }
.row.future .severity { opacity: 0.6; }
.row.now .entry { background: var(--accent-soft); }
.row.now .entry::before, .row.pinned-row .entry::before { content: ""; position: absolute; left: 0; right: auto; top: 0; bottom: 0; width: 3px; height: auto; background: var(--accent); }
.row.pinned-row .entry::before { background: var(--pin); }
.row.now :is(.number, .clock) { color: var(--accent); }
.row.now :is(.device, .what, .chevron, .domain, .effect) { color: var(--ink-2); }
.row.now .what, .row.now .who { color: var(--ink); }
.row.pinned-row:not(.now) .number { color: var(--pin); }

@media (max-width: 760px) {
  .entry, .entry.fine { grid-template-columns: 48px 14px minmax(0, 1fr) auto; padding-left: 4px; }
  .entry .clock { grid-area: 1 / 4; align-self: center; line-height: 20px; }
  .entry .way { grid-area: 1 / 2; }
  .entry .what { grid-area: 1 / 3; }
  .entry .device { display: none; }
  .entry .effects, .entry .told { grid-column: 3 / -1; }
}

/* The list has the focus, and the current row shows it. */
#entries:focus-visible { outline: none; }
#entries:focus-visible .row.now .entry { box-shadow: inset 0 0 0 2px var(--accent); }

"""#),
  "/style/timeline.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "eb3826171f7f646f",
    text: #"""
/* The timeline. Its pictures are drawn on canvases; this is the row above and the frame. */
.timeline { grid-row: 2; border-bottom: 1px solid var(--line); background: var(--paper); user-select: none; min-width: 0; }
.transport { display: flex; align-items: center; gap: 8px; height: 36px; min-width: 0; padding: 6px 16px 0; }
.steps { display: flex; }
.transport .tool { width: 26px; height: 26px; }
.moment { display: flex; align-items: baseline; gap: 8px; min-width: 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
.moment b { font-weight: 600; color: var(--accent); }
.moment .of { color: var(--ink-3); }
.pinned { display: inline-flex; align-items: center; gap: 4px; height: 24px; padding: 0 4px 0 9px; border-radius: 12px; background: var(--pin-soft); color: var(--pin); font-size: 12px; white-space: nowrap; }
.pinned .tool, .pinned button:last-child { display: grid; place-items: center; width: 18px; height: 18px; border-radius: 50%; }
.pinned .icon { width: 12px; height: 12px; }
.indexing { color: var(--ink-3); font-size: 12px; }
.transport .right { display: flex; align-items: center; gap: 12px; margin-left: auto; color: var(--ink-2); font-size: 12px; white-space: nowrap; min-width: 0; }
.legend { display: flex; gap: 12px; }
.legend span { display: inline-flex; align-items: center; gap: 5px; }
.swatch { width: 9px; height: 9px; border-radius: 2px; background: var(--bar); }
.swatch.lasting { background: var(--bar-2); }
.zone { max-width: 140px; padding: 2px; border: 0; border-radius: 4px; background: none; color: var(--ink-2); text-overflow: ellipsis; }
.track { position: relative; height: 142px; cursor: crosshair; touch-action: pan-y; }
.track canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.track canvas, .tip { pointer-events: none; }
.track:focus-visible { outline-offset: -2px; }
.tip { position: absolute; z-index: 5; top: calc(100% - 6px); max-width: min(320px, 90vw); padding: 5px 10px; border-radius: 6px; background: var(--ink); color: var(--paper); font-size: 12px; line-height: 16px; box-shadow: var(--float); font-variant-numeric: tabular-nums; }
@media (max-width: 1180px) { .legend { display: none; } }
@media (max-width: 760px) {
  .transport { height: 34px; padding: 4px 12px 0; }
  .track { height: 86px; }
  .zone { max-width: 84px; }
}
@media (max-width: 480px) { .moment .of, .transport .right .segmented { display: none; } }
@media (max-width: 360px) { .zone { display: none; } }

"""#),
  "/style/tokens.css": EmbeddedFile(
    type: "text/css; charset=utf-8", digest: "0c8bad525cea12fb",
    text: #"""
/* Colors, sizes and type. Everything else refers to these by name. */
:root {
  color-scheme: light dark;
  --ground: light-dark(#f5f6f8, #0e1013);
  --paper: light-dark(#ffffff, #15171b);
  --sunken: light-dark(#f3f4f7, #101215);
  --hover: light-dark(#f4f6f9, #1b1e23);
  --line: light-dark(#e6e8ed, #24282e);
  --line-strong: light-dark(#cfd4dc, #3a4048);
  --ink: light-dark(#181b21, #e8eaee);
  --ink-2: light-dark(#525966, #a6adb8);
  --ink-3: light-dark(#69707d, #8a919d);
  --accent: light-dark(#3452d0, #93a8ff);
  --accent-soft: light-dark(#ebeffd, #1c2443);
  --on-accent: light-dark(#ffffff, #0e1013);
  --pin: light-dark(#7b3ec2, #c6a3f6);
  --pin-soft: light-dark(#f5eefd, #271e37);
  --came: light-dark(#12703a, #62cb8b);
  --went: light-dark(#b3271e, #ff9088);
  --changed: light-dark(#0b6878, #5fc4d3);
  --error: light-dark(#b3271e, #ff9088);
  --error-soft: light-dark(#fdeeec, #371b1b);
  --error-mark: light-dark(#d6382c, #ff776c);
  --warning: light-dark(#845000, #e9b452);
  --warning-soft: light-dark(#fdf4df, #30250f);
  --warning-mark: light-dark(#c47d00, #eaaa35);
  --info: light-dark(#475a73, #a5b6cd);
  --info-soft: light-dark(#eef2f7, #1d242d);
  --info-mark: light-dark(#6b829f, #8ba2bf);
  --online: light-dark(#1f9d55, #4fc07d);
  --away: light-dark(#bd7900, #e0a83e);
  --busy: light-dark(#d6382c, #ff776c);
  --bar: light-dark(#c5cddb, #3b444f);
  --bar-2: light-dark(#5b6f93, #8fa3c4);
  --lane: light-dark(#b9c4d6, #46515f);
  --lift: 0 1px 2px light-dark(rgb(16 24 40 / 0.07), rgb(0 0 0 / 0.4));
  --float: 0 12px 32px light-dark(rgb(16 24 40 / 0.16), rgb(0 0 0 / 0.6));
  --sans: Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", "Noto Sans Mono CJK SC", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }

*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 13px/20px var(--sans); -webkit-font-smoothing: antialiased; }
h1, h2, h3, p, ul, ol, dl, dd, dt, li { margin: 0; padding: 0; }
h1, h2, h3 { font: inherit; font-weight: 600; }
ul, ol { list-style: none; }
button, input, select { font: inherit; color: inherit; letter-spacing: inherit; }
button { padding: 0; border: 0; background: none; text-align: start; cursor: pointer; }
input[type="search"]::-webkit-search-cancel-button { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; border-radius: 4px; }
select option { background: var(--paper); color: var(--ink); }

.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.icon { width: 16px; height: 16px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round; vertical-align: -3px; }
.severity { width: 12px; height: 12px; flex: none; }
.severity.error { fill: var(--error-mark); }
.severity.warning { fill: var(--warning-mark); }
.severity.info { fill: var(--info-mark); }
.number, .clock, .code, code, kbd, pre { font-family: var(--mono); font-variant-numeric: tabular-nums; }
.number, .clock { font-size: 11px; }
.faint { color: var(--ink-3); }
.heading { font-size: 11px; line-height: 16px; font-weight: 500; letter-spacing: 0.02em; color: var(--ink-3); }
.link, .reference { color: var(--accent); border-radius: 3px; }
.link:hover, button.reference:hover, button.who:hover, [data-who]:hover, [data-at]:hover { text-decoration: underline; text-underline-offset: 2px; }
.reference { font: 11px/1 var(--mono); }
.who { font-weight: 500; color: var(--ink); border-radius: 3px; overflow-wrap: anywhere; }
.domain, .beside { color: var(--ink-2); font-weight: 400; }
.domain { color: var(--ink-3); }
.sign { display: inline-block; width: 12px; flex: none; font-family: var(--mono); font-weight: 700; }
.sign.came { color: var(--came); }
.sign.went { color: var(--went); }
.sign.changed { color: var(--changed); }
.segmented { display: inline-flex; padding: 2px; border: 1px solid var(--line); border-radius: 7px; background: var(--sunken); }
.segmented button { height: 20px; padding: 0 8px; border-radius: 5px; font-size: 12px; line-height: 20px; color: var(--ink-2); white-space: nowrap; }
.segmented button[aria-pressed="true"] { background: var(--paper); color: var(--ink); box-shadow: var(--lift); }
.empty { padding: 32px 24px; color: var(--ink-2); text-align: center; }
.empty b { display: block; margin-bottom: 4px; color: var(--ink); overflow-wrap: anywhere; }
kbd { display: inline-block; min-width: 18px; padding: 0 5px; border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: 4px; background: var(--paper); color: var(--ink-2); font-size: 11px; line-height: 16px; text-align: center; }

@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }
@media (forced-colors: active) {
  .segmented button[aria-pressed="true"], .live[aria-pressed="true"], .chip[aria-pressed="true"], [role="tab"][aria-selected="true"] { border: 2px solid Highlight; }
  .dot, .swatch, .severity { forced-color-adjust: none; }
  .row.now .entry { outline: 2px solid Highlight; outline-offset: -2px; }
}

"""#),
]
#endif
