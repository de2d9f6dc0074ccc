import { BlockHeights, HeadedHeights } from '/js/heights.js';
import { VirtualList } from '/js/list.js';
import { check, equal, frame, inBox, random } from './harness.js';

const make = async (box, heights, more = { pick: () => {} }) => {
  const list = new VirtualList(box, { heights, label: 'rows', ...more, draw: (index, row) => { row.textContent = String(index); } });
  await frame();
  list.refresh(null);
  return list;
};
// Where a row is on the screen, relative to the top of the list.
const drawnAt = (box, list, index) => list.rows.get(index).getBoundingClientRect().top - box.getBoundingClientRect().top;

export default {
  'draws the rows in view and a few more'() {
    return inBox(300, 310, async (box) => {
      const heights = new HeadedHeights(31);
      heights.reset(1000);
      const list = await make(box, heights);
      check(list.rows.size <= 10 + 2 + 12, `${list.rows.size} rows`);
      equal(box.querySelectorAll('[role="option"]').length, list.rows.size);
      equal(box.querySelector('[role="option"]').getAttribute('aria-setsize'), '1000');
    });
  },
  'every row of a million is within a pixel of its place'() {
    return inBox(300, 700, async (box) => {
      const blocks = [], next = random(7);
      for (let block = 0; block < 977; block++) {
        const own = Array.from({ length: 1024 }, () => 31 + 18 * next(3));
        blocks.push({ count: 1024, height: own.reduce((sum, height) => sum + height, 0), heights: own });
      }
      const heights = new BlockHeights();
      heights.reset(blocks);
      const list = await make(box, heights);
      check(heights.total > 40_000_000, 'long enough to be scaled');
      for (let i = 0; i < 60; i++) {
        const row = next(heights.count - 20);
        list.reveal(row, 'start');
        check(Math.abs(drawnAt(box, list, row)) <= 1, `row ${row} is at ${drawnAt(box, list, row)}`);
      }
      list.reveal(heights.count - 1);
      const end = list.rows.get(heights.count - 1).getBoundingClientRect().bottom - box.getBoundingClientRect().top;
      check(end <= 700, `the last row ends at ${end}`);
      check(box.scrollHeight < 9_000_000, `the element is ${box.scrollHeight} px high`);
    });
  },
  'a scaled list moves as many pixels as the wheel'() {
    return inBox(300, 500, async (box) => {
      const heights = new HeadedHeights(31);
      heights.reset(2_000_000);
      const list = await make(box, heights);
      list.reveal(1_000_000, 'start');
      await frame();
      const { top } = list;
      box.scrollTop += 120;
      await frame();
      equal(Math.round(list.top - top), 120);
    });
  },
  'the row at the top stays when rows before it change'() {
    return inBox(300, 400, async (box) => {
      const heights = new BlockHeights();
      heights.reset([{ count: 50, height: 50 * 31, heights: new Array(50).fill(31) }, { count: 50, height: 50 * 31, heights: new Array(50).fill(31) }]);
      const list = await make(box, heights);
      list.reveal(70, 'start');
      const anchor = list.anchor();
      heights.replace(0, { count: 50, height: 50 * 49, heights: new Array(50).fill(49) });
      list.refresh(anchor);
      equal([list.anchor().row, Math.round(drawnAt(box, list, 70))], [70, 0]);
    });
  },
  'a header scrolls with the rows'() {
    return inBox(300, 400, async (box) => {
      const heights = new HeadedHeights(31), header = document.createElement('div');
      header.style.height = '100px';
      heights.reset(50);
      const list = await make(box, heights, { header });
      equal(Math.round(drawnAt(box, list, 0)), 100);
      list.reveal(20, 'start');
      equal(Math.round(drawnAt(box, list, 20)), 0);
      list.reveal(49);
      equal(Math.round(box.scrollHeight), 100 + 50 * 31);
      equal([box.getAttribute('role'), list.space.getAttribute('role'), list.rows.get(49).getAttribute('role')], ['region', 'list', 'listitem']);
    });
  },
  'selects and names the row for readers'() {
    return inBox(300, 400, async (box) => {
      const heights = new HeadedHeights(31);
      heights.reset(10);
      const list = await make(box, heights);
      list.select(3);
      equal(document.getElementById(box.getAttribute('aria-activedescendant')).textContent, '3');
      equal(box.querySelectorAll('[aria-selected="true"]').length, 1);
      list.select(-1);
      equal(box.getAttribute('aria-activedescendant'), null);
    });
  },
};
