import { make } from './page-elements.js';

const address = /https?:\/\/[^\s<>"'，。！？；：、）】》]+/gu;
const mention = /(?<![\p{L}\p{N}])@([\p{L}\p{N}_.-]{1,64})/gu;
// What closes a sentence does not belong to the address in it.
const tail = /[.,;:!?)\]}]+$/;

/**
 * A text as nodes: addresses can be followed, names of people stand out. Everything else stays text.
 * @param {string} text
 * @param {(name: string) => boolean} isName
 * @returns {(Node|string)[]}
 */
export function linked(text, isName = () => false) {
  return parts(text, address, linkOf).flatMap((part) => (typeof part === 'string' ? parts(part, mention, mentionOf(isName)) : [part]));
}

function linkOf([found]) {
  const href = found.replace(tail, '');
  if (!URL.canParse(href)) return [found];
  // What leads into this page stays in it.
  const isHere = href.startsWith(`${location.origin}${location.pathname}#`);
  const link = make('a', { href, ...(!isHere && { target: '_blank', rel: 'noopener noreferrer' }) }, href);
  return [link, found.slice(href.length)];
}

const mentionOf = (isName) => ([found, name]) => [isName(name) ? make('span', { class: 'mention' }, found) : found];

function parts(text, pattern, replace) {
  const result = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    result.push(text.slice(end, match.index), ...replace(match));
    end = match.index + match[0].length;
  }
  return [...result, text.slice(end)].filter((part) => part !== '');
}
