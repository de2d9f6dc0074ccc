import { lines, pretty, raw, tokens } from '/js/xml.js';
import { check, equal, random } from './harness.js';

const shape = (xml) => lines(xml).map(({ depth, tokens: parts }) => `${'  '.repeat(depth)}${parts.map((part) => part.text).join('')}`);

export default {
  'puts each element on a line and short texts with it'() {
    equal(shape("<iq type='set'><query xmlns='jabber:iq:roster'><item jid='a@b'><group>Work</group></item></query></iq>"), [
      "<iq type='set'>", "  <query xmlns='jabber:iq:roster'>", "    <item jid='a@b'>", '      <group>Work</group>', '    </item>', '  </query>', '</iq>',
    ]);
    equal(shape('<presence/>'), ['<presence/>']);
    equal(shape('<a></a>'), ['<a></a>']);
  },
  'keeps a greater-than sign in a value'() { equal(tokens("<a b='1>2'/>").map((token) => token.kind), ['empty']); },
  'keeps comments, CDATA and instructions whole'() {
    equal(tokens('<?xml version="1.0"?><a><!-- <b> --><![CDATA[<c>]]></a>').map((token) => token.kind), ['other', 'open', 'other', 'other', 'close']);
  },
  'does not nest texts that are not closed'() { equal(shape('</a></a><b'), ['</a>', '</a>', '<b']); },
  'loses no character of any text'() {
    const alphabet = ['<', '>', '/', '=', '"', "'", ' ', 'a', 'ü', '&lt;', '<!--', '-->', '<![CDATA[', ']]>', '?'];
    for (let seed = 1; seed <= 300; seed++) {
      const next = random(seed), text = Array.from({ length: next(30) }, () => alphabet[next(alphabet.length)]).join('');
      equal(tokens(text).map((token) => token.text).join(''), text, `seed ${seed}`);
      const shown = pretty(text).textContent.replace(/\s/gu, '');
      equal(shown, text.replace(/\s/gu, ''), `shown, seed ${seed}`);
    }
  },
  'makes no element of what a stanza says'() {
    const view = pretty('<body>&lt;img src=x onerror=alert(1)&gt;</body><script>alert(1)</script><img src="x"/>');
    check(!view.querySelector('script, img'), 'an element of the stanza is in the page');
    check([...view.querySelectorAll('*')].every((element) => ['SPAN', 'BDI'].includes(element.tagName)), 'other elements than span and bdi');
  },
  'shows hidden characters'() {
    check(pretty("<a b='\u202Ex'/>").textContent.includes('⟨202E⟩'), 'in a value');
    check(raw('\u200B').textContent.includes('⟨200B⟩'), 'as recorded');
  },
};
