// How contacts, and sentences about them, are shown.
import { h } from './dom.js';
import { texts } from './texts.js';

// Characters that act instead of being seen: what `String.visible` of the library escapes.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;
const isPlain = /^[\x20-\x7e]*$/u;

/** The text with its hidden characters as numbers, such as ⟨202E⟩. Line breaks and tabs stay if `keepsLines`. */
export function visible(text, keepsLines = false) {
  if (isPlain.test(text)) return text;
  return text.replace(hidden, (character) => keepsLines && (character === '\n' || character === '\t') ? character
    : `⟨${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

export const bareOf = (address) => address.split('/', 1)[0];

let known = new Map();
let account = '';
let showsNames = true;
/** Takes the names by address that the server sends with the log and with rows. */
export function learn(names) { for (const [address, name] of Object.entries(names ?? {})) if (name) known.set(address, name); }
/** The same for addresses that have no name yet: of two logs, the first says what people are called. */
export function learnMissing(names) { for (const [address, name] of Object.entries(names ?? {})) if (name && !known.has(address)) known.set(address, name); }
export function forget(ownAccount) { known = new Map(); account = ownAccount; }
export const nameOf = (address) => known.get(bareOf(address)) ?? null;
export const setNaming = (on) => { showsNames = on; };
export const isNaming = () => showsNames;

/** An address with its domain in gray. */
export function address(text) {
  const at = text.indexOf('@');
  if (at < 0) return h('bdi', { class: 'address' }, visible(text));
  return h('bdi', { class: 'address' }, visible(text.slice(0, at)), h('span', { class: 'domain' }, visible(text.slice(at))));
}

/** A contact inside a row of a list, where the list answers the click. */
export function person(jid) {
  const bare = bareOf(jid), name = showsNames && nameOf(bare);
  const shown = name ? h('bdi', {}, visible(name)) : showsNames ? shortened(bare) : address(bare);
  return h('span', { class: 'who', title: visible(jid), 'data-who': bare }, shown);
}

/** A contact as a control of its own; with `full` its address follows the name. */
export function contact(jid, open, { full = false } = {}) {
  const bare = bareOf(jid), name = showsNames && nameOf(bare);
  return [
    h('button', { class: 'who', type: 'button', title: visible(jid), onclick: (event) => { event.stopPropagation(); open(bare); } },
      name ? h('bdi', {}, visible(name)) : full || !showsNames ? address(bare) : shortened(bare)),
    name && full ? [' ', h('span', { class: 'beside' }, address(jid))] : null,
  ];
}

// An unknown address is cut in rows; the record shows it in full, where the domain matters.
function shortened(bare) {
  const at = bare.indexOf('@');
  return at < 0 ? h('bdi', {}, visible(bare)) : [h('bdi', {}, visible(bare.slice(0, at))), h('span', { class: 'domain' }, '@…')];
}

// In rows, what tells our own addresses apart is the resource.
function own(jid) {
  const bare = bareOf(jid);
  return jid === bare ? address(jid) : h('bdi', { class: 'address', title: visible(jid) }, shortened(bare), visible(jid.slice(bare.length)));
}

// An address begins where a word does: otherwise, each letter of a long word would be tried.
const mention = /(?<address>(?<![^\s@“”"'<>,;:()[\]/])[^\s@“”"'<>,;:()[\]/]+@[^\s@“”"'<>,;:()[\]/]+(?:\/[^\s“”,;:()]+)?)|(?<record>#\d+\b|\brecord \d+\b)/gu;

/** A sentence taken apart into texts, addresses and record numbers. */
export function parts(sentence) {
  const found = [];
  let end = 0;
  const text = (from, to) => { if (to > from) found.push({ kind: 'text', text: sentence.slice(from, to) }); };
  for (const match of sentence.matchAll(mention)) {
    text(end, match.index);
    const raw = match[0].replace(/[.!?]+$/u, '');
    if (match.groups.record) found.push({ kind: 'record', number: Number(/\d+/u.exec(match[0])[0]) });
    else found.push({ kind: 'address', text: raw });
    end = match.index + (match.groups.record ? match[0].length : raw.length);
  }
  text(end, sentence.length);
  return found;
}

/** A sentence with its contacts and record numbers as controls, or as plain spans if `inRow`. */
export function sentence(text, { inRow = false, full = false, open, go } = {}) {
  return parts(text ?? '').map((part) => {
    if (part.kind === 'text') return visible(part.text);
    if (part.kind === 'record') {
      return inRow ? h('span', { class: 'reference', 'data-at': String(part.number) }, `#${part.number}`) : recordLink(part.number, go);
    }
    if (bareOf(part.text) === account) return inRow && showsNames ? own(part.text) : address(part.text);
    return inRow ? person(part.text) : contact(part.text, open, { full });
  });
}

export function recordLink(number, go, label = `#${number}`) {
  return h('button', { class: 'reference', type: 'button', title: texts.goToRecord(number), onclick: (event) => { event.stopPropagation(); go(number); } }, label);
}

/** The letter on an avatar. */
export function initial(name) {
  const first = /[\p{L}\p{N}]\p{M}*/u.exec(name ?? '');
  return first ? first[0].toLocaleUpperCase('en').slice(0, 3) : '#';
}
