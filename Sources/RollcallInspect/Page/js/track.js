// Draws the timeline: what stays below, and above it the moment, the pin and the pointer.
import { isDayStep, isSecondStep, ticks } from './axis.js';
import { clock, isoDay, number } from './times.js';
import { texts } from './texts.js';
import * as store from './store.js';

const names = ['ink-2', 'ink-3', 'line', 'line-strong', 'on-accent', 'accent', 'pin', 'bar', 'bar-2', 'lane', 'error-mark', 'warning-mark', 'info-mark'];
/** The colors of the page as the canvas needs them, which does not know custom properties. */
export function palette(host) {
  const probe = document.createElement('i');
  host.append(probe);
  const colors = Object.fromEntries(names.map((name) => { probe.style.color = `var(--${name})`; return [name, getComputedStyle(probe).color]; }));
  probe.remove();
  return colors;
}

const rank = { info: 1, warning: 2, error: 3 };
const mostLanes = 5;

export function drawBase(view, columns) {
  const pen = view.base.getContext('2d'), { colors, left, right, width, height, isNarrow } = view;
  pen.clearRect(0, 0, width, height);
  const lanes = view.log.devices.slice(0, mostLanes), laneTop = isNarrow ? 32 : 44, laneStep = isNarrow ? 6 : 13;
  view.floor = height - (isNarrow ? 8 : 10);
  pen.fillStyle = colors.line;
  view.ticks = ticksOf(view);
  for (const { value } of view.ticks) pen.fillRect(Math.round(view.x(value)), 16, 1, view.floor - 16);
  lanes.forEach((device, index) => drawLane(view, pen, device, laneTop + index * laneStep));
  drawDensity(view, pen, columns, laneTop + lanes.length * laneStep + 2);
  pen.fillStyle = colors['line-strong'];
  pen.fillRect(left, view.floor, right - left, 1);
  drawMarks(view, pen, isNarrow ? 23 : 30);
  if (!view.isWhole) drawPosition(view, pen);
}

function ticksOf(view) {
  const [from, to] = view.range, most = Math.max(2, Math.floor((view.right - view.left) / (view.isNarrow ? 84 : 110)));
  return ticks(view.axis, from, to, most);
}

function drawLane(view, pen, device, y) {
  const { colors, left, right, isNarrow, log } = view, thickness = isNarrow ? 3 : 5;
  if (!isNarrow) {
    pen.fillStyle = colors['ink-2'];
    pen.textAlign = 'left';
    pen.fillText(shortened(device), 16, y + thickness / 2);
  }
  pen.fillStyle = colors.line;
  pen.fillRect(left, y + thickness / 2 - 0.5, right - left, 1);
  for (const session of log.sessions) {
    if (session.label !== device) continue;
    const start = Math.max(left, view.x(placeOf(view, session.from, session.fromT)));
    const end = Math.min(right, session.to === null ? right : view.x(placeOf(view, session.to, session.toT)));
    if (end < left || start > right) continue;
    pen.fillStyle = colors.lane;
    roundBox(pen, start, y, Math.max(2, end - start - 1), thickness, 2);
    if (session.end === 'lost' && end < right) {
      pen.fillStyle = colors['ink-3'];
      pen.fillRect(end - 1.5, y - 1.5, 1.5, thickness + 3);
    }
  }
}
const placeOf = (view, record, time) => (view.axis === 'time' && time !== null ? time : view.value(record));
export const shortened = (text) => ([...text].length > 11 ? `${[...text].slice(0, 10).join('')}…` : text);

function drawDensity({ colors, left, right, floor, isNarrow }, pen, { all, lasting }, top) {
  const most = Math.max(1, ...all), room = floor - top, each = (right - left) / all.length;
  if (!isNarrow) {
    pen.fillStyle = colors['ink-3'];
    pen.textAlign = 'left';
    pen.fillText(texts.laneRecords, 16, floor - 6);
  }
  const bar = (count, least) => Math.max(least, Math.sqrt(count / most) * room);
  all.forEach((count, index) => {
    if (count <= 0) return;
    const x = left + index * each, width = Math.max(1, each - 1), height = bar(count, 1.5);
    pen.fillStyle = colors.bar;
    pen.fillRect(x, floor - height, width, height);
    if (lasting[index] <= 0) return;
    pen.fillStyle = colors['bar-2'];
    const dark = bar(lasting[index], 3);
    pen.fillRect(x, floor - dark, width, dark);
  });
}

function drawMarks(view, pen, y) {
  view.marks = [];
  for (const finding of [...view.findings].sort((a, b) => rank[a.severity] - rank[b.severity])) {
    const x = view.x(placeOf(view, finding.record, finding.t ?? null));
    if (x < view.left - 6 || x > view.right + 6) continue;
    view.marks.push({ x, finding });
    pen.fillStyle = view.colors[`${finding.severity}-mark`];
    drawShape(pen, finding.severity, x, y, view.isNarrow ? 4.5 : 5.5);
  }
}
export function drawShape(pen, severity, x, y, r) {
  pen.beginPath();
  if (severity === 'error') { pen.moveTo(x, y - r); pen.lineTo(x + r, y); pen.lineTo(x, y + r); pen.lineTo(x - r, y); }
  else if (severity === 'warning') { pen.moveTo(x, y - r); pen.lineTo(x + r, y + r * 0.85); pen.lineTo(x - r, y + r * 0.85); }
  else pen.arc(x, y, r * 0.75, 0, Math.PI * 2);
  pen.fill();
}

// Where in the whole log the range is.
function drawPosition(view, pen) {
  const { left, right, height, colors } = view, [from, to] = view.range, [low, high] = view.whole;
  const at = (value) => left + ((value - low) / (high - low)) * (right - left);
  pen.fillStyle = colors.line;
  pen.fillRect(left, height - 4, right - left, 3);
  pen.fillStyle = colors['ink-3'];
  roundBox(pen, at(from), height - 4, Math.max(8, at(to) - at(from)), 3, 1.5);
}

export function drawOverlay(view) {
  const pen = view.over.getContext('2d'), { colors, left, right, width, height, floor } = view;
  pen.clearRect(0, 0, width, height);
  const { at, pin } = store.get(), x = view.x(view.value(Number(at)));
  const label = view.axis === 'time' ? clock(view.times.get(Number(at)) ?? view.value(Number(at))) : `#${at}`;
  const pill = pen.measureText(label).width + 14, isInside = x >= left - 1 && x <= right + 1;
  const pillX = Math.max(4, Math.min(width - pill - 4, x - pill / 2));
  pen.fillStyle = colors['ink-3'];
  for (const { value, step } of view.ticks) {
    const text = tickText(view.axis, value, step), half = pen.measureText(text).width / 2;
    const center = Math.max(left + half - 14, Math.min(right - half + 4, view.x(value)));
    if (isInside && center + half > pillX - 8 && center - half < pillX + pill + 8) continue;
    pen.textAlign = 'center';
    pen.fillText(text, center, 9);
  }
  if (pin) drawPin(view, pen, view.x(view.value(Number(pin))), x);
  if (view.pointer !== null && view.pointer !== undefined) {
    pen.fillStyle = colors['line-strong'];
    pen.fillRect(Math.round(view.pointer), 16, 1, floor - 16);
  }
  if (!isInside) return;
  pen.fillStyle = colors.accent;
  pen.fillRect(x - 0.75, 16, 1.5, floor - 16);
  roundBox(pen, pillX, 1, pill, 17, 8.5);
  pen.fillStyle = colors['on-accent'];
  pen.textAlign = 'center';
  pen.fillText(label, pillX + pill / 2, 10);
}

function drawPin({ left, right, floor, colors }, pen, x, moment) {
  const inside = (value) => Math.max(left, Math.min(right, value)), start = inside(Math.min(x, moment)), end = inside(Math.max(x, moment));
  pen.fillStyle = colors.pin;
  pen.globalAlpha = 0.08;
  pen.fillRect(start, 18, end - start, floor - 18);
  pen.globalAlpha = 0.55;
  pen.fillRect(start, 18, end - start, 1.5);
  pen.globalAlpha = 1;
  if (x < left - 1 || x > right + 1) return;
  for (let y = 18; y < floor; y += 6) pen.fillRect(x - 0.75, y, 1.5, 3);
  pen.beginPath();
  pen.arc(x, 19, 4, 0, Math.PI * 2);
  pen.fill();
}

function tickText(axis, value, step) {
  if (axis === 'record') return `#${number(value)}`;
  return isDayStep(step) ? isoDay(value) : isSecondStep(step) ? clock(value) : clock(value).slice(0, 5);
}
export function roundBox(pen, x, y, width, height, radius) { pen.beginPath(); pen.roundRect(x, y, width, height, radius); pen.fill(); }
