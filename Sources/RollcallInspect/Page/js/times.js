// Times and numbers as they are shown. The user chooses the time zone.

let zone = 'UTC';
let offset = () => 0;

/** The zones that the page offers: UTC, the browser's own, and whichever was chosen. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
export const currentZone = () => zone;

/** Chooses a zone by its name; an unknown name is UTC. */
export function setZone(name) {
  zone = 'UTC';
  offset = () => 0;
  if (name === 'UTC') return;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
    });
    const known = new Map();
    // Offsets change at whole quarters of an hour, so one per quarter is enough.
    offset = (time) => {
      const quarter = Math.floor(time / 900_000);
      if (!known.has(quarter)) {
        const at = Object.fromEntries(format.formatToParts(quarter * 900_000).map(({ type, value }) => [type, Number(value)]));
        known.set(quarter, Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - quarter * 900_000);
      }
      return known.get(quarter);
    };
    zone = name;
  } catch { /* The browser does not know the zone. */ }
}

/** The time as if the zone were UTC. */
export const shifted = (time) => time + offset(time);
export const unshifted = (local) => local - offset(local - offset(local));
const date = (time) => new Date(shifted(time));

const pad = (value, width = 2) => String(value).padStart(width, '0');
/** The time of day. Milliseconds are shown if `fine`, which is for logs whose clock has them. */
export function clock(time, fine = false) {
  if (time === null || time === undefined) return '';
  const at = date(time);
  const text = `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`;
  return fine ? `${text}.${pad(at.getUTCMilliseconds(), 3)}` : text;
}
export const dayNumber = (time) => Math.floor(shifted(time) / 86_400_000);
export const isoDay = (time) => date(time).toISOString().slice(0, 10);
const longDay = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
export const dayName = (time) => longDay.format(date(time));

const grouped = new Intl.NumberFormat('en');
export const number = (value) => grouped.format(value);
export const plural = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;
