// The focus inside a list whose rows have controls: Tab reaches the list in one step, the arrow keys its controls.

export class Roaming {
  constructor(list) {
    Object.assign(this, { list, at: null, returns: false });
    list.element.addEventListener('keydown', (event) => this.pressed(event));
    list.element.addEventListener('focusin', ({ target }) => {
      const row = target.closest('.row');
      if (!row || !list.space.contains(row)) return;
      this.at = { row: row.index, column: controlsOf(row).indexOf(target) };
      this.returns = false;
    });
    list.element.addEventListener('focusout', ({ relatedTarget }) => { if (!list.element.contains(relatedTarget)) this.returns = false; });
  }

  pressed(event) {
    const { list } = this, { key, target } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (target !== list.element && !list.space.contains(target)) return;
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (side && target !== list.element) {
      const controls = controlsOf(target.closest('.row'));
      controls[controls.indexOf(target) + side]?.focus();
    } else {
      const isFirst = target === list.element && !this.returns, from = isFirst ? list.range[0] - 1 : this.at?.row ?? -1;
      const row = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: list.heights.count - 1 }[key];
      if (row === undefined) return;
      this.move(Math.max(0, Math.min(list.heights.count - 1, row)), key === 'ArrowUp' || key === 'End' ? -1 : 1);
    }
    event.preventDefault();
  }

  /** Focuses a row; one without a control, such as a heading, is passed. */
  move(row, direction) {
    const { list } = this;
    for (let index = row; index >= 0 && index < list.heights.count; index += direction) {
      list.reveal(index);
      const element = list.rows.get(index);
      this.at = { row: index, column: this.at?.column ?? 0 };
      // What is not loaded yet is focused when it is.
      if (element?.classList.contains('unknown')) { list.element.focus({ preventScroll: true }); this.returns = true; return; }
      if (element && this.focus(element)) return;
    }
  }
  focus(row) {
    const controls = controlsOf(row);
    controls[Math.min(controls.length - 1, Math.max(0, this.at.column))]?.focus({ preventScroll: true });
    return controls.length > 0;
  }

  /** A row is about to lose its controls. Returns whether one of them had the focus, which the list has until it is back. */
  leaves(row) {
    if (!row.contains(document.activeElement)) return false;
    this.list.element.focus({ preventScroll: true });
    this.returns = true;
    return true;
  }
  drawn(row) { for (const control of controlsOf(row)) control.tabIndex = -1; }
  added(row) { if (this.returns && this.at?.row === row.index) this.focus(row); }
}

const controlsOf = (row) => [...row.querySelectorAll('button')];
