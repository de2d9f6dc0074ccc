// Values that say which record set them: shown at the pointer or the focus, gone to on a click.
import { h, fill } from './dom.js';
import { ask } from './source.js';
import { clauseParts } from './rows.js';
import { visible } from './people.js';
import { texts } from './texts.js';
import { clock } from './times.js';

const width = 320;

export class Provenance {
  constructor(app) {
    this.app = app;
    this.tip = h('div', { class: 'origin-tip', role: 'tooltip', id: 'origin-tip', hidden: true });
    document.body.append(this.tip);
    addEventListener('scroll', () => this.hide(), { capture: true, passive: true });
  }

  /** `content` as a value that leads to `record`. `what` names it in a sentence; `text` is its name for readers. */
  value(content, record, what, text = what) {
    if (!record) return h('span', {}, content);
    const show = (event) => this.show(event.currentTarget, record, what);
    return h('button', {
      class: 'value', type: 'button', 'aria-label': texts.setByLabel(text, record),
      onpointerenter: show, onfocus: (event) => { if (event.currentTarget.matches(':focus-visible')) show(event); },
      onpointerleave: () => this.hide(), onblur: () => this.hide(),
      onkeydown: (event) => { if (event.key === 'Escape') this.hide(); },
      onclick: (event) => { event.stopPropagation(); this.hide(); this.app.go(record); },
    }, content);
  }

  async show(anchor, record, what) {
    this.wanted = anchor;
    let answer;
    try { answer = await ask(`records/${record}`, { log: this.app.log.number }, { keep: true }); } catch { return; }
    if (this.wanted !== anchor || !anchor.isConnected) return;
    fill(this.tip, h('span', { class: 'label' }, texts.setBy(what)),
      h('span', {}, h('span', { class: 'number' }, `#${record} `), h('span', { class: 'faint' }, [clock(answer.t, this.app.log.hasMilliseconds), answer.device && texts.device(visible(answer.device))].filter(Boolean).join(' '))),
      h('span', {}, clauseParts(answer.clause)));
    this.tip.hidden = false;
    const box = anchor.getBoundingClientRect(), height = this.tip.offsetHeight, { clientWidth, clientHeight } = document.documentElement;
    const isBelow = box.bottom + height + 12 < clientHeight;
    this.tip.style.left = `${Math.max(8, Math.min(clientWidth - Math.min(width, clientWidth - 16) - 8, box.left))}px`;
    this.tip.style.top = `${isBelow ? box.bottom + 6 : Math.max(8, box.top - height - 6)}px`;
    anchor.setAttribute('aria-describedby', this.tip.id);
  }
  hide() {
    this.wanted?.removeAttribute('aria-describedby');
    this.wanted = null;
    this.tip.hidden = true;
  }
}
