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
