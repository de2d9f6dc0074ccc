// The one value that everything on the page follows from. It is the fragment of the address.

export const defaults = Object.freeze({
  log: '0', at: '', pin: '', q: '', who: '', tab: '', show: 'story', from: '', to: '', axis: 'time', compare: '',
});
const names = Object.keys(defaults);

/** Reads a fragment. Unknown names are ignored, and numbers that are none are dropped. */
export function parse(fragment) {
  const given = new URLSearchParams(fragment.replace(/^#/u, ''));
  const value = { ...defaults };
  for (const name of names) {
    const text = given.get(name);
    if (text === null) continue;
    const isNumber = name === 'at' || name === 'pin' || name === 'from' || name === 'to';
    if (!isNumber || /^[1-9]\d{0,15}$/u.test(text)) value[name] = text;
  }
  return value;
}

/** Writes a value as a fragment, leaving out what has its default and keeping addresses readable. */
export function format(value) {
  const parameters = new URLSearchParams();
  for (const name of names) if (value[name] !== defaults[name]) parameters.set(name, value[name]);
  const text = parameters.toString().replaceAll('%40', '@').replaceAll('%3A', ':');
  return text && `#${text}`;
}

let current = parse(globalThis.location?.hash ?? '');
const observers = new Set();
export const get = () => current;
/** Calls `observer(now, before)` after every change. */
export const observe = (observer) => { observers.add(observer); };

/**
 * Changes some fields. A step replaces the entry of the browser's history; with `jump` Back returns here.
 * Browsers limit how often the address may change, so steps are written at most every 120 ms.
 */
export function set(change, { jump = false } = {}) {
  const next = { ...current };
  for (const [name, value] of Object.entries(change)) next[name] = value === null || value === undefined ? '' : String(value);
  if (names.every((name) => next[name] === current[name])) return;
  if (jump) write();
  const before = current;
  current = next;
  if (jump) history.pushState(null, '', address());
  else waiting ||= setTimeout(write, 120);
  for (const observer of observers) observer(current, before);
}

/** Sets fields without telling anybody: for what the address does not say when the page opens. */
export function assume(change) { current = { ...current, ...change }; }

/** Sets all fields anew in the address, for the next load of the page. */
export function replace(value) {
  clearTimeout(waiting);
  current = { ...defaults, ...value };
  history.replaceState(null, '', address());
}

let waiting = 0;
const address = () => format(current) || location.pathname;
function write() {
  if (!waiting) return;
  clearTimeout(waiting);
  waiting = 0;
  history.replaceState(null, '', address());
}

globalThis.addEventListener?.('popstate', () => {
  clearTimeout(waiting);
  waiting = 0;
  const before = current;
  current = { ...parse(location.hash) };
  if (!current.at) current.at = before.at;
  for (const observer of observers) observer(current, before);
});
