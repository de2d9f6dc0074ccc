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
