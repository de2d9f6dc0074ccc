// What would have happened otherwise: one thing changed, and the two courses beside each other.
import { h, fill } from './dom.js';
import { severityMark } from './icons.js';
import { contact, recordLink, sentence } from './people.js';
import { clauseParts, effectParts, sign } from './rows.js';
import { ask, post, whenIndexed } from './source.js';
import { valuesOf } from './difference.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';

const t = texts.whatif, mostDifferences = 200, mostMoments = 8, usualPolicy = 'strict';

export class WhatIf {
  constructor(app) {
    this.app = app;
    this.choices = h('div', { class: 'chips', role: 'group', 'aria-label': t.choose });
    this.result = h('div', { class: 'result', 'aria-live': 'polite' }, nothing(t.none));
    this.element = h('div', { class: 'what-if' }, this.choices, this.result);
  }

  async draw(at) {
    if (this.at === at) return;
    this.at = at;
    try { this.policies ??= (await ask('policies', {}, { keep: true })).policies; } catch { this.policies = []; }
    if (this.at !== at) return;
    const chip = (label, edit, title) => h('button', {
      class: 'chip', type: 'button', title, 'aria-pressed': String(JSON.stringify(edit) === this.chosen), onclick: (event) => this.run(edit, event.currentTarget),
    }, label);
    fill(this.choices,
      chip(t.drop(at), { drop: [String(at)] }), at < this.app.log.head ? chip(t.swap(at, at + 1), { swap: [[at, at + 1]] }) : null,
      this.policies.filter(({ name }) => name !== usualPolicy).map(({ name, rule }) => chip(t.policy(name), { policy: name }, rule)));
  }

  async run(edit, pressed) {
    this.chosen = JSON.stringify(edit);
    for (const chip of this.choices.children) chip.setAttribute('aria-pressed', String(chip === pressed));
    const { chosen } = this, say = (...words) => fill(this.result, h('p', { class: 'faint running' }, words, ' ', h('button', { class: 'link', type: 'button', onclick: () => this.cancel() }, t.cancel)));
    say(t.running);
    try {
      const answer = await whenIndexed(() => post('branches', { ...edit, log: this.app.log.number }), (sentence) => { if (this.chosen === chosen) say(sentence); return this.chosen === chosen; });
      if (this.chosen === chosen) this.show(answer);
    } catch (error) { if (this.chosen === chosen) fill(this.result, h('p', { class: 'fault', role: 'alert' }, error.message)); }
  }

  async cancel() {
    this.chosen = null;
    for (const chip of this.choices.children) chip.setAttribute('aria-pressed', 'false');
    fill(this.result, nothing(t.none));
    try { await post('branches', { cancel: true, log: this.app.log.number }); } catch (error) { this.app.report(error); }
  }

  show({ differs, parting, differences = [], findings = {}, titles = {} }) {
    const { app } = this;
    this.titles = titles;
    if (!differs && !parting && !differences.length) return fill(this.result, nothing([t.same, '']));
    const finding = (found, label) => h('p', { class: 'change' }, h('span', { class: `told ${found.severity}` }, severityMark(found.severity), this.titles[found.code] ?? found.code), ' ', h('span', { class: 'faint' }, label), ' ', recordLink(found.record, app.go));
    return fill(this.result,
      parting ? [h('p', { class: 'facts' }, h('span', {}, sentence(t.partsAt(parting.record), { open: app.open, go: app.go }))),
        h('div', { class: 'courses' }, this.course(t.happened, parting.happened), this.course(t.otherwise, parting.instead))] : null,
      findings.removed?.map((found) => finding(found, t.removed)), findings.added?.map((found) => finding(found, t.added)),
      h('h3', { class: 'heading' }, differences.length ? t.atEnd : t.sameAtEnd),
      differences.slice(0, mostDifferences).map((difference) => this.difference(difference)),
      differences.length > mostDifferences ? h('p', { class: 'faint more' }, t.more(differences.length - mostDifferences)) : null);
  }

  course(title, given = []) {
    // A record that is read in two steps is shown once, unless both have an effect.
    const moments = given.filter(({ record, changes = [], findings = [] }, index) =>
      changes.length || findings.length || given.findIndex((other) => other.record === record) === index);
    return h('section', {}, h('h3', { class: 'heading' }, title),
      moments.length ? moments.slice(0, mostMoments).map((moment) => this.moment(moment)) : h('p', { class: 'faint' }, t.nothingHere),
      moments.length > mostMoments ? h('p', { class: 'faint more' }, texts.roster.more(moments.length - mostMoments)) : null);
  }

  moment({ record, meaning, changes = [], findings = [] }) {
    const links = { open: this.app.open, go: this.app.go, full: false }, name = (jid) => contact(jid, this.app.open);
    return [h('p', {}, recordLink(record, this.app.go), ' ', clauseParts({ who: null, full: meaning ?? '' }, links, name)),
      changes.slice(0, mostMoments).map((change) => h('span', { class: 'effect' }, sign(change.mark), effectParts(change, null, links, name))),
      findings.map((found) => h('span', { class: `told ${found.severity}` }, severityMark(found.severity), this.titles[found.code] ?? found.code))];
  }

  difference(difference) {
    const { app } = this, jid = difference.contact ?? difference.jid;
    return h('section', { class: 'different' }, h('h3', {}, jid ? contact(jid, app.open, { full: true }) : texts.diff.account),
      h('div', { class: 'difference' }, sign(difference.mark ?? (difference.before === null || difference.before === undefined ? '+' : difference.after === null || difference.after === undefined ? '-' : '~')),
        h('span', { class: 'field' }, difference.field), h('span', { class: 'values' }, valuesOf({ text: difference.text ?? difference.field, ...difference })),
        difference.record ? recordLink(difference.record, app.go) : h('span', {})));
  }
}
