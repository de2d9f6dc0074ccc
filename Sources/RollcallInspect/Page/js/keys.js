// Keys: single letters that act anywhere except while typing.

let actions = {};
export function bind(table) { actions = table; }

/** The action of a pressed key, or null if the key belongs to what has the focus. */
export function actionFor({ key, ctrlKey, altKey, metaKey, target }) {
  if (ctrlKey || altKey || metaKey || document.querySelector('dialog[open]')) return null;
  const isTyping = target.closest?.('input:not([type="checkbox"]), textarea, select, [contenteditable]');
  if (isTyping) return null;
  const owns = {
    Enter: 'button, a, summary, [role="link"], [role="tab"], [role="separator"]',
    ArrowDown: '[role="tablist"], [role="separator"], pre, .record, .letters',
    ArrowUp: '[role="tablist"], [role="separator"], pre, .record, .letters',
    Home: '[role="tablist"], .phone, .pane-roster, pre', End: '[role="tablist"], .phone, .pane-roster, pre',
  }[key];
  if (owns && target.closest?.(owns)) return null;
  return actions[key] ?? null;
}

globalThis.document?.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const action = actionFor(event);
  if (!action) return;
  event.preventDefault();
  action(event);
});

/** Moves the focus inside a group by the arrow keys, so that Tab passes the group in one step. */
export function roving(group, selector, { vertical = false, press = true } = {}) {
  group.addEventListener('keydown', (event) => {
    const all = [...group.querySelectorAll(selector)].filter((item) => item.offsetParent && !item.disabled);
    const at = all.indexOf(event.target);
    if (at < 0) return;
    const step = { [vertical ? 'ArrowDown' : 'ArrowRight']: 1, [vertical ? 'ArrowUp' : 'ArrowLeft']: -1 }[event.key];
    const next = event.key === 'Home' ? all[0] : event.key === 'End' ? all.at(-1)
      : step ? all[(at + step + all.length) % all.length] : null;
    if (!next) return;
    event.preventDefault();
    next.focus();
    if (press) next.click();
  });
}
