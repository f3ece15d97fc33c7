import { settings } from './page-settings.js';
import { language, texts } from './page-texts.js';

// Where the worker finds the words of the user's language: it has no page to ask.
const wordsCache = 'parley-words';

/** Whether this browser can be woken while the page is closed. */
function canBeWoken() { return Boolean(navigator.serviceWorker && globalThis.PushManager); }

/**
 * Has this browser woken for messages from now on, where it can be and the user wants to be told.
 * @param {import('./parley.js').Parley} parley
 */
export async function wakeHere(parley) {
  if (!canBeWoken() || !settings.notifications || Notification.permission !== 'granted') return;
  await leaveWords();
  const worker = await navigator.serviceWorker.ready;
  // Without a push service there are notifications as long as the page is open.
  await parley.wake(worker, language).catch(() => {});
}

/** @param {import('./parley.js').Parley} parley */
export async function letSleep(parley) {
  if (!canBeWoken()) return;
  const worker = await navigator.serviceWorker.getRegistration();
  if (worker) await parley.letSleep(worker).catch(() => {});
}

/** Tells the server which notifications were chosen. @param {import('./parley.js').Parley} parley */
export async function tellClicks(parley) {
  const cache = await globalThis.caches?.open(wordsCache);
  const kept = await cache?.match('clicks');
  if (!kept) return;
  await cache.delete('clicks');
  for (const push of await kept.json()) await parley.noteClick(push).catch(() => {});
}

async function leaveWords() {
  const calls = { audio: texts.incomingAudio, video: texts.incomingVideo };
  const words = { calls, kinds: texts.kinds, message: texts.newMessage, someone: texts.unnamed, test: texts.notificationsWork };
  const cache = await caches.open(wordsCache);
  await cache.put('words', Response.json(words));
}
