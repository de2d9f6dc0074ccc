// The shapes of the page, drawn on a grid of 16.
import { svg } from './dom.js';
import { texts } from './texts.js';

const paths = {
  back: 'M10 3.5 5.5 8l4.500 4.500', forward: 'M6 3.500 10.500 8 6 12.500', chevron: 'M6 4.500 9.500 8 6 11.500',
  received: 'M13 8H3.500M7 4.500 3.500 8 7 11.500', sent: 'M3 8h9.500M9 4.500l3.500 3.500L9 11.500',
  local: 'M7.500 8h1', find: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9M10.500 10.500 14 14',
  pin: 'M6 2.500h4M6.500 2.500v4L4.500 9.500h7L9.500 6.500v-4M8 9.500V14', close: 'M4.500 4.500l7 7M11.500 4.500l-7 7',
  bookmark: 'M4.500 2.500h7v11L8 10.800l-3.500 2.700z', download: 'M8 2.500v7M5 7l3 3 3-3M3 13h10',
  theme: 'M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11',
  keyboard: 'M1.500 4.500h13v7h-13zM4 7h.01M6.700 7h.01M9.300 7h.01M12 7h.01M5 9.500h6',
  story: 'M3 4h10M3 8h7M3 12h9', record: 'M5.500 4.500 2 8l3.500 3.500M10.500 4.500 14 8l-3.500 3.500',
  roster: 'M8 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5M3 13.500c.6-2.600 2.500-4 5-4s4.400 1.400 5 4',
  phone: 'M5 1.500h6v13H5zM7.300 12.300h1.400', alert: 'M8 2.500 14.200 13H1.800zM8 6.500v3M8 11.200h.01',
  compare: 'M2.500 3.500h4.500v9H2.500zM9 3.500h4.500v9H9z',
  help: 'M6 6a2 2 0 1 1 2.700 1.900c-.5.200-.7.500-.7 1.100v.500M8 12h.01',
};
export const icon = (name) => svg('svg', { class: 'icon', viewBox: '0 0 16 16', 'aria-hidden': 'true' },
  svg('path', { d: paths[name] }));

const severityPaths = {
  error: 'M6 .7 11.300 6 6 11.300.7 6z', warning: 'M6 1.200 11.500 10.800H.5z',
  info: 'M6 1.700a4.300 4.300 0 1 0 0 8.600 4.300 4.300 0 0 0 0-8.600z',
};
/** Each severity has a shape of its own, so that nobody needs the color. */
export const severityMark = (severity) => svg('svg', {
  class: `severity ${severity}`, viewBox: '0 0 12 12', role: 'img', 'aria-label': texts.severity[severity] ?? severity,
}, svg('path', { d: severityPaths[severity] ?? severityPaths.info }));

/** Who sees whom: the upper arrow is what we see, the lower one what the contact sees. */
export function subscriptionMark(subscription, isAsked) {
  const sees = subscription === 'to' || subscription === 'both';
  const isSeen = subscription === 'from' || subscription === 'both';
  const arrow = (d, on, dashes) => svg('path', { d, opacity: on ? 1 : 0.25, ...(dashes && { 'stroke-dasharray': '2 2.500' }) });
  return svg('svg', { class: 'subscription', viewBox: '0 0 20 16', role: 'img', 'aria-label': texts.subscriptionLabel(subscription, isAsked) },
    arrow('M3.500 5.500h13M13.500 2.500l3 3', sees || isAsked, isAsked && !sees),
    arrow('M16.500 10.500h-13M6.500 13.500l-3-3', isSeen));
}

export const logo = () => svg('svg', { class: 'logo', viewBox: '0 0 20 20', 'aria-hidden': 'true' },
  svg('path', { class: 'first', d: 'M4 5h12' }), svg('path', { class: 'second', d: 'M4 10h8' }), svg('path', { class: 'third', d: 'M4 15h10' }));
