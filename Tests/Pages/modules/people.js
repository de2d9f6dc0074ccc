import { contact, forget, initial, learn, parts, person, sentence, setNaming, visible } from '/js/people.js';
import { check, equal } from './harness.js';

const kinds = (text) => parts(text).map((part) => (part.kind === 'text' ? part.text : `[${part.kind === 'record' ? part.number : part.text}]`)).join('');
const shown = (nodes) => { const box = document.createElement('p'); box.append(...[nodes].flat(Infinity).filter(Boolean)); return box; };

export default {
  'shows characters that act, and leaves all others'() {
    const table = [['plain', 'plain'], ['张三', '张三'], ['a\u202Eb', 'a⟨202E⟩b'], ['\u200D', '⟨200D⟩'], ['\uFEFF', '⟨FEFF⟩'], ['tab\t', 'tab⟨0009⟩'], ['\u2028', '⟨2028⟩'],
      ['✈\uFE0F', '✈\uFE0F'], ['\u{E0041}', '⟨E0041⟩'], ['é', 'é'], ['e\u0301', 'e\u0301'], ['\uFDD0', '⟨FDD0⟩'], ['שלום', 'שלום']];
    for (const [text, expected] of table) equal(visible(text), expected, JSON.stringify(text));
    equal(visible('a\nb\tc\u0000', true), 'a\nb\tc⟨0000⟩');
  },
  'finds addresses and record numbers in a sentence'() {
    const table = [
      ['we ask bob@example.test to see its presence', 'we ask [bob@example.test] to see its presence'],
      ['the request of bob@example.test, which is open', 'the request of [bob@example.test], which is open'],
      ['a push from mallory@x.example/y was ignored', 'a push from [mallory@x.example/y] was ignored'],
      ['answered by bob@example.test.', 'answered by [bob@example.test].'],
      ['since #4458: “a@b”', 'since [4458]: “[a@b]”'], ['of record 4458, which', 'of [4458], which'],
      ['records 12 to 14', 'records 12 to 14'], ['no address @ all', 'no address @ all'], ['color #12ab', 'color #12ab'],
    ];
    for (const [text, expected] of table) equal(kinds(text), expected);
  },
  'calls a contact by its name, or by its address where names are off'() {
    forget('alice@example.test');
    learn({ 'bob@example.test': 'Bob' });
    setNaming(true);
    equal(person('bob@example.test/phone').textContent, 'Bob');
    equal(person('eve@example.test').textContent, 'eve@…');
    setNaming(false);
    equal(person('bob@example.test').textContent, 'bob@example.test');
    setNaming(true);
    equal(shown(contact('bob@example.test', () => {}, { full: true })).textContent, 'Bob bob@example.test');
  },
  'tells our own addresses apart by the resource in rows'() {
    forget('alice@example.test');
    const text = 'a session is bound as alice@example.test/phone';
    equal(shown(sentence(text, { inRow: true })).textContent, 'a session is bound as alice@…/phone');
    equal(shown(sentence(text, { full: true })).textContent, text);
    setNaming(false);
    equal(shown(sentence(text, { inRow: true })).textContent, text);
    setNaming(true);
  },
  'makes controls of contacts and records outside rows only'() {
    const inRow = shown(sentence('bob@example.test since #4', { inRow: true }));
    check(!inRow.querySelector('button'), 'a control in a row');
    equal([inRow.querySelector('[data-who]').dataset.who, inRow.querySelector('[data-at]').dataset.at], ['bob@example.test', '4']);
    const gone = [], opened = [];
    const apart = shown(sentence('bob@example.test since #4', { go: (record) => gone.push(record), open: (jid) => opened.push(jid) }));
    for (const button of apart.querySelectorAll('button')) button.click();
    equal([gone, opened], [[4], ['bob@example.test']]);
  },
  'finds addresses in a long word without trying each of its letters'() {
    const word = 'W'.repeat(200_000);
    const found = sentence(`${word} ${word}@example.test`, { inRow: true });
    equal(shown(found.flat()).querySelectorAll('[data-who]').length, 1);
  },
  'interprets no name'() {
    learn({ 'x@example.test': '<img src=x onerror=alert(1)>' });
    const row = shown(person('x@example.test'));
    check(!row.querySelector('img'), 'a name became an element');
    equal(row.textContent, '<img src=x onerror=alert(1)>');
  },
  'finds the letter of a name'() {
    for (const [name, letter] of [['anna', 'A'], ['“Bob”', 'B'], ['张三', '张'], ['  7up', '7'], ['\u0301', '#'], ['', '#'], ['ß', 'SS'], ['عمر', 'ع']]) equal(initial(name), letter, name);
  },
};
