// What differs between the pin and the moment, by contact.
import { h } from './dom.js';
import { contact, recordLink, visible } from './people.js';
import { sign } from './rows.js';
import { texts } from './texts.js';
import { nothing } from './empty.js';

const t = texts.diff;
export const diffWindow = 100;
let showsPresence = false;

/** The parts of the tab; `answer` is null without a pin, undefined while it is asked for. */
export function diffParts(app, answer) {
  if (!answer) return [{ key: 'none', stamp: [answer], draw: () => nothing(answer === null ? t.noPin : [texts.loading, '']) }];
  const lasting = answer.rows.filter((row) => row.fields.some((field) => !field.fleeting));
  const fleeting = answer.rows.filter((row) => row.fields.every((field) => field.fleeting));
  const rows = showsPresence ? answer.rows : lasting, toggle = () => { showsPresence = !showsPresence; app.refresh(); };
  const parts = [{
    key: 'facts', stamp: [answer.from, answer.to, answer.contacts, answer.fleeting, showsPresence],
    draw: () => h('p', { class: 'facts' },
      h('span', {}, t.range, ' ', recordLink(answer.from, app.go), ' ', t.rangeTo, ' ', recordLink(answer.to, app.go)),
      h('span', {}, h('b', {}, t.different(answer.contacts))), answer.fleeting ? h('span', {}, t.presence(answer.fleeting)) : null,
      fleeting.length || answer.rows.some((row) => row.fields.some((field) => field.fleeting)) ? h('button', { class: 'link', type: 'button', 'aria-pressed': String(showsPresence), onclick: toggle }, showsPresence ? t.hidePresence : t.showPresence) : null),
  }];
  if (!rows.length) parts.push({ key: 'same', stamp: [answer.fleeting], draw: () => nothing(answer.fleeting ? [t.onlyPresence, ''] : t.same) });
  for (const row of rows) {
    const fields = row.fields.filter((field) => showsPresence || !field.fleeting);
    parts.push({ key: row.jid ?? '', stamp: [JSON.stringify(fields), app.naming], draw: () => block(app, row, fields) });
  }
  if (answer.rows.length < answer.contacts) parts.push({ key: 'more', stamp: [answer.rows.length], draw: () => h('p', { class: 'more' }, h('button', { class: 'link', type: 'button', onclick: () => app.moreDifferences() }, t.more)) });
  return parts;
}

const block = (app, row, fields) => h('section', { class: 'different' },
  h('h3', {}, row.jid ? contact(row.jid, app.open, { full: true }) : t.account), fields.map((field) => h('div', { class: 'difference' },
    sign(field.mark), h('span', { class: 'field' }, field.field), h('span', { class: 'values' }, valuesOf(field)), field.record ? recordLink(field.record, app.go) : h('span', {}))));

/** Before and after; a plain sentence if either is no simple value. */
export function valuesOf({ before, after, text }) {
  const from = plainValue(before), to = plainValue(after);
  if (from === undefined || to === undefined) return h('span', {}, visible(text));
  return [
    from === null ? null : h('del', {}, visible(from)), from !== null && to !== null ? h('span', { class: 'arrow', 'aria-hidden': 'true' }, ' → ') : null,
    to === null ? null : h('ins', {}, visible(to)), from === null && to === null ? visible(text) : null,
  ];
}

/** A value as a text, null if there is none, undefined if it needs a sentence. */
export function plainValue(value) {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.every((part) => typeof part === 'string') ? value.join(', ') || texts.contact.noGroups : undefined;
  if (typeof value === 'object') {
    if (!('subscription' in value)) return undefined;
    return [value.name && `“${value.name}”`, value.subscription, value.ask && texts.asked.slice(2), value.groups?.length && value.groups.join(', ')].filter(Boolean).join(' ');
  }
  return typeof value === 'string' && value.includes('@') && value.length > 60 ? undefined : String(value);
}
