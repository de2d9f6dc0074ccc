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
