// What the tests of the page's modules share. Each test module exports an object of functions by name.

export function check(condition, what) { if (!condition) throw new Error(what); }

export function equal(found, expected, what = '') {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: ${a} is not ${b}`);
}

/** Numbers from a seed, so that a failure can be repeated. */
export function random(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) % limit;
  };
}

/** An element of a size in the document, removed after the test. */
export async function inBox(width, height, test) {
  const box = document.createElement('div');
  box.id = 'box';
  Object.assign(box.style, { position: 'absolute', width: `${width}px`, height: `${height}px`, overflow: 'auto' });
  document.body.append(box);
  try { return await test(box); } finally { box.remove(); }
}
export const frame = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });

/** Runs a module's tests. Returns `{ name, error }` for each, with null for no error. */
export async function run(tests) {
  const results = [];
  for (const [name, test] of Object.entries(tests)) {
    try { await test(); results.push({ name, error: null }); } catch (error) { results.push({ name, error: `${error.message}\n${error.stack}` }); }
  }
  return results;
}
