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
