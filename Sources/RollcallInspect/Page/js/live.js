// Follows the log by server-sent events, read with fetch because `EventSource` cannot send the key.
import { pathOf, send } from './source.js';

/** Splits a stream of text into events, each `{ event, data }`. Comments are dropped. */
export class EventReader {
  constructor() { this.rest = ''; }
  take(text) {
    const blocks = (this.rest + text).replaceAll('\r\n', '\n').split('\n\n');
    this.rest = blocks.pop();
    return blocks.map((block) => {
      const found = { event: 'message', data: '' };
      for (const line of block.split('\n')) {
        if (line.startsWith('event:')) found.event = line.slice(6).trim();
        else if (line.startsWith('data:')) found.data += line.slice(5).trim();
      }
      return found;
    }).filter((found) => found.data || found.event === 'bye');
  }
}

/** Calls `take({ event, data })` for each event until `stop()`; connects again by number when the stream ends. */
export class Live {
  constructor(log, { head, generation }, take, state) { Object.assign(this, { log, after: head, generation, take, state, abort: new AbortController(), backoff: 500 }); this.run(); }
  stop() { this.isStopped = true; this.abort.abort(); }

  async run() {
    while (!this.isStopped) {
      try {
        const response = await send(pathOf('live', { log: this.log, after: this.after, generation: this.generation }), { signal: this.abort.signal });
        if (!response.ok) { if (response.status < 500) return this.state('refused'); throw new Error(String(response.status)); }
        this.state('connected');
        await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader());
      } catch { /* The server is gone or restarts: try again below. */ }
      if (this.isStopped) return;
      this.state('lost');
      await new Promise((resolve) => { setTimeout(resolve, this.backoff); });
      this.backoff = Math.min(8000, this.backoff * 2);
    }
  }

  async read(reader) {
    const events = new EventReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const { event, data } of events.take(value)) {
        const content = data ? JSON.parse(data) : {};
        if (event === 'head') this.after = content.head;
        this.backoff = 500;
        this.take({ event, data: content });
      }
    }
  }
}
