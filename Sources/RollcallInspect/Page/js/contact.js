// One contact: what is known, why, and everything that happened to it.
import { h } from './dom.js';
import { severityMark } from './icons.js';
import { address, initial, nameOf, recordLink, sentence, visible } from './people.js';
import { clauseParts, effectParts, sign } from './rows.js';
import { ask } from './source.js';
import { texts } from './texts.js';
import { clock } from './times.js';
import { nothing } from './empty.js';

const t = texts.contact, questions = ['request', 'friend', 'section', 'online', 'blocked'];

/** The parts of the tab; `answer` is null if no contact is chosen, undefined while it is asked for. */
export function contactParts(app, answer, at) {
  if (!answer) return [{ key: 'none', stamp: [answer], draw: () => nothing(answer === null ? t.none : [texts.loading, '']) }];
  if (answer.isUnknown) return [{ key: 'unknown', stamp: [answer.jid], draw: () => nothing([visible(answer.jid), t.unknown[0]]) }];
  const name = nameOf(answer.jid) ?? (answer.name || answer.jid);
  return [
    { key: 'head', stamp: [answer.jid, name, answer.pinyin], draw: () => h('header', { class: 'person' }, h('span', { class: 'avatar', 'aria-hidden': 'true' }, initial(name)),
      h('div', {}, h('h3', {}, h('bdi', {}, visible(name))), address(answer.jid), answer.pinyin && answer.pinyin.toLowerCase() !== name.toLowerCase() ? h('span', { class: 'faint pinyin' }, visible(answer.pinyin)) : null)) },
    { key: `facts ${answer.jid}`, stamp: [JSON.stringify([answer.item, answer.request, answer.outgoing, answer.presence, answer.blocked, answer.note, answer.reading, shown(app, answer)])], draw: () => facts(app, answer) },
    { key: `why ${answer.jid}`, stamp: [JSON.stringify(answer.why), app.naming], draw: () => why(app, answer) },
    { key: 'history head', stamp: [], draw: () => h('h3', { class: 'heading', id: 'history', tabIndex: -1 }, t.history) },
    ...answer.history.more ? [{ key: 'older', stamp: [answer.history.entries[0]?.n], draw: () => h('p', { class: 'more' }, h('button', { class: 'link', type: 'button', onclick: () => older(app, answer) }, t.older)) }] : [],
    { key: `history ${answer.jid}`, stamp: [answer.history.entries.length, at, app.naming], draw: () => h('ol', { class: 'history', 'aria-label': t.historyOf(visible(name)) }, answer.history.entries.map((entry) => historyRow(app, entry, at, answer.jid))) },
  ];
}

/** The cards and the avatar of the contact, as far as they are known yet; those of another moment only keep their space. */
function shown(app, { jid, at }) {
  const { cards } = app;
  if (cards?.jid !== jid || cards.log !== app.log.number) return { cards: [], avatar: null };
  return { ...cards, isOld: cards.at !== at };
}

function facts(app, answer) {
  const { item, request, outgoing, presence, blocked, note, reading, nameFrom } = answer, { cards, avatar, isOld } = shown(app, answer);
  const records = item?.records ?? {}, rows = [];
  const value = (content, record, what, text) => app.origins.value(content, record, what, text);
  const fact = (label, content) => rows.push(h('dt', {}, label), h('dd', {}, content));
  const subscription = item ? t.yes(item.subscription, !!item.ask) : t.no;
  fact(t.inRoster, item ? value(subscription, Math.max(records.subscription ?? 0, (item.ask && records.ask) || 0), texts.value.subscription, subscription) : h('span', { class: 'faint' }, subscription));
  if (item) {
    const name = item.name ? visible(item.name) : t.noName, groups = item.groups?.length ? visible(item.groups.join(', ')) : t.noGroups;
    fact(t.name, [value(h('bdi', {}, name), records.name, texts.value.name, name), nameFrom && t.nameSource[nameFrom.source] ? h('span', { class: 'faint' }, ` ${t.nameSource[nameFrom.source]}`) : null]);
    fact(t.groups, value(h('bdi', {}, groups), records.groups, texts.value.groups, groups));
  }
  const recordOf = (from) => [from.record, from.since, from.seenRecord].find((number) => Number.isInteger(number));
  if (request) fact(t.asksUs, value(request.text ? `“${visible(request.text)}”` : t.asks, recordOf(request), texts.value.request, t.asks));
  if (outgoing) fact(t.weAsk, value(t.waiting, recordOf(outgoing), texts.value.request, t.waiting));
  const resources = Object.entries(presence ?? {});
  if (!resources.length) fact(t.presence, h('span', { class: 'faint' }, texts.presence.offline));
  for (const [resource, state] of resources) {
    const text = `${texts.presence[state.show ?? 'available'] ?? state.show}${state.status ? ` “${visible(state.status)}”` : ''}`;
    fact(t.presence, [value(text, recordOf(state), texts.value.presence, text), resource ? h('span', { class: 'faint' }, ` ${texts.device(visible(resource))}`) : null]);
  }
  if (blocked) fact(t.blocked, t.asks);
  for (const [label, given] of [[t.note, note], [t.reading, reading]]) {
    const text = given?.value ?? given;
    if (typeof text === 'string' && text) fact(label, value(visible(text), given.record, label));
  }
  for (const { form, fn, nickname, photo, record } of cards) {
    const parts = [fn, nickname && `“${nickname}”`, photo && t.photo(photo.type, photo.size)].filter(Boolean), text = visible(parts.join(', ')) || t.emptyCard;
    fact(t.cards[form] ?? form, isOld ? '…' : value(h('bdi', {}, text), record, texts.value.card, text));
  }
  if (avatar) {
    const text = avatar.sha1 ? `${avatar.sha1.slice(0, 8)}…` : t.noAvatar;
    fact(t.avatar, isOld ? '…' : [value(text, avatar.record, texts.value.avatar, text), avatar.sha1 ? h('span', { class: 'faint' }, ` ${avatar.have ? t.inLog : t.notInLog}`) : null]);
  }
  return h('dl', { class: 'facts-list' }, rows);
}

function why(app, { why: explanation, questions: words }) {
  const links = { open: app.open, go: app.go, full: true };
  const answers = questions.filter((name) => explanation?.answers?.[name]).map((name) => [name, explanation.answers[name]]);
  if (!answers.length) return h('div', {});
  const first = answers.find(([name, { answer }]) => name === 'request' && answer === 'yes') ?? answers.find(([name]) => name === 'friend') ?? answers[0];
  return h('section', { class: 'why', 'aria-label': t.why }, answers.map(([name, { answer, because, changesWhen }]) =>
    h('details', { open: name === first[0] }, h('summary', {}, h('span', {}, words?.[name] ?? name), h('span', { class: `answer ${answer}` }, t.answers[answer] ?? answer)),
      h('div', { class: 'reasons' }, (because ?? []).map((reason) => h('p', {}, sentence(reason, links))),
        changesWhen ? h('p', { class: 'when' }, t.changesWhen, ' ', sentence(changesWhen, links)) : null))));
}

function historyRow(app, entry, at, jid) {
  const links = { open: app.open, go: app.go, full: false };
  return h('li', { class: entry.n > at ? 'future' : entry.n === at ? 'here' : '', 'aria-current': entry.n === at ? 'true' : null },
    h('span', { class: 'number' }, recordLink(entry.n, app.go)), h('span', { class: 'clock' }, clock(entry.t, app.log.hasMilliseconds)),
    h('div', {}, clauseParts(entry.clause, links, (who) => h('bdi', { class: 'who' }, who === jid ? app.nameFor(who) : visible(app.nameFor(who)))),
      (entry.lines ?? []).slice(0, 6).map((line) => h('span', { class: 'effect' }, sign(line.mark), effectParts(line, jid, links, (who) => h('bdi', { class: 'who' }, visible(app.nameFor(who)))))),
      (entry.findings ?? []).map((finding) => h('span', { class: `told ${finding.severity}` }, severityMark(finding.severity), finding.title))));
}

async function older(app, answer) {
  try {
    const page = await ask(`contacts/${encodeURIComponent(answer.jid)}/history`, { log: app.log.number, before: answer.history.entries[0].n, count: 200 });
    const more = page.entries ?? page.history?.entries ?? [];
    answer.history = { ...answer.history, entries: [...more, ...answer.history.entries], more: page.more ?? page.history?.more ?? false };
    app.draw();
  } catch (error) { app.report(error); }
}
