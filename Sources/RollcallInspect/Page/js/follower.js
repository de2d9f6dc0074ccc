// Follows a log that grows. A user who looks at earlier records is left alone.
import { Live } from './live.js';
import { texts } from './texts.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

export class Follower {
  constructor(app) {
    const { complete, head, live } = app.log;
    // While a log is being indexed, a page that names no moment stays at the end of what is indexed.
    Object.assign(this, { app, isFollowing: !complete && app.isUnnamed, isOver: complete && !live, stream: null });
    // What all panes show: `app.log` may know of more, such as after a reconnect.
    this.shown = { head, complete };
    // Browsers keep few connections to a host, and other pages need them.
    document.addEventListener('visibilitychange', () => this.connect());
    this.connect();
    this.mark();
  }

  /** Listens while the page can be seen, from the record on that it shows. */
  connect() {
    const isWanted = !this.isOver && !document.hidden;
    if (isWanted === (this.stream !== null)) return;
    if (isWanted) this.stream = new Live(this.app.log.number, { head: this.shown.head, generation: this.app.log.generation }, (event) => this.take(event), (state) => this.say(state));
    else { this.stream.stop(); this.stream = null; this.wasLost = true; }
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
    if (state === 'refused' || (state === 'connected' && this.wasLost)) this.check();
    this.wasLost = state === 'lost';
  }
  // After a reconnect, the log may be another one, the server may have another key, and what could not be shown before may be shown now.
  async check() {
    try { if (await this.app.readLog()) this.reload(); else if (this.waiting !== null && !this.isBusy) this.update(); } catch (error) { this.app.report(error); }
  }
  // Numbers of records mean others in another log, so nothing of the page is kept.
  reload() {
    this.isReplaced = true;
    this.stream?.stop();
    prefs.write('said', texts.fault.replaced);
    store.replace({ log: store.get().log });
    location.reload();
  }

  // The first entry of the story that is another one than is shown; null if none is.
  waiting = null;
  take({ event, data }) {
    if (event === 'bye') this.app.say(texts.fault.ended);
    if (event !== 'head') return;
    if (data.generation !== this.app.log.generation) { this.reload(); return; }
    if (data.head <= this.shown.head && data.complete === this.shown.complete) return;
    this.waiting = Math.min(this.waiting ?? Infinity, data.replaceFrom ?? 0);
    if (!this.isBusy) this.update();
  }
  // All of a capture is indexed: nothing more will come.
  finish() {
    this.isOver = true;
    this.connect();
    this.pause();
  }
  async update() {
    const { app } = this;
    this.isBusy = true;
    let from = null;
    try {
      while (this.waiting !== null) {
        from = this.waiting;
        this.waiting = null;
        const { generation } = app.log;
        await app.readLog();
        if (app.log.generation !== generation) { this.reload(); return; }
        const { head, complete } = app.log;
        app.findings = await app.readFindings();
        app.note();
        await app.story.extend(from);
        await app.timeline.load();
        this.shown = { head, complete };
        from = null;
        if (this.isFollowing) store.set({ at: app.log.head });
        if (complete && !app.log.live) this.finish();
        app.markDock(document.getElementById('panes').dataset.pane);
        app.details.draw();
        app.transport();
      }
    } catch (error) {
      // With the next event, or after a reconnect, it is tried again.
      if (from !== null) this.waiting = Math.min(this.waiting ?? Infinity, from);
      app.report(error);
    }
    this.isBusy = false;
  }
}
