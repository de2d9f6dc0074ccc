// The tabs below the record: roster, difference, contact, findings, what if, and the screen where it has no pane.
import { h, fill, keyed } from './dom.js';
import { diffParts } from './difference.js';
import { contactParts } from './contact.js';
import { findingParts } from './findings.js';
import { WhatIf } from './whatif.js';
import { roving } from './keys.js';
import { texts } from './texts.js';
import * as store from './store.js';

export class Details {
  constructor(element, app) {
    this.app = app;
    this.whatIf = new WhatIf(app);
    this.tabs = Object.keys(texts.tabs).map((name) => h('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'tab-body', 'data-tab': name, onclick: () => store.set({ tab: name }),
    }, texts.tabs[name], ' ', h('span', { class: 'count' })));
    const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': texts.tabsLabel }, this.tabs);
    roving(list, '[role="tab"]');
    this.body = h('div', { class: 'tab-body', role: 'tabpanel', id: 'tab-body', tabIndex: 0 });
    fill(element, h('h2', { class: 'sr' }, texts.tabsLabel), list, this.body);
    this.narrow = matchMedia('(max-width: 1180px)');
    this.narrow.addEventListener('change', () => { this.place(); app.refresh(); });
  }

  get tab() {
    const { tab } = store.get();
    return !(tab in texts.tabs) || (tab === 'screen' && !this.narrow.matches) ? 'roster' : tab;
  }
  shows(tab) { return this.tab === tab; }

  /** Puts the panes of the tab into place; their contents follow with the next answer. */
  place() {
    const { tab, body, app } = this;
    for (const button of this.tabs) {
      const isChosen = button.dataset.tab === tab;
      button.setAttribute('aria-selected', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      button.hidden = button.dataset.tab === 'screen' && !this.narrow.matches;
    }
    this.tabs.find((button) => button.dataset.tab === tab)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    body.setAttribute('aria-labelledby', `tab-${tab}`);
    const home = this.narrow.matches && tab === 'screen' ? body : document.getElementById('screen');
    if (body.dataset.tab !== tab) {
      body.dataset.tab = tab;
      fill(body);
      body.scrollTop = 0;
      if (tab === 'roster') body.append(app.roster.element);
      if (tab === 'whatif') body.append(this.whatIf.element);
    }
    if (app.screen.element.parentNode !== home) home.append(app.screen.element);
    this.draw();
  }

  draw() {
    const { app, body, tab } = this, at = Number(store.get().at), { pin, who } = store.get(), { moment } = app;
    if (tab === 'diff') keyed(body, diffParts(app, pin ? moment?.diff : null));
    else if (tab === 'contact') keyed(body, contactParts(app, who ? (app.contact?.jid === who ? app.contact : undefined) : null, at));
    else if (tab === 'findings') keyed(body, findingParts(app, app.findings, at));
    else if (tab === 'whatif') this.whatIf.draw(at);
    this.count('roster', moment?.roster?.items);
    this.count('findings', app.findings.total);
    this.count('diff', pin ? moment?.diff?.contacts : null);
  }
  count(tab, value) {
    const text = value ? String(value) : '', element = this.tabs.find((button) => button.dataset.tab === tab).lastChild;
    if (element.textContent !== text) element.textContent = text;
  }
  revealHistory() {
    if (!this.app.wantsHistory) return;
    const heading = this.body.querySelector('#history');
    if (!heading) return;
    heading.scrollIntoView({ block: 'start' });
    heading.focus({ preventScroll: true });
  }
}
