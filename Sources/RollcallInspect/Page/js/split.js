// The borders between panes, which the mouse and the arrow keys move.
import { h } from './dom.js';
import * as prefs from './prefs.js';

/**
 * A border that sets the custom property `property` of `host`, in pixels.
 * `direction` is 1 if moving right or down makes the value larger, -1 otherwise.
 */
export function splitter(host, property, label, { axis = 'x', direction = 1, least, most, usual }) {
  const isX = axis === 'x';
  const bar = h('div', { class: `splitter ${axis}`, role: 'separator', tabIndex: 0, 'aria-label': label, 'aria-orientation': isX ? 'vertical' : 'horizontal', 'aria-valuemin': String(least), 'aria-valuemax': String(most) });
  let value = Number(prefs.read(property, usual));
  const apply = (next, keeps = true) => {
    value = Math.max(least, Math.min(most, Math.round(next)));
    host.style.setProperty(`--${property}`, `${value}px`);
    bar.setAttribute('aria-valuenow', String(value));
    if (keeps) prefs.write(property, value);
  };
  if (prefs.read(property, null) !== null) apply(value, false); else bar.setAttribute('aria-valuenow', String(usual));
  bar.addEventListener('keydown', (event) => {
    const step = { [isX ? 'ArrowRight' : 'ArrowDown']: 16, [isX ? 'ArrowLeft' : 'ArrowUp']: -16 }[event.key];
    if (!step) return;
    event.preventDefault();
    apply(value + step * direction);
  });
  bar.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const start = isX ? event.clientX : event.clientY, from = value;
    const move = (moved) => apply(from + ((isX ? moved.clientX : moved.clientY) - start) * direction);
    bar.addEventListener('pointermove', move);
    for (const name of ['pointerup', 'pointercancel']) bar.addEventListener(name, () => bar.removeEventListener('pointermove', move), { once: true });
  });
  bar.addEventListener('dblclick', () => apply(usual));
  return bar;
}
