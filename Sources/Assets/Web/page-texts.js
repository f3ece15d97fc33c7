import { settings } from './page-settings.js';

// One language is enough for one reader.
const languages = { en: () => import('./page-texts-en.js').then(({ en }) => en), zh: () => import('./page-texts-zh.js').then(({ zh }) => zh) };

/** The reader's own choice, or the first language the browser asks for and we have. */
export const language = [settings.language, ...navigator.languages.map((tag) => tag.split('-')[0])].find((tag) => tag in languages) ?? 'en';

/** For dates and numbers: the same language as it is written where the reader lives. */
export const locale = navigator.languages.find((tag) => tag.split('-')[0] === language) ?? language;

/** Everything the page says, in the reader's language. @type {typeof import('./page-texts-en.js').en} */
export const texts = await languages[language]();

/** @param {{code?: string}|string|undefined} error */
export function errorText(error) {
  return texts.error[error?.code ?? error] ?? texts.error.other;
}

/** @param {import('./parley-call.js').Call} call */
export function outcomeText(call) {
  const name = call.peer.name ?? texts.unnamed;
  const isMissed = call.isIncoming && ['noAnswer', 'cancelled'].includes(call.outcome);
  const say = texts.outcome[isMissed ? 'missed' : call.outcome] ?? texts.outcome.failed;
  return say(name);
}
