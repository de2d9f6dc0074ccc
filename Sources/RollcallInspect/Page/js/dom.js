// Builds elements. Every text becomes a text node, so a hostile name is shown and never interpreted.

/** Makes an element: `on…` are listeners, `style` goes through the CSSOM, everything else is a property or an attribute. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name === 'style') {
      for (const [property, text] of Object.entries(value)) element.style.setProperty(property, text);
    } else if (typeof value !== 'string' && name in element) element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== '') element.append(child);
  }
  return element;
}

/** Replaces everything that an element contains. */
export function fill(element, ...children) {
  element.keptParts = null;
  element.replaceChildren();
  return append(element, children);
}

const namespace = 'http://www.w3.org/2000/svg';
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Shows `parts`, each `{ key, stamp, draw }`, inside `parent`.
 *
 * A part whose stamp (an array of plain values) is the same as before keeps its element, its focus and its
 * scroll position, so that a step costs what it changed.
 */
export function keyed(parent, parts) {
  const before = parent.keptParts;
  if (!before) parent.replaceChildren();
  const now = new Map();
  let cursor = parent.firstChild;
  for (const part of parts) {
    const old = before?.get(part.key);
    const isSame = old && old.stamp.length === part.stamp.length
      && old.stamp.every((value, index) => value === part.stamp[index]);
    const element = isSame ? old.element : part.draw();
    now.set(part.key, { element, stamp: part.stamp });
    if (old && !isSame) {
      if (cursor === old.element) cursor = element;
      old.element.replaceWith(element);
    }
    if (element === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(element, cursor);
  }
  if (before) for (const [key, { element }] of before) if (!now.has(key)) element.remove();
  parent.keptParts = now;
}

/** A button with a text or an icon. Icons alone need `label`. */
export function button({ label, press, ...rest }, ...children) {
  return h('button', { type: 'button', title: label, 'aria-label': label, onclick: press, ...rest }, ...children);
}
