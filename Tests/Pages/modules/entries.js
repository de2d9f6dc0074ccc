import { blocksOf, heightOf, opened } from '/js/entries.js';
import { Cache, Latest } from '/js/source.js';
import { EventReader } from '/js/live.js';
import { effectParts, clauseParts } from '/js/rows.js';
import { valuesOf } from '/js/difference.js';
import { forget, learn } from '/js/people.js';
import { check, equal } from './harness.js';

const entry = (n, more = {}) => ({ n, last: n, lines: [], findings: [], fold: null, ...more });
const text = (nodes) => { const box = document.createElement('p'); box.append(...[nodes].flat(Infinity).filter((node) => node || node === 0)); return box.textContent; };

export default {
  'a row is as high as what it says'() {
    equal(heightOf(entry(1)), 31);
    equal(heightOf(entry(1, { lines: [1, 2], findings: [1] })), 31 + 36 + 24);
    equal(heightOf(entry(1, { lines: [1, 2, 3, 4, 5] })), 31 + 72, 'at most four lines');
  },
  'blocks have the height of the server’s sums'() {
    const blocks = blocksOf(1500, [[1, 2000, 100, 3], [2001, 2600, 7, 0]]);
    equal(blocks.map(({ first, last, count, height }) => [first, last, count, height]), [[1, 2000, 1024, 31 * 1024 + 1800 + 72], [2001, 2600, 476, 31 * 476 + 126]]);
  },
  'an open fold has its records below it'() {
    const [block] = blocksOf(2, [[1, 9, 0, 0]]), fold = entry(1, { last: 8, fold: { contacts: 2 } });
    const folds = new Map([[1, [entry(1, { lines: [1] }), entry(4)]]]), found = opened(block, [fold, entry(9)], folds);
    equal(found.rows.map((row) => [row.entry.n, row.isInside, row.isOpen]), [[1, false, true], [1, true, false], [4, true, false], [9, false, false]]);
    equal([found.count, found.height], [4, 31 * 4 + 18]);
    equal(opened(block, [fold, entry(9)], new Map()).count, 2);
  },
  'answers that were used least go first'() {
    const cache = new Cache(10);
    cache.set('a', 1, 4);
    cache.set('b', 2, 4);
    cache.get('a');
    cache.set('c', 3, 4);
    equal([cache.get('a'), cache.get('b'), cache.get('c'), cache.size], [1, undefined, 3, 8]);
    cache.set('a', 5, 9);
    equal([cache.get('a'), cache.get('c'), cache.size], [5, undefined, 9]);
  },
  async 'only the latest wish is granted'() {
    const done = [], begun = [], latest = new Latest((error) => { throw error; });
    let release;
    latest.want(() => { begun.push(1); return new Promise((resolve) => { release = resolve; }); }, (answer) => done.push(answer));
    latest.want(async () => { begun.push(2); return 2; }, (answer) => done.push(answer));
    const end = new Promise((resolve) => { latest.want(async () => { begun.push(3); return 3; }, (answer) => { done.push(answer); resolve(); }); });
    release(1);
    await end;
    equal([begun, done], [[1, 3], [3]]);
  },
  'reads events that arrive in pieces'() {
    const reader = new EventReader(), whole = ': \n\nevent: head\ndata: {"head":7}\n\nevent: bye\n\n', found = [];
    for (const letter of whole) found.push(...reader.take(letter));
    equal(found, [{ event: 'head', data: '{"head":7}' }, { event: 'bye', data: '' }]);
  },
  'a row begins with its contact'() {
    forget('alice@example.test');
    learn({ 'carol@friends.example': 'Carol' });
    equal(text(clauseParts({ who: 'carol@friends.example', text: 'we no longer want to see its presence', full: '' })), 'Carol: we no longer want to see its presence');
    equal(text(clauseParts({ who: 'carol@friends.example', text: 'is pushed: both', full: '' })), 'Carol is pushed: both');
    equal(text(clauseParts({ who: null, text: 'the connection is lost', full: 'the connection is lost' })), 'The connection is lost');
  },
  'an effect does not repeat the contact of its row'() {
    const line = { mark: '+', text: 'request of carol@friends.example: “hi”', lead: 'request of ', who: 'carol@friends.example', what: ': “hi”' };
    equal(text(effectParts(line, 'carol@friends.example')), 'request “hi”');
    equal(text(effectParts(line, 'bob@friends.example')), 'request of Carol: “hi”');
    equal(text(effectParts({ mark: '-', lead: 'we no longer wait for ', who: 'bob@friends.example', what: ': refused' }, 'bob@friends.example')), 'we no longer wait: refused');
    equal(text(effectParts({ mark: '~', text: 'connected', who: null }, 'bob@friends.example')), 'connected');
  },
  'a difference says before and after'() {
    equal(text(valuesOf({ before: ['Work'], after: ['Work', '大学'], text: '' })), 'Work → Work, 大学');
    equal(text(valuesOf({ before: null, after: { subscription: 'both', name: 'Dave', groups: [] }, text: '' })), '“Dave” both');
    equal(text(valuesOf({ before: { odd: 1 }, after: null, text: 'said in words' })), 'said in words');
    check(text(valuesOf({ before: '<b>', after: '\u202E', text: '' })) === '<b> → ⟨202E⟩', 'values are texts');
  },
};
