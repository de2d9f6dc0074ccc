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
