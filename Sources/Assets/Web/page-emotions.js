import { make } from './page-elements.js';
import { texts } from './page-texts.js';

/** Big emotions by their names on the wire; each has a word in every language. */
export const emotions = {
  applause: '👏', laughter: '😂', love: '❤️', cheers: '🥳', thanks: '🙏', surprise: '😮', sadness: '😢', hug: '🤗', thinking: '🤔', good_night: '😴',
};

/** @param {{name?: string, text?: string}} body */
export function emotionView({ name = '', text = '' }) {
  const sign = emotions[name] ?? [...String(text)].slice(0, 4).join('');
  const words = texts.emotions[name] ?? texts.kinds.emotion;
  return make('span', { class: 'emotion', role: 'img', 'aria-label': words }, make('span', { 'aria-hidden': 'true' }, sign), make('small', { 'aria-hidden': 'true' }, words));
}
