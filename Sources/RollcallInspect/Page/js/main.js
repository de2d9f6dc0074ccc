// Starts the page: takes the key, reads the log, and answers what the user does.
import { fill } from './dom.js';
import { App } from './app.js';
import { buildBar, buildDock, buildTransport } from './bar.js';
import { commands } from './commands.js';
import { Compare } from './compare.js';
import { bind } from './keys.js';
import { Follower } from './follower.js';
import { splitter } from './split.js';
import { takeKey } from './source.js';
import { texts } from './texts.js';
import { setZone } from './times.js';
import * as prefs from './prefs.js';
import * as store from './store.js';

const byId = (id) => document.getElementById(id);
const app = new App();

function label() {
  const labels = { timeline: texts.timeline, story: texts.story, middle: texts.details, screen: texts.screen.pane, dock: texts.dockLabel };
  for (const [id, text] of Object.entries(labels)) byId(id).setAttribute('aria-label', text);
  byId('skip').textContent = texts.skip;
  byId('skip').addEventListener('click', (event) => { event.preventDefault(); byId('entries')?.focus(); });
}

function theme() {
  const root = document.documentElement, chosen = prefs.read('theme', '');
  if (chosen) root.dataset.theme = chosen; else delete root.dataset.theme;
}

/** Shows a pane where only one fits. */
function pane(name) {
  byId('panes').dataset.pane = name;
  if (name === 'roster' || name === 'findings') store.set({ tab: name });
  if (name === 'screen') store.set({ tab: 'screen' });
  app.markDock(name);
  app.details.place();
  app.timeline.resize();
  app.refresh();
}

function observe(now, before) {
  const changed = (...names) => names.some((name) => now[name] !== before[name]);
  if (changed('log')) { location.reload(); return; }
  if (changed('compare')) app.compare.show(now.compare !== '');
  if (changed('q', 'show')) {
    if (document.activeElement !== app.bar.find) app.bar.find.value = now.q;
    clearTimeout(app.filtering);
    app.filtering = setTimeout(() => useStory(now), changed('show') ? 0 : 80);
  }
  if (changed('at')) {
    const { timeline, story } = app, row = story.entries.row(story.index)?.entry;
    if (row?.last === Number(now.at)) timeline.note(row.last, row.lastT ?? row.t);
    if (!changed('q', 'show')) story.select(Number(now.at));
    timeline.follow(Number(now.at));
    if (Number(now.at) < app.log.head) app.follower.pause();
  } else if (changed('pin')) app.story.list.redraw();
  if (changed('axis')) app.timeline.load().catch(app.report);
  else if (changed('from', 'to')) app.timeline.draw();
  else app.timeline.overlay();
  if (changed('tab')) { if (now.tab !== 'diff') app.diffCount = 100; app.details.place(); if (byId('panes').dataset.pane === 'story' && now.tab !== 'screen') app.onopen?.('details'); }
  app.transport();
  if (changed('at', 'pin', 'tab', 'who')) app.refresh();
}

async function useStory({ show, q }) {
  try {
    await app.story.use(show, q);
    byId('filter-fault').hidden = true;
  } catch (error) {
    if (error.code !== 'bad-filter') return app.report(error);
    byId('filter-fault').textContent = texts.filterFault(error.message);
    byId('filter-fault').hidden = false;
  }
  return undefined;
}

async function start() {
  label();
  theme();
  setZone(prefs.read('zone', 'UTC'));
  if (!takeKey()) { fill(byId('fault'), texts.fault.noKey); byId('fault').hidden = false; return; }
  await app.start();
  const actions = commands(app);
  app.bar = buildBar(byId('bar'), app, actions);
  app.transport = buildTransport(app.timeline.bar, app, actions);
  app.markDock = buildDock(byId('dock'), app, pane);
  app.follower = new Follower(app);
  byId('story').append(splitter(byId('panes'), 'story-width', texts.split.story, { least: 320, most: 900, usual: 500 }));
  byId('screen').append(splitter(byId('panes'), 'screen-width', texts.split.screen, { direction: -1, least: 280, most: 480, usual: 360 }));
  byId('details').before(splitter(byId('middle'), 'record-height', texts.split.middle, { axis: 'y', least: 96, most: 900, usual: 340 }));
  app.ondraw = () => app.transport();
  app.onopen = () => { const { pane: shown } = byId('panes').dataset; if (shown !== 'roster' && shown !== 'findings') { byId('panes').dataset.pane = 'roster'; app.markDock('roster'); } };
  bind(actions.table);
  app.compare = new Compare(byId('compare'), app, actions.table);
  store.observe(observe);
  byId('panes').dataset.pane = 'story';
  app.markDock('story');
  app.details.place();
  app.refresh();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => app.timeline.recolor());
  matchMedia('(max-width: 760px)').addEventListener('change', () => app.refresh());
  await Promise.all([app.timeline.load(), useStory(store.get())]);
  app.transport();
  if (store.get().compare && app.log.logs.length > 1) await app.compare.show(true);
  const said = prefs.take('said');
  if (said) app.say(said);
  document.documentElement.dataset.ready = 'true';
}

start().catch((error) => { app.fault(error); document.documentElement.dataset.ready = 'failed'; });
