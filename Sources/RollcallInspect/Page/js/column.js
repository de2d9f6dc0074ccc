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
