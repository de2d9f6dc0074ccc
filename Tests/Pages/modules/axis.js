import { moved, Series, ticks, zoomed } from '/js/axis.js';
import { clock, dayName, isoDay, setZone, shifted, unshifted } from '/js/times.js';
import { check, equal, random } from './harness.js';

// Records at times, counted as the server counts them.
function series(times, from, to, count) {
  const all = new Array(count).fill(0), first = new Array(count).fill(times.length + 1);
  times.forEach((time, index) => {
    const column = Math.min(count - 1, Math.floor(((time - from) / (to - from)) * count));
    all[column] += 1;
    for (let i = 0; i <= column; i++) first[i] = Math.min(first[i], index + 1);
  });
  for (let i = count - 2; i >= 0; i--) first[i] = Math.min(first[i], first[i + 1]);
  for (let i = 0; i < count; i++) first[i] = times.findIndex((time) => Math.min(count - 1, Math.floor(((time - from) / (to - from)) * count)) >= i) + 1 || times.length + 1;
  return new Series({ axis: 'time', from, to, all, lasting: all.map(() => 0), first }, times.length);
}

export default {
  'finds the last record of a column'() {
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed), times = Array.from({ length: 1 + next(80) }, () => next(1000)).sort((a, b) => a - b);
      const from = times[0], to = Math.max(from + 1, times.at(-1)), count = 50, found = series(times, from, to, count);
      for (let column = 0; column < count; column++) {
        const value = from + ((column + 0.5) / count) * (to - from), end = from + ((column + 1) / count) * (to - from);
        const expected = column === count - 1 ? times.length : times.filter((time) => time < end - 1e-9).length;
        equal(found.record(value), Math.max(1, expected), `column ${column}, seed ${seed}`);
      }
    }
  },
  'counts no record twice when it is drawn coarser'() {
    const found = series(Array.from({ length: 400 }, (_, index) => index), 0, 400, 400), { all } = found.columns(0, 400, 40);
    equal(all.reduce((sum, count) => sum + count, 0), 400);
    equal(found.columns(0, 400, 400).isExact, true);
  },
  'keeps a range inside the whole'() {
    equal(moved([10, 20], [0, 100], 5), [15, 25]);
    equal(moved([10, 20], [0, 100], -50), [0, 10]);
    equal(moved([90, 100], [0, 100], 50), [90, 100]);
    equal(zoomed([0, 100], [0, 100], 0.5, 50, 1), [25, 75]);
    equal(zoomed([0, 100], [0, 100], 2, 50, 1), [0, 100]);
    equal(zoomed([0, 100], [0, 100], 0.001, 40, 16), [34, 50]);
  },
  'puts lines at full hours of the zone that is shown'() {
    const day = Date.UTC(2026, 10, 20);
    try {
      for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
        setZone(zone);
        const found = ticks('time', day, day + 86_400_000, 12);
        check(found.length >= 6 && found.length <= 13, `${found.length} lines in ${zone}`);
        for (const { value } of found) equal(clock(value).slice(3), '00:00', zone);
      }
    } finally { setZone('UTC'); }
  },
  'puts lines at round records'() { equal(ticks('record', 1, 1000, 5).map(({ value }) => value), [200, 400, 600, 800, 1000]); },
  'shows times in the zone that was chosen'() {
    const time = Date.UTC(2026, 10, 20, 23, 30, 5, 7);
    try {
      setZone('Asia/Shanghai');
      equal([clock(time), clock(time, true), isoDay(time)], ['07:30:05', '07:30:05.007', '2026-11-21']);
      check(/^Saturday,? 21 November 2026$/u.test(dayName(time)), dayName(time));
      equal(unshifted(shifted(time)), time);
      setZone('nowhere/at-all');
      equal(clock(time), '23:30:05');
      equal(clock(null), '');
    } finally { setZone('UTC'); }
  },
};
