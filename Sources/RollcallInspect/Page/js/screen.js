// The contacts screen as an application would draw it: letters, search, and rows that glide to their new place.
import { h, fill } from './dom.js';
import { icon } from './icons.js';
import { HeadedHeights } from './heights.js';
import { VirtualList } from './list.js';
import { initial } from './people.js';
import { roving } from './keys.js';
import { ask, Latest } from './source.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';
import * as prefs from './prefs.js';

const t = texts.screen, rowHeight = 48, headingHeight = 22, windowSize = 40, glideTime = 200, farthest = 320;

export class Screen {
  constructor(app) {
    Object.assign(this, { app, rows: new Map(), places: new Map() });
    this.input = h('input', { type: 'search', placeholder: t.search, 'aria-label': t.searchLabel, spellcheck: 'false', oninput: () => { this.list.top = 0; app.refresh(); } });
    this.policy = h('select', { 'aria-label': t.policyLabel, onchange: () => { prefs.write('friends', this.policy.value); app.refresh(); } });
    this.listElement = h('div', { id: 'screen-rows' });
    this.none = h('div', { hidden: true });
    this.letters = h('div', { class: 'letters', role: 'toolbar', 'aria-orientation': 'vertical', 'aria-label': t.letters });
    roving(this.letters, 'button', { vertical: true, press: false });
    this.element = h('div', { class: 'screen' }, h('section', { class: 'phone', 'aria-label': t.label },
      h('header', {}, h('h2', {}, t.title), h('div', { class: 'search', role: 'search', 'aria-label': t.searchLabel }, icon('find'), this.input)), this.none, this.listElement, this.letters),
    h('p', { class: 'policy' }, h('label', {}, t.policy, ' ', this.policy)));
    this.setPolicies(Object.keys(t.friends));
    this.heights = new HeadedHeights(rowHeight, headingHeight);
    this.list = new VirtualList(this.listElement, { heights: this.heights, label: t.title, draw: (index, row) => this.draw(index, row) });
    this.list.onscroll = () => { this.ensure(); this.markLetter(); };
    this.asking = new Latest(app.report);
  }

  setPolicies(names) {
    const chosen = prefs.read('friends', 'mutual');
    fill(this.policy, names.map((name) => h('option', { value: name, selected: name === chosen }, t.friends[name] ?? name)));
  }
  get choice() { return { friends: this.policy.value, search: this.input.value.trim() || null }; }
  get parameters() {
    const from = Math.max(0, (this.list.range[0] ?? 0) - 10);
    return { screen: `${from}-${from + windowSize}`, ...this.choice };
  }

  show(answer) {
    const before = this.answer ? this.geometry() : null;
    this.answer = answer;
    this.rows.clear();
    this.take(answer);
    // The index names the heading rows that have letters; requests and stars are headings before them.
    const known = answer.rows.map((row, offset) => (row.head === undefined ? -1 : answer.from + offset)).filter((row) => row >= 0);
    this.heights.reset(answer.total, [...new Set([...answer.index.map(([, row]) => row), ...known])].sort((a, b) => a - b));
    this.none.hidden = answer.total > 0;
    fill(this.none, nothing([this.choice.search ? t.notFound : answer.isKnown === false ? t.unknown : t.empty, '']));
    this.list.refresh();
    this.drawLetters();
    this.ensure();
    if (before) this.glide(before);
  }
  take(answer) { answer.rows.forEach((row, offset) => this.rows.set(answer.from + offset, row)); }

  ensure() {
    const { answer } = this;
    if (!answer) return;
    const [first, last] = this.list.range;
    for (let i = first; i < Math.min(last, answer.total); i++) {
      if (this.rows.has(i)) continue;
      const from = Math.max(0, i - 10);
      this.asking.want(() => ask('screen', { log: this.app.log.number, at: answer.at, from, count: windowSize, ...this.choice }, { keep: true }), (more) => {
        if (this.answer !== answer) return;
        this.take(more);
        const known = more.rows.map((row, offset) => (row.head === undefined ? -1 : more.from + offset)).filter((row) => row >= 0);
        this.heights.headings = [...new Set([...this.heights.headings, ...known])].sort((a, b) => a - b);
        this.list.refresh();
        this.ensure();
      });
      return;
    }
  }

  draw(index, element) {
    const row = this.rows.get(index);
    if (!row) { element.classList.add('unknown'); fill(element, h('i', {})); return; }
    element.dataset.key = row.key ?? '';
    if (row.head !== undefined) {
      element.classList.add('letter');
      fill(element, h('h3', {}, { requests: t.requests, starred: t.starred, ungrouped: t.ungrouped, search: t.found }[row.kind] ?? row.head));
      return;
    }
    const jid = row.request ?? row.jid, shown = row.show ?? null;
    const second = row.request ? (row.text ? `“${row.text}”` : t.asks) : row.status || texts.presence[shown ?? 'offline'] || shown;
    if (this.app.touched.has(jid)) element.classList.add('touched');
    fill(element, h('button', { class: `card${row.request ? ' request' : ''}`, type: 'button', onclick: () => this.app.open(jid) },
      h('span', { class: 'avatar', 'aria-hidden': 'true' }, initial(row.name ?? jid), row.request ? null : h('span', { class: `dot ${shown ?? 'offline'}` })),
      // The screen shows names as an application would, with every character that acts.
      h('span', { class: 'text' }, h('b', {}, h('bdi', {}, row.name ?? jid)), h('small', {}, h('bdi', {}, second)))));
  }

  drawLetters() {
    // Rows before the first letter, such as requests, have none.
    const index = this.answer.index.filter(([letter]) => letter !== ''), stamp = JSON.stringify(index.map(([letter]) => letter));
    this.letters.hidden = index.length === 0;
    if (this.letters.stamp !== stamp) {
      this.letters.stamp = stamp;
      fill(this.letters, index.map(([letter], position) => h('button', { type: 'button', tabIndex: position === 0 ? 0 : -1, 'aria-label': t.goTo(letter), onclick: () => this.goTo(letter) }, letter)));
    }
    this.markLetter();
  }
  goTo(letter) {
    const row = this.answer.index.find(([name]) => name === letter)?.[1];
    if (row !== undefined) this.list.reveal(row, 'start');
  }
  markLetter() {
    if (!this.answer) return;
    const first = this.list.range[0], current = (this.answer.index.findLast(([, row]) => row <= first)?.[0]) || this.letters.firstChild?.textContent;
    for (const button of this.letters.children) { if (button.textContent === current) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current'); }
  }

  // Where the rows are that can be seen, by key.
  geometry() {
    const found = new Map();
    for (const row of this.list.rows.values()) if (row.dataset.key) found.set(row.dataset.key, row.at - this.list.bar);
    return found;
  }
  glide(before) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches || !this.list.viewport) return;
    for (const row of this.list.rows.values()) {
      const old = before.get(row.dataset.key), now = row.at - this.list.bar;
      if (!row.dataset.key || old === now) continue;
      const frames = old === undefined ? [{ opacity: 0 }, { opacity: 1 }]
        : [{ translate: `0 ${Math.max(-farthest, Math.min(farthest, old - now))}px` }, { translate: '0 0' }];
      row.animate(frames, { duration: glideTime, easing: 'ease-out' });
    }
  }
}
