import { defaults, format, parse } from '/js/store.js';
import { equal } from './harness.js';

const read = (fragment) => Object.fromEntries(Object.entries(parse(fragment)).filter(([name, value]) => value !== defaults[name]));

export default {
  'reads what a fragment names'() {
    equal(read('#at=5772&pin=4458&who=carol@friends.example&tab=diff'), { at: '5772', pin: '4458', who: 'carol@friends.example', tab: 'diff' });
    equal(read('#q=kind%3Aiq+-presence&axis=record&from=4000&to=9000'), { q: 'kind:iq -presence', from: '4000', to: '9000', axis: 'record' });
  },
  'drops numbers that are none, and names that it does not know'() {
    equal(read('#at=x&pin=-3&from=0&to=1e9&key=secret&constructor=1'), {});
    equal(read('#at=99999999999999999999'), {});
  },
  'writes what it reads'() {
    for (const fragment of ['', '#at=1', '#at=5772&who=a@b.example/c%20d', '#q=%E5%BC%A0%20%22two%20words%22', '#at=7&q=%23%26%3D']) {
      equal(read(format(parse(fragment))), read(fragment), fragment);
    }
  },
  'keeps addresses readable and leaves defaults out'() {
    equal(format({ ...defaults, at: '12', who: 'carol@friends.example' }), '#at=12&who=carol@friends.example');
    equal(format({ ...defaults }), '');
  },
};
