// The record at the moment: what it means, what it changed, what is wrong with it, and its XML.
import { h, fill } from './dom.js';
import { contact, sentence, visible } from './people.js';
import { capital, clauseParts, effectParts, sign } from './rows.js';
import { findingCard } from './findings.js';
import { pretty, raw } from './xml.js';
import { ask } from './source.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { nothing } from './empty.js';

const fewLines = 12;

export class RecordPanel {
  constructor(element, app) {
    Object.assign(this, { element, app, isRaw: false, shown: null });
    element.setAttribute('aria-label', texts.record);
    element.tabIndex = 0;
    element.addEventListener('scroll', () => { this.isScrolled = true; }, { passive: true });
  }

  show(record) {
    const isSame = this.record?.n === record?.n && record !== null;
    this.record = record;
    if (!record) return fill(this.element, nothing([texts.start, texts.startText]));
    const { app } = this, links = { open: app.open, go: app.go, full: true };
    fill(this.element,
      h('h2', {}, this.headline(record, links)),
      this.meta(record),
      this.effects(record, links),
      record.findings.map((finding) => findingCard(app, finding, record.guides?.[finding.code], { isTold: true })),
      record.origins?.length ? h('p', { class: 'origins' }, record.origins.map((origin) => h('span', {}, sentence(origin.text, links)))) : null,
      this.source(record));
    if (!isSame && this.isScrolled) { this.element.scrollTop = 0; this.isScrolled = false; }
    return undefined;
  }

  headline({ clause }, links) {
    const name = (jid) => contact(jid, this.app.open, { full: true });
    return clause.who && clauseParts ? clauseParts(clause, links, name) : sentence(capital(clause.full), links);
  }

  meta(record) {
    const fine = this.app.log.hasMilliseconds || (record.t !== null && record.t % 1000 !== 0);
    return h('p', { class: 'meta' }, h('span', { class: 'number' }, `#${record.n}`),
      record.t === null ? null : h('span', {}, clock(record.t, fine)),
      record.sourceT ? h('span', {}, texts.sourceTime(clock(record.sourceT, true))) : null,
      h('span', {}, texts.recordMeta[record.way]), h('span', {}, texts.kindOn(record.kind, visible(record.device ?? ''))));
  }

  effects(record, links) {
    if (!record.lines.length) {
      return record.findings.length ? null : h('p', { class: 'faint' }, record.means ? texts.changedNothing : texts.meansNothing);
    }
    const list = h('ul', { class: 'changes', 'aria-label': texts.effects });
    const name = (jid) => contact(jid, this.app.open);
    const draw = (all) => fill(list,
      record.lines.slice(0, all ? Infinity : fewLines).map((line) => h('li', {}, sign(line.mark), h('span', {}, effectParts(line, record.clause.who, links, name)))),
      record.lines.length > fewLines ? h('li', {}, h('button', { class: 'link', type: 'button', onclick: () => draw(!all) }, all ? texts.fewerChanges : texts.allChanges(record.lines.length))) : null);
    draw(false);
    return list;
  }

  /** What was recorded, pretty or as it came. */
  source(record) {
    const text = record.xml ?? (record.line ? JSON.stringify(record.line) : null);
    if (text === null) return null;
    const box = h('div', { class: 'source' });
    const draw = () => fill(box,
      this.isRaw || record.xml === null ? raw(text, record.xml === null ? texts.line : texts.stanza) : pretty(text),
      h('div', { class: 'buttons' },
        record.xml === null ? null : h('button', { type: 'button', onclick: () => { this.isRaw = !this.isRaw; draw(); box.querySelector('button').focus(); } }, this.isRaw ? texts.pretty : texts.raw),
        h('button', { type: 'button', onclick: () => this.copy() }, texts.copy)),
      record.cut ? h('button', { class: 'link more', type: 'button', onclick: () => this.complete() }, texts.moreBytes(record.bytes - record.from - new TextEncoder().encode(record.xml).length)) : null);
    draw();
    return box;
  }

  async complete() {
    const { record, app } = this;
    try {
      let { xml } = record, end = new TextEncoder().encode(xml).length;
      while (end < record.bytes) {
        const next = await ask(`records/${record.n}`, { log: app.log.number, bytes: `${end}-${Math.min(record.bytes, end + 65_536)}` });
        const size = new TextEncoder().encode(next.xml ?? '').length;
        if (!size) break;
        xml += next.xml;
        end += size;
      }
      if (this.record === record) this.show({ ...record, xml, cut: false });
    } catch (error) { app.report(error); }
  }

  async copy() {
    const text = this.record?.xml ?? JSON.stringify(this.record?.line ?? '');
    try { await navigator.clipboard.writeText(text); this.app.say(texts.copied); } catch { this.app.say(texts.copyFailed); }
  }
}
