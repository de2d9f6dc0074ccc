import { h } from './dom.js';

/** What a pane says if it has nothing to show. */
export const nothing = ([title, text]) => h('div', { class: 'empty' }, h('b', {}, title), text);
