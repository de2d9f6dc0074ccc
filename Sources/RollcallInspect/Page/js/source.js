// Asks the server, keeps answers that cannot change, and lets nothing pile up.
import * as prefs from './prefs.js';

const capacity = 16 * 1024 * 1024, indexingPause = 500;

/** An answer that is an error: the server's sentence and its code. */
export class Refusal extends Error {
  constructor(sentence, code, status) { super(sentence); Object.assign(this, { code, status }); }
}

/** Answers by path, the least recently used of which go first. Sizes are in characters of JSON. */
export class Cache {
  constructor(limit = capacity) { Object.assign(this, { limit, size: 0, entries: new Map() }); }
  get(path) {
    const entry = this.entries.get(path);
    if (!entry) return undefined;
    this.entries.delete(path);
    this.entries.set(path, entry);
    return entry.answer;
  }
  set(path, answer, size) {
    this.delete(path);
    this.entries.set(path, { answer, size });
    this.size += size;
    for (const oldest of this.entries.keys()) {
      if (this.size <= this.limit) break;
      this.delete(oldest);
    }
  }
  delete(path) {
    const entry = this.entries.get(path);
    if (!entry) return;
    this.size -= entry.size;
    this.entries.delete(path);
  }
  clear() { this.entries.clear(); this.size = 0; }
}

const cache = new Cache();
let key = '';
let version = '';

/** Takes the key out of the first address, so that neither the history nor a shared address has it. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1));
  const fresh = given.get('key');
  if (fresh) {
    prefs.write('key', fresh);
    given.delete('key');
    const rest = given.toString().replaceAll('%40', '@').replaceAll('%3A', ':');
    history.replaceState(null, '', rest ? `#${rest}` : location.pathname);
  }
  key = fresh ?? prefs.read('key', '');
  return key !== '';
}

/** Drops the answers if the log or the program behind them is another one. Returns whether it was. */
export function identify(log) {
  const now = `${log.id} ${log.version}`;
  const isOther = version !== '' && version !== now;
  if (isOther) cache.clear();
  version = now;
  return isOther;
}

const query = (parameters) => {
  const pairs = Object.entries(parameters ?? {}).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
};
export const pathOf = (path, parameters) => `/api/${path}${query(parameters)}`;

export function send(path, { method = 'GET', body, signal } = {}) {
  return fetch(path, {
    method, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
    headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });
}

async function answerOf(response) {
  const text = await response.text();
  let answer;
  try { answer = JSON.parse(text); } catch { answer = { error: `${response.status} ${response.statusText}`, code: 'no-json' }; }
  if (!response.ok) throw new Refusal(answer.error, answer.code, response.status);
  return { answer, size: text.length };
}

/** The answer to a GET. With `keep` it is taken from memory if it was asked before. */
export async function ask(path, parameters, { keep = false, signal } = {}) {
  const full = pathOf(path, parameters);
  const old = keep ? cache.get(full) : undefined;
  if (old) return old;
  const { answer, size } = await answerOf(await send(full, { signal }));
  if (keep) cache.set(full, answer, size);
  return answer;
}

export async function post(path, body) { return (await answerOf(await send(`/api/${path}`, { method: 'POST', body }))).answer; }

/**
 * What `work` answers about a whole log, asked again while the log is being indexed. `wait(sentence)` says so each time,
 * and returns whether the answer is still wanted.
 */
export async function whenIndexed(work, wait) {
  for (;;) {
    try { return await work(); } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'indexing' || !wait(error.message)) throw error;
      await new Promise((resolve) => { setTimeout(resolve, indexingPause); });
    }
  }
}

/** One request in flight; while it is, only the latest one wanted is remembered. */
export class Latest {
  constructor(report) { Object.assign(this, { report, wanted: null, isBusy: false }); }
  /** Calls `done(answer)` unless something newer was wanted meanwhile. `work` is an async function. */
  want(work, done) {
    this.wanted = { work, done };
    if (!this.isBusy) this.next();
  }
  async next() {
    this.isBusy = true;
    while (this.wanted) {
      const { work, done } = this.wanted;
      this.wanted = null;
      try {
        const answer = await work();
        if (!this.wanted) done(answer);
      } catch (error) {
        if (!this.wanted && error.name !== 'AbortError') this.report(error);
      }
    }
    this.isBusy = false;
  }
}

/** Fetches a file with the key and lets the browser save it. Returns its name. */
export async function download(path, parameters) {
  const response = await send(pathOf(path, parameters));
  if (!response.ok) await answerOf(response);
  const name = /filename="([^"]+)"/u.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'rollcall';
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}
