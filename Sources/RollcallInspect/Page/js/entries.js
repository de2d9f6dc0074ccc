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
