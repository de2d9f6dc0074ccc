// One row of the story.
import { h, fill } from './dom.js';
import { icon, severityMark } from './icons.js';
import { person, sentence, visible } from './people.js';
import { texts } from './texts.js';
import { clock, dayName } from './times.js';

const signs = { '+': ['came', '+'], '-': ['went', '−'], '~': ['changed', '~'] };
export const sign = (mark) => h('span', { class: `sign ${signs[mark]?.[0] ?? 'changed'}` }, signs[mark]?.[1] ?? mark);

/** The clause of a record, beginning with the contact that it is about. */
export function clauseParts(clause, render = { inRow: true }, name = person) {
  if (!clause.who) return sentence(capital(clause.full ?? clause.text), render);
  return [name(clause.who), /^(?:we|the user) /u.test(clause.text) ? ': ' : ' ', sentence(clause.text, render)];
}
export const capital = (text) => (/^\p{Ll}/u.test(text) && !/^\S+@/u.test(text) ? text[0].toUpperCase() + text.slice(1) : text);

/** An effect. Its contact is left out where the row says it already. */
export function effectParts(line, subject, render = { inRow: true }, name = person) {
  if (!line.who) return sentence(line.text, render);
  const bare = line.who.split('/', 1)[0];
  if (bare === subject && !line.lead?.trim()) return sentence((line.what ?? '').replace(/^[\s:]+/u, ''), render);
  if (bare === subject) {
    const lead = line.lead.replace(/\s+(?:of|for|to|from)\s*$/u, '').trim(), what = line.what ?? '';
    // A quotation needs no colon before it.
    return sentence(`${lead}${/^\s*:\s*\p{L}/u.test(what) ? ':' : ''} ${what.replace(/^[\s:]+/u, '')}`.trim(), render);
  }
  return [visible(line.lead ?? ''), name(line.who), sentence(line.what ?? '', render)];
}

function foldParts({ contacts, came, went, changed, own }) {
  const counts = [['+', came], ['-', went], ['~', changed]].filter(([, count]) => count > 0);
  return [
    contacts ? texts.fold.contacts(contacts) : own ? texts.fold.own(own) : texts.fold.version,
    contacts ? counts.map(([mark, count]) => h('span', { class: 'part' }, sign(mark), String(count))) : null,
  ];
}

export function drawEntry(row, { entry, isInside, isOpen }, { device, hasNewDay, fine }) {
  const { fold } = entry;
  const way = fold
    ? h('span', { class: 'way chevron' }, icon('chevron'))
    : h('span', { class: `way ${entry.way}` }, icon({ in: 'received', out: 'sent', none: 'local' }[entry.way]), h('span', { class: 'sr' }, `${texts.way[entry.way]}: `));
  fill(row, h('div', { class: `entry${fold ? ' fold' : ''}${isOpen ? ' open' : ''}${isInside ? ' inside' : ''}${entry.lasting ? '' : ' plain'}${fine ? ' fine' : ''}${hasNewDay ? ' new-day' : ''}` },
    h('span', { class: 'number' }, `#${entry.n}`),
    h('span', { class: 'clock', title: entry.t === null ? null : dayName(entry.t) }, clock(entry.t, fine)),
    way,
    h('span', { class: 'what' }, fold ? foldParts(fold) : clauseParts(entry.clause)),
    h('span', { class: 'device' }, fold ? texts.foldRecords(entry.records) : visible(device ?? '')),
    fold ? h('span', { class: 'sr' }, isOpen ? texts.foldOpen : texts.foldClosed) : null,
    entry.lines.length ? h('span', { class: 'effects' }, entry.lines.slice(0, 4).map((line) =>
      h('span', { class: 'effect' }, sign(line.mark), effectParts(line, entry.clause.who)))) : null,
    entry.findings.map((finding) => h('span', { class: `told ${finding.severity}` }, severityMark(finding.severity), h('span', {}, finding.title)))));
}
