// Follows a log that grows. A user who looks at earlier records is left alone.
import { Live } from './live.js';
import { texts } from './texts.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

export class Follower {
  constructor(app) {
    // While a log is being indexed, a page that names no moment stays at the end of what is indexed.
    Object.assign(this, { app, isFollowing: !app.log.complete && app.isUnnamed });
    if (app.log.live || !app.log.complete) this.stream = new Live(app.log.number, app.log, (event) => this.take(event), (state) => this.say(state));
    this.mark();
  }

  /** Goes to the end and stays there, or stops doing so. */
  toggle() {
    this.isFollowing = !this.isFollowing;
    if (this.isFollowing) store.set({ at: this.app.log.head }, { jump: true });
    this.mark();
  }
  pause() { if (this.isFollowing) { this.isFollowing = false; this.mark(); } }
  mark() { this.app.bar.live?.setAttribute('aria-pressed', String(this.isFollowing)); }

  say(state) {
    const { live } = this.app.bar;
    if (state === 'lost' && this.isReplaced) return;
    live.textContent = state === 'lost' ? texts.tool.liveLost : texts.tool.live;
    live.classList.toggle('lost', state === 'lost');
    if (state === 'connected' && this.wasLost) this.check();
    this.wasLost = state === 'lost';
  }
  // After a reconnect the log may be another one.
  async check() {
    try { if (await this.app.readLog()) this.reload(); } catch (error) { this.app.report(error); }
  }
  // Numbers of records mean others in another log, so nothing of the page is kept.
  reload() {
    this.isReplaced = true;
    this.stream.stop();
    prefs.write('said', texts.fault.replaced);
    store.replace({ log: store.get().log });
    location.reload();
  }

  take({ event, data }) {
    if (event === 'bye') this.app.say(texts.fault.ended);
    if (event !== 'head') return;
    if (data.generation !== this.app.log.generation) { this.reload(); return; }
    if (data.head <= this.app.log.head && data.complete === this.app.log.complete) return;
    this.waiting = { from: Math.min(this.waiting?.from ?? Infinity, data.replaceFrom ?? 0) };
    if (!this.isBusy) this.update();
  }
  // All of a capture is indexed: nothing more will come.
  finish() {
    this.stream.stop();
    this.pause();
  }
  async update() {
    const { app } = this;
    this.isBusy = true;
    try {
      while (this.waiting) {
        const { from } = this.waiting;
        this.waiting = null;
        const { generation } = app.log;
        await app.readLog();
        if (app.log.generation !== generation) { this.reload(); return; }
        app.findings = await app.readFindings();
        app.note();
        await app.story.extend(from);
        await app.timeline.load();
        if (this.isFollowing) store.set({ at: app.log.head });
        if (app.log.complete && !app.log.live) this.finish();
        app.markDock(document.getElementById('panes').dataset.pane);
        app.details.draw();
        app.transport();
      }
    } catch (error) { app.report(error); }
    this.isBusy = false;
  }
}
