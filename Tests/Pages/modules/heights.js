import { BlockHeights, HeadedHeights } from '/js/heights.js';
import { check, equal, random } from './harness.js';

// A plain model: every height in one array.
function model(heights) {
  const tops = [0];
  for (const height of heights) tops.push(tops.at(-1) + height);
  const find = (y) => { let row = 0; while (row < heights.length - 1 && tops[row + 1] <= y) row++; return [row, tops[row]]; };
  return { tops, find };
}

function compare(heights, plain, rows, next, seed) {
  const { tops, find } = model(plain);
  equal(heights.count, rows, `count, seed ${seed}`);
  equal(heights.total, tops.at(-1), `total, seed ${seed}`);
  for (let i = 0; i < 40; i++) {
    const row = next(rows), y = next(tops.at(-1));
    equal(heights.offset(row), tops[row], `offset of ${row}, seed ${seed}`);
    equal(heights.height(row), plain[row], `height of ${row}, seed ${seed}`);
    equal(heights.find(y), find(y), `row at ${y}, seed ${seed}`);
  }
  equal(heights.offset(rows), tops.at(-1), `the end, seed ${seed}`);
}

export default {
  'blocks of random heights agree with a plain list'() {
    for (let seed = 1; seed <= 30; seed++) {
      const next = random(seed), blocks = [], plain = [];
      for (let block = 0; block < 1 + next(6); block++) {
        const own = Array.from({ length: 1 + next(50) }, () => 31 + 18 * next(5) + 24 * next(3));
        plain.push(...own);
        blocks.push({ count: own.length, height: own.reduce((sum, height) => sum + height, 0), heights: own });
      }
      const heights = new BlockHeights();
      heights.reset(blocks);
      compare(heights, plain, plain.length, next, seed);
    }
  },
  'a block that arrives moves no other row'() {
    const heights = new BlockHeights();
    heights.reset([{ count: 3, height: 93, heights: null }, { count: 2, height: 104, heights: null }, { count: 1, height: 31, heights: null }]);
    const before = [heights.offset(0), heights.offset(3), heights.offset(5), heights.total];
    heights.replace(1, { count: 2, height: 104, heights: [31, 73] });
    equal([heights.offset(0), heights.offset(3), heights.offset(5), heights.total], before);
    equal(heights.offset(4), 93 + 31);
  },
  'rows of a block that is not known share its height'() {
    const heights = new BlockHeights();
    heights.reset([{ count: 4, height: 160, heights: null }]);
    equal([heights.height(2), heights.offset(3), heights.find(81)], [40, 120, [2, 80]]);
  },
  'nothing is found in an empty list'() {
    const heights = new BlockHeights();
    equal([heights.count, heights.total, heights.find(5), heights.offset(0)], [0, 0, [0, 0], 0]);
  },
  'rows with headings agree with a plain list'() {
    for (let seed = 1; seed <= 30; seed++) {
      const next = random(seed), count = 1 + next(200), headings = Array.from({ length: count }, (_, row) => row).filter(() => next(7) === 0);
      const heights = new HeadedHeights(48, 22);
      heights.reset(count, headings);
      compare(heights, Array.from({ length: count }, (_, row) => (headings.includes(row) ? 22 : 48)), count, next, seed);
      check(headings.every((row) => heights.isHeading(row)), `headings, seed ${seed}`);
    }
  },
};
