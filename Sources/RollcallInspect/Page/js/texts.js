// Every text that the page shows, except what the server says about the log.
import { number, plural } from './times.js';

const subscriptions = {
  both: 'both see each other', to: 'we see the contact', from: 'the contact sees us', none: 'neither sees the other', remove: 'removed',
};

export const texts = {
  brand: 'Rollcall',
  title: (account) => `${account} – Rollcall`,
  skip: 'Skip to the story',
  filterLabel: 'Filter the story',
  filterHint: 'Filter: carol kind:iq on:phone is:finding -kind:presence',
  filterHelp: [
    ['carol', 'a name, an address, or any text'], ['"see you"', 'words in this order'], ['-text', 'not with this'],
    ['kind:iq', 'or presence, message, stream'], ['way:out', 'sent; way:in is received'], ['on:phone', 'on this device'],
    ['who:carol', 'about this contact'], ['is:finding', 'or error, warning, info, lasting, change'],
  ],
  filterFault: (sentence) => `The filter was not used: ${sentence}`,
  tool: {
    live: 'Live', liveTitle: 'Follow the log as it grows (L)', liveLost: 'Live: reconnecting', bookmark: 'Bookmark this moment (b)', download: 'Export (e)',
    theme: 'Light or dark (t)', keys: 'Keys (?)', zone: 'Time zone', compare: 'Both logs side by side (o)', log: 'Log',
  },
  timeline: 'Timeline', timelineSlider: 'Moment', previous: 'Previous entry (k)', next: 'Next entry (j)',
  ofRecords: (head) => `of ${number(head)}`, pinHere: 'Pin this moment (p)', pinned: 'pin', unpin: 'Remove the pin',
  wholeLog: 'Whole log', axis: 'Axis', axisTime: 'Time', axisRecord: 'Records', zone: (name) => name.replaceAll('_', ' '),
  legendLasting: 'changed the roster', legendAll: 'all records', laneRecords: 'records',
  sliderValue: (record, clock) => (clock ? `record ${record}, ${clock}` : `record ${record}`),
  indexing: (upTo, head) => `Indexed ${number(upTo)} of ${number(head)} records`,
  story: 'Story', views: { story: 'Story', records: 'All records', findings: 'Findings' }, viewsLabel: 'What is listed',
  records: (count) => plural(count, 'record'), storyCount: (entries, records) => `${number(entries)} of ${number(records)}`,
  searching: (searched, records) => `Searched ${number(searched)} of ${number(records)}; Esc stops`,
  foldRecords: (count) => plural(count, 'record'), foldOpen: ', unfolded', foldClosed: ', folded',
  fold: {
    contacts: (count) => `Presence of ${plural(count, 'contact')}`, own: (count) => `${plural(count, 'change')} of our other devices`, version: 'Roster versions',
  },
  noMatch: ['No entry matches.', 'Change the filter, or clear it with Escape.'], noEntries: ['No entries.', 'The log has no records of this kind.'],
  noRow: 'Not loaded yet', loading: 'Loading',
  way: { in: 'received', out: 'sent', none: 'on the stream' },
  record: 'Record', recordMeta: { in: 'from the server', out: 'to the server', none: 'of the connection' },
  kindOn: (kind, device) => (device ? `${kind} on ${device}` : kind), sourceTime: (clock) => `${clock} in the capture`,
  changedNothing: 'Nothing in the roster changed.', meansNothing: 'This record says nothing about the roster.', start: 'Before the first record', startText: 'Nothing is known of the roster yet.',
  effects: 'What it changed', allChanges: (count) => `All ${number(count)} changes`, fewerChanges: 'Fewer',
  stanza: 'Stanza', line: 'Entry of the log', pretty: 'Pretty', raw: 'As recorded', copy: 'Copy', copied: 'Copied', copyFailed: 'The browser does not allow copying',
  moreBytes: (rest) => `Load the remaining ${number(rest)} bytes`,
  tabs: { roster: 'Roster', diff: 'Since the pin', contact: 'Contact', findings: 'Findings', whatif: 'What if', screen: 'Screen' }, tabsLabel: 'Details',
  dock: { story: 'Story', record: 'Record', roster: 'Roster', screen: 'Screen', findings: 'Findings' }, dockLabel: 'Panes',
  details: 'Record and details',
  goToRecord: (record) => `Go to record ${record}`,
  severity: { error: 'error', warning: 'warning', info: 'information' },
  guide: 'Usual causes, and what to do', guideRule: 'Rule', guideCauses: 'Usual cause', guideRemedy: 'What to do',
  findingAt: (record, clock) => (clock ? `#${record} at ${clock}` : `#${record}`), findingCause: (record) => `Its cause #${record}`,
  action: { contact: 'Why this contact is as it is', history: 'History of the contact', diff: 'What it changed', record: (record) => `Go to #${record}` },
  noFindings: ['No findings.', 'No record of this log breaks a rule that Rollcall checks.'], findingsCut: (total) => `The first of ${plural(total, 'finding')}. Filter the story by is:finding for all.`,
  roster: {
    label: 'Roster', contacts: (count) => plural(count, 'contact'), unknown: 'Roster not known yet', version: 'version', noVersion: 'none', connected: 'connected', disconnected: 'not connected',
    devices: 'devices', asking: 'Asking us', asked: 'Asked by us', unconfirmed: 'Sent, not confirmed', noAnswer: 'no answer yet', changed: (record) => `Changed by #${record}`, all: 'Contacts', blocked: 'Blocked',
    search: 'Find in the roster', order: 'Order', orders: { name: 'by name', address: 'by address', changed: 'last changed first' }, none: 'No contacts', noMatch: 'No contact matches', loading: 'Loading',
    wholeRoster: 'The roster', theVersion: 'The version', theConnection: 'The connection', more: (count) => `and ${number(count)} more`,
  },
  subscriptionLabel: (subscription, isAsked) => `${subscription}: ${subscriptions[subscription] ?? subscription}${isAsked ? ', asked' : ''}`,
  asked: ', asked', presence: { available: 'available', chat: 'free to chat', away: 'away', xa: 'away for long', dnd: 'do not disturb', offline: 'offline' },
  value: { name: 'The name', subscription: 'The subscription', groups: 'The groups', presence: 'The presence', request: 'The request', item: 'The contact', card: 'The card', avatar: 'The avatar' },
  setBy: (what) => `${what} was set by`, setByLabel: (what, record) => `${what}, set by record ${record}`, device: (device) => `on ${device}`,
  diff: {
    range: 'from', rangeTo: 'to', different: (count) => `${plural(count, 'contact')} differ${count === 1 ? 's' : ''}`, presence: (count) => `presence of ${number(count)} more`, account: 'The account',
    noPin: ['No pin yet.', 'Pin a moment with p. What has changed since then appears here.'], same: ['Nothing differs.', 'The roster is the same at the pin and at this moment.'],
    onlyPresence: 'Only presence differs', showPresence: 'Show presence', hidePresence: 'Hide presence', more: 'More contacts',
  },
  contact: {
    none: ['No contact chosen.', 'Click a name to see why the contact is as it is, and its history.'], unknown: ['The log does not mention this contact.', ''],
    inRoster: 'In the roster', yes: (subscription, isAsked) => `yes, ${subscription}${isAsked ? ', asked' : ''}`, no: 'no', name: 'Name', groups: 'Groups', noGroups: 'none', noName: 'none', asksUs: 'Asks us', weAsk: 'We ask', waiting: 'no answer yet',
    asks: 'yes', presence: 'Presence', blocked: 'Blocked', note: 'Note', reading: 'Reading', history: 'History', why: 'Why', changesWhen: 'Changes when:', answers: { yes: 'Yes', no: 'No', unknown: 'Unknown' },
    nameSource: { roster: '', nickname: 'from a nickname', vCardNickname: 'from the vCard', vCardFullName: 'from the vCard', address: 'from the address' }, older: 'Older records', cards: { 'vcard-temp': 'Card', vcard4: 'vCard 4' }, photo: (type, size) => `a picture of ${plural(size, 'byte')}${type ? ` (${type})` : ''}`, emptyCard: 'empty',
    avatar: 'Avatar', noAvatar: 'says that it has none', inLog: 'the picture is in the log', notInLog: 'the picture is not in the log', historyOf: (name) => `History of ${name}`,
  },
  screen: {
    title: 'Contacts', pane: 'Contacts screen', label: 'Contacts as an application shows them', search: 'Search: zs, 张, bob', searchLabel: 'Search the contacts screen', letters: 'Letters', goTo: (letter) => `Go to ${letter}`,
    requests: 'New requests', starred: 'Starred', ungrouped: 'Others', found: 'Found', asks: 'wants to see when you are online', policy: 'As an application shows it:', policyLabel: 'Who is listed',
    friends: { mutual: 'mutual friends', subscribed: 'one-sided too', all: 'all contacts' }, empty: 'No friends yet', unknown: 'The roster is not known yet', notFound: 'No contact found',
  },
  whatif: {
    choose: 'Change one thing', policy: (name) => ({ lenient: 'A client that takes every push', optimistic: 'A client that shows its edits at once', 'fetch-only': 'A client that ignores pushes' })[name] ?? name, drop: (record) => `Without #${record}`, swap: (a, b) => `Swap #${a} and #${b}`, none: ['Nothing is changed yet.', 'Leave a record out, swap two, or let a client with other habits read the log.'],
    happened: 'Happened', otherwise: 'Otherwise', same: 'This changes nothing.', partsAt: (record) => `It diverges at #${record}.`, atEnd: 'Different at the end', sameAtEnd: 'At the end, everything is the same.', running: 'Replaying the log', cancel: 'Cancel', nothingHere: 'no record',
    more: (count) => `and ${plural(count, 'more difference')}`, added: 'New finding', removed: 'Finding that disappears',
  },
  compare: {
    title: 'Two logs', back: 'Back to one log', same: 'Both logs agree to the end.', agreed: (first, second) => `They agree for the last time after #${number(first)} and #${number(second)}. Then:`, never: 'They never agree. The first differences:',
    nothingMore: 'no further changes to contacts', upTo: (record) => `they agree up to #${number(record)}`, upToEnd: (record) => `they agree up to #${number(record)}; then nothing more about contacts`,
    differences: 'Differences', atEnd: 'At the end', none: 'Nothing differs at the end.', notThere: 'not there', lanes: 'Both logs over time', failed: 'The logs cannot be compared.',
    fields: { item: 'contact' },
  },
  goTo: { label: 'Go to', hint: 'A record, a time or a bookmark: 5772, 10:07, head-5m', placeholder: '5772', bookmarks: 'Bookmarks' },
  bookmark: { label: 'Name of the bookmark', hint: 'The bookmark is stored in the log.', placeholder: 'before-the-edit', saved: (name) => `Bookmarked as ${name}` },
  exports: {
    title: 'Export', kinds: {
      native: ['Capture', 'everything, in Rollcall’s own format'], redacted: ['Redacted capture', 'without names and messages'], report: ['Report', 'one page to read without this program'], json: ['JSON', 'the entries listed now'],
    }, saved: (name) => `Saved ${name}`, close: 'Close',
  },
  keys: {
    title: 'Keys', close: 'Close',
    groups: [
      ['Move', [['j k', 'next, previous entry'], ['J K', 'next, previous finding'], ['[ ]', 'previous, next session'], ['g', 'go to a record, time or bookmark'], ['Home End', 'first, last entry'], ['Enter', 'open or close a fold'], ['L', 'follow the log']]],
      ['View', [['+ - 0', 'zoom the timeline, whole log'], ['n', 'names or addresses'], ['t', 'light or dark'], ['x', 'copy the stanza'], ['b', 'bookmark'], ['e', 'export'], ['?', 'this list']]],
      ['Look', [['/', 'filter; Esc leaves it, Esc again clears it'], ['f r', 'findings, roster'], ['w h', 'why, history of the contact'], ['c', 'search the contacts screen'], ['↓ →', 'in the roster and the contacts screen: rows and their values'], ['p d', 'pin, what changed since the pin'], ['i', 'what if'], ['o', 'both logs side by side; j k choose a difference']]],
    ],
  },
  split: { middle: 'Height of the record', story: 'Width of the story', screen: 'Width of the screen' },
  fault: {
    noKey: 'This page needs the address that rollcall inspect printed, with the key at its end.', wrongKey: 'The key in this browser belongs to another run. Open the address that rollcall inspect printed.',
    gone: 'The server does not answer. Is rollcall inspect still running?', replaced: 'The log was replaced. The page has loaded it again.', ended: 'rollcall inspect has ended.', retry: 'Try again', noLater: 'No later finding', noEarlier: 'No earlier finding', noContact: 'This record names no contact', noSession: 'No further session', noOther: 'Only one log is open: --other FILE opens a second one',
  },
};
