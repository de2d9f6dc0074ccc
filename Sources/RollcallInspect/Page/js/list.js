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
