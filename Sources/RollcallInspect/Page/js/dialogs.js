// What is shown above the page: keys, go to, bookmark, export. Each closes with Escape and gives the focus back.
import { h, fill } from './dom.js';
import { icon } from './icons.js';
import { texts } from './texts.js';

const dialog = h('dialog', {});
document.body.append(dialog);
dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });

function open(label, ...content) {
  dialog.setAttribute('aria-label', label);
  fill(dialog, content);
  dialog.showModal();
}
const closer = () => h('button', { class: 'tool close', type: 'button', 'aria-label': texts.keys.close, title: texts.keys.close, onclick: () => dialog.close() }, icon('close'));

export function showKeys() {
  open(texts.keys.title, h('section', { class: 'sheet' }, h('header', {}, h('h2', {}, texts.keys.title), closer()),
    h('div', { class: 'keys' }, texts.keys.groups.map(([title, rows]) => h('section', {}, h('h3', { class: 'heading' }, title),
      h('dl', {}, rows.map(([keys, meaning]) => [h('dt', {}, keys.split(' ').map((key) => h('kbd', {}, key))), h('dd', {}, meaning)]))))),
    h('h3', { class: 'heading' }, texts.filterLabel),
    h('dl', { class: 'terms' }, texts.filterHelp.map(([term, meaning]) => [h('dt', {}, h('code', {}, term)), h('dd', {}, meaning)]))));
}

/** Asks for one line. `answer(text)` may throw an error, whose sentence is shown and the dialog stays. */
export function askLine({ label, hint, placeholder }, answer, extra = null) {
  const input = h('input', { type: 'text', placeholder, 'aria-label': label, 'aria-describedby': 'line-hint', autocomplete: 'off', spellcheck: 'false' });
  const fault = h('p', { class: 'fault', role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    try { await answer(input.value.trim()); dialog.close(); } catch (error) { fault.textContent = error.message; input.select(); }
  };
  open(label, h('form', { class: 'ask-line', onsubmit: submit }, input, h('p', { id: 'line-hint', class: 'faint' }, hint), fault, extra?.(() => dialog.close())));
  input.focus();
}

/** Asks for the form of an export. `choose(kind, wait)` may call `wait(sentence)` to learn whether it is still wanted. */
export function chooseExport(kinds, choose) {
  const { title, kinds: words } = texts.exports, fault = h('p', { class: 'fault', role: 'alert' });
  let wanted = '';
  const pick = async (kind) => {
    const isWanted = () => wanted === kind && fault.isConnected && dialog.open;
    wanted = kind;
    try {
      await choose(kind, (sentence) => { if (isWanted()) fault.textContent = sentence; return isWanted(); });
      if (isWanted()) dialog.close();
    } catch (error) { if (isWanted()) fault.textContent = error.message; }
  };
  open(title, h('section', { class: 'sheet' }, h('header', {}, h('h2', {}, title), closer()), h('ul', { class: 'exports' }, kinds.map((kind) => h('li', {},
    h('button', { type: 'button', onclick: () => pick(kind) }, h('b', {}, words[kind][0]), h('span', { class: 'faint' }, words[kind][1]))))), fault));
}
