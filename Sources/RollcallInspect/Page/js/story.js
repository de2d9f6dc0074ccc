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
