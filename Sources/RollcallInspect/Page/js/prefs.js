// What the user chose once for all logs: kept in the browser, not in the address.

const prefix = 'rollcall.';
const memory = new Map();

/** Reads a choice. A browser that stores nothing keeps it as long as the page. */
export function read(name, fallback) {
  try { return localStorage.getItem(prefix + name) ?? memory.get(name) ?? fallback; }
  catch { return memory.get(name) ?? fallback; }
}

/** Reads something once: it is gone then. */
export function take(name) {
  const found = read(name, null);
  memory.delete(name);
  try { localStorage.removeItem(prefix + name); } catch { /* It was never stored. */ }
  return found;
}

export function write(name, value) {
  memory.set(name, String(value));
  try { localStorage.setItem(prefix + name, value); } catch { /* The choice lasts as long as the page. */ }
}
