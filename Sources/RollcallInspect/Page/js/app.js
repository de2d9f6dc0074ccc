// Connects the address, the server and the panes. Data flows one way: address, request, panes.
import { h } from './dom.js';
import { ask, identify, Latest, Refusal } from './source.js';
import { forget, learn, nameOf, setNaming, isNaming } from './people.js';
import { Provenance } from './provenance.js';
import { RecordPanel } from './record.js';
import { RosterPanel } from './roster.js';
import { Screen } from './screen.js';
import { Story } from './story.js';
import { Timeline } from './timeline.js';
import { Details } from './details.js';
import { texts } from './texts.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

const fewTouched = 8;
const byId = (id) => document.getElementById(id);

export class App {
  constructor() {
    this.report = (error) => this.fault(error);
    this.go = (record) => store.set({ at: record }, { jump: true });
    this.open = (jid, part) => { this.wantsHistory = part === 'history'; store.set({ who: jid, tab: 'contact' }); this.onopen?.('details'); this.details.revealHistory(); };
    this.touched = new Set();
    setNaming(prefs.read('names', '1') === '1');
    this.asking = new Latest(this.report);
    this.askingContact = new Latest(this.report);
    this.askingCards = new Latest(this.report);
  }
  get naming() { return isNaming(); }
  nameFor(jid) { return (isNaming() && nameOf(jid)) || jid; }

  /** Reads the log's facts and builds the panes. */
  async start() {
    await this.readLog();
    this.findings = await this.readFindings();
    this.origins = new Provenance(this);
    this.record = new RecordPanel(byId('record'), this);
    this.roster = new RosterPanel(this);
    this.screen = new Screen(this);
    this.details = new Details(byId('details'), this);
    this.story = new Story(byId('story'), { log: this.log, open: this.open, report: this.report });
    this.timeline = new Timeline(byId('timeline'), { log: this.log, report: this.report });
    const isUnnamed = !store.get().at;
    this.isUnnamed = isUnnamed;
    const at = isUnnamed ? this.log.head : Math.min(Number(store.get().at), this.log.head);
    store.assume({ at: String(at), tab: store.get().tab || (isUnnamed && this.findings.findings.length ? 'findings' : 'roster') });
    this.note();
  }

  async readLog() {
    const number = Number(store.get().log) || 0, answer = await ask('log', { log: number });
    const isOther = identify(answer);
    if (!this.log || this.log.number !== number) forget(answer.account);
    this.log = Object.assign(this.log ?? {}, answer, { number });
    learn(answer.people);
    document.title = texts.title(answer.account ?? answer.title);
    return isOther;
  }
  async readFindings() {
    const answer = await ask('findings', { log: this.log.number });
    learn(answer.people);
    return answer;
  }
  // Times that are known without asking, so that marks and ends of sessions are exact.
  note() {
    const { timeline, log } = this;
    timeline.findings = this.findings.findings;
    for (const finding of timeline.findings) timeline.note(finding.record, finding.t);
    for (const session of log.sessions) { timeline.note(session.from, session.fromT); if (session.to) timeline.note(session.to, session.toT); }
    timeline.note(log.first?.n, log.first?.t);
    timeline.note(log.last?.n, log.last?.t);
  }

  /** What the panes in sight need, as the parameters of one request. */
  get wanted() {
    const { at, pin, tab } = store.get(), parts = ['record', 'roster'], parameters = { log: this.log.number, at };
    Object.assign(parameters, this.details.shows('roster') ? this.roster.parameters : { roster: '0-0' });
    if (this.isScreenShown()) { parts.push('screen'); Object.assign(parameters, this.screen.parameters); }
    if (pin) { parts.push('diff'); Object.assign(parameters, { pin, diff: `0-${tab === 'diff' ? this.diffCount : 1}` }); }
    return { ...parameters, parts: parts.join(',') };
  }
  // Not read from the element, because that would lay out the page in the middle of a step.
  isScreenShown() { return !this.details.narrow.matches || this.details.tab === 'screen'; }
  diffCount = 100;
  moreDifferences() { this.diffCount += 400; this.refresh(); }

  /** Asks for the moment and draws it: one request, and only the newest one counts. */
  refresh() {
    const { at, who, tab } = store.get(), parameters = this.wanted;
    this.asking.want(() => ask('moment', parameters, { keep: true }), (answer) => {
      for (const part of [answer.record, answer.roster, answer.screen, answer.diff]) learn(part?.people);
      this.timeline.note(answer.at, answer.t);
      this.moment = answer;
      this.draw();
    });
    if (tab !== 'contact' || !who) return;
    this.askingContact.want(() => this.readContact(who, at), (answer) => {
      learn(answer.people);
      this.contact = answer;
      this.details.draw();
      if (this.wantsHistory) { this.wantsHistory = false; this.details.revealHistory(); }
    });
    // By itself, because the first answer takes as long as reading the whole log.
    this.askingCards.want(() => ask(`contacts/${encodeURIComponent(who)}/cards`, { log: this.log.number, at }, { keep: true }), (answer) => {
      this.cards = { jid: who, log: this.log.number, ...answer };
      this.details.draw();
    });
  }
  async readContact(who, at) {
    try { return await ask(`contacts/${encodeURIComponent(who)}`, { log: this.log.number, at }); } catch (error) {
      if (error instanceof Refusal && error.code === 'no-such-contact') return { jid: who, isUnknown: true };
      throw error;
    }
  }

  draw() {
    const { moment } = this;
    if (!moment) return;
    const contacts = new Set((moment.record?.changes ?? []).map((change) => change.contact).filter(Boolean));
    this.touched = contacts.size < fewTouched ? contacts : new Set();
    if (this.drawn !== moment.record || this.drawnNaming !== this.naming) { this.record.show(moment.record); this.drawn = moment.record; this.drawnNaming = this.naming; }
    if (this.details.shows('roster')) this.roster.show(moment.roster);
    if (moment.screen) { moment.screen.isKnown = moment.roster.completeness === 'complete'; this.screen.show(moment.screen); }
    this.details.draw();
    this.timeline.overlay();
    this.clearFault();
    this.ondraw?.();
  }

  /** The contact that keys such as w are about: the chosen one, or that of the record. */
  get subject() {
    const { record } = this.moment ?? {};
    return record?.clause.who ?? record?.findings[0]?.contact ?? record?.changes.find((change) => change.contact)?.contact ?? store.get().who;
  }

  /** Says something to screen readers, and for a moment to everybody. */
  say(text) {
    const line = byId('said');
    line.textContent = text;
    line.classList.add('shown');
    clearTimeout(this.saying);
    this.saying = setTimeout(() => line.classList.remove('shown'), 2500);
  }
  fault(error) {
    const line = byId('fault');
    const sentence = error instanceof Refusal ? (error.status === 401 ? texts.fault.wrongKey : error.message) : error instanceof TypeError && /fetch|network/iu.test(error.message) ? texts.fault.gone : error.message;
    line.replaceChildren(sentence, ' ', h('button', { class: 'link', type: 'button', onclick: () => { this.clearFault(); this.refresh(); } }, texts.fault.retry));
    line.hidden = false;
    if (!(error instanceof Refusal)) console.error(error);
  }
  clearFault() { byId('fault').hidden = true; }
}
