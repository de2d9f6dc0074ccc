// Follows a log that grows. A user who looks at earlier records is left alone.
import { Live } from './live.js';
import { texts } from './texts.js';
import * as store from './store.js';

export class Follower {
  constructor(app) {
    Object.assign(this, { app, isFollowing: false });
    if (app.log.live) this.stream = new Live(app.log.number, app.log.head, (event) => this.take(event), (state) => this.say(state));
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
    live.textContent = state === 'lost' ? texts.tool.liveLost : texts.tool.live;
    live.classList.toggle('lost', state === 'lost');
    if (state === 'connected' && this.wasLost) this.check();
    this.wasLost = state === 'lost';
  }
  // After a reconnect the log may be another one.
  async check() {
    try { if (await this.app.readLog()) { this.app.say(texts.fault.replaced); location.reload(); } } catch (error) { this.app.report(error); }
  }

  take({ event, data }) {
    if (event === 'bye') this.app.say(texts.fault.ended);
    if (event !== 'head' || data.head <= this.app.log.head) return;
    this.waiting = { from: Math.min(this.waiting?.from ?? Infinity, data.replaceFrom ?? 0) };
    if (!this.isBusy) this.update();
  }
  async update() {
    const { app } = this;
    this.isBusy = true;
    try {
      while (this.waiting) {
        const { from } = this.waiting;
        this.waiting = null;
        await app.readLog();
        app.findings = await app.readFindings();
        app.note();
        await (app.story.entries.view === 'story' ? app.story.extend(from) : app.story.extend(0));
        await app.timeline.load();
        if (this.isFollowing) store.set({ at: app.log.head });
        app.markDock(document.getElementById('panes').dataset.pane);
        app.details.draw();
        app.transport();
      }
    } catch (error) { app.report(error); }
    this.isBusy = false;
  }
}
