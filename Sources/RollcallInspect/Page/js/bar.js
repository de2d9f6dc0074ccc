// The bar at the top, the row above the timeline, and the dock of narrow windows.
import { h, fill, button } from './dom.js';
import { icon, logo } from './icons.js';
import { visible } from './people.js';
import { texts } from './texts.js';
import { clock, currentZone, ownZone } from './times.js';
import * as store from './store.js';

const tool = (name, label, press, more) => button({ class: 'tool', label, press, ...more }, icon(name));

export function buildBar(element, app, actions) {
  const find = h('input', {
    type: 'search', id: 'filter', placeholder: texts.filterHint, 'aria-label': texts.filterLabel, spellcheck: 'false', autocomplete: 'off', value: store.get().q,
    oninput: () => actions.filter(find.value),
    onkeydown: (event) => { if (event.key === 'Escape') { event.preventDefault(); document.getElementById('entries').focus(); } else if (event.key === 'Enter') document.getElementById('entries').focus(); },
  });
  const live = h('button', { class: 'live', type: 'button', title: texts.tool.liveTitle, 'aria-pressed': 'false', onclick: actions.live }, texts.tool.live);
  const { log } = app;
  const title = log.logs.length > 1
    ? h('select', { class: 'log-choice', 'aria-label': texts.tool.log, onchange: (event) => actions.openLog(event.target.value) }, log.logs.map((other) => h('option', { value: String(other.log), selected: other.log === log.number }, visible(other.title))))
    : log.title && log.title !== log.account ? h('span', { class: 'log-title' }, h('bdi', {}, visible(log.title))) : null;
  fill(element, h('h1', { class: 'brand' }, logo(), h('span', { class: 'word' }, texts.brand)),
    h('span', { class: 'account' }, h('bdi', {}, visible(log.account ?? ''))), title,
    h('div', { class: 'find', role: 'search', 'aria-label': texts.filterLabel }, icon('find'), find),
    h('div', { class: 'tools' }, log.live ? live : null,
      log.logs.length > 1 ? tool('compare', texts.tool.compare, actions.compare) : null,
      log.writable ? tool('bookmark', texts.tool.bookmark, actions.bookmark, { class: 'tool alone' }) : null,
      tool('download', texts.tool.download, actions.export, { class: 'tool wide alone' }),
      tool('theme', texts.tool.theme, actions.theme), tool('keyboard', texts.tool.keys, actions.keys, { class: 'tool wide' })));
  return { find, live };
}

/** The row above the track. Returns a function that brings it up to date. */
export function buildTransport(element, app, actions) {
  const number = h('b', {}), of = h('span', { class: 'of' }), time = h('span', { class: 'time' }), pinNumber = h('button', { class: 'to-pin', type: 'button' });
  const pin = tool('pin', texts.pinHere, actions.pin), indexing = h('span', { class: 'indexing', role: 'status' });
  const pinned = h('span', { class: 'pinned' }, pinNumber, button({ label: texts.unpin, press: () => store.set({ pin: '' }) }, icon('close')));
  const whole = h('button', { class: 'link whole', type: 'button', onclick: () => app.timeline.showWhole() }, texts.wholeLog);
  const axes = ['time', 'record'].map((axis) => h('button', { type: 'button', 'data-axis': axis, onclick: () => store.set({ axis, from: '', to: '' }) }, axis === 'time' ? texts.axisTime : texts.axisRecord));
  const zones = [...new Set(['UTC', ownZone(), currentZone()])];
  const zone = h('select', { class: 'zone', 'aria-label': texts.tool.zone, title: texts.tool.zone, onchange: () => actions.zone(zone.value) }, zones.map((name) => h('option', { value: name, selected: name === currentZone() }, texts.zone(name))));
  pinNumber.addEventListener('click', () => app.go(store.get().pin));
  fill(element, h('span', { class: 'steps' }, tool('back', texts.previous, () => actions.step(-1)), tool('forward', texts.next, () => actions.step(1))),
    h('span', { class: 'moment' }, number, of, time), pin, pinned, indexing,
    h('span', { class: 'right' }, h('span', { class: 'legend' }, h('span', {}, h('i', { class: 'swatch lasting' }), texts.legendLasting), h('span', {}, h('i', { class: 'swatch' }), texts.legendAll)), whole,
      app.log.hasTimes ? zone : null, app.log.hasTimes ? h('span', { class: 'segmented', role: 'group', 'aria-label': texts.axis }, axes) : null));
  return () => {
    const { at, pin: pinAt, axis } = store.get(), t = app.timeline.times.get(Number(at));
    number.textContent = `#${at}`;
    of.textContent = texts.ofRecords(app.log.head);
    time.textContent = clock(t, app.log.hasMilliseconds);
    pin.hidden = pinAt !== '';
    pinned.hidden = pinAt === '';
    pinNumber.textContent = `${texts.pinned} #${pinAt}`;
    indexing.textContent = app.log.complete ? '' : texts.indexing(app.log.upTo, app.log.records);
    whole.hidden = !app.timeline.series || app.timeline.isWhole;
    for (const option of axes) option.setAttribute('aria-pressed', String(option.dataset.axis === axis));
  };
}

export function buildDock(element, app, choose) {
  const icons = { story: 'story', record: 'record', roster: 'roster', screen: 'phone', findings: 'alert' };
  const badge = h('span', { class: 'badge', 'aria-hidden': 'true' });
  const buttons = Object.entries(texts.dock).map(([pane, label]) => h('button', { type: 'button', 'data-pane': pane, onclick: () => choose(pane) }, icon(icons[pane]), label, pane === 'findings' ? badge : null));
  fill(element, buttons);
  return (current) => {
    for (const item of buttons) { if (item.dataset.pane === current) item.setAttribute('aria-current', 'true'); else item.removeAttribute('aria-current'); }
    badge.textContent = app.findings.total || '';
    badge.hidden = !app.findings.total;
  };
}
