// Finding cards: what is wrong, why it usually happens, what to do, and where to look.
import { h } from './dom.js';
import { severityMark } from './icons.js';
import { sentence } from './people.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { nothing } from './empty.js';
import * as store from './store.js';

const rank = { error: 0, warning: 1, info: 2 };

/** A card. `isTold` if the record is shown beside it, so that the card need not lead to it. */
export function findingCard(app, finding, guide, { isHere = false, isOpen = false, isTold = false } = {}) {
  const links = { open: app.open, go: app.go, full: true };
  return h('article', { class: `finding ${finding.severity}${isHere ? ' here' : ''}`, 'aria-label': finding.title },
    h('header', {}, severityMark(finding.severity), h('strong', {}, finding.title), h('span', { class: 'code' }, finding.code)),
    h('p', {}, sentence(finding.sentence, links)),
    guide ? h('details', { class: 'guide', open: isOpen }, h('summary', {}, texts.guide), h('dl', {},
      h('dt', {}, texts.guideCauses), h('dd', {}, sentence(guide.causes, links)),
      h('dt', {}, texts.guideRemedy), h('dd', {}, sentence(guide.remedy, links)),
      h('dt', {}, texts.guideRule), h('dd', {}, sentence(guide.rule, links)))) : null,
    h('p', { class: 'actions' },
      isTold ? null : link(texts.findingAt(finding.record, clock(finding.t, app.log.hasMilliseconds)), () => app.go(finding.record)),
      actionsOf(finding, isTold).map(([label, press]) => link(label, press, app))));

  function actionsOf({ cause, actions = [], record }) {
    const found = new Map();
    if (cause && cause !== record) found.set(texts.findingCause(cause), () => app.go(cause));
    for (const action of actions) {
      if (action.do === 'contact') found.set(texts.action.contact, () => app.open(action.who));
      else if (action.do === 'history') found.set(texts.action.history, () => app.open(action.who, 'history'));
      else if (action.do === 'diff') found.set(texts.action.diff, () => store.set({ pin: Math.max(1, action.from), at: action.to, tab: 'diff' }, { jump: true }));
      else if (action.do === 'record' && action.record !== record && action.record !== cause) found.set(texts.action.record(action.record), () => app.go(action.record));
    }
    return [...found];
  }
}
const link = (label, press) => h('button', { class: 'link', type: 'button', onclick: (event) => { event.stopPropagation(); press(); } }, label);

/** The parts of the Findings tab, the gravest first. */
export function findingParts(app, { findings, guides, total }, at) {
  if (!findings.length) return [{ key: 'none', stamp: [], draw: () => nothing(texts.noFindings) }];
  const isWide = document.documentElement.clientWidth > 760;
  const sorted = [...findings].sort((a, b) => rank[a.severity] - rank[b.severity] || a.record - b.record).slice(0, 200);
  const parts = sorted.map((finding, index) => ({
    key: `${finding.record} ${finding.code} ${index}`, stamp: [finding.sentence, finding.record === at, app.naming],
    draw: () => findingCard(app, finding, guides[finding.code], { isHere: finding.record === at, isOpen: isWide && index < 3 }),
  }));
  if (total > sorted.length) parts.push({ key: 'more', stamp: [total], draw: () => h('p', { class: 'faint more' }, texts.findingsCut(total)) });
  return parts;
}
