// A stanza in lines and colors. It is cut into tokens here; no parser of the browser sees it.
import { h } from './dom.js';
import { visible } from './people.js';
import { texts } from './texts.js';

const token = /<!--[\s\S]*?(?:-->|$)|<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<(?:"[^"]*"|'[^']*'|[^>"'])*>?|[^<]+/gu;
const attribute = /([^\s=/>]+)(\s*=\s*)("[^"]*"|'[^']*')|\s+|[^\s]/gu;
const longestInline = 400;

/** The tokens of a text: `open`, `close`, `empty`, `other` (comments, CDATA, instructions) or `text`. */
export function tokens(xml) {
  return (xml.match(token) ?? []).map((text) => {
    if (!text.startsWith('<')) return { kind: 'text', text };
    if (text.startsWith('<!') || text.startsWith('<?')) return { kind: 'other', text };
    if (text.startsWith('</')) return { kind: 'close', text };
    return { kind: text.endsWith('/>') ? 'empty' : 'open', text };
  });
}

/** The lines of a stanza, each `{ depth, tokens }`: an element with only a short text takes one line. */
export function lines(xml) {
  const all = tokens(xml), found = [];
  let depth = 0;
  for (let i = 0; i < all.length; i++) {
    const { kind, text } = all[i];
    if (kind === 'text' && !text.trim()) continue;
    if (kind === 'close') depth = Math.max(0, depth - 1);
    if (kind !== 'open') { found.push({ depth, tokens: [all[i]] }); continue; }
    const next = all[i + 1], after = all[i + 2];
    if (next?.kind === 'close') { found.push({ depth, tokens: [all[i], next] }); i += 1; }
    else if (next?.kind === 'text' && after?.kind === 'close' && next.text.length < longestInline) {
      found.push({ depth, tokens: [all[i], next, after] });
      i += 2;
    } else { found.push({ depth, tokens: [all[i]] }); depth += 1; }
  }
  return found;
}

export function pretty(xml) {
  return h('pre', { tabIndex: 0, role: 'region', 'aria-label': texts.stanza }, lines(xml).map((line) =>
    h('span', { class: 'line', style: { '--depth': String(Math.min(line.depth, 16)) } }, line.tokens.map(colored), '\n')));
}

export function raw(text, label = texts.stanza) {
  return h('pre', { tabIndex: 0, role: 'region', 'aria-label': label }, h('span', { class: 'line' }, visible(text, true)));
}

const piece = (name, text) => h('span', { class: name }, visible(text));
function colored({ kind, text }) {
  if (kind === 'text') return h('bdi', { class: 'x-text' }, visible(text.trim(), true));
  if (kind === 'other') return piece('x-mark', text);
  const [, start, name, rest, end] = /^(<\/?)([^\s/>]*)([\s\S]*?)(\/?>?)$/u.exec(text);
  const found = [piece('x-mark', start), piece('x-name', name)];
  for (const match of rest.matchAll(attribute)) {
    if (match[1]) found.push(piece('x-attribute', match[1]), piece('x-mark', match[2]), piece('x-value', match[3]));
    else found.push(visible(match[0], true));
  }
  found.push(piece('x-mark', end));
  return found;
}
