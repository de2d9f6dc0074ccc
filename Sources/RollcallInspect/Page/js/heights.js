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
